/* Times reading artifacts from memory, against copying the same bytes, and leaves them in a folder for whoever wants to
 * time a command with them.
 *
 *   inspect_speed CUBIN FOLDER
 *
 * Makes 1 MB of PTX, and two fatbins of 20 MB from it and from copies of the cubin, which code that does not matter
 * makes as large as those of real kernels: one that is not compressed, one of zstd. Prints a JSON object a line. Exits
 * 1 if one cannot be read as what it is, 2 if the folder or the cubin cannot be used. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#include "loader/artifact/artifact.h"
#include "validator/rules/text.h"

enum {
  ROUNDS = 15,
  PTX_BYTES = 1000000,
  FATBIN_BYTES = 20000000,
  CUBIN_BYTES = 400000,
  FATBIN_HEADER = 16,
  MODULE_HEADER = 64,
  KIND_PTX = 1,
  KIND_CUBIN = 2,
  FLAGS_PLAIN = 0x11,
  FLAG_ZSTD = 0x8000,
};

typedef struct bytes_t {
  uint8_t* data;
  size_t length;
} bytes_t;

static void* need(void* memory) {
  if (!memory) {
    fprintf(stderr, "inspect_speed: no memory\n");
    exit(3);
  }
  return memory;
}

/* --- Making ------------------------------------------------------------------------------------------------------- */

/* Entries as the compiler writes them, a hundred instructions each. */
static bytes_t make_ptx(void) {
  bytes_t ptx = {need(malloc(PTX_BYTES + 1)), PTX_BYTES};
  rlk_text_t text = rlk_text_over((char*)ptx.data, PTX_BYTES + 1);
  rlk_text_printf(&text, "//\n// Generated\n//\n\n.version 8.4\n.target sm_90\n.address_size 64\n\n");
  for (int entry = 0; text.length + 8000 < PTX_BYTES; ++entry) {
    rlk_text_printf(&text, "\t// .globl\tkernel_%d\n.visible .entry kernel_%d(\n", entry, entry);
    rlk_text_printf(&text, "\t.param .align 8 .b8 kernel_%d_param_0[40],\n", entry);
    rlk_text_printf(&text, "\t.param .f64 kernel_%d_param_1,\n\t.param .u64 kernel_%d_param_2\n)\n{\n", entry, entry);
    rlk_text_printf(&text, "\t.reg .pred \t%%p<2>;\n\t.reg .f64 \t%%fd<120>;\n\n");
    for (int line = 0; line < 100; ++line) {
      rlk_text_printf(&text, "\tfma.rn.f64 \t%%fd%d, %%fd%d, %%fd%d, 0d3FF0000000000000;\n", line + 3, line + 2, line);
    }
    rlk_text_printf(&text, "\tret;\n\n}\n");
  }
  memset(ptx.data + text.length, '\n', PTX_BYTES - text.length);
  return ptx;
}

/* The cubin with as many bytes behind it as make it large: they compress about as code does. Without a byte if it
 * cannot be read. */
static bytes_t enlarge(const char* path) {
  bytes_t large = {need(malloc(CUBIN_BYTES)), 0};
  FILE* file = fopen(path, "rb");
  const size_t length = file ? fread(large.data, 1, CUBIN_BYTES / 2, file) : 0;
  if (file) fclose(file);
  if (length == 0) return large;
  uint64_t state = 1;
  for (size_t at = length; at < CUBIN_BYTES; ++at) {
    if (at % 8 == 0) state = state * 6364136223846793005u + 1442695040888963407u;
    large.data[at] = at % 8 < 3 ? (uint8_t)(state >> 56) : 0;
  }
  large.length = CUBIN_BYTES;
  return large;
}

static void put(uint8_t* at, uint64_t value, size_t size) { memcpy(at, &value, size); }

