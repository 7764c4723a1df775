/* Whether the bindings of the plugins that are run make a run: all there, as declared, of one sample count. */
#ifndef ROWLOCK_LOADER_EXEC_SOUNDNESS_H
#define ROWLOCK_LOADER_EXEC_SOUNDNESS_H

#include "loader/registry/registry.h"

/* Of the enabled plugin `only`, or NULL: of all that are enabled. `asked` is the caller's sample count or
 * ROWLOCK_SAMPLES_OF_BINDINGS. Looks at nothing again while plugins, bindings and sample count stay. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_soundness_check(rowlock_registry_t* registry, rlk_plugin_t* only, int64_t asked,
                                                      int64_t* out_sample_count, rowlock_error_t* err);

#endif
