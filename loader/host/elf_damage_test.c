/* A sound object, cut at every place and changed in every byte: each is read to its end or refused, and nothing outside
 * its bytes is ever looked at. They end where readable memory ends, so that a look beyond is seen without a sanitizer,
 * and inside libelf too. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "loader/host/entry.h"
#include "loader/host/layout.h"
#include "loader/host/test_object.h"

static rlk_file_buffer_t object;
static char* room;      /* pages, the last of which cannot be read */
static size_t capacity; /* of those that can */
static rowlock_error_t err;

static void setup(void) {
  rlk_test_object_read("sound.so", &object);
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  capacity = (object.length + page - 1) / page * page;
  room = mmap(NULL, capacity + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cr_assert(ne(ptr, room, MAP_FAILED));
  cr_assert(zero(i32, mprotect(room + capacity, page, PROT_NONE)));
}

static void teardown(void) { rlk_file_buffer_deinit(&object); }

TestSuite(elf_damage, .init = setup, .fini = teardown, .timeout = 300);

/* The first `length` bytes of the object, where they end with the memory. */
static char* put(size_t length) { return memcpy(room + capacity - length, object.bytes, length); }

/* Asks everything that there is to ask. What is answered lies in the bytes, or the test fails. */
static void ask(const rlk_elf_t* elf, const char* bytes, size_t length) {
  const uint8_t *first = (const uint8_t*)bytes, *end = first + length;
  rlk_elf_symbol_t symbol;
  for (size_t cursor = 0; rlk_elf_next_symbol(elf, &cursor, &symbol);) {
    cr_assert(lt(sz, strlen(symbol.name), length));
    if (symbol.content) cr_assert(symbol.content >= first && symbol.size <= (uint64_t)(end - symbol.content));
  }
  rlk_elf_segment_t segment;
  for (size_t cursor = 0; rlk_elf_next_segment(elf, &cursor, &segment);) {
    cr_assert(segment.content >= first && segment.file_bytes <= (uint64_t)(end - segment.content));
  }
  const char* needed;
  for (size_t i = 0; (needed = rlk_elf_needed(elf, i)) != NULL; ++i) cr_assert(lt(sz, strlen(needed), length));
  static const char* const names[] = {"drift_host", "drift_hast", "absent"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const rowlock_code_t code = rlk_entry_check(elf, names[i], &err);
    cr_assert(code == ROWLOCK_OK || code == ROWLOCK_REJECTED);
  }
  (void)rlk_elf_relocates_text(elf);
}

/* Reads and asks; returns what reading or, after it, the layout says. */
static rowlock_code_t judge(const char* bytes, size_t length) {
  rlk_elf_t* elf;
  rowlock_code_t code = rlk_elf_read(bytes, length, &elf, &err);
  if (!code) {
    ask(elf, bytes, length);
    code = rlk_layout_check(elf, &err);
  }
  rlk_elf_close(elf);
  cr_assert(code == ROWLOCK_OK || code == ROWLOCK_REJECTED, "%s: %s", rowlock_code_name(code), err.message);
  return code;
}

static size_t headers_end(void) {
  Elf64_Ehdr header;
  memcpy(&header, object.bytes, sizeof header);
  return header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr);
}

static void expect_cut_short(size_t length) {
  const rowlock_code_t code = judge(put(length), length);
  rlk_test_expect_refused(code, &err, length ? RLK_RULE_HOST_CUT_SHORT : RLK_RULE_HOST_FILE_EMPTY, "the artifact is ",
                          "a cut object");
}

Test(elf_damage, whole_object_is_sound) {
  cr_assert(eq(i32, (int)judge(put(object.length), object.length), ROWLOCK_OK), "%s", err.message);
}

Test(elf_damage, cut_anywhere_is_refused) {
  const size_t headers = headers_end();
  cr_assert(lt(sz, headers, object.length));
  for (size_t length = 0; length <= headers; ++length) expect_cut_short(length);
  for (size_t length = 0; length < object.length; length += 64) expect_cut_short(length);
  for (size_t length = object.length - 200; length < object.length; ++length) expect_cut_short(length);
}

/* Where the layout array's content is. */
static size_t layout_offset(void) {
  rlk_elf_t* elf;
  cr_assert(eq(i32, (int)rlk_elf_read(object.bytes, object.length, &elf, &err), ROWLOCK_OK));
  const rlk_elf_symbol_t symbol = rlk_elf_symbol(elf, RLK_LAYOUT_SYMBOL);
  cr_assert(ne(ptr, (void*)symbol.content, NULL));
  const size_t offset = (size_t)(symbol.content - (const uint8_t*)object.bytes);
  rlk_elf_close(elf);
  return offset;
}

Test(elf_damage, changed_in_any_byte_is_refused_or_read_to_the_end) {
  static const unsigned char changes[] = {0x01, 0x80, 0xFF};
  const size_t layout = layout_offset();
  char* bytes = put(object.length);
  size_t passed = 0, refused = 0;
  for (size_t at = 0; at < object.length; ++at) {
    for (size_t i = 0; i < sizeof changes; ++i) {
      bytes[at] = (char)(object.bytes[at] ^ changes[i]);
      const rowlock_code_t code = judge(bytes, object.length);
      *(code ? &refused : &passed) += 1;
      if (at >= layout && at - layout < RLK_LAYOUT_LENGTH) {
        rlk_test_expect_refused(code, &err, RLK_RULE_HOST_LAYOUT_MISMATCH, "layout mismatch in ", "a changed size");
      }
    }
    bytes[at] = object.bytes[at];
  }
  cr_expect(gt(sz, refused, 1000), "only %zu changes were noticed", refused);
  cr_expect(gt(sz, passed, 1000), "%zu changes passed, those in code alone must be more", passed);
}

Test(elf_damage, headers_with_other_bytes_are_refused_or_read_to_the_end) {
  char* bytes = put(object.length);
  size_t refused = 0;
  for (size_t at = 0; at < headers_end(); ++at) {
    for (int value = (int)(at % 4); value < 256; value += 4) {
      bytes[at] = (char)value;
      const rowlock_code_t code = judge(bytes, object.length);
      if (at < 4 && bytes[at] != object.bytes[at]) cr_expect(eq(i32, (int)code, ROWLOCK_REJECTED), "byte %zu", at);
      refused += code != ROWLOCK_OK;
    }
    bytes[at] = object.bytes[at];
  }
  cr_expect(gt(sz, refused, 3000), "only %zu changes were noticed", refused);
}

/* Two bytes at a time, anywhere: from a generator with a fixed start, so that a failure can be repeated. */
Test(elf_damage, changed_in_two_places_is_refused_or_read_to_the_end) {
  char* bytes = put(object.length);
  uint64_t state = 0x9E3779B97F4A7C15;
  size_t refused = 0;
  for (int i = 0; i < 10000; ++i) {
    size_t at[2];
    for (int j = 0; j < 2; ++j) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      at[j] = (size_t)(state >> 33) % object.length;
      bytes[at[j]] = (char)(state >> 24);
    }
    refused += judge(bytes, object.length) != ROWLOCK_OK;
    for (int j = 0; j < 2; ++j) bytes[at[j]] = object.bytes[at[j]];
  }
  cr_expect(gt(sz, refused, 1000), "only %zu changes were noticed", refused);
}
