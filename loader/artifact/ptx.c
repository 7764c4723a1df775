/* PTX: version, target and address size, the parameters of each entry, and the layout array. Bodies are skipped. */
#include <string.h>

#include "loader/artifact/ptx_words.h"
#include "loader/artifact/readers.h"
#include "loader/host/layout.h"
#include "validator/rules/findings.h"
#include "validator/rules/text.h"
#include "validator/wire/document.h"

enum { TARGET_OPTIONS_MAX = 16, ALIGNMENT_MAX = 1 << 16 };

typedef struct reading_t {
  rlk_ptx_scanner_t scanner;
  const char* text;
  size_t length;
  rlk_arena_t* arena;
  rlk_module_t* module;
  rowlock_error_t* err;
  size_t entry_capacity;
  uint64_t* hashes; /* of the entries' names */
  bool has_version, has_target, has_address_size;
  bool is_extern; /* the next declaration: it is defined elsewhere */
} reading_t;

/* --- What is wrong ------------------------------------------------------------------------------------------------ */

static rowlock_code_t refuse_at(const reading_t* reading, const char* at, const char* problem) {
  uint32_t line, column;
  rlk_text_position(reading->text, reading->length, (size_t)(at - reading->text), &line, &column);
  return rlk_refuse(reading->err, RLK_RULE_ARTIFACT_PTX_SYNTAX,
                    RLK_SLOTS(rlk_slot_integer("line", line), rlk_slot_integer("column", column),
                              rlk_slot_prose("problem", problem)));
}

/* "X where Y is due" at a word that was taken. */
static rowlock_code_t refuse_word(const reading_t* reading, rlk_ptx_word_t word, const char* due) {
  char problem[256];
  rlk_text_t text = rlk_text_over(problem, sizeof problem);
  if (word.length == 0) {
    rlk_text_printf(&text, "it ends where %s is due", due);
  } else {
    rlk_text_printf(&text, "'");
    rlk_text_put_shown(&text, word.text, word.length, 24);
    rlk_text_printf(&text, "' where %s is due", due);
  }
  return refuse_at(reading, word.text, problem);
}

/* --- What is due -------------------------------------------------------------------------------------------------- */

static rowlock_code_t need_number(reading_t* reading, const char* due, uint64_t most, uint64_t* out) {
  const rlk_ptx_word_t word = rlk_ptx_next(&reading->scanner);
  return rlk_ptx_to_number(word, out) && *out <= most ? ROWLOCK_OK : refuse_word(reading, word, due);
}

static rowlock_code_t need(reading_t* reading, const char* text) {
  const rlk_ptx_word_t word = rlk_ptx_next(&reading->scanner);
  char due[16];
  rlk_text_t quoted = rlk_text_over(due, sizeof due);
  rlk_text_printf(&quoted, "'%s'", text);
  return rlk_ptx_is(word, text) ? ROWLOCK_OK : refuse_word(reading, word, due);
}

/* --- The module's directives -------------------------------------------------------------------------------------- */

/* Up to the next ';' at this level; initialisers in braces are skipped whole. */
static rowlock_code_t skip_statement(reading_t* reading) {
  for (;;) {
    const rlk_ptx_word_t word = rlk_ptx_next(&reading->scanner);
    if (rlk_ptx_is(word, ";")) return ROWLOCK_OK;
    if (word.length == 0) return refuse_word(reading, word, "';'");
    if (rlk_ptx_is(word, "{") && !rlk_ptx_skip_block(&reading->scanner)) {
      return refuse_at(reading, word.text, "a '{' that nothing closes");
    }
  }
}

/* What never stands between a function's head and its body: that is missing. */
static bool starts_declaration(rlk_ptx_word_t word) {
  return rlk_ptx_is(word, ".entry") || rlk_ptx_is(word, ".func") || rlk_ptx_is(word, ".visible") ||
         rlk_ptx_is(word, ".global");
}

/* Behind a list in parentheses, which may be absent. */
static void skip_parentheses(reading_t* reading) {
  if (!rlk_ptx_is(rlk_ptx_peek(&reading->scanner), "(")) return;
  size_t depth = 0;
  do {
    const rlk_ptx_word_t word = rlk_ptx_next(&reading->scanner);
    if (word.length == 0) return;
    depth += rlk_ptx_is(word, "(");
    depth -= rlk_ptx_is(word, ")");
  } while (depth > 0);
}

