/* Eleven of the twelve roles, and every dtype of a mutable, in one body: the shares of a run compute the same, since no
 * sample looks at another. The twelfth, accum_out, is written across samples (deployments/scatter).
 *
 * A sample that is done is left alone. */
#ifndef ROLES_H
#define ROLES_H

#include "corpus/host/kernel.h"

enum { OUT, POSITION, ROTATION, MASS, PROFILE, ENERGY, TICKS, STATE, GAIN, DONE, RATE, LIMIT, N, ROWS, GRADIENT };

INLINE void run(params_t params, int64_t base, int64_t count, int64_t n) {
  const view_t *out = params[OUT], *position = params[POSITION], *rotation = params[ROTATION];
  const view_t *state = params[STATE], *gain = params[GAIN];
  const scalars_t *mass = params[MASS], *profile = params[PROFILE], *energy = params[ENERGY];
  const scalars_t *rows = params[ROWS], *gradient = params[GRADIENT];
  const integers_t* ticks = params[TICKS];
  const mask_t* done = params[DONE];
  const REAL rate = *(const REAL*)params[RATE];
  const int64_t limit = *(const int64_t*)params[LIMIT];
  const uint32_t samples = *(const uint32_t*)params[N];
  EACH_SAMPLE(i) {
    if (done->data[i]) continue;
    for (int r = 0; r < 2; ++r) {
      for (int c = 0; c < 3; ++c) *at(out, r, i) += *at(rotation, r * 3 + c, i) * *at(position, c, i);
    }
    energy->data[i] = mass->data[i] * rate + profile->data[(uint64_t)i % profile->samples];
    ticks->data[i] += limit;
    *at(state, 0, i) = (REAL)samples;
    *at(state, 1, i) = (REAL)n;
    for (int g = 0; g < 4; ++g) *at(gain, g, i) = (REAL)(10 * g) + rows->data[g];
    gradient->data[2 * i] = -mass->data[i];
    gradient->data[2 * i + 1] = mass->data[i];
    done->data[i] = energy->data[i] > 4;
  }
}

#endif
