/* Whether an object that is open is the file that was read: the dynamic loader goes by names, and files change. */
#ifndef ROWLOCK_LOADER_HOST_LOADED_H
#define ROWLOCK_LOADER_HOST_LOADED_H

#include "loader/host/elf.h"

/* Compares the segments of `library`, a handle of dlopen, with the file's, and every byte that cannot have changed
 * since it was mapped. A debugger's breakpoints are no difference. */
bool rlk_loaded_is(void* library, const rlk_elf_t* elf);

#endif
