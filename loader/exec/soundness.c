#include "loader/exec/soundness.h"

#include <string.h>

#include "loader/exec/plan.h"
#include "loader/registry/binding_checks.h"
#include "validator/rules/findings.h"

/* Where the sample count of the run comes from. */
typedef struct count_t {
  int64_t samples;
  const char* name; /* of the argument that says it; NULL: the caller does */
} count_t;

static rlk_slot_t text_slot(const char* slot, const char* text) { return rlk_slot_text(slot, text, strlen(text)); }

static rowlock_code_t refuse_unbound(const rlk_parameter_t* parameter, rowlock_binding_t binding,
                                     rowlock_error_t* err) {
  return rlk_refuse(err, rlk_binding_info(binding)->unbound,
                    RLK_SLOTS(text_slot("name", parameter->name), text_slot("id", parameter->description->id),
                              rlk_slot_prose("role", rlk_word_text(parameter->role))));
}

static rowlock_code_t check_range(const char* what, int64_t limit, int64_t samples, rowlock_error_t* err) {
  if (samples <= limit) return ROWLOCK_OK;
  return rlk_refuse(
      err, RLK_RULE_EXEC_SAMPLE_COUNT_RANGE,
      RLK_SLOTS(rlk_slot_integer("value", samples), rlk_slot_prose("what", what), rlk_slot_integer("limit", limit)));
}

static rowlock_code_t check_count(const rlk_parameter_t* parameter, const rlk_bound_t* bound, const count_t* count,
                                  rowlock_error_t* err) {
  if (bound->count == (uint64_t)count->samples) return ROWLOCK_OK;
  return rlk_refuse(
      err, RLK_RULE_EXEC_SAMPLE_COUNT_DIFFERS,
      RLK_SLOTS(text_slot("name", parameter->name), text_slot("id", parameter->description->id),
                rlk_slot_integer("value", (int64_t)bound->count),
                count->name ? rlk_slot_quoted("whose", count->name, strlen(count->name))
                            : rlk_slot_prose("whose", "the caller's sample count"),
                rlk_slot_prose("verb", count->name ? "has" : "is"), rlk_slot_integer("expected", count->samples)));
}

/* Declarations are looked at again: the plugin may have been loaded after the name was bound. */
static rowlock_code_t check_result(const rowlock_registry_t* registry, const rlk_parameter_t* parameter,
                                   rowlock_error_t* err) {
  const rlk_bound_t* result = rlk_registry_result(registry, parameter);
  if (!result->is_set) return refuse_unbound(parameter, ROWLOCK_BINDING_RESULT, err);
  const uint32_t width = rlk_registry_bound(registry, parameter)->width;
  if (result->width != width) return rlk_refuse_width(parameter, result->width, width, err);
  return rlk_check_declared(parameter, ROWLOCK_BINDING_RESULT, result, err);
}

static rowlock_code_t check_parameter(const rowlock_registry_t* registry, const rlk_parameter_t* parameter,
                                      const count_t* count, rowlock_error_t* err) {
  if (parameter->binding == ROWLOCK_BINDING_NONE) {
    return check_range("the extent of the 32-bit nsamples", UINT32_MAX, count->samples, err);
  }
  const rlk_bound_t* bound = rlk_registry_bound(registry, parameter);
  if (!bound->is_set) return refuse_unbound(parameter, parameter->binding, err);
  rowlock_code_t code = rlk_check_declared(parameter, parameter->binding, bound, err);
  const bool per_sample = rlk_binding_info(parameter->binding)->extent == RLK_EXTENT_SAMPLES;
  if (!code && per_sample) code = check_count(parameter, bound, count, err);
  if (!code && parameter->is_folded) code = check_result(registry, parameter, err);
  return code;
}

static rowlock_code_t check_plugin(const rowlock_registry_t* registry, const rlk_description_t* description,
                                   const count_t* count, rowlock_error_t* err) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < description->parameter_count && !code; ++i) {
    code = check_parameter(registry, &description->parameters[i], count, err);
  }
  if (code || description->tag != RLK_WORD_ABI_1) return code;
  return check_range("the count that an aether-abi/1 entry takes", INT32_MAX, count->samples, err);
}

/* The first bound argument that is as long as the run. */
static bool find_count(const rowlock_registry_t* registry, const rlk_plugin_t* only, count_t* out_count) {
  for (size_t i = 0; i < registry->plugin_count; ++i) {
    if (!rlk_plan_includes(registry, only, registry->plugins[i])) continue;
    const rlk_description_t* description = &registry->plugins[i]->description;
    for (size_t j = 0; j < description->parameter_count; ++j) {
      const rlk_parameter_t* parameter = &description->parameters[j];
      if (rlk_binding_info(parameter->binding)->extent != RLK_EXTENT_SAMPLES) continue;
      const rlk_bound_t* bound = rlk_registry_bound(registry, parameter);
      if (!bound->is_set) continue;
      *out_count = (count_t){.samples = (int64_t)bound->count, .name = parameter->name};
      return true;
    }
  }
  return false;
}

static bool is_known(const rlk_sound_t* sound, uint64_t generation, int64_t asked) {
  if (sound->generation != generation) return false;
  return asked == sound->sample_count || (asked == ROWLOCK_SAMPLES_OF_BINDINGS && sound->of_bindings);
}

static rowlock_code_t check_plugins(const rowlock_registry_t* registry, const rlk_plugin_t* only, int64_t asked,
                                    rlk_sound_t* out_sound, rowlock_error_t* err) {
  count_t count = {.samples = asked};
  count_t found;
  const bool of_bindings = find_count(registry, only, &found);
  if (asked == ROWLOCK_SAMPLES_OF_BINDINGS) {
    if (!of_bindings) return rlk_refuse(err, RLK_RULE_EXEC_SAMPLE_COUNT_UNKNOWN, NULL, 0);
    count = found;
  }
  for (size_t i = 0; i < registry->plugin_count; ++i) {
    if (!rlk_plan_includes(registry, only, registry->plugins[i])) continue;
    const rowlock_code_t code = check_plugin(registry, &registry->plugins[i]->description, &count, err);
    if (code) return code;
  }
  *out_sound =
      (rlk_sound_t){.generation = registry->generation, .sample_count = count.samples, .of_bindings = of_bindings};
  return ROWLOCK_OK;
}

/* What is known of one plugin says nothing of all; nor the other way round, where another's argument told the sample
 * count. */
rowlock_code_t rlk_soundness_check(rowlock_registry_t* registry, rlk_plugin_t* only, int64_t asked,
                                   int64_t* out_sample_count, rowlock_error_t* err) {
  rlk_sound_t* sound = only ? &only->sound : &registry->sound;
  if (!is_known(sound, registry->generation, asked)) {
    const rowlock_code_t code = check_plugins(registry, only, asked, sound, err);
    if (code) return code;
  }
  *out_sample_count = sound->sample_count;
  return ROWLOCK_OK;
}
