/* Eleven roles under aether-abi/1. */
#include "corpus/host/roles.h"

ENTRY_V1 { run(params, 0, n, n); }
