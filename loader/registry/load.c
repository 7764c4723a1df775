/* Loading: gates first, then what the sidecars declare, then the objects; built aside and swapped in at the end. */
#define _GNU_SOURCE /* PATH_MAX */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "loader/checker.h"
#include "loader/registry/object_path.h"
#include "loader/registry/registry.h"
#include "validator/rules/findings.h"
#include "validator/rules/text.h"
#include "validator/wire/reader.h"

typedef struct loading_t {
  const rowlock_registry_t* registry;
  const char* document; /* that the caller named */
  rowlock_load_options_t options;
  rowlock_findings_t* findings; /* the caller's, may be NULL */
  rowlock_error_t* err;
  /* Its own: */
  rowlock_checker_t *manifest, *sidecar;
  rowlock_findings_t* refusal;
  rlk_folder_t* folder;
  rlk_batch_t* batch;
  rlk_plugin_t** plugins; /* the registry's and the new ones behind them */
  size_t plugin_count;
  rlk_names_t names;
} loading_t;

static rowlock_code_t no_memory(const loading_t* loading) {
  return rlk_fail(loading->err, ROWLOCK_NO_MEMORY, "no memory to load a plugin");
}

static rlk_slot_t text_slot(const char* slot, const char* text) { return rlk_slot_text(slot, text, strlen(text)); }

/* --- Gates -------------------------------------------------------------------------------------------------------- */

/* The finding's message; that of a document which the caller did not name begins with its place. */
static void tell_refusal(const loading_t* loading, const rowlock_finding_t* finding) {
  if (!loading->err) return;
  rlk_text_t text = rlk_text_over(loading->err->message, sizeof loading->err->message);
  if (strcmp(finding->path, loading->document) != 0) {
    const char* slash = strrchr(finding->path, '/');
    const char* name = slash ? slash + 1 : finding->path;
    rlk_text_printf(&text, "'");
    rlk_text_put_shown(&text, name, strlen(name), RLK_SLOT_TEXT_MAX);
    rlk_text_printf(&text, "', line %u, column %u: ", finding->line, finding->column);
  }
  rlk_text_put(&text, finding->message, strlen(finding->message));
}

/* Hands the one finding that refused to the caller, in both ways. */
static rowlock_code_t report_refusal(const loading_t* loading) {
  const rowlock_finding_t* finding = rowlock_findings_at(loading->refusal, 0);
  tell_refusal(loading, finding);
  if (loading->err) loading->err->rule_id = finding->rule_id;
  const rowlock_code_t code =
      loading->findings ? rlk_findings_copy(loading->findings, loading->refusal, 0) : ROWLOCK_OK;
  return code ? no_memory(loading) : ROWLOCK_REJECTED;
}

static rowlock_code_t pass_gates(const loading_t* loading, rowlock_checker_t* checker, rlk_door_id_t door,
                                 const char* path) {
  rowlock_findings_clear(loading->refusal);
  rowlock_code_t code = rlk_checker_open(checker, path, (int)door, loading->refusal, loading->err);
  if (!code) code = rlk_checker_run(checker, door, false, loading->refusal);
  if (code == ROWLOCK_REJECTED) return report_refusal(loading);
  return code == ROWLOCK_NO_MEMORY ? no_memory(loading) : code;
}

/* --- One plugin --------------------------------------------------------------------------------------------------- */

static rowlock_code_t check_id(const loading_t* loading, const char* id) {
  for (size_t i = 0; i < loading->plugin_count; ++i) {
    if (strcmp(loading->plugins[i]->description.id, id) != 0) continue;
    return rlk_refuse(loading->err, RLK_RULE_LOAD_ID_TAKEN, RLK_SLOTS(text_slot("id", id)));
  }
  return ROWLOCK_OK;
}

