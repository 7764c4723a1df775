#include "validator/plugin/judging.h"

#include <stdlib.h>
#include <string.h>

#include "validator/rules/text.h"

/* --- Files -------------------------------------------------------------------------------------------------------- */

static rlk_judging_file_t* find_file(const rlk_judging_t* judging, const char* path, size_t length) {
  for (size_t i = 0; i < judging->file_count; ++i) {
    rlk_judging_file_t* file = &judging->files[i];
    if (rlk_text_equal(file->path, strlen(file->path), path, length)) return file;
  }
  return NULL;
}

/* The file, or NULL and why not in `*out_code`. */
static const rlk_judging_file_t* look_up(rlk_judging_t* judging, const char* path, size_t length,
                                         rowlock_code_t* out_code, rowlock_error_t* err) {
  if (length >= 2 && memcmp(path, "..", 2) == 0) {
    *out_code = rlk_fail(err, ROWLOCK_REJECTED, "climbs with '..'");
    return NULL;
  }
  ++judging->lookups;
  const rlk_judging_file_t* file = find_file(judging, path, length);
  *out_code = file ? ROWLOCK_OK : rlk_fail(err, ROWLOCK_UNUSABLE, "there is no such file");
  return file;
}

static rowlock_code_t source_find(void* context, const char* path, size_t length, rlk_file_id_t* out_id,
                                  rowlock_error_t* err) {
  rlk_judging_t* judging = context;
  const rlk_judging_file_t* file = find_file(judging, path, length);
  *out_id = (rlk_file_id_t){.file = file ? (uint64_t)(file - judging->files) : 0};
  if (file) return ROWLOCK_OK;
  rowlock_code_t code;
  look_up(judging, path, length, &code, err);
  return code;
}

static rowlock_code_t source_read(void* context, const char* path, size_t length, const char** out_text,
                                  size_t* out_length, const char** out_path, rowlock_error_t* err) {
  rowlock_code_t code;
  const rlk_judging_file_t* file = look_up(context, path, length, &code, err);
  if (!file) return code;
  *out_text = file->text;
  *out_length = file->length;
  *out_path = file->path;
  return ROWLOCK_OK;
}

static rowlock_code_t source_probe(void* context, const char* path, size_t length, rowlock_error_t* err) {
  rowlock_code_t code;
  look_up(context, path, length, &code, err);
  return code;
}

/* A copy with nothing behind it, so that a sanitizer sees a read beyond its end. */
static char* copy_of(const char* bytes, size_t length) {
  char* copy = malloc(length > 0 ? length : 1);
  if (copy && length > 0) memcpy(copy, bytes, length);
  return copy;
}

static rlk_judging_file_t* add_file(rlk_judging_t* judging, const char* path) {
  rlk_judging_file_t* files = realloc(judging->files, (judging->file_count + 1) * sizeof *files);
  if (!files) return NULL;
  judging->files = files;
  char* copy = copy_of(path, strlen(path) + 1);
  if (!copy) return NULL;
  files[judging->file_count] = (rlk_judging_file_t){.path = copy};
  return &files[judging->file_count++];
}

rowlock_code_t rlk_judging_put_file(rlk_judging_t* judging, const char* path, const char* text, size_t length) {
  char* copy = copy_of(text, length);
  if (!copy) return ROWLOCK_NO_MEMORY;
  rlk_judging_file_t* file = find_file(judging, path, strlen(path));
  if (!file) file = add_file(judging, path);
  if (!file) {
    free(copy);
    return ROWLOCK_NO_MEMORY;
  }
  free(file->text);
  file->text = copy;
  file->length = length;
  return ROWLOCK_OK;
}

rowlock_code_t rlk_judging_put_sample_files(rlk_judging_t* judging) {
  size_t count;
  const rlk_sample_file_t* files = rlk_sample_files(&count);
  for (size_t i = 0; i < count; ++i) {
    char* text = rlk_sample_text(files[i].sidecar, NULL, 0);
    if (!text) return ROWLOCK_NO_MEMORY;
    const rowlock_code_t code = rlk_judging_put_file(judging, files[i].path, text, strlen(text));
    free(text);
    if (code) return code;
  }
  return ROWLOCK_OK;
}

/* --- Judging ------------------------------------------------------------------------------------------------------ */

rowlock_code_t rlk_judging_init(rlk_judging_t* judging) {
  *judging = (rlk_judging_t){.limits = rlk_limits_effective(NULL), .switched_off = RLK_RULE_NONE};
  judging->findings = rowlock_findings_create();
  return judging->findings ? ROWLOCK_OK : ROWLOCK_NO_MEMORY;
}

void rlk_judging_deinit(rlk_judging_t* judging) {
  for (size_t i = 0; i < judging->file_count; ++i) {
    free(judging->files[i].path);
    free(judging->files[i].text);
  }
  free(judging->files);
  rowlock_findings_destroy(judging->findings);
  rlk_arena_deinit(&judging->arena);
  rlk_arena_deinit(&judging->entry_arena);
  rlk_arena_deinit(&judging->set_arena);
}

rowlock_code_t rlk_judging_read(rlk_judging_t* judging, const char* text, size_t length) {
  const rlk_read_options_t options = {
      .path = "main.json", .limits = judging->limits, .door = -1, .switched_off = judging->switched_off};
  rlk_arena_reset(&judging->arena);
  return rlk_read(text, length, &options, &judging->arena, judging->findings, &judging->document);
}

rowlock_code_t rlk_judging_run(rlk_judging_t* judging, rlk_door_id_t door) {
  const rlk_source_t source = {.context = judging, .find = source_find, .read = source_read, .probe = source_probe};
  rlk_judge_t judge = {.findings = judging->findings,
                       .entry_arena = &judging->entry_arena,
                       .set_arena = &judging->set_arena,
                       .source = &source,
                       .limits = judging->limits,
                       .switched_off = judging->switched_off,
                       .every_finding = judging->every_finding};
  return rlk_judge(&judge, door, &judging->document, "main.json");
}
