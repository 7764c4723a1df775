/* Shared objects with as many segments, symbols and dynamic entries as a hostile file can have: each is read, or
 * refused with a clear word, and soon. They are made of a sound one, whose tables are written again behind its end. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "loader/host/elf.h"
#include "loader/host/test_object.h"

enum { ROOM = 64 << 20, PAGE = 4096 };

static rlk_file_buffer_t object;
static char* bytes; /* of the object and of what was put behind it */
static size_t length;
static uint64_t address; /* behind every segment */
static rowlock_error_t err;

static void setup(void) {
  rlk_test_object_read("sound.so", &object);
  bytes = calloc(1, ROOM);
  cr_assert(ne(ptr, bytes, NULL));
  memcpy(bytes, object.bytes, object.length);
  length = (object.length + PAGE - 1) / PAGE * PAGE;
  address = UINT64_C(1) << 32;
}

static void teardown(void) {
  rlk_file_buffer_deinit(&object);
  free(bytes);
}

/* A search of every segment for every symbol would take minutes. */
TestSuite(elf_bounds, .init = setup, .fini = teardown, .timeout = 60);

static Elf64_Ehdr* header(void) { return (Elf64_Ehdr*)bytes; }
static Elf64_Phdr* segments(void) { return (Elf64_Phdr*)(bytes + header()->e_phoff); }

static Elf64_Shdr* section(uint32_t type) {
  Elf64_Shdr* sections = (Elf64_Shdr*)(bytes + header()->e_shoff);
  for (size_t i = 1; i < header()->e_shnum; ++i) {
    if (sections[i].sh_type == type) return &sections[i];
  }
  cr_assert(false, "there is no section of type %u", type);
  return NULL;
}

/* Room for a table behind the end, at a multiple of eight. */
static void* put(size_t size) {
  void* at = bytes + length;
  cr_assert(le(sz, length + size, (size_t)ROOM));
  length += (size + 7) / 8 * 8;
  return at;
}

static void put_segment(Elf64_Phdr* at, uint64_t file_offset, uint64_t file_bytes, uint64_t memory_bytes) {
  *at = (Elf64_Phdr){.p_type = PT_LOAD,
                     .p_flags = PF_R,
                     .p_offset = file_offset,
                     .p_vaddr = address,
                     .p_filesz = file_bytes,
                     .p_memsz = memory_bytes};
  address += memory_bytes;
}

/* Writes the table of segments again, with `more` behind it that the caller fills. */
static Elf64_Phdr* put_segments(size_t more) {
  const size_t count = header()->e_phnum;
  Elf64_Phdr* table = put((count + more) * sizeof *table);
  memcpy(table, segments(), count * sizeof *table);
  header()->e_phoff = (uint64_t)((char*)table - bytes);
  header()->e_phnum = (uint16_t)(count + more);
  return table + count;
}

/* Writes the table of that type again, of `count` records of `record_bytes`, and one more segment that maps it. */
static void* put_table(uint32_t type, size_t count, size_t record_bytes, Elf64_Phdr* segment) {
  Elf64_Shdr* table = section(type);
  void* at = put(count * record_bytes);
  const size_t kept = table->sh_size < count * record_bytes ? table->sh_size : count * record_bytes;
  memcpy(at, bytes + table->sh_offset, kept);
  table->sh_offset = (uint64_t)((char*)at - bytes);
  table->sh_size = count * record_bytes;
  table->sh_addr = address;
  put_segment(segment, table->sh_offset, table->sh_size, table->sh_size);
  return at;
}

static rowlock_code_t read_it(rlk_elf_t** out_elf) { return rlk_elf_read(bytes, length, out_elf, &err); }

