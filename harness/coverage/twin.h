/* How near a row's fixture is to its twin's: what differs should be the one fault and nothing else. */
#ifndef ROWLOCK_HARNESS_COVERAGE_TWIN_H
#define ROWLOCK_HARNESS_COVERAGE_TWIN_H

#include "harness/rows/corpus.h"

/* Bytes from the first that differs to the last, on the longer side: what is left once the common beginning and end are
 * taken away. Two small changes far apart are far. CONTRIBUTING.md says this number. */
#define RLK_TWIN_BYTES_MAX 80

typedef struct rlk_twin_distance_t {
  size_t files;   /* of the fixture that differ, or that only one of the two has, and its launch or machine */
  size_t bytes;   /* the longer differing middle, over the files that both have */
  char file[256]; /* the last file that differs, after the stem */
} rlk_twin_distance_t;

/* Compares the fixtures of two rows of a whole corpus, file by file after the stem. A file that a recipe makes is near
 * if it is, or if what the recipes say is. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_twin_measure(const rlk_corpus_t* corpus, const rlk_row_t* row,
                                                   const rlk_row_t* twin, rlk_twin_distance_t* out_distance,
                                                   rowlock_error_t* err);

bool rlk_twin_is_near(const rlk_twin_distance_t* distance);

#endif
