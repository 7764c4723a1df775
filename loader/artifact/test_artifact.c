#include "loader/artifact/test_artifact.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validator/rules/text.h"

const char* rlk_test_artifact_path(const char* name) {
  static char path[512];
  snprintf(path, sizeof path, "loader/artifact/testdata/%s", name);
  return path;
}

void rlk_test_artifact_read(const char* name, rlk_file_buffer_t* out_buffer) {
  rowlock_error_t err;
  *out_buffer = (rlk_file_buffer_t){0};
  const rowlock_code_t code = rlk_file_read(rlk_test_artifact_path(name), RLK_ARTIFACT_BYTES_MAX, out_buffer, &err);
  cr_assert(eq(i32, (int)code, ROWLOCK_OK), "%s: %s", name, err.message);
}

/* --- Fatbins ------------------------------------------------------------------------------------------------------ */

enum {
  FATBIN_HEADER = 16,
  MODULE_HEADER = 64,
  FRAME_HEADER = 9,
  BLOCK_HEADER = 3,
  BLOCK_MAX = 1 << 17, /* bytes that a block of zstd unpacks to */
  BLOCK_AS_IT_IS = 0,
  BLOCK_OF_ONE_BYTE = 1,
};

static uint8_t* put_number(uint8_t* at, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) at[i] = (uint8_t)(value >> (8 * i));
  return at + bytes;
}

static uint8_t* put_block_header(uint8_t* at, size_t size, unsigned type, bool is_last) {
  return put_number(at, size << 3 | type << 1 | is_last, BLOCK_HEADER);
}

/* A frame of zstd that says its size, with the text in a block and the blanks in blocks that repeat one. */
static uint8_t* put_frame(uint8_t* at, const char* text, uint32_t size) {
  const size_t length = strlen(text);
  size_t blanks = size - length;
  at = put_number(at, 0xFD2FB528, 4);
  *at++ = 0xA0; /* one segment, of a size in four bytes */
  at = put_number(at, size, 4);
  at = put_block_header(at, length, BLOCK_AS_IT_IS, blanks == 0);
  for (; *text; ++text) *at++ = (uint8_t)*text;
  while (blanks > 0) {
    const size_t part = blanks < BLOCK_MAX ? blanks : BLOCK_MAX;
    blanks -= part;
    at = put_block_header(at, part, BLOCK_OF_ONE_BYTE, blanks == 0);
    *at++ = ' ';
  }
  return at;
}

void rlk_test_packed_fatbin_create(const char* text, uint32_t size, rlk_file_buffer_t* out_buffer) {
  const size_t blocks = size / BLOCK_MAX + 2;
  const size_t room = FATBIN_HEADER + MODULE_HEADER + FRAME_HEADER + strlen(text) + blocks * (BLOCK_HEADER + 1);
  uint8_t* bytes = calloc(1, room);
  cr_assert(ne(ptr, bytes, NULL));
  cr_assert(le(sz, strlen(text), size));
  uint8_t* module = bytes + FATBIN_HEADER;
  const size_t packed = (size_t)(put_frame(module + MODULE_HEADER, text, size) - module) - MODULE_HEADER;
  put_number(bytes, 0xBA55ED50, 4);
  put_number(bytes + 4, 1, 2);
  put_number(bytes + 6, FATBIN_HEADER, 2);
  put_number(bytes + 8, MODULE_HEADER + packed, 8);
  put_number(module, 1, 2); /* PTX */
  put_number(module + 4, MODULE_HEADER, 4);
  put_number(module + 8, packed, 8);
  put_number(module + 16, packed, 4);
  put_number(module + 28, 90, 4);
  put_number(module + 40, 0x8011, 8);
  put_number(module + 56, size, 8);
  *out_buffer = (rlk_file_buffer_t){.bytes = (char*)bytes, .length = FATBIN_HEADER + MODULE_HEADER + packed};
}

/* --- Cubins ------------------------------------------------------------------------------------------------------- */

enum { NAME_ROOM = 48, LAYOUT_BYTES = 40, TEXT_BYTES = 16, RECORD_BYTES = 16, BLOCK_RECORD_BYTES = 4 };

/* What is where in the file; every part begins at a multiple of 16. */
typedef struct plan_t {
  size_t kernels, parameters;
  size_t strings, strings_size, globals, text, info, info_size, symbols, symbols_size, sections, end;
} plan_t;

static size_t round_up(size_t size) { return (size + 15) / 16 * 16; }

static plan_t plan_for(size_t kernels, size_t parameters) {
  plan_t plan = {.kernels = kernels, .parameters = parameters};
  plan.strings = round_up(sizeof(Elf64_Ehdr));
  plan.strings_size = (2 * kernels + 8) * NAME_ROOM;
  plan.globals = round_up(plan.strings + plan.strings_size);
  plan.text = round_up(plan.globals + LAYOUT_BYTES);
  plan.info = round_up(plan.text + TEXT_BYTES);
  plan.info_size = BLOCK_RECORD_BYTES + parameters * RECORD_BYTES;
  plan.symbols = round_up(plan.info + kernels * round_up(plan.info_size));
  plan.symbols_size = (kernels + 2) * sizeof(Elf64_Sym);
  plan.sections = round_up(plan.symbols + plan.symbols_size);
  plan.end = plan.sections + (RLK_TEST_TEXT + 2 * kernels) * sizeof(Elf64_Shdr);
  return plan;
}

/* Puts the string at the next place of the table; returns its offset there. */
static uint32_t put_string(rlk_test_cubin_t* cubin, const plan_t* plan, size_t* used, const char* prefix,
                           size_t number) {
  const size_t at = *used;
  char* out = (char*)cubin->bytes + plan->strings + at;
  const int length =
      number == SIZE_MAX ? snprintf(out, NAME_ROOM, "%s", prefix) : snprintf(out, NAME_ROOM, "%sk%zu", prefix, number);
  *used += (size_t)length + 1;
  return (uint32_t)at;
}

