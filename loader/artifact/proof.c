#include "loader/artifact/proof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/host/layout.h"
#include "validator/rules/nearest.h"
#include "validator/rules/text.h"

enum { MODULE_SIZE = 64, TABLES_SIZE = 2048, LIST_SIZE = 512, SHOWN_ENTRIES = 6, SHOWN_MODULES = 12, SHOWN_NAME = 60 };

void rlk_module_put(rlk_text_t* text, const rlk_module_t* module) {
  if (module->kind == RLK_ARTIFACT_HOST) {
    rlk_text_printf(text, "the shared object");
    return;
  }
  const char suffix[] = {module->target.suffix, '\0'};
  if (module->kind == RLK_ARTIFACT_PTX) {
    rlk_text_printf(text, "the PTX %u.%u for sm_%u%s", module->ptx_version / 10, module->ptx_version % 10,
                    module->target.sm, suffix);
  } else {
    rlk_text_printf(text, "the cubin for sm_%u%s", module->target.sm, suffix);
  }
}

typedef struct proof_t {
  const rlk_description_t* description;
  const rlk_block_t* block;
  const rlk_module_t* module;
  const rlk_artifact_entry_t* entry;
  const rlk_proof_listener_t* listener;
  const char* name; /* of the entry that is due */
  rlk_arena_t* arena;
  char module_words[MODULE_SIZE];
} proof_t;

static rlk_slot_t name_slot(const proof_t* proof) { return rlk_slot_text("name", proof->name, strlen(proof->name)); }
static rlk_slot_t module_slot(const proof_t* proof) { return rlk_slot_prose("module", proof->module_words); }

static rowlock_code_t report(const proof_t* proof, rlk_rule_t rule, int argument, const rlk_slot_t* slots,
                             size_t slot_count) {
  return proof->listener->report(proof->listener->context, rule, argument, slots, slot_count);
}

/* --- The entry ---------------------------------------------------------------------------------------------------- */

static void put_entries(const rlk_module_t* module, char* out, size_t size) {
  rlk_text_t text = rlk_text_over(out, size);
  for (size_t i = 0; i < module->entry_count && i < SHOWN_ENTRIES; ++i) {
    rlk_text_printf(&text, "%s'", i > 0 ? ", " : "");
    rlk_text_put_shown(&text, module->entries[i].name, strlen(module->entries[i].name), SHOWN_NAME);
    rlk_text_put(&text, "'", 1);
  }
  if (module->entry_count > SHOWN_ENTRIES) rlk_text_printf(&text, " and %zu more", module->entry_count - SHOWN_ENTRIES);
  if (module->entry_count == 0) rlk_text_printf(&text, "none");
}

/* A name that C++ made of this one: it was not declared extern "C". */
static const char* find_mangled(const proof_t* proof) {
  char part[160];
  rlk_text_t text = rlk_text_over(part, sizeof part);
  rlk_text_printf(&text, "%zu%s", strlen(proof->name), proof->name);
  for (size_t i = 0; i < proof->module->entry_count && text.length < sizeof part; ++i) {
    const char* name = proof->module->entries[i].name;
    if (strncmp(name, "_Z", 2) == 0 && strstr(name, part)) return name;
  }
  return NULL;
}

static void put_hint(const proof_t* proof, char* out, size_t size) {
  rlk_text_t text = rlk_text_over(out, size);
  const char* mangled = find_mangled(proof);
  if (mangled) {
    rlk_text_printf(&text, ", but there is '");
    rlk_text_put_shown(&text, mangled, strlen(mangled), SHOWN_NAME);
    rlk_text_printf(&text, "': declare it extern \"C\"");
    return;
  }
  rlk_nearest_t nearest = {.text = proof->name};
  for (size_t i = 0; i < proof->module->entry_count; ++i) {
    rlk_nearest_offer(&nearest, proof->module->entries[i].name, proof->module->entries[i].name);
  }
  if (nearest.count == 0) return;
  rlk_text_printf(&text, ", did you mean '");
  rlk_text_put_shown(&text, nearest.names[0], strlen(nearest.names[0]), SHOWN_NAME);
  rlk_text_put(&text, "'?", 2);
}

