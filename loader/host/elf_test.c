#define _GNU_SOURCE /* truncate */
#include "loader/host/elf.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "loader/host/test_object.h"
#include "loader/test_folder.h"
#include "validator/rules/fault.h"

static rlk_file_buffer_t object;
static rlk_test_folder_t home;
static rowlock_error_t err;

static void setup(void) {
  rlk_test_folder_create(&home);
  rlk_test_object_read("sound.so", &object);
}

static void teardown(void) {
  rlk_file_buffer_deinit(&object);
  rlk_test_folder_remove(&home);
}

TestSuite(elf, .init = setup, .fini = teardown, .timeout = 120);

static rlk_elf_t* read_object(const char* name) {
  rlk_elf_t* elf;
  cr_assert(eq(i32, (int)rlk_elf_open(rlk_test_object_path(name), &elf, &err), ROWLOCK_OK), "%s: %s", name,
            err.message);
  return elf;
}

static void expect_kind(const rlk_elf_t* elf, const char* name, rlk_elf_kind_t due) {
  cr_expect(eq(str, (char*)rlk_elf_kind_name(rlk_elf_symbol(elf, name).kind), (char*)rlk_elf_kind_name(due)), "%s",
            name);
}

/* --- What a sound object answers ---------------------------------------------------------------------------------- */

Test(elf, symbols_are_told_apart) {
  rlk_elf_t* elf = read_object("entries.so");
  expect_kind(elf, "calls_hidden", RLK_ELF_FUNCTION);
  expect_kind(elf, "drift_host", RLK_ELF_DATA);
  expect_kind(elf, "thread_host", RLK_ELF_OTHER);
  expect_kind(elf, "elsewhere_host", RLK_ELF_UNDEFINED);
  expect_kind(elf, "hidden_host", RLK_ELF_ABSENT);
  expect_kind(elf, "calls_hidde", RLK_ELF_ABSENT);
  expect_kind(elf, "", RLK_ELF_ABSENT);
  rlk_elf_close(elf);
}

Test(elf, local_functions_are_in_the_full_table) {
  rlk_elf_t* elf = read_object("entries.so");
  cr_expect(rlk_elf_has_local_function(elf, "hidden_host"));
  cr_expect(not(rlk_elf_has_local_function(elf, "elsewhere_host")));
  cr_expect(not(rlk_elf_has_local_function(elf, "drift_host")));
  rlk_elf_close(elf);
}

Test(elf, content_is_what_the_source_says) {
  static const uint64_t due[] = {40, 32, 32, 4, 24};
  rlk_elf_t* elf = read_object("sound.so");
  const rlk_elf_symbol_t symbol = rlk_elf_symbol(elf, "eagle_layout_sizes");
  cr_assert(eq(u64, symbol.size, sizeof due));
  cr_assert(ne(ptr, (void*)symbol.content, NULL));
  cr_expect(zero(i32, memcmp(symbol.content, due, sizeof due)));
  rlk_elf_close(elf);
}

Test(elf, content_without_bytes_in_the_file_is_zeros) {
  rlk_elf_t* elf = read_object("layout_zeros.so");
  const rlk_elf_symbol_t symbol = rlk_elf_symbol(elf, "eagle_layout_sizes");
  cr_expect(eq(i32, (int)symbol.kind, RLK_ELF_DATA));
  cr_expect(eq(u64, symbol.size, 40));
  cr_expect(eq(ptr, (void*)symbol.content, NULL));
  rlk_elf_close(elf);
}

Test(elf, walk_finds_every_function) {
  rlk_elf_t* elf = read_object("sound.so");
  size_t drift = 0, settle = 0;
  rlk_elf_symbol_t symbol;
  for (size_t cursor = 0; rlk_elf_next_symbol(elf, &cursor, &symbol);) {
    drift += strcmp(symbol.name, "drift_host") == 0;
    settle += strcmp(symbol.name, "settle_host") == 0;
  }
  cr_expect(eq(sz, drift, 1));
  cr_expect(eq(sz, settle, 1));
  rlk_elf_close(elf);
}

