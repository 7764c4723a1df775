#include "loader/exec/tiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

enum { CACHE = 1 << 20 };

Test(tiles, hold_as_many_samples_as_half_of_the_cache) {
  cr_expect(eq(i64, rlk_tile_samples(CACHE, 64, 1 << 30, 4), 8192));
  cr_expect(eq(i64, rlk_tile_samples(CACHE, 8, 1 << 30, 4), 65536));
  cr_expect(eq(i64, rlk_tile_samples(CACHE, 1, 1 << 30, 4), 524288));
}

Test(tiles, are_whole_cache_lines_of_the_smallest_elements) {
  cr_expect(eq(i64, rlk_tile_samples(CACHE, 1000, 1 << 30, 4), 576));
  cr_expect(eq(i64, rlk_tile_samples(CACHE, 1 << 30, 1 << 30, 4), 64));
}

Test(tiles, give_every_thread_one) {
  cr_expect(eq(i64, rlk_tile_samples(CACHE, 8, 6400, 4), 1600));
  cr_expect(eq(i64, rlk_tile_samples(CACHE, 8, 1000, 4), 256));
}

Test(tiles, are_no_longer_than_the_partition) {
  cr_expect(eq(i64, rlk_tile_samples(CACHE, 8, 10, 1), 10));
  cr_expect(eq(i64, rlk_tile_samples(CACHE, 8, 1, 7), 1));
  cr_expect(eq(i64, rlk_tile_samples(CACHE, 0, INT64_MAX, 1), 524288));
}

Test(tiles, of_a_huge_cache_and_count_do_not_overflow) {
  cr_expect(eq(i64, rlk_tile_samples(UINT64_MAX, 1, INT64_MAX, 1), INT64_MAX));
}

Test(tiles, are_counted_with_the_last_that_is_not_full) {
  cr_expect(eq(i64, rlk_tile_count(10, 5), 2));
  cr_expect(eq(i64, rlk_tile_count(11, 5), 3));
  cr_expect(eq(i64, rlk_tile_count(INT64_MAX, 2), INT64_MAX / 2 + 1));
}

Test(tiles, are_cut_by_a_cache_that_there_is) { cr_expect(le(u64, 4096, rlk_level2_bytes())); }
