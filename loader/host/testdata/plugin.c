/* A host plugin. Without definitions it is sound: a v2 entry that doubles its first argument's elements. Each
 * definition makes one fault; LAYOUT lists the sizes that it exports. */
#include <stdint.h>

#ifdef LAYOUT
extern const uint64_t eagle_layout_sizes[];
const uint64_t eagle_layout_sizes[] = {LAYOUT};
#endif

#ifdef LAYOUT_IS_ZEROS
uint64_t eagle_layout_sizes[5];
#endif

#ifdef LAYOUT_IS_FUNCTION
uint64_t eagle_layout_sizes(void);
uint64_t eagle_layout_sizes(void) { return 40; }
#endif

#ifdef LAYOUT_IS_UNDEFINED
extern const uint64_t eagle_layout_sizes[5];
uint64_t first_size(void);
uint64_t first_size(void) { return eagle_layout_sizes[0]; }
#endif

void drift_host(void* const* params, int64_t base, int64_t count, int64_t n_samples);
void drift_host(void* const* params, int64_t base, int64_t count, int64_t n_samples) {
  (void)n_samples;
  double* const values = params[0];
  for (int64_t i = base; i < base + count; ++i) values[i] *= 2;
}

/* A second entry of the same object. */
void settle_host(void* const* params, int64_t base, int64_t count, int64_t n_samples);
void settle_host(void* const* params, int64_t base, int64_t count, int64_t n_samples) {
  drift_host(params, base, count, n_samples);
  drift_host(params, base, count, n_samples);
}
