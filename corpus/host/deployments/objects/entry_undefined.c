/* The entry is called and not defined. */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
extern void raptor_kernel_host(void);
EXPORTED void other(void);
void other(void) { raptor_kernel_host(); }