static rowlock_code_t report_missing(const proof_t* proof) {
  char hint[256], known[LIST_SIZE];
  put_hint(proof, hint, sizeof hint);
  put_entries(proof->module, known, sizeof known);
  return report(
      proof, RLK_RULE_ARTIFACT_ENTRY_MISSING, -1,
      RLK_SLOTS(name_slot(proof), module_slot(proof), rlk_slot_prose("hint", hint), rlk_slot_prose("known", known)));
}

/* --- The parameters ----------------------------------------------------------------------------------------------- */

/* Fills in both tables, whole. False: memory is short. */
static bool fill_tables(const proof_t* proof, rlk_tables_t* out) {
  const rlk_block_t* block = proof->block;
  const rlk_artifact_entry_t* entry = proof->entry;
  rlk_artifact_parameter_t* due = rlk_arena_alloc(proof->arena, (block->count + 1) * sizeof *due);
  if (!due) return false;
  for (size_t i = 0; i < block->count; ++i) due[i] = block->slots[i].parameter;
  out->due = (rlk_parameter_list_t){.parameters = due, .count = block->count, .bytes = block->bytes};
  out->found = (rlk_parameter_list_t){
      .parameters = entry->parameters, .count = entry->parameter_count, .bytes = entry->block_bytes};
  return true;
}

/* A rule whose message ends in both tables: the listener is told of them before. */
static rowlock_code_t report_tables(const proof_t* proof, rlk_rule_t rule, int argument, const rlk_slot_t* slots,
                                    size_t slot_count) {
  rlk_tables_t tables;
  if (proof->listener->compare) {
    if (!fill_tables(proof, &tables)) return ROWLOCK_NO_MEMORY;
    proof->listener->compare(proof->listener->context, &tables);
  }
  return report(proof, rule, argument, slots, slot_count);
}

/* Both tables, cut to what a message holds. */
static rlk_slot_t tables_slot(const proof_t* proof, char out[TABLES_SIZE]) {
  rlk_text_t text = rlk_text_over(out, TABLES_SIZE);
  rlk_text_printf(&text, RLK_TABLE_DUE);
  rlk_block_put(&text, proof->block);
  rlk_text_printf(&text, RLK_TABLE_FOUND);
  rlk_parameters_put(&text, proof->entry);
  return rlk_slot_prose("tables", out);
}

static bool is_index(const rlk_artifact_parameter_t* parameter) {
  const char* type = parameter->type;
  return parameter->bytes == 8 &&
         (!type || strcmp(type, "u64") == 0 || strcmp(type, "s64") == 0 || strcmp(type, "b64") == 0);
}

static bool ends_in_triple(const rlk_artifact_entry_t* entry) {
  bool ends = entry->parameter_count >= RLK_TRIPLE_COUNT;
  for (size_t i = 1; i <= RLK_TRIPLE_COUNT && ends; ++i) {
    ends = is_index(&entry->parameters[entry->parameter_count - i]);
  }
  return ends;
}

static rowlock_code_t report_count(const proof_t* proof) {
  const size_t found = proof->entry->parameter_count, arguments = proof->block->argument_count;
  char tables[TABLES_SIZE];
  const char* tag = proof->block->has_triple ? "aether-abi/2" : "aether-abi/1";
  rlk_rule_t rule = RLK_RULE_ARTIFACT_PARAMETER_COUNT;
  if (proof->block->has_triple && found == arguments) rule = RLK_RULE_ARTIFACT_TRIPLE_MISSING;
  if (!proof->block->has_triple && found == arguments + RLK_TRIPLE_COUNT && ends_in_triple(proof->entry)) {
    rule = RLK_RULE_ARTIFACT_TRIPLE_PRESENT;
  }
  return report_tables(proof, rule, -1,
                       RLK_SLOTS(name_slot(proof), module_slot(proof), rlk_slot_integer("found_count", (int64_t)found),
                                 rlk_slot_integer("expected_count", (int64_t)proof->block->count),
                                 rlk_slot_prose("tag", tag), tables_slot(proof, tables)));
}

static int compare_sizes(const void* a, const void* b) {
  const uint32_t left = *(const uint32_t*)a, right = *(const uint32_t*)b;
  return left < right ? -1 : left > right;
}

