/* Rowlock: what a kernel plugin's files promise, checked. The one public header of the library, for C and C++.
 *
 * Two things, never one type: a *code* says why an operation stopped; a *finding* says what is wrong with a document.
 * Judging a bad document is a success of the library: the call returns ROWLOCK_REJECTED and the findings say why. */
#ifndef ROWLOCK_H
#define ROWLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ROWLOCK_MUST_CHECK __attribute__((warn_unused_result))
#define ROWLOCK_PRINTF(format_index, first_index) __attribute__((format(printf, format_index, first_index)))
#else
#define ROWLOCK_MUST_CHECK
#define ROWLOCK_PRINTF(format_index, first_index)
#endif

/* ROWLOCK_CODE(NAME, exit status of a command that ends so, meaning) */
#define ROWLOCK_CODES(ROWLOCK_CODE)                                                               \
  ROWLOCK_CODE(OK, 0, "as expected")                                                              \
  ROWLOCK_CODE(REJECTED, 1, "judged and refused; the findings, or the error's rule, say why")     \
  ROWLOCK_CODE(UNUSABLE, 2, "cannot be judged: missing file, path outside its folder, bad usage") \
  ROWLOCK_CODE(UNAVAILABLE, 3, "this machine lacks it; a skip unless it was required")            \
  ROWLOCK_CODE(NO_MEMORY, 3, "allocation failed; everything is as before the call")               \
  ROWLOCK_CODE(INTERNAL, 3, "a defect of Rowlock itself")

typedef enum rowlock_code_t {
#define ROWLOCK_CODE(name, exit_status, meaning) ROWLOCK_##name,
  ROWLOCK_CODES(ROWLOCK_CODE)
#undef ROWLOCK_CODE
} rowlock_code_t;

/* The code's name ("REJECTED"), its meaning in words, and the exit status of a command that ends with it. */
const char* rowlock_code_name(rowlock_code_t code);
const char* rowlock_code_meaning(rowlock_code_t code);
int rowlock_code_exit_status(rowlock_code_t code);

/* The caller's, so that it outlives whatever failed. Empty after success. */
typedef struct rowlock_error_t {
  char message[1024];
  const char* rule_id; /* of the rule that refused, static; NULL when no rule speaks */
} rowlock_error_t;

typedef enum rowlock_severity_t {
  ROWLOCK_SEVERITY_ERROR,   /* a gate refused the document */
  ROWLOCK_SEVERITY_WARNING, /* a contract check: a promise of the producer that no loader verifies */
  ROWLOCK_SEVERITY_NOTE,    /* the document is sound, but this door does not take its kind */
} rowlock_severity_t;

/* One defect. Strings are owned by the list that holds the finding and live until it is cleared or destroyed. */
typedef struct rowlock_finding_t {
  const char* rule_id; /* row of the rule table, "sidecar.role-unknown"; `rowlock rules ID` explains it */
  rowlock_severity_t severity;
  const char* message;      /* begins with, or holds, the rule's leading clause */
  const char* path;         /* the file that holds the defect: a manifest's finding may be in one of its sidecars */
  const char* json_pointer; /* RFC 6901, "" is the root: "/arg_spec/2/0"; as in the document, control characters too */
  uint64_t byte_offset;     /* 0-based */
  uint32_t line, column;    /* 1-based, column in code points; the parent's when the defect is an absence */
  uint32_t doors;           /* bit i: the door of that index in the door table reported it; 0 for a contract check */
} rowlock_finding_t;

/* A growing list of findings. Not thread-safe: one thread, or one lock. */
typedef struct rowlock_findings_t rowlock_findings_t;

/* Creates an empty list. NULL when memory is short. The caller destroys it; destroying NULL does nothing. */
ROWLOCK_MUST_CHECK rowlock_findings_t* rowlock_findings_create(void);
void rowlock_findings_destroy(rowlock_findings_t* findings);

/* Forgets every finding and keeps the memory for the next document. */
void rowlock_findings_clear(rowlock_findings_t* findings);
size_t rowlock_findings_count(const rowlock_findings_t* findings);

