/* rowlock lock: compares a corpus with its rows.lock, or writes it anew. */
#define _GNU_SOURCE /* asprintf, open_memstream */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/cli/find_corpus.h"
#include "harness/cli/hold.h"
#include "harness/rows/lock.h"

typedef struct lock_command_t {
  const rlk_command_t* command;
  bool update;
  rlk_corpus_t corpus;
  rlk_lock_t lock;
  rlk_defects_t defects;
  size_t divergences;
  FILE* said; /* of an update, told once it is written */
} lock_command_t;

static void print_divergence(void* context, rlk_divergence_t divergence, const rlk_row_t* row,
                             const rlk_lock_entry_t* entry) {
  lock_command_t* lock = context;
  ++lock->divergences;
  if (!lock->update) {
    printf("%s: %s\n", row ? row->stem : entry->stem, rlk_divergence_phrase(divergence));
    return;
  }
  static const char* const done[] = {[RLK_LOCK_CHANGED] = "locked anew",
                                     [RLK_LOCK_MOVED] = "locked in its new folder",
                                     [RLK_LOCK_MISSING] = "retired",
                                     [RLK_LOCK_NEW] = "added"};
  fprintf(lock->said, "%s: %s\n", row ? row->stem : entry->stem, done[divergence]);
}

static int load(lock_command_t* lock, char* path, char** out_lock_path) {
  char* paths[] = {path, NULL};
  rowlock_code_t code = rlk_corpus_load(&lock->corpus, paths, 1, &lock->defects);
  if (!code && lock->corpus.lock_path) {
    code = rlk_lock_read(lock->corpus.lock_path, &lock->corpus.arena, &lock->lock, &lock->defects);
  }
  if (rlk_defects_any(&lock->defects)) return rlk_complain_of_defects(lock->command, &lock->defects);
  if (code) return rlk_complain(lock->command, code, "%s", rowlock_code_meaning(code));
  if (!lock->corpus.whole) return rlk_complain(lock->command, ROWLOCK_UNUSABLE, "'%s' is not a folder", path);
  const rlk_scope_t* scope = lock->corpus.scopes;
  if (*scope->below) {
    return rlk_complain(lock->command, ROWLOCK_UNUSABLE, "'%s' is a part of a corpus: '%s' covers it", path,
                        scope->lock_path);
  }
  if (!lock->corpus.lock_path && !lock->update) {
    return rlk_complain(lock->command, ROWLOCK_UNUSABLE, "'%s' has no " RLK_LOCK_NAME "; --update writes one", path);
  }
  if (asprintf(out_lock_path, "%s/" RLK_LOCK_NAME, lock->corpus.root) < 0) {
    *out_lock_path = NULL;
    return rlk_complain(lock->command, ROWLOCK_NO_MEMORY, "no memory");
  }
  return 0;
}

static int compare(lock_command_t* lock) {
  rowlock_error_t err;
  const rowlock_code_t code =
      rlk_lock_compare(&lock->corpus, &lock->lock, &lock->defects, print_divergence, lock, &err);
  if (rlk_defects_any(&lock->defects)) return rlk_complain_of_defects(lock->command, &lock->defects);
  return code ? rlk_complain(lock->command, code, "%s", err.message) : 0;
}

static int update(lock_command_t* lock, const char* lock_path) {
  char* text = NULL;
  size_t length = 0;
  rowlock_error_t err;
  lock->said = open_memstream(&text, &length);
  if (!lock->said) return rlk_complain(lock->command, ROWLOCK_NO_MEMORY, "no memory");
  int status = compare(lock);
  const bool complete = fclose(lock->said) == 0;
  if (!status && !complete) status = rlk_complain(lock->command, ROWLOCK_NO_MEMORY, "no memory");
  const rowlock_code_t code = status ? ROWLOCK_OK : rlk_lock_write(&lock->corpus, &lock->lock, lock_path, &err);
  if (code) status = rlk_complain(lock->command, code, "%s", err.message);
  if (!status) fwrite(text, 1, length, stdout);
  free(text);
  return status;
}

static int compare_or_update(lock_command_t* lock, const char* lock_path) {
  const int status = lock->update ? update(lock, lock_path) : compare(lock);
  if (status) return status;
  const size_t rows = lock->corpus.count;
  printf("%zu row%s, %zu divergence%s%s\n", rows, rows == 1 ? "" : "s", lock->divergences,
         lock->divergences == 1 ? "" : "s", lock->update ? " locked" : "");
  return lock->divergences > 0 && !lock->update ? rowlock_code_exit_status(ROWLOCK_REJECTED) : 0;
}

static int lock_main(const rlk_command_t* command, int argc, char** argv) {
  lock_command_t* lock = calloc(1, sizeof *lock);
  if (!lock) return rlk_complain(command, ROWLOCK_NO_MEMORY, "no memory");
  lock->command = command;
  const rlk_option_t options[] = {
      RLK_FLAG("update", &lock->update, "lock the rows as they are; rows that are gone are retired"), {0}};
  char** operands;
  char *found = NULL, *lock_path = NULL;
  int held = -1;
  const rlk_parsed_t parsed = rlk_options_parse(command, options, argc, argv, &operands);
  int status = parsed == RLK_PARSED ? 0 : rlk_options_exit_status(parsed);
  if (parsed == RLK_PARSED && operands[0] && operands[1]) {
    status = rlk_complain(command, ROWLOCK_UNUSABLE, "one corpus at a time");
  } else if (parsed == RLK_PARSED) {
    if (!operands[0]) found = rlk_find_corpus();
    char* path = operands[0] ? operands[0] : found;
    if (path && lock->update) held = rlk_hold_folder(path);
    status = path ? load(lock, path, &lock_path)
                  : rlk_complain(command, ROWLOCK_UNUSABLE,
                                 "no folder 'corpus' with a " RLK_LOCK_NAME " here or above; name one");
    if (lock_path) status = compare_or_update(lock, lock_path);
  }
  if (held >= 0) close(held);
  free(found);
  free(lock_path);
  rlk_lock_deinit(&lock->lock);
  rlk_corpus_deinit(&lock->corpus);
  rlk_defects_deinit(&lock->defects);
  free(lock);
  return status;
}

const rlk_command_t rlk_command_lock = {
    .name = "lock",
    .arguments = "[CORPUS]",
    .summary = "Compares a corpus with its " RLK_LOCK_NAME ", or updates it on purpose",
    .details =
        "The lock lists every row with the digest of its files. A number is for ever: what is gone leaves\n"
        "a tombstone, and a number that was retired, or that means another row, is refused.",
    .main = lock_main};
