/* Eleven roles under aether-abi/2, in softdouble, which has the bits of float64. */
#include "corpus/host/roles.h"

EXPORT_LAYOUT
ENTRY_V2 { run(params, base, count, n); }