/* Adds a module that begins where the fatbin ends. */
static void add_module(bytes_t* fatbin, const bytes_t* payload, int kind, uint32_t sm, bool packs) {
  const size_t room = packs ? ZSTD_compressBound(payload->length) : payload->length;
  fatbin->data = need(realloc(fatbin->data, fatbin->length + MODULE_HEADER + room));
  uint8_t* header = fatbin->data + fatbin->length;
  uint8_t* place = header + MODULE_HEADER;
  memset(header, 0, MODULE_HEADER);
  size_t size = payload->length;
  if (packs) {
    size = ZSTD_compress(place, room, payload->data, payload->length, 3);
  } else {
    memcpy(place, payload->data, size);
  }
  put(header, (uint64_t)kind, 2);
  put(header + 2, 0x0101, 2);
  put(header + 4, MODULE_HEADER, 4);
  put(header + 8, size, 8);
  put(header + 28, sm, 4);
  put(header + 40, packs ? FLAGS_PLAIN | FLAG_ZSTD : FLAGS_PLAIN, 8);
  if (packs) {
    put(header + 16, size, 4);
    put(header + 56, payload->length, 8);
  }
  fatbin->length += MODULE_HEADER + size;
}

static bytes_t make_fatbin(const bytes_t* ptx, const bytes_t* cubin, bool packs) {
  bytes_t fatbin = {need(calloc(1, FATBIN_HEADER)), FATBIN_HEADER};
  add_module(&fatbin, ptx, KIND_PTX, 90, packs);
  for (int i = 1; fatbin.length < FATBIN_BYTES && i < RLK_ARTIFACT_MODULES_MAX; ++i) {
    add_module(&fatbin, cubin, KIND_CUBIN, 90, packs);
  }
  put(fatbin.data, 0xBA55ED50, 4);
  put(fatbin.data + 4, 1, 2);
  put(fatbin.data + 6, FATBIN_HEADER, 2);
  put(fatbin.data + 8, fatbin.length - FATBIN_HEADER, 8);
  return fatbin;
}

/* --- Timing ------------------------------------------------------------------------------------------------------- */

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool write_file(const char* folder, const char* name, const bytes_t* bytes) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "wb");
  if (!file) return false;
  const bool whole = fwrite(bytes->data, 1, bytes->length, file) == bytes->length;
  return fclose(file) == 0 && whole;
}

/* Reads it over and over; the arena's memory is kept from one round to the next. */
static int measure(const char* folder, const char* name, const bytes_t* bytes) {
  int64_t best = INT64_MAX, copy_best = INT64_MAX;
  rlk_arena_t arena = {0};
  rlk_artifact_t artifact = {0};
  rowlock_error_t err;
  uint8_t* copy = need(malloc(bytes->length));
  for (int round = 0; round < ROUNDS; ++round) {
    rlk_arena_reset(&arena);
    const int64_t start = now_ns();
    if (rlk_artifact_read(bytes->data, bytes->length, &arena, &artifact, &err)) {
      fprintf(stderr, "inspect_speed: %s: %s\n", name, err.message);
      free(copy);
      rlk_arena_deinit(&arena);
      return 1;
    }
    const int64_t middle = now_ns();
    memcpy(copy, bytes->data, bytes->length);
    const int64_t end = now_ns();
    if (middle - start < best) best = middle - start;
    if (end - middle < copy_best && copy[bytes->length - 1] == bytes->data[bytes->length - 1]) copy_best = end - middle;
  }
  size_t entries = 0;
  uint64_t unpacked = 0;
  for (size_t i = 0; i < artifact.module_count; ++i) {
    entries += artifact.modules[i].entry_count;
    unpacked += artifact.modules[i].bytes;
  }
  printf(
      "{\"name\": \"%s\", \"bytes\": %zu, \"unpacked\": %llu, \"modules\": %zu, \"entries\": %zu, \"best_ns\": %lld, "
      "\"copy_ns\": %lld}\n",
      name, bytes->length, (unsigned long long)unpacked, artifact.module_count, entries, (long long)best,
      (long long)copy_best);
  free(copy);
  rlk_arena_deinit(&arena);
  return write_file(folder, name, bytes) ? 0 : 2;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: inspect_speed CUBIN FOLDER\n");
    return 2;
  }
  bytes_t large = enlarge(argv[1]);
  if (large.length == 0) {
    fprintf(stderr, "inspect_speed: cannot read '%s'\n", argv[1]);
    free(large.data);
    return 2;
  }
  bytes_t ptx = make_ptx();
  bytes_t plain = make_fatbin(&ptx, &large, false), packed = make_fatbin(&ptx, &large, true);
  int status = measure(argv[2], "kernels.ptx", &ptx);
  if (!status) status = measure(argv[2], "plain.fatbin", &plain);
  if (!status) status = measure(argv[2], "zstd.fatbin", &packed);
  free(ptx.data);
  free(large.data);
  free(plain.data);
  free(packed.data);
  return status;
}
