#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "loader/artifact/readers.h"
#include "loader/artifact/test_artifact.h"
#include "loader/host/test_object.h"
#include "validator/rules/fault.h"

static rlk_arena_t arena;
static rlk_artifact_t artifact;
static rowlock_error_t err;
static rlk_test_cubin_t cubin;

static void teardown(void) {
  rlk_arena_deinit(&arena);
  rlk_test_cubin_destroy(&cubin);
}

TestSuite(cubin, .fini = teardown, .timeout = 120);

static rowlock_code_t read_cubin(void) {
  rlk_arena_reset(&arena);
  return rlk_artifact_read(cubin.bytes, cubin.length, &arena, &artifact, &err);
}

static const rlk_module_t* need_cubin(void) {
  cr_assert(eq(i32, (int)read_cubin(), ROWLOCK_OK), "%s", err.message);
  cr_assert(eq(i32, (int)artifact.kind, RLK_ARTIFACT_CUBIN));
  return artifact.modules;
}

static void expect_refused(rlk_rule_t rule, const char* words) {
  rlk_test_expect_refused(read_cubin(), &err, rule, words, words);
}

static void expect_damaged(const char* words) { expect_refused(RLK_RULE_ARTIFACT_CUBIN_DAMAGED, words); }

/* --- What the compiler makes -------------------------------------------------------------------------------------- */

static const rlk_module_t* read_file(const char* name, rlk_file_buffer_t* buffer) {
  rlk_test_artifact_read(name, buffer);
  const rowlock_code_t code = rlk_artifact_read(buffer->bytes, buffer->length, &arena, &artifact, &err);
  cr_assert(eq(i32, (int)code, ROWLOCK_OK), "%s", err.message);
  rlk_file_buffer_deinit(buffer);
  return artifact.modules;
}

static void expect_parameter(const rlk_artifact_entry_t* entry, size_t index, uint32_t offset, uint32_t bytes) {
  cr_expect(eq(u32, entry->parameters[index].offset, offset), "parameter %zu", index);
  cr_expect(eq(u32, entry->parameters[index].bytes, bytes), "parameter %zu", index);
}

Test(cubin, kernels_have_the_parameters_that_were_compiled) {
  rlk_file_buffer_t buffer;
  const rlk_module_t* module = read_file("sums.cubin", &buffer);
  const rlk_artifact_entry_t* sums = rlk_module_find(module, "sums");
  cr_assert(ne(ptr, (void*)sums, NULL));
  cr_assert(eq(sz, sums->parameter_count, 6));
  static const uint32_t due[][2] = {{0, 32}, {32, 8}, {40, 4}, {48, 8}, {56, 8}, {64, 8}};
  for (size_t i = 0; i < 6; ++i) expect_parameter(sums, i, due[i][0], due[i][1]);
  cr_expect(eq(u32, sums->block_bytes, 72));
  const rlk_artifact_entry_t* nothing = rlk_module_find(module, "nothing");
  cr_assert(ne(ptr, (void*)nothing, NULL));
  cr_expect(nothing->has_parameters && nothing->is_defined);
  cr_expect(zero(sz, nothing->parameter_count));
}

/* `square` has a .text section and an .nv.info section of its own: the cubin is relocatable. */
Test(cubin, a_function_that_kernels_call_is_no_entry) {
  rlk_file_buffer_t buffer;
  const rlk_module_t* module = read_file("sums.cubin", &buffer);
  cr_expect(eq(sz, module->entry_count, 2));
  cr_expect(eq(ptr, (void*)rlk_module_find(module, "_Z6squared"), NULL));
}

Test(cubin, the_target_has_the_suffix_that_was_asked_for) {
  rlk_file_buffer_t buffer;
  const rlk_module_t* module = read_file("sums.cubin", &buffer);
  cr_expect(eq(u32, module->target.sm, 90));
  cr_expect(eq(chr, module->target.suffix, 'a'));
  cr_expect(not(module->old_flags));
}

/* The symbol of a relocatable cubin's data is of a type of its own. */
Test(cubin, the_layout_array_is_found) {
  rlk_file_buffer_t buffer;
  const rlk_module_t* module = read_file("sums.cubin", &buffer);
  static const uint64_t due[] = {40, 32, 32, 4, 24};
  cr_assert(module->layout.is_there);
  cr_assert(eq(u64, module->layout.length, sizeof due));
  cr_expect(zero(i32, memcmp(module->layout.bytes, due, sizeof due)));
}

/* --- Bounds ------------------------------------------------------------------------------------------------------- */

