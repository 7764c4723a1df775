#define _GNU_SOURCE /* PATH_MAX */
#include "loader/artifact/deployment.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "loader/files.h"
#include "loader/registry/object_name.h"
#include "validator/rules/text.h"
#include "validator/wire/reader.h"

enum {
  CONTRACT = -1,      /* the door of findings that are no door's */
  SEARCH_BYTES = 1024 /* what comparing one entry of an artifact with a name counts as, of the budget */
};

/* A file that was read last: the entries of a manifest often share one. */
typedef struct held_t {
  bool is_there;
  dev_t device;
  ino_t inode;
  rlk_arena_t arena;
  rlk_artifact_t artifact;
  rowlock_code_t code;
  rowlock_error_t problem;
} held_t;

/* Files that go together: another entry that names them all need not be looked at. */
typedef struct pair_t {
  rlk_file_id_t artifact, sidecar, object; /* zeros: there is no object */
} pair_t;

typedef struct proving_t {
  const rlk_document_t* manifest;
  const char* manifest_path;
  const rlk_deployment_options_t* options;
  rowlock_findings_t* findings;
  rowlock_error_t* err;
  rlk_rule_t switched_off; /* its findings are left out */
  rlk_folder_t* folder;
  rowlock_checker_t* sidecar;
  rlk_arena_t arena; /* of the entry in hand */
  pair_t* pairs;
  size_t pair_count;
  uint64_t bytes_read, sidecar_bytes; /* of artifacts and objects, packed and unpacked, and of sidecars */
  bool is_over;                       /* the budget of bytes to read was passed */
  held_t held, held_object;
  rlk_position_t in_manifest; /* of the last finding */
  /* Of the entry in hand. */
  const rlk_node_t* artifact_node;
  char sidecar_path[PATH_MAX]; /* as findings show it */
  rlk_position_t in_sidecar;
  char object_path[PATH_MAX]; /* of the host object, as findings show it */
  bool in_object;             /* findings are of that */
  const rlk_tables_t* tables; /* of the finding that comes next, or NULL */
} proving_t;

/* --- One artifact, one sidecar ------------------------------------------------------------------------------------ */

rowlock_code_t rlk_artifact_open(const char* path, rlk_arena_t* arena, rlk_artifact_t* out_artifact,
                                 rowlock_error_t* err) {
  rlk_file_buffer_t buffer = {0};
  *out_artifact = (rlk_artifact_t){0};
  rowlock_code_t code = rlk_file_read(path, RLK_ARTIFACT_BYTES_MAX, &buffer, err);
  if (!code) code = rlk_artifact_read(buffer.bytes, buffer.length, arena, out_artifact, err);
  rlk_file_buffer_deinit(&buffer);
  return code;
}

rowlock_code_t rlk_sidecar_describe(rowlock_checker_t* checker, const char* path, const rlk_node_t* id,
                                    rlk_arena_t* arena, rlk_description_t* out_description, rowlock_error_t* err) {
  rowlock_findings_t* findings = rowlock_findings_create();
  if (!findings) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for a sidecar");
  /* What is asked is how it is called, not who can execute it. */
  rlk_checker_switch_off(checker, RLK_RULE_SIDECAR_HOST_FLOAT64_ONLY);
  rowlock_code_t code = rlk_checker_open(checker, path, 0, findings, err);
  if (!code) code = rlk_checker_run(checker, RLK_DOOR_HOST_ADD_PLUGIN, false, findings);
  if (code == ROWLOCK_REJECTED && rowlock_findings_count(findings) > 0) {
    const rowlock_finding_t* finding = rowlock_findings_at(findings, 0);
    rlk_fail(err, code, "line %u, column %u: %s", finding->line, finding->column, finding->message);
    if (err) err->rule_id = finding->rule_id;
  }
  const rowlock_limits_t limits = rlk_limits_effective(NULL);
  const bool is_named = id && !memchr(id->text, '\0', id->text_length);
  const rlk_entry_t entry = {.id = is_named ? id->text : "plugin",
                             .id_length = is_named ? id->text_length : strlen("plugin"),
                             .access = RLK_WORD_NONE,
                             .op = RLK_WORD_NONE};
  if (!code) code = rlk_describe(rlk_checker_document(checker), &entry, &limits, arena, out_description, err);
  rowlock_findings_destroy(findings);
  return code;
}

/* --- Findings ----------------------------------------------------------------------------------------------------- */

