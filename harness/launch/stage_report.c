#define _GNU_SOURCE /* PATH_MAX */
#include "harness/json/json.h"
#include "harness/launch/stage.h"
#include "validator/rules/text.h"

static json_object* outputs_to_json(const rlk_stage_t* stage) {
  json_object* list = json_object_new_array();
  bool complete = list != NULL;
  for (size_t i = 0; i < stage->buffers.count && complete; ++i) {
    const rlk_buffer_t* buffer = &stage->buffers.list[i];
    if (!buffer->is_written) continue;
    const rlk_array_t array = rlk_buffer_array(buffer, NULL);
    json_object* output = json_object_new_object();
    json_object* shape = json_object_new_array();
    for (uint32_t j = 0; j < array.rank; ++j)
      complete &= rlk_json_element(shape, json_object_new_uint64(array.shape[j]));
    complete &= rlk_json_member_text(output, "name", buffer->name) &&
                rlk_json_member_text(output, "as", rowlock_binding_name(buffer->binding)) &&
                rlk_json_member_text(output, "dtype", rlk_dtype_name(buffer->dtype));
    complete &= rlk_json_member(output, "shape", shape);
    complete &= rlk_json_element(list, output);
  }
  if (complete) return list;
  json_object_put(list);
  return NULL;
}

/* The first plugin whose artifact was meant for other devices; NULL if none was. */
static const char* find_fallback(const rlk_stage_t* stage) {
  for (size_t i = 0; i < rowlock_registry_plugin_count(stage->registry); ++i) {
    const rowlock_plugin_t plugin = rowlock_registry_plugin_at(stage->registry, i);
    if (plugin.enabled && plugin.is_ptx_fallback) return plugin.id;
  }
  return NULL;
}

/* What is worth saying of a launch that passed. */
static bool add_note(const rlk_stage_t* stage, json_object* object) {
  char note[512] = "";
  rlk_text_t text = rlk_text_over(note, sizeof note);
  const char* fallback = find_fallback(stage);
  if (stage->loose) {
    rlk_text_printf(&text, "the band is far too wide for '%.100s': no element used a thousandth of it", stage->loose);
  }
  if (fallback) {
    rlk_text_printf(&text, "%sthe artifact of plugin '%.100s' has no code for this device: the driver compiled its PTX",
                    stage->loose ? "; " : "", fallback);
  }
  return text.length == 0 || rlk_json_member_text(object, "note", note);
}

rowlock_code_t rlk_stage_report(rlk_stage_t* stage, json_object** out_report) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  if (EVP_DigestFinal_ex(stage->digest, digest, &length) != 1) {
    return rlk_fail(stage->err, ROWLOCK_INTERNAL, "SHA-256 failed");
  }
  char hex[2 * EVP_MAX_MD_SIZE + 1];
  rlk_text_t text = rlk_text_over(hex, sizeof hex);
  for (unsigned i = 0; i < length; ++i) rlk_text_printf(&text, "%02x", digest[i]);
  json_object* object = json_object_new_object();
  bool complete = rlk_json_member(object, "runs", json_object_get(stage->runs));
  complete = complete && rlk_json_member(object, "outputs", outputs_to_json(stage)) &&
             rlk_json_member_text(object, "sha256", hex);
  complete = complete && add_note(stage, object);
  if (!complete) {
    json_object_put(object);
    return rlk_fail(stage->err, ROWLOCK_NO_MEMORY, "no memory to report the launch");
  }
  *out_report = object;
  return ROWLOCK_OK;
}

/* What a driver's compiler said when loading failed; NULL if nothing. */
json_object* rlk_stage_log(const rlk_stage_t* stage) {
  const char* log = stage->registry ? rowlock_registry_compiler_log(stage->registry) : NULL;
  json_object* object = log ? json_object_new_object() : NULL;
  if (object && rlk_json_member_text(object, "log", log)) return object;
  json_object_put(object);
  return NULL;
}