Test(cubin, made_to_measure_is_sound) {
  rlk_test_cubin_create(&cubin, 2, 3);
  const rlk_module_t* module = need_cubin();
  cr_assert(eq(sz, module->entry_count, 2));
  cr_expect(eq(str, (char*)module->entries[1].name, (char*)"k1"));
  cr_expect(eq(sz, module->entries[1].parameter_count, 3));
  expect_parameter(&module->entries[1], 2, 2, 1);
  cr_expect(eq(u32, module->target.sm, 90));
  cr_expect(eq(chr, module->target.suffix, '\0'));
  cr_expect(module->layout.is_there);
}

Test(cubin, entries_up_to_the_limit) {
  rlk_test_cubin_create(&cubin, RLK_ARTIFACT_ENTRIES_MAX, 0);
  cr_expect(eq(sz, need_cubin()->entry_count, RLK_ARTIFACT_ENTRIES_MAX));
  cr_expect(ne(ptr, (void*)rlk_module_find(artifact.modules, "k4095"), NULL));
  rlk_test_cubin_destroy(&cubin);
  rlk_test_cubin_create(&cubin, RLK_ARTIFACT_ENTRIES_MAX + 1, 0);
  expect_refused(RLK_RULE_ARTIFACT_LIMIT, "more than the limit of 4096 entries");
}

/* What is no kernel is not counted. */
Test(cubin, functions_do_not_count_as_entries) {
  rlk_test_cubin_create(&cubin, RLK_ARTIFACT_ENTRIES_MAX + 1, 0);
  cubin.symbols[2].st_other = 0;
  cr_expect(eq(sz, need_cubin()->entry_count, RLK_ARTIFACT_ENTRIES_MAX));
  cr_expect(eq(ptr, (void*)rlk_module_find(artifact.modules, "k0"), NULL));
}

Test(cubin, parameters_up_to_the_limit) {
  rlk_test_cubin_create(&cubin, 1, RLK_ARTIFACT_PARAMETERS_MAX);
  const rlk_artifact_entry_t* entry = need_cubin()->entries;
  cr_expect(eq(sz, entry->parameter_count, RLK_ARTIFACT_PARAMETERS_MAX));
  expect_parameter(entry, RLK_ARTIFACT_PARAMETERS_MAX - 1, RLK_ARTIFACT_PARAMETERS_MAX - 1, 1);
  rlk_test_cubin_destroy(&cubin);
  rlk_test_cubin_create(&cubin, 1, RLK_ARTIFACT_PARAMETERS_MAX + 1);
  expect_refused(RLK_RULE_ARTIFACT_LIMIT, "more than the limit of 4096 parameters of an entry");
}

/* A name of that length is written over the strings of the first kernels, which have room for it. */
static void name_first_kernel(size_t length) {
  const uint32_t name = cubin.sections[RLK_TEST_TEXT].sh_name + 6;
  char* out = (char*)cubin.bytes + cubin.sections[RLK_TEST_STRINGS].sh_offset;
  const char* last = out + cubin.sections[RLK_TEST_STRINGS].sh_size;
  char* at = out + name;
  cr_assert(at + 2 * (length + 16) < last);
  memset(at, 'n', length);
  at[length] = '\0';
  char* info = at + length + 1;
  memcpy(info, ".nv.info.", 9);
  memset(info + 9, 'n', length);
  info[9 + length] = '\0';
  cubin.sections[RLK_TEST_INFO].sh_name = (uint32_t)(info - out);
  /* The other kernels' names are gone, and their sections with them. */
  cubin.header->e_shnum = RLK_TEST_INFO + 1;
  cubin.sections[RLK_TEST_SYMBOLS].sh_size = 3 * sizeof(Elf64_Sym);
}

Test(cubin, names_up_to_the_limit) {
  rlk_test_cubin_create(&cubin, 200, 1);
  name_first_kernel(RLK_ARTIFACT_NAME_MAX);
  const rlk_module_t* module = need_cubin();
  cr_assert(eq(sz, module->entry_count, 1));
  cr_expect(eq(sz, strlen(module->entries[0].name), RLK_ARTIFACT_NAME_MAX));
  name_first_kernel(RLK_ARTIFACT_NAME_MAX + 1);
  expect_refused(RLK_RULE_ARTIFACT_LIMIT, "more than the limit of 4096 bytes of an entry's name");
}

