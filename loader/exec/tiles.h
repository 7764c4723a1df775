/* How large the tiles of a team are. */
#ifndef ROWLOCK_LOADER_EXEC_TILES_H
#define ROWLOCK_LOADER_EXEC_TILES_H

#include <stdint.h>

/* The size of a level 2 cache here; 1 MiB where the system does not say. */
uint64_t rlk_level2_bytes(void);

/* Samples of a tile: as many as half of the cache holds, no more than lets every thread have one, and whole cache
 * lines.
 */
int64_t rlk_tile_samples(uint64_t level2_bytes, uint64_t bytes_per_sample, int64_t count, uint32_t thread_count);

int64_t rlk_tile_count(int64_t count, int64_t tile_samples);

#endif
