/* The function of a host object that a loader calls: whether it is there, and what may have been meant if not. */
#ifndef ROWLOCK_LOADER_HOST_ENTRY_H
#define ROWLOCK_LOADER_HOST_ENTRY_H

#include "loader/host/elf.h"

/* What the names of host entries end in, unless a sidecar names another (plugin facts, section 2). */
#define RLK_ENTRY_SUFFIX "_host"

/* ROWLOCK_OK: the object defines and exports the function `name`. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_entry_check(const rlk_elf_t* elf, const char* name, rowlock_error_t* err);

#endif
