/* Host shared objects, opened to be called.
 *
 * An object is never closed. A thread runtime in it, or in a library that it brought (OpenMP's above all), may have
 * threads that outlive every call, and unmapping the code under them ends the process. dlopen counts how often an
 * object was opened and maps it once; so it costs nothing to open it again, and there is nothing to give back. What was
 * opened is remembered for as long as the process lives: a file that is replaced needs a new process, and so does, to
 * be judged again, an object that did harm as it was loaded.
 *
 * Opening runs the object's constructors: whoever does not trust it opens it in a child process. Thread-safe. */
#ifndef ROWLOCK_LOADER_HOST_OBJECT_H
#define ROWLOCK_LOADER_HOST_OBJECT_H

#include "validator/rules/findings.h"

/* To be cast to what the entry really is (plugin facts, section 2). */
typedef void (*rlk_host_function_t)(void);

typedef struct rlk_host_object_t {
  void* library; /* dlopen's handle: equal for equal files */
  rlk_host_function_t entry;
} rlk_host_object_t;

typedef enum rlk_layout_need_t {
  RLK_LAYOUT_IGNORED,  /* v1: nothing was promised */
  RLK_LAYOUT_REQUIRED, /* v2 */
} rlk_layout_need_t;

/* Judges the object at `path` without opening it: whether it is one, exports the function `entry`, and has this
 * loader's layout. ROWLOCK_REJECTED with the reason, ROWLOCK_UNUSABLE if it cannot be read. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_host_object_check(const char* path, const char* entry, rlk_layout_need_t layout,
                                                        rowlock_error_t* err);

/* Judges it in the same way, then opens it and finds its entry. It is opened by its absolute path, links resolved (its
 * own libraries are looked for beside the real file), with all its symbols found at once and seen by nobody else.
 * Refused besides: what it needs is missing, it brings a second OpenMP runtime, its constructors change the
 * floating-point mode (which is restored), or its path was opened before with other content. `*out_object` is filled on
 * success only. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_host_object_open(const char* path, const char* entry, rlk_layout_need_t layout,
                                                       rlk_host_object_t* out_object, rowlock_error_t* err);

#endif