/* The node's place; the caller frees its pointer. False: memory is short. `position` is of an earlier place in the same
 * document, from which the way is shorter than from its beginning. */
static bool place_of(const rlk_document_t* document, rlk_position_t* position, const char* path, const rlk_node_t* node,
                     rlk_place_t* out_place, char** out_pointer) {
  rlk_position_move(position, document->text, document->length, node->begin);
  *out_pointer = rlk_node_pointer(node);
  *out_place = (rlk_place_t){.path = path,
                             .json_pointer = *out_pointer,
                             .byte_offset = node->begin,
                             .line = position->at.lines + 1,
                             .column = position->at.columns + 1};
  return *out_pointer != NULL;
}

/* No document names a host object: it is a place of its own. */
static bool whole_object(const proving_t* proving, rlk_place_t* out_place, char** out_pointer) {
  *out_pointer = calloc(1, 1);
  *out_place = (rlk_place_t){.path = proving->object_path, .json_pointer = *out_pointer, .line = 1, .column = 1};
  return *out_pointer != NULL;
}

/* Where a defect is shown: in a host object, at the argument in the sidecar, or at the manifest's word for the
 * artifact.
 */
static bool find_place(proving_t* proving, int argument, rlk_place_t* out_place, char** out_pointer) {
  if (proving->in_object) return whole_object(proving, out_place, out_pointer);
  const rlk_document_t* sidecar = rlk_checker_document(proving->sidecar);
  const rlk_node_t* list = argument >= 0 ? rlk_node_member(sidecar->root, "arg_spec") : NULL;
  const rlk_node_t* node = list ? list->first : NULL;
  for (int i = 0; node && i < argument; ++i) node = node->next;
  return node ? place_of(sidecar, &proving->in_sidecar, proving->sidecar_path, node, out_place, out_pointer)
              : place_of(proving->manifest, &proving->in_manifest, proving->manifest_path, proving->artifact_node,
                         out_place, out_pointer);
}

/* Of the finding that comes next. */
static void compare(void* context, const rlk_tables_t* tables) {
  proving_t* proving = context;
  proving->tables = tables;
}

/* Keeps the tables of a finding that was added, if it was not there before. */
static rowlock_code_t keep_tables(const proving_t* proving, const rlk_tables_t* tables, size_t count_before) {
  const bool is_new = rowlock_findings_count(proving->findings) > count_before;
  if (!tables || !proving->options->tables || !is_new) return ROWLOCK_OK;
  return rlk_tables_keep(proving->options->tables, count_before, tables);
}

static rowlock_code_t report(void* context, rlk_rule_t rule, int argument, const rlk_slot_t* slots, size_t slot_count) {
  proving_t* proving = context;
  const rlk_tables_t* tables = proving->tables;
  const size_t before = rowlock_findings_count(proving->findings);
  proving->tables = NULL;
  if (rule == proving->switched_off) return ROWLOCK_OK;
  rlk_place_t place;
  char* pointer;
  rowlock_code_t code = ROWLOCK_NO_MEMORY;
  if (find_place(proving, argument, &place, &pointer)) {
    code = rlk_findings_add(proving->findings, rule, CONTRACT, &place, slots, slot_count);
    if (!code) code = keep_tables(proving, tables, before);
  }
  free(pointer);
  return code;
}

static rowlock_code_t repeat(void* context, const rowlock_error_t* err) {
  proving_t* proving = context;
  const bool is_off = proving->switched_off != RLK_RULE_NONE && err->rule_id &&
                      strcmp(err->rule_id, rlk_rule_info(proving->switched_off)->id) == 0;
  if (is_off) return ROWLOCK_OK;
  rlk_place_t place;
  char* pointer;
  rowlock_code_t code = ROWLOCK_NO_MEMORY;
  if (find_place(proving, -1, &place, &pointer)) {
    code = rlk_findings_repeat(proving->findings, err, CONTRACT, &place);
  }
  free(pointer);
  return code;
}

/* --- An entry ----------------------------------------------------------------------------------------------------- */

static const rlk_node_t* string_member(const rlk_node_t* object, const char* key) {
  const rlk_node_t* node;
  return rlk_node_get(object, key, RLK_STRING, &node) == RLK_FOUND ? node : NULL;
}

static rowlock_code_t prove_format(const proving_t* proving, const rlk_node_t* entry,
                                   const rlk_proof_listener_t* listener) {
  char where[64];
  const rlk_node_t* format = string_member(entry, "format");
  snprintf(where, sizeof where, "plugins[%" PRIu32 "].format", entry->index);
  return format ? rlk_prove_format(&proving->held.artifact, where, format, listener) : ROWLOCK_OK;
}