/* All declarations of a table agree already, or leave the count open. */
static rowlock_code_t check_table(const loading_t* loading, const rlk_name_t* entry, const rlk_parameter_t* parameter) {
  if (parameter->binding != ROWLOCK_BINDING_TABLE || parameter->table_count == RLK_UNDECLARED) return ROWLOCK_OK;
  for (const rlk_parameter_t* other = entry->declared; other; other = other->next_bound) {
    if (other->table_count == RLK_UNDECLARED || other->table_count == parameter->table_count) continue;
    return rlk_refuse(
        loading->err, RLK_RULE_LOAD_TABLE_CONFLICT,
        RLK_SLOTS(text_slot("name", parameter->name), rlk_slot_integer("value", parameter->table_count),
                  text_slot("id", parameter->description->id), rlk_slot_integer("first", other->table_count),
                  text_slot("first_id", other->description->id)));
  }
  return ROWLOCK_OK;
}

static rowlock_code_t declare_names(loading_t* loading, rlk_description_t* description) {
  for (size_t i = 0; i < description->parameter_count; ++i) {
    rlk_parameter_t* parameter = &description->parameters[i];
    rlk_name_t* entry = rlk_names_add(&loading->names, parameter->name, parameter->binding);
    if (!entry) return no_memory(loading);
    const rowlock_code_t code = check_table(loading, entry, parameter);
    if (code) return code;
    parameter->bound = (uint32_t)(entry - loading->names.entries);
    parameter->next_bound = entry->declared;
    entry->declared = parameter;
    if (!parameter->is_folded) continue;
    entry = rlk_names_add(&loading->names, parameter->name, ROWLOCK_BINDING_RESULT);
    if (!entry) return no_memory(loading);
    parameter->result = (uint32_t)(entry - loading->names.entries);
    parameter->next_result = entry->declared;
    entry->declared = parameter;
  }
  return ROWLOCK_OK;
}

static rowlock_code_t append_plugin(loading_t* loading, rlk_plugin_t* plugin) {
  rlk_plugin_t** plugins = realloc(loading->plugins, (loading->plugin_count + 1) * sizeof *plugins);
  if (!plugins) return no_memory(loading);
  loading->plugins = plugins;
  plugins[loading->plugin_count++] = plugin;
  return ROWLOCK_OK;
}

/* A manifest and its sidecars are of one generation. `manifest_tag` is RLK_WORD_NONE where nothing says. */
static rowlock_code_t check_tag(const loading_t* loading, const rlk_description_t* description,
                                rlk_word_t manifest_tag) {
  if (manifest_tag == RLK_WORD_NONE || description->tag == manifest_tag) return ROWLOCK_OK;
  return rlk_refuse(
      loading->err, RLK_RULE_LOAD_ABI_DISAGREES,
      RLK_SLOTS(text_slot("id", description->id), rlk_slot_prose("value", rlk_word_text(description->tag)),
                rlk_slot_prose("expected", rlk_word_text(manifest_tag))));
}

/* What a caller promises of a sidecar alone; a manifest of the first generation that does is refused at its gates. */
static rowlock_code_t check_promises(const loading_t* loading, const rlk_description_t* description) {
  if (description->tag != RLK_WORD_ABI_1 || !loading->options.exec_access) return ROWLOCK_OK;
  return rlk_fail(
      loading->err, ROWLOCK_UNUSABLE,
      "the option exec_access is of aether-abi/2, and the sidecar is of aether-abi/1, whose bodies run whole");
}

/* Where the object of the entry in hand is; `artifact` is NULL where there is no manifest. */
static rowlock_code_t find_object(const loading_t* loading, const rlk_entry_t* entry, const char* sidecar_path,
                                  const rlk_node_t* artifact, char* out_path) {
  if (loading->registry->backend && artifact) {
    return rlk_artifact_of_entry(&loading->options, loading->folder, entry, artifact, out_path, loading->err);
  }
  if (loading->registry->backend) {
    const rlk_node_t* sidecar = rlk_checker_document(loading->sidecar)->root;
    const rlk_word_t format = rlk_member_word(sidecar, "format", RLK_VOCABULARY_ARTIFACT_FORMAT);
    return rlk_artifact_of_sidecar(&loading->options, sidecar_path, format, entry, out_path, loading->err);
  }
  return artifact ? rlk_object_of_entry(&loading->options, loading->folder, entry, artifact, out_path, loading->err)
                  : rlk_object_of_sidecar(&loading->options, sidecar_path, entry, out_path, loading->err);
}