/* Blocks of more than 4 KiB have records whose size is the low half of a word; what a pointer points to is above it. */
Test(cubin, wide_parameters_are_read) {
  rlk_test_cubin_create(&cubin, 1, 2);
  uint8_t* second = cubin.info + 4; /* the records stand last one first */
  uint8_t* first = second + 16;
  const uint32_t sizes[] = {20000, 0x05040008};
  const uint16_t offset = 20000, block = 20008;
  first[1] = second[1] = 0x45;
  memcpy(first + 12, &sizes[0], 4);
  memcpy(second + 12, &sizes[1], 4);
  memcpy(second + 10, &offset, 2);
  memcpy(cubin.info + 2, &block, 2);
  const rlk_artifact_entry_t* entry = need_cubin()->entries;
  expect_parameter(entry, 0, 0, 20000);
  expect_parameter(entry, 1, 20000, 8);
  cr_expect(eq(u32, entry->block_bytes, 20008));
}

Test(cubin, without_a_symbol_table_every_text_is_a_kernel) {
  rlk_test_cubin_create(&cubin, 2, 1);
  cubin.symbols[3].st_other = 0;
  cr_expect(eq(sz, need_cubin()->entry_count, 1));
  cubin.sections[RLK_TEST_SYMBOLS].sh_type = SHT_PROGBITS;
  cr_expect(eq(sz, need_cubin()->entry_count, 2));
  cr_expect(not(artifact.modules->layout.is_there));
}

Test(cubin, older_toolkits_flags_are_read) {
  rlk_test_cubin_create(&cubin, 1, 0);
  cubin.header->e_ident[EI_OSABI] = 0x33;
  cubin.header->e_flags = 0x0500 | 75;
  const rlk_module_t* module = need_cubin();
  cr_expect(eq(u32, module->target.sm, 75));
  cr_expect(module->old_flags);
}

Test(cubin, a_layout_array_of_zeros_has_the_length_that_it_says) {
  rlk_test_cubin_create(&cubin, 1, 0);
  cubin.sections[RLK_TEST_GLOBALS].sh_type = SHT_NOBITS;
  cubin.sections[RLK_TEST_GLOBALS].sh_size = cubin.symbols[1].st_size = UINT64_C(1) << 60;
  const rlk_module_t* module = need_cubin();
  cr_expect(eq(u64, module->layout.length, UINT64_C(1) << 60));
  cr_expect(eq(ptr, (void*)module->layout.bytes, NULL));
}

/* --- Refusals ----------------------------------------------------------------------------------------------------- */

typedef struct damage_t {
  const char* words;
  void (*apply)(void);
} damage_t;

static void cut_record(void) { cubin.info[4 + 2] = 255; }
static void odd_record(void) { cubin.info[4 + 2] = 16; }
static void wrong_form(void) { cubin.info[4] = 3, cubin.sections[RLK_TEST_INFO].sh_size = 8; }
static void end_in_record(void) { cubin.sections[RLK_TEST_INFO].sh_size = 4 + 2 * 16 + 3; }
static void ordinal_beyond(void) { cubin.info[4 + 8] = 2; }
static void ordinal_twice(void) { cubin.info[4 + 8] = 0; }
static void no_bytes(void) { cubin.info[4 + 14] = 0; }
static void overlap(void) { cubin.info[4 + 10] = 0; }
static void wide_no_bytes(void) { cubin.info[4 + 1] = 0x45; } /* its size was above bit 18 */
static void behind_block(void) { cubin.info[2] = 1; }
static void no_records(void) { cubin.info[4 + 1] = cubin.info[4 + 16 + 1] = 0x18; }
static void info_outside(void) { cubin.sections[RLK_TEST_INFO].sh_offset = cubin.length - 1; }
static void info_of_zeros(void) { cubin.sections[RLK_TEST_INFO].sh_type = SHT_NOBITS; }
static void no_info(void) { cubin.sections[RLK_TEST_INFO].sh_name = cubin.sections[RLK_TEST_SYMBOLS].sh_name; }
static void info_twice(void) { cubin.sections[RLK_TEST_INFO + 2].sh_name = cubin.sections[RLK_TEST_INFO].sh_name; }
static void kernel_twice(void) {
  cubin.sections[RLK_TEST_TEXT + 2].sh_name = cubin.sections[RLK_TEST_TEXT].sh_name;
  cubin.symbols[3].st_name = cubin.symbols[2].st_name;
}
static void symbols_outside(void) { cubin.sections[RLK_TEST_SYMBOLS].sh_size = cubin.length; }
static void symbols_twice(void) { cubin.sections[RLK_TEST_GLOBALS].sh_type = SHT_SYMTAB; }
static void symbols_unnamed(void) { cubin.sections[RLK_TEST_SYMBOLS].sh_link = RLK_TEST_TEXT; }
static void symbol_unnamed(void) { cubin.symbols[1].st_name = 0x7FFFFFFF; }
static void layout_nowhere(void) { cubin.symbols[1].st_shndx = SHN_ABS; }
static void layout_behind(void) { cubin.symbols[1].st_size = 41; }
static void layout_wraps(void) { cubin.symbols[1].st_value = UINT64_MAX - 8; }
static void layout_outside(void) { cubin.sections[RLK_TEST_GLOBALS].sh_offset = cubin.length - 8; }
static void sections_unnamed(void) { cubin.header->e_shstrndx = RLK_TEST_TEXT; }
static void strings_open(void) { cubin.bytes[cubin.sections[1].sh_offset + cubin.sections[1].sh_size - 1] = 'x'; }
static void section_unnamed(void) { cubin.sections[RLK_TEST_INFO].sh_name = 0x7FFFFFFF; }
static void no_sections(void) { cubin.header->e_shoff = 0, cubin.header->e_shnum = 0; }
static void sections_outside(void) { cubin.header->e_shoff = cubin.length - 64; }
static void big_endian(void) { cubin.header->e_ident[EI_DATA] = ELFDATA2MSB; }
static void no_sm(void) { cubin.header->e_flags = 0; }
static void other_abi(void) { cubin.header->e_ident[EI_OSABI] = 0; }