/* What tunes an entry, between its parameters and its body: directives, numbers, strings. */
static rowlock_code_t skip_tuning(reading_t* reading) {
  for (;;) {
    const rlk_ptx_word_t word = rlk_ptx_peek(&reading->scanner);
    uint64_t number;
    const bool is_value =
        rlk_ptx_is(word, ",") || rlk_ptx_to_number(word, &number) || (word.length > 0 && word.text[0] == '"');
    if (!is_value && !rlk_ptx_is_directive(word)) return ROWLOCK_OK;
    rlk_ptx_next(&reading->scanner);
    if (starts_declaration(word)) return refuse_word(reading, word, "a body or ';'");
    if (rlk_ptx_is(word, ".attribute")) skip_parentheses(reading);
  }
}

/* The body, which is skipped, or the ';' of a prototype. */
static rowlock_code_t skip_body(reading_t* reading, bool* out_has_body) {
  const rlk_ptx_word_t word = rlk_ptx_next(&reading->scanner);
  *out_has_body = rlk_ptx_is(word, "{");
  if (rlk_ptx_is(word, ";")) return ROWLOCK_OK;
  if (!*out_has_body) return refuse_word(reading, word, "a body or ';'");
  return rlk_ptx_skip_block(&reading->scanner) ? ROWLOCK_OK
                                               : refuse_at(reading, word.text, "a '{' that nothing closes");
}

/* A function that is called, not launched: its head is of no interest. */
static rowlock_code_t skip_function(reading_t* reading) {
  for (;;) {
    const rlk_ptx_word_t word = rlk_ptx_peek(&reading->scanner);
    if (word.length == 0 || starts_declaration(word)) return refuse_word(reading, word, "a body or ';'");
    bool has_body;
    if (rlk_ptx_is(word, ";") || rlk_ptx_is(word, "{")) return skip_body(reading, &has_body);
    rlk_ptx_next(&reading->scanner);
  }
}

/* M.m: a number and, since a dot begins a directive, ".m". */
static rowlock_code_t read_version(reading_t* reading) {
  rlk_ptx_word_t major_word = rlk_ptx_next(&reading->scanner), minor_word = rlk_ptx_next(&reading->scanner);
  const rlk_ptx_word_t whole = major_word;
  uint32_t major = 0, minor = 0;
  rlk_ptx_word_t digits = {minor_word.text + 1, minor_word.length > 0 ? minor_word.length - 1 : 0};
  const bool sound = rlk_ptx_take_digits(&major_word, &major) && major_word.length == 0 &&
                     rlk_ptx_is_directive(minor_word) && rlk_ptx_take_digits(&digits, &minor) && digits.length == 0 &&
                     minor < 10 && major < 1000;
  if (!sound) return refuse_word(reading, whole, "a version such as 8.4");
  reading->module->ptx_version = 10 * major + minor;
  reading->has_version = true;
  return ROWLOCK_OK;
}

/* sm_90a, texmode_independent, ... */
static rowlock_code_t read_target(reading_t* reading) {
  for (int i = 0; i < TARGET_OPTIONS_MAX; ++i) {
    const rlk_ptx_word_t word = rlk_ptx_next(&reading->scanner);
    if (!rlk_ptx_is_name(word)) return refuse_word(reading, word, "a target");
    if (word.length > 3 && memcmp(word.text, "sm_", 3) == 0) {
      rlk_ptx_word_t rest = {word.text + 3, word.length - 3};
      rlk_target_t* target = &reading->module->target;
      const bool sound = rlk_ptx_take_digits(&rest, &target->sm) && target->sm > 0 && rest.length <= 1 &&
                         (rest.length == 0 || rest.text[0] == 'a' || rest.text[0] == 'f');
      if (!sound) return refuse_word(reading, word, "a target such as sm_90 or sm_90a");
      target->suffix = '\0';
      if (rest.length > 0) target->suffix = rest.text[0];
      reading->has_target = true;
    }
    if (!rlk_ptx_is(rlk_ptx_peek(&reading->scanner), ",")) return ROWLOCK_OK;
    rlk_ptx_next(&reading->scanner);
  }
  return refuse_at(reading, reading->scanner.at, "more target options than there are");
}