/* Everything but its object. */
static rowlock_code_t load_plugin(loading_t* loading, const rlk_entry_t* entry, const char* sidecar_path,
                                  const rlk_node_t* artifact) {
  rowlock_code_t code = pass_gates(loading, loading->sidecar, RLK_DOOR_HOST_ADD_PLUGIN, sidecar_path);
  if (code) return code;
  rlk_plugin_t* plugin = rlk_arena_alloc(&loading->batch->arena, sizeof *plugin);
  if (!plugin) return no_memory(loading);
  *plugin = (rlk_plugin_t){.is_enabled = entry->is_enabled};
  code = rlk_describe(rlk_checker_document(loading->sidecar), entry, &loading->options.limits, &loading->batch->arena,
                      &plugin->description, loading->err);
  if (!code) code = check_id(loading, plugin->description.id);
  if (!code) code = check_tag(loading, &plugin->description, entry->manifest_tag);
  if (!code && !artifact) code = check_promises(loading, &plugin->description);
  if (!code) code = declare_names(loading, &plugin->description);
  char path[PATH_MAX];
  if (!code) code = find_object(loading, entry, sidecar_path, artifact, path);
  if (code) return code;
  if (rlk_packing_init(&plugin->packing, &loading->batch->arena, plugin->description.parameter_count)) {
    return no_memory(loading);
  }
  const size_t size = strlen(path) + 1;
  char* copy = rlk_arena_alloc(&loading->batch->arena, size);
  if (!copy) return no_memory(loading);
  plugin->object_path = memcpy(copy, path, size);
  return append_plugin(loading, plugin);
}

static rowlock_code_t open_object(const loading_t* loading, rlk_plugin_t* plugin, rowlock_error_t* problem) {
  const rlk_backend_t* backend = loading->registry->backend;
  if (backend) return backend->open(loading->registry->context, plugin, problem);
  return rlk_host_object_open(plugin->object_path, plugin->description.host_symbol,
                              plugin->description.tag == RLK_WORD_ABI_2 ? RLK_LAYOUT_REQUIRED : RLK_LAYOUT_IGNORED,
                              &plugin->object, problem);
}

/* Last, when nothing else can refuse: opening an object runs its constructors. */
static rowlock_code_t open_objects(loading_t* loading) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = loading->registry->plugin_count; i < loading->plugin_count && !code; ++i) {
    rowlock_error_t problem;
    code = open_object(loading, loading->plugins[i], &problem);
    if (code) rlk_plugin_fail(loading->err, code, loading->plugins[i], &problem);
  }
  return code;
}

/* Of a load that failed: nothing of it stays on the device. */
static void close_objects(const loading_t* loading) {
  const rlk_backend_t* backend = loading->registry->backend;
  for (size_t i = loading->registry->plugin_count; backend && loading->batch && i < loading->plugin_count; ++i) {
    backend->close(loading->registry->context, loading->plugins[i]);
  }
}

/* --- The registry's next state ------------------------------------------------------------------------------------ */

