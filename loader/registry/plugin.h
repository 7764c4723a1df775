/* What a kernel sidecar says of its plugin, in the shape that binding, packing and running need. */
#ifndef ROWLOCK_LOADER_REGISTRY_PLUGIN_H
#define ROWLOCK_LOADER_REGISTRY_PLUGIN_H

#include "loader/registry/parameters.h"
#include "validator/wire/arena.h"
#include "validator/wire/document.h"

typedef struct rlk_description_t rlk_description_t;
typedef struct rlk_parameter_t rlk_parameter_t;

enum { RLK_UNDECLARED = -1 };

struct rlk_parameter_t {
  const char* name;
  rlk_word_t role;
  rowlock_binding_t binding;
  rowlock_element_t element;
  bool is_int_too; /* a uniform whose type is not declared may be bound as int64 as well */
  bool is_written, is_folded;
  uint32_t width;         /* components a sample; 0: undeclared */
  uint32_t rows, columns; /* of a matrix; 0: undeclared */
  int64_t table_count;    /* elements of a table, or RLK_UNDECLARED */
  int64_t table_shape;    /* the product of its shape, or RLK_UNDECLARED */
  /* The registry's: where the name stands in its table, and who else declares it. */
  uint32_t bound, result;
  const rlk_description_t* description;
  const rlk_parameter_t *next_bound, *next_result;
};

struct rlk_description_t {
  const char *id, *kernel, *host_symbol;
  rlk_word_t scalar_type; /* RLK_WORD_FLOAT64 where the sidecar does not say */
  rlk_word_t tag;         /* of AETHER_ABI: the sidecar's own */
  rlk_word_t access, op;  /* RLK_WORD_NONE where nothing says */
  bool targets_host, targets_device;
  bool is_enabled_first; /* as the manifest says */
  rlk_parameter_t* parameters;
  size_t parameter_count;
};

/* What comes from outside the sidecar: from its manifest, or from whoever loads it alone. */
typedef struct rlk_entry_t {
  const char* id;
  size_t id_length;
  bool is_enabled;
  rlk_word_t access, op;
  bool targets_host, targets_device;
  rlk_word_t manifest_tag; /* RLK_WORD_NONE: there is no manifest */
} rlk_entry_t;

/* Describes a sidecar that has passed the gates of a host door, in `arena`. Where a declaration is such that no binding
 * could be measured against it, a load rule refuses. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_describe(const rlk_document_t* sidecar, const rlk_entry_t* entry,
                                               const rowlock_limits_t* limits, rlk_arena_t* arena,
                                               rlk_description_t* out_description, rowlock_error_t* err);

#endif
