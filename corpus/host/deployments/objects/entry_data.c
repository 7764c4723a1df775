/* The entry's name is that of a number. */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
EXPORTED int raptor_kernel_host = 1;
