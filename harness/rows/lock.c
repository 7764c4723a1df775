#define _GNU_SOURCE /* asprintf, mkostemp */
#include "harness/rows/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/rows/grow.h"
#include "loader/files.h"
#include "validator/rules/text.h"

enum { LOCK_BYTES_MAX = 64 * 1024 * 1024, ROW_FILE_MAX = 1024 * 1024 * 1024 };

static const char header[] =
    "# Every row with the SHA-256 of its files, and the rows that were retired. `rowlock lock --update` writes this.\n";

void rlk_lock_deinit(rlk_lock_t* lock) {
  free(lock->entries);
  *lock = (rlk_lock_t){0};
}

const char* rlk_divergence_phrase(rlk_divergence_t divergence) {
  static const char* const phrases[] = {[RLK_LOCK_CHANGED] = "its files are not those that rows.lock holds",
                                        [RLK_LOCK_MOVED] = "it was moved to another folder",
                                        [RLK_LOCK_MISSING] = "rows.lock lists it and it is not there",
                                        [RLK_LOCK_NEW] = "rows.lock does not list it"};
  return phrases[divergence];
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

static int compare_labels(uint32_t number, char letter, uint32_t other_number, char other_letter) {
  if (number != other_number) return number < other_number ? -1 : 1;
  return letter < other_letter ? -1 : letter > other_letter;
}

static int compare_entries(const void* left, const void* right) {
  const rlk_lock_entry_t *a = left, *b = right;
  const int order = compare_labels(a->number, a->letter, b->number, b->letter);
  return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

static bool is_digest(const char* text) {
  return strlen(text) == RLK_DIGEST_HEX && strspn(text, "0123456789abcdef") == RLK_DIGEST_HEX;
}

/* Splits a line in place into its three words; false when there are not three. */
static bool split(char* line, char* words[3]) {
  for (int i = 0; i < 3; ++i) {
    words[i] = line;
    const size_t length = strcspn(line, " ");
    if (length == 0 || (line[length] == '\0') != (i == 2)) return false;
    line[length] = '\0';
    line += length + 1;
  }
  return true;
}

/* What is wrong with the line, or NULL with the entry filled. */
static const char* parse_line(char* line, rlk_lock_entry_t* entry) {
  char* words[3];
  if (!split(line, words)) return "it is not 'LABEL PATH DIGEST' or 'LABEL retired STEM'";
  *entry = (rlk_lock_entry_t){.retired = strcmp(words[1], "retired") == 0};
  const char* path = entry->retired ? words[2] : words[1];
  const char* slash = strrchr(path, '/');
  entry->stem = slash ? slash + 1 : path;
  char label[16];
  if (!rlk_stem_parse(entry->stem, &entry->number, &entry->letter)) return "its stem is malformed";
  if (strcmp(words[0], rlk_row_label(entry->number, entry->letter, label)) != 0) return "label and stem disagree";
  if (entry->retired) return NULL;
  entry->path = path;
  if (!is_digest(words[2])) return "its digest is not 64 hexadecimal digits";
  memcpy(entry->digest, words[2], sizeof entry->digest);
  return NULL;
}

static bool add_entry(rlk_lock_t* lock, const rlk_lock_entry_t* entry) {
  rlk_lock_entry_t* entries = rlk_grown(lock->entries, &lock->capacity, lock->count, sizeof *entries);
  if (!entries) return false;
  lock->entries = entries;
  lock->entries[lock->count++] = *entry;
  return true;
}

static void malformed(rlk_defects_t* defects, const char* path, uint32_t line, const char* problem) {
  rlk_defects_add(defects, RLK_DEFECT_LOCK_MALFORMED, path, line, 1, RLK_SLOTS(rlk_slot_prose("problem", problem)));
}

static rowlock_code_t parse(char* text, const char* path, rlk_lock_t* lock, rlk_defects_t* defects) {
  uint32_t line_number = 0;
  for (char* line = text; *line;) {
    const size_t length = strcspn(line, "\n");
    const bool last = line[length] == '\0';
    line[length] = '\0';
    ++line_number;
    rlk_lock_entry_t entry;
    const char* problem = *line && *line != '#' ? parse_line(line, &entry) : NULL;
    if (length > 0 && line[length - 1] == '\r') {
      malformed(defects, path, line_number, "its lines end in CR LF: keep the line ends that it was written with, LF");
      return ROWLOCK_OK;
    }
    if (problem) {
      malformed(defects, path, line_number, problem);
    } else if (*line && *line != '#') {
      entry.line = line_number;
      if (!add_entry(lock, &entry)) return ROWLOCK_NO_MEMORY;
    }
    if (last) break;
    line += length + 1;
  }
  if (lock->count > 0) qsort(lock->entries, lock->count, sizeof *lock->entries, compare_entries);
  for (size_t i = 1; i < lock->count; ++i) {
    const rlk_lock_entry_t *first = &lock->entries[i - 1], *second = &lock->entries[i];
    if (compare_labels(first->number, first->letter, second->number, second->letter) != 0) continue;
    char label[16], problem[64];
    rlk_text_t text = rlk_text_over(problem, sizeof problem);
    rlk_text_printf(&text, "row %s stands in line %u already", rlk_row_label(second->number, second->letter, label),
                    first->line);
    malformed(defects, path, second->line, problem);
  }
  return ROWLOCK_OK;
}

rowlock_code_t rlk_lock_read(const char* path, rlk_arena_t* arena, rlk_lock_t* lock, rlk_defects_t* defects) {
  rlk_file_buffer_t buffer = {0};
  rowlock_error_t err;
  lock->path = path;
  rowlock_code_t code = rlk_file_read(path, LOCK_BYTES_MAX, &buffer, &err);
  if (code == ROWLOCK_UNUSABLE) {
    malformed(defects, path, 0, err.message);
    code = ROWLOCK_OK;
  } else if (!code && (buffer.length > LOCK_BYTES_MAX || memchr(buffer.bytes, '\0', buffer.length))) {
    malformed(defects, path, 0, "it is not a text of at most 64 MiB");
  } else if (!code) {
    char* text = rlk_arena_alloc(arena, buffer.length + 1);
    if (text) {
      memcpy(text, buffer.bytes, buffer.length);
      text[buffer.length] = '\0';
    }
    code = text ? parse(text, path, lock, defects) : ROWLOCK_NO_MEMORY;
  }
  rlk_file_buffer_deinit(&buffer);
  return code;
}

/* --- Digest ------------------------------------------------------------------------------------------------------- */

static rowlock_code_t digest_file(EVP_MD_CTX* context, const char* path, const char* name, rlk_file_buffer_t* buffer,
                                  rowlock_error_t* err) {
  rowlock_error_t cause;
  rowlock_code_t code = rlk_file_read(path, ROW_FILE_MAX, buffer, &cause);
  if (code) return rlk_fail(err, code, "cannot read '%s': %s", path, cause.message);
  if (buffer->length > ROW_FILE_MAX) return rlk_fail(err, ROWLOCK_UNUSABLE, "'%s' is larger than 1 GiB", path);
  unsigned char length[8];
  for (int i = 0; i < 8; ++i) length[i] = (unsigned char)((uint64_t)buffer->length >> (8 * i));
  const bool hashed = EVP_DigestUpdate(context, name, strlen(name) + 1) == 1 &&
                      EVP_DigestUpdate(context, length, sizeof length) == 1 &&
                      EVP_DigestUpdate(context, buffer->bytes, buffer->length) == 1;
  return hashed ? ROWLOCK_OK : rlk_fail(err, ROWLOCK_INTERNAL, "SHA-256 failed");
}

static rowlock_code_t digest_files(EVP_MD_CTX* context, const rlk_row_t* row, const rlk_tree_t* files,
                                   rowlock_error_t* err) {
  rlk_file_buffer_t buffer = {0};
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < files->count && !code; ++i) {
    code = digest_file(context, files->paths[i], files->paths[i] + strlen(row->folder) + 1, &buffer, err);
  }
  rlk_file_buffer_deinit(&buffer);
  return code;
}

rowlock_code_t rlk_row_digest(const rlk_corpus_t* corpus, const rlk_row_t* row, char out_hex[RLK_DIGEST_HEX + 1],
                              rowlock_error_t* err) {
  rlk_tree_t files = {0};
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  rowlock_code_t code = ROWLOCK_OK;
  if (!context || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1) {
    code = rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for SHA-256");
  }
  if (!code) code = rlk_corpus_list_files(corpus, row, &files, err);
  if (!code) code = digest_files(context, row, &files, err);
  unsigned char digest[EVP_MAX_MD_SIZE];
  if (!code && EVP_DigestFinal_ex(context, digest, NULL) != 1) code = rlk_fail(err, ROWLOCK_INTERNAL, "SHA-256 failed");
  for (int i = 0; i < RLK_DIGEST_HEX / 2 && !code; ++i) snprintf(out_hex + 2 * (size_t)i, 3, "%02x", digest[i]);
  EVP_MD_CTX_free(context);
  rlk_tree_deinit(&files);
  return code;
}

/* --- Comparing and writing ---------------------------------------------------------------------------------------- */

/* "sidecar/row41a_x": the row's place below the folder of its lock, to be freed; NULL if memory is short. */
static char* place_of(const rlk_corpus_t* corpus, const rlk_row_t* row) {
  const rlk_scope_t* scope = rlk_corpus_scope(corpus, row);
  const char* below = row->folder + strlen(scope->root);
  while (*below == '/') ++below;
  char* place;
  const int length =
      asprintf(&place, "%s%s%s%s%s", scope->below, *scope->below ? "/" : "", below, *below ? "/" : "", row->stem);
  return length < 0 ? NULL : place;
}

static rowlock_code_t no_memory(rowlock_error_t* err) { return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory"); }

static void add_number_defect(rlk_defects_t* defects, rlk_defect_t defect, const rlk_row_t* row,
                              const rlk_lock_entry_t* entry) {
  char label[16];
  rlk_defects_add(defects, defect, row->expect_path, 0, 0,
                  RLK_SLOTS(rlk_slot_prose("number", rlk_row_label(row->number, row->letter, label)),
                            rlk_slot_prose("other", entry->stem)));
}

/* Whether the scope is compared with the lock. */
static bool is_scope_of(const rlk_scope_t* scope, const rlk_lock_t* lock) {
  if (!lock->path || !scope->lock_path) return !lock->path;
  return strcmp(lock->path, scope->lock_path) == 0;
}

static bool is_covered(const rlk_corpus_t* corpus, const rlk_row_t* row, const rlk_lock_t* lock) {
  return is_scope_of(rlk_corpus_scope(corpus, row), lock);
}

/* Whether the entry's row would have been found, were it there. */
static bool is_looked_for(const rlk_corpus_t* corpus, const rlk_lock_t* lock, const rlk_lock_entry_t* entry) {
  for (size_t i = 0; i < corpus->scope_count; ++i) {
    const rlk_scope_t* scope = &corpus->scopes[i];
    if (is_scope_of(scope, lock) && rlk_scope_has_place(scope, entry->path)) return true;
  }
  return false;
}

/* Walks both sorted lists: the next row, entry, or both where their numbers are the same; NULL where there is none. */
static void take_next(const rlk_corpus_t* corpus, size_t* r, const rlk_lock_t* lock, size_t* e,
                      const rlk_row_t** out_row, const rlk_lock_entry_t** out_entry) {
  while (*r < corpus->count && !is_covered(corpus, &corpus->rows[*r], lock)) ++*r;
  const rlk_row_t* row = *r < corpus->count ? &corpus->rows[*r] : NULL;
  const rlk_lock_entry_t* entry = *e < lock->count ? &lock->entries[*e] : NULL;
  const int order = row && entry ? compare_labels(row->number, row->letter, entry->number, entry->letter) : 0;
  *out_row = order > 0 ? NULL : row;
  *out_entry = order < 0 ? NULL : entry;
  *r += *out_row != NULL;
  *e += *out_entry != NULL;
}

static rowlock_code_t compare_row(const rlk_corpus_t* corpus, const rlk_row_t* row, const rlk_lock_entry_t* entry,
                                  rlk_defects_t* defects, rlk_divergence_fn report, void* context,
                                  rowlock_error_t* err) {
  if (entry->retired) {
    add_number_defect(defects, RLK_DEFECT_ROW_NUMBER_RETIRED, row, entry);
    return ROWLOCK_OK;
  }
  if (strcmp(entry->stem, row->stem) != 0) {
    add_number_defect(defects, RLK_DEFECT_ROW_NUMBER_RENAMED, row, entry);
    return ROWLOCK_OK;
  }
  char digest[RLK_DIGEST_HEX + 1];
  const rowlock_code_t code = rlk_row_digest(corpus, row, digest, err);
  if (code) return code;
  if (strcmp(digest, entry->digest) != 0) {
    report(context, RLK_LOCK_CHANGED, row, entry);
    return ROWLOCK_OK;
  }
  char* place = place_of(corpus, row);
  if (!place) return no_memory(err);
  if (strcmp(place, entry->path) != 0) report(context, RLK_LOCK_MOVED, row, entry);
  free(place);
  return ROWLOCK_OK;
}

rowlock_code_t rlk_lock_compare(const rlk_corpus_t* corpus, const rlk_lock_t* lock, rlk_defects_t* defects,
                                rlk_divergence_fn report, void* context, rowlock_error_t* err) {
  size_t r = 0, e = 0;
  while (r < corpus->count || e < lock->count) {
    const rlk_row_t* row;
    const rlk_lock_entry_t* entry;
    take_next(corpus, &r, lock, &e, &row, &entry);
    if (!row && !entry) break; /* the rows that were left are another lock's */
    if (!entry) {
      report(context, RLK_LOCK_NEW, row, NULL);
    } else if (!row) {
      if (!entry->retired && is_looked_for(corpus, lock, entry)) report(context, RLK_LOCK_MISSING, NULL, entry);
    } else {
      const rowlock_code_t code = compare_row(corpus, row, entry, defects, report, context, err);
      if (code) return code;
    }
  }
  return defects->code;
}

/* Whether the row's place can stand in a line of three words. */
static bool is_one_word(const char* place) {
  for (; *place; ++place) {
    if ((unsigned char)*place <= ' ' || *place == 0x7F) return false;
  }
  return true;
}

static rowlock_code_t write_entry(FILE* out, const rlk_corpus_t* corpus, const rlk_row_t* row, const char* label,
                                  rowlock_error_t* err) {
  char digest[RLK_DIGEST_HEX + 1];
  rowlock_code_t code = rlk_row_digest(corpus, row, digest, err);
  if (code) return code;
  char* place = place_of(corpus, row);
  if (!place) return no_memory(err);
  if (is_one_word(place)) {
    fprintf(out, "%s %s %s\n", label, place, digest);
  } else {
    code = rlk_fail(err, ROWLOCK_UNUSABLE,
                    "%s lies in a folder whose name holds a blank or a control character; rename it", row->stem);
  }
  free(place);
  return code;
}

static rowlock_code_t write_entries(FILE* out, const rlk_corpus_t* corpus, const rlk_lock_t* old,
                                    rowlock_error_t* err) {
  fputs(header, out);
  size_t r = 0, e = 0;
  while (r < corpus->count || e < old->count) {
    const rlk_row_t* row;
    const rlk_lock_entry_t* entry;
    take_next(corpus, &r, old, &e, &row, &entry);
    char label[16];
    if (row) {
      const rowlock_code_t code = write_entry(out, corpus, row, rlk_row_label(row->number, row->letter, label), err);
      if (code) return code;
    } else if (entry) {
      fprintf(out, "%s retired %s\n", rlk_row_label(entry->number, entry->letter, label), entry->stem);
    }
  }
  return ROWLOCK_OK;
}

/* A new file beside the lock, never one that is there, nor through a link. */
static FILE* open_temporary(const char* path, char** out_name) {
  if (asprintf(out_name, "%s.XXXXXX", path) < 0) {
    *out_name = NULL;
    return NULL;
  }
  const int fd = mkostemp(*out_name, O_CLOEXEC);
  FILE* out = fd >= 0 && fchmod(fd, 0644) == 0 ? fdopen(fd, "w") : NULL;
  if (!out && fd >= 0) {
    close(fd);
    unlink(*out_name);
  }
  return out;
}

rowlock_code_t rlk_lock_write(const rlk_corpus_t* corpus, const rlk_lock_t* old, const char* path,
                              rowlock_error_t* err) {
  char* temporary;
  FILE* out = open_temporary(path, &temporary);
  if (!out) {
    const rowlock_code_t failed = temporary ? ROWLOCK_UNUSABLE : ROWLOCK_NO_MEMORY;
    rlk_fail(err, failed, "cannot write beside '%s': %s", path, strerror(errno));
    free(temporary);
    return failed;
  }
  rowlock_code_t code = write_entries(out, corpus, old, err);
  const bool unwritten = fflush(out) != 0 || ferror(out) || fsync(fileno(out)) != 0;
  if ((fclose(out) != 0 || unwritten) && !code) {
    code = rlk_fail(err, ROWLOCK_UNUSABLE, "cannot write '%s': %s", temporary, strerror(errno));
  }
  if (!code && rename(temporary, path) != 0) {
    code = rlk_fail(err, ROWLOCK_UNUSABLE, "cannot replace '%s': %s", path, strerror(errno));
  }
  if (code) unlink(temporary);
  free(temporary);
  return code;
}

uint32_t rlk_lock_next_number(const rlk_corpus_t* corpus, const rlk_lock_t* lock) {
  uint32_t largest = 0;
  for (size_t i = 0; i < corpus->count; ++i) {
    if (corpus->rows[i].number > largest) largest = corpus->rows[i].number;
  }
  for (size_t i = 0; i < lock->count; ++i) {
    if (lock->entries[i].number > largest) largest = lock->entries[i].number;
  }
  return largest + 1;
}
