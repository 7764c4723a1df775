#include "validator/plugin/samples.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const rlk_member_t vector[] = {
    {"format", "\"ptx\""},
    {"schema_version", "1"},
    {"pattern", "\"vector\""},
    {"aether_abi", "\"aether-abi/1\""},
    {"scalar_type", "\"float64\""},
    {"kernel", "\"gravity\""},
    {"vector_inputs", "[\"position\"]"},
    {"matrix_inputs", "[\"rotation\"]"},
    {"params", "[\"mu\", \"softening\"]"},
    {"per_sample", "[\"mass\"]"},
    {"accumulate", "true"},
    {"sink", "\"acceleration\""},
    {"vec_widths", "{\"out\": 3, \"position\": 3}"},
    {"mat_shapes", "{\"rotation\": [3, 3]}"},
    {"arg_spec",
     "[[\"out\", \"out\"], [\"vec_in\", \"position\"], [\"mat_in\", \"rotation\"], [\"per_sample\", \"mass\"],\n"
     "  [\"lookup\", \"profile\"], [\"terminated\", \"done\"], [\"uniform\", \"mu\"], [\"uniform\", \"softening\"]]"},
    {"buffers",
     "[{\"name\": \"profile\", \"kind\": \"lookup\", \"dtype\": \"float\", \"shape\": [2, 4], \"count\": 8}]"},
    {NULL, NULL},
};

static const rlk_member_t pure[] = {
    {"format", "\"cubin\""},
    {"schema_version", "2"},
    {"pattern", "\"pure\""},
    {"aether_abi", "\"aether-abi/2\""},
    {"scalar_type", "\"float64\""},
    {"kernel", "\"bump\""},
    {"host_entry", "\"bump_on_host\""},
    {"vector_inputs", "[]"},
    {"params_schema", "2"},
    {"params", "[{\"name\": \"rate\", \"dtype\": \"float\"}, {\"name\": \"limit\", \"dtype\": \"int\"}]"},
    {"per_sample", "[]"},
    {"mutables",
     "[{\"name\": \"counter\", \"dtype\": \"float\", \"width\": 1, \"default\": 0.0},\n"
     "  {\"name\": \"state\", \"dtype\": \"vector\", \"width\": 3, \"default\": null},\n"
     "  {\"name\": \"gain\", \"dtype\": \"matrix\", \"width\": 6, \"shape\": [2, 3]},\n"
     "  {\"name\": \"ticks\", \"dtype\": \"int\", \"width\": 1}]"},
    {"vec_widths", "{\"state\": 3}"},
    {"arg_spec",
     "[[\"mutable\", \"counter\"], [\"mutable\", \"state\"], [\"mutable\", \"gain\"], [\"mutable\", \"ticks\"],\n"
     "  [\"terminated\", \"done\"], [\"uniform\", \"rate\"], [\"uniform\", \"limit\"], [\"nsamples\", \"n\"]]"},
    {"buffers", "[]"},
    {"derivative",
     "{\"kind\": \"vjp\", \"primal\": \"bump_primal\", \"wrt\": [\"state\"], \"residual_policy\": \"recompute\",\n"
     "  \"residuals\": []}"},
    {"terminated_readonly", "false"},
    {"finish", "{\"mask\": \"done\", \"counter\": \"finished_count\", \"steps\": \"auto\", \"steps_max\": 64}"},
    {"launch", "{\"block\": 128, \"shmem_bytes\": 0, \"grid\": {}}"},
    {NULL, NULL},
};

static const rlk_member_t descriptor[] = {
    {"schema_version", "1"},
    {"pattern", "\"neural_block\""},
    {"scalar_type", "\"float32\""},
    {"forward_exec", "{\"kind\": \"kernel\", \"kernel\": \"forward\"}"},
    {"vjp_exec", "{\"kind\": \"kernel\", \"kernel\": \"backward\"}"},
    {"kernel", "\"block\""},
    {"in_degree", "4"},
    {"out_degree", "2"},
    {"input_width", "8"},
    {"output_width", "3"},
    {"state_width", "6"},
    {"param_width", "0"},
    {"scatter_policy", "\"unique_write\""},
    {"arg_spec", "[]"},
    {NULL, NULL},
};

static const rlk_member_t manifest_v1[] = {
    {"schema_version", "1"},
    {"version", "1"},
    {"pattern", "\"vector\""},
    {"aether_abi", "\"aether-abi/1\""},
    {"plugins",
     "[" RLK_SAMPLE_ENTRY("gravity", "0", "true", "gravity.ptx", "gravity.json", "ptx") ",\n  " RLK_SAMPLE_ENTRY(
         "drag", "1", "false", "drag.ptx", "drag.json", "ptx") "]"},
    {NULL, NULL},
};