Test(elf_bounds, as_many_symbols_and_segments_as_there_can_be_are_read_soon) {
  enum { SYMBOLS = 1 << 20, SEGMENTS = 0xFFFE };
  const size_t more = SEGMENTS - header()->e_phnum;
  Elf64_Phdr* added = put_segments(more);
  const size_t known = section(SHT_DYNSYM)->sh_size / sizeof(Elf64_Sym);
  Elf64_Sym* symbols = put_table(SHT_DYNSYM, SYMBOLS, sizeof *symbols, &added[0]);
  Elf64_Dyn* dynamic = (Elf64_Dyn*)(bytes + section(SHT_DYNAMIC)->sh_offset);
  while (dynamic->d_tag != DT_SYMTAB) ++dynamic;
  dynamic->d_un.d_ptr = section(SHT_DYNSYM)->sh_addr;
  for (size_t i = 1; i < more; ++i) put_segment(&added[i], 0, 0, 1);
  for (size_t i = known; i < SYMBOLS; ++i) {
    symbols[i] = (Elf64_Sym){.st_name = 1,
                             .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                             .st_shndx = 1,
                             .st_value = address - 1 - i % more};
  }
  rlk_elf_t* elf;
  cr_assert(eq(i32, (int)read_it(&elf), ROWLOCK_OK), "%s", err.message);
  cr_expect(eq(i32, (int)rlk_elf_symbol(elf, "drift_host").kind, RLK_ELF_FUNCTION));
  rlk_elf_symbol_t symbol;
  size_t functions = 0, others = 0;
  for (size_t cursor = 0; rlk_elf_next_symbol(elf, &cursor, &symbol);) {
    functions += symbol.kind == RLK_ELF_FUNCTION;
    others += symbol.kind == RLK_ELF_OTHER;
  }
  cr_expect(ge(sz, functions, 2));
  cr_expect(ge(sz, others, SYMBOLS - known));
  rlk_elf_close(elf);
}

/* Whether an object with so many dynamic entries is read. */
static rowlock_code_t read_dynamic(size_t count) {
  Elf64_Phdr* added = put_segments(1);
  const size_t known = section(SHT_DYNAMIC)->sh_size / sizeof(Elf64_Dyn);
  Elf64_Dyn* dynamic = put_table(SHT_DYNAMIC, count, sizeof *dynamic, added);
  cr_assert(gt(sz, count, known));
  size_t end = 0;
  while (dynamic[end].d_tag != DT_NULL) ++end;
  for (; end < count; ++end) dynamic[end] = (Elf64_Dyn){.d_tag = DT_NEEDED, .d_un.d_val = 1};
  for (Elf64_Phdr* segment = segments(); segment < added; ++segment) {
    if (segment->p_type != PT_DYNAMIC) continue;
    segment->p_offset = added->p_offset;
    segment->p_vaddr = added->p_vaddr;
    segment->p_filesz = added->p_filesz;
    segment->p_memsz = added->p_memsz;
  }
  rlk_elf_t* elf;
  const rowlock_code_t code = read_it(&elf);
  size_t needed = 0;
  while (elf && rlk_elf_needed(elf, needed)) ++needed;
  if (!code) cr_expect(gt(sz, needed, count - known));
  rlk_elf_close(elf);
  return code;
}

Test(elf_bounds, dynamic_entries_at_the_limit_are_read) {
  cr_expect(eq(i32, (int)read_dynamic(RLK_ELF_DYNAMIC_MAX), ROWLOCK_OK), "%s", err.message);
}

Test(elf_bounds, one_dynamic_entry_more_is_refused) {
  rlk_test_expect_refused(read_dynamic(RLK_ELF_DYNAMIC_MAX + 1), &err, RLK_RULE_HOST_MALFORMED,
                          "its dynamic section has 4097 entries, more than the limit of 4096", "4097");
}

Test(elf_bounds, segments_that_lie_over_each_other_are_refused) {
  Elf64_Phdr* added = put_segments(2);
  put_segment(&added[0], 0, 0, PAGE);
  put_segment(&added[1], 0, 0, PAGE);
  rlk_elf_t* elf;
  cr_assert(eq(i32, (int)read_it(&elf), ROWLOCK_OK), "%s", err.message);
  rlk_elf_close(elf);
  --added[1].p_vaddr;
  rlk_test_expect_refused(read_it(&elf), &err, RLK_RULE_HOST_MALFORMED,
                          "does not lie behind the one before it in memory", "overlap");
}
