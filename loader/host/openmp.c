#define _GNU_SOURCE /* dl_iterate_phdr, RTLD_NOLOAD */
#include "loader/host/openmp.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* How the names of the runtimes begin: of GCC, LLVM and Intel. */
static const char* const stems[] = {"libgomp", "libomp", "libiomp5"};

/* Length of the name up to ".so": what tells one runtime from another. 0 if it is none. */
static size_t runtime_length(const char* name) {
  const char* end = strstr(name, ".so");
  if (!end || (end[3] != '\0' && end[3] != '.')) return 0;
  for (size_t i = 0; i < sizeof stems / sizeof *stems; ++i) {
    const size_t length = strlen(stems[i]);
    if (strncmp(name, stems[i], length) == 0 && (name[length] == '.' || name[length] == '-'))
      return (size_t)(end - name);
  }
  return 0;
}

static bool has(const rlk_openmp_t* runtimes, const char* name) {
  const size_t length = runtime_length(name);
  for (size_t i = 0; i < runtimes->count; ++i) {
    if (runtime_length(runtimes->names[i]) == length && memcmp(runtimes->names[i], name, length) == 0) return true;
  }
  return false;
}

void rlk_openmp_add(rlk_openmp_t* runtimes, const char* library) {
  const char* slash = strrchr(library, '/');
  const char* name = slash ? slash + 1 : library;
  if (runtime_length(name) == 0 || has(runtimes, name)) return;
  if (runtimes->count == RLK_OPENMP_MAX || strlen(name) >= RLK_OPENMP_NAME_BYTES) return;
  snprintf(runtimes->names[runtimes->count++], RLK_OPENMP_NAME_BYTES, "%s", name);
}

void rlk_openmp_add_needed(rlk_openmp_t* runtimes, const char* library) {
  rlk_openmp_t wanted = {0};
  rlk_openmp_add(&wanted, library);
  if (wanted.count == 0 || has(runtimes, wanted.names[0])) return;
  /* A library answers to its own name too, whatever its file is called, and one file may have several. This opens none:
   * it asks for what is open, and what that counts is never closed. */
  if (dlopen(library, RTLD_LAZY | RTLD_NOLOAD)) return;
  rlk_openmp_add(runtimes, library);
}

static int add_library(struct dl_phdr_info* library, size_t size, void* runtimes) {
  (void)size;
  rlk_openmp_add(runtimes, library->dlpi_name);
  return 0;
}

void rlk_openmp_add_loaded(rlk_openmp_t* runtimes) { dl_iterate_phdr(add_library, runtimes); }
