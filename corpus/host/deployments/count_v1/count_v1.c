/* A v1 body that notes the count it is told. */
#include "corpus/host/kernel.h"

ENTRY_V1 { ((const scalars_t*)params[0])->data[0] = n; }