/* The finding of that index, in the order of discovery; `index` must be below the count. */
const rowlock_finding_t* rowlock_findings_at(const rowlock_findings_t* findings, size_t index);

/* How many more defects were seen after the list was full (ROWLOCK_FINDINGS_MAX), each once, however many doors saw it.
 * The count ends at ROWLOCK_FINDINGS_DROPPED_MAX. */
#define ROWLOCK_FINDINGS_MAX 1000
#define ROWLOCK_FINDINGS_DROPPED_MAX 1000000
uint64_t rowlock_findings_dropped(const rowlock_findings_t* findings);

/* Reads and judges documents; owns the buffers that are used again for each one. Not thread-safe. */
typedef struct rowlock_checker_t rowlock_checker_t;

ROWLOCK_MUST_CHECK rowlock_code_t rowlock_checker_create(rowlock_checker_t** out_checker, rowlock_error_t* err);
void rowlock_checker_destroy(rowlock_checker_t* checker);

/* Which bounds a document must keep. Zero means the default. */
typedef struct rowlock_limits_t {
  uint32_t depth;      /* nesting of arrays and objects; default 64 */
  uint64_t size_bytes; /* default 16 MiB, at most 1 GiB */
  uint32_t values;     /* values in the document; default 1 000 000 */
  uint32_t entries;    /* plugins or blocks of a manifest, arguments and names of a sidecar; default 4096 */
} rowlock_limits_t;

void rowlock_checker_set_limits(rowlock_checker_t* checker, const rowlock_limits_t* limits);

/* Judges the sidecar or manifest at `path` at the door of that name, gates in the door's order, first failure wins.
 * A manifest's entries are opened beside it; no artifact is opened. The findings then hold the one gate that refused.
 * ROWLOCK_OK accepted, ROWLOCK_REJECTED refused, ROWLOCK_UNUSABLE no such door or the file cannot be read. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_checker_judge(rowlock_checker_t* checker, const char* door, const char* path,
                                                        rowlock_findings_t* findings, rowlock_error_t* err);

/* --- Launching on the host: what kernels are passed --------------------------------------------------------------- */

#ifdef __cplusplus
#define ROWLOCK_STATIC_ASSERT(condition, message) static_assert(condition, message)
#else
#define ROWLOCK_STATIC_ASSERT(condition, message) _Static_assert(condition, message)
#endif

/* A vector or matrix view: component c of sample i is element c * component_stride + i * sample_stride. A matrix of R x
 * C is a vector of R*C components, component r*C + c. */
typedef struct rowlock_gref_t {
  void* data;
  uint64_t samples; /* of the whole run, never of a partition */
  uint64_t component_stride, sample_stride;
  int32_t device_type, device_id; /* rowlock_device_type_t */
} rowlock_gref_t;

/* A scalar handle: one element a sample, or a flat buffer. */
typedef struct rowlock_handle_t {
  void* data;
  uint64_t samples; /* of the whole run; of a table or wide buffer its element count */
  uint64_t stride;
  int32_t device_type, device_id;
} rowlock_handle_t;

/* The same over int64 elements. */
typedef struct rowlock_int_handle_t {
  int64_t* data;
  uint64_t samples, stride;
  int32_t device_type, device_id;
} rowlock_int_handle_t;

/* What `nsamples` is passed as. */
typedef uint32_t rowlock_index_t;

/* A share of a run: the samples [base, base + count) of sample_count. */
typedef struct rowlock_partition_t {
  int64_t base, count, sample_count;
} rowlock_partition_t;

/* The codes of DLPack. */
typedef enum rowlock_device_type_t { ROWLOCK_DEVICE_CPU = 1, ROWLOCK_DEVICE_CUDA = 2 } rowlock_device_type_t;

/* STRUCT(type, bytes), in the order of the exported layout array, and FIELD(type, field, offset): both ABI tags. */
#define ROWLOCK_ABI_STRUCTS(STRUCT) \
  STRUCT(rowlock_gref_t, 40)        \
  STRUCT(rowlock_handle_t, 32)      \
  STRUCT(rowlock_int_handle_t, 32)  \
  STRUCT(rowlock_index_t, 4)        \
  STRUCT(rowlock_partition_t, 24)