/* The path of a file beside the manifest, as the user named that. */
static void put_beside(const char* manifest_path, const char* name, size_t length, char out[PATH_MAX]) {
  const char* slash = strrchr(manifest_path, '/');
  rlk_text_t text = rlk_text_over(out, PATH_MAX);
  rlk_text_put(&text, manifest_path, slash ? (size_t)(slash - manifest_path) + 1 : 0);
  rlk_text_put(&text, name, length);
}

/* Describes the entry's sidecar. ROWLOCK_REJECTED or ROWLOCK_UNUSABLE: nothing can be proved against it. */
static rowlock_code_t open_sidecar(proving_t* proving, const rlk_node_t* entry, rlk_description_t* out_description,
                                   rowlock_error_t* problem) {
  const rlk_node_t* node = string_member(entry, "sidecar");
  if (!node) return rlk_fail(problem, ROWLOCK_UNUSABLE, "it names none");
  char path[PATH_MAX];
  rowlock_code_t code = rlk_folder_resolve(proving->folder, node->text, node->text_length, path, problem);
  if (code) return code == ROWLOCK_REJECTED ? ROWLOCK_UNUSABLE : code;
  put_beside(proving->manifest_path, node->text, node->text_length, proving->sidecar_path);
  proving->in_sidecar = (rlk_position_t){0};
  code = rlk_sidecar_describe(proving->sidecar, path, string_member(entry, "id"), &proving->arena, out_description,
                              problem);
  const rlk_document_t* document = rlk_checker_document(proving->sidecar);
  proving->sidecar_bytes += document->root ? document->length : 0;
  return code;
}

/* Whether a door has said of the entry's sidecar that it breaks this rule. */
static bool is_told(const proving_t* proving, rlk_rule_t rule) {
  for (size_t i = 0; i < rowlock_findings_count(proving->findings); ++i) {
    const rowlock_finding_t* finding = rowlock_findings_at(proving->findings, i);
    const bool is_same = rlk_findings_rule(proving->findings, i) == rule && finding->severity != ROWLOCK_SEVERITY_NOTE;
    if (is_same && strcmp(finding->path, proving->sidecar_path) == 0) return true;
  }
  return false;
}

/* Nothing can be proved against the sidecar. That it cannot be read is for others to say, and a door has mostly said
 * what it is refused for; of a row, which proves nothing then, both are the defect. */
static rowlock_code_t refuse_sidecar(proving_t* proving, const rlk_node_t* entry, const rowlock_error_t* problem) {
  const rlk_node_t *sidecar = string_member(entry, "sidecar"), *id = string_member(entry, "id");
  const bool is_row = proving->options->remedy != NULL;
  if (!problem->rule_id) {
    if (!is_row) return ROWLOCK_OK;
    return report(proving, RLK_RULE_MANIFEST_SIDECAR_UNREADABLE, -1,
                  RLK_SLOTS(rlk_slot_text("value", sidecar ? sidecar->text : "", sidecar ? sidecar->text_length : 0),
                            rlk_slot_integer("index", entry->index), rlk_slot_prose("problem", problem->message)));
  }
  const rlk_rule_t rule = rlk_rule_find(problem->rule_id);
  const bool is_gate = rlk_rule_info(rule)->tier == RLK_TIER_GATE;
  if (is_gate && is_row) return repeat(proving, problem);
  if (is_gate && is_told(proving, rule)) return ROWLOCK_OK;
  return report(proving, RLK_RULE_ARTIFACT_NOT_PROVED, -1,
                RLK_SLOTS(id ? rlk_slot_text("id", id->text, id->text_length) : rlk_slot_prose("id", "?"),
                          rlk_slot_prose("problem", problem->message)));
}

/* Where a file of the entry is: beside the manifest, or where a build put it. */
static rowlock_code_t find_path(const proving_t* proving, const char* name, size_t length, char out_path[PATH_MAX],
                                rowlock_error_t* problem) {
  const rowlock_code_t code = rlk_folder_resolve(proving->folder, name, length, out_path, problem);
  if (code != ROWLOCK_UNUSABLE || !proving->options->built_folder) return code;
  rlk_text_t text = rlk_text_over(out_path, PATH_MAX);
  rlk_text_printf(&text, "%s/", proving->options->built_folder);
  rlk_text_put(&text, name, length);
  return text.length < PATH_MAX ? ROWLOCK_OK : ROWLOCK_UNUSABLE;
}

