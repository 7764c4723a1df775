#include "loader/registry/plugin.h"

#include <string.h>

#include "loader/registry/declarations.h"
#include "validator/rules/text.h"

typedef struct describing_t {
  rlk_declarations_t declarations;
  const rowlock_limits_t* limits;
  rlk_arena_t* arena;
  rlk_description_t* out;
} describing_t;

static rowlock_code_t no_memory(const describing_t* describing) {
  return rlk_fail(describing->declarations.err, ROWLOCK_NO_MEMORY, "no memory for a plugin");
}

/* A copy that ends in NUL. A name with a NUL inside could never be bound: C strings end there. */
static rowlock_code_t copy_name(const describing_t* describing, const char* what, const rlk_node_t* node,
                                const char** out) {
  if (memchr(node->text, '\0', node->text_length)) {
    return rlk_refuse_declaration(&describing->declarations, what, rlk_slot_prose("name", "the sidecar"), node,
                                  "one without NUL");
  }
  char* copy = rlk_arena_alloc(describing->arena, node->text_length + 1);
  if (!copy) return no_memory(describing);
  memcpy(copy, node->text, node->text_length);
  copy[node->text_length] = '\0';
  *out = copy;
  return ROWLOCK_OK;
}

/* --- Identity ----------------------------------------------------------------------------------------------------- */

static const char entry_suffix[] = "_host";

static rowlock_code_t describe_symbol(const describing_t* describing) {
  const rlk_node_t* sidecar = describing->declarations.sidecar->root;
  const rlk_node_t* entry = rlk_node_member(sidecar, "host_entry");
  if (entry) {
    if (entry->kind == RLK_STRING && entry->text_length > 0) {
      return copy_name(describing, "the host_entry", entry, &describing->out->host_symbol);
    }
    return rlk_refuse_declaration(&describing->declarations, "the host_entry", rlk_slot_prose("name", "the sidecar"),
                                  entry, "the name of a symbol");
  }
  const char* kernel = describing->out->kernel;
  if (!*kernel) {
    return rlk_refuse_declaration(&describing->declarations, "the kernel", rlk_slot_prose("name", "the sidecar"),
                                  rlk_node_member(sidecar, "kernel"), "the name of an entry");
  }
  const size_t length = strlen(kernel);
  char* symbol = rlk_arena_alloc(describing->arena, length + sizeof entry_suffix);
  if (!symbol) return no_memory(describing);
  memcpy(symbol, kernel, length);
  memcpy(symbol + length, entry_suffix, sizeof entry_suffix);
  describing->out->host_symbol = symbol;
  return ROWLOCK_OK;
}

static rowlock_code_t describe_identity(const describing_t* describing, const rlk_entry_t* entry) {
  const rlk_node_t* sidecar = describing->declarations.sidecar->root;
  rlk_description_t* out = describing->out;
  *out = (rlk_description_t){.access = entry->access,
                             .op = entry->op,
                             .targets_host = entry->targets_host,
                             .targets_device = entry->targets_device,
                             .is_enabled_first = entry->is_enabled};
  const rlk_node_t id = {.kind = RLK_STRING, .text = entry->id, .text_length = (uint32_t)entry->id_length};
  rowlock_code_t code = copy_name(describing, "the id", &id, &out->id);
  if (!code) code = copy_name(describing, "the kernel", rlk_node_member(sidecar, "kernel"), &out->kernel);
  if (!code) code = describe_symbol(describing);
  if (code) return code;
  const rlk_node_t* tag = rlk_node_member(sidecar, "aether_abi");
  out->tag = rlk_word_find(RLK_VOCABULARY_AETHER_ABI, tag->text, tag->text_length);
  const rlk_node_t* scalar_type = rlk_node_member(sidecar, "scalar_type");
  const bool said = scalar_type && scalar_type->text_length > 0; /* empty counts as absent, as at the gates */
  out->scalar_type =
      said ? rlk_word_find(RLK_VOCABULARY_SCALAR_TYPE, scalar_type->text, scalar_type->text_length) : RLK_WORD_FLOAT64;
  return ROWLOCK_OK;
}

/* --- Arguments ---------------------------------------------------------------------------------------------------- */

static bool is_masked_readonly(const rlk_node_t* sidecar) {
  const rlk_node_t* readonly = rlk_node_member(sidecar, "terminated_readonly");
  return readonly && readonly->kind == RLK_BOOLEAN && readonly->boolean;
}

