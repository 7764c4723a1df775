/* Artifacts for tests: those of testdata, and cubins made to measure. */
#ifndef ROWLOCK_LOADER_ARTIFACT_TEST_ARTIFACT_H
#define ROWLOCK_LOADER_ARTIFACT_TEST_ARTIFACT_H

#include <elf.h>

#include "loader/artifact/artifact.h"
#include "loader/files.h"

/* Path of a file of testdata, until the next call; and its bytes, which the caller gives back. */
const char* rlk_test_artifact_path(const char* name);
void rlk_test_artifact_read(const char* name, rlk_file_buffer_t* out_buffer);

/* A fatbin of one module, which is compressed with zstd: `text` and blanks behind it, `size` bytes in all. */
void rlk_test_packed_fatbin_create(const char* text, uint32_t size, rlk_file_buffer_t* out_buffer);

/* A cubin for sm_90 whose kernels are called k0, k1, ..., with pointers to what a test may change. Each parameter has
 * one byte. Section 1 holds every string and section 2 the symbols: one for each kernel and, first, the layout array
 * of 40 bytes in section 3. Then come .text and .nv.info of each kernel. */
typedef struct rlk_test_cubin_t {
  uint8_t* bytes;
  size_t length;
  Elf64_Ehdr* header;
  Elf64_Shdr* sections;
  Elf64_Sym* symbols; /* the layout array's at 1, the kernels' from 2 on */
  uint8_t* info;      /* of k0: the size of the block, then a record of 16 bytes for each parameter, last one first */
} rlk_test_cubin_t;

enum { RLK_TEST_STRINGS = 1, RLK_TEST_SYMBOLS, RLK_TEST_GLOBALS, RLK_TEST_TEXT, RLK_TEST_INFO };

void rlk_test_cubin_create(rlk_test_cubin_t* cubin, size_t kernels, size_t parameters);
void rlk_test_cubin_destroy(rlk_test_cubin_t* cubin);

#endif