#define ROWLOCK_ABI_FIELDS(FIELD)              \
  FIELD(rowlock_gref_t, data, 0)               \
  FIELD(rowlock_gref_t, samples, 8)            \
  FIELD(rowlock_gref_t, component_stride, 16)  \
  FIELD(rowlock_gref_t, sample_stride, 24)     \
  FIELD(rowlock_gref_t, device_type, 32)       \
  FIELD(rowlock_gref_t, device_id, 36)         \
  FIELD(rowlock_handle_t, data, 0)             \
  FIELD(rowlock_handle_t, samples, 8)          \
  FIELD(rowlock_handle_t, stride, 16)          \
  FIELD(rowlock_handle_t, device_type, 24)     \
  FIELD(rowlock_handle_t, device_id, 28)       \
  FIELD(rowlock_int_handle_t, data, 0)         \
  FIELD(rowlock_int_handle_t, samples, 8)      \
  FIELD(rowlock_int_handle_t, stride, 16)      \
  FIELD(rowlock_int_handle_t, device_type, 24) \
  FIELD(rowlock_int_handle_t, device_id, 28)   \
  FIELD(rowlock_partition_t, base, 0)          \
  FIELD(rowlock_partition_t, count, 8)         \
  FIELD(rowlock_partition_t, sample_count, 16)