static const rlk_member_t manifest_v2[] = {
    {"schema_version", "2"},
    {"pattern", "\"pure\""},
    {"aether_abi", "\"aether-abi/2\""},
    {"exec_targets", "[\"device\", \"host\"]"},
    {"exec_access", "\"mapreduce\""},
    {"exec_op", "\"sum\""},
    {"plugins", "[" RLK_SAMPLE_ENTRY("bump", "0", "true", "bump.cubin", "bump.json", "cubin") "]"},
    {NULL, NULL},
};

static const rlk_member_t neural[] = {
    {"schema_version", "2"},
    {"pattern", "\"neural_block\""},
    {"aether_abi", "\"aether-abi/2\""},
    {"exec_targets", "[\"host\"]"},
    {"exec_access", "\"sample_local\""},
    {"plugins",
     "[" RLK_SAMPLE_ENTRY("forward", "0", "true", "forward.cubin", "forward.json", "cubin") ",\n  " RLK_SAMPLE_ENTRY(
         "backward", "1", "true", "backward.cubin", "backward.json", "cubin") "]"},
    {"blocks",
     "[{\"schema_version\": 1, \"pattern\": \"neural_block\", \"scalar_type\": \"float64\", \"kernel\": \"block\",\n"
     "  \"forward_exec\": {\"kind\": \"kernel\", \"kernel\": \"forward\"},\n"
     "  \"vjp_exec\": {\"kind\": \"kernel\", \"kernel\": \"backward\"}, \"arg_spec\": [],\n"
     "  \"in_degree\": 1, \"out_degree\": 1, \"input_width\": 2, \"output_width\": 2, \"state_width\": 2,\n"
     "  \"param_width\": 4, \"scatter_policy\": \"accumulate\"}]"},
    {NULL, NULL},
};

static const rlk_member_t* const members[RLK_SAMPLE_COUNT] = {
    [RLK_SAMPLE_VECTOR] = vector,           [RLK_SAMPLE_PURE] = pure,
    [RLK_SAMPLE_DESCRIPTOR] = descriptor,   [RLK_SAMPLE_MANIFEST_V1] = manifest_v1,
    [RLK_SAMPLE_MANIFEST_V2] = manifest_v2, [RLK_SAMPLE_NEURAL] = neural,
};

/* The member of that key, or NULL. */
static const rlk_member_t* find(const rlk_member_t* list, size_t count, const char* key) {
  for (size_t i = 0; i < count && list[i].key; ++i) {
    if (strcmp(list[i].key, key) == 0) return &list[i];
  }
  return NULL;
}

/* Puts the member, unless it is taken out, and returns the new end. With `out` NULL only measures. */
static size_t put_member(char* out, size_t at, const rlk_member_t* member) {
  if (!member->value) return at;
  const char* const pieces[] = {at == 1 ? "\n  \"" : ",\n  \"", member->key, "\": ", member->value};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; ++i) {
    const size_t length = strlen(pieces[i]);
    if (out) memcpy(out + at, pieces[i], length);
    at += length;
  }
  return at;
}

static size_t put_members(char* out, const rlk_member_t* base, const rlk_member_t* edits, size_t edit_count) {
  size_t at = 1;
  size_t base_count = 0;
  for (; base[base_count].key; ++base_count) {
    const rlk_member_t* edit = find(edits, edit_count, base[base_count].key);
    at = put_member(out, at, edit ? edit : &base[base_count]);
  }
  for (size_t i = 0; i < edit_count && edits[i].key; ++i) {
    const bool known = find(base, base_count, edits[i].key) || find(edits, i, edits[i].key);
    if (!known) at = put_member(out, at, &edits[i]);
  }
  return at;
}

char* rlk_sample_text(rlk_sample_t sample, const rlk_member_t* edits, size_t edit_count) {
  const size_t length = put_members(NULL, members[sample], edits, edit_count);
  char* text = malloc(length + 4);
  if (!text) return NULL;
  text[0] = '{';
  put_members(text, members[sample], edits, edit_count);
  memcpy(text + length, "\n}\n", 4);
  return text;
}

const rlk_sample_file_t* rlk_sample_files(size_t* out_count) {
  static const rlk_sample_file_t files[] = {
      {"gravity.json", RLK_SAMPLE_VECTOR}, {"gravity.ptx", RLK_SAMPLE_VECTOR}, {"drag.json", RLK_SAMPLE_VECTOR},
      {"drag.ptx", RLK_SAMPLE_VECTOR},     {"bump.json", RLK_SAMPLE_PURE},     {"bump.cubin", RLK_SAMPLE_PURE},
      {"forward.json", RLK_SAMPLE_PURE},   {"forward.cubin", RLK_SAMPLE_PURE}, {"backward.json", RLK_SAMPLE_PURE},
      {"backward.cubin", RLK_SAMPLE_PURE},
  };
  *out_count = sizeof files / sizeof *files;
  return files;
}
