#include "loader/checker.h"

#include <stdlib.h>
#include <string.h>

#include "loader/files.h"
#include "validator/rules/text.h"
#include "validator/wire/reader.h"

struct rowlock_checker_t {
  rlk_arena_t document_arena, entry_arena, set_arena;
  rlk_file_buffer_t buffer;
  rlk_folder_t* folder;
  rowlock_limits_t limits;
  rlk_rule_t switched_off;
  rlk_document_t document;
  const char* path;
  bool noted; /* by the latest run */
  char note[RLK_MESSAGE_SIZE];
};

rowlock_code_t rowlock_checker_create(rowlock_checker_t** out_checker, rowlock_error_t* err) {
  *out_checker = NULL;
  rlk_error_clear(err);
  rowlock_checker_t* checker = calloc(1, sizeof *checker);
  if (!checker) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for a checker");
  const rowlock_code_t code = rlk_folder_create(&checker->folder, err);
  if (code) {
    free(checker);
    return code;
  }
  checker->limits = rlk_limits_effective(NULL);
  checker->switched_off = RLK_RULE_NONE;
  *out_checker = checker;
  return ROWLOCK_OK;
}

void rowlock_checker_destroy(rowlock_checker_t* checker) {
  if (!checker) return;
  rlk_arena_deinit(&checker->document_arena);
  rlk_arena_deinit(&checker->entry_arena);
  rlk_arena_deinit(&checker->set_arena);
  rlk_file_buffer_deinit(&checker->buffer);
  rlk_folder_destroy(checker->folder);
  free(checker);
}

void rowlock_checker_set_limits(rowlock_checker_t* checker, const rowlock_limits_t* limits) {
  checker->limits = rlk_limits_effective(limits);
}

void rlk_checker_switch_off(rowlock_checker_t* checker, rlk_rule_t rule) { checker->switched_off = rule; }
rlk_rule_t rlk_checker_switched_off(const rowlock_checker_t* checker) { return checker->switched_off; }

const char* rlk_checker_path(const rowlock_checker_t* checker) { return checker->path; }
const rlk_document_t* rlk_checker_document(const rowlock_checker_t* checker) { return &checker->document; }

/* Whether the file is called `kind` or NAME.`kind`. */
static bool is_called(const char* path, const char* kind) {
  const char* slash = strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  const size_t length = strlen(name), kind_length = strlen(kind);
  if (length < kind_length || strcmp(name + length - kind_length, kind) != 0) return false;
  return length == kind_length || name[length - kind_length - 1] == '.';
}

/* A name says it, else what only one of the two must have; a key that the other would ignore says it last. */
rlk_level_t rlk_checker_level(const rowlock_checker_t* checker) {
  static const char* const manifest_keys[] = {"plugins", "blocks", "exec_targets", "exec_access", "exec_op"};
  const rlk_node_t* root = checker->document.root;
  if (is_called(checker->path, "sidecar.json")) return RLK_LEVEL_SIDECAR;
  if (is_called(checker->path, "manifest.json")) return RLK_LEVEL_MANIFEST;
  if (rlk_node_member(root, "kernel") || rlk_node_member(root, "arg_spec")) return RLK_LEVEL_SIDECAR;
  for (size_t i = 0; i < sizeof manifest_keys / sizeof *manifest_keys; ++i) {
    if (rlk_node_member(root, manifest_keys[i])) return RLK_LEVEL_MANIFEST;
  }
  return RLK_LEVEL_SIDECAR;
}

rowlock_code_t rlk_checker_open(rowlock_checker_t* checker, const char* path, int door, rowlock_findings_t* findings,
                                rowlock_error_t* err) {
  checker->document = (rlk_document_t){0};
  checker->path = path;
  rowlock_error_t cause;
  rowlock_code_t code = rlk_file_read(path, checker->limits.size_bytes, &checker->buffer, &cause);
  if (code) return rlk_fail(err, code, "cannot read '%.300s': %s", path, cause.message);
  rlk_folder_set_document(checker->folder, path, checker->limits.size_bytes);
  rlk_arena_reset(&checker->document_arena);
  const rlk_read_options_t options = {
      .path = path, .limits = checker->limits, .door = door, .switched_off = checker->switched_off};
  code = rlk_read(checker->buffer.bytes, checker->buffer.length, &options, &checker->document_arena, findings,
                  &checker->document);
  if (code == ROWLOCK_NO_MEMORY) return rlk_fail(err, code, "no memory to read '%s'", path);
  return code;
}

rowlock_code_t rlk_checker_run(rowlock_checker_t* checker, rlk_door_id_t door, bool every_finding,
                               rowlock_findings_t* findings) {
  rlk_judge_t judge = {.findings = findings,
                       .entry_arena = &checker->entry_arena,
                       .set_arena = &checker->set_arena,
                       .source = rlk_folder_source(checker->folder),
                       .limits = checker->limits,
                       .switched_off = checker->switched_off,
                       .every_finding = every_finding,
                       .note = checker->note};
  const rowlock_code_t code = rlk_judge(&judge, door, &checker->document, checker->path);
  checker->noted = judge.noted;
  return code;
}

const char* rlk_checker_note(const rowlock_checker_t* checker) { return checker->noted ? checker->note : NULL; }

/* The door of that name; where both levels have one, the open document decides. */
static rlk_door_id_t find_door(const rowlock_checker_t* checker, const char* name) {
  const rlk_level_t level = rlk_checker_level(checker);
  const rlk_level_t other = level == RLK_LEVEL_SIDECAR ? RLK_LEVEL_MANIFEST : RLK_LEVEL_SIDECAR;
  const rlk_door_id_t door = rlk_door_find(name, level);
  return door != RLK_DOOR_NONE ? door : rlk_door_find(name, other);
}

rowlock_code_t rowlock_checker_judge(rowlock_checker_t* checker, const char* door, const char* path,
                                     rowlock_findings_t* findings, rowlock_error_t* err) {
  rlk_error_clear(err);
  if (rlk_door_find(door, RLK_LEVEL_SIDECAR) == RLK_DOOR_NONE &&
      rlk_door_find(door, RLK_LEVEL_MANIFEST) == RLK_DOOR_NONE) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "there is no door '%s'", door);
  }
  rowlock_code_t code = rlk_checker_open(checker, path, -1, findings, err);
  if (code) return code;
  code = rlk_checker_run(checker, find_door(checker, door), false, findings);
  return code == ROWLOCK_NO_MEMORY ? rlk_fail(err, code, "no memory to judge '%s'", path) : code;
}

const char* rowlock_version(void) { return "0.1.0"; }
