/* What the compiler makes, cut at every place and changed in every byte: each is read to its end or refused, and what
 * is read keeps its invariants. The bytes end where readable memory ends, so that a look beyond is seen without a
 * sanitizer, and inside the libraries too. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "loader/artifact/test_artifact.h"
#include "loader/artifact/trial.h"

typedef struct room_t {
  rlk_file_buffer_t file;
  uint8_t* pages; /* the last of which cannot be read */
  size_t capacity;
  rlk_artifact_trial_t trial;
} room_t;

static void open_room(room_t* room, const char* name) {
  *room = (room_t){0};
  rlk_test_artifact_read(name, &room->file);
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  room->capacity = (room->file.length + page - 1) / page * page;
  room->pages = mmap(NULL, room->capacity + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cr_assert(ne(ptr, room->pages, MAP_FAILED));
  cr_assert(zero(i32, mprotect(room->pages + room->capacity, page, PROT_NONE)));
}

static void close_room(room_t* room) {
  munmap(room->pages, room->capacity + (size_t)sysconf(_SC_PAGESIZE));
  rlk_file_buffer_deinit(&room->file);
  rlk_arena_deinit(&room->trial.arena);
}

static uint8_t* put(const room_t* room, size_t length) {
  return memcpy(room->pages + room->capacity - length, room->file.bytes, length);
}

/* Whether the bytes are refused; the test fails if an invariant does not hold of them. */
static bool is_refused(room_t* room, const uint8_t* bytes, size_t length, size_t at) {
  const bool holds = rlk_artifact_trial_holds(&room->trial, bytes, length);
  cr_assert(holds, "at byte %zu: %s (%s)", at, room->trial.problem, room->trial.err.message);
  return room->trial.code == ROWLOCK_REJECTED;
}

static void expect_whole(const char* name) {
  room_t room;
  open_room(&room, name);
  cr_expect(not(is_refused(&room, put(&room, room.file.length), room.file.length, 0)), "%s: %s", name,
            room.trial.err.message);
  close_room(&room);
}

/* Binaries say how long they are; PTX does not, and may end after any of its entries. */
static void cut_anywhere(const char* name) {
  room_t room;
  open_room(&room, name);
  const bool is_text = strstr(name, ".ptx") != NULL;
  size_t refused = 0;
  for (size_t length = 0; length < room.file.length; ++length) {
    const bool one = is_refused(&room, put(&room, length), length, length);
    if (!is_text) cr_expect(one, "%s cut to %zu bytes is read", name, length);
    refused += one;
  }
  cr_expect(gt(sz, refused, room.file.length / 2), "%s: only %zu cuts were noticed", name, refused);
  close_room(&room);
}

static void change_any_byte(const char* name) {
  static const uint8_t changes[] = {0x01, 0x80, 0xFF};
  room_t room;
  open_room(&room, name);
  uint8_t* bytes = put(&room, room.file.length);
  size_t refused = 0, passed = 0;
  for (size_t at = 0; at < room.file.length; ++at) {
    for (size_t i = 0; i < sizeof changes; ++i) {
      bytes[at] = (uint8_t)room.file.bytes[at] ^ changes[i];
      ++*(is_refused(&room, bytes, room.file.length, at) ? &refused : &passed);
    }
    bytes[at] = (uint8_t)room.file.bytes[at];
  }
  cr_expect(gt(sz, refused, 100), "%s: only %zu changes were noticed", name, refused);
  cr_expect(gt(sz, passed, 100), "%s: only %zu changes passed, those in code alone must be more", name, passed);
  close_room(&room);
}

TestSuite(damage, .timeout = 600);

static void damage(const char* name) {
  expect_whole(name);
  cut_anywhere(name);
  change_any_byte(name);
}

Test(damage, ptx) { damage("sums.ptx"); }
Test(damage, cubin) { damage("sums.cubin"); }
Test(damage, fatbin_without_compression) { damage("sums_plain.fatbin"); }
Test(damage, fatbin_of_lz4) { damage("sums_lz4.fatbin"); }
Test(damage, fatbin_of_zstd) { damage("sums_zstd.fatbin"); }