static void put_info(uint8_t* at, size_t parameters) {
  const uint16_t block = (uint16_t)parameters;
  memcpy(at, (const uint8_t[]){3, 0x19, (uint8_t)block, (uint8_t)(block >> 8)}, BLOCK_RECORD_BYTES);
  at += BLOCK_RECORD_BYTES;
  for (size_t i = parameters; i-- > 0; at += RECORD_BYTES) {
    const uint16_t ordinal = (uint16_t)i;
    const uint32_t packed = UINT32_C(1) << 18;
    memcpy(at, (const uint8_t[]){4, 0x17, 12, 0}, 4);
    memset(at + 4, 0, 4);
    memcpy(at + 8, &ordinal, sizeof ordinal);
    memcpy(at + 10, &ordinal, sizeof ordinal); /* of one byte each: the offset is the ordinal */
    memcpy(at + 12, &packed, sizeof packed);
  }
}

static void put_header(rlk_test_cubin_t* cubin, const plan_t* plan) {
  *cubin->header = (Elf64_Ehdr){.e_ident = {0x7F, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 0x41, 8},
                                .e_type = ET_EXEC,
                                .e_machine = 190,
                                .e_version = EV_CURRENT,
                                .e_flags = 90 << 8,
                                .e_shoff = plan->sections,
                                .e_ehsize = sizeof(Elf64_Ehdr),
                                .e_shentsize = sizeof(Elf64_Shdr),
                                .e_shnum = (Elf64_Half)(RLK_TEST_TEXT + 2 * plan->kernels),
                                .e_shstrndx = RLK_TEST_STRINGS};
}

static void put_fixed_sections(rlk_test_cubin_t* cubin, const plan_t* plan, size_t* used) {
  static const uint64_t layout[] = {40, 32, 32, 4, 24};
  memcpy(cubin->bytes + plan->globals, layout, sizeof layout);
  cubin->sections[RLK_TEST_STRINGS] = (Elf64_Shdr){.sh_name = put_string(cubin, plan, used, ".strings", SIZE_MAX),
                                                   .sh_type = SHT_STRTAB,
                                                   .sh_offset = plan->strings,
                                                   .sh_size = plan->strings_size};
  cubin->sections[RLK_TEST_SYMBOLS] = (Elf64_Shdr){.sh_name = put_string(cubin, plan, used, ".symtab", SIZE_MAX),
                                                   .sh_type = SHT_SYMTAB,
                                                   .sh_offset = plan->symbols,
                                                   .sh_size = plan->symbols_size,
                                                   .sh_link = RLK_TEST_STRINGS,
                                                   .sh_entsize = sizeof(Elf64_Sym)};
  cubin->sections[RLK_TEST_GLOBALS] =
      (Elf64_Shdr){.sh_name = put_string(cubin, plan, used, ".nv.global.init", SIZE_MAX),
                   .sh_type = SHT_PROGBITS,
                   .sh_offset = plan->globals,
                   .sh_size = LAYOUT_BYTES};
  cubin->symbols[1] = (Elf64_Sym){.st_name = put_string(cubin, plan, used, "eagle_layout_sizes", SIZE_MAX),
                                  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                                  .st_shndx = RLK_TEST_GLOBALS,
                                  .st_size = LAYOUT_BYTES};
}

static void put_kernel(rlk_test_cubin_t* cubin, const plan_t* plan, size_t* used, size_t number) {
  Elf64_Shdr* sections = &cubin->sections[RLK_TEST_TEXT + 2 * number];
  const size_t info = plan->info + number * round_up(plan->info_size);
  const uint32_t name = put_string(cubin, plan, used, ".text.", number);
  sections[0] = (Elf64_Shdr){.sh_name = name, .sh_type = SHT_PROGBITS, .sh_offset = plan->text, .sh_size = TEXT_BYTES};
  sections[1] = (Elf64_Shdr){.sh_name = put_string(cubin, plan, used, ".nv.info.", number),
                             .sh_type = SHT_LOPROC,
                             .sh_offset = info,
                             .sh_size = plan->info_size};
  cubin->symbols[2 + number] = (Elf64_Sym){.st_name = name + sizeof ".text." - 1,
                                           .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                           .st_other = 0x10,
                                           .st_shndx = (Elf64_Half)(RLK_TEST_TEXT + 2 * number),
                                           .st_size = TEXT_BYTES};
  put_info(cubin->bytes + info, plan->parameters);
}

void rlk_test_cubin_create(rlk_test_cubin_t* cubin, size_t kernels, size_t parameters) {
  const plan_t plan = plan_for(kernels, parameters);
  uint8_t* bytes = calloc(1, plan.end);
  cr_assert(ne(ptr, bytes, NULL));
  *cubin = (rlk_test_cubin_t){.bytes = bytes,
                              .length = plan.end,
                              .header = (Elf64_Ehdr*)bytes,
                              .sections = (Elf64_Shdr*)(bytes + plan.sections),
                              .symbols = (Elf64_Sym*)(bytes + plan.symbols),
                              .info = bytes + plan.info};
  size_t used = 1; /* the empty string */
  put_header(cubin, &plan);
  put_fixed_sections(cubin, &plan, &used);
  for (size_t i = 0; i < kernels; ++i) put_kernel(cubin, &plan, &used, i);
}

void rlk_test_cubin_destroy(rlk_test_cubin_t* cubin) {
  free(cubin->bytes);
  *cubin = (rlk_test_cubin_t){0};
}
