/* Every role and every dtype of a mutable in one body. GENERATION is 1 or 2; the v1 body is the v2 body over the whole
 * run.
 *
 * A sample that is done is left alone. */
#include "kernel.h"

enum {
  OUT,
  POSITION,
  ROTATION,
  MASS,
  PROFILE,
  ENERGY,
  TICKS,
  STATE,
  GAIN,
  DONE,
  RATE,
  LIMIT,
  N,
  ROWS,
  GRADIENT,
  PLANE
};

static void run(arguments_t params, int64_t base, int64_t count, int64_t n) {
  const view_t *out = params[OUT], *position = params[POSITION], *rotation = params[ROTATION];
  const view_t *state = params[STATE], *gain = params[GAIN];
  const scalars_t *mass = params[MASS], *profile = params[PROFILE], *energy = params[ENERGY];
  const scalars_t *rows = params[ROWS], *gradient = params[GRADIENT], *plane = params[PLANE];
  const integers_t* ticks = params[TICKS];
  const mask_t* done = params[DONE];
  const REAL rate = *(const REAL*)params[RATE];
  const int64_t limit = *(const int64_t*)params[LIMIT];
  const uint32_t samples = *(const uint32_t*)params[N];
  for (int64_t i = base; i < base + count; ++i) {
    if (done->data[i]) continue;
    for (int r = 0; r < 2; ++r) {
      for (int c = 0; c < 3; ++c) *at(out, r, i) += *at(rotation, r * 3 + c, i) * *at(position, c, i);
    }
    energy->data[i] = mass->data[i] * rate + profile->data[(uint64_t)i % profile->samples];
    ticks->data[i] += limit;
    *at(state, 0, i) = samples;
    *at(state, 1, i) = (REAL)n;
    for (int g = 0; g < 4; ++g) *at(gain, g, i) = 10 * g + rows->data[g];
    gradient->data[2 * i] = -mass->data[i];
    plane->data[(uint64_t)i % plane->samples] += mass->data[i];
    done->data[i] = energy->data[i] > 4;
  }
}

#if GENERATION == 2
EXPORT_LAYOUT
ENTRY_V2 { run(params, base, count, n); }
#else
ENTRY_V1 { run(params, 0, n, n); }
#endif
