#define _GNU_SOURCE /* access, memmem */
#include "harness/rows/row_launch.h"

#include <string.h>
#include <unistd.h>

#include "harness/launch/launch.h"
#include "loader/files.h"
#include "validator/rules/text.h"
#include "validator/wire/reader.h"

/* --- The keys ----------------------------------------------------------------------------------------------------- */

/* One folder beside the rows: its name alone, so that no path can leave. */
void rlk_row_read_deployment(rlk_row_reading_t* reading, const rlk_node_t* node) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
  const char* name = rlk_row_read_text(reading, "deployment", node);
  if (!name) return;
  if (strspn(name, allowed) != strlen(name)) {
    rlk_row_bad_value(reading, "deployment", "a folder in '" RLK_DEPLOYMENTS_FOLDER "', by its snake_case name", node);
    return;
  }
  const char* folder = rlk_row_join(reading, reading->row->folder, RLK_DEPLOYMENTS_FOLDER, "");
  if (folder) reading->row->deployment = rlk_row_join(reading, folder, name, "");
}

/* {"driver": "12.4", "sm": 90}: one of them, or both. */
void rlk_row_read_machine(rlk_row_reading_t* reading, const rlk_node_t* node) {
  rlk_target_machine_t* machine = &reading->row->machine;
  if (node->kind != RLK_OBJECT || node->count == 0) {
    rlk_row_bad_value(reading, "machine", "an object with a driver or an sm", node);
    return;
  }
  for (const rlk_node_t* member = node->first; member; member = member->next) {
    if (rlk_text_equal(member->key, member->key_length, "driver", strlen("driver"))) {
      const char* text = rlk_row_read_text(reading, "driver", member);
      if (text && !rlk_cuda_version_read(text, &machine->driver)) {
        rlk_row_bad_value(reading, "driver", "a CUDA version such as 12.4", member);
      }
    } else if (rlk_text_equal(member->key, member->key_length, "sm", strlen("sm"))) {
      const bool sound = rlk_node_is_integer(member) && member->integer >= 1 && member->integer <= RLK_SM_MAX;
      if (!sound) rlk_row_bad_value(reading, "sm", "an SM number such as 90", member);
      machine->sm = sound ? (uint32_t)member->integer : 0;
    } else {
      rlk_row_defect_at(
          reading, RLK_DEFECT_ROW_KEY_UNKNOWN, member,
          RLK_SLOTS(rlk_slot_text("key", member->key, member->key_length), rlk_slot_prose("known", "driver, sm")));
    }
  }
}

static void bad_value(void* context, const rlk_node_t* at, const char* key, const char* expected) {
  rlk_row_bad_value(context, key, expected, at);
}

static void unknown_key(void* context, const rlk_node_t* at, const char* known) {
  rlk_row_defect_at(context, RLK_DEFECT_ROW_KEY_UNKNOWN, at,
                    RLK_SLOTS(rlk_slot_text("key", at->key, at->key_length), rlk_slot_prose("known", known)));
}

/* The launch is read here for its defects, and again, from the same text, by the process that performs it. */
void rlk_row_read_launch(rlk_row_reading_t* reading, const rlk_node_t* node) {
  const rlk_launch_reader_t reader = {reading->arena, reading, bad_value, unknown_key};
  rlk_launch_t launch;
  if (rlk_launch_read(&reader, node, &launch)) {
    reading->defects->code = ROWLOCK_NO_MEMORY;
    return;
  }
  rlk_row_t* row = reading->row;
  row->launch_length = node->end - node->begin;
  char* text = rlk_arena_alloc(reading->arena, row->launch_length + 1);
  if (!text) {
    reading->defects->code = ROWLOCK_NO_MEMORY;
    return;
  }
  memcpy(text, reading->document->text + node->begin, row->launch_length);
  text[row->launch_length] = '\0';
  row->launch = text;
  reading->checks_nothing = launch.comparisons == 0;
  for (size_t i = 0; i < launch.structure_count; ++i) {
    if (launch.structures[i] == ROWLOCK_STRUCTURE_DEVICE_KERNEL) reading->names_device = true;
  }
  reading->asks_bit_exact = launch.comparisons != 0 && launch.gate.mode == RLK_GATE_BIT_EXACT;
}

