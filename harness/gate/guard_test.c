/* Red zones: every byte of them is watched. */
#include "harness/gate/guard.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static rowlock_error_t err;

static rlk_guard_t create(size_t size, size_t zone) {
  rlk_guard_t guard;
  cr_assert(eq(int, rlk_guard_init(&guard, size, zone, &err), ROWLOCK_OK), "%s", err.message);
  return guard;
}

static const size_t sizes[] = {0, 1, 7, 8, 63, 64, 65, 1000};
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes };

Test(guard, gives_aligned_zeros_that_may_be_written_whole) {
  for (int i = 0; i < SIZE_COUNT; ++i) {
    rlk_guard_t guard = create(sizes[i], 0);
    rlk_damage_t damage;
    unsigned char* bytes = guard.data;
    cr_expect(eq(sz, (uintptr_t)guard.data % RLK_GUARD_ALIGNMENT, 0));
    cr_expect(ge(sz, guard.zone_bytes, RLK_GUARD_ZONE_MIN));
    for (size_t at = 0; at < sizes[i]; ++at) cr_assert(eq(int, bytes[at], 0));
    memset(bytes, 0xFF, sizes[i]);
    cr_expect(rlk_guard_check(&guard, &damage));
    rlk_guard_deinit(&guard);
  }
}

Test(guard, finds_any_changed_byte_on_either_side) {
  for (int i = 0; i < SIZE_COUNT; ++i) {
    rlk_guard_t guard = create(sizes[i], 200);
    cr_assert(eq(sz, guard.zone_bytes, 256));
    unsigned char* bytes = guard.data;
    for (size_t offset = 1; offset <= guard.zone_bytes; ++offset) {
      unsigned char* const places[] = {bytes - offset, bytes + sizes[i] + offset - 1};
      for (int side = RLK_GUARD_BEFORE; side <= RLK_GUARD_BEHIND; ++side) {
        rlk_damage_t damage;
        *places[side] ^= 1;
        cr_assert(not(rlk_guard_check(&guard, &damage)));
        *places[side] ^= 1;
        cr_assert(eq(int, damage.side, side));
        cr_assert(eq(sz, damage.offset, offset));
        cr_assert(eq(sz, damage.byte_count, 1));
      }
    }
    rlk_guard_deinit(&guard);
  }
}

/* What kernels write too much is rarely anything but these. */
Test(guard, finds_every_byte_of_common_values) {
  static const unsigned char values[] = {0, 1, 0xFF};
  for (uint64_t seed = 0; seed < 50; ++seed) {
    for (size_t v = 0; v < sizeof values; ++v) {
      for (int side = RLK_GUARD_BEFORE; side <= RLK_GUARD_BEHIND; ++side) {
        rlk_guard_t guard = create(24, 0);
        rlk_guard_arm(&guard, seed);
        memset((unsigned char*)guard.data + (side == RLK_GUARD_BEFORE ? -64 : 24), values[v], 64);
        rlk_damage_t damage;
        cr_assert(not(rlk_guard_check(&guard, &damage)));
        cr_assert(eq(int, damage.side, side));
        cr_assert(eq(sz, damage.byte_count, 64), "seed %d", (int)seed);
        rlk_guard_deinit(&guard);
      }
    }
  }
}

Test(guard, is_not_fooled_by_its_own_bytes_shifted) {
  rlk_guard_t guard = create(64, 0);
  unsigned char* behind = (unsigned char*)guard.data + 64;
  rlk_damage_t damage;
  memmove(behind + 8, behind, 56);
  cr_expect(not(rlk_guard_check(&guard, &damage)));
  cr_expect(eq(int, damage.side, RLK_GUARD_BEHIND));
  cr_expect(eq(sz, damage.offset, 9));
  rlk_guard_deinit(&guard);
}

Test(guard, looks_different_for_another_seed) {
  rlk_guard_t guard = create(64, 0);
  unsigned char first[64];
  rlk_damage_t damage;
  rlk_guard_arm(&guard, 1);
  memcpy(first, (unsigned char*)guard.data + 64, 64);
  rlk_guard_arm(&guard, 2);
  cr_expect(rlk_guard_check(&guard, &damage));
  for (int word = 0; word < 64; word += 8) {
    cr_expect(ne(int, memcmp(first + word, (unsigned char*)guard.data + 64 + word, 8), 0), "word %d", word);
  }
  rlk_guard_deinit(&guard);
}

