#include "loader/host/elf.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "loader/files.h"
#include "loader/host/identity.h"
#include "loader/host/segments.h"
#include "validator/rules/text.h"

/* A table of the file: records of one size, and the section that it is. */
typedef struct table_t {
  Elf_Data* data;
  size_t count;
  GElf_Shdr section;
} table_t;

struct rlk_elf_t {
  rlk_file_buffer_t file; /* empty if the bytes are borrowed */
  const uint8_t* bytes;
  size_t length;
  Elf* elf;
  size_t header_count, section_count; /* of segments, of sections */
  rlk_segments_t segments;            /* those that are mapped */
  table_t symbols;                    /* .dynsym */
  table_t dynamic;                    /* .dynamic, which is PT_DYNAMIC */
  table_t strings;                    /* .dynstr, for both; ends in NUL */
  table_t full_symbols;               /* .symtab, its data NULL if there is none */
  table_t full_strings;
};

/* After our own checks libelf has little left to refuse but a lack of memory. */
static rowlock_code_t libelf_failed(rowlock_error_t* err) {
  const char* problem = elf_errmsg(elf_errno());
  if (!problem) problem = "libelf cannot read it";
  if (strstr(problem, "memory")) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory to read the artifact");
  return rlk_refuse_malformed(err, "%s", problem);
}

/* Whether those bytes are in the file. */
static rowlock_code_t need(const rlk_elf_t* elf, const char* part, uint64_t offset, uint64_t size,
                           rowlock_error_t* err) {
  return rlk_require_bytes(elf->length, part, offset, size, err);
}

/* --- The header --------------------------------------------------------------------------------------------------- */

/* The sizes and places of the two tables that everything else is found through. */
static rowlock_code_t check_header(rlk_elf_t* elf, rowlock_error_t* err) {
  Elf64_Ehdr header;
  rowlock_code_t code = rlk_identity_check(elf->bytes, elf->length, err);
  if (code) return code;
  memcpy(&header, elf->bytes, sizeof header); /* identity has seen that it is all there */
  if (header.e_ehsize != sizeof header) return rlk_refuse_malformed(err, "an ELF header of %u bytes", header.e_ehsize);
  if (header.e_phnum == 0 || header.e_phnum == PN_XNUM || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return rlk_refuse_malformed(err, "%u program headers of %u bytes", header.e_phnum, header.e_phentsize);
  }
  code = need(elf, "the table of segments", header.e_phoff, (uint64_t)header.e_phnum * sizeof(Elf64_Phdr), err);
  if (code) return code;
  if (header.e_shoff == 0 || header.e_shnum == 0) {
    return rlk_refuse_malformed(err, "it has no table of sections, and its symbols cannot be read without one");
  }
  if (header.e_shnum >= SHN_LORESERVE || header.e_shentsize != sizeof(Elf64_Shdr)) {
    return rlk_refuse_malformed(err, "%u section headers of %u bytes", header.e_shnum, header.e_shentsize);
  }
  elf->header_count = header.e_phnum;
  elf->section_count = header.e_shnum;
  return need(elf, "the table of sections", header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr), err);
}

/* --- Segments ----------------------------------------------------------------------------------------------------- */

static bool segment_at(const rlk_elf_t* elf, size_t index, GElf_Phdr* out_segment) {
  return gelf_getphdr(elf->elf, (int)index, out_segment) != NULL;
}

/* --- Sections ----------------------------------------------------------------------------------------------------- */

static Elf_Scn* section_at(const rlk_elf_t* elf, size_t index, GElf_Shdr* out_section) {
  Elf_Scn* section = index < elf->section_count ? elf_getscn(elf->elf, index) : NULL;
  return section && gelf_getshdr(section, out_section) ? section : NULL;
}

static rowlock_code_t check_sections(const rlk_elf_t* elf, rowlock_error_t* err) {
  for (size_t i = 1; i < elf->section_count; ++i) {
    GElf_Shdr section;
    if (!section_at(elf, i, &section)) return libelf_failed(err);
    if (section.sh_size > UINT64_MAX - section.sh_addr) return rlk_refuse_malformed(err, "section %zu wraps around", i);
    if (section.sh_type == SHT_NULL || section.sh_type == SHT_NOBITS) continue;
    const rowlock_code_t code = need(elf, "a section", section.sh_offset, section.sh_size, err);
    if (code) return code;
  }
  return ROWLOCK_OK;
}

