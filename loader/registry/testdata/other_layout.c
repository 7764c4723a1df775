/* A v2 object that was built with another view. */
#include "kernel.h"

EXPORTED const uint64_t eagle_layout_sizes[5] = {48, sizeof(scalars_t), sizeof(integers_t), 4, 24};
ENTRY_V2 { (void)params, (void)base, (void)count, (void)n; }
