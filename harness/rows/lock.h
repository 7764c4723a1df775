/* rows.lock: every row of a corpus with the digest of its files, and a tombstone for each row that was retired. A row
 * that changes, vanishes or appears fails until the lock is updated on purpose. */
#ifndef ROWLOCK_HARNESS_ROWS_LOCK_H
#define ROWLOCK_HARNESS_ROWS_LOCK_H

#include "harness/rows/corpus.h"

#define RLK_DIGEST_HEX 64 /* SHA-256 */

typedef struct rlk_lock_entry_t {
  uint32_t number;
  char letter;
  bool retired;
  uint32_t line; /* of the file */
  const char* stem;
  const char* path; /* below the corpus, without suffix: "sidecar/row41a_role_capital"; NULL when retired */
  char digest[RLK_DIGEST_HEX + 1];
} rlk_lock_entry_t;

/* Strings live in the arena that the lock was read into. */
typedef struct rlk_lock_t {
  const char* path;          /* of the file, borrowed; NULL when there was none */
  rlk_lock_entry_t* entries; /* by number and letter */
  size_t count, capacity;
} rlk_lock_t;

void rlk_lock_deinit(rlk_lock_t* lock);

/* Reads the file. What is malformed is added to `defects`. ROWLOCK_OK or ROWLOCK_NO_MEMORY. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_lock_read(const char* path, rlk_arena_t* arena, rlk_lock_t* lock,
                                                rlk_defects_t* defects);

/* SHA-256 over the row's files: each one's name below the row's folder, a NUL, its length (8 bytes, little-endian), its
 * bytes; sorted by name. `out_hex` gets a NUL. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_row_digest(const rlk_corpus_t* corpus, const rlk_row_t* row,
                                                 char out_hex[RLK_DIGEST_HEX + 1], rowlock_error_t* err);

typedef enum rlk_divergence_t {
  RLK_LOCK_CHANGED, /* the row's files are not those that were locked */
  RLK_LOCK_MOVED,   /* the same row in another folder */
  RLK_LOCK_MISSING, /* locked, and not there */
  RLK_LOCK_NEW,     /* there, and not locked */
} rlk_divergence_t;

const char* rlk_divergence_phrase(rlk_divergence_t divergence);

/* Compares with its lock what lies in the scopes that the lock covers, and calls `report` for each divergence, by
 * number: with the row when it is there, else with the entry alone. What the lock lists elsewhere is left out. Numbers
 * that were retired or that mean another row are defects. */
typedef void (*rlk_divergence_fn)(void* context, rlk_divergence_t divergence, const rlk_row_t* row,
                                  const rlk_lock_entry_t* entry);
ROWLOCK_MUST_CHECK rowlock_code_t rlk_lock_compare(const rlk_corpus_t* corpus, const rlk_lock_t* lock,
                                                   rlk_defects_t* defects, rlk_divergence_fn report, void* context,
                                                   rowlock_error_t* err);

/* Writes the lock of a whole corpus anew: its rows, and a tombstone for each entry that has no row any more. Another
 * file takes its place at the end, so that a failure leaves the old one. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_lock_write(const rlk_corpus_t* corpus, const rlk_lock_t* old, const char* path,
                                                 rowlock_error_t* err);

/* One above every number in use or retired; 1 for an empty corpus. */
uint32_t rlk_lock_next_number(const rlk_corpus_t* corpus, const rlk_lock_t* lock);

#endif
