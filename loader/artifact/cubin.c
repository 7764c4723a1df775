/* Cubins: ELF files for CUDA devices. Kernels are sections .text.NAME that a symbol marks; what is said of their
 * parameters is in .nv.info.NAME. */
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
  ATTRIBUTE_WIDE_PARAMETER = 0x45, /* of blocks of more than 4 KiB */
  PARAMETER_BYTES = 12,
  SYMBOL_IS_KERNEL = 0x10,        /* in st_other */
  STT_CUDA_OBJECT = 13,           /* what data is in relocatable cubins */
  SECTION_ZEROS = SHT_LOPROC + 7, /* .nv.global, there too: it has no bytes in the file */
};

static const char text_prefix[] = ".text.", info_prefix[] = ".nv.info.";

/* A string table that ends in NUL. */
typedef struct strings_t {
  const char* text;
  uint64_t length;
} strings_t;

typedef struct reading_t {
  Elf* elf;
  const uint8_t* bytes;
  size_t length, section_count;
  strings_t names;          /* of sections */
  const uint8_t* is_kernel; /* by section; NULL: there is no symbol table that could say */
  uint64_t info_bytes;      /* that were read */
  bool has_options;         /* the compiler's were read */
  rlk_store_t* store;
  rlk_module_t* module;
  rowlock_error_t* err;
} reading_t;

static rowlock_code_t refuse(const reading_t* reading, const char* problem) {
  return rlk_refuse(reading->err, RLK_RULE_ARTIFACT_CUBIN_DAMAGED, RLK_SLOTS(rlk_slot_prose("problem", problem)));
}

static bool has_no_bytes(const GElf_Shdr* section) {
  return section->sh_type == SHT_NOBITS || section->sh_type == SECTION_ZEROS;
}

/* What libelf cannot do: the file is damaged, unless memory is short. */
static rowlock_code_t refuse_libelf(const reading_t* reading, const char* problem) {
  const char* reason = elf_errmsg(elf_errno());
  return reason && strstr(reason, "memory") ? rlk_artifact_no_memory(reading->err) : refuse(reading, problem);
}

/* The section's bytes in the file, NULL if they are not all there. Sections of zeros have none there. */
static const uint8_t* content(const reading_t* reading, const GElf_Shdr* section) {
  if (has_no_bytes(section)) return NULL;
  if (section->sh_offset > reading->length || section->sh_size > reading->length - section->sh_offset) return NULL;
  return reading->bytes + section->sh_offset;
}

static bool section_at(const reading_t* reading, size_t index, GElf_Shdr* out_section) {
  Elf_Scn* section = index > 0 && index < reading->section_count ? elf_getscn(reading->elf, index) : NULL;
  return section && gelf_getshdr(section, out_section);
}

/* libelf looks for the end of each string that it is asked for: here the table is looked at once. */
static bool open_strings(const reading_t* reading, size_t index, strings_t* out) {
  GElf_Shdr section;
  if (!section_at(reading, index, &section) || section.sh_type != SHT_STRTAB || section.sh_size == 0) return false;
  *out = (strings_t){.text = (const char*)content(reading, &section), .length = section.sh_size};
  return out->text && out->text[out->length - 1] == '\0';
}