static rowlock_code_t read_address_size(reading_t* reading) {
  uint64_t bits;
  const rowlock_code_t code = need_number(reading, "an address size", 64, &bits);
  if (code) return code;
  reading->has_address_size = true;
  return bits == 64 ? ROWLOCK_OK
                    : rlk_refuse(reading->err, RLK_RULE_ARTIFACT_PTX_ADDRESS_SIZE,
                                 RLK_SLOTS(rlk_slot_integer("value", (int64_t)bits)));
}

/* --- Entries ------------------------------------------------------------------------------------------------------ */

/* .param [.align A] .TYPE [.ptr [.SPACE] [.align A]] NAME [ [BYTES] ] */
static rowlock_code_t read_parameter(reading_t* reading, rlk_artifact_entry_t* entry) {
  rowlock_code_t code = need(reading, ".param");
  uint64_t alignment = 0, count = 1, ignored;
  bool is_aligned = false;
  const rlk_ptx_type_t* type = NULL;
  rlk_ptx_word_t word;
  for (word = rlk_ptx_next(&reading->scanner); !code && rlk_ptx_is_directive(word);
       word = rlk_ptx_next(&reading->scanner)) {
    const rlk_ptx_type_t* found = rlk_ptx_find_type(word);
    if (rlk_ptx_is(word, ".align")) {
      is_aligned |= !type;
      code = need_number(reading, "an alignment", ALIGNMENT_MAX, type ? &ignored : &alignment);
    } else if (found && !type) {
      type = found;
    } else if (!type) {
      return refuse_word(reading, word, "the type of a parameter");
    } /* what follows the type describes what a pointer points to */
  }
  if (code) return code;
  if (!type || !rlk_ptx_is_name(word)) return refuse_word(reading, word, type ? "a parameter's name" : "a type");
  const rlk_ptx_word_t name = word;
  if (rlk_ptx_is(rlk_ptx_peek(&reading->scanner), "[")) {
    rlk_ptx_next(&reading->scanner);
    code = need_number(reading, "a size in bytes", RLK_ARTIFACT_BLOCK_MAX, &count);
    if (!code) code = need(reading, "]");
    if (code) return code;
    if (count == 0) return refuse_at(reading, name.text, "a parameter without a byte");
  }
  if (!is_aligned) alignment = type->bytes;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0)
    return refuse_at(reading, name.text, "an alignment that is no power of two");
  const uint32_t mask = (uint32_t)alignment - 1;
  const uint32_t offset = (entry->block_bytes + mask) & ~mask;
  const uint64_t end = offset + type->bytes * count;
  if (end > RLK_ARTIFACT_BLOCK_MAX)
    return rlk_artifact_refuse_limit("bytes of parameters", RLK_ARTIFACT_BLOCK_MAX, reading->err);
  entry->parameters[entry->parameter_count++] =
      (rlk_artifact_parameter_t){.name = rlk_artifact_copy(reading->arena, name.text, name.length),
                                 .type = type->name + 1,
                                 .offset = offset,
                                 .bytes = type->bytes * (uint32_t)count,
                                 .alignment = (uint32_t)alignment};
  entry->block_bytes = (uint32_t)end;
  return entry->parameters[entry->parameter_count - 1].name ? ROWLOCK_OK : rlk_artifact_no_memory(reading->err);
}

/* Room for as many as there are commas before the list ends, and one. */
static rowlock_code_t reserve_parameters(reading_t* reading, rlk_artifact_entry_t* entry) {
  rlk_ptx_scanner_t ahead = reading->scanner;
  size_t count = 1;
  for (rlk_ptx_word_t word = rlk_ptx_next(&ahead); word.length > 0 && !rlk_ptx_is(word, ")");
       word = rlk_ptx_next(&ahead)) {
    count += rlk_ptx_is(word, ",");
  }
  if (count > RLK_ARTIFACT_PARAMETERS_MAX) {
    return rlk_artifact_refuse_limit("parameters of an entry", RLK_ARTIFACT_PARAMETERS_MAX, reading->err);
  }
  entry->parameters = rlk_arena_alloc(reading->arena, count * sizeof *entry->parameters);
  return entry->parameters ? ROWLOCK_OK : rlk_artifact_no_memory(reading->err);
}

