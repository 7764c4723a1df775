/* Times reading and validating one sidecar, over and over, from memory: nothing is opened or printed in the loop.
 *
 *   read_and_validate SIDECAR
 *
 * Prints one JSON object. Exits 1 without timing anything if the sidecar is refused, 2 if it cannot be read. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "validator/plugin/doors.h"
#include "validator/wire/reader.h"

enum { ROUNDS = 25, ROUND_NS = 40000000, LARGEST_BYTES = 64 * 1024 };

typedef struct bench_t {
  char text[LARGEST_BYTES];
  size_t length;
  rlk_read_options_t options;
  rlk_arena_t arena;
  rowlock_findings_t* findings;
} bench_t;

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static rowlock_code_t read_and_validate(bench_t* bench) {
  rlk_arena_reset(&bench->arena);
  rowlock_findings_clear(bench->findings);
  rlk_document_t document;
  const rowlock_code_t code =
      rlk_read(bench->text, bench->length, &bench->options, &bench->arena, bench->findings, &document);
  if (code) return code;
  rlk_judge_t judge = {
      .findings = bench->findings, .limits = bench->options.limits, .switched_off = bench->options.switched_off};
  return rlk_judge(&judge, RLK_DOOR_SHARED_VALIDATOR, &document, bench->options.path);
}

static int64_t time_documents(bench_t* bench, int64_t documents) {
  const int64_t start = now_ns();
  for (int64_t i = 0; i < documents; ++i) {
    if (read_and_validate(bench) != ROWLOCK_OK) abort(); /* it was accepted before the clock ran */
  }
  return now_ns() - start;
}

static int compare_times(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return a < b ? -1 : a > b;
}

static void measure(bench_t* bench) {
  int64_t documents = 1;
  while (time_documents(bench, documents) < ROUND_NS) documents *= 2;
  double ns[ROUNDS];
  for (int i = 0; i < ROUNDS; ++i) ns[i] = (double)time_documents(bench, documents) / (double)documents;
  qsort(ns, ROUNDS, sizeof *ns, compare_times);
  printf("{\"peer\": \"rowlock\", \"bytes\": %zu, \"best_ns\": %.1f, \"median_ns\": %.1f}\n", bench->length, ns[0],
         ns[ROUNDS / 2]);
}

static bool load(bench_t* bench, const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) return false;
  bench->length = fread(bench->text, 1, sizeof bench->text, file);
  const bool whole = !ferror(file) && bench->length < sizeof bench->text;
  fclose(file);
  return whole;
}

int main(int argc, char** argv) {
  static bench_t bench;
  if (argc != 2) {
    fprintf(stderr, "usage: read_and_validate SIDECAR\n");
    return 2;
  }
  bench.options =
      (rlk_read_options_t){.path = argv[1], .limits = rlk_limits_effective(NULL), .switched_off = RLK_RULE_NONE};
  bench.findings = rowlock_findings_create();
  if (!bench.findings || !load(&bench, argv[1])) {
    fprintf(stderr, "read_and_validate: cannot read '%s', or it is larger than %d bytes\n", argv[1], LARGEST_BYTES - 1);
    rowlock_findings_destroy(bench.findings);
    return 2;
  }
  const rowlock_code_t code = read_and_validate(&bench);
  if (code == ROWLOCK_OK) {
    measure(&bench);
  } else if (code == ROWLOCK_REJECTED) {
    fprintf(stderr, "read_and_validate: refused: %s\n", rowlock_findings_at(bench.findings, 0)->message);
  }
  rlk_arena_deinit(&bench.arena);
  rowlock_findings_destroy(bench.findings);
  return code == ROWLOCK_OK ? 0 : code == ROWLOCK_REJECTED ? 1 : 3;
}
