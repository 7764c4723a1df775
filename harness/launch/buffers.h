/* The arrays that a launch binds: each between red zones, filled anew before every run. */
#ifndef ROWLOCK_HARNESS_LAUNCH_BUFFERS_H
#define ROWLOCK_HARNESS_LAUNCH_BUFFERS_H

#include "harness/gate/device/device_compare.h"
#include "harness/gate/digest.h"
#include "harness/gate/guard.h"
#include "harness/launch/launch.h"

enum { RLK_BUFFER_ZONE_BYTES = 4096 };

typedef struct rlk_buffer_t {
  const char* name;
  rowlock_binding_t binding;
  rlk_dtype_t dtype;
  uint32_t width, rows, columns;
  uint64_t sample_count; /* of wide buffers, tables and results 1: all elements are components */
  uint64_t element_count;
  bool is_null;        /* bound as a null address */
  bool is_written;     /* by an enabled plugin */
  rlk_guard_t guard;   /* of a launch on a device, the copy on the host */
  void* device_block;  /* the whole guard on the device, a table's the registry's; NULL on the host, or of nothing */
  void* initial;       /* what it holds before each run; NULL: poison */
  rlk_digest_t digest; /* of what it held before the run, if nobody writes it */
} rlk_buffer_t;

typedef struct rlk_buffers_t {
  rlk_buffer_t* list;
  size_t count;
  const rowlock_device_t* device; /* NULL: the host */
  rlk_device_gate_t* device_gate; /* what compares there */
} rlk_buffers_t;

/* Where the files of operands are. */
typedef struct rlk_operand_source_t {
  rlk_folder_t* folder; /* relative to its document and inside its folder; NULL: wherever the path says */
} rlk_operand_source_t;

/* Makes what the launch gives, and a poisoned one for each output that it does not, whose names are those of the
 * registry's. ROWLOCK_UNUSABLE: a file or shape that cannot be used, with the name. Zeroed buffers are empty; deinit
 * them in any case, after the registry that they are bound in has run for the last time. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_buffers_init(rlk_buffers_t* buffers, const rowlock_registry_t* registry,
                                                   const rlk_launch_t* launch, const rlk_operand_source_t* source,
                                                   rowlock_error_t* err);
void rlk_buffers_deinit(rlk_buffers_t* buffers);

/* Binds them all, and the uniforms. ROWLOCK_REJECTED: by the registry's rule. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_buffers_bind(const rlk_buffers_t* buffers, const rlk_launch_t* launch,
                                                   rowlock_registry_t* registry, rowlock_error_t* err);

/* Fills every buffer as it is before run number `run`, arms the red zones and takes the digests. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_buffers_fill(rlk_buffers_t* buffers, uint32_t run, rowlock_error_t* err);

/* Makes room on the device (borrowed until deinit) for all but tables: their addresses are what is bound then. Tables
 * are uploaded when they are bound, which is yet to come, with their red zones. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_buffers_move(rlk_buffers_t* buffers, rowlock_device_t* device,
                                                   rowlock_registry_t* registry, rowlock_error_t* err);

/* After binding: where the registry put the tables that are not empty. */
void rlk_buffers_find_tables(rlk_buffers_t* buffers, const rowlock_registry_t* registry);

/* What was filled goes to the device, and what was computed comes back, red zones included. Where nothing was moved,
 * nothing is done. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_buffers_upload(const rlk_buffers_t* buffers, rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rlk_buffers_download(const rlk_buffers_t* buffers, rowlock_error_t* err);

/* The address that is bound. */
void* rlk_buffer_address(const rlk_buffer_t* buffer);

/* The array that a buffer of this shape has at `data`, borrowed: (N,), (W, N), (R, C, N), or (elements,). */
rlk_array_t rlk_buffer_array(const rlk_buffer_t* buffer, void* data);

/* Reads or makes the operand's elements as C-ordered elements of the buffer's type and number, into new memory that the
 * caller frees. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_operand_elements(const rlk_operand_t* operand, const rlk_buffer_t* like,
                                                       const rlk_operand_source_t* source, void** out_elements,
                                                       rowlock_error_t* err);

#endif