static rowlock_code_t read_parameters(reading_t* reading, rlk_artifact_entry_t* entry) {
  rlk_ptx_next(&reading->scanner); /* "(" */
  if (rlk_ptx_is(rlk_ptx_peek(&reading->scanner), ")")) {
    rlk_ptx_next(&reading->scanner);
    return ROWLOCK_OK;
  }
  rowlock_code_t code = reserve_parameters(reading, entry);
  while (!code) {
    code = read_parameter(reading, entry);
    if (code) break;
    const rlk_ptx_word_t word = rlk_ptx_next(&reading->scanner);
    if (rlk_ptx_is(word, ")")) break;
    if (!rlk_ptx_is(word, ",")) code = refuse_word(reading, word, "',' or ')'");
  }
  return code;
}

static uint64_t hash_of(const char* name) {
  uint64_t hash = 0xCBF29CE484222325;
  for (; *name; ++name) hash = (hash ^ (unsigned char)*name) * 0x100000001B3;
  return hash;
}

static bool grow_entries(reading_t* reading) {
  rlk_module_t* module = reading->module;
  const size_t capacity = reading->entry_capacity ? 2 * reading->entry_capacity : 8;
  rlk_artifact_entry_t* entries = rlk_arena_alloc(reading->arena, capacity * sizeof *entries);
  uint64_t* hashes = rlk_arena_alloc(reading->arena, capacity * sizeof *hashes);
  if (!entries || !hashes) return false;
  if (module->entry_count > 0) {
    memcpy(entries, module->entries, module->entry_count * sizeof *entries);
    memcpy(hashes, reading->hashes, module->entry_count * sizeof *hashes);
  }
  module->entries = entries;
  reading->hashes = hashes;
  reading->entry_capacity = capacity;
  return true;
}

/* Of declarations of one name the definition counts, wherever it stands. */
static rowlock_code_t add_entry(reading_t* reading, const rlk_artifact_entry_t* entry, const char* at) {
  rlk_module_t* module = reading->module;
  const uint64_t hash = hash_of(entry->name);
  for (size_t i = 0; i < module->entry_count; ++i) {
    rlk_artifact_entry_t* other = &module->entries[i];
    if (reading->hashes[i] != hash || strcmp(other->name, entry->name) != 0) continue;
    if (other->is_defined && entry->is_defined) return refuse_at(reading, at, "a second entry of this name");
    if (entry->is_defined) *other = *entry;
    return ROWLOCK_OK;
  }
  if (module->entry_count == RLK_ARTIFACT_ENTRIES_MAX) {
    return rlk_artifact_refuse_limit("entries", RLK_ARTIFACT_ENTRIES_MAX, reading->err);
  }
  if (module->entry_count == reading->entry_capacity && !grow_entries(reading)) {
    return rlk_artifact_no_memory(reading->err);
  }
  reading->hashes[module->entry_count] = hash;
  module->entries[module->entry_count++] = *entry;
  return ROWLOCK_OK;
}

static rowlock_code_t read_entry(reading_t* reading) {
  const rlk_ptx_word_t word = rlk_ptx_next(&reading->scanner);
  if (!rlk_ptx_is_name(word)) return refuse_word(reading, word, "an entry's name");
  if (word.length > RLK_ARTIFACT_NAME_MAX) {
    return rlk_artifact_refuse_limit("bytes of an entry's name", RLK_ARTIFACT_NAME_MAX, reading->err);
  }
  rlk_artifact_entry_t entry = {.name = rlk_artifact_copy(reading->arena, word.text, word.length),
                                .has_parameters = true};
  if (!entry.name) return rlk_artifact_no_memory(reading->err);
  rowlock_code_t code = ROWLOCK_OK;
  if (rlk_ptx_is(rlk_ptx_peek(&reading->scanner), "(")) code = read_parameters(reading, &entry);
  if (!code) code = skip_tuning(reading);
  if (!code) code = skip_body(reading, &entry.is_defined);
  return code ? code : add_entry(reading, &entry, word.text);
}

