/* Entry point of libFuzzer. An input is a document; what follows a byte 0x1E, which no JSON holds, is the text of every
 * file beside it, or else these are sound. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validator/trial.h"

enum { SEPARATOR = 0x1E };

static void require(bool holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "read_and_judge: %s\n", what);
  abort();
}

static void put_files(rlk_judging_t* judging, const char* text, size_t length) {
  size_t count;
  const rlk_sample_file_t* files = rlk_sample_files(&count);
  for (size_t i = 0; i < count; ++i) {
    require(rlk_judging_put_file(judging, files[i].path, text, length) == ROWLOCK_OK, "no memory");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const char* text = (const char*)data;
  const char* separator = size > 0 ? memchr(text, SEPARATOR, size) : NULL;
  const size_t length = separator ? (size_t)(separator - text) : size;
  rlk_trial_t trial;
  require(rlk_trial_init(&trial), "no memory");
  if (separator) {
    put_files(&trial.judging, separator + 1, size - length - 1);
  } else {
    require(rlk_judging_put_sample_files(&trial.judging) == ROWLOCK_OK, "no memory");
  }
  require(rlk_trial_holds(&trial, text, length), trial.problem);
  rlk_trial_deinit(&trial);
  return 0;
}
