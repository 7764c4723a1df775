#include "loader/registry/registry.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "validator/rules/findings.h"
#include "validator/rules/text.h"

rowlock_code_t rowlock_registry_create(rowlock_registry_t** out_registry, rowlock_error_t* err) {
  rlk_error_clear(err);
  *out_registry = calloc(1, sizeof **out_registry);
  if (!*out_registry) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for a registry");
  (*out_registry)->is_enabled = true;
  (*out_registry)->generation = 1;
  (*out_registry)->owner = getpid();
  return ROWLOCK_OK;
}

/* Room for either in a message: the problem is cut at its end, the path at its beginning. */
enum { PROBLEM_SHOWN = 600, PATH_SHOWN = 240 };

static bool continues(char byte) { return ((unsigned char)byte & 0xC0) == 0x80; /* a character of UTF-8 */ }

rowlock_code_t rlk_plugin_fail(rowlock_error_t* err, rowlock_code_t code, const rlk_plugin_t* plugin,
                               const rowlock_error_t* problem) {
  if (!err) return code;
  const char* path = plugin->object_path;
  size_t shown = strlen(problem->message);
  const bool problem_fits = shown <= PROBLEM_SHOWN;
  if (!problem_fits) shown = PROBLEM_SHOWN;
  while (!problem_fits && continues(problem->message[shown])) --shown;
  rlk_text_t text = rlk_text_over(err->message, sizeof err->message);
  rlk_text_printf(&text, "plugin '");
  rlk_text_put_shown(&text, plugin->description.id, strlen(plugin->description.id), RLK_SLOT_TEXT_MAX);
  rlk_text_printf(&text, "': ");
  rlk_text_put(&text, problem->message, shown);
  rlk_text_printf(&text, problem_fits ? "; object '" : "...; object '");
  rlk_text_put_shown_end(&text, path, strlen(path), PATH_SHOWN);
  rlk_text_printf(&text, "'");
  err->rule_id = problem->rule_id;
  return code;
}

/* What the registry holds on a device. */
static void leave_backend(rowlock_registry_t* registry) {
  const rlk_backend_t* backend = registry->backend;
  if (!backend) return;
  for (size_t i = 0; i < registry->plugin_count; ++i) backend->close(registry->context, registry->plugins[i]);
  for (size_t i = 0; i < registry->names.count; ++i) {
    const rlk_name_t* entry = &registry->names.entries[i];
    if (entry->binding == ROWLOCK_BINDING_TABLE && entry->bound.is_set)
      backend->forget(registry->context, &entry->bound);
  }
  backend->destroy(registry->context);
}

void rowlock_registry_destroy(rowlock_registry_t* registry) {
  if (!registry) return;
  leave_backend(registry);
  free(registry->plugins);
  rlk_names_deinit(&registry->names);
  while (registry->batches) {
    rlk_batch_t* batch = registry->batches;
    registry->batches = batch->next;
    rlk_arena_deinit(&batch->arena);
    free(batch);
  }
  free(registry);
}

const char* rowlock_registry_compiler_log(const rowlock_registry_t* registry) {
  return registry->backend ? registry->backend->compiler_log(registry->context) : NULL;
}

rlk_plugin_t* rlk_registry_find(const rowlock_registry_t* registry, const char* id) {
  for (size_t i = 0; i < registry->plugin_count; ++i) {
    if (strcmp(registry->plugins[i]->description.id, id) == 0) return registry->plugins[i];
  }
  return NULL;
}

const rlk_bound_t* rlk_registry_bound(const rowlock_registry_t* registry, const rlk_parameter_t* parameter) {
  return &registry->names.entries[parameter->bound].bound;
}

const rlk_bound_t* rlk_registry_result(const rowlock_registry_t* registry, const rlk_parameter_t* parameter) {
  return parameter->is_folded ? &registry->names.entries[parameter->result].bound : NULL;
}

/* --- Enabling ----------------------------------------------------------------------------------------------------- */

void rowlock_registry_set_enabled(rowlock_registry_t* registry, bool enabled) {
  registry->is_enabled = enabled;
  ++registry->generation;
}

rowlock_code_t rlk_registry_refuse_unknown(const rowlock_registry_t* registry, const char* id, rowlock_error_t* err) {
  char known[256];
  rlk_text_t list = rlk_text_over(known, sizeof known);
  for (size_t i = 0; i < registry->plugin_count && list.length < sizeof known; ++i) {
    const char* other = registry->plugins[i]->description.id;
    if (i > 0) rlk_text_printf(&list, ", ");
    rlk_text_put_shown(&list, other, strlen(other), 32);
  }
  return rlk_refuse(
      err, RLK_RULE_EXEC_PLUGIN_UNKNOWN,
      RLK_SLOTS(rlk_slot_text("id", id, strlen(id)), rlk_slot_prose("known", registry->plugin_count ? known : "none")));
}

