/* What an artifact holds, read from its bytes without running, mapping or loading any of it: its entries with their
 * parameters, what they were compiled for, and the exported layout sizes.
 *
 * Every size and offset that the file states is checked against the file before it is used. */
#ifndef ROWLOCK_LOADER_ARTIFACT_ARTIFACT_H
#define ROWLOCK_LOADER_ARTIFACT_ARTIFACT_H

#include "loader/rowlock.h"
#include "validator/wire/arena.h"

#define RLK_ARTIFACT_BYTES_MAX (UINT64_C(256) << 20)

/* What the compressed modules of a fatbin may have together: so much, and so much more for each byte of the file, up to
 * RLK_ARTIFACT_BYTES_MAX. Compilers pack code to a quarter and text to a tenth. */
#define RLK_ARTIFACT_UNPACKED_BASE (UINT64_C(64) << 20)
enum { RLK_ARTIFACT_UNPACKED_RATIO = 8 };

enum {
  RLK_ARTIFACT_ENTRIES_MAX = 4096,
  RLK_ARTIFACT_PARAMETERS_MAX = 4096, /* of one entry */
  RLK_ARTIFACT_MODULES_MAX = 256,     /* of a fatbin */
  RLK_ARTIFACT_NAME_MAX = 4096,       /* bytes of an entry's name */
  RLK_ARTIFACT_LAYOUT_MAX = 4096,     /* bytes of the layout array that are kept */
};

/* RLK_ARTIFACT_KIND(ID, the manifest's word for it, in a sentence) */
#define RLK_ARTIFACT_KINDS(RLK_ARTIFACT_KIND)     \
  RLK_ARTIFACT_KIND(PTX, "ptx", "PTX")            \
  RLK_ARTIFACT_KIND(CUBIN, "cubin", "a cubin")    \
  RLK_ARTIFACT_KIND(FATBIN, "fatbin", "a fatbin") \
  RLK_ARTIFACT_KIND(HOST, NULL, "a host shared object")

typedef enum rlk_artifact_kind_t {
#define RLK_ARTIFACT_KIND(ID, format, name) RLK_ARTIFACT_##ID,
  RLK_ARTIFACT_KINDS(RLK_ARTIFACT_KIND)
#undef RLK_ARTIFACT_KIND
} rlk_artifact_kind_t;

const char* rlk_artifact_kind_name(rlk_artifact_kind_t kind);
const char* rlk_artifact_kind_format(rlk_artifact_kind_t kind); /* NULL: no manifest names such a file */
const char* rlk_artifact_kind_word(rlk_artifact_kind_t kind);   /* the format, or "host" */

/* RLK_COMPRESSION(ID, name, the lowest CUDA driver that unpacks it, times ten; 0: any) */
#define RLK_COMPRESSIONS(RLK_COMPRESSION) \
  RLK_COMPRESSION(NONE, "none", 0)        \
  RLK_COMPRESSION(LZ4, "lz4", 0)          \
  RLK_COMPRESSION(ZSTD, "zstd", 124)

typedef enum rlk_compression_t {
#define RLK_COMPRESSION(ID, name, driver) RLK_COMPRESSION_##ID,
  RLK_COMPRESSIONS(RLK_COMPRESSION)
#undef RLK_COMPRESSION
} rlk_compression_t;

const char* rlk_compression_name(rlk_compression_t compression);

/* CUDA versions are numbers of two parts: 12.4 is 124. The lowest driver that takes such a payload; 0: any. */
uint32_t rlk_compression_driver(rlk_compression_t compression);

typedef struct rlk_artifact_parameter_t {
  const char* name; /* NULL where the container does not say, as below */
  const char* type; /* "f64", "u32", "b8": of PTX */
  uint32_t offset, bytes;
  uint32_t alignment; /* 0 where the container does not say */
} rlk_artifact_parameter_t;

typedef struct rlk_artifact_entry_t {
  const char* name;
  rlk_artifact_parameter_t* parameters; /* by ordinal */
  size_t parameter_count;
  bool has_parameters; /* a host function's parameters are nowhere to be read */
  bool is_defined;     /* a PTX prototype is not, nor is a symbol that an object takes from elsewhere */
  uint32_t block_bytes;
} rlk_artifact_entry_t;

/* The array `eagle_layout_sizes`. */
typedef struct rlk_artifact_layout_t {
  bool is_there;
  const uint8_t* bytes; /* NULL: zeros; otherwise `length` of them, RLK_ARTIFACT_LAYOUT_MAX at most */
  uint64_t length;      /* as the file says it */
} rlk_artifact_layout_t;

/* "sm_90a": family-specific targets end in f. */
typedef struct rlk_target_t {
  uint32_t sm;
  char suffix; /* '\0', 'a' or 'f' */
} rlk_target_t;

/* One piece of code: a file that is one, or an entry of a fatbin. */
typedef struct rlk_module_t {
  rlk_artifact_kind_t kind; /* PTX, CUBIN or HOST */
  rlk_target_t target;
  uint32_t ptx_version; /* 8.4 is 84 */
  bool old_flags;       /* of a cubin: the SM number was where older toolkits put it */
  rlk_compression_t compression;
  uint64_t offset, packed_bytes, bytes; /* in the file, there and unpacked */
  rlk_artifact_entry_t* entries;        /* in the order of the file */
  size_t entry_count;
  const rlk_artifact_entry_t** by_name; /* sorted, for rlk_module_find */
  rlk_artifact_layout_t layout;
} rlk_module_t;

/* Lives in the arena that it was read into. */
typedef struct rlk_artifact_t {
  rlk_artifact_kind_t kind;
  uint64_t bytes;
  uint64_t unpacked_bytes; /* what its compressed modules have: what reading it costs, above its own bytes */
  rlk_module_t* modules;
  size_t module_count;
} rlk_artifact_t;

/* Reads an artifact; its bytes are not needed afterwards.
 * ROWLOCK_REJECTED: it is none, or damaged, by a rule of `artifact` or `host`; ROWLOCK_NO_MEMORY. Nothing but its sizes
 * is known then. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_artifact_read(const void* bytes, size_t length, rlk_arena_t* arena,
                                                    rlk_artifact_t* out_artifact, rowlock_error_t* err);

/* The entry of that name, or NULL. */
const rlk_artifact_entry_t* rlk_module_find(const rlk_module_t* module, const char* name);

/* The lowest CUDA driver whose compiler takes PTX of that version, 0 if the version is not known. */
uint32_t rlk_ptx_driver(uint32_t ptx_version);

/* Whether a device of that SM can run the code: a cubin in its own major generation from its own number up, PTX from
 * its number up; with suffix a, on exactly that device; with f, in its family. */
bool rlk_module_runs_on(const rlk_module_t* module, uint32_t sm);

#endif