/* --- The layout array --------------------------------------------------------------------------------------------- */

/* Puts the values of `{40, 0, ...}` as elements of that size, the first `kept` bytes of them; what is left out is zero.
 */
static rowlock_code_t read_initialiser(reading_t* reading, uint8_t* bytes, uint64_t kept, uint64_t length,
                                       uint32_t element) {
  rowlock_code_t code = need(reading, "{");
  for (uint64_t at = 0; !code; at += element) {
    uint64_t value;
    code = need_number(reading, "a number", UINT64_MAX, &value);
    if (!code && at + element > length) return refuse_at(reading, reading->scanner.at, "more values than elements");
    if (code) break;
    for (uint32_t i = 0; i < element && at + i < kept; ++i) bytes[at + i] = i < 8 ? (uint8_t)(value >> (8 * i)) : 0;
    const rlk_ptx_word_t word = rlk_ptx_next(&reading->scanner);
    if (rlk_ptx_is(word, "}")) break;
    if (!rlk_ptx_is(word, ",")) code = refuse_word(reading, word, "',' or '}'");
  }
  return code;
}

/* The rest of the array's declaration, from behind its name on. */
static rowlock_code_t read_layout(reading_t* reading, uint32_t element) {
  uint64_t count = 1;
  rowlock_code_t code = ROWLOCK_OK;
  if (rlk_ptx_is(rlk_ptx_peek(&reading->scanner), "[")) {
    rlk_ptx_next(&reading->scanner);
    code = need_number(reading, "a number of elements", UINT32_MAX, &count);
    if (!code) code = need(reading, "]");
  }
  if (code) return code;
  rlk_artifact_layout_t* layout = &reading->module->layout;
  const uint64_t length = count * element, kept = length < RLK_ARTIFACT_LAYOUT_MAX ? length : RLK_ARTIFACT_LAYOUT_MAX;
  if (!reading->is_extern) *layout = (rlk_artifact_layout_t){.is_there = true, .length = length};
  if (rlk_ptx_is(rlk_ptx_peek(&reading->scanner), "=")) {
    rlk_ptx_next(&reading->scanner);
    uint8_t* bytes = rlk_arena_alloc(reading->arena, kept > 0 ? (size_t)kept : 1);
    if (!bytes) return rlk_artifact_no_memory(reading->err);
    memset(bytes, 0, (size_t)kept);
    layout->bytes = bytes;
    code = read_initialiser(reading, bytes, kept, length, element);
  }
  return code ? code : skip_statement(reading);
}

/* .global [.align A] .TYPE NAME ...: of interest only if it is the layout array. */
static rowlock_code_t read_variable(reading_t* reading) {
  uint32_t element = 0;
  rlk_ptx_scanner_t before = reading->scanner;
  for (rlk_ptx_word_t word = rlk_ptx_next(&reading->scanner);; word = rlk_ptx_next(&reading->scanner)) {
    uint64_t number;
    if (rlk_ptx_is_directive(word) || rlk_ptx_to_number(word, &number)) {
      const rlk_ptx_type_t* type = rlk_ptx_find_type(word);
      if (type) element = type->bytes;
    } else if (element > 0 && rlk_ptx_is(word, RLK_LAYOUT_SYMBOL)) {
      return read_layout(reading, element);
    } else {
      reading->scanner = before;
      return skip_statement(reading);
    }
  }
}

/* --- The module --------------------------------------------------------------------------------------------------- */

static rowlock_code_t read_file_line(reading_t* reading) {
  rlk_ptx_next(&reading->scanner); /* the number */
  rlk_ptx_next(&reading->scanner); /* the name; a time stamp and a size may follow */
  while (rlk_ptx_is(rlk_ptx_peek(&reading->scanner), ",")) {
    rlk_ptx_next(&reading->scanner);
    rlk_ptx_next(&reading->scanner);
  }
  return ROWLOCK_OK;
}