/* Whether both have parameters of the same sizes, in whatever order. */
static bool same_sizes(const proof_t* proof, uint32_t* scratch) {
  const size_t count = proof->block->count;
  for (size_t i = 0; i < count; ++i) {
    scratch[i] = proof->block->slots[i].parameter.bytes;
    scratch[count + i] = proof->entry->parameters[i].bytes;
  }
  qsort(scratch, count, sizeof *scratch, compare_sizes);
  qsort(scratch + count, count, sizeof *scratch, compare_sizes);
  return memcmp(scratch, scratch + count, count * sizeof *scratch) == 0;
}

static int argument_of(const proof_t* proof, size_t slot) {
  return slot < proof->block->argument_count ? (int)slot : -1;
}

static rowlock_code_t report_parameter(const proof_t* proof, rlk_rule_t rule, size_t slot, uint32_t found,
                                       uint32_t expected) {
  char tables[TABLES_SIZE];
  const char* argument = proof->block->slots[slot].parameter.name;
  return report_tables(
      proof, rule, argument_of(proof, slot),
      RLK_SLOTS(rlk_slot_integer("ordinal", (int64_t)slot), rlk_slot_text("argument", argument, strlen(argument)),
                name_slot(proof), module_slot(proof), rlk_slot_integer("found", found),
                rlk_slot_integer("expected", expected), tables_slot(proof, tables)));
}

/* The first parameter of another size: those behind it are moved by it. */
static rowlock_code_t prove_sizes(const proof_t* proof, uint32_t* scratch, bool* out_same) {
  size_t at = 0;
  const size_t count = proof->block->count;
  while (at < count && proof->block->slots[at].parameter.bytes == proof->entry->parameters[at].bytes) ++at;
  *out_same = at == count;
  if (*out_same) return ROWLOCK_OK;
  if (same_sizes(proof, scratch)) {
    char tables[TABLES_SIZE];
    return report_tables(proof, RLK_RULE_ARTIFACT_PARAMETER_ORDER, -1,
                         RLK_SLOTS(name_slot(proof), module_slot(proof), tables_slot(proof, tables)));
  }
  return report_parameter(proof, RLK_RULE_ARTIFACT_PARAMETER_SIZE, at, proof->entry->parameters[at].bytes,
                          proof->block->slots[at].parameter.bytes);
}

static bool is_type_of(const rlk_slot_of_block_t* slot, const char* type) {
  const bool is_float = type[0] == 'f', is_bits = type[0] == 'b', is_integer = type[0] == 'u' || type[0] == 's';
  switch (slot->value) {
    case RLK_VALUE_STRUCT:
      return is_bits;
    case RLK_VALUE_FLOAT:
      return is_bits || is_float;
    case RLK_VALUE_INTEGER:
      return is_bits || is_integer;
    case RLK_VALUE_EITHER:
      break;
  }
  return is_bits || is_float || is_integer;
}

static rowlock_code_t prove_type(const proof_t* proof, size_t slot) {
  static const char* const due[] = {[RLK_VALUE_STRUCT] = "a struct",
                                    [RLK_VALUE_FLOAT] = "a float",
                                    [RLK_VALUE_INTEGER] = "an integer",
                                    [RLK_VALUE_EITHER] = "a number"};
  const char* type = proof->entry->parameters[slot].type;
  const rlk_slot_of_block_t* expected = &proof->block->slots[slot];
  if (!type || is_type_of(expected, type)) return ROWLOCK_OK;
  return report(
      proof, RLK_RULE_ARTIFACT_PARAMETER_TYPE, argument_of(proof, slot),
      RLK_SLOTS(rlk_slot_integer("ordinal", (int64_t)slot),
                rlk_slot_text("argument", expected->parameter.name, strlen(expected->parameter.name)), name_slot(proof),
                module_slot(proof), rlk_slot_prose("found", type), rlk_slot_prose("expected", due[expected->value])));
}

static rowlock_code_t prove_places(const proof_t* proof) {
  for (size_t i = 0; i < proof->block->count; ++i) {
    const uint32_t expected = proof->block->slots[i].parameter.offset, found = proof->entry->parameters[i].offset;
    if (expected != found) {
      return report_parameter(proof, RLK_RULE_ARTIFACT_PARAMETER_OFFSET, i, found, expected);
    }
    const rowlock_code_t code = prove_type(proof, i);
    if (code) return code;
  }
  return ROWLOCK_OK;
}

