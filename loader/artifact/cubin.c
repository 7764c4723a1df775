/* Cubins: ELF files for CUDA devices. Kernels are marked in the symbol table; what is said of their parameters is in
 * .nv.info.NAME. */
#include <gelf.h>
#include <libelf.h>
#include <string.h>

#include "loader/artifact/readers.h"
#include "loader/host/layout.h"
#include "validator/rules/findings.h"
#include "validator/rules/text.h"

enum {
  OSABI_CUDA = 0x41,     /* of this generation's files: the SM number is in bits 8..15 of the flags */
  OSABI_CUDA_OLD = 0x33, /* of older toolkits': in the lowest byte */
  FORM_BYTES = 4,        /* of an .nv.info record: its 16-bit value counts bytes that follow */
  ATTRIBUTE_PARAMETER = 0x17,
  ATTRIBUTE_BLOCK_BYTES = 0x19,
  PARAMETER_BYTES = 12,
  OTHER_KERNEL = 0x10,            /* in a function symbol's st_other: what can be launched, not what is called alone */
  SYMBOL_DATA = STT_LOPROC,       /* what variables are in a cubin that is to be linked, instead of objects */
  SECTION_ZEROS = SHT_LOPROC + 7, /* .nv.global, there too: it has no bytes in the file */
  SECTIONS_MAX = 65536,
};

static const char info_prefix[] = ".nv.info.";

typedef struct reading_t {
  Elf* elf;
  const uint8_t* bytes;
  size_t length, names; /* `names`: the section of section names */
  rlk_arena_t* arena;
  rlk_module_t* module;
  rowlock_error_t* err;
} reading_t;

static rowlock_code_t refuse(const reading_t* reading, const char* problem) {
  return rlk_refuse(reading->err, RLK_RULE_ARTIFACT_CUBIN_DAMAGED, RLK_SLOTS(rlk_slot_prose("problem", problem)));
}

static bool has_no_bytes(const GElf_Shdr* section) {
  return section->sh_type == SHT_NOBITS || section->sh_type == SECTION_ZEROS;
}

/* The section's bytes in the file, NULL if they are not all there. Sections of zeros have none. */
static const uint8_t* content(const reading_t* reading, const GElf_Shdr* section) {
  if (has_no_bytes(section)) return NULL;
  if (section->sh_offset > reading->length || section->sh_size > reading->length - section->sh_offset) return NULL;
  return reading->bytes + section->sh_offset;
}

static uint16_t load16(const uint8_t* at) { return (uint16_t)(at[0] | at[1] << 8); }
static uint32_t load32(const uint8_t* at) { return load16(at) | (uint32_t)load16(at + 2) << 16; }

/* --- The parameters of a kernel ----------------------------------------------------------------------------------- */

/* Calls `take` with each record of an .nv.info section; false if the records do not fill it. */
typedef rowlock_code_t record_fn(reading_t* reading, rlk_artifact_entry_t* entry, uint8_t attribute, uint16_t value,
                                 const uint8_t* bytes);

static rowlock_code_t each_record(reading_t* reading, const GElf_Shdr* section, rlk_artifact_entry_t* entry,
                                  record_fn* take) {
  const uint8_t* at = content(reading, section);
  if (!at) return refuse(reading, "an .nv.info section goes on behind the end of the file");
  uint64_t left = section->sh_size;
  rowlock_code_t code = ROWLOCK_OK;
  while (left >= 4 && !code) {
    const uint8_t form = at[0], attribute = at[1];
    const uint16_t value = load16(at + 2);
    const uint64_t size = 4 + (form == FORM_BYTES ? (uint64_t)value : 0);
    if (size > left) return refuse(reading, "a record of .nv.info is longer than its section");
    code = take(reading, entry, attribute, value, form == FORM_BYTES ? at + 4 : NULL);
    at += size;
    left -= size;
  }
  if (!code && left > 0) return refuse(reading, "an .nv.info section ends within a record");
  return code;
}