static rowlock_code_t refuse_budget(proving_t* proving) {
  proving->is_over = true;
  const rowlock_code_t code =
      report(proving, RLK_RULE_ARTIFACT_LIMIT, -1,
             RLK_SLOTS(rlk_slot_prose("what", "bytes, with the artifacts before it: those from here on are not proved"),
                       rlk_slot_integer("limit", (int64_t)RLK_DEPLOYMENT_ARTIFACT_BYTES_MAX)));
  return code ? code : ROWLOCK_UNUSABLE;
}

/* What the artifact costs to be searched for one sidecar. */
static uint64_t search_cost(const rlk_artifact_t* artifact) {
  uint64_t entries = 0;
  for (size_t i = 0; i < artifact->module_count; ++i) entries += artifact->modules[i].entry_count;
  return entries * SEARCH_BYTES;
}

static void hold(held_t* held, const char* path, const struct stat* status) {
  rlk_arena_reset(&held->arena);
  held->code = rlk_artifact_open(path, &held->arena, &held->artifact, &held->problem);
  held->is_there = true;
  held->device = status->st_dev;
  held->inode = status->st_ino;
}

/* An artifact of which nothing can be proved: a defect where somebody is due to have made it, else left to others. */
static rowlock_code_t refuse_missing(proving_t* proving, const rlk_node_t* entry, const char* problem) {
  const rlk_node_t* node = proving->artifact_node;
  char words[RLK_MESSAGE_SIZE];
  if (!proving->options->remedy) return ROWLOCK_UNUSABLE;
  rlk_text_t text = rlk_text_over(words, sizeof words);
  rlk_text_printf(&text, "%s", problem ? problem : "there is no artifact '");
  if (!problem) rlk_text_put_shown(&text, node->text, node->text_length, RLK_SLOT_TEXT_MAX);
  rlk_text_printf(&text, "%s; %s", problem ? "" : "'", proving->options->remedy);
  const rowlock_code_t code =
      report(proving, RLK_RULE_MANIFEST_ARTIFACT_MISSING, -1,
             RLK_SLOTS(rlk_slot_text("value", node->text, node->text_length), rlk_slot_integer("index", entry->index),
                       rlk_slot_prose("problem", words)));
  return code ? code : ROWLOCK_UNUSABLE;
}

static rowlock_code_t refuse_escape(proving_t* proving, const rlk_node_t* entry, const char* problem) {
  const rlk_node_t* node = proving->artifact_node;
  if (!proving->options->remedy) return ROWLOCK_UNUSABLE;
  const rowlock_code_t code =
      report(proving, RLK_RULE_MANIFEST_ARTIFACT_ESCAPES, -1,
             RLK_SLOTS(rlk_slot_text("value", node->text, node->text_length), rlk_slot_integer("index", entry->index),
                       rlk_slot_text("problem", problem, strlen(problem))));
  return code ? code : ROWLOCK_UNUSABLE;
}

/* Makes the file the one that is held: held->code says what reading it came to. ROWLOCK_UNUSABLE: the budget is over.
 */
static rowlock_code_t read_held(proving_t* proving, held_t* held, const char* path, const struct stat* status) {
  const bool is_held = held->is_there && held->device == status->st_dev && held->inode == status->st_ino;
  proving->bytes_read += is_held ? 0 : (uint64_t)status->st_size;
  if (proving->bytes_read > RLK_DEPLOYMENT_ARTIFACT_BYTES_MAX) return refuse_budget(proving);
  if (!is_held) {
    hold(held, path, status);
    proving->bytes_read += held->artifact.unpacked_bytes; /* known now: it is the next artifact's that is too much */
  }
  proving->bytes_read += search_cost(&held->artifact);
  return held->code == ROWLOCK_NO_MEMORY ? held->code : ROWLOCK_OK;
}

/* Makes the entry's artifact the one that is held. ROWLOCK_UNUSABLE: there is none, or it was refused here. */
static rowlock_code_t open_artifact(proving_t* proving, const rlk_node_t* entry) {
  const rlk_node_t* node = proving->artifact_node;
  held_t* held = &proving->held;
  char path[PATH_MAX];
  struct stat status;
  rowlock_error_t problem;
  rowlock_code_t code = find_path(proving, node->text, node->text_length, path, &problem);
  if (code == ROWLOCK_REJECTED) return refuse_escape(proving, entry, problem.message);
  if (code == ROWLOCK_NO_MEMORY) return code;
  if (code || stat(path, &status) != 0) return refuse_missing(proving, entry, NULL);
  code = read_held(proving, held, path, &status);
  if (code) return code;
  if (held->code == ROWLOCK_UNUSABLE) return refuse_missing(proving, entry, held->problem.message);
  if (held->code != ROWLOCK_REJECTED) return held->code;
  code = repeat(proving, &held->problem);
  return code ? code : ROWLOCK_UNUSABLE;
}