static const damage_t damages[] = {
    {"a record of .nv.info is longer than its section", cut_record},
    {"a parameter's record does not have 12 bytes", odd_record},
    {"a parameter's record does not have 12 bytes", wrong_form},
    {"an .nv.info section ends within a record", end_in_record},
    {"a parameter's ordinal is beyond their number", ordinal_beyond},
    {"two parameters have one ordinal", ordinal_twice},
    {"a parameter has no bytes", no_bytes},
    {"two parameters overlap", overlap},
    {"a parameter has no bytes", wide_no_bytes},
    {"a parameter lies behind the end of the block", behind_block},
    {"a kernel has a parameter block and no records of what is in it", no_records},
    {"an .nv.info section is not in the file, or goes on behind its end", info_outside},
    {"an .nv.info section is not in the file, or goes on behind its end", info_of_zeros},
    {"kernel 'k0' has no .nv.info section", no_info},
    {"a kernel has two .nv.info sections", info_twice},
    {"kernel 'k0' is there twice", kernel_twice},
    {"its symbol table goes on behind the end of the file", symbols_outside},
    {"it has two symbol tables", symbols_twice},
    {"its symbols have no names", symbols_unnamed},
    {"a symbol has no name", symbol_unnamed},
    {"the layout array is in no section", layout_nowhere},
    {"the layout array goes on behind its section", layout_behind},
    {"the layout array goes on behind its section", layout_wraps},
    {"the layout array's section goes on behind the end of the file", layout_outside},
    {"its sections have no names", sections_unnamed},
    {"its sections have no names", strings_open},
    {"a section has no name", section_unnamed},
    {"it has no section table, or one that goes on behind the end of the file", no_sections},
    {"its flags say no SM", no_sm},
    {"its OS/ABI is none that is known: 0x41, or 0x33 of older toolkits", other_abi},
};

Test(cubin, damage_is_refused_and_named) {
  for (size_t i = 0; i < sizeof damages / sizeof *damages; ++i) {
    rlk_test_cubin_create(&cubin, 2, 2);
    damages[i].apply();
    expect_damaged(damages[i].words);
    rlk_test_cubin_destroy(&cubin);
  }
}

Test(cubin, a_section_table_behind_the_end_is_a_file_cut_short) {
  rlk_test_cubin_create(&cubin, 2, 2);
  sections_outside();
  expect_refused(RLK_RULE_HOST_CUT_SHORT, "the section table goes on to byte");
  rlk_test_cubin_destroy(&cubin);
}

/* Sound as each is, together they are read no further than the file is long. */
Test(cubin, info_sections_that_overlap_are_refused) {
  rlk_test_cubin_create(&cubin, 2, 600);
  const uint16_t size = 2 * (4 + 600 * 16);
  memcpy(cubin.info, (const uint8_t[]){4, 0x18, (uint8_t)(size - 4), (uint8_t)((size - 4) >> 8)}, 4);
  cubin.sections[RLK_TEST_INFO].sh_size = size;
  uint8_t* other = cubin.bytes + cubin.sections[RLK_TEST_INFO + 2].sh_offset;
  memcpy(other, (const uint8_t[]){3, 0x19, 0, 0}, 4);
  cubin.sections[RLK_TEST_INFO + 2].sh_size = 4;
  need_cubin();
  cubin.sections[RLK_TEST_INFO + 2].sh_size = size;
  cubin.sections[RLK_TEST_INFO + 2].sh_offset = cubin.sections[RLK_TEST_INFO].sh_offset;
  expect_damaged("its .nv.info sections are larger than the file");
}

