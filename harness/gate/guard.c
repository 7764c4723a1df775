#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "harness/gate/guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include "harness/gate/mix.h"

static unsigned char* first_zone(const rlk_guard_t* guard) { return (unsigned char*)guard->data - guard->zone_bytes; }
static unsigned char* second_zone(const rlk_guard_t* guard) { return (unsigned char*)guard->data + guard->size_bytes; }

/* Differs from place to place, so that neither a constant nor a shifted copy of the zone passes for it; never what a
 * kernel writes most, 0, 1 and -1; and as a number of any type huge, negative by turns of the words and of the seed: a
 * small one would vanish in the sum of a kernel that reads beyond an end, and one sign in its maximum or minimum. */
static unsigned char zone_byte(const rlk_guard_t* guard, rlk_guard_side_t side, size_t at) {
  const uint64_t word_index = at / sizeof(uint64_t);
  const uint64_t word = rlk_mix(guard->seed + 2 * word_index + side);
  const unsigned char bits = word >> 8 * (at % sizeof word) & 0x3F;
  const bool is_highest = at % sizeof(float) == sizeof(float) - 1; /* sign and exponent, of a float64 too */
  if (!is_highest) return 0x40 | bits;
  const unsigned char sign = (guard->seed + word_index) % 2 ? 0x80 : 0;
  return sign | 0x70 | (bits & 0x0E);
}

static rowlock_code_t no_memory(size_t size_bytes, rowlock_error_t* err) {
  return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for a buffer of %zu bytes and its red zones", size_bytes);
}

/* Pages that may be touched between such that may not; NULL where there are none left. */
static unsigned char* map_between(size_t inner_bytes) {
  unsigned char* block =
      mmap(NULL, inner_bytes + 2 * (size_t)RLK_GUARD_REACH, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return NULL;
  if (mprotect(block + RLK_GUARD_REACH, inner_bytes, PROT_READ | PROT_WRITE) == 0) return block;
  munmap(block, inner_bytes + 2 * (size_t)RLK_GUARD_REACH);
  return NULL;
}

rowlock_code_t rlk_guard_init(rlk_guard_t* guard, size_t size_bytes, size_t zone_bytes, rowlock_error_t* err) {
  *guard = (rlk_guard_t){0};
  if (zone_bytes < RLK_GUARD_ZONE_MIN) zone_bytes = RLK_GUARD_ZONE_MIN;
  const size_t spare = RLK_GUARD_ALIGNMENT - 1, page = (size_t)sysconf(_SC_PAGESIZE) - 1;
  if (zone_bytes > SIZE_MAX / 8 || size_bytes > SIZE_MAX / 8) return no_memory(size_bytes, err);
  zone_bytes = (zone_bytes + spare) & ~spare;
  const size_t inner = (2 * zone_bytes + size_bytes + spare + page) & ~page;
  unsigned char* block = map_between(inner);
  if (!block) return no_memory(size_bytes, err);
  /* As far back as the alignment lets it: what lies between a zone and the pages is not watched. */
  const size_t end = RLK_GUARD_REACH + inner - zone_bytes;
  *guard = (rlk_guard_t){.data = block + ((end - size_bytes) & ~spare),
                         .size_bytes = size_bytes,
                         .zone_bytes = zone_bytes,
                         .block = block,
                         .block_bytes = inner + 2 * (size_t)RLK_GUARD_REACH};
  rlk_guard_arm(guard, 0);
  return ROWLOCK_OK;
}

void rlk_guard_deinit(rlk_guard_t* guard) {
  if (guard->block) munmap(guard->block, guard->block_bytes);
  *guard = (rlk_guard_t){0};
}

void rlk_guard_arm(rlk_guard_t* guard, uint64_t seed) {
  guard->seed = seed;
  for (size_t i = 0; i < guard->zone_bytes; ++i) {
    first_zone(guard)[i] = zone_byte(guard, RLK_GUARD_BEFORE, i);
    second_zone(guard)[i] = zone_byte(guard, RLK_GUARD_BEHIND, i);
  }
}

static size_t count_damage(const rlk_guard_t* guard, rlk_guard_side_t side, size_t* out_first) {
  const unsigned char* zone = side == RLK_GUARD_BEFORE ? first_zone(guard) : second_zone(guard);
  size_t count = 0;
  for (size_t i = guard->zone_bytes; i-- > 0;) {
    if (zone[i] == zone_byte(guard, side, i)) continue;
    *out_first = i;
    ++count;
  }
  return count;
}

bool rlk_guard_check(const rlk_guard_t* guard, rlk_damage_t* out_damage) {
  *out_damage = (rlk_damage_t){0};
  if (!guard->block) return true;
  size_t first = 0;
  size_t count = count_damage(guard, RLK_GUARD_BEFORE, &first);
  if (count > 0) {
    *out_damage = (rlk_damage_t){.side = RLK_GUARD_BEFORE, .offset = guard->zone_bytes - first, .byte_count = count};
    return false;
  }
  count = count_damage(guard, RLK_GUARD_BEHIND, &first);
  if (count > 0) *out_damage = (rlk_damage_t){.side = RLK_GUARD_BEHIND, .offset = first + 1, .byte_count = count};
  return count == 0;
}

void rlk_damage_put(rlk_text_t* text, const rlk_damage_t* damage) {
  const char* side = damage->side == RLK_GUARD_BEFORE ? "before" : "behind";
  rlk_text_printf(text, "%zu byte%s %s the buffer overwritten, from byte %zu %s it on", damage->byte_count,
                  damage->byte_count == 1 ? "" : "s", side, damage->offset, side);
}
