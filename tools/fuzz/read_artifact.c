/* Entry point of libFuzzer. An input is an artifact of the kind that KIND names; another kind is put aside at once, so
 * that each reader has a fuzzer, and a folder of inputs, to itself. */
#include <stdio.h>
#include <stdlib.h>

#include "loader/artifact/trial.h"
#include "loader/host/container.h"

/* A cubin and a shared object differ in one number: what is either goes to both. */
static bool is_due(const uint8_t* data, size_t size) {
  const rlk_container_t container = rlk_container_of(data, size);
  return container == KIND;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (!is_due(data, size)) return -1; /* not kept */
  static rlk_artifact_trial_t trial;
  if (rlk_artifact_trial_holds(&trial, data, size)) return 0;
  fprintf(stderr, "read_artifact: %s: %s\n", trial.problem, trial.err.message);
  abort();
}