/* Copies the records to the end of the file, and the last of them until there are `count`; returns where they are. */
static uint64_t move_to_end(uint64_t offset, size_t record, size_t records, size_t count) {
  const size_t length = cubin.length, header = (size_t)((uint8_t*)cubin.sections - cubin.bytes);
  cubin.bytes = realloc(cubin.bytes, length + count * record);
  cr_assert(ne(ptr, cubin.bytes, NULL));
  memcpy(cubin.bytes + length, cubin.bytes + offset, records * record);
  for (size_t i = records; i < count; ++i) {
    memcpy(cubin.bytes + length + i * record, cubin.bytes + length + (records - 1) * record, record);
  }
  cubin.length += count * record;
  cubin.header = (Elf64_Ehdr*)cubin.bytes;
  cubin.sections = (Elf64_Shdr*)(cubin.bytes + header);
  return length;
}

Test(cubin, symbols_of_kernels_up_to_the_limit) {
  for (size_t over = 0; over < 2; ++over) {
    rlk_test_cubin_create(&cubin, 1, 0);
    const size_t kernels = SHN_LORESERVE - 1 + over;
    const uint64_t offset = move_to_end(cubin.sections[RLK_TEST_SYMBOLS].sh_offset, sizeof(Elf64_Sym), 3, 2 + kernels);
    cubin.sections[RLK_TEST_SYMBOLS].sh_offset = offset;
    cubin.sections[RLK_TEST_SYMBOLS].sh_size = (2 + kernels) * sizeof(Elf64_Sym);
    if (over) {
      expect_refused(RLK_RULE_ARTIFACT_LIMIT, "more than the limit of 65279 symbols of kernels");
    } else {
      cr_expect(eq(sz, need_cubin()->entry_count, 1));
    }
    rlk_test_cubin_destroy(&cubin);
  }
}

/* Where they are so many, section 0 says how many: the header has no room. */
Test(cubin, sections_up_to_the_limit) {
  for (size_t over = 0; over < 2; ++over) {
    rlk_test_cubin_create(&cubin, 1, 0);
    const size_t count = SHN_LORESERVE - 1 + over, sections = cubin.header->e_shnum;
    const uint64_t offset = move_to_end(cubin.header->e_shoff, sizeof(Elf64_Shdr), sections, count);
    cubin.header->e_shoff = offset;
    cubin.header->e_shnum = over ? 0 : (Elf64_Half)count;
    Elf64_Shdr* moved = (Elf64_Shdr*)(cubin.bytes + offset);
    for (size_t i = sections; i < count; ++i) moved[i] = moved[RLK_TEST_GLOBALS];
    moved[0].sh_size = over ? count : 0;
    if (over) {
      expect_refused(RLK_RULE_ARTIFACT_LIMIT, "more than the limit of 65279 sections");
    } else {
      cr_expect(eq(sz, need_cubin()->entry_count, 1));
    }
    rlk_test_cubin_destroy(&cubin);
  }
}

Test(cubin, of_32_bits_is_refused) {
  rlk_test_cubin_create(&cubin, 1, 0);
  cubin.header->e_ident[EI_CLASS] = ELFCLASS32;
  expect_refused(RLK_RULE_HOST_CLASS_32, "32-bit");
}

Test(cubin, of_the_other_byte_order_is_refused) {
  rlk_test_cubin_create(&cubin, 1, 0);
  big_endian();
  cr_expect(eq(i32, (int)read_cubin(), ROWLOCK_REJECTED));
}

Test(cubin, every_failing_allocation_is_told) {
  rlk_file_buffer_t buffer;
  rlk_test_artifact_read("sums.cubin", &buffer);
  for (uint64_t nth = 1;; ++nth) {
    rlk_fault_arm(nth, false);
    const rowlock_code_t code = rlk_artifact_read(buffer.bytes, buffer.length, &arena, &artifact, &err);
    rlk_arena_deinit(&arena);
    const rlk_fault_t fault = rlk_fault_disarm();
    cr_expect(zero(sz, fault.live), "allocation %llu leaks", (unsigned long long)nth);
    if (!fault.refused) {
      cr_expect(eq(i32, (int)code, ROWLOCK_OK));
      cr_expect(gt(u64, nth, 2), "too few allocations were seen");
      break;
    }
    cr_expect(eq(str, (char*)rowlock_code_name(code), (char*)"NO_MEMORY"), "allocation %llu: %s",
              (unsigned long long)nth, err.message);
  }
  rlk_file_buffer_deinit(&buffer);
}