/* Reads the section as records of `record_bytes`. */
static rowlock_code_t read_table(const rlk_elf_t* elf, size_t index, const char* name, uint32_t type,
                                 size_t record_bytes, table_t* out_table, rowlock_error_t* err) {
  Elf_Scn* section = section_at(elf, index, &out_table->section);
  if (!section || out_table->section.sh_type != type)
    return rlk_refuse_malformed(err, "section %zu is not its %s", index, name);
  const uint64_t size = out_table->section.sh_size;
  if (size == 0 || size % record_bytes != 0 || (record_bytes > 1 && out_table->section.sh_entsize != record_bytes)) {
    return rlk_refuse_malformed(err, "its %s has %llu bytes, which is not some records of %zu", name,
                                (unsigned long long)size, record_bytes);
  }
  out_table->data = elf_getdata(section, NULL);
  if (!out_table->data) return libelf_failed(err);
  if (!out_table->data->d_buf || out_table->data->d_size != size)
    return rlk_refuse_malformed(err, "its %s cannot be read", name);
  out_table->count = (size_t)(size / record_bytes);
  return ROWLOCK_OK;
}

static rowlock_code_t read_strings(const rlk_elf_t* elf, const table_t* table, const char* name, table_t* out_strings,
                                   rowlock_error_t* err) {
  const rowlock_code_t code = read_table(elf, table->section.sh_link, name, SHT_STRTAB, 1, out_strings, err);
  if (code) return code;
  const char* text = out_strings->data ? out_strings->data->d_buf : NULL;
  return !text || text[out_strings->count - 1] ? rlk_refuse_malformed(err, "its %s does not end in NUL", name)
                                               : ROWLOCK_OK;
}

static bool is_string(const table_t* strings, uint64_t offset) { return offset < strings->count; }

/* Every offset was checked as the file was read: the empty string is for none of them. */
static const char* string_at(const table_t* strings, uint64_t offset) {
  return is_string(strings, offset) ? (const char*)strings->data->d_buf + offset : "";
}

static rowlock_code_t check_names(const table_t* symbols, const table_t* strings, rowlock_error_t* err) {
  for (size_t i = 0; i < symbols->count; ++i) {
    GElf_Sym symbol;
    if (!gelf_getsym(symbols->data, (int)i, &symbol)) return libelf_failed(err);
    if (!is_string(strings, symbol.st_name))
      return rlk_refuse_malformed(err, "the name of symbol %zu is outside the strings", i);
  }
  return ROWLOCK_OK;
}

/* The index of the only section of that type; 0 if there is none. */
static rowlock_code_t find_section(const rlk_elf_t* elf, uint32_t type, const char* name, size_t* out_index,
                                   rowlock_error_t* err) {
  *out_index = 0;
  for (size_t i = 1; i < elf->section_count; ++i) {
    GElf_Shdr section;
    if (!section_at(elf, i, &section)) return libelf_failed(err);
    if (section.sh_type != type) continue;
    if (*out_index) return rlk_refuse_malformed(err, "it has two sections of the kind %s", name);
    *out_index = i;
  }
  return ROWLOCK_OK;
}

static rowlock_code_t read_symbols(const rlk_elf_t* elf, uint32_t type, const char* name, table_t* out_symbols,
                                   table_t* out_strings, rowlock_error_t* err) {
  size_t index;
  rowlock_code_t code = find_section(elf, type, name, &index, err);
  if (code || index == 0) return code;
  code = read_table(elf, index, name, type, sizeof(Elf64_Sym), out_symbols, err);
  if (!code) code = read_strings(elf, out_symbols, "table of names", out_strings, err);
  if (!code) code = check_names(out_symbols, out_strings, err);
  return code;
}

/* --- The dynamic section: what the dynamic loader goes by --------------------------------------------------------- */

/* The value of the entry with that tag, from entry `*cursor` on; false if there is none. */
static bool next_dynamic(const rlk_elf_t* elf, int64_t tag, size_t* cursor, uint64_t* out_value) {
  GElf_Dyn entry;
  while (*cursor < elf->dynamic.count && gelf_getdyn(elf->dynamic.data, (int)*cursor, &entry)) {
    ++*cursor;
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == tag) {
      *out_value = entry.d_un.d_val;
      return true;
    }
  }
  *cursor = elf->dynamic.count;
  return false;
}

