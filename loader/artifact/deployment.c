#define _GNU_SOURCE /* PATH_MAX */
#include "loader/artifact/deployment.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "loader/files.h"
#include "validator/rules/text.h"
#include "validator/wire/reader.h"

enum {
  CONTRACT = -1,      /* the door of findings that are no door's */
  SEARCH_BYTES = 1024 /* what comparing one entry of an artifact with a name counts as, of the budget */
};

/* The artifact that was read last: the entries of a manifest often share one. */
typedef struct held_t {
  bool is_there;
  dev_t device;
  ino_t inode;
  rlk_arena_t arena;
  rlk_artifact_t artifact;
  rowlock_code_t code;
  rowlock_error_t problem;
} held_t;

/* An artifact and a sidecar that go together: another entry that names both need not be looked at. */
typedef struct pair_t {
  rlk_file_id_t artifact, sidecar;
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
  uint64_t bytes_read, sidecar_bytes; /* of artifacts, packed and unpacked, and of sidecars */
  bool is_over;                       /* the budget of bytes to read was passed */
  held_t held;
  rlk_position_t in_manifest; /* of the last finding */
  /* Of the entry in hand. */
  const rlk_node_t* artifact_node;
  char sidecar_path[PATH_MAX]; /* as findings show it */
  rlk_position_t in_sidecar;
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

rowlock_code_t rlk_sidecar_describe(rowlock_checker_t* checker, const char* path, rlk_arena_t* arena,
                                    rlk_description_t* out_description, rowlock_error_t* err) {
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
  const rlk_entry_t entry = {
      .id = "plugin", .id_length = strlen("plugin"), .access = RLK_WORD_NONE, .op = RLK_WORD_NONE};
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

/* Where a defect is shown: at the argument in the sidecar, or at the manifest's word for the artifact. */
static bool find_place(proving_t* proving, int argument, rlk_place_t* out_place, char** out_pointer) {
  const rlk_document_t* sidecar = rlk_checker_document(proving->sidecar);
  const rlk_node_t* list = argument >= 0 ? rlk_node_member(sidecar->root, "arg_spec") : NULL;
  const rlk_node_t* node = list ? list->first : NULL;
  for (int i = 0; node && i < argument; ++i) node = node->next;
  return node ? place_of(sidecar, &proving->in_sidecar, proving->sidecar_path, node, out_place, out_pointer)
              : place_of(proving->manifest, &proving->in_manifest, proving->manifest_path, proving->artifact_node,
                         out_place, out_pointer);
}

static rowlock_code_t report(void* context, rlk_rule_t rule, int argument, const rlk_slot_t* slots, size_t slot_count) {
  proving_t* proving = context;
  if (rule == proving->switched_off) return ROWLOCK_OK;
  rlk_place_t place;
  char* pointer;
  rowlock_code_t code = ROWLOCK_NO_MEMORY;
  if (find_place(proving, argument, &place, &pointer)) {
    code = rlk_findings_add(proving->findings, rule, CONTRACT, &place, slots, slot_count);
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

static rowlock_code_t prove_format(proving_t* proving, const rlk_node_t* entry) {
  const rlk_node_t* format = string_member(entry, "format");
  const rlk_artifact_kind_t kind = proving->held.artifact.kind;
  const char* due = rlk_artifact_kind_format(kind);
  if (!format || (due && rlk_node_is_string(format, due))) return ROWLOCK_OK;
  return report(
      proving, RLK_RULE_ARTIFACT_FORMAT, -1,
      RLK_SLOTS(rlk_slot_integer("index", entry->index), rlk_slot_text("format", format->text, format->text_length),
                rlk_slot_prose("kind", rlk_artifact_kind_name(kind))));
}

/* The path of a file beside the manifest, as the user named that. */
static void put_beside(const char* manifest_path, const rlk_node_t* name, char out[PATH_MAX]) {
  const char* slash = strrchr(manifest_path, '/');
  rlk_text_t text = rlk_text_over(out, PATH_MAX);
  rlk_text_put(&text, manifest_path, slash ? (size_t)(slash - manifest_path) + 1 : 0);
  rlk_text_put(&text, name->text, name->text_length);
}

static rowlock_code_t prove_sidecar(proving_t* proving, const rlk_node_t* entry, const rlk_proof_listener_t* listener) {
  const rlk_node_t* node = string_member(entry, "sidecar");
  char path[PATH_MAX];
  rlk_description_t description;
  rowlock_code_t code =
      node ? rlk_folder_resolve(proving->folder, node->text, node->text_length, path, NULL) : ROWLOCK_UNUSABLE;
  if (!code) {
    put_beside(proving->manifest_path, node, proving->sidecar_path);
    proving->in_sidecar = (rlk_position_t){0};
    code = rlk_sidecar_describe(proving->sidecar, path, &proving->arena, &description, NULL);
    const rlk_document_t* document = rlk_checker_document(proving->sidecar);
    proving->sidecar_bytes += document->root ? document->length : 0;
  }
  if (code == ROWLOCK_REJECTED || code == ROWLOCK_UNUSABLE) return ROWLOCK_OK; /* other checks say so */
  return code ? code : rlk_prove(&description, &proving->held.artifact, &proving->arena, listener, proving->err);
}

/* Where the entry's artifact is: beside the manifest, or where a build put it. */
static rowlock_code_t find_artifact(const proving_t* proving, char out_path[PATH_MAX]) {
  const rlk_node_t* node = proving->artifact_node;
  const rowlock_code_t code = rlk_folder_resolve(proving->folder, node->text, node->text_length, out_path, NULL);
  if (code != ROWLOCK_UNUSABLE || !proving->options->built_folder) return code;
  rlk_text_t text = rlk_text_over(out_path, PATH_MAX);
  rlk_text_printf(&text, "%s/", proving->options->built_folder);
  rlk_text_put(&text, node->text, node->text_length);
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

/* Makes the entry's artifact the one that is held. ROWLOCK_UNUSABLE: there is none, or it was refused here. */
static rowlock_code_t open_artifact(proving_t* proving) {
  held_t* held = &proving->held;
  char path[PATH_MAX];
  struct stat status;
  rowlock_code_t code = find_artifact(proving, path);
  if (code) return code == ROWLOCK_NO_MEMORY ? code : ROWLOCK_UNUSABLE;
  if (stat(path, &status) != 0) return ROWLOCK_UNUSABLE;
  const bool is_held = held->is_there && held->device == status.st_dev && held->inode == status.st_ino;
  proving->bytes_read += is_held ? 0 : (uint64_t)status.st_size;
  if (proving->bytes_read > RLK_DEPLOYMENT_ARTIFACT_BYTES_MAX) return refuse_budget(proving);
  if (!is_held) {
    hold(held, path, &status);
    proving->bytes_read += held->artifact.unpacked_bytes; /* known now: it is the next artifact's that is too much */
  }
  proving->bytes_read += search_cost(&held->artifact);
  if (held->code != ROWLOCK_REJECTED) return held->code;
  code = repeat(proving, &held->problem);
  return code ? code : ROWLOCK_UNUSABLE;
}

static rowlock_code_t prove_entry(proving_t* proving, const rlk_node_t* entry) {
  const rlk_proof_listener_t listener = {proving, report, repeat};
  proving->artifact_node = string_member(entry, "artifact");
  if (!proving->artifact_node) return ROWLOCK_OK;
  rowlock_code_t code = open_artifact(proving);
  if (code == ROWLOCK_UNUSABLE) return ROWLOCK_OK;
  if (!code) code = prove_format(proving, entry);
  if (!code) code = prove_sidecar(proving, entry, &listener);
  if (!code) code = rlk_prove_machine(&proving->held.artifact, &proving->options->machine, &listener);
  return code;
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

/* Whether both of the entry's files are an earlier entry's, and go together; otherwise they are the next pair. */
static bool is_known(proving_t* proving, const rlk_node_t* entry) {
  pair_t* pair = &proving->pairs[proving->pair_count];
  *pair = (pair_t){0};
  if (!find_file(proving, entry, "artifact", &pair->artifact) ||
      !find_file(proving, entry, "sidecar", &pair->sidecar)) {
    return false; /* it ends where they are opened, or lies where a build put it */
  }
  for (size_t i = 0; i < proving->pair_count; ++i) {
    const pair_t* other = &proving->pairs[i];
    if (same_file(&other->artifact, &pair->artifact) && same_file(&other->sidecar, &pair->sidecar)) return true;
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
  return code == ROWLOCK_NO_MEMORY ? rlk_fail(err, code, "no memory for the artifacts of a deployment") : code;
}
