/* The OpenMP runtimes of a process. Two in one abort it, or start each its own threads for the same cores. */
#ifndef ROWLOCK_LOADER_HOST_OPENMP_H
#define ROWLOCK_LOADER_HOST_OPENMP_H

#include <stddef.h>

enum { RLK_OPENMP_MAX = 8, RLK_OPENMP_NAME_BYTES = 64 };

/* File names without their folders, one for each runtime: "libgomp.so.1". Zeroed is empty. */
typedef struct rlk_openmp_t {
  char names[RLK_OPENMP_MAX][RLK_OPENMP_NAME_BYTES];
  size_t count;
} rlk_openmp_t;

/* Adds the runtime that a library's name or path stands for, if it is one and not there yet. Names that differ only
 * after
 * ".so" are one runtime; a copy under a name of its own, as bundlers make them (libgomp-a34b3233.so.1), is another. */
void rlk_openmp_add(rlk_openmp_t* runtimes, const char* library);

/* The same for a library that an object needs, unless the dynamic loader has it already, under this name or another. */
void rlk_openmp_add_needed(rlk_openmp_t* runtimes, const char* library);

/* Adds those that are loaded into this process. */
void rlk_openmp_add_loaded(rlk_openmp_t* runtimes);

#endif
