#include "harness/cli/inspect_view.h"

#include <inttypes.h>
#include <string.h>

#include "harness/check/shown.h"
#include "harness/json/json.h"
#include "validator/rules/text.h"

enum { LAYOUT_WORD = 8, LAYOUT_WORDS_SHOWN = 10 };

typedef struct shown_t {
  char text[RLK_SHOWN_SIZE];
} shown_t;

static const char* show(const char* name, shown_t* out) {
  rlk_text_t text = rlk_text_over(out->text, sizeof out->text);
  rlk_text_put_shown(&text, name, strlen(name), RLK_SHOWN_MAX);
  return out->text;
}

/* Bytes of the array that are shown, whole words: one of any other length than the due one is a mistake. */
static uint64_t shown_layout(const rlk_artifact_layout_t* layout) {
  const uint64_t most = UINT64_C(1) * LAYOUT_WORDS_SHOWN * LAYOUT_WORD;
  return layout->length < most ? layout->length - layout->length % LAYOUT_WORD : most;
}

static uint64_t layout_word(const rlk_artifact_layout_t* layout, uint64_t at) {
  uint64_t word = 0;
  if (layout->bytes) memcpy(&word, layout->bytes + at, sizeof word);
  return word;
}

/* --- Text --------------------------------------------------------------------------------------------------------- */

static void put_driver(FILE* out, const rlk_module_t* module) {
  const uint32_t unpacks = rlk_compression_driver(module->compression);
  const uint32_t compiles = module->kind == RLK_ARTIFACT_PTX ? rlk_ptx_driver(module->ptx_version) : 0;
  const uint32_t needed = compiles > unpacks ? compiles : unpacks;
  if (needed > 0) fprintf(out, ", needs a driver for CUDA %u.%u or later", needed / 10, needed % 10);
}

static void show_module(FILE* out, const rlk_module_t* module) {
  char words[64];
  rlk_text_t text = rlk_text_over(words, sizeof words);
  rlk_module_put(&text, module);
  fprintf(out, "  %s: %" PRIu64 " bytes", words, module->bytes);
  if (module->compression != RLK_COMPRESSION_NONE) {
    fprintf(out, ", %s to %" PRIu64, rlk_compression_name(module->compression), module->packed_bytes);
  }
  if (module->offset > 0) fprintf(out, ", at byte %" PRIu64, module->offset);
  if (module->old_flags) fprintf(out, ", by an older toolkit");
  put_driver(out, module);
  fputc('\n', out);
}

static void show_layout(FILE* out, const rlk_artifact_layout_t* layout) {
  if (!layout->is_there) return;
  fprintf(out, "    eagle_layout_sizes: %" PRIu64 " bytes:", layout->length);
  const uint64_t shown = shown_layout(layout);
  for (uint64_t at = 0; at < shown; at += LAYOUT_WORD) fprintf(out, " %" PRIu64, layout_word(layout, at));
  fputs(shown < layout->length ? " ...\n" : "\n", out);
}

static void show_columns(FILE* out) {
  fprintf(out, "      %4s %8s %8s %6s  %-6s %s\n", "#", "offset", "bytes", "align", "type", "name");
}

static void show_parameter(FILE* out, size_t index, const rlk_artifact_parameter_t* parameter) {
  char alignment[16] = "-";
  shown_t name;
  if (parameter->alignment > 0) snprintf(alignment, sizeof alignment, "%u", parameter->alignment);
  fprintf(out, "      %4zu %8u %8u %6s  %-6s %s\n", index, parameter->offset, parameter->bytes, alignment,
          parameter->type ? parameter->type : "-", parameter->name ? show(parameter->name, &name) : "-");
}

static void show_counts(FILE* out, size_t parameters, unsigned bytes) {
  fprintf(out, ": %zu parameter%s, %u byte%s\n", parameters, parameters == 1 ? "" : "s", bytes, bytes == 1 ? "" : "s");
}

static void show_entry(FILE* out, const rlk_artifact_entry_t* entry) {
  shown_t name;
  fprintf(out, "    %s", show(entry->name, &name));
  if (!entry->is_defined) fprintf(out, " (a prototype)");
  if (!entry->has_parameters) {
    fprintf(out, "\n");
    return;
  }
  show_counts(out, entry->parameter_count, entry->block_bytes);
  if (entry->parameter_count > 0) show_columns(out);
  for (size_t i = 0; i < entry->parameter_count; ++i) show_parameter(out, i, &entry->parameters[i]);
}

void rlk_inspect_show(FILE* out, const char* path, const rlk_artifact_t* artifact) {
  shown_t shown;
  fprintf(out, "%s: %s, %" PRIu64 " bytes\n", show(path, &shown), rlk_artifact_kind_name(artifact->kind),
          artifact->bytes);
  for (size_t i = 0; i < artifact->module_count; ++i) {
    const rlk_module_t* module = &artifact->modules[i];
    show_module(out, module);
    show_layout(out, &module->layout);
    for (size_t j = 0; j < module->entry_count; ++j) show_entry(out, &module->entries[j]);
  }
}