static bool needs(const char* object_name, const char* library) {
  rlk_elf_t* elf = read_object(object_name);
  bool found = false;
  const char* needed;
  for (size_t i = 0; (needed = rlk_elf_needed(elf, i)) != NULL; ++i) found = found || strcmp(needed, library) == 0;
  rlk_elf_close(elf);
  return found;
}

Test(elf, needed_libraries_are_named) {
  cr_expect(needs("needs.so", "libomp-of-test.so"));
  cr_expect(needs("needs_middle.so", "libmiddle-of-test.so"));
  cr_expect(not(needs("needs_middle.so", "libomp-of-test.so")));
  cr_expect(needs("team.so", "libgomp.so.1"));
  cr_expect(not(needs("sound.so", "libgomp.so.1")));
}

Test(elf, segments_lie_in_the_file) {
  rlk_elf_t* elf;
  cr_assert(eq(i32, (int)rlk_elf_read(object.bytes, object.length, &elf, &err), ROWLOCK_OK));
  size_t count = 0, executable = 0;
  rlk_elf_segment_t segment;
  for (size_t cursor = 0; rlk_elf_next_segment(elf, &cursor, &segment); ++count) {
    const size_t offset = (size_t)(segment.content - (const uint8_t*)object.bytes);
    cr_expect(le(sz, offset + segment.file_bytes, object.length));
    cr_expect(le(u64, segment.file_bytes, segment.memory_bytes));
    executable += segment.executable;
  }
  cr_expect(ge(sz, count, 2));
  cr_expect(eq(sz, executable, 1));
  cr_expect(not(rlk_elf_relocates_text(elf)));
  rlk_elf_close(elf);
}

Test(elf, closing_null_does_nothing) {
  rlk_elf_t* elf = read_object("sound.so");
  rlk_elf_close(NULL);
  expect_kind(elf, "drift_host", RLK_ELF_FUNCTION);
  rlk_elf_close(elf);
}

/* --- What other files are told to be ------------------------------------------------------------------------------ */

static rowlock_code_t read_bytes(const char* bytes, size_t length) {
  rlk_elf_t* elf;
  const rowlock_code_t code = rlk_elf_read(bytes, length, &elf, &err);
  cr_expect(eq(i32, elf != NULL, code == ROWLOCK_OK));
  rlk_elf_close(elf);
  return code;
}

static void expect_text_refused(const char* text, rlk_rule_t due, const char* words) {
  rlk_test_expect_refused(read_bytes(text, strlen(text)), &err, due, words, text);
}

Test(elf, files_of_other_kinds_are_named) {
  expect_text_refused("", RLK_RULE_HOST_FILE_EMPTY, "is an empty file");
  expect_text_refused("version https://git-lfs.github.com/spec/v1\noid sha256:1\n", RLK_RULE_HOST_LFS_POINTER,
                      "looks like a Git LFS pointer: run git lfs pull");
  expect_text_refused("../real/gravity.so\n", RLK_RULE_HOST_PATH_TEXT,
                      "is a text that names a path ('../real/gravity.so')");
  expect_text_refused("// by hand\n.version 8.5\n", RLK_RULE_HOST_DEVICE_CODE, "is PTX, code for a device");
  expect_text_refused("\x50\xED\x55\xBA\1", RLK_RULE_HOST_DEVICE_CODE, "is a fatbin, code for a device");
  expect_text_refused("\xB1\x43\x62\x46\1", RLK_RULE_HOST_DEVICE_CODE, "is a wrapped fatbin");
  expect_text_refused("!<arch>\n", RLK_RULE_HOST_NOT_ELF, "it is a static archive (.a)");
  expect_text_refused("\xFF\xFE\xFD\1", RLK_RULE_HOST_NOT_ELF, "of a kind that is not known here");
}