/* --- The fixture -------------------------------------------------------------------------------------------------- */

void rlk_row_find_deployment(rlk_row_reading_t* reading) {
  rlk_row_t* row = reading->row;
  static const struct {
    const char* name;
    bool is_sidecar, is_inside;
  } documents[] = {{"/manifest.json", false, true},
                   {"/sidecar.json", true, true},
                   {".manifest.json", false, false},
                   {".sidecar.json", true, false}};
  char expected[256];
  rlk_text_t text = rlk_text_over(expected, sizeof expected);
  for (size_t i = 0; i < sizeof documents / sizeof *documents && !row->fixture_path; ++i) {
    if (row->deployment && !documents[i].is_inside) continue;
    const char* path = row->deployment ? rlk_row_join(reading, row->deployment, documents[i].name + 1, "")
                                       : rlk_row_join(reading, row->folder, row->stem, documents[i].name);
    if (!path) return;
    const char* shown = path + strlen(row->folder) + 1;
    rlk_text_printf(&text, "%s%s", i > 0 ? " or " : "", shown);
    if (access(path, F_OK) != 0) continue;
    row->fixture_path = path;
    row->is_sidecar = documents[i].is_sidecar;
  }
  if (row->fixture_path) return;
  rlk_defects_add(reading->defects, RLK_DEFECT_ROW_FIXTURE_MISSING, reading->path, 0, 0,
                  RLK_SLOTS(rlk_slot_prose("expected", expected)));
}

/* --- What the gate can be asked ----------------------------------------------------------------------------------- */

/* Reads a document of the deployment for a look at its keys. False: it is not there or not JSON, which is for the
 * loader to say. */
static bool read_document(rlk_row_reading_t* reading, const char* path, rlk_file_buffer_t* buffer, rlk_arena_t* nodes,
                          rlk_document_t* out) {
  const rowlock_limits_t limits = rlk_limits_effective(&reading->row->limits);
  const rlk_read_options_t options = {.path = path, .limits = limits, .door = -1, .switched_off = RLK_RULE_NONE};
  rowlock_findings_t* findings = rowlock_findings_create();
  rowlock_code_t code = findings ? rlk_file_read(path, limits.size_bytes, buffer, NULL) : ROWLOCK_NO_MEMORY;
  if (!code) code = rlk_read(buffer->bytes, buffer->length, &options, nodes, findings, out);
  if (code == ROWLOCK_NO_MEMORY) reading->defects->code = code;
  rowlock_findings_destroy(findings);
  return code == ROWLOCK_OK;
}

static bool has_role(const rlk_node_t* sidecar, const char* role) {
  const rlk_node_t* arguments = rlk_node_member(sidecar, "arg_spec");
  if (!arguments || arguments->kind != RLK_ARRAY) return false;
  for (const rlk_node_t* pair = arguments->first; pair; pair = pair->next) {
    if (pair->kind == RLK_ARRAY && pair->first && rlk_node_is_string(pair->first, role)) return true;
  }
  return false;
}

/* The folder of the fixture, with a name in it; NULL for what is no file right there. */
static const char* beside_fixture(rlk_row_reading_t* reading, const rlk_node_t* name) {
  const char* fixture = reading->row->fixture_path;
  const size_t folder = (size_t)(strrchr(fixture, '/') - fixture);
  const bool plain = name && name->kind == RLK_STRING && name->text_length > 0 && name->text[0] != '/' &&
                     !memchr(name->text, '\0', name->text_length) &&
                     !memmem(name->text, name->text_length, "..", strlen(".."));
  char* path = plain ? rlk_arena_alloc(reading->arena, folder + 1 + name->text_length + 1) : NULL;
  if (!path) return NULL;
  memcpy(path, fixture, folder + 1);
  memcpy(path + folder + 1, name->text, name->text_length);
  path[folder + 1 + name->text_length] = '\0';
  return path;
}

