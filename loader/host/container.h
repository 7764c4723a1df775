/* What a file is, told from its bytes: the names that people give to files are not believed. */
#ifndef ROWLOCK_LOADER_HOST_CONTAINER_H
#define ROWLOCK_LOADER_HOST_CONTAINER_H

#include <stddef.h>

/* RLK_CONTAINER(ID, name in a sentence) */
#define RLK_CONTAINERS(RLK_CONTAINER)                                              \
  RLK_CONTAINER(EMPTY, "an empty file")                                            \
  RLK_CONTAINER(ELF, "an ELF file")                                                \
  RLK_CONTAINER(PTX, "PTX")                                                        \
  RLK_CONTAINER(FATBIN, "a fatbin")                                                \
  RLK_CONTAINER(FATBIN_WRAPPED, "a wrapped fatbin, cut out of a host object")      \
  RLK_CONTAINER(LFS_POINTER, "a Git LFS pointer")                                  \
  RLK_CONTAINER(PATH_TEXT, "a text that names a path")                             \
  RLK_CONTAINER(ARCHIVE, "a static archive (.a)")                                  \
  RLK_CONTAINER(LINKER_SCRIPT, "a linker script")                                  \
  RLK_CONTAINER(SCRIPT, "a script")                                                \
  RLK_CONTAINER(HTML, "an HTML page, as a failed download leaves it")              \
  RLK_CONTAINER(JSON, "JSON, perhaps the sidecar")                                 \
  RLK_CONTAINER(MACH_O, "a Mach-O object, built on macOS")                         \
  RLK_CONTAINER(PE, "a PE object, built for Windows")                              \
  RLK_CONTAINER(BITCODE, "LLVM bitcode")                                           \
  RLK_CONTAINER(ZIP, "a zip archive")                                              \
  RLK_CONTAINER(COMPRESSED, "compressed data")                                     \
  RLK_CONTAINER(ZEROS, "nothing but zero bytes, as an interrupted copy leaves it") \
  RLK_CONTAINER(TEXT, "a text")                                                    \
  RLK_CONTAINER(UNKNOWN, "data of a kind that is not known here")

typedef enum rlk_container_t {
#define RLK_CONTAINER(ID, name) RLK_CONTAINER_##ID,
  RLK_CONTAINERS(RLK_CONTAINER)
#undef RLK_CONTAINER
} rlk_container_t;

/* What the bytes are. Of an ELF file, a start of the magic number is enough; whether it is whole is not looked at. */
rlk_container_t rlk_container_of(const void* bytes, size_t length);

/* "a fatbin", to be put into a sentence. */
const char* rlk_container_name(rlk_container_t container);

#endif