/* Changes some bytes of the sound object, reads it and puts them back. */
static rowlock_code_t read_edited(size_t offset, const void* bytes, size_t length) {
  char kept[64];
  cr_assert(le(sz, length, sizeof kept));
  cr_assert(le(sz, offset + length, object.length));
  memcpy(kept, object.bytes + offset, length);
  memcpy(object.bytes + offset, bytes, length);
  const rowlock_code_t code = read_bytes(object.bytes, object.length);
  memcpy(object.bytes + offset, kept, length);
  return code;
}

static void expect_byte_refused(size_t offset, uint8_t value, rlk_rule_t due, const char* words) {
  rlk_test_expect_refused(read_edited(offset, &value, 1), &err, due, words, words);
}

#define HEADER(field) offsetof(Elf64_Ehdr, field)

Test(elf, objects_for_others_are_named) {
  expect_byte_refused(EI_CLASS, ELFCLASS32, RLK_RULE_HOST_CLASS_32, "is a 32-bit object");
  expect_byte_refused(HEADER(e_machine), EM_AARCH64, RLK_RULE_HOST_OTHER_MACHINE, "it is for AArch64, this is x86-64");
  expect_byte_refused(HEADER(e_machine), EM_CUDA, RLK_RULE_HOST_DEVICE_CODE, "is a cubin, code for a device");
  expect_byte_refused(HEADER(e_machine), 99, RLK_RULE_HOST_OTHER_MACHINE, "it is for ELF machine 99");
  char head[HEADER(e_machine) + 2];
  memcpy(head, object.bytes, sizeof head);
  head[EI_DATA] = ELFDATA2MSB;
  head[HEADER(e_machine)] = 0;
  head[HEADER(e_machine) + 1] = EM_PPC64;
  rlk_test_expect_refused(read_edited(0, head, sizeof head), &err, RLK_RULE_HOST_OTHER_MACHINE,
                          "it is for PowerPC64, big-endian", "big-endian");
}

Test(elf, files_that_are_not_shared_objects_are_named) {
  expect_byte_refused(HEADER(e_type), ET_REL, RLK_RULE_HOST_NOT_SHARED, "is an object file (.o), not a shared object");
  expect_byte_refused(HEADER(e_type), ET_EXEC, RLK_RULE_HOST_NOT_SHARED, "is a program, not a shared object");
  expect_byte_refused(HEADER(e_type), ET_CORE, RLK_RULE_HOST_NOT_SHARED, "is a core dump");
}

/* Where the record is in the file that has that value at `offset` in it; the records start at `start`. */
static size_t find_record(size_t start, size_t count, size_t record_bytes, size_t offset, const void* value,
                          size_t value_bytes) {
  for (size_t i = 0; i < count; ++i) {
    const size_t at = start + i * record_bytes;
    cr_assert(le(sz, at + record_bytes, object.length));
    if (memcmp(object.bytes + at + offset, value, value_bytes) == 0) return at;
  }
  cr_assert(false, "there is no such record");
  return 0;
}

static size_t find_segment(uint32_t type) {
  Elf64_Ehdr header;
  memcpy(&header, object.bytes, sizeof header);
  return find_record(header.e_phoff, header.e_phnum, sizeof(Elf64_Phdr), offsetof(Elf64_Phdr, p_type), &type,
                     sizeof type);
}

static size_t find_section(uint32_t type) {
  Elf64_Ehdr header;
  memcpy(&header, object.bytes, sizeof header);
  return find_record(header.e_shoff, header.e_shnum, sizeof(Elf64_Shdr), offsetof(Elf64_Shdr, sh_type), &type,
                     sizeof type);
}

