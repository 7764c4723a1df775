/* A plugin whose constructor leaves the floating-point mode changed. MXCSR_BITS are set in MXCSR; X87_BITS are taken
 * out of the x87 control word. */
#include <stdint.h>

#ifndef MXCSR_BITS
#define MXCSR_BITS 0
#endif
#ifndef X87_BITS
#define X87_BITS 0
#endif

__attribute__((constructor)) static void change_mode(void) {
  uint32_t mxcsr;
  uint16_t x87;
  __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87));
  mxcsr |= (MXCSR_BITS);
  x87 = (uint16_t)(x87 & ~(X87_BITS));
  __asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr), "m"(x87));
}

void drift_host(void* const* params, int32_t n);
void drift_host(void* const* params, int32_t n) { (void)params, (void)n; }