static rowlock_code_t prove_parameters(const proof_t* proof) {
  if (proof->entry->parameter_count != proof->block->count) return report_count(proof);
  uint32_t* scratch = rlk_arena_alloc(proof->arena, (2 * proof->block->count + 1) * sizeof *scratch);
  if (!scratch) return ROWLOCK_NO_MEMORY;
  bool same;
  const rowlock_code_t code = prove_sizes(proof, scratch, &same);
  return code || !same ? code : prove_places(proof);
}

/* --- A module ----------------------------------------------------------------------------------------------------- */

/* What a host loader says of the layout holds for every artifact. */
static rowlock_code_t prove_layout(const proof_t* proof) {
  const rlk_artifact_layout_t* layout = &proof->module->layout;
  if (!proof->block->has_triple) return ROWLOCK_OK;
  if (!layout->is_there) {
    return report(proof, RLK_RULE_HOST_LAYOUT_ABSENT, -1, RLK_SLOTS(rlk_slot_prose("hint", "")));
  }
  rowlock_error_t err;
  if (rlk_layout_compare(layout->bytes, layout->length, &err) == ROWLOCK_OK) return ROWLOCK_OK;
  return proof->listener->repeat(proof->listener->context, &err);
}

static rowlock_code_t prove_module(proof_t* proof) {
  rlk_text_t text = rlk_text_over(proof->module_words, sizeof proof->module_words);
  rlk_module_put(&text, proof->module);
  const bool is_host = proof->module->kind == RLK_ARTIFACT_HOST;
  proof->name = is_host ? proof->description->host_symbol : proof->description->kernel;
  proof->entry = rlk_module_find(proof->module, proof->name);
  rowlock_code_t code = ROWLOCK_OK;
  if (!proof->entry) {
    code = report_missing(proof);
  } else if (!proof->entry->is_defined) {
    code = report(proof, RLK_RULE_ARTIFACT_ENTRY_UNDEFINED, -1, RLK_SLOTS(name_slot(proof), module_slot(proof)));
  } else if (proof->entry->has_parameters) {
    code = prove_parameters(proof);
  }
  return code ? code : prove_layout(proof);
}

rowlock_code_t rlk_prove(const rlk_description_t* description, const rlk_artifact_t* artifact, rlk_arena_t* arena,
                         const rlk_proof_listener_t* listener, rowlock_error_t* err) {
  rlk_block_t block;
  rowlock_code_t code = rlk_block_of(description, arena, &block, err);
  for (size_t i = 0; i < artifact->module_count && !code; ++i) {
    proof_t proof = {.description = description,
                     .block = &block,
                     .module = &artifact->modules[i],
                     .listener = listener,
                     .arena = arena};
    code = prove_module(&proof);
    if (code == ROWLOCK_NO_MEMORY) return rlk_fail(err, code, "no memory for the argument proof");
  }
  return code;
}

rowlock_code_t rlk_prove_format(const rlk_artifact_t* artifact, const char* where, const rlk_node_t* format,
                                const rlk_proof_listener_t* listener) {
  const char* due = rlk_artifact_kind_format(artifact->kind);
  if (due && rlk_node_is_string(format, due)) return ROWLOCK_OK;
  return listener->report(
      listener->context, RLK_RULE_ARTIFACT_FORMAT, -1,
      RLK_SLOTS(rlk_slot_prose("where", where), rlk_slot_text("format", format->text, format->text_length),
                rlk_slot_prose("kind", rlk_artifact_kind_name(artifact->kind))));
}

bool rlk_cuda_version_read(const char* text, uint32_t* out_version) {
  unsigned major = 0, minor = 0;
  int end = 0;
  if (text[0] < '1' || text[0] > '9' || strspn(text, "0123456789.") != strlen(text) ||
      sscanf(text, "%3u.%1u%n", &major, &minor, &end) != 2 || text[end])
    return false;
  *out_version = 10 * major + minor;
  return true;
}

/* --- The machine -------------------------------------------------------------------------------------------------- */

static void put_version(char out[16], uint32_t version) {
  rlk_text_t text = rlk_text_over(out, 16);
  rlk_text_printf(&text, "%u.%u", version / 10, version % 10);
}

