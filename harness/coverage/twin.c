#include "harness/coverage/twin.h"

#include <stdio.h>
#include <string.h>

#include "loader/files.h"
#include "validator/rules/text.h"

enum { FIXTURE_BYTES_MAX = 64 * 1024 * 1024 };

/* The next file of the row's fixture, by what follows the stem in its name; NULL at the end. */
static const char* next_file(const rlk_corpus_t* corpus, const rlk_row_t* row, size_t* at, size_t end) {
  const size_t prefix = strlen(row->folder) + 1 + strlen(row->stem);
  while (*at < end && strcmp(corpus->tree.paths[*at] + prefix, RLK_EXPECT_SUFFIX) == 0) ++*at;
  return *at < end ? corpus->tree.paths[*at] + prefix : NULL;
}

static size_t differing_bytes(const rlk_file_buffer_t* a, const rlk_file_buffer_t* b) {
  const size_t shorter = a->length < b->length ? a->length : b->length;
  size_t front = 0, back = 0;
  while (front < shorter && a->bytes[front] == b->bytes[front]) ++front;
  while (back < shorter - front && a->bytes[a->length - 1 - back] == b->bytes[b->length - 1 - back]) ++back;
  return (a->length > b->length ? a->length : b->length) - front - back;
}

static rowlock_code_t compare_files(const char* path, const char* other, rlk_file_buffer_t buffers[2],
                                    size_t* out_bytes, rowlock_error_t* err) {
  rowlock_code_t code = rlk_file_read(path, FIXTURE_BYTES_MAX, &buffers[0], err);
  if (!code) code = rlk_file_read(other, FIXTURE_BYTES_MAX, &buffers[1], err);
  *out_bytes = code ? 0 : differing_bytes(&buffers[0], &buffers[1]);
  return code;
}

static void note(rlk_twin_distance_t* distance, const char* file, size_t bytes) {
  ++distance->files;
  if (bytes > distance->bytes) distance->bytes = bytes;
  snprintf(distance->file, sizeof distance->file, "%s", file);
}

rowlock_code_t rlk_twin_measure(const rlk_corpus_t* corpus, const rlk_row_t* row, const rlk_row_t* twin,
                                rlk_twin_distance_t* out_distance, rowlock_error_t* err) {
  *out_distance = (rlk_twin_distance_t){0};
  rlk_file_buffer_t buffers[2] = {{0}, {0}};
  size_t r, r_end, t, t_end;
  rlk_corpus_files(corpus, row, &r, &r_end);
  rlk_corpus_files(corpus, twin, &t, &t_end);
  rowlock_code_t code = ROWLOCK_OK;
  while (!code) {
    const char* file = next_file(corpus, row, &r, r_end);
    const char* twin_file = next_file(corpus, twin, &t, t_end);
    if (!file && !twin_file) break;
    const int order = !file ? 1 : !twin_file ? -1 : strcmp(file, twin_file);
    if (order == 0) {
      size_t bytes;
      code = compare_files(corpus->tree.paths[r], corpus->tree.paths[t], buffers, &bytes, err);
      if (bytes > 0) note(out_distance, file, bytes);
    } else {
      note(out_distance, order < 0 ? file : twin_file, 0);
    }
    r += order <= 0;
    t += order >= 0;
  }
  rlk_file_buffer_deinit(&buffers[0]);
  rlk_file_buffer_deinit(&buffers[1]);
  return code;
}

bool rlk_twin_is_near(const rlk_twin_distance_t* distance) {
  return distance->files == 1 && distance->bytes <= RLK_TWIN_BYTES_MAX;
}
