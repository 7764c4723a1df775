/* Symbols that are no entries, each for another reason. */
#include <stdint.h>

/* Data under the name of a function. */
extern int drift_host;
int drift_host = 1;

/* Each thread's own. */
extern _Thread_local int thread_host;
_Thread_local int thread_host = 1;

/* Defined in no object. */
void elsewhere_host(void);
void calls_elsewhere(void);
void calls_elsewhere(void) { elsewhere_host(); }

/* Not exported. */
__attribute__((visibility("hidden"), noinline)) int64_t hidden_host(int64_t value);
int64_t hidden_host(int64_t value) { return value + 1; }
int64_t calls_hidden(int64_t value);
int64_t calls_hidden(int64_t value) { return hidden_host(hidden_host(value)); }

/* What a C++ compiler makes of void mangled_host(void *const *, int32_t). */
void mangled(void* const* params, int32_t n) __asm__("_Z12mangled_hostPKPvi");
void mangled(void* const* params, int32_t n) { (void)params, (void)n; }