/* .section NAME { ... }: debugging information, and nothing behind it. */
static rowlock_code_t skip_section(reading_t* reading) {
  for (;;) {
    const rlk_ptx_word_t word = rlk_ptx_next(&reading->scanner);
    if (word.length == 0) return refuse_word(reading, word, "'{'");
    if (!rlk_ptx_is(word, "{")) continue;
    return rlk_ptx_skip_block(&reading->scanner) ? ROWLOCK_OK
                                                 : refuse_at(reading, word.text, "a '{' that nothing closes");
  }
}

/* @@DWARF ...: a line of debugging information, as old toolkits write it. */
static rowlock_code_t skip_debug_line(reading_t* reading) {
  rlk_ptx_word_t word = rlk_ptx_next(&reading->scanner);
  if (rlk_ptx_is(word, "@")) {
    word = rlk_ptx_next(&reading->scanner);
    if (rlk_ptx_is(word, "DWARF")) {
      rlk_ptx_skip_line(&reading->scanner);
      return ROWLOCK_OK;
    }
  }
  return refuse_word(reading, word, "'@@DWARF'");
}

static rowlock_code_t nothing(reading_t* reading) {
  (void)reading;
  return ROWLOCK_OK;
}

static rowlock_code_t note_extern(reading_t* reading) {
  reading->is_extern = true;
  return ROWLOCK_OK;
}

static const struct {
  const char* directive;
  rowlock_code_t (*read)(reading_t*);
} directives[] = {
    {".version", read_version}, {".target", read_target}, {".address_size", read_address_size},
    {".entry", read_entry},     {".func", skip_function}, {".global", read_variable},
    {".const", read_variable},  {".visible", nothing},    {".extern", note_extern},
    {".weak", nothing},         {".common", nothing},     {".file", read_file_line},
    {".section", skip_section}, {"@", skip_debug_line},
};

static rowlock_code_t read_directive(reading_t* reading, rlk_ptx_word_t word) {
  for (size_t i = 0; i < sizeof directives / sizeof *directives; ++i) {
    if (!rlk_ptx_is(word, directives[i].directive)) continue;
    const rowlock_code_t code = directives[i].read(reading);
    if (directives[i].read != note_extern) reading->is_extern = false;
    return code;
  }
  if (rlk_ptx_is(word, ";")) return ROWLOCK_OK;
  return rlk_ptx_is_directive(word) ? skip_statement(reading) : refuse_word(reading, word, "a directive");
}

static rowlock_code_t check_whole(reading_t* reading) {
  const char* end = reading->text + reading->length;
  if (reading->scanner.is_open) return refuse_at(reading, end, "it ends in a comment or a string");
  if (!reading->has_version) return refuse_at(reading, end, "it ends and names no .version");
  if (!reading->has_target) return refuse_at(reading, end, "it ends and names no .target");
  if (!reading->has_address_size) { /* 32 bits is what is meant where none is said */
    return rlk_refuse(reading->err, RLK_RULE_ARTIFACT_PTX_ADDRESS_SIZE, RLK_SLOTS(rlk_slot_integer("value", 32)));
  }
  return ROWLOCK_OK;
}

rowlock_code_t rlk_ptx_read(const char* text, size_t length, rlk_arena_t* arena, rlk_module_t* module,
                            rowlock_error_t* err) {
  /* Some producers write the NUL that drivers want, and fatbins pad with it. */
  while (length > 0 && text[length - 1] == '\0') --length;
  const char* nul = memchr(text, '\0', length);
  if (nul) {
    return rlk_refuse(err, RLK_RULE_ARTIFACT_PTX_NUL,
                      RLK_SLOTS(rlk_slot_integer("offset", nul - text), rlk_slot_integer("length", (int64_t)length)));
  }
  reading_t reading = {.scanner = {.at = text, .end = text + length},
                       .text = text,
                       .length = length,
                       .arena = arena,
                       .module = module,
                       .err = err};
  for (;;) {
    const rlk_ptx_word_t word = rlk_ptx_next(&reading.scanner);
    if (word.length == 0) break;
    const rowlock_code_t code = read_directive(&reading, word);
    if (code) return code;
  }
  const rowlock_code_t code = check_whole(&reading);
  return code ? code : rlk_module_index(module, arena, err);
}