#define ROWLOCK_ABI_CHECK_STRUCT(type, bytes) ROWLOCK_STATIC_ASSERT(sizeof(type) == (bytes), #type);
#define ROWLOCK_ABI_CHECK_FIELD(type, field, offset) \
  ROWLOCK_STATIC_ASSERT(offsetof(type, field) == (offset), #type "." #field);
ROWLOCK_ABI_STRUCTS(ROWLOCK_ABI_CHECK_STRUCT)
ROWLOCK_ABI_FIELDS(ROWLOCK_ABI_CHECK_FIELD)
ROWLOCK_STATIC_ASSERT(sizeof(bool) == 1, "the elements of a mask are 1-byte bools");

/* The entry of a host object: params[i] is the address of argument i. One of aether-abi/1 runs the whole run and
 * threads itself; one of aether-abi/2 runs the samples [base, base + count) on the calling thread. */
typedef void (*rowlock_host_entry_v1_t)(void* const* params, int32_t sample_count);
typedef void (*rowlock_host_entry_v2_t)(void* const* params, int64_t base, int64_t count, int64_t sample_count);

/* --- Launching on the host: loading plugins ----------------------------------------------------------------------- */

/* Plugins loaded from manifests and sidecars, and the data bound to their arguments by name. Not thread-safe: one
 * thread, or one lock. What a function refuses by a rule is ROWLOCK_REJECTED, with the rule in `err`. */
typedef struct rowlock_registry_t rowlock_registry_t;

ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_create(rowlock_registry_t** out_registry, rowlock_error_t* err);

/* --- Devices ------------------------------------------------------------------------------------------------------ */

/* A CUDA device: the driver is opened with the first call, and a machine without one says ROWLOCK_UNAVAILABLE and why.
 * The device's primary context is bound for each call and given back after it, so that a thread that never used CUDA
 * works, and one that uses another device finds it as it was. */
typedef struct rowlock_device_t rowlock_device_t;

/* Strings live as long as the device. */
typedef struct rowlock_device_info_t {
  const char* name;
  uint32_t sm; /* 90: compute capability 9.0 */
  uint64_t memory_bytes;
  const char* driver_path; /* of the library that was really opened */
  uint32_t driver_version; /* CUDA version that it is for: 130 is 13.0 */
} rowlock_device_info_t;

ROWLOCK_MUST_CHECK rowlock_code_t rowlock_device_count(uint32_t* out_count, rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_device_open(uint32_t ordinal, rowlock_device_t** out_device,
                                                      rowlock_error_t* err);

/* After the registries on it. NULL does nothing. */
void rowlock_device_close(rowlock_device_t* device);
rowlock_device_info_t rowlock_device_info(const rowlock_device_t* device);

/* Waits for all that was launched. What failed meanwhile is told here. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_device_synchronize(const rowlock_device_t* device, rowlock_error_t* err);

/* Memory on the device; zero bytes are none. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_device_alloc(const rowlock_device_t* device, uint64_t bytes, void** out_data,
                                                       rowlock_error_t* err);
void rowlock_device_free(const rowlock_device_t* device, void* data);

/* Copies between host and device; whatever was launched on the default stream before has ended then. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_device_upload(const rowlock_device_t* device, void* to, const void* from,
                                                        uint64_t bytes, rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_device_download(const rowlock_device_t* device, void* to, const void* from,
                                                          uint64_t bytes, rowlock_error_t* err);

/* A registry whose plugins are modules on the device (borrowed), with this header's other calls as they are, but:
 * * add_manifest passes the gates of the door device_load_manifest, then loads the artifacts, each of which is read and
 *   proved against its sidecar before the driver sees it;
 * * data that is bound are addresses on the device, results too; a table's data is on the host, is uploaded by
 *   consolidate and belongs to the registry: one that is replaced goes when the new one is there;
 * * add_plugin takes, of a sidecar NAME.sidecar.json or NAME.json, the artifact NAME with the extension that the key
 *   `format` says (ptx, cubin or fatbin; the first of them that is there where it says none), or `object_path`;
 * * of structures there is device_kernel, of at most 2^31-1 blocks of 256 samples a partition. Runs, whole or by
 * part, of all plugins or of one, and folds launch, allocate nothing, wait for nothing, and may be captured into a
 * graph on `stream`. A graph keeps the addresses and values that were bound when it was captured: whoever binds,
 * consolidates or unbinds afterwards captures anew. Where parts went to other streams, the caller lets that of the fold
 * wait.
 *
 * `table_bytes_max` bounds all tables together; 0: the device does. Registries on one device may be made and used by
 * different threads. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_create_on(rowlock_device_t* device, uint64_t table_bytes_max,
                                                             rowlock_registry_t** out_registry, rowlock_error_t* err);

/* What the driver's compiler said of the module that was refused when the registry loaded last: its log of errors, then
 * the other, with line ends and as they came. Each is whole up to 1 MiB; what is longer is cut there and ends in a line
 * that says so. NULL if it said nothing, and of a registry on the host. Ends with the next load. */
const char* rowlock_registry_compiler_log(const rowlock_registry_t* registry);

/* Strings and infos of the registry end here; bound data is the caller's. NULL does nothing. */
void rowlock_registry_destroy(rowlock_registry_t* registry);

/* How plugins are loaded. Zeroed is the default; strings are borrowed during the call.
 *
 * The format does not say where the host object of a manifest's entry is. It is, in this order: `object_path`, then one
 * object for every entry; the entry's artifact itself, if that is a shared object of this machine; the artifact's path
 * with ".so" in place of its extension, beside the manifest; the same below `object_folder`. The paths that the
 * manifest names must stay inside its folder; those of this struct go wherever the caller says. */
typedef struct rowlock_load_options_t {
  const char* object_path;
  const char* object_folder;
  rowlock_limits_t limits;
  const char *exec_access, *exec_op; /* add_plugin's alone, of v2: what a manifest would say; NULL: no promise */
} rowlock_load_options_t;

/* Loads every plugin that the manifest lists, in declared order: the gates of the door host_load_manifest, then the
 * objects. The rule sidecar.host-float64-only does not apply: this loader executes softdouble as float64, and float32
 * through the typed twins of the calls below.
 *
 * All or nothing: on failure the registry is as it was. `options` and `findings` may be NULL. Where a gate refuses, the
 * last of `findings` says which and where, and `err` repeats its message and rule, after its place where that is in a
 * document that the manifest names. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_add_manifest(rowlock_registry_t* registry, const char* manifest_path,
                                                                const rowlock_load_options_t* options,
                                                                rowlock_findings_t* findings, rowlock_error_t* err);

/* Loads one plugin by its sidecar alone, under that id: the gates of the door host_add_plugin, then the object, which
 * is `object_path`, or the sidecar's path with ".so" in place of ".json" or, where its name goes on before that, of
 * ".sidecar.json", or the file of that name in `object_folder`. For the rest as add_manifest. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_add_plugin(rowlock_registry_t* registry, const char* id,
                                                              const char* sidecar_path,
                                                              const rowlock_load_options_t* options,
                                                              rowlock_findings_t* findings, rowlock_error_t* err);

/* A disabled plugin stays loaded and bound and is not run; a disabled registry runs none. An entry starts as its
 * manifest says, a registry enabled. */
void rowlock_registry_set_enabled(rowlock_registry_t* registry, bool enabled);
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_set_plugin_enabled(rowlock_registry_t* registry, const char* id,
                                                                      bool enabled, rowlock_error_t* err);

/* --- Launching on the host: what was loaded ----------------------------------------------------------------------- */

/* ELEMENT(ID, name, bytes): what a bound buffer or uniform consists of. */
#define ROWLOCK_ELEMENTS(ELEMENT) \
  ELEMENT(FLOAT64, "float64", 8)  \
  ELEMENT(FLOAT32, "float32", 4)  \
  ELEMENT(INT64, "int64", 8)      \
  ELEMENT(BOOL, "bool", 1)

typedef enum rowlock_element_t {
#define ROWLOCK_ELEMENT(ID, name, bytes) ROWLOCK_ELEMENT_##ID,
  ROWLOCK_ELEMENTS(ROWLOCK_ELEMENT)
#undef ROWLOCK_ELEMENT
} rowlock_element_t;

const char* rowlock_element_name(rowlock_element_t element);
size_t rowlock_element_bytes(rowlock_element_t element);

/* BINDING(ID, name): the ways to bind a name, one call (and its typed twins) each. */
#define ROWLOCK_BINDINGS(BINDING)                                           \
  BINDING(VECTOR, "vector")                                                 \
  BINDING(MATRIX, "matrix")                                                 \
  BINDING(HANDLE, "handle")                                                 \
  BINDING(INT_HANDLE, "int handle")                                         \
  BINDING(MASK, "mask")                                                     \
  BINDING(WIDE, "wide buffer")                                              \
  BINDING(TABLE, "table") /* consolidated */                                \
  BINDING(UNIFORM, "uniform")                                               \
  BINDING(RESULT, "result")     /* where a mapreduce output is folded to */ \
  BINDING(NONE, "sample count") /* `nsamples`: the run knows it */

typedef enum rowlock_binding_t {
#define ROWLOCK_BINDING(ID, name) ROWLOCK_BINDING_##ID,
  ROWLOCK_BINDINGS(ROWLOCK_BINDING)
#undef ROWLOCK_BINDING
} rowlock_binding_t;

const char* rowlock_binding_name(rowlock_binding_t binding);

/* A loaded plugin. Strings live as long as the registry. */
typedef struct rowlock_plugin_t {
  const char *id, *kernel, *host_symbol, *object_path;
  const char* scalar_type; /* "float64" where the sidecar does not say */
  uint32_t abi_generation; /* 1 or 2, of the sidecar's tag */
  bool enabled;
  bool is_ptx_fallback; /* on a device: its artifact has code for others, and the driver compiled its PTX for this */
  /* exec_targets, both false without a manifest of schema 2. Told, not asked: what has a host entry can be run here. */
  bool targets_host, targets_device;
  const char *exec_access, *exec_op; /* NULL where nothing says */
  size_t argument_count;
} rowlock_plugin_t;

/* One of a plugin's arguments, in arg_spec order. What the sidecar leaves open is 0 and not checked. */
typedef struct rowlock_argument_t {
  const char *role, *name;
  rowlock_binding_t binding;
  rowlock_element_t element;
  bool is_int_too;        /* a uniform of 8 bytes whose type the sidecar does not declare: float64 or int64 */
  size_t parameter_bytes; /* 40, 32, 8 or 4 */
  uint32_t width;         /* components a sample */
  uint32_t rows, columns; /* of a matrix */
  uint64_t table_count;   /* elements of a table */
  bool is_written;        /* by its role; `terminated` is, unless terminated_readonly */
  bool is_folded;         /* an output of a mapreduce plugin: its name is also bound as a result */
  bool is_bound;
} rowlock_argument_t;

size_t rowlock_registry_plugin_count(const rowlock_registry_t* registry);

/* `index` must be below the count; infos are copies of the state at the call. */
rowlock_plugin_t rowlock_registry_plugin_at(const rowlock_registry_t* registry, size_t index);
rowlock_argument_t rowlock_registry_argument_at(const rowlock_registry_t* registry, size_t plugin_index,
                                                size_t argument_index);

/* The declared tables of all plugins, each name once. */
typedef struct rowlock_table_t {
  const char* name;
  uint64_t count; /* elements; 0 where no plugin declares it */
  bool is_consolidated;
  const void* data; /* what kernels are passed: of a registry on a device, an address there; NULL until consolidated */
} rowlock_table_t;

size_t rowlock_registry_table_count(const rowlock_registry_t* registry);
rowlock_table_t rowlock_registry_table_at(const rowlock_registry_t* registry, size_t index);

/* What the enabled plugins still need. */
typedef struct rowlock_unbound_t {
  const char *plugin_id, *name;
  rowlock_binding_t binding;
} rowlock_unbound_t;

/* Fills up to `capacity` of `out_unbound` in declared order and returns how many there are. */
size_t rowlock_registry_unbound(const rowlock_registry_t* registry, rowlock_unbound_t* out_unbound, size_t capacity);

/* --- Launching on the host: binding data to names ----------------------------------------------------------------- */

/* A name is bound in all plugins that declare it, loaded before or after. Data is borrowed, and its address passed to
 * the kernels, until the name is bound again or unbound or the registry destroyed. Each call checks what a kernel would
 * otherwise run into, against every plugin that declares the name, and names what was expected; a refused binding
 * leaves the one before it.
 *
 * Buffers are contiguous and component-major: component c of sample i is element c * sample_count + i. Each call takes
 * the element type of its signature: plugins of scalar_type float32 take the _f32 twins, all others float64. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_bind_vector(rowlock_registry_t* registry, const char* name,
                                                               double* data, uint64_t sample_count, uint32_t width,
                                                               rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_bind_vector_f32(rowlock_registry_t* registry, const char* name,
                                                                   float* data, uint64_t sample_count, uint32_t width,
                                                                   rowlock_error_t* err);

typedef struct rowlock_shape_t {
  uint32_t rows, columns;
} rowlock_shape_t;

ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_bind_matrix(rowlock_registry_t* registry, const char* name,
                                                               double* data, uint64_t sample_count,
                                                               rowlock_shape_t shape, rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_bind_matrix_f32(rowlock_registry_t* registry, const char* name,
                                                                   float* data, uint64_t sample_count,
                                                                   rowlock_shape_t shape, rowlock_error_t* err);

/* One element a sample: per_sample, and mutables of dtype float and int. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_bind_handle(rowlock_registry_t* registry, const char* name,
                                                               double* data, uint64_t sample_count,
                                                               rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_bind_handle_f32(rowlock_registry_t* registry, const char* name,
                                                                   float* data, uint64_t sample_count,
                                                                   rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_bind_int_handle(rowlock_registry_t* registry, const char* name,
                                                                   int64_t* data, uint64_t sample_count,
                                                                   rowlock_error_t* err);

/* The mask `terminated`: one bool a sample. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_bind_mask(rowlock_registry_t* registry, const char* name, bool* data,
                                                             uint64_t sample_count, rowlock_error_t* err);

/* A flat buffer whose length is the caller's and has nothing to do with the samples: wide_in, wide_out, accum_out. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_bind_wide(rowlock_registry_t* registry, const char* name,
                                                             double* data, uint64_t element_count,
                                                             rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_bind_wide_f32(rowlock_registry_t* registry, const char* name,
                                                                 float* data, uint64_t element_count,
                                                                 rowlock_error_t* err);

/* Passed by value. A name has one type: to bind it as another, unbind it first. Where params_schema is 2 the type must
 * be the declared one; before it, sidecars did not declare any, and a uniform of 8 bytes may be either. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_bind_uniform(rowlock_registry_t* registry, const char* name,
                                                                double value, rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_bind_uniform_f32(rowlock_registry_t* registry, const char* name,
                                                                    float value, rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_bind_uniform_int(rowlock_registry_t* registry, const char* name,
                                                                    int64_t value, rowlock_error_t* err);

/* Where a run folds the output `name` of a mapreduce plugin to: `width` elements, one a component. The output itself is
 * bound like any other and holds the partials. Where several plugins write it, the result is that of the last. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_bind_result(rowlock_registry_t* registry, const char* name,
                                                               double* data, uint32_t width, rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_bind_result_f32(rowlock_registry_t* registry, const char* name,
                                                                   float* data, uint32_t width, rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_bind_result_int(rowlock_registry_t* registry, const char* name,
                                                                   int64_t* data, uint32_t width, rowlock_error_t* err);

/* Gives a lookup table its data, which is referenced where it is. Again replaces it. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_consolidate(rowlock_registry_t* registry, const char* name,
                                                               const double* data, uint64_t element_count,
                                                               rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_consolidate_f32(rowlock_registry_t* registry, const char* name,
                                                                   const float* data, uint64_t element_count,
                                                                   rowlock_error_t* err);

/* Forgets whatever is bound to the name. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_unbind(rowlock_registry_t* registry, const char* name,
                                                          rowlock_error_t* err);

/* --- Launching on the host: running ------------------------------------------------------------------------------- */

/* STRUCTURE(ID, name, where): what may drive a body: on the HOST, on a DEVICE, or NOWHERE in this loader. */
#define ROWLOCK_STRUCTURES(STRUCTURE)                                                                        \
  STRUCTURE(HOST_SERIAL, "host_serial", HOST)       /* one thread, each partition in one call: the oracle */ \
  STRUCTURE(HOST_TEAM, "host_team", HOST)           /* OpenMP: tiles of a partition, one team a partition */ \
  STRUCTURE(DEVICE_KERNEL, "device_kernel", DEVICE) /* one thread a sample, a launch a partition */          \
  STRUCTURE(RANK_PARTITION, "rank_partition", NOWHERE)                                                       \
  STRUCTURE(DEVICE_GROUP, "device_group", NOWHERE)

typedef enum rowlock_structure_t {
#define ROWLOCK_STRUCTURE(ID, name, is_implemented) ROWLOCK_STRUCTURE_##ID,
  ROWLOCK_STRUCTURES(ROWLOCK_STRUCTURE)
#undef ROWLOCK_STRUCTURE
      ROWLOCK_STRUCTURE_COUNT
} rowlock_structure_t;

/* "?" for what is none. */
const char* rowlock_structure_name(rowlock_structure_t structure);

/* The structure of that name, or ROWLOCK_STRUCTURE_COUNT. */
rowlock_structure_t rowlock_structure_find(const char* name);

#define ROWLOCK_SAMPLES_OF_BINDINGS (-1)
#define ROWLOCK_THREADS_MAX 1024

/* Everything borrowed during the call. */
typedef struct rowlock_run_options_t {
  rowlock_structure_t structure;
  /* Of host_team, at most ROWLOCK_THREADS_MAX; 0: as OMP_NUM_THREADS says, or the processors, as far as that allows. */
  uint32_t thread_count;
  const char* plugin_id; /* the one plugin that is run; NULL: all enabled ones */
  int64_t sample_count;  /* which the bindings must have; ROWLOCK_SAMPLES_OF_BINDINGS: the one that they have */
  /* Contiguous, in order, covering [0, sample_count), none empty. NULL and 0: one whole partition. */
  const rowlock_partition_t* partitions;
  size_t partition_count;
  /* The partitions are a part of the run: in order, disjoint, none empty, inside [0, sample_count), which they need not
   * cover. Each carries the sample count of the run all the same. */
  bool is_part;
  int64_t tile_samples; /* of host_team; 0: what half of the level 2 cache holds of the bound buffers */
  void* stream;         /* of device_kernel, a CUstream; NULL: the default one */
} rowlock_run_options_t;

/* What a run did. */
typedef struct rowlock_run_report_t {
  int64_t sample_count;  /* of the whole run */
  uint64_t plugin_count; /* that were run */
  uint64_t call_count;   /* of their entries */
  uint32_t thread_count; /* of the largest team */
} rowlock_run_report_t;

/* Finds whatever `run` would refuse, and calls nothing. `out_report` (may be NULL) gets the sample and plugin count. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_plan(rowlock_registry_t* registry,
                                                        const rowlock_run_options_t* options,
                                                        rowlock_run_report_t* out_report, rowlock_error_t* err);

/* Runs the enabled plugins in declared order, each to its end before the next starts. Everything is checked before the
 * first is called: a refusal has run nothing, except that of a plugin that changed the floating-point mode (rounding,
 * denormals, traps, x87 registers that are left in use) or, on the host, wrote to the views and values that it is
 * passed. Either is restored.
 *
 * With a `plugin_id` that plugin alone is run, and its bindings alone need to be there and sound. One that is not
 * loaded is refused (exec.plugin-unknown); ROWLOCK_UNUSABLE if it, or the registry, is disabled.
 *
 * A v1 body is called once. It threads itself, with the workers that OpenMP keeps for the calling thread: in a process
 * with threads, the run has a region of its own before the call, in which they take the caller's floating-point mode,
 * and one after it, in which theirs are compared and restored. Each costs what an empty region does, a microsecond or a
 * few for workers that still spin; it has as many threads as a region has by default, two at the least, starts those
 * that are missing, and workers beyond them end. Not compared: threads of other kinds, and a child that was forked by a
 * process with threads. A v2 body is called once for each partition, or under host_team for each tile of each
 * partition; one that writes across samples is always called once, whole. The results of mapreduce plugins are folded
 * when a plugin has written all partials: each component over the samples in ascending order from the identity (sum 0,
 * times 1, max -infinity or the least int64, land 1), in the element type, integers modulo 2^64. They do not depend on
 * structure, partitions, tiles or threads.
 *
 * With `is_part` the samples of the partitions alone are run, and nothing is folded: rowlock_registry_fold does that
 * when all parts were run. Parts are not compared with each other: a sample in two of them is run twice. What may
 * only run whole (v1, cross_sample_write, no exec_access) is refused, unless the part is one partition that is the
 * whole run. ROWLOCK_UNUSABLE: `is_part` without partitions.
 *
 * A run of 0 samples calls no plugin; results are then the identities. Its one partition is {0, 0, 0}, or none given.
 * No memory is allocated. ROWLOCK_UNAVAILABLE: a structure that another build may have. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_run(rowlock_registry_t* registry,
                                                       const rowlock_run_options_t* options,
                                                       rowlock_run_report_t* out_report, rowlock_error_t* err);

/* Folds the partials that parts of a run have left into the results, as a run does behind each plugin: of the enabled
 * mapreduce plugins, or of `plugin_id`, where another plugin has nothing to fold. Of the options `structure`,
 * `plugin_id`, `sample_count` and `stream` count, and should be those of the parts; everything is checked as for a run.
 *
 * Partials are folded as they are now. Where a later plugin writes to them or reads the result, fold by `plugin_id`
 * before it is run. No memory is allocated. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_registry_fold(rowlock_registry_t* registry,
                                                        const rowlock_run_options_t* options, rowlock_error_t* err);

/* Version of this library, "MAJOR.MINOR.PATCH". */
const char* rowlock_version(void);

#ifdef __cplusplus
}
#endif

#endif /* ROWLOCK_H */
