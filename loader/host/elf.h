/* A host shared object, read as an ELF file: nothing of it is opened, mapped to run, or executed.
 *
 * Reading checks the file as far as anything here relies on it: each table lies in the file, each name ends in its
 * string table, and the section table, from which symbols are read, agrees with the segments, which the dynamic loader
 * maps. What is damaged is refused; no content makes a call here fail in another way. */
#ifndef ROWLOCK_LOADER_HOST_ELF_H
#define ROWLOCK_LOADER_HOST_ELF_H

#include <stdbool.h>

#include "validator/rules/findings.h"

#define RLK_ELF_MAX_BYTES (UINT64_C(256) << 20)
/* Entries of the dynamic section, which is walked once for each library that the object needs. */
#define RLK_ELF_DYNAMIC_MAX 4096

typedef struct rlk_elf_t rlk_elf_t;

/* Reads the file at `path` into memory. ROWLOCK_REJECTED: it is not a whole shared object for this machine, `err` says
 * what it is; ROWLOCK_UNUSABLE: it cannot be read. The caller closes it; closing NULL does nothing. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_elf_open(const char* path, rlk_elf_t** out_elf, rowlock_error_t* err);

/* The same from `length` bytes, borrowed until it is closed. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_elf_read(const void* bytes, size_t length, rlk_elf_t** out_elf,
                                               rowlock_error_t* err);
void rlk_elf_close(rlk_elf_t* elf);

/* RLK_ELF_KIND(ID, name in a sentence): how the dynamic symbol table knows a name. The later wins where a name is there
 * in several versions. OTHER is defined and neither of what follows: thread-local, absolute, without a type, or its
 * value is not in a segment that allows its use. */
#define RLK_ELF_KINDS(RLK_ELF_KIND)                         \
  RLK_ELF_KIND(ABSENT, "absent")                            \
  RLK_ELF_KIND(UNDEFINED, "undefined")                      \
  RLK_ELF_KIND(OTHER, "a symbol for neither code nor data") \
  RLK_ELF_KIND(DATA, "data")                                \
  RLK_ELF_KIND(FUNCTION, "a function")

typedef enum rlk_elf_kind_t {
#define RLK_ELF_KIND(ID, name) RLK_ELF_##ID,
  RLK_ELF_KINDS(RLK_ELF_KIND)
#undef RLK_ELF_KIND
} rlk_elf_kind_t;

const char* rlk_elf_kind_name(rlk_elf_kind_t kind);

typedef struct rlk_elf_symbol_t {
  const char* name; /* lives as long as the elf */
  rlk_elf_kind_t kind;
  uint64_t size;
  const uint8_t* content; /* `size` bytes of the file; NULL if it is not data, or lies in memory that starts as zeros */
} rlk_elf_symbol_t;

/* The symbol of that name; its kind is RLK_ELF_ABSENT if there is none. */
rlk_elf_symbol_t rlk_elf_symbol(const rlk_elf_t* elf, const char* name);

/* Walks the dynamic symbols that other objects can see: `*cursor` starts at 0; false after the last. */
bool rlk_elf_next_symbol(const rlk_elf_t* elf, size_t* cursor, rlk_elf_symbol_t* out_symbol);

/* Whether the full symbol table, if the file has one, holds a function of that name: one that is not exported. */
bool rlk_elf_has_local_function(const rlk_elf_t* elf, const char* name);

/* Name of the library that the object needs at that index, in the order of its list; NULL past the last. */
const char* rlk_elf_needed(const rlk_elf_t* elf, size_t index);

/* One segment that is mapped, as the file says it. */
typedef struct rlk_elf_segment_t {
  uint64_t address; /* relative to where the object is mapped */
  uint64_t file_bytes, memory_bytes;
  const uint8_t* content; /* file_bytes of the file */
  bool readable, writable, executable;
} rlk_elf_segment_t;

/* Walks the segments that are mapped, as rlk_elf_next_symbol does. */
bool rlk_elf_next_segment(const rlk_elf_t* elf, size_t* cursor, rlk_elf_segment_t* out_segment);

/* Whether relocations may be written into segments that are otherwise not writable. */
bool rlk_elf_relocates_text(const rlk_elf_t* elf);

#endif