/* The name of the host object that is launched in the artifact's place. False: it is the artifact itself. */
static bool object_name(const rlk_node_t* artifact, char out_name[PATH_MAX], size_t* out_length) {
  rlk_text_t name = rlk_text_over(out_name, PATH_MAX);
  rlk_object_name_put(&name, artifact->text, artifact->text_length);
  *out_length = name.length;
  return name.length < PATH_MAX &&
         (name.length != artifact->text_length || memcmp(out_name, artifact->text, name.length) != 0);
}

/* Makes the host object, which nobody is due to have, the one that is held. ROWLOCK_UNUSABLE: there is none, or it was
 * refused here. */
static rowlock_code_t open_object(proving_t* proving) {
  char name[PATH_MAX], path[PATH_MAX];
  size_t length;
  struct stat status;
  held_t* held = &proving->held_object;
  if (!object_name(proving->artifact_node, name, &length)) return ROWLOCK_UNUSABLE;
  rowlock_code_t code = find_path(proving, name, length, path, NULL);
  if (code == ROWLOCK_NO_MEMORY) return code;
  if (code || stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return ROWLOCK_UNUSABLE;
  code = read_held(proving, held, path, &status);
  if (code) return code;
  put_beside(proving->manifest_path, name, length, proving->object_path);
  if (held->code != ROWLOCK_REJECTED) return held->code;
  proving->in_object = true;
  code = repeat(proving, &held->problem);
  proving->in_object = false;
  return code ? code : ROWLOCK_UNUSABLE;
}

/* Proves what there is of the artifact and the host object, which is called as the sidecar says too, against that;
 * without either, it is not opened. Of the object, its symbol and its layout are all that can be read. */
static rowlock_code_t prove_files(proving_t* proving, const rlk_node_t* entry, bool has_artifact,
                                  const rlk_proof_listener_t* listener) {
  rlk_description_t description;
  rlk_arena_t* arena = &proving->arena;
  const rlk_artifact_t *artifact = &proving->held.artifact, *object = &proving->held_object.artifact;
  const bool is_object = has_artifact && artifact->kind == RLK_ARTIFACT_HOST;
  rowlock_code_t code = is_object ? ROWLOCK_UNUSABLE : open_object(proving);
  const bool has_object = code == ROWLOCK_OK;
  if (code == ROWLOCK_NO_MEMORY || !(has_artifact || has_object)) return code;
  rowlock_error_t problem = {.message = ""};
  code = open_sidecar(proving, entry, &description, &problem);
  if (code) return code == ROWLOCK_NO_MEMORY ? code : refuse_sidecar(proving, entry, &problem);
  if (has_artifact) code = rlk_prove(&description, artifact, arena, listener, proving->err);
  if (code || !has_object) return code;
  proving->in_object = true;
  code = rlk_prove(&description, object, arena, listener, proving->err);
  proving->in_object = false;
  return code;
}

static rowlock_code_t prove_entry(proving_t* proving, const rlk_node_t* entry) {
  const rlk_proof_listener_t listener = {.context = proving, .report = report, .repeat = repeat, .compare = compare};
  proving->artifact_node = string_member(entry, "artifact");
  if (!proving->artifact_node) return ROWLOCK_OK;
  rowlock_code_t code = open_artifact(proving, entry);
  const bool has_artifact = code == ROWLOCK_OK;
  if (has_artifact) {
    code = prove_format(proving, entry, &listener);
  } else if (code == ROWLOCK_UNUSABLE && !proving->is_over) {
    code = ROWLOCK_OK;
  }
  if (!code) code = prove_files(proving, entry, has_artifact, &listener);
  if (!code && has_artifact) code = rlk_prove_machine(&proving->held.artifact, &proving->options->machine, &listener);
  return code == ROWLOCK_UNUSABLE ? ROWLOCK_OK : code;
}

/* --- The deployment ----------------------------------------------------------------------------------------------- */

static bool find_file(const proving_t* proving, const rlk_node_t* entry, const char* key, rlk_file_id_t* out_id) {
  const rlk_node_t* node = string_member(entry, key);
  const rlk_source_t* source = rlk_folder_source(proving->folder);
  return node && source->find(source->context, node->text, node->text_length, out_id, NULL) == ROWLOCK_OK;
}

static bool same_file(const rlk_file_id_t* a, const rlk_file_id_t* b) {
  return a->file == b->file && a->device == b->device;
}

static void find_object(const proving_t* proving, const rlk_node_t* entry, rlk_file_id_t* out_id) {
  char name[PATH_MAX];
  size_t length;
  rlk_file_id_t id;
  const rlk_source_t* source = rlk_folder_source(proving->folder);
  if (!object_name(string_member(entry, "artifact"), name, &length)) return;
  if (source->find(source->context, name, length, &id, NULL) == ROWLOCK_OK) *out_id = id;
}

/* Whether the entry's files are an earlier entry's, and go together; otherwise they are the next pair. */
static bool is_known(proving_t* proving, const rlk_node_t* entry) {
  pair_t* pair = &proving->pairs[proving->pair_count];
  *pair = (pair_t){0};
  if (!find_file(proving, entry, "artifact", &pair->artifact) ||
      !find_file(proving, entry, "sidecar", &pair->sidecar)) {
    return false; /* it ends where they are opened, or lies where a build put it */
  }
  find_object(proving, entry, &pair->object);
  for (size_t i = 0; i < proving->pair_count; ++i) {
    const pair_t* other = &proving->pairs[i];
    if (same_file(&other->artifact, &pair->artifact) && same_file(&other->sidecar, &pair->sidecar) &&
        same_file(&other->object, &pair->object)) {
      return true;
    }
  }
  return false;
}

static uint64_t count_findings(const proving_t* proving) {
  return rowlock_findings_count(proving->findings) + rowlock_findings_dropped(proving->findings);
}

/* Up to where the sidecars are as large together as one document may be: the gates say so of the next. */
static rowlock_code_t prove_entries(proving_t* proving, const rlk_node_t* plugins) {
  rowlock_code_t code = ROWLOCK_OK;
  const uint64_t sidecar_bytes_max = rlk_limits_effective(NULL).size_bytes;
  proving->pairs = malloc((plugins->count + (size_t)1) * sizeof *proving->pairs);
  if (!proving->pairs) return ROWLOCK_NO_MEMORY;
  for (const rlk_node_t* entry = plugins->first; entry && !code && !proving->is_over; entry = entry->next) {
    if (entry->kind != RLK_OBJECT || is_known(proving, entry)) continue;
    const uint64_t before = count_findings(proving);
    code = prove_entry(proving, entry);
    proving->pair_count += count_findings(proving) == before;
    rlk_arena_reset(&proving->arena);
    proving->is_over |= proving->sidecar_bytes > sidecar_bytes_max;
  }
  return code;
}

rowlock_code_t rlk_deployment_prove(const rowlock_checker_t* checker, const rlk_deployment_options_t* options,
                                    rowlock_findings_t* findings, rowlock_error_t* err) {
  const rlk_node_t* plugins;
  const rlk_document_t* manifest = rlk_checker_document(checker);
  if (rlk_node_get(manifest->root, "plugins", RLK_ARRAY, &plugins) != RLK_FOUND ||
      plugins->count > RLK_DEFAULT_ENTRIES) {
    return ROWLOCK_OK;
  }
  proving_t proving = {.manifest = manifest,
                       .manifest_path = rlk_checker_path(checker),
                       .options = options,
                       .findings = findings,
                       .err = err,
                       .switched_off = rlk_checker_switched_off(checker)};
  rowlock_code_t code = rlk_folder_create(&proving.folder, err);
  if (!code) code = rowlock_checker_create(&proving.sidecar, err);
  if (!code) {
    rlk_folder_set_document(proving.folder, proving.manifest_path, RLK_ARTIFACT_BYTES_MAX);
    code = prove_entries(&proving, plugins);
  }
  rowlock_checker_destroy(proving.sidecar);
  rlk_folder_destroy(proving.folder);
  rlk_arena_deinit(&proving.arena);
  free(proving.pairs);
  rlk_arena_deinit(&proving.held.arena);
  rlk_arena_deinit(&proving.held_object.arena);
  return code == ROWLOCK_NO_MEMORY ? rlk_fail(err, code, "no memory for the artifacts of a deployment") : code;
}