static size_t find_dynamic(int64_t tag) {
  Elf64_Phdr segment;
  memcpy(&segment, object.bytes + find_segment(PT_DYNAMIC), sizeof segment);
  return find_record(segment.p_offset, segment.p_filesz / sizeof(Elf64_Dyn), sizeof(Elf64_Dyn),
                     offsetof(Elf64_Dyn, d_tag), &tag, sizeof tag);
}

Test(elf, position_independent_programs_are_named) {
  const Elf64_Dyn pie = {.d_tag = DT_FLAGS_1, .d_un.d_val = DF_1_PIE};
  rlk_test_expect_refused(read_edited(find_dynamic(DT_FLAGS_1), &pie, sizeof pie), &err, RLK_RULE_HOST_NOT_SHARED,
                          "is a program (position-independent)", "DF_1_PIE");
}

/* --- What is damaged ---------------------------------------------------------------------------------------------- */

static void expect_damaged(size_t offset, uint64_t value, size_t size, const char* words) {
  rlk_test_expect_refused(read_edited(offset, &value, size), &err, RLK_RULE_HOST_MALFORMED, words, words);
}

Test(elf, header_that_is_not_as_it_must_be_is_damage) {
  expect_damaged(EI_CLASS, 3, 1, "ELF class 3");
  expect_damaged(EI_DATA, 0, 1, "byte order 0");
  expect_damaged(EI_VERSION, 2, 1, "ELF version");
  expect_damaged(HEADER(e_version), 2, 4, "ELF version 2");
  expect_damaged(HEADER(e_type), 77, 2, "ELF type 77");
  expect_damaged(HEADER(e_ehsize), 63, 2, "an ELF header of 63 bytes");
  expect_damaged(HEADER(e_phnum), 0, 2, "0 program headers");
  expect_damaged(HEADER(e_phentsize), 32, 2, "program headers of 32 bytes");
  expect_damaged(HEADER(e_shentsize), 40, 2, "section headers of 40 bytes");
  expect_damaged(HEADER(e_shnum), 0xFFFF, 2, "65535 section headers");
  expect_damaged(HEADER(e_shoff), 0, 8, "it has no table of sections");
}

Test(elf, tables_beyond_the_end_are_cut_short) {
  static const struct {
    size_t offset;
    uint64_t value;
    size_t size;
    const char* words;
  } edits[] = {
      {HEADER(e_phoff), 1 << 24, 8, "the table of segments goes on to byte"},
      {HEADER(e_shoff), 1 << 24, 8, "the table of sections goes on to byte"},
      {HEADER(e_shoff), UINT64_MAX, 8, "2^64 and beyond"},
      {HEADER(e_phnum), 0x7000, 2, "the table of segments goes on to byte"},
  };
  for (size_t i = 0; i < sizeof edits / sizeof *edits; ++i) {
    rlk_test_expect_refused(read_edited(edits[i].offset, &edits[i].value, edits[i].size), &err, RLK_RULE_HOST_CUT_SHORT,
                            edits[i].words, edits[i].words);
  }
}

Test(elf, segments_beyond_the_end_are_cut_short) {
  const uint64_t huge = UINT64_MAX;
  const size_t load = find_segment(PT_LOAD);
  rlk_test_expect_refused(read_edited(load + offsetof(Elf64_Phdr, p_offset), &huge, 8), &err, RLK_RULE_HOST_CUT_SHORT,
                          "a segment goes on to byte 2^64", "p_offset");
  expect_damaged(load + offsetof(Elf64_Phdr, p_filesz), huge, 8, "segment");
  expect_damaged(load + offsetof(Elf64_Phdr, p_vaddr), huge, 8, "segment");
}

Test(elf, sections_beyond_the_end_are_cut_short) {
  const uint64_t huge = UINT64_MAX / 2;
  const size_t section = find_section(SHT_PROGBITS);
  rlk_test_expect_refused(read_edited(section + offsetof(Elf64_Shdr, sh_offset), &huge, 8), &err,
                          RLK_RULE_HOST_CUT_SHORT, "a section goes on to byte", "sh_offset");
  rlk_test_expect_refused(read_edited(section + offsetof(Elf64_Shdr, sh_size), &huge, 8), &err, RLK_RULE_HOST_CUT_SHORT,
                          "a section goes on to byte", "sh_size");
}