static rowlock_code_t describe_extent(const describing_t* describing, const rlk_node_t* name,
                                      rlk_parameter_t* parameter) {
  const rlk_declarations_t* declarations = &describing->declarations;
  switch (parameter->role) {
    case RLK_WORD_OUT:
    case RLK_WORD_VEC_IN:
      return rlk_declared_width(declarations, name, parameter);
    case RLK_WORD_MAT_IN:
      return rlk_declared_shape(declarations, name, parameter);
    case RLK_WORD_LOOKUP:
      return rlk_declared_table(declarations, name, parameter);
    case RLK_WORD_UNIFORM:
      return rlk_declared_uniform(declarations, name, parameter);
    default:
      parameter->width = 1;
      return ROWLOCK_OK;
  }
}

static rowlock_code_t describe_argument(const describing_t* describing, const rlk_node_t* pair,
                                        rlk_parameter_t* parameter) {
  const rlk_node_t* role = pair->first;
  const rlk_node_t* name = role->next;
  *parameter = (rlk_parameter_t){.role = rlk_word_find(RLK_VOCABULARY_ARG_ROLE, role->text, role->text_length),
                                 .table_count = RLK_UNDECLARED,
                                 .table_shape = RLK_UNDECLARED};
  rowlock_code_t code = copy_name(describing, "an argument", name, &parameter->name);
  rlk_word_t dtype = RLK_WORD_NONE;
  const bool is_mutable = parameter->role == RLK_WORD_MUTABLE;
  if (!code && is_mutable) code = rlk_declared_mutable(&describing->declarations, name, &dtype, parameter);
  if (code) return code;
  parameter->binding = rlk_role_binding(parameter->role, dtype);
  parameter->element = rlk_binding_element(parameter->binding, describing->out->scalar_type);
  parameter->is_written = rlk_role_is_written(parameter->role);
  if (parameter->role == RLK_WORD_TERMINATED && is_masked_readonly(describing->declarations.sidecar->root)) {
    parameter->is_written = false;
  }
  /* Partials are per sample: wide buffers and the plane of accum_out are not. */
  parameter->is_folded =
      describing->out->access == RLK_WORD_MAPREDUCE && (is_mutable || parameter->role == RLK_WORD_OUT);
  parameter->description = describing->out;
  return is_mutable ? ROWLOCK_OK : describe_extent(describing, name, parameter);
}

/* Every argument is looked up in these by name. */
static rowlock_code_t check_lengths(const describing_t* describing) {
  static const char* const keys[] = {"arg_spec", "vec_widths", "mat_shapes", "mutables", "buffers", "params"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    const rlk_node_t* list = rlk_node_member(describing->declarations.sidecar->root, keys[i]);
    if (!list || list->count <= describing->limits->entries) continue;
    const rlk_entry_t* entry = describing->declarations.entry;
    return rlk_refuse(
        describing->declarations.err, RLK_RULE_LOAD_LIST_TOO_LONG,
        RLK_SLOTS(rlk_slot_prose("key", keys[i]), rlk_slot_text("id", entry->id, entry->id_length),
                  rlk_slot_integer("count", list->count), rlk_slot_integer("limit", describing->limits->entries)));
  }
  return ROWLOCK_OK;
}

rowlock_code_t rlk_describe(const rlk_document_t* sidecar, const rlk_entry_t* entry, const rowlock_limits_t* limits,
                            rlk_arena_t* arena, rlk_description_t* out_description, rowlock_error_t* err) {
  const describing_t describing = {.declarations = {.sidecar = sidecar, .entry = entry, .err = err},
                                   .limits = limits,
                                   .arena = arena,
                                   .out = out_description};
  rowlock_code_t code = check_lengths(&describing);
  if (!code) code = describe_identity(&describing, entry);
  if (code) return code;
  const rlk_node_t* arguments = rlk_node_member(sidecar->root, "arg_spec");
  const size_t count = arguments->count;
  out_description->parameters = rlk_arena_alloc(arena, (count ? count : 1) * sizeof *out_description->parameters);
  if (!out_description->parameters) return no_memory(&describing);
  for (const rlk_node_t* pair = arguments->first; pair && !code; pair = pair->next) {
    code = describe_argument(&describing, pair, &out_description->parameters[pair->index]);
  }
  out_description->parameter_count = count;
  return code;
}