static rowlock_code_t count_record(reading_t* reading, rlk_artifact_entry_t* entry, uint8_t attribute, uint16_t value,
                                   const uint8_t* bytes) {
  if (attribute == ATTRIBUTE_BLOCK_BYTES && !bytes) entry->block_bytes = value;
  if (attribute != ATTRIBUTE_PARAMETER) return ROWLOCK_OK;
  if (!bytes || value != PARAMETER_BYTES) return refuse(reading, "a parameter's record does not have 12 bytes");
  if (++entry->parameter_count <= RLK_ARTIFACT_PARAMETERS_MAX) return ROWLOCK_OK;
  return rlk_artifact_refuse_limit("parameters of an entry", RLK_ARTIFACT_PARAMETERS_MAX, reading->err);
}

/* u32 index, u16 ordinal, u16 offset, u32 whose bits from 18 on are the size. */
static rowlock_code_t take_parameter(reading_t* reading, rlk_artifact_entry_t* entry, uint8_t attribute, uint16_t value,
                                     const uint8_t* bytes) {
  (void)value;
  if (attribute != ATTRIBUTE_PARAMETER) return ROWLOCK_OK;
  const uint16_t ordinal = load16(bytes + 4);
  if (ordinal >= entry->parameter_count) return refuse(reading, "a parameter's ordinal is beyond their number");
  rlk_artifact_parameter_t* parameter = &entry->parameters[ordinal];
  if (parameter->bytes > 0) return refuse(reading, "two parameters have one ordinal");
  parameter->offset = load16(bytes + 6);
  parameter->bytes = load32(bytes + 8) >> 18;
  return parameter->bytes > 0 ? ROWLOCK_OK : refuse(reading, "a parameter has no bytes");
}

static rowlock_code_t check_block(reading_t* reading, rlk_artifact_entry_t* entry) {
  uint32_t end = 0;
  for (size_t i = 0; i < entry->parameter_count; ++i) {
    const rlk_artifact_parameter_t* parameter = &entry->parameters[i];
    if (parameter->offset < end) return refuse(reading, "two parameters overlap");
    end = parameter->offset + parameter->bytes;
  }
  if (entry->block_bytes == 0) entry->block_bytes = end;
  return end <= entry->block_bytes ? ROWLOCK_OK : refuse(reading, "a parameter lies behind the end of the block");
}

static rowlock_code_t read_info(reading_t* reading, const GElf_Shdr* section, rlk_artifact_entry_t* entry) {
  if (entry->has_parameters) return refuse(reading, "a kernel has two .nv.info sections");
  entry->has_parameters = true;
  rowlock_code_t code = each_record(reading, section, entry, count_record);
  if (code || entry->parameter_count == 0) return code;
  const size_t size = entry->parameter_count * sizeof *entry->parameters;
  entry->parameters = rlk_arena_alloc(reading->arena, size);
  if (!entry->parameters) return rlk_artifact_no_memory(reading->err);
  memset(entry->parameters, 0, size);
  code = each_record(reading, section, entry, take_parameter);
  return code ? code : check_block(reading, entry);
}

/* --- Sections ----------------------------------------------------------------------------------------------------- */

typedef rowlock_code_t section_fn(reading_t* reading, const GElf_Shdr* section, const char* name);

static rowlock_code_t each_section(reading_t* reading, section_fn* take) {
  size_t count;
  if (elf_getshdrnum(reading->elf, &count) != 0 || count > SECTIONS_MAX) {
    return refuse(reading, "its section table cannot be read");
  }
  for (size_t i = 1; i < count; ++i) {
    GElf_Shdr header;
    Elf_Scn* section = elf_getscn(reading->elf, i);
    if (!section || !gelf_getshdr(section, &header)) return refuse(reading, "its section table cannot be read");
    const char* name = elf_strptr(reading->elf, reading->names, header.sh_name);
    if (!name) return refuse(reading, "a section has no name");
    const rowlock_code_t code = take(reading, &header, name);
    if (code) return code;
  }
  return ROWLOCK_OK;
}

/* Calls `take` with each symbol that has a name. */
typedef rowlock_code_t symbol_fn(reading_t* reading, const Elf64_Sym* symbol, const char* name);