static bool dynamic_value(const rlk_elf_t* elf, int64_t tag, uint64_t* out_value) {
  size_t cursor = 0;
  return next_dynamic(elf, tag, &cursor, out_value);
}

static bool has_dynamic_flag(const rlk_elf_t* elf, int64_t tag, uint64_t flag) {
  uint64_t value;
  return dynamic_value(elf, tag, &value) && (value & flag) != 0;
}

/* Whether the entry gives the address of the section, and a segment maps the section's bytes there. */
static rowlock_code_t check_agreement(const rlk_elf_t* elf, const table_t* table, int64_t tag, const char* name,
                                      rowlock_error_t* err) {
  uint64_t address;
  const GElf_Shdr* section = &table->section;
  if (dynamic_value(elf, tag, &address) && address == section->sh_addr &&
      rlk_segments_map(&elf->segments, address, section->sh_offset, section->sh_size)) {
    return ROWLOCK_OK;
  }
  return rlk_refuse_malformed(err, "its sections and its segments disagree on where the %s is", name);
}

static rowlock_code_t check_dynamic_segment(const rlk_elf_t* elf, rowlock_error_t* err) {
  const GElf_Shdr* section = &elf->dynamic.section;
  size_t count = 0;
  bool agrees = true;
  GElf_Phdr segment;
  for (size_t i = 0; i < elf->header_count; ++i) {
    if (!segment_at(elf, i, &segment) || segment.p_type != PT_DYNAMIC) continue;
    ++count;
    agrees = agrees && segment.p_offset == section->sh_offset && segment.p_filesz == section->sh_size &&
             segment.p_vaddr == section->sh_addr;
  }
  if (count == 1 && agrees &&
      rlk_segments_map(&elf->segments, section->sh_addr, section->sh_offset, section->sh_size)) {
    return ROWLOCK_OK;
  }
  return rlk_refuse_malformed(err, "its sections and its segments disagree on where the dynamic section is");
}

static rowlock_code_t check_needed(const rlk_elf_t* elf, rowlock_error_t* err) {
  size_t cursor = 0;
  uint64_t offset;
  while (next_dynamic(elf, DT_NEEDED, &cursor, &offset)) {
    if (!*string_at(&elf->strings, offset)) return rlk_refuse_malformed(err, "a library that it needs has no name");
  }
  return ROWLOCK_OK;
}

static rowlock_code_t read_dynamic(rlk_elf_t* elf, rowlock_error_t* err) {
  size_t index;
  table_t strings = {0};
  rowlock_code_t code = find_section(elf, SHT_DYNAMIC, "dynamic section", &index, err);
  if (code) return code;
  if (index == 0) return rlk_refuse_malformed(err, "it has no dynamic section");
  code = read_table(elf, index, "dynamic section", SHT_DYNAMIC, sizeof(Elf64_Dyn), &elf->dynamic, err);
  if (!code && elf->dynamic.count > RLK_ELF_DYNAMIC_MAX) {
    code = rlk_refuse_malformed(err, "its dynamic section has %zu entries, more than the limit of %d",
                                elf->dynamic.count, RLK_ELF_DYNAMIC_MAX);
  }
  if (!code) code = check_dynamic_segment(elf, err);
  if (!code) code = read_strings(elf, &elf->dynamic, "table of names", &strings, err);
  if (code) return code;
  if (has_dynamic_flag(elf, DT_FLAGS_1, DF_1_PIE))
    return rlk_refuse_not_shared("a program (position-independent)", err);
  if (!elf->symbols.data || strings.section.sh_offset != elf->strings.section.sh_offset ||
      strings.section.sh_size != elf->strings.section.sh_size) {
    return rlk_refuse_malformed(err, "it has no dynamic symbols, or their names are elsewhere");
  }
  code = check_agreement(elf, &elf->symbols, DT_SYMTAB, "table of dynamic symbols", err);
  if (!code) code = check_agreement(elf, &elf->strings, DT_STRTAB, "table of names", err);
  if (!code) code = check_needed(elf, err);
  return code;
}

bool rlk_elf_relocates_text(const rlk_elf_t* elf) {
  uint64_t ignored;
  return dynamic_value(elf, DT_TEXTREL, &ignored) || has_dynamic_flag(elf, DT_FLAGS, DF_TEXTREL);
}