void rlk_inspect_show_block(FILE* out, const char* sidecar_path, const char* kernel, const rlk_block_t* block) {
  shown_t shown, name;
  fprintf(out, "%s:\n    %s", show(sidecar_path, &shown), show(kernel, &name));
  show_counts(out, block->count, block->bytes);
  if (block->count > 0) show_columns(out);
  for (size_t i = 0; i < block->count; ++i) show_parameter(out, i, &block->slots[i].parameter);
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static json_object* parameter_to_json(const rlk_artifact_parameter_t* parameter) {
  json_object* object = json_object_new_object();
  bool complete = rlk_json_member_number(object, "offset", parameter->offset) &&
                  rlk_json_member_number(object, "bytes", parameter->bytes);
  if (parameter->alignment > 0) complete = complete && rlk_json_member_number(object, "align", parameter->alignment);
  if (parameter->type) complete = complete && rlk_json_member_text(object, "type", parameter->type);
  if (parameter->name) complete = complete && rlk_json_member_text(object, "name", parameter->name);
  if (complete) return object;
  json_object_put(object);
  return NULL;
}

static json_object* entry_to_json(const rlk_artifact_entry_t* entry) {
  json_object* object = json_object_new_object();
  bool complete = rlk_json_member_text(object, "name", entry->name) &&
                  rlk_json_member(object, "defined", json_object_new_boolean(entry->is_defined));
  if (entry->has_parameters) {
    json_object* list = json_object_new_array();
    for (size_t i = 0; i < entry->parameter_count && complete; ++i) {
      complete = rlk_json_element(list, parameter_to_json(&entry->parameters[i]));
    }
    complete = rlk_json_member(object, "parameters", list) && complete;
    complete = complete && rlk_json_member_number(object, "bytes", entry->block_bytes);
  }
  if (complete) return object;
  json_object_put(object);
  return NULL;
}

static bool add_target(json_object* object, const rlk_module_t* module) {
  if (module->kind == RLK_ARTIFACT_HOST) return true;
  char target[16], version[16];
  const char suffix[] = {module->target.suffix, '\0'};
  snprintf(target, sizeof target, "sm_%u%s", module->target.sm, suffix);
  bool complete = rlk_json_member_text(object, "target", target);
  if (module->kind != RLK_ARTIFACT_PTX) return complete;
  snprintf(version, sizeof version, "%u.%u", module->ptx_version / 10, module->ptx_version % 10);
  complete = complete && rlk_json_member_text(object, "ptx_version", version);
  const uint32_t driver = rlk_ptx_driver(module->ptx_version);
  snprintf(version, sizeof version, "%u.%u", driver / 10, driver % 10);
  return complete && (driver == 0 || rlk_json_member_text(object, "driver", version));
}

static bool add_layout(json_object* object, const rlk_artifact_layout_t* layout) {
  if (!layout->is_there) return true;
  json_object* list = json_object_new_array();
  bool complete = list != NULL;
  const uint64_t shown = shown_layout(layout);
  for (uint64_t at = 0; at < shown && complete; at += LAYOUT_WORD) {
    complete = rlk_json_element(list, json_object_new_uint64(layout_word(layout, at)));
  }
  complete = rlk_json_member(object, "layout", list) && complete;
  return complete && rlk_json_member_number(object, "layout_bytes", layout->length);
}

static json_object* module_to_json(const rlk_module_t* module) {
  json_object* object = json_object_new_object();
  bool complete = rlk_json_member_text(object, "kind", rlk_artifact_kind_word(module->kind)) &&
                  add_target(object, module) && rlk_json_member_number(object, "bytes", module->bytes) &&
                  rlk_json_member_number(object, "offset", module->offset) &&
                  rlk_json_member_number(object, "packed_bytes", module->packed_bytes) &&
                  rlk_json_member_text(object, "compression", rlk_compression_name(module->compression)) &&
                  add_layout(object, &module->layout);
  json_object* entries = json_object_new_array();
  for (size_t i = 0; i < module->entry_count && complete; ++i) {
    complete = rlk_json_element(entries, entry_to_json(&module->entries[i]));
  }
  complete = rlk_json_member(object, "entries", entries) && complete;
  if (complete) return object;
  json_object_put(object);
  return NULL;
}

json_object* rlk_inspect_to_json(const char* path, const rlk_artifact_t* artifact) {
  json_object* object = json_object_new_object();
  json_object* modules = json_object_new_array();
  bool complete = rlk_json_member_text(object, "path", path) &&
                  rlk_json_member_text(object, "kind", rlk_artifact_kind_word(artifact->kind)) &&
                  rlk_json_member_number(object, "bytes", artifact->bytes);
  for (size_t i = 0; i < artifact->module_count && complete; ++i) {
    complete = rlk_json_element(modules, module_to_json(&artifact->modules[i]));
  }
  complete = rlk_json_member(object, "modules", modules) && complete;
  if (complete) return object;
  json_object_put(object);
  return NULL;
}
