#include "loader/artifact/trial.h"

#include <string.h>

#include "loader/artifact/proof.h"
#include "validator/rules/text.h"

/* --- A refusal ---------------------------------------------------------------------------------------------------- */

static bool is_printable(const char* message) {
  const size_t length = strlen(message);
  for (size_t at = 0, size; at < length; at += size) {
    size = rlk_utf8_length(message + at, length - at);
    if (size == 0 || rlk_utf8_is_unseen(message + at, size)) return false;
  }
  return length > 0;
}

static const char* judge_refusal(const rowlock_error_t* err) {
  if (!err->rule_id) return "a refusal without a rule";
  return is_printable(err->message) ? NULL : "a message that cannot be shown";
}

/* --- What was read ------------------------------------------------------------------------------------------------ */

static const char* judge_parameters(const rlk_artifact_entry_t* entry) {
  uint64_t end = 0;
  if (entry->parameter_count > RLK_ARTIFACT_PARAMETERS_MAX) return "more parameters than the limit";
  for (size_t i = 0; i < entry->parameter_count; ++i) {
    const rlk_artifact_parameter_t* parameter = &entry->parameters[i];
    if (parameter->bytes == 0) return "a parameter without bytes";
    if (parameter->offset < end) return "parameters that overlap";
    if (parameter->alignment > 0 && parameter->offset % parameter->alignment != 0) return "a parameter not aligned";
    end = (uint64_t)parameter->offset + parameter->bytes;
  }
  return end > entry->block_bytes ? "a parameter beyond the block" : NULL;
}

static const char* judge_module(const rlk_module_t* module) {
  if (module->entry_count > RLK_ARTIFACT_ENTRIES_MAX) return "more entries than the limit";
  if (module->kind != RLK_ARTIFACT_HOST && module->target.sm == 0) return "a module for no SM";
  for (size_t i = 0; i < module->entry_count; ++i) {
    const rlk_artifact_entry_t* entry = &module->entries[i];
    if (strlen(entry->name) > RLK_ARTIFACT_NAME_MAX) return "a name longer than the limit";
    const rlk_artifact_entry_t* found = rlk_module_find(module, entry->name);
    if (!found || strcmp(found->name, entry->name) != 0) return "an entry that is not found by its name";
    if (module->kind != RLK_ARTIFACT_HOST && found != entry) return "two entries of one name";
    if (entry->has_parameters != (module->kind != RLK_ARTIFACT_HOST)) return "parameters where there are none to read";
    const char* problem = judge_parameters(entry);
    if (problem) return problem;
  }
  unsigned char sum = 0; /* every byte of the layout can be read */
  const rlk_artifact_layout_t* layout = &module->layout;
  for (uint64_t i = 0; layout->bytes && i < layout->length && i < RLK_ARTIFACT_LAYOUT_MAX; ++i) sum ^= layout->bytes[i];
  volatile unsigned char kept = sum;
  (void)kept;
  return NULL;
}

static const char* judge_artifact(const rlk_artifact_t* artifact, size_t length) {
  if (artifact->bytes != length) return "a length that is not the file's";
  if (artifact->module_count == 0 || artifact->module_count > RLK_ARTIFACT_MODULES_MAX) return "a number of modules";
  uint64_t unpacked = 0;
  for (size_t i = 0; i < artifact->module_count; ++i) {
    const rlk_module_t* module = &artifact->modules[i];
    unpacked += module->bytes;
    if (module->offset > length || module->packed_bytes > length - module->offset) return "a module outside the file";
    if (module->compression == RLK_COMPRESSION_NONE && module->bytes != module->packed_bytes) return "a module's size";
    const char* problem = judge_module(module);
    if (problem) return problem;
  }
  return unpacked > RLK_ARTIFACT_BYTES_MAX ? "more unpacked bytes than the limit" : NULL;
}

/* --- The proof ---------------------------------------------------------------------------------------------------- */

static rowlock_code_t repeat(void* context, const rowlock_error_t* err) {
  rlk_artifact_trial_t* trial = context;
  ++trial->findings;
  const char* problem = judge_refusal(err);
  if (problem) trial->problem = problem;
  return ROWLOCK_OK;
}

static rowlock_code_t report(void* context, rlk_rule_t rule, int argument, const rlk_slot_t* slots, size_t slot_count) {
  (void)argument;
  rowlock_error_t err;
  rlk_refuse(&err, rule, slots, slot_count);
  return repeat(context, &err);
}

static void prove(rlk_artifact_trial_t* trial) {
  const rlk_proof_listener_t listener = {.context = trial, .report = report, .repeat = repeat};
  rlk_parameter_t parameters[] = {
      {.name = "out", .binding = ROWLOCK_BINDING_HANDLE, .element = ROWLOCK_ELEMENT_FLOAT64},
      {.name = "scale", .binding = ROWLOCK_BINDING_UNIFORM, .element = ROWLOCK_ELEMENT_FLOAT64, .is_int_too = true}};
  const rlk_description_t description = {.id = "sums",
                                         .kernel = "sums",
                                         .host_symbol = "sums_host",
                                         .tag = RLK_WORD_ABI_2,
                                         .parameters = parameters,
                                         .parameter_count = 2};
  const rlk_target_machine_t machine = {.driver = 124, .sm = 90};
  rowlock_code_t code = rlk_prove(&description, &trial->artifact, &trial->arena, &listener, &trial->err);
  if (!code) code = rlk_prove_machine(&trial->artifact, &machine, &listener);
  if (code) trial->problem = "a proof that does not come to an end";
}

bool rlk_artifact_trial_holds(rlk_artifact_trial_t* trial, const void* bytes, size_t length) {
  rlk_arena_reset(&trial->arena);
  trial->problem = NULL;
  trial->findings = 0;
  trial->code = rlk_artifact_read(bytes, length, &trial->arena, &trial->artifact, &trial->err);
  if (trial->code == ROWLOCK_REJECTED) {
    trial->problem = judge_refusal(&trial->err);
  } else if (trial->code) {
    trial->problem = "neither read nor refused";
  } else {
    trial->problem = judge_artifact(&trial->artifact, length);
    if (!trial->problem) prove(trial);
  }
  return !trial->problem;
}