const char* rlk_elf_needed(const rlk_elf_t* elf, size_t index) {
  size_t cursor = 0;
  uint64_t offset;
  while (next_dynamic(elf, DT_NEEDED, &cursor, &offset)) {
    if (index-- == 0) return string_at(&elf->strings, offset);
  }
  return NULL;
}

/* --- Opening ------------------------------------------------------------------------------------------------------ */

static rowlock_code_t read_all(rlk_elf_t* elf, rowlock_error_t* err) {
  rowlock_code_t code = check_header(elf, err);
  if (code) return code;
  if (elf_version(EV_CURRENT) == EV_NONE) return rlk_fail(err, ROWLOCK_INTERNAL, "libelf is too old");
  /* libelf takes the bytes as writable, and does not write to them unless told to. */
  elf->elf = elf_memory((char*)(uintptr_t)elf->bytes, elf->length);
  if (!elf->elf) return libelf_failed(err);
  code = rlk_segments_read(elf->elf, elf->header_count, elf->length, &elf->segments, err);
  if (!code) code = check_sections(elf, err);
  if (!code) code = read_symbols(elf, SHT_DYNSYM, "table of dynamic symbols", &elf->symbols, &elf->strings, err);
  if (!code) code = read_symbols(elf, SHT_SYMTAB, "full table of symbols", &elf->full_symbols, &elf->full_strings, err);
  if (!code) code = read_dynamic(elf, err);
  return code;
}

static rowlock_code_t create(rlk_elf_t** out_elf, rowlock_error_t* err) {
  *out_elf = calloc(1, sizeof **out_elf);
  return *out_elf ? ROWLOCK_OK : rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory to read the artifact");
}

/* Reads what `elf` holds and hands it over, or closes it. */
static rowlock_code_t finish(rlk_elf_t* elf, rlk_elf_t** out_elf, rowlock_error_t* err) {
  const rowlock_code_t code = read_all(elf, err);
  if (code) {
    rlk_elf_close(elf);
    return code;
  }
  *out_elf = elf;
  return ROWLOCK_OK;
}

rowlock_code_t rlk_elf_read(const void* bytes, size_t length, rlk_elf_t** out_elf, rowlock_error_t* err) {
  *out_elf = NULL;
  rlk_elf_t* elf;
  const rowlock_code_t code = create(&elf, err);
  if (code) return code;
  elf->bytes = bytes;
  elf->length = length;
  return finish(elf, out_elf, err);
}

static rowlock_code_t refuse_size(rowlock_error_t* err) {
  return rlk_refuse(err, RLK_RULE_HOST_FILE_TOO_LARGE,
                    RLK_SLOTS(rlk_slot_integer("limit", (int64_t)RLK_ELF_MAX_BYTES)));
}

rowlock_code_t rlk_elf_open(const char* path, rlk_elf_t** out_elf, rowlock_error_t* err) {
  *out_elf = NULL;
  /* So that a file of some other kind, larger than memory, is refused before the limit's worth of it is read. */
  struct stat status;
  if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && (uint64_t)status.st_size > RLK_ELF_MAX_BYTES) {
    return refuse_size(err);
  }
  rlk_elf_t* elf;
  rowlock_code_t code = create(&elf, err);
  if (code) return code;
  code = rlk_file_read(path, RLK_ELF_MAX_BYTES, &elf->file, err);
  if (!code && elf->file.length > RLK_ELF_MAX_BYTES) code = refuse_size(err);
  if (code) {
    rlk_elf_close(elf);
    return code;
  }
  elf->bytes = (const uint8_t*)elf->file.bytes;
  elf->length = elf->file.length;
  return finish(elf, out_elf, err);
}

void rlk_elf_close(rlk_elf_t* elf) {
  if (!elf) return;
  if (elf->elf) elf_end(elf->elf);
  rlk_segments_deinit(&elf->segments);
  rlk_file_buffer_deinit(&elf->file);
  free(elf);
}

/* --- Looking at it ------------------------------------------------------------------------------------------------ */

const char* rlk_elf_kind_name(rlk_elf_kind_t kind) {
  static const char* const names[] = {
#define RLK_ELF_KIND(ID, name) name,
      RLK_ELF_KINDS(RLK_ELF_KIND)
#undef RLK_ELF_KIND
  };
  return names[kind];
}

