/* A driver for tests, of the same exported names as the real one: it keeps contexts, modules and memory of its own,
 * counts what is open, writes down every call, and fails where it is told to. It runs no device code.
 *
 * In a process that cannot reach its state, the variable ROWLOCK_DRIVER_DOUBLE has words for it: "devices=2 sm=80
 * version=12040 cuInit=803 cuMemAlloc_v2@3=2 loading=1 host=FILE.so log=FILE.txt". A word that begins with cu is a
 * fault: the call, its number from 1 (left out: each) and the result. The log is the compiler's of errors, of any
 * length. */
#ifndef ROWLOCK_LOADER_DEVICE_TESTDATA_DRIVER_DOUBLE_H
#define ROWLOCK_LOADER_DEVICE_TESTDATA_DRIVER_DOUBLE_H

#include "loader/device/driver.h"

typedef enum rlk_double_call_t {
#define RLK_DRIVER(name, symbol, need, ...) RLK_DOUBLE_##name,
#include "loader/device/driver.def"
#undef RLK_DRIVER
  RLK_DOUBLE_CALL_COUNT
} rlk_double_call_t;

enum {
  RLK_DOUBLE_FAULTS = 8,
  RLK_DOUBLE_CALLS_KEPT = 8192,
  RLK_DOUBLE_LAUNCHES_KEPT = 64,
  RLK_DOUBLE_PARAMETERS = 24,
  RLK_DOUBLE_PARAMETER_BYTES = 96,
  RLK_DOUBLE_EACH = 0,
};

/* Results beside those of driver.h. */
enum {
  RLK_DOUBLE_INVALID_IMAGE = 200,
  RLK_DOUBLE_INVALID_CONTEXT = 201,
  RLK_DOUBLE_NO_BINARY = 209,
  RLK_DOUBLE_INVALID_PTX = 218,
  RLK_DOUBLE_ILLEGAL_ADDRESS = 700,
  RLK_DOUBLE_LAUNCH_FAILED = 719,
  RLK_DOUBLE_CAPTURING = 900,
  RLK_DOUBLE_UNKNOWN = 999,
};

typedef struct rlk_double_fault_t {
  rlk_double_call_t call; /* RLK_DOUBLE_CALL_COUNT: any that is no giving back */
  uint32_t nth;           /* from 1, counted from here on; RLK_DOUBLE_EACH */
  rlk_cu_result_t result; /* 0: no fault */
  bool is_sticky;         /* the context is lost then: every later call in it has that result */
  uint32_t seen;
} rlk_double_fault_t;

typedef struct rlk_double_launch_t {
  char kernel[64];
  unsigned grid[3], block[3], shared_bytes;
  rlk_cu_stream_t stream;
  rlk_cu_context_t context;
  size_t parameter_count;
  uint32_t bytes[RLK_DOUBLE_PARAMETERS]; /* of each parameter, as the PTX says */
  _Alignas(8) unsigned char values[RLK_DOUBLE_PARAMETERS][RLK_DOUBLE_PARAMETER_BYTES];
} rlk_double_launch_t;

typedef struct rlk_double_t {
  /* The machine. */
  int device_count, sm, version, loading;
  size_t memory_bytes;
  const char *error_log, *info_log; /* of the compiler, when a module is not loaded */
  bool hides_globals;
  uint64_t layout[8]; /* what a module's eagle_layout_sizes holds, in layout_bytes */
  size_t layout_bytes;
  int odd_parameter;    /* one whose offset is told 8 bytes too high, or -1 */
  int parameters_fewer; /* than the PTX has: so many less are told */
  rlk_double_fault_t faults[RLK_DOUBLE_FAULTS];
  /* What is open. */
  int contexts, modules, allocations, streams, graphs, graph_execs;
  size_t bytes;
  int pushed;   /* contexts on the stacks of all threads */
  int astray;   /* calls that had no context, or gave back what was not open */
  int captures; /* of streams, going on */
  /* What was called. */
  rlk_double_call_t calls[RLK_DOUBLE_CALLS_KEPT];
  size_t call_count;
  rlk_double_launch_t launches[RLK_DOUBLE_LAUNCHES_KEPT];
  size_t launch_count;
} rlk_double_t;

/* The state; exported under this name. Not guarded: read and write it while no call is going on. */
rlk_double_t* rlk_driver_double(void);

#endif
