#include "validator/rules/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names that ld --wrap gives: a call of malloc arrives at __wrap_malloc, and __real_malloc is the library's. */
void* wrapped_malloc(size_t size) __asm__("__wrap_malloc");
void* wrapped_calloc(size_t count, size_t size) __asm__("__wrap_calloc");
void* wrapped_realloc(void* block, size_t size) __asm__("__wrap_realloc");
void wrapped_free(void* block) __asm__("__wrap_free");
void* real_malloc(size_t size) __asm__("__real_malloc");
void* real_calloc(size_t count, size_t size) __asm__("__real_calloc");
void* real_realloc(void* block, size_t size) __asm__("__real_realloc");
void real_free(void* block) __asm__("__real_free");

static _Thread_local bool armed;

static struct {
  rlk_fault_t seen;
  uint64_t nth;
  bool lasting;
} fault;

/* --- The live blocks: a set of addresses, hashed, since free also gets blocks from elsewhere ------------------------
 */

enum { SLOT_COUNT = 1 << 16, LIVE_MAX = SLOT_COUNT / 2 };

static uintptr_t slots[SLOT_COUNT];

static size_t home_of(uintptr_t address) { return (size_t)((address >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 48); }

static size_t find_slot(uintptr_t address) {
  size_t slot = home_of(address);
  while (slots[slot] && slots[slot] != address) slot = (slot + 1) % SLOT_COUNT;
  return slot;
}

static void note_allocated(const void* block) {
  if (!block) return;
  if (fault.seen.live == LIVE_MAX) {
    fputs("fault: more live blocks than can be followed\n", stderr);
    abort();
  }
  slots[find_slot((uintptr_t)block)] = (uintptr_t)block;
  ++fault.seen.live;
}

static void note_freed(uintptr_t address) {
  size_t hole = find_slot(address);
  if (!slots[hole]) return;
  --fault.seen.live;
  /* Moves up what was displaced past the hole, so that a search never stops short. */
  for (size_t at = (hole + 1) % SLOT_COUNT; slots[at]; at = (at + 1) % SLOT_COUNT) {
    const size_t displaced = (at - home_of(slots[at])) % SLOT_COUNT;
    if (displaced < (at - hole) % SLOT_COUNT) continue;
    slots[hole] = slots[at];
    hole = at;
  }
  slots[hole] = 0;
}

/* --- The wrapped functions ---------------------------------------------------------------------------------------- */

void rlk_fault_arm(uint64_t nth, bool lasting) {
  memset(slots, 0, sizeof slots);
  fault.seen = (rlk_fault_t){0};
  fault.nth = nth;
  fault.lasting = lasting;
  armed = true;
}

bool rlk_fault_relent(void) {
  fault.nth = 0;
  return fault.seen.refused > 0;
}

rlk_fault_t rlk_fault_disarm(void) {
  armed = false;
  return fault.seen;
}

static bool is_refused(void) {
  const uint64_t number = ++fault.seen.allocations;
  const bool refused = fault.nth != 0 && (number == fault.nth || (fault.lasting && number > fault.nth));
  fault.seen.refused += refused;
  return refused;
}

void* wrapped_malloc(size_t size) {
  if (!armed) return real_malloc(size);
  if (is_refused()) return NULL;
  void* block = real_malloc(size);
  note_allocated(block);
  return block;
}

void* wrapped_calloc(size_t count, size_t size) {
  if (!armed) return real_calloc(count, size);
  if (is_refused()) return NULL;
  void* block = real_calloc(count, size);
  note_allocated(block);
  return block;
}

void* wrapped_realloc(void* block, size_t size) {
  if (!armed) return real_realloc(block, size);
  if (is_refused()) return NULL;
  const uintptr_t old = (uintptr_t)block;
  void* moved = real_realloc(block, size);
  if (!moved) return NULL;
  note_freed(old);
  note_allocated(moved);
  return moved;
}

void wrapped_free(void* block) {
  if (armed && block) note_freed((uintptr_t)block);
  real_free(block);
}