Test(elf, sections_and_segments_that_disagree_are_damage) {
  const size_t symbols = find_section(SHT_DYNSYM), dynamic = find_section(SHT_DYNAMIC);
  expect_damaged(symbols + offsetof(Elf64_Shdr, sh_addr), 0x10, 8, "disagree on where the table of dynamic symbols is");
  expect_damaged(symbols + offsetof(Elf64_Shdr, sh_offset), 0x40, 8, "");
  expect_damaged(find_dynamic(DT_STRTAB) + 8, 0x10, 8, "disagree on where the table of names is");
  expect_damaged(dynamic + offsetof(Elf64_Shdr, sh_addr), 0x10, 8, "disagree on where the dynamic section is");
  expect_damaged(find_segment(PT_DYNAMIC), PT_NOTE, 4, "disagree on where the dynamic section is");
  expect_damaged(find_segment(PT_DYNAMIC) + offsetof(Elf64_Phdr, p_offset), 0x40, 8,
                 "disagree on where the dynamic section is");
  expect_damaged(symbols + offsetof(Elf64_Shdr, sh_type), SHT_PROGBITS, 4, "it has no dynamic symbols");
  expect_damaged(dynamic + offsetof(Elf64_Shdr, sh_type), SHT_PROGBITS, 4, "it has no dynamic section");
}

Test(elf, tables_that_are_not_of_their_records_are_damage) {
  const size_t symbols = find_section(SHT_DYNSYM);
  expect_damaged(symbols + offsetof(Elf64_Shdr, sh_entsize), 16, 8, "which is not some records of 24");
  expect_damaged(symbols + offsetof(Elf64_Shdr, sh_size), 25, 8, "which is not some records of 24");
  expect_damaged(symbols + offsetof(Elf64_Shdr, sh_size), 0, 8, "which is not some records of 24");
  expect_damaged(symbols + offsetof(Elf64_Shdr, sh_link), 0, 4, "section 0 is not its table of names");
  expect_damaged(symbols + offsetof(Elf64_Shdr, sh_link), 0xFFFFFFFF, 4, "is not its table of names");
}

static Elf64_Shdr section_of(uint32_t type) {
  Elf64_Shdr section;
  memcpy(&section, object.bytes + find_section(type), sizeof section);
  return section;
}

Test(elf, names_outside_the_strings_are_damage) {
  const Elf64_Shdr symbols = section_of(SHT_DYNSYM);
  expect_damaged(symbols.sh_offset + sizeof(Elf64_Sym) + offsetof(Elf64_Sym, st_name), 0xFFFFFFFF, 4,
                 "the name of symbol 1 is outside the strings");
}

Test(elf, strings_without_an_end_are_damage) {
  Elf64_Ehdr header;
  Elf64_Shdr strings;
  memcpy(&header, object.bytes, sizeof header);
  memcpy(&strings, object.bytes + header.e_shoff + section_of(SHT_DYNSYM).sh_link * sizeof strings, sizeof strings);
  expect_damaged(strings.sh_offset + strings.sh_size - 1, 'x', 1, "table of names does not end in NUL");
}

Test(elf, needed_library_without_a_name_is_damage) {
  rlk_file_buffer_deinit(&object);
  rlk_test_object_read("needs.so", &object);
  const size_t name = find_dynamic(DT_NEEDED) + offsetof(Elf64_Dyn, d_un);
  expect_damaged(name, 0, 8, "a library that it needs has no name");
  expect_damaged(name, UINT64_MAX, 8, "a library that it needs has no name");
}

/* --- Symbols that are not what they say --------------------------------------------------------------------------- */