static rowlock_code_t loading_init(loading_t* loading) {
  loading->options.limits = rlk_limits_effective(&loading->options.limits);
  loading->refusal = rowlock_findings_create();
  loading->batch = calloc(1, sizeof *loading->batch);
  if (!loading->refusal || !loading->batch) return no_memory(loading);
  rowlock_code_t code = rowlock_checker_create(&loading->manifest, loading->err);
  if (!code) code = rowlock_checker_create(&loading->sidecar, loading->err);
  if (!code) code = rlk_folder_create(&loading->folder, loading->err);
  if (code) return code;
  rowlock_checker_set_limits(loading->manifest, &loading->options.limits);
  rowlock_checker_set_limits(loading->sidecar, &loading->options.limits);
  /* The rule is about what other host loaders can execute. This one executes softdouble as float64, of which it has the
   * bits, and float32 through bindings of its own type. */
  rlk_checker_switch_off(loading->manifest, RLK_RULE_SIDECAR_HOST_FLOAT64_ONLY);
  rlk_checker_switch_off(loading->sidecar, RLK_RULE_SIDECAR_HOST_FLOAT64_ONLY);
  code = rlk_names_copy(&loading->registry->names, &loading->names);
  if (code) return no_memory(loading);
  const size_t count = loading->registry->plugin_count;
  if (count > 0) {
    loading->plugins = malloc(count * sizeof *loading->plugins);
    if (!loading->plugins) return no_memory(loading);
    memcpy(loading->plugins, loading->registry->plugins, count * sizeof *loading->plugins);
  }
  loading->plugin_count = count;
  return ROWLOCK_OK;
}

/* What is left in `loading` goes: after a success nothing of the registry's next state is. */
static void loading_deinit(loading_t* loading) {
  close_objects(loading);
  free(loading->plugins);
  rlk_names_deinit(&loading->names);
  if (loading->batch) rlk_arena_deinit(&loading->batch->arena);
  free(loading->batch);
  rlk_folder_destroy(loading->folder);
  rowlock_checker_destroy(loading->sidecar);
  rowlock_checker_destroy(loading->manifest);
  rowlock_findings_destroy(loading->refusal);
}

static void swap_in(rowlock_registry_t* registry, loading_t* loading) {
  free(registry->plugins);
  rlk_names_deinit(&registry->names);
  loading->batch->next = registry->batches;
  registry->batches = loading->batch;
  registry->plugins = loading->plugins;
  registry->plugin_count = loading->plugin_count;
  registry->names = loading->names;
  ++registry->generation;
  loading->batch = NULL;
  loading->plugins = NULL;
  loading->names = (rlk_names_t){0};
}

/* --- From a manifest ---------------------------------------------------------------------------------------------- */

static bool lists_target(const rlk_node_t* manifest, rlk_word_t target) {
  const rlk_node_t* targets = rlk_node_member(manifest, "exec_targets");
  for (const rlk_node_t* word = targets ? targets->first : NULL; word; word = word->next) {
    if (rlk_node_word(word, RLK_VOCABULARY_EXEC_TARGET) == target) return true;
  }
  return false;
}

static rowlock_code_t load_entry(loading_t* loading, const rlk_node_t* manifest, const rlk_node_t* node) {
  const rlk_node_t* id = rlk_node_member(node, "id");
  const rlk_node_t* sidecar = rlk_node_member(node, "sidecar");
  const rlk_entry_t entry = {.id = id->text,
                             .id_length = id->text_length,
                             .is_enabled = rlk_node_member(node, "enabled")->boolean,
                             .access = rlk_member_word(manifest, "exec_access", RLK_VOCABULARY_ACCESS_CLASS),
                             .op = rlk_member_word(manifest, "exec_op", RLK_VOCABULARY_REDUCTION_OP),
                             .targets_host = lists_target(manifest, RLK_WORD_HOST),
                             .targets_device = lists_target(manifest, RLK_WORD_DEVICE),
                             .manifest_tag = rlk_member_word(manifest, "aether_abi", RLK_VOCABULARY_AETHER_ABI)};
  char path[PATH_MAX];
  rowlock_error_t problem;
  /* The door has read it a moment ago. It is read and judged again, so that what is loaded is what was judged. */
  const rowlock_code_t code = rlk_folder_resolve(loading->folder, sidecar->text, sidecar->text_length, path, &problem);
  if (code) return rlk_fail(loading->err, ROWLOCK_UNUSABLE, "a sidecar is gone: %s", problem.message);
  return load_plugin(loading, &entry, path, rlk_node_member(node, "artifact"));
}

