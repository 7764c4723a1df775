/* Whether the bindings of the enabled plugins make a run: all there, as declared, of one sample count. */
#ifndef ROWLOCK_LOADER_EXEC_SOUNDNESS_H
#define ROWLOCK_LOADER_EXEC_SOUNDNESS_H

#include "loader/registry/registry.h"

/* `asked` is the caller's sample count or ROWLOCK_SAMPLES_OF_BINDINGS. Looks at nothing again while plugins, bindings
 * and sample count stay. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_soundness_check(rowlock_registry_t* registry, int64_t asked,
                                                      int64_t* out_sample_count, rowlock_error_t* err);

#endif