/* Where the record of the first visible symbol of that type is. */
static size_t find_symbol(unsigned char type) {
  const Elf64_Shdr symbols = section_of(SHT_DYNSYM);
  const unsigned char info = ELF64_ST_INFO(STB_GLOBAL, type);
  for (size_t at = symbols.sh_offset; at < symbols.sh_offset + symbols.sh_size; at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    memcpy(&symbol, object.bytes + at, sizeof symbol);
    if (symbol.st_info == info && symbol.st_shndx != SHN_UNDEF) return at;
  }
  cr_assert(false, "there is no such symbol");
  return 0;
}

/* The kind of a symbol when some bytes are others. */
static void expect_edited_kind(const char* name, size_t offset, uint64_t value, size_t size, rlk_elf_kind_t due) {
  uint64_t kept;
  memcpy(&kept, object.bytes + offset, size);
  memcpy(object.bytes + offset, &value, size);
  rlk_elf_t* elf;
  cr_assert(eq(i32, (int)rlk_elf_read(object.bytes, object.length, &elf, &err), ROWLOCK_OK), "%s", err.message);
  expect_kind(elf, name, due);
  rlk_elf_close(elf);
  memcpy(object.bytes + offset, &kept, size);
}

Test(elf, function_that_is_not_in_code_is_none) {
  const size_t at = find_symbol(STT_FUNC);
  Elf64_Sym symbol;
  memcpy(&symbol, object.bytes + at, sizeof symbol);
  char name[64];
  rlk_elf_t* elf;
  cr_assert(eq(i32, (int)rlk_elf_read(object.bytes, object.length, &elf, &err), ROWLOCK_OK));
  rlk_elf_symbol_t found = {0};
  for (size_t cursor = 0; rlk_elf_next_symbol(elf, &cursor, &found) && found.kind != RLK_ELF_FUNCTION;) {
  }
  cr_assert(lt(i32, snprintf(name, sizeof name, "%s", found.name), (int)sizeof name));
  rlk_elf_close(elf);
  expect_edited_kind(name, at + offsetof(Elf64_Sym, st_value), symbol.st_value, 8, RLK_ELF_FUNCTION);
  expect_edited_kind(name, at + offsetof(Elf64_Sym, st_value), section_of(SHT_DYNAMIC).sh_addr, 8, RLK_ELF_OTHER);
  expect_edited_kind(name, at + offsetof(Elf64_Sym, st_value), UINT64_MAX, 8, RLK_ELF_OTHER);
  expect_edited_kind(name, at + offsetof(Elf64_Sym, st_shndx), SHN_ABS, 2, RLK_ELF_OTHER);
  expect_edited_kind(name, at + offsetof(Elf64_Sym, st_other), STV_HIDDEN, 1, RLK_ELF_ABSENT);
  expect_edited_kind(name, at + offsetof(Elf64_Sym, st_other), STV_PROTECTED, 1, RLK_ELF_FUNCTION);
}

Test(elf, data_that_is_not_in_its_section_is_none) {
  static const char name[] = "eagle_layout_sizes"; /* the only data that is exported */
  const size_t at = find_symbol(STT_OBJECT);
  Elf64_Ehdr header;
  Elf64_Sym symbol;
  Elf64_Shdr section;
  memcpy(&header, object.bytes, sizeof header);
  memcpy(&symbol, object.bytes + at, sizeof symbol);
  const size_t section_at = header.e_shoff + symbol.st_shndx * sizeof section;
  memcpy(&section, object.bytes + section_at, sizeof section);
  expect_edited_kind(name, at + offsetof(Elf64_Sym, st_value), symbol.st_value, 8, RLK_ELF_DATA);
  static const uint64_t values[] = {0, 0x10, 1 << 20, UINT64_MAX, UINT64_MAX - 39};
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
    expect_edited_kind(name, at + offsetof(Elf64_Sym, st_value), values[i], 8, RLK_ELF_OTHER);
  }
  const uint64_t rest = section.sh_size - (symbol.st_value - section.sh_addr);
  expect_edited_kind(name, at + offsetof(Elf64_Sym, st_size), rest, 8, RLK_ELF_DATA);
  expect_edited_kind(name, at + offsetof(Elf64_Sym, st_size), rest + 1, 8, RLK_ELF_OTHER);
  expect_edited_kind(name, at + offsetof(Elf64_Sym, st_size), UINT64_MAX, 8, RLK_ELF_OTHER);
  /* The section is elsewhere in the file than what is mapped to its address. */
  expect_edited_kind(name, section_at + offsetof(Elf64_Shdr, sh_offset), section.sh_offset - 8, 8, RLK_ELF_OTHER);
  expect_edited_kind(name, section_at + offsetof(Elf64_Shdr, sh_flags), 0, 8, RLK_ELF_OTHER);
}

