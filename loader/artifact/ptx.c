/* PTX: version, target and address size, the parameters of each entry, and the layout array. Bodies are skipped. */
#include <string.h>

#include "loader/artifact/ptx_entries.h"
#include "loader/artifact/ptx_words.h"
#include "loader/artifact/readers.h"
#include "loader/host/layout.h"
#include "validator/rules/findings.h"
#include "validator/rules/text.h"
#include "validator/wire/document.h"

enum {
  TARGET_OPTIONS_MAX = 16,
  ALIGNMENT_MAX = 1 << 16,
  SIZE_MAX_BYTES = 1 << 20,
  VARIABLE_WORDS_MAX = 16, /* before a variable's name */
};

typedef struct reading_t {
  rlk_ptx_scanner_t scanner;
  const char* text;
  size_t length;
  rlk_store_t* store;
  rlk_module_t* module;
  rowlock_error_t* err;
  rlk_ptx_entries_t entries;
  bool has_version, has_target, has_address_size;
  bool has_linkage, is_extern; /* of the next declaration: extern, it is defined elsewhere */
  uint64_t layout_bytes;       /* that the layout array has by an earlier declaration; 0: none says */
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
  const char* open;
  if (rlk_ptx_skip_statement(&reading->scanner, &open)) return ROWLOCK_OK;
  return open ? refuse_at(reading, open, "a '{' that nothing closes")
              : refuse_word(reading, (rlk_ptx_word_t){.text = reading->scanner.at}, "';'");
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
    const rlk_ptx_scanner_t before = reading->scanner;
    const rlk_ptx_word_t word = rlk_ptx_next(&reading->scanner);
    uint64_t number;
    const bool is_value =
        rlk_ptx_is(word, ",") || rlk_ptx_to_number(word, &number) || (word.length > 0 && word.text[0] == '"');
    if (!is_value && !rlk_ptx_is_directive(word)) {
      reading->scanner = before;
      return ROWLOCK_OK;
    }
    if (rlk_ptx_starts_declaration(word)) return refuse_word(reading, word, "a body or ';'");
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
    const rlk_ptx_scanner_t before = reading->scanner;
    const rlk_ptx_word_t word = rlk_ptx_next(&reading->scanner);
    if (word.length == 0 || rlk_ptx_starts_declaration(word)) return refuse_word(reading, word, "a body or ';'");
    bool has_body;
    if (rlk_ptx_is(word, ";") || rlk_ptx_is(word, "{")) {
      reading->scanner = before;
      return skip_body(reading, &has_body);
    }
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
    const rlk_ptx_type_t* found = type ? NULL : rlk_ptx_find_type(word);
    if (rlk_ptx_is(word, ".align")) {
      is_aligned |= !type;
      code = need_number(reading, "an alignment", ALIGNMENT_MAX, type ? &ignored : &alignment);
    } else if (found) {
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
    code = need_number(reading, "a size in bytes", SIZE_MAX_BYTES, &count);
    if (!code) code = need(reading, "]");
    if (code) return code;
    if (count == 0) return refuse_at(reading, name.text, "a parameter without a byte");
  }
  if (!is_aligned) alignment = type->bytes;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0)
    return refuse_at(reading, name.text, "an alignment that is no power of two");
  code = rlk_store_take(reading->store, RLK_ALLOWANCE_NAME_BYTES, name.length + 1, reading->err);
  if (code) return code;
  const uint32_t mask = (uint32_t)alignment - 1;
  const uint32_t offset = (entry->block_bytes + mask) & ~mask;
  const uint64_t end = offset + type->bytes * count;
  if (end > SIZE_MAX_BYTES) return rlk_artifact_refuse_limit("bytes of parameters", SIZE_MAX_BYTES, reading->err);
  entry->parameters[entry->parameter_count++] =
      (rlk_artifact_parameter_t){.name = rlk_artifact_copy(reading->store->arena, name.text, name.length),
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
  const rowlock_code_t code = rlk_store_take(reading->store, RLK_ALLOWANCE_PARAMETERS, count, reading->err);
  if (code) return code;
  entry->parameters = rlk_arena_alloc(reading->store->arena, count * sizeof *entry->parameters);
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

static rowlock_code_t add_entry(reading_t* reading, const rlk_artifact_entry_t* entry, const char* at) {
  switch (rlk_ptx_add_entry(&reading->entries, reading->store->arena, reading->module, entry)) {
    case RLK_PTX_DEFINED_TWICE:
      return refuse_at(reading, at, "a second entry of this name");
    case RLK_PTX_TOO_MANY:
      return rlk_artifact_refuse_limit("entries", RLK_ARTIFACT_ENTRIES_MAX, reading->err);
    case RLK_PTX_NO_MEMORY:
      return rlk_artifact_no_memory(reading->err);
    case RLK_PTX_ADDED:
      break;
  }
  return ROWLOCK_OK;
}

static rowlock_code_t read_entry(reading_t* reading) {
  const rlk_ptx_word_t word = rlk_ptx_next(&reading->scanner);
  if (!rlk_ptx_is_name(word)) return refuse_word(reading, word, "an entry's name");
  if (word.length > RLK_ARTIFACT_NAME_MAX) {
    return rlk_artifact_refuse_limit("bytes of an entry's name", RLK_ARTIFACT_NAME_MAX, reading->err);
  }
  rowlock_code_t code = rlk_store_take(reading->store, RLK_ALLOWANCE_ENTRIES, 1, reading->err);
  if (!code) code = rlk_store_take(reading->store, RLK_ALLOWANCE_NAME_BYTES, word.length + 1, reading->err);
  if (code) return code;
  rlk_artifact_entry_t entry = {.name = rlk_artifact_copy(reading->store->arena, word.text, word.length),
                                .has_parameters = true};
  if (!entry.name) return rlk_artifact_no_memory(reading->err);
  if (rlk_ptx_is(rlk_ptx_peek(&reading->scanner), "(")) code = read_parameters(reading, &entry);
  if (!code) code = skip_tuning(reading);
  if (!code) code = skip_body(reading, &entry.is_defined);
  if (!code && reading->is_extern && entry.is_defined) {
    code = refuse_at(reading, word.text, "an external entry has a body");
  }
  return code ? code : add_entry(reading, &entry, word.text);
}

/* --- The layout array --------------------------------------------------------------------------------------------- */

/* Puts the values of `{40, 0, ...}` as elements of that size, the first `kept` bytes of them; what is left out is zero.
 * Behind those, values of a larger array are skipped. */
static rowlock_code_t read_initialiser(reading_t* reading, uint8_t* bytes, uint64_t kept, uint64_t length,
                                       uint32_t element) {
  rowlock_code_t code = need(reading, "{");
  for (uint64_t at = 0; !code; at += element) {
    if (at >= kept && kept < length) {
      return rlk_ptx_skip_block(&reading->scanner)
                 ? ROWLOCK_OK
                 : refuse_at(reading, reading->scanner.at, "it ends within an initialiser");
    }
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

/* `[5]`; without it, one. Elsewhere an array is defined whose declaration may leave its number out: 0 then. */
static rowlock_code_t read_element_count(reading_t* reading, uint64_t* out_count) {
  *out_count = 1;
  if (!rlk_ptx_is(rlk_ptx_peek(&reading->scanner), "[")) return ROWLOCK_OK;
  rlk_ptx_next(&reading->scanner);
  *out_count = 0;
  rowlock_code_t code = ROWLOCK_OK;
  if (!reading->is_extern || !rlk_ptx_is(rlk_ptx_peek(&reading->scanner), "]")) {
    code = need_number(reading, "a number of elements", UINT32_MAX, out_count);
  }
  return code ? code : need(reading, "]");
}

/* As the driver's compiler has it: one definition, external declarations of its size beside it. */
static rowlock_code_t check_layout(reading_t* reading, const char* at, uint64_t length) {
  if (!reading->is_extern && reading->module->layout.is_there) {
    return refuse_at(reading, at, "a second definition of the layout array");
  }
  if (length > 0 && reading->layout_bytes > 0 && length != reading->layout_bytes) {
    return refuse_at(reading, at, "the layout array is declared with another size before");
  }
  if (length > 0) reading->layout_bytes = length;
  return ROWLOCK_OK;
}

static rowlock_code_t read_layout_values(reading_t* reading, uint64_t length, uint32_t element) {
  const uint64_t kept = length < RLK_ARTIFACT_LAYOUT_MAX ? length : RLK_ARTIFACT_LAYOUT_MAX;
  uint8_t* bytes = rlk_arena_alloc(reading->store->arena, kept > 0 ? (size_t)kept : 1);
  if (!bytes) return rlk_artifact_no_memory(reading->err);
  memset(bytes, 0, (size_t)kept);
  reading->module->layout.bytes = bytes;
  return read_initialiser(reading, bytes, kept, length, element);
}

/* The rest of the array's declaration, from behind its name on. */
static rowlock_code_t read_layout(reading_t* reading, const char* at, uint32_t element) {
  uint64_t count;
  rowlock_code_t code = read_element_count(reading, &count);
  const uint64_t length = code ? 0 : count * element;
  if (!code) code = check_layout(reading, at, length);
  if (code) return code;
  const bool has_values = rlk_ptx_is(rlk_ptx_peek(&reading->scanner), "=");
  if (reading->is_extern) {
    return has_values ? refuse_at(reading, at, "an external variable has an initial value") : skip_statement(reading);
  }
  reading->module->layout = (rlk_artifact_layout_t){.is_there = true, .length = length};
  if (has_values) {
    rlk_ptx_next(&reading->scanner);
    code = read_layout_values(reading, length, element);
  }
  return code ? code : skip_statement(reading);
}

/* .global [.align A] .TYPE NAME ...: of interest only if it is the layout array. */
static rowlock_code_t read_variable(reading_t* reading) {
  uint32_t element = 0;
  rlk_ptx_scanner_t before = reading->scanner;
  for (int i = 0; i < VARIABLE_WORDS_MAX; ++i) {
    const rlk_ptx_word_t word = rlk_ptx_next(&reading->scanner);
    uint64_t number;
    if (rlk_ptx_is_directive(word) || rlk_ptx_to_number(word, &number)) {
      const rlk_ptx_type_t* type = rlk_ptx_find_type(word);
      if (type) element = type->bytes;
    } else if (element > 0 && rlk_ptx_is(word, RLK_LAYOUT_SYMBOL)) {
      return read_layout(reading, word.text, element);
    } else {
      break;
    }
  }
  reading->scanner = before;
  return skip_statement(reading);
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

static rowlock_code_t note_linkage(reading_t* reading) {
  reading->has_linkage = true;
  return ROWLOCK_OK;
}

static rowlock_code_t note_extern(reading_t* reading) {
  reading->is_extern = true;
  return note_linkage(reading);
}

static const struct {
  const char* directive;
  rowlock_code_t (*read)(reading_t*);
} directives[] = {
    {".version", read_version}, {".target", read_target},   {".address_size", read_address_size},
    {".entry", read_entry},     {".func", skip_function},   {".global", read_variable},
    {".const", read_variable},  {".visible", note_linkage}, {".extern", note_extern},
    {".weak", note_linkage},    {".common", note_linkage},  {".file", read_file_line},
    {".section", skip_section}, {"@", skip_debug_line},
};

static rowlock_code_t read_directive(reading_t* reading, rlk_ptx_word_t word) {
  rowlock_code_t (*read)(reading_t*) = skip_statement;
  rowlock_code_t code = rlk_store_take(reading->store, RLK_ALLOWANCE_DECLARATIONS, 1, reading->err);
  for (size_t i = 0; i < sizeof directives / sizeof *directives; ++i) {
    if (rlk_ptx_is(word, directives[i].directive)) read = directives[i].read;
  }
  if (code) return code;
  if (read == skip_statement && !rlk_ptx_is_directive(word)) return refuse_word(reading, word, "a directive");
  const bool is_linkage = read == note_linkage || read == note_extern;
  if (is_linkage && reading->has_linkage) return refuse_at(reading, word.text, "a second linkage of one declaration");
  code = read(reading);
  if (!is_linkage) reading->has_linkage = reading->is_extern = false;
  return code;
}

static rowlock_code_t check_whole(reading_t* reading) {
  const char* end = reading->text + reading->length;
  if (reading->scanner.is_open) return refuse_at(reading, end, "it ends in a comment or a string");
  if (reading->has_linkage) return refuse_at(reading, end, "it ends where a declaration is due");
  if (!reading->has_version) return refuse_at(reading, end, "it ends and names no .version");
  if (!reading->has_target) return refuse_at(reading, end, "it ends and names no .target");
  if (!reading->has_address_size) { /* 32 bits is what is meant where none is said */
    return rlk_refuse(reading->err, RLK_RULE_ARTIFACT_PTX_ADDRESS_SIZE, RLK_SLOTS(rlk_slot_integer("value", 32)));
  }
  return ROWLOCK_OK;
}

rowlock_code_t rlk_ptx_read(const char* text, size_t length, rlk_store_t* store, rlk_module_t* module,
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
                       .store = store,
                       .module = module,
                       .err = err};
  for (;;) {
    const rlk_ptx_word_t word = rlk_ptx_next(&reading.scanner);
    if (word.length == 0) break;
    const rowlock_code_t code = read_directive(&reading, word);
    if (code) return code;
  }
  const rowlock_code_t code = check_whole(&reading);
  return code ? code : rlk_module_index(module, store->arena, err);
}