static rowlock_code_t report_driver(const rlk_module_t* module, const char* what, uint32_t needed, uint32_t driver,
                                    const rlk_proof_listener_t* listener) {
  char words[MODULE_SIZE], needed_words[16], driver_words[16];
  rlk_text_t text = rlk_text_over(words, sizeof words);
  rlk_module_put(&text, module);
  put_version(needed_words, needed);
  put_version(driver_words, driver);
  return listener->report(listener->context, RLK_RULE_ARTIFACT_DRIVER, -1,
                          RLK_SLOTS(rlk_slot_prose("module", words), rlk_slot_prose("what", what),
                                    rlk_slot_prose("needed", needed_words), rlk_slot_prose("driver", driver_words)));
}

/* Whether the machine has a cubin to run: a driver leaves the PTX beside it alone then. */
static bool has_cubin_for(const rlk_artifact_t* artifact, uint32_t sm) {
  for (size_t i = 0; i < artifact->module_count; ++i) {
    const rlk_module_t* module = &artifact->modules[i];
    if (module->kind == RLK_ARTIFACT_CUBIN && rlk_module_runs_on(module, sm)) return true;
  }
  return false;
}

/* The lowest driver that compiles the module's PTX; 0: any, or it is none. */
static uint32_t compiling_driver(const rlk_module_t* module) {
  if (module->kind != RLK_ARTIFACT_PTX) return 0;
  const uint32_t known = rlk_ptx_driver(module->ptx_version);
  /* PTX 9.x came with CUDA 13.x: one that is not known here is newer than all that are. */
  return known > 0 || module->ptx_version < 90 ? known : module->ptx_version + 40;
}

static rowlock_code_t prove_driver(const rlk_module_t* module, bool compiles_it, uint32_t driver,
                                   const rlk_proof_listener_t* listener) {
  const uint32_t unpacks = rlk_compression_driver(module->compression);
  const uint32_t compiles = compiles_it ? compiling_driver(module) : 0;
  if (compiles > driver && compiles >= unpacks) {
    return report_driver(module, "is newer than the driver's compiler", compiles, driver, listener);
  }
  return unpacks > driver ? report_driver(module, "is compressed with zstd", unpacks, driver, listener) : ROWLOCK_OK;
}

static rowlock_code_t report_machine(const rlk_artifact_t* artifact, uint32_t sm, rlk_rule_t rule,
                                     const rlk_proof_listener_t* listener) {
  char known[LIST_SIZE];
  rlk_text_t text = rlk_text_over(known, sizeof known);
  const size_t count = artifact->module_count;
  for (size_t i = 0; i < count && i < SHOWN_MODULES; ++i) {
    if (i > 0) rlk_text_put(&text, ", ", 2);
    rlk_module_put(&text, &artifact->modules[i]);
  }
  if (count > SHOWN_MODULES) rlk_text_printf(&text, " and %zu more", count - SHOWN_MODULES);
  return listener->report(listener->context, rule, -1,
                          RLK_SLOTS(rlk_slot_integer("sm", sm), rlk_slot_prose("known", known)));
}

static rowlock_code_t prove_sm(const rlk_artifact_t* artifact, uint32_t sm, const rlk_proof_listener_t* listener) {
  if (has_cubin_for(artifact, sm)) return ROWLOCK_OK;
  bool ptx = false, has_ptx = false;
  for (size_t i = 0; i < artifact->module_count; ++i) {
    const rlk_module_t* module = &artifact->modules[i];
    has_ptx |= module->kind == RLK_ARTIFACT_PTX;
    ptx |= module->kind == RLK_ARTIFACT_PTX && rlk_module_runs_on(module, sm);
  }
  return report_machine(artifact, sm,
                        ptx       ? RLK_RULE_ARTIFACT_PTX_ONLY
                        : has_ptx ? RLK_RULE_ARTIFACT_NO_CODE
                                  : RLK_RULE_ARTIFACT_CUBIN_ONLY,
                        listener);
}

rowlock_code_t rlk_prove_machine(const rlk_artifact_t* artifact, const rlk_target_machine_t* machine,
                                 const rlk_proof_listener_t* listener) {
  rowlock_code_t code = ROWLOCK_OK;
  if (artifact->kind == RLK_ARTIFACT_HOST) return code;
  const bool compiles = machine->sm == 0 || !has_cubin_for(artifact, machine->sm);
  for (size_t i = 0; i < artifact->module_count && machine->driver > 0 && !code; ++i) {
    code = prove_driver(&artifact->modules[i], compiles, machine->driver, listener);
  }
  if (!code && machine->sm > 0) code = prove_sm(artifact, machine->sm, listener);
  return code;
}