static rowlock_code_t each_symbol_of(reading_t* reading, const GElf_Shdr* section, symbol_fn* take) {
  const uint8_t* bytes = content(reading, section);
  if (!bytes) return refuse(reading, "its symbol table goes on behind the end of the file");
  for (uint64_t at = 0; section->sh_size - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol; /* ELF64 and little-endian: as it lies in the file */
    memcpy(&symbol, bytes + at, sizeof symbol);
    const char* name = elf_strptr(reading->elf, section->sh_link, symbol.st_name);
    const rowlock_code_t code = name ? take(reading, &symbol, name) : ROWLOCK_OK;
    if (code) return code;
  }
  return ROWLOCK_OK;
}

/* --- Kernels ------------------------------------------------------------------------------------------------------ */

/* A function that kernels share has a section .text.NAME as they do, and is none. */
static bool is_kernel(const Elf64_Sym* symbol) {
  return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
         (symbol->st_other & OTHER_KERNEL) != 0;
}

static rowlock_code_t count_kernel(reading_t* reading, const Elf64_Sym* symbol, const char* name) {
  (void)name;
  if (!is_kernel(symbol)) return ROWLOCK_OK;
  if (++reading->module->entry_count <= RLK_ARTIFACT_ENTRIES_MAX) return ROWLOCK_OK;
  return rlk_artifact_refuse_limit("entries", RLK_ARTIFACT_ENTRIES_MAX, reading->err);
}

static rowlock_code_t take_kernel(reading_t* reading, const Elf64_Sym* symbol, const char* name) {
  if (!is_kernel(symbol)) return ROWLOCK_OK;
  const char* copy = rlk_artifact_copy(reading->arena, name, strlen(name));
  if (!copy) return rlk_artifact_no_memory(reading->err);
  reading->module->entries[reading->module->entry_count++] = (rlk_artifact_entry_t){.name = copy, .is_defined = true};
  return ROWLOCK_OK;
}

static rowlock_code_t count_kernels(reading_t* reading, const GElf_Shdr* section, const char* name) {
  (void)name;
  return section->sh_type == SHT_SYMTAB ? each_symbol_of(reading, section, count_kernel) : ROWLOCK_OK;
}

static rowlock_code_t take_kernels(reading_t* reading, const GElf_Shdr* section, const char* name) {
  (void)name;
  return section->sh_type == SHT_SYMTAB ? each_symbol_of(reading, section, take_kernel) : ROWLOCK_OK;
}

/* One without a kernel of its name belongs to a function that is called, not launched. */
static rowlock_code_t take_info(reading_t* reading, const GElf_Shdr* section, const char* name) {
  if (strncmp(name, info_prefix, sizeof info_prefix - 1) != 0) return ROWLOCK_OK;
  for (size_t i = 0; i < reading->module->entry_count; ++i) {
    rlk_artifact_entry_t* entry = &reading->module->entries[i];
    if (strcmp(entry->name, name + sizeof info_prefix - 1) == 0) return read_info(reading, section, entry);
  }
  return ROWLOCK_OK;
}

static rowlock_code_t read_kernels(reading_t* reading) {
  rowlock_code_t code = each_section(reading, count_kernels);
  if (code || reading->module->entry_count == 0) return code;
  reading->module->entries =
      rlk_arena_alloc(reading->arena, reading->module->entry_count * sizeof(rlk_artifact_entry_t));
  if (!reading->module->entries) return rlk_artifact_no_memory(reading->err);
  reading->module->entry_count = 0;
  code = each_section(reading, take_kernels);
  return code ? code : each_section(reading, take_info);
}

/* --- The layout array --------------------------------------------------------------------------------------------- */

static rowlock_code_t copy_layout(reading_t* reading, const Elf64_Sym* symbol) {
  rlk_artifact_layout_t* layout = &reading->module->layout;
  *layout = (rlk_artifact_layout_t){.is_there = true, .length = symbol->st_size};
  GElf_Shdr header;
  Elf_Scn* section = symbol->st_shndx < SHN_LORESERVE ? elf_getscn(reading->elf, symbol->st_shndx) : NULL;
  if (!section || !gelf_getshdr(section, &header)) return refuse(reading, "the layout array is in no section");
  if (symbol->st_value > header.sh_size || symbol->st_size > header.sh_size - symbol->st_value) {
    return refuse(reading, "the layout array goes on behind its section");
  }
  if (has_no_bytes(&header)) return ROWLOCK_OK;
  const uint8_t* bytes = content(reading, &header);
  if (!bytes) return refuse(reading, "the layout array's section goes on behind the end of the file");
  uint8_t* copy = rlk_arena_alloc(reading->arena, symbol->st_size > 0 ? symbol->st_size : 1);
  if (!copy) return rlk_artifact_no_memory(reading->err);
  memcpy(copy, bytes + symbol->st_value, symbol->st_size);
  layout->bytes = copy;
  return ROWLOCK_OK;
}