/* The contract of a deployment that leaves the order of contributions open, or NULL. */
static const char* open_order(rlk_row_reading_t* reading) {
  const char* contract = NULL;
  rlk_file_buffer_t buffer = {0}, sidecar_buffer = {0};
  rlk_arena_t nodes = {0};
  rlk_document_t document, sidecar;
  if (read_document(reading, reading->row->fixture_path, &buffer, &nodes, &document)) {
    const rlk_node_t* plugins = rlk_node_member(document.root, "plugins");
    if (rlk_node_is_string(rlk_node_member(document.root, "exec_access"), "mapreduce")) contract = "mapreduce";
    if (has_role(document.root, "accum_out")) contract = "accum_out";
    for (const rlk_node_t* entry = plugins && plugins->kind == RLK_ARRAY ? plugins->first : NULL; entry && !contract;
         entry = entry->next) {
      const char* path = beside_fixture(reading, rlk_node_member(entry, "sidecar"));
      if (path && read_document(reading, path, &sidecar_buffer, &nodes, &sidecar) &&
          has_role(sidecar.root, "accum_out")) {
        contract = "accum_out";
      }
    }
  }
  rlk_arena_deinit(&nodes);
  rlk_file_buffer_deinit(&buffer);
  rlk_file_buffer_deinit(&sidecar_buffer);
  return contract;
}

/* The keys that belong to some levels alone. */
static void check_keys(rlk_row_reading_t* reading, const rlk_node_t* root) {
  const rlk_row_level_t level = reading->row->level;
  const bool launched = rlk_row_level_is_launched(level), proved = rlk_row_level_is_proved(level);
  const struct {
    const char* key;
    bool belongs;
  } keys[] = {{"deployment", launched || proved}, {"launch", launched}, {"machine", proved || launched}};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    const rlk_node_t* node = keys[i].belongs ? NULL : rlk_node_member(root, keys[i].key);
    if (!node) continue;
    rlk_row_defect_at(
        reading, RLK_DEFECT_ROW_KEY_LEVEL, node,
        RLK_SLOTS(rlk_slot_prose("key", keys[i].key), rlk_slot_prose("level", rlk_row_level_name(level))));
  }
}

/* A launched row is about a device of one SM, or about any. */
static void check_machine(rlk_row_reading_t* reading, const rlk_node_t* root) {
  const rlk_node_t* machine = rlk_node_member(root, "machine");
  if (!machine || (reading->names_device && !rlk_node_member(machine, "driver"))) return;
  rlk_row_bad_value(reading, "machine", "at this level an sm alone, of a launch that names device_kernel", machine);
}

/* A device runs what is named of it and nothing else; without anything it would accept. */
static void check_device(rlk_row_reading_t* reading, const rlk_node_t* launch) {
  for (size_t i = 0; i < reading->row->loader_count; ++i) {
    const char* loader = reading->row->loaders[i].name;
    if (reading->names_device || rlk_launcher_find(loader) != RLK_LAUNCHER_DEVICE) continue;
    const char* structure = rowlock_structure_name(ROWLOCK_STRUCTURE_DEVICE_KERNEL);
    rlk_row_defect_at(reading, RLK_DEFECT_ROW_RUNS_NOTHING, launch,
                      RLK_SLOTS(rlk_slot_prose("loader", loader), rlk_slot_prose("structure", structure)));
  }
}

void rlk_row_check_launch(rlk_row_reading_t* reading, const rlk_node_t* root) {
  rlk_row_t* row = reading->row;
  check_keys(reading, root);
  if (!rlk_row_level_is_launched(row->level)) return;
  const rlk_node_t* launch = rlk_node_member(root, "launch");
  if (!launch) {
    rlk_row_defect_at(reading, RLK_DEFECT_ROW_KEY_MISSING, root, RLK_SLOTS(rlk_slot_prose("key", "launch")));
    return;
  }
  check_machine(reading, root);
  check_device(reading, launch);
  const bool runs = row->level != RLK_ROW_LEVEL_PLACEMENT;
  if (runs && !row->expected.reject && reading->checks_nothing) {
    rlk_row_defect_at(reading, RLK_DEFECT_ROW_COMPARES_NOTHING, launch, NULL, 0);
  }
  const char* contract = reading->asks_bit_exact && row->fixture_path ? open_order(reading) : NULL;
  if (contract) {
    rlk_row_defect_at(reading, RLK_DEFECT_ROW_GATE_CONTRACT, launch, RLK_SLOTS(rlk_slot_prose("contract", contract)));
  }
}