/* Whether other objects can see it. */
static bool is_visible(const GElf_Sym* symbol) {
  const unsigned char binding = GELF_ST_BIND(symbol->st_info);
  const unsigned char visibility = GELF_ST_VISIBILITY(symbol->st_other);
  return (binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE) &&
         (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

/* Fills in an OBJECT's content, if it lies whole in a section that is in memory and, unless it starts as zeros, in the
 * bytes of the file that a segment maps to its address. */
static bool find_content(const rlk_elf_t* elf, const GElf_Sym* symbol, rlk_elf_symbol_t* out_symbol) {
  GElf_Shdr section;
  if (!section_at(elf, symbol->st_shndx, &section) || !(section.sh_flags & SHF_ALLOC)) return false;
  if (symbol->st_value < section.sh_addr || symbol->st_value - section.sh_addr > section.sh_size ||
      symbol->st_size > section.sh_size - (symbol->st_value - section.sh_addr)) {
    return false;
  }
  if (section.sh_type == SHT_NOBITS) return rlk_segments_hold(&elf->segments, symbol->st_value, PF_R | PF_W);
  const uint64_t offset = section.sh_offset + (symbol->st_value - section.sh_addr);
  if (!rlk_segments_map(&elf->segments, symbol->st_value, offset, symbol->st_size)) return false;
  out_symbol->content = elf->bytes + offset;
  return true;
}

static rlk_elf_kind_t kind_of(const rlk_elf_t* elf, const GElf_Sym* symbol, rlk_elf_symbol_t* out_symbol) {
  if (symbol->st_shndx == SHN_UNDEF) return RLK_ELF_UNDEFINED;
  if (symbol->st_shndx >= elf->section_count) return RLK_ELF_OTHER;
  switch (GELF_ST_TYPE(symbol->st_info)) {
    case STT_FUNC:
    case STT_GNU_IFUNC:
      return rlk_segments_hold(&elf->segments, symbol->st_value, PF_X) ? RLK_ELF_FUNCTION : RLK_ELF_OTHER;
    case STT_OBJECT:
      return find_content(elf, symbol, out_symbol) ? RLK_ELF_DATA : RLK_ELF_OTHER;
    default:
      return RLK_ELF_OTHER;
  }
}

bool rlk_elf_next_symbol(const rlk_elf_t* elf, size_t* cursor, rlk_elf_symbol_t* out_symbol) {
  GElf_Sym symbol;
  while (*cursor < elf->symbols.count && gelf_getsym(elf->symbols.data, (int)*cursor, &symbol)) {
    ++*cursor;
    if (!is_visible(&symbol)) continue;
    *out_symbol = (rlk_elf_symbol_t){.name = string_at(&elf->strings, symbol.st_name), .size = symbol.st_size};
    out_symbol->kind = kind_of(elf, &symbol, out_symbol);
    return true;
  }
  return false;
}

rlk_elf_symbol_t rlk_elf_symbol(const rlk_elf_t* elf, const char* name) {
  rlk_elf_symbol_t best = {.kind = RLK_ELF_ABSENT}, symbol;
  for (size_t cursor = 0; rlk_elf_next_symbol(elf, &cursor, &symbol);) {
    if (symbol.kind > best.kind && strcmp(symbol.name, name) == 0) best = symbol;
  }
  return best;
}

bool rlk_elf_has_local_function(const rlk_elf_t* elf, const char* name) {
  GElf_Sym symbol;
  for (size_t i = 0; i < elf->full_symbols.count && gelf_getsym(elf->full_symbols.data, (int)i, &symbol); ++i) {
    if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
        strcmp(string_at(&elf->full_strings, symbol.st_name), name) == 0) {
      return true;
    }
  }
  return false;
}

bool rlk_elf_next_segment(const rlk_elf_t* elf, size_t* cursor, rlk_elf_segment_t* out_segment) {
  if (*cursor >= elf->segments.count) return false;
  const GElf_Phdr* segment = &elf->segments.loads[(*cursor)++];
  *out_segment = (rlk_elf_segment_t){
      .address = segment->p_vaddr,
      .file_bytes = segment->p_filesz,
      .memory_bytes = segment->p_memsz,
      .content = elf->bytes + segment->p_offset,
      .readable = segment->p_flags & PF_R,
      .writable = segment->p_flags & PF_W,
      .executable = segment->p_flags & PF_X,
  };
  return true;
}