static const char* string_at(const strings_t* strings, uint64_t offset) {
  return offset < strings->length ? strings->text + offset : NULL;
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
  if (!at) return refuse(reading, "an .nv.info section is not in the file, or goes on behind its end");
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

static bool is_parameter(uint8_t attribute) {
  return attribute == ATTRIBUTE_PARAMETER || attribute == ATTRIBUTE_WIDE_PARAMETER;
}

static rowlock_code_t count_record(reading_t* reading, rlk_artifact_entry_t* entry, uint8_t attribute, uint16_t value,
                                   const uint8_t* bytes) {
  if (attribute == ATTRIBUTE_BLOCK_BYTES && !bytes) entry->block_bytes = value;
  if (!is_parameter(attribute)) return ROWLOCK_OK;
  if (!bytes || value != PARAMETER_BYTES) return refuse(reading, "a parameter's record does not have 12 bytes");
  if (++entry->parameter_count <= RLK_ARTIFACT_PARAMETERS_MAX) return ROWLOCK_OK;
  return rlk_artifact_refuse_limit("parameters of an entry", RLK_ARTIFACT_PARAMETERS_MAX, reading->err);
}

/* u32 index, u16 ordinal, u16 offset, u32 whose bits from 18 on are the size; of a wide one, the lowest 16: above them
 * is what a pointer points to. */
static rowlock_code_t take_parameter(reading_t* reading, rlk_artifact_entry_t* entry, uint8_t attribute, uint16_t value,
                                     const uint8_t* bytes) {
  (void)value;
  if (!is_parameter(attribute) || !bytes) return ROWLOCK_OK;
  const uint16_t ordinal = load16(bytes + 4);
  if (ordinal >= entry->parameter_count) return refuse(reading, "a parameter's ordinal is beyond their number");
  rlk_artifact_parameter_t* parameter = &entry->parameters[ordinal];
  if (parameter->bytes > 0) return refuse(reading, "two parameters have one ordinal");
  parameter->offset = load16(bytes + 6);
  parameter->bytes = attribute == ATTRIBUTE_PARAMETER ? load32(bytes + 8) >> 18 : load16(bytes + 8);
  return parameter->bytes > 0 ? ROWLOCK_OK : refuse(reading, "a parameter has no bytes");
}

static rowlock_code_t check_block(reading_t* reading, rlk_artifact_entry_t* entry) {
  uint32_t end = 0;
  for (size_t i = 0; i < entry->parameter_count; ++i) {
    const rlk_artifact_parameter_t* parameter = &entry->parameters[i];
    if (parameter->offset < end) return refuse(reading, "two parameters overlap");
    end = parameter->offset + parameter->bytes;
  }
  if (entry->parameter_count == 0 && entry->block_bytes > 0) {
    return refuse(reading, "a kernel has a parameter block and no records of what is in it");
  }
  if (entry->block_bytes == 0) entry->block_bytes = end;
  return end <= entry->block_bytes ? ROWLOCK_OK : refuse(reading, "a parameter lies behind the end of the block");
}

static rowlock_code_t read_info(reading_t* reading, const GElf_Shdr* section, rlk_artifact_entry_t* entry) {
  if (entry->has_parameters) return refuse(reading, "a kernel has two .nv.info sections");
  entry->has_parameters = true;
  reading->info_bytes += section->sh_size < reading->length ? section->sh_size : reading->length;
  if (reading->info_bytes > reading->length) return refuse(reading, "its .nv.info sections are larger than the file");
  rowlock_code_t code = each_record(reading, section, entry, count_record);
  if (!code) code = rlk_store_take(reading->store, RLK_ALLOWANCE_PARAMETERS, entry->parameter_count, reading->err);
  if (code) return code;
  const size_t size = entry->parameter_count * sizeof *entry->parameters;
  entry->parameters = rlk_arena_alloc(reading->store->arena, size > 0 ? size : 1);
  if (!entry->parameters) return rlk_artifact_no_memory(reading->err);
  memset(entry->parameters, 0, size);
  code = each_record(reading, section, entry, take_parameter);
  return code ? code : check_block(reading, entry);
}

/* --- Sections ----------------------------------------------------------------------------------------------------- */

typedef rowlock_code_t section_fn(reading_t* reading, size_t index, const GElf_Shdr* section, const char* name);

static rowlock_code_t each_section(reading_t* reading, section_fn* take) {
  for (size_t i = 1; i < reading->section_count; ++i) {
    GElf_Shdr header;
    if (!section_at(reading, i, &header)) return refuse_libelf(reading, "its section table cannot be read");
    const char* name = string_at(&reading->names, header.sh_name);
    if (!name) return refuse(reading, "a section has no name");
    const rowlock_code_t code = take(reading, i, &header, name);
    if (code) return code;
  }
  return ROWLOCK_OK;
}

static bool has_prefix(const char* name, const char* prefix) {
  const size_t length = strlen(prefix);
  return strncmp(name, prefix, length) == 0 && name[length] != '\0';
}

/* NAME of a section .text.NAME that is a kernel's; NULL if it is another, as of a function that kernels call. */
static const char* kernel_of(const reading_t* reading, size_t index, const char* section_name) {
  if (!has_prefix(section_name, text_prefix)) return NULL;
  return !reading->is_kernel || reading->is_kernel[index] ? section_name + sizeof text_prefix - 1 : NULL;
}

static rowlock_code_t count_kernel(reading_t* reading, size_t index, const GElf_Shdr* section, const char* name) {
  (void)section;
  if (!kernel_of(reading, index, name)) return ROWLOCK_OK;
  if (++reading->module->entry_count <= RLK_ARTIFACT_ENTRIES_MAX) return ROWLOCK_OK;
  return rlk_artifact_refuse_limit("entries", RLK_ARTIFACT_ENTRIES_MAX, reading->err);
}

static rowlock_code_t take_kernel(reading_t* reading, size_t index, const GElf_Shdr* section, const char* name) {
  (void)section;
  const char *kernel = kernel_of(reading, index, name), *copy;
  if (!kernel) return ROWLOCK_OK;
  rowlock_code_t code = rlk_artifact_copy_name(reading->store->arena, kernel, &copy, reading->err);
  if (!code) code = rlk_store_take(reading->store, RLK_ALLOWANCE_NAME_BYTES, strlen(copy) + 1, reading->err);
  if (code) return code;
  reading->module->entries[reading->module->entry_count++] = (rlk_artifact_entry_t){.name = copy, .is_defined = true};
  return ROWLOCK_OK;
}

/* One without a kernel of its name belongs to a function that is called, not launched. */
static rowlock_code_t take_info(reading_t* reading, size_t index, const GElf_Shdr* section, const char* name) {
  (void)index;
  if (!has_prefix(name, info_prefix)) return ROWLOCK_OK;
  /* Long names may overlap in the file, and each is compared with those of some kernels. */
  const rowlock_code_t code = rlk_store_take(reading->store, RLK_ALLOWANCE_INFO_SECTIONS, 1, reading->err);
  if (code) return code;
  const rlk_artifact_entry_t* found = rlk_module_find(reading->module, name + sizeof info_prefix - 1);
  return found ? read_info(reading, section, &reading->module->entries[found - reading->module->entries]) : ROWLOCK_OK;
}

static rowlock_code_t refuse_entry(const reading_t* reading, const char* name, const char* problem) {
  char words[256];
  rlk_text_t text = rlk_text_over(words, sizeof words);
  rlk_text_printf(&text, "kernel '");
  rlk_text_put_shown(&text, name, strlen(name), 24);
  rlk_text_printf(&text, "' %s", problem);
  return refuse(reading, words);
}

static rowlock_code_t check_kernels(const reading_t* reading) {
  for (size_t i = 0; i < reading->module->entry_count; ++i) {
    const rlk_artifact_entry_t* entry = &reading->module->entries[i];
    if (!entry->has_parameters) return refuse_entry(reading, entry->name, "has no .nv.info section");
  }
  return ROWLOCK_OK;
}

static rowlock_code_t read_kernels(reading_t* reading) {
  rlk_module_t* module = reading->module;
  rowlock_code_t code = each_section(reading, count_kernel);
  if (code) return code;
  code = rlk_store_take(reading->store, RLK_ALLOWANCE_ENTRIES, module->entry_count, reading->err);
  if (code) return code;
  module->entries = rlk_arena_alloc(reading->store->arena, (module->entry_count + 1) * sizeof *module->entries);
  if (!module->entries) return rlk_artifact_no_memory(reading->err);
  module->entry_count = 0;
  code = each_section(reading, take_kernel);
  if (!code) code = rlk_module_index(module, reading->store->arena, reading->err);
  if (code) return code;
  const char* twin = rlk_module_find_twin(module);
  if (twin) return refuse_entry(reading, twin, "is there twice");
  code = each_section(reading, take_info);
  return code ? code : check_kernels(reading);
}

/* --- Symbols ------------------------------------------------------------------------------------------------------ */

static rowlock_code_t take_layout(reading_t* reading, const Elf64_Sym* symbol) {
  GElf_Shdr section;
  if (!section_at(reading, symbol->st_shndx, &section)) return refuse(reading, "the layout array is in no section");
  if (symbol->st_value > section.sh_size || symbol->st_size > section.sh_size - symbol->st_value) {
    return refuse(reading, "the layout array goes on behind its section");
  }
  const uint8_t* bytes = content(reading, &section);
  if (!bytes && !has_no_bytes(&section)) {
    return refuse(reading, "the layout array's section goes on behind the end of the file");
  }
  const bool taken = rlk_artifact_take_layout(reading->store->arena, bytes ? bytes + symbol->st_value : NULL,
                                              symbol->st_size, &reading->module->layout);
  return taken ? ROWLOCK_OK : rlk_artifact_no_memory(reading->err);
}

/* Marks the section of a kernel, whose name it has. Their number and the length that is compared are bounded, because
 * long names may overlap. */
static rowlock_code_t mark_kernel(reading_t* reading, const Elf64_Sym* symbol, const char* name, uint8_t* is_kernel) {
  GElf_Shdr section;
  const rowlock_code_t code = rlk_store_take(reading->store, RLK_ALLOWANCE_KERNEL_SYMBOLS, 1, reading->err);
  if (code) return code;
  if (!section_at(reading, symbol->st_shndx, &section)) return ROWLOCK_OK;
  const char* section_name = string_at(&reading->names, section.sh_name);
  if (!section_name || !has_prefix(section_name, text_prefix)) return ROWLOCK_OK;
  is_kernel[symbol->st_shndx] |= strncmp(section_name + sizeof text_prefix - 1, name, RLK_ARTIFACT_NAME_MAX + 1) == 0;
  return ROWLOCK_OK;
}

static rowlock_code_t take_symbol(reading_t* reading, const Elf64_Sym* symbol, const char* name, uint8_t* is_kernel) {
  if (symbol->st_shndx == SHN_UNDEF) return ROWLOCK_OK;
  const unsigned type = ELF64_ST_TYPE(symbol->st_info);
  if (type == STT_FUNC && symbol->st_other & SYMBOL_IS_KERNEL) return mark_kernel(reading, symbol, name, is_kernel);
  const bool is_data = type == STT_OBJECT || type == STT_CUDA_OBJECT;
  const bool is_layout = is_data && strcmp(name, RLK_LAYOUT_SYMBOL) == 0;
  return is_layout && !reading->module->layout.is_there ? take_layout(reading, symbol) : ROWLOCK_OK;
}

static rowlock_code_t read_symbols(reading_t* reading, size_t index, const GElf_Shdr* section, const char* name) {
  (void)index, (void)name;
  if (section->sh_type != SHT_SYMTAB) return ROWLOCK_OK;
  if (reading->is_kernel) return refuse(reading, "it has two symbol tables");
  const uint8_t* bytes = content(reading, section);
  strings_t strings;
  if (!bytes) return refuse(reading, "its symbol table goes on behind the end of the file");
  if (!open_strings(reading, section->sh_link, &strings)) return refuse(reading, "its symbols have no names");
  uint8_t* is_kernel = rlk_arena_alloc(reading->store->arena, reading->section_count);
  if (!is_kernel) return rlk_artifact_no_memory(reading->err);
  memset(is_kernel, 0, reading->section_count);
  reading->is_kernel = is_kernel;
  for (uint64_t at = 0; section->sh_size - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol; /* ELF64 and little-endian: as it lies in the file */
    memcpy(&symbol, bytes + at, sizeof symbol);
    const char* symbol_name = string_at(&strings, symbol.st_name);
    if (!symbol_name) return refuse(reading, "a symbol has no name");
    const rowlock_code_t code = take_symbol(reading, &symbol, symbol_name, is_kernel);
    if (code) return code;
  }
  return ROWLOCK_OK;
}

/* --- What it was compiled for ------------------------------------------------------------------------------------- */

/* The flags have the number alone. The note with the compiler's options has the suffix; the first of them. */
static rowlock_code_t read_suffix(reading_t* reading, size_t index, const GElf_Shdr* section, const char* name) {
  (void)index;
  const bool is_due = !reading->has_options && strcmp(name, ".note.nv.tkinfo") == 0;
  const uint8_t* bytes = is_due ? content(reading, section) : NULL;
  reading->has_options |= is_due;
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

/* A table of the header's that goes on behind the end: libelf takes it for an empty one. */
static rowlock_code_t check_table(const reading_t* reading, const char* part, uint64_t offset, uint64_t bytes) {
  const uint64_t end = offset > UINT64_MAX - bytes ? UINT64_MAX : offset + bytes;
  if (bytes == 0 || end <= reading->length) return ROWLOCK_OK;
  return rlk_refuse(reading->err, RLK_RULE_HOST_CUT_SHORT,
                    RLK_SLOTS(rlk_slot_prose("part", part),
                              rlk_slot_integer("expected", (int64_t)(end < INT64_MAX ? end : INT64_MAX)),
                              rlk_slot_integer("length", (int64_t)reading->length)));
}

static rowlock_code_t check_tables(const reading_t* reading, const GElf_Ehdr* header) {
  const uint64_t sections = (uint64_t)header->e_shnum * header->e_shentsize;
  const uint64_t segments = (uint64_t)header->e_phnum * header->e_phentsize;
  const rowlock_code_t code = check_table(reading, "the section table", header->e_shoff, sections);
  return code ? code : check_table(reading, "the segment table", header->e_phoff, segments);
}

static rowlock_code_t read_header(reading_t* reading) {
  GElf_Ehdr header;
  if (!gelf_getehdr(reading->elf, &header)) return refuse_libelf(reading, "its header cannot be read");
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return rlk_refuse(reading->err, RLK_RULE_HOST_CLASS_32, NULL, 0);
  if (header.e_ident[EI_DATA] != ELFDATA2LSB) return refuse(reading, "it is not little-endian");
  reading->module->old_flags = header.e_ident[EI_OSABI] == OSABI_CUDA_OLD;
  reading->module->target.sm = reading->module->old_flags ? header.e_flags & 0xFF : header.e_flags >> 8 & 0xFF;
  if (!reading->module->old_flags && header.e_ident[EI_OSABI] != OSABI_CUDA) {
    return refuse(reading, "its OS/ABI is none that is known: 0x41, or 0x33 of older toolkits");
  }
  if (reading->module->target.sm == 0) return refuse(reading, "its flags say no SM");
  return check_tables(reading, &header);
}

static rowlock_code_t open_sections(reading_t* reading) {
  size_t names;
  if (elf_getshdrnum(reading->elf, &reading->section_count) != 0 || reading->section_count == 0) {
    return refuse_libelf(reading, "it has no section table, or one that goes on behind the end of the file");
  }
  if (reading->section_count > RLK_ARTIFACT_SECTIONS_MAX) {
    return rlk_artifact_refuse_limit("sections", RLK_ARTIFACT_SECTIONS_MAX, reading->err);
  }
  const bool named = elf_getshdrstrndx(reading->elf, &names) == 0 && open_strings(reading, names, &reading->names);
  return named ? ROWLOCK_OK : refuse_libelf(reading, "its sections have no names");
}

static rowlock_code_t read_all(reading_t* reading) {
  rowlock_code_t code = read_header(reading);
  if (!code) code = open_sections(reading);
  if (!code) code = each_section(reading, read_symbols);
  if (!code) code = read_kernels(reading);
  if (!code) code = each_section(reading, read_suffix);
  return code;
}

rowlock_code_t rlk_cubin_read(const uint8_t* bytes, size_t length, rlk_store_t* store, rlk_module_t* module,
                              rowlock_error_t* err) {
  if (elf_version(EV_CURRENT) == EV_NONE) return rlk_fail(err, ROWLOCK_INTERNAL, "libelf is of another version");
  (void)elf_errno(); /* forgets what went wrong before */
  /* libelf takes memory that it does not write to as writable, unless it is told to write. */
  Elf* elf = elf_memory((char*)(uintptr_t)bytes, length);
  reading_t reading = {.elf = elf, .bytes = bytes, .length = length, .store = store, .module = module, .err = err};
  if (!elf || elf_kind(elf) != ELF_K_ELF) {
    elf_end(elf);
    return refuse_libelf(&reading, "its header is cut short or malformed");
  }
  const rowlock_code_t code = read_all(&reading);
  elf_end(elf);
  return code;
}