rowlock_code_t rowlock_registry_set_plugin_enabled(rowlock_registry_t* registry, const char* id, bool enabled,
                                                   rowlock_error_t* err) {
  rlk_error_clear(err);
  if (!id) return rlk_fail(err, ROWLOCK_UNUSABLE, "there is no id of a plugin to %s", enabled ? "enable" : "disable");
  rlk_plugin_t* plugin = rlk_registry_find(registry, id);
  if (!plugin) return rlk_registry_refuse_unknown(registry, id, err);
  plugin->is_enabled = enabled;
  ++registry->generation;
  return ROWLOCK_OK;
}

/* --- What was loaded ---------------------------------------------------------------------------------------------- */

size_t rowlock_registry_plugin_count(const rowlock_registry_t* registry) { return registry->plugin_count; }

static const char* word_or_null(rlk_word_t word) { return word == RLK_WORD_NONE ? NULL : rlk_word_text(word); }

rowlock_plugin_t rowlock_registry_plugin_at(const rowlock_registry_t* registry, size_t index) {
  const rlk_plugin_t* plugin = registry->plugins[index];
  const rlk_description_t* description = &plugin->description;
  return (rowlock_plugin_t){.id = description->id,
                            .kernel = description->kernel,
                            .host_symbol = description->host_symbol,
                            .object_path = plugin->object_path,
                            .scalar_type = rlk_word_text(description->scalar_type),
                            .abi_generation = description->tag == RLK_WORD_ABI_2 ? 2 : 1,
                            .enabled = plugin->is_enabled,
                            .is_ptx_fallback = plugin->is_ptx_fallback,
                            .targets_host = description->targets_host,
                            .targets_device = description->targets_device,
                            .exec_access = word_or_null(description->access),
                            .exec_op = word_or_null(description->op),
                            .argument_count = description->parameter_count};
}

static bool is_bound(const rowlock_registry_t* registry, const rlk_parameter_t* parameter) {
  return parameter->binding == ROWLOCK_BINDING_NONE || rlk_registry_bound(registry, parameter)->is_set;
}

rowlock_argument_t rowlock_registry_argument_at(const rowlock_registry_t* registry, size_t plugin_index,
                                                size_t argument_index) {
  const rlk_parameter_t* parameter = &registry->plugins[plugin_index]->description.parameters[argument_index];
  const bool counted = parameter->table_count != RLK_UNDECLARED;
  return (rowlock_argument_t){.role = rlk_word_text(parameter->role),
                              .name = parameter->name,
                              .binding = parameter->binding,
                              .element = parameter->element,
                              .is_int_too = parameter->is_int_too,
                              .parameter_bytes = rlk_parameter_bytes(parameter->binding, parameter->element),
                              .width = parameter->width,
                              .rows = parameter->rows,
                              .columns = parameter->columns,
                              .table_count = counted ? (uint64_t)parameter->table_count : 0,
                              .is_written = parameter->is_written,
                              .is_folded = parameter->is_folded,
                              .is_bound = is_bound(registry, parameter)};
}

size_t rowlock_registry_table_count(const rowlock_registry_t* registry) {
  size_t count = 0;
  for (size_t i = 0; i < registry->names.count; ++i) {
    count += registry->names.entries[i].binding == ROWLOCK_BINDING_TABLE;
  }
  return count;
}

rowlock_table_t rowlock_registry_table_at(const rowlock_registry_t* registry, size_t index) {
  const rlk_name_t* entry = registry->names.entries;
  while (entry->binding != ROWLOCK_BINDING_TABLE || index-- > 0) ++entry;
  rowlock_table_t table = {.name = entry->text, .is_consolidated = entry->bound.is_set, .data = entry->bound.data};
  for (const rlk_parameter_t* parameter = entry->declared; parameter; parameter = parameter->next_bound) {
    if (parameter->table_count != RLK_UNDECLARED) table.count = (uint64_t)parameter->table_count;
  }
  return table;
}

/* --- What is missing ---------------------------------------------------------------------------------------------- */

typedef struct listing_t {
  rowlock_unbound_t* out;
  size_t capacity, count;
} listing_t;

static void list_one(listing_t* listing, const rlk_parameter_t* parameter, rowlock_binding_t binding) {
  if (listing->count < listing->capacity) {
    listing->out[listing->count] =
        (rowlock_unbound_t){.plugin_id = parameter->description->id, .name = parameter->name, .binding = binding};
  }
  ++listing->count;
}

size_t rowlock_registry_unbound(const rowlock_registry_t* registry, rowlock_unbound_t* out_unbound, size_t capacity) {
  listing_t listing = {.out = out_unbound, .capacity = capacity};
  for (size_t i = 0; i < registry->plugin_count; ++i) {
    if (!registry->plugins[i]->is_enabled) continue;
    const rlk_description_t* description = &registry->plugins[i]->description;
    for (size_t j = 0; j < description->parameter_count; ++j) {
      const rlk_parameter_t* parameter = &description->parameters[j];
      const rlk_bound_t* result = rlk_registry_result(registry, parameter);
      if (!is_bound(registry, parameter)) list_one(&listing, parameter, parameter->binding);
      if (result && !result->is_set) list_one(&listing, parameter, ROWLOCK_BINDING_RESULT);
    }
  }
  return listing.count;
}