static rowlock_code_t take_layout(reading_t* reading, const Elf64_Sym* symbol, const char* name) {
  const unsigned char type = ELF64_ST_TYPE(symbol->st_info);
  const bool is_data = (type == STT_OBJECT || type == SYMBOL_DATA) && symbol->st_shndx != SHN_UNDEF;
  const bool is_wanted = is_data && !reading->module->layout.is_there && strcmp(name, RLK_LAYOUT_SYMBOL) == 0;
  return is_wanted ? copy_layout(reading, symbol) : ROWLOCK_OK;
}

static rowlock_code_t find_layout(reading_t* reading, const GElf_Shdr* section, const char* name) {
  (void)name;
  return section->sh_type == SHT_SYMTAB ? each_symbol_of(reading, section, take_layout) : ROWLOCK_OK;
}

/* --- What it was compiled for ------------------------------------------------------------------------------------- */

/* The flags have the number alone. The note with the compiler's options has the suffix. */
static rowlock_code_t read_suffix(reading_t* reading, const GElf_Shdr* section, const char* name) {
  const uint8_t* bytes = strcmp(name, ".note.nv.tkinfo") == 0 ? content(reading, section) : NULL;
  char option[32];
  rlk_text_t text = rlk_text_over(option, sizeof option);
  rlk_text_printf(&text, "-arch sm_%u", reading->module->target.sm);
  for (uint64_t at = 0; bytes && at + text.length < section->sh_size; ++at) {
    if (memcmp(bytes + at, option, text.length) != 0) continue;
    const char suffix = (char)bytes[at + text.length];
    if (suffix == 'a' || suffix == 'f') reading->module->target.suffix = suffix;
  }
  return ROWLOCK_OK;
}

static rowlock_code_t read_header(reading_t* reading) {
  GElf_Ehdr header;
  if (!gelf_getehdr(reading->elf, &header)) return refuse(reading, "its header cannot be read");
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return rlk_refuse(reading->err, RLK_RULE_HOST_CLASS_32, NULL, 0);
  if (header.e_ident[EI_DATA] != ELFDATA2LSB) return refuse(reading, "it is not little-endian");
  reading->module->old_flags = header.e_ident[EI_OSABI] == OSABI_CUDA_OLD;
  reading->module->target.sm = reading->module->old_flags ? header.e_flags & 0xFF : header.e_flags >> 8 & 0xFF;
  if (!reading->module->old_flags && header.e_ident[EI_OSABI] != OSABI_CUDA) {
    return refuse(reading, "its OS/ABI is none that is known: 0x41, or 0x33 of older toolkits");
  }
  if (elf_getshdrstrndx(reading->elf, &reading->names) != 0) return refuse(reading, "its sections have no names");
  return ROWLOCK_OK;
}

static rowlock_code_t read_all(reading_t* reading) {
  rowlock_code_t code = read_header(reading);
  if (!code) code = read_kernels(reading);
  if (!code) code = each_section(reading, find_layout);
  if (!code) code = each_section(reading, read_suffix);
  return code;
}

rowlock_code_t rlk_cubin_read(const uint8_t* bytes, size_t length, rlk_arena_t* arena, rlk_module_t* module,
                              rowlock_error_t* err) {
  if (elf_version(EV_CURRENT) == EV_NONE) return rlk_fail(err, ROWLOCK_INTERNAL, "libelf is of another version");
  /* libelf takes memory that it does not write to as writable, unless it is told to write. */
  Elf* elf = elf_memory((char*)(uintptr_t)bytes, length);
  reading_t reading = {.elf = elf, .bytes = bytes, .length = length, .arena = arena, .module = module, .err = err};
  if (!elf || elf_kind(elf) != ELF_K_ELF) {
    elf_end(elf);
    return refuse(&reading, "its header is cut short or malformed");
  }
  const rowlock_code_t code = read_all(&reading);
  elf_end(elf);
  return code;
}
