#define _GNU_SOURCE /* _SC_LEVEL2_CACHE_SIZE */
#include "loader/exec/tiles.h"

#include <unistd.h>

/* Two threads do not write to one cache line where buffers are aligned, whatever the elements are. */
enum { LINE_SAMPLES = 64, FALLBACK_LEVEL2_BYTES = 1 << 20 };

uint64_t rlk_level2_bytes(void) {
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? (uint64_t)bytes : FALLBACK_LEVEL2_BYTES;
}

int64_t rlk_tile_count(int64_t count, int64_t tile_samples) {
  return count / tile_samples + (count % tile_samples != 0);
}

int64_t rlk_tile_samples(uint64_t level2_bytes, uint64_t bytes_per_sample, int64_t count, uint32_t thread_count) {
  const uint64_t held = level2_bytes / 2 / (bytes_per_sample ? bytes_per_sample : 1);
  const int64_t share = rlk_tile_count(count, thread_count);
  const int64_t samples = held < (uint64_t)share ? (int64_t)held : share;
  if (samples > count - LINE_SAMPLES) return count;
  return rlk_tile_count(samples > 0 ? samples : 1, LINE_SAMPLES) * LINE_SAMPLES;
}