/* A sum, a maximum or a minimum that takes in one of them shows it, in one run or in the next. */
Test(guard, holds_huge_numbers_whose_sign_changes_with_the_seed) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    rlk_guard_t guard = create(20, 0);
    for (size_t word = 0; word < 8; ++word) {
      double reals[2];
      float floats[2];
      int64_t integers[2];
      for (int i = 0; i < 2; ++i) {
        rlk_guard_arm(&guard, seed + (uint64_t)i);
        const unsigned char* at = (const unsigned char*)guard.data + 20 + 8 * word;
        memcpy(&reals[i], at, sizeof *reals);
        memcpy(&floats[i], at, sizeof *floats);
        memcpy(&integers[i], at, sizeof *integers);
        cr_expect(fabs(reals[i]) > 1e200 && isfinite(reals[i]), "%g", reals[i]);
        cr_expect(fabsf(floats[i]) > 1e25F && isfinite(floats[i]), "%g", (double)floats[i]);
      }
      cr_expect(ne(int, reals[0] < 0, reals[1] < 0), "%g %g", reals[0], reals[1]);
      cr_expect(ne(int, floats[0] < 0, floats[1] < 0), "%g %g", (double)floats[0], (double)floats[1]);
      cr_expect(ne(int, integers[0] < 0, integers[1] < 0));
    }
    rlk_guard_deinit(&guard);
  }
}

Test(guard, counts_what_is_damaged_from_the_first_byte_on) {
  rlk_guard_t guard = create(10, 0);
  memset((unsigned char*)guard.data + 10, 0, 16);
  rlk_damage_t damage;
  cr_assert(not(rlk_guard_check(&guard, &damage)));
  char buffer[128];
  rlk_text_t text = rlk_text_over(buffer, sizeof buffer);
  rlk_damage_put(&text, &damage);
  cr_expect(eq(str, buffer, "16 bytes behind the buffer overwritten, from byte 1 behind it on"));
  ((unsigned char*)guard.data)[-3] = 0;
  cr_assert(not(rlk_guard_check(&guard, &damage)));
  text = rlk_text_over(buffer, sizeof buffer);
  rlk_damage_put(&text, &damage);
  cr_expect(eq(str, buffer, "1 byte before the buffer overwritten, from byte 3 before it on"));
  rlk_guard_deinit(&guard);
}

static bool can_be_read(const unsigned char* at) {
  int ends[2];
  cr_assert(eq(int, pipe(ends), 0));
  const bool readable = write(ends[1], at, 1) == 1; /* a bad address is an error of the call, no signal */
  close(ends[0]);
  close(ends[1]);
  return readable;
}

Test(guard, is_surrounded_by_what_cannot_be_touched) {
  for (int i = 0; i < SIZE_COUNT; ++i) {
    const rlk_guard_t guard = create(sizes[i], 200);
    const unsigned char *begin = guard.data, *end = begin + sizes[i];
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    cr_expect(can_be_read(begin - guard.zone_bytes) && can_be_read(end + guard.zone_bytes - 1));
    for (size_t away = page; away < RLK_GUARD_REACH; away += page) {
      cr_assert(not(can_be_read(begin - guard.zone_bytes - away)), "%zu", away);
      cr_assert(not(can_be_read(end + guard.zone_bytes + RLK_GUARD_ALIGNMENT + away - page)), "%zu", away);
    }
    rlk_guard_t mine = guard;
    rlk_guard_deinit(&mine);
  }
}

Test(guard, without_memory_is_empty) {
  rlk_guard_t guard;
  rlk_damage_t damage;
  static const size_t sizes_too_large[] = {SIZE_MAX / 16, SIZE_MAX - 100};
  for (int i = 0; i < 2; ++i) {
    cr_expect(eq(int, rlk_guard_init(&guard, sizes_too_large[i], 64, &err), ROWLOCK_NO_MEMORY));
    cr_expect(zero(ptr, guard.data));
    cr_expect(rlk_guard_check(&guard, &damage));
    rlk_guard_deinit(&guard);
    cr_expect(eq(int, rlk_guard_init(&guard, 64, sizes_too_large[i], &err), ROWLOCK_NO_MEMORY));
  }
}
