/* Sound documents of every kind the format has, to be taken as they are or with a few members changed. For tests: what
 * a test says is then the one difference. */
#ifndef ROWLOCK_VALIDATOR_PLUGIN_SAMPLES_H
#define ROWLOCK_VALIDATOR_PLUGIN_SAMPLES_H

#include <stddef.h>

typedef enum rlk_sample_t {
  RLK_SAMPLE_VECTOR, /* sidecars */
  RLK_SAMPLE_PURE,
  RLK_SAMPLE_DESCRIPTOR,
  RLK_SAMPLE_MANIFEST_V1, /* vector; its sidecars are gravity.json and drag.json */
  RLK_SAMPLE_MANIFEST_V2, /* pure; its sidecar is bump.json */
  RLK_SAMPLE_NEURAL,      /* a neural deployment; its kernels' sidecars are forward.json and backward.json */
  RLK_SAMPLE_COUNT
} rlk_sample_t;

/* A member of a JSON object, its value as JSON text; NULL takes the member out. */
typedef struct rlk_member_t {
  const char *key, *value;
} rlk_member_t;

/* The sample's text, its members changed as `edits` say; new ones come last, and the first
 * edit of a key counts. The caller frees it; NULL when memory is
 * short. */
char* rlk_sample_text(rlk_sample_t sample, const rlk_member_t* edits, size_t edit_count);

/* A file beside a manifest. */
typedef struct rlk_sample_file_t {
  const char* path;
  rlk_sample_t sidecar; /* what it holds; artifacts are not read, so any will do for them */
} rlk_sample_file_t;

/* Every file that the manifests above name, sidecars and artifacts alike. */
const rlk_sample_file_t* rlk_sample_files(size_t* out_count);

/* An entry of a manifest as JSON text; `order` and `enabled` are JSON texts too. */
#define RLK_SAMPLE_ENTRY(id, order, enabled, artifact, sidecar, format)                            \
  "{\"id\": \"" id "\", \"order\": " order ", \"enabled\": " enabled ", \"artifact\": \"" artifact \
  "\", \"sidecar\": \"" sidecar "\", \"format\": \"" format "\"}"

#endif