static rowlock_code_t load_manifest(loading_t* loading, const char* path) {
  rowlock_code_t code = loading_init(loading);
  const rlk_backend_t* backend = loading->registry->backend;
  const rlk_door_id_t door = backend ? backend->manifest_door : RLK_DOOR_HOST_LOAD_MANIFEST;
  if (!code) code = pass_gates(loading, loading->manifest, door, path);
  if (code) return code;
  rlk_folder_set_document(loading->folder, path, loading->options.limits.size_bytes);
  const rlk_node_t* manifest = rlk_checker_document(loading->manifest)->root;
  const rlk_node_t* node = rlk_node_member(manifest, "plugins")->first;
  for (; node && !code; node = node->next) code = load_entry(loading, manifest, node);
  return code ? code : open_objects(loading);
}

rowlock_code_t rowlock_registry_add_manifest(rowlock_registry_t* registry, const char* manifest_path,
                                             const rowlock_load_options_t* options, rowlock_findings_t* findings,
                                             rowlock_error_t* err) {
  rlk_error_clear(err);
  loading_t loading = {.registry = registry,
                       .document = manifest_path,
                       .options = options ? *options : (rowlock_load_options_t){0},
                       .findings = findings,
                       .err = err};
  const rowlock_code_t code = load_manifest(&loading, manifest_path);
  if (!code) swap_in(registry, &loading);
  loading_deinit(&loading);
  return code;
}

/* --- From a sidecar alone ----------------------------------------------------------------------------------------- */

static rowlock_code_t find_option(const char* key, const char* text, rlk_vocabulary_t vocabulary, rlk_word_t* out_word,
                                  rowlock_error_t* err) {
  *out_word = text ? rlk_word_find(vocabulary, text, strlen(text)) : RLK_WORD_NONE;
  if (!text || *out_word != RLK_WORD_NONE) return ROWLOCK_OK;
  return rlk_fail(err, ROWLOCK_UNUSABLE, "the option %s is '%.64s', which is none of the format's", key, text);
}

rowlock_code_t rowlock_registry_add_plugin(rowlock_registry_t* registry, const char* id, const char* sidecar_path,
                                           const rowlock_load_options_t* options, rowlock_findings_t* findings,
                                           rowlock_error_t* err) {
  rlk_error_clear(err);
  if (!id) return rlk_fail(err, ROWLOCK_UNUSABLE, "there is no id for the plugin");
  loading_t loading = {.registry = registry,
                       .document = sidecar_path,
                       .options = options ? *options : (rowlock_load_options_t){0},
                       .findings = findings,
                       .err = err};
  rlk_entry_t entry = {.id = id, .id_length = strlen(id), .is_enabled = true, .manifest_tag = RLK_WORD_NONE};
  rowlock_code_t code =
      find_option("exec_access", loading.options.exec_access, RLK_VOCABULARY_ACCESS_CLASS, &entry.access, err);
  if (!code) code = find_option("exec_op", loading.options.exec_op, RLK_VOCABULARY_REDUCTION_OP, &entry.op, err);
  if (!code && (entry.access == RLK_WORD_MAPREDUCE) != (entry.op != RLK_WORD_NONE)) {
    code = rlk_fail(err, ROWLOCK_UNUSABLE, "exec_op goes with the exec_access mapreduce, and with no other");
  }
  if (!code) code = loading_init(&loading);
  if (!code) code = load_plugin(&loading, &entry, sidecar_path, NULL);
  if (!code) code = open_objects(&loading);
  if (!code) swap_in(registry, &loading);
  loading_deinit(&loading);
  return code;
}