/* --- Files -------------------------------------------------------------------------------------------------------- */

static rowlock_code_t open_file(const char* name) {
  rlk_elf_t* elf;
  const rowlock_code_t code = rlk_elf_open(rlk_test_folder_at(&home, name), &elf, &err);
  cr_expect(eq(i32, elf != NULL, code == ROWLOCK_OK), "%s", name);
  rlk_elf_close(elf);
  return code;
}

static void expect_unusable(const char* name, const char* words) {
  cr_expect(eq(str, (char*)rowlock_code_name(open_file(name)), (char*)"UNUSABLE"), "%s", name);
  cr_expect(err.rule_id == NULL, "%s", name);
  cr_expect(eq(str, err.message, (char*)words), "%s", name);
}

Test(elf, file_that_cannot_be_read_is_unusable) {
  expect_unusable("absent.so", "No such file or directory");
  rlk_test_folder_make(&home, "folder.so");
  expect_unusable("folder.so", "it is a folder");
  rlk_test_folder_pipe(&home, "pipe.so");
  expect_unusable("pipe.so", "it is not a regular file");
}

Test(elf, file_that_is_empty_is_refused) {
  rlk_test_folder_write(&home, "empty.so", "", 0);
  rlk_test_expect_refused(open_file("empty.so"), &err, RLK_RULE_HOST_FILE_EMPTY, "is an empty file", "empty.so");
}

Test(elf, file_may_be_as_large_as_the_limit_and_no_larger) {
  rlk_test_folder_write(&home, "large.so", object.bytes, object.length);
  cr_assert(zero(i32, truncate(rlk_test_folder_at(&home, "large.so"), (off_t)RLK_ELF_MAX_BYTES)));
  cr_expect(eq(i32, (int)open_file("large.so"), ROWLOCK_OK), "%s", err.message);
  cr_assert(zero(i32, truncate(rlk_test_folder_at(&home, "large.so"), (off_t)RLK_ELF_MAX_BYTES + 1)));
  rlk_test_expect_refused(open_file("large.so"), &err, RLK_RULE_HOST_FILE_TOO_LARGE,
                          "larger than the limit of 268435456 bytes", "large.so");
}

Test(elf, survives_every_allocation_failure) {
  rlk_test_folder_write(&home, "sound.so", object.bytes, object.length);
  for (uint64_t nth = 1;; ++nth) {
    rlk_fault_arm(nth, false);
    const rowlock_code_t code = open_file("sound.so");
    const rlk_fault_t fault = rlk_fault_disarm();
    cr_expect(zero(sz, fault.live), "allocation %llu leaks", (unsigned long long)nth);
    if (!fault.refused) {
      cr_expect(eq(i32, (int)code, ROWLOCK_OK));
      cr_expect(gt(u64, nth, 3), "too few allocations were seen");
      break;
    }
    cr_expect(eq(str, (char*)rowlock_code_name(code), (char*)"NO_MEMORY"), "allocation %llu: %s",
              (unsigned long long)nth, err.message);
  }
}
