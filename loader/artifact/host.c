/* Host shared objects: the functions that others can call, and the layout array. What parameters a function takes is
 * nowhere in the file. */
#include "loader/artifact/readers.h"
#include "loader/host/elf.h"
#include "loader/host/layout.h"
#include "validator/rules/findings.h"

static rowlock_code_t take_functions(const rlk_elf_t* elf, rlk_arena_t* arena, rlk_module_t* module,
                                     rowlock_error_t* err) {
  rlk_elf_symbol_t symbol;
  size_t count = 0;
  for (size_t cursor = 0; rlk_elf_next_symbol(elf, &cursor, &symbol);) {
    count += symbol.kind == RLK_ELF_FUNCTION;
    if (count > RLK_ARTIFACT_ENTRIES_MAX) {
      return rlk_artifact_refuse_limit("entries", RLK_ARTIFACT_ENTRIES_MAX, err);
    }
  }
  module->entries = rlk_arena_alloc(arena, (count + 1) * sizeof *module->entries);
  if (!module->entries) return rlk_artifact_no_memory(err);
  for (size_t cursor = 0; rlk_elf_next_symbol(elf, &cursor, &symbol);) {
    if (symbol.kind != RLK_ELF_FUNCTION) continue;
    const char* name;
    const rowlock_code_t code = rlk_artifact_copy_name(arena, symbol.name, &name, err);
    if (code) return code;
    module->entries[module->entry_count++] = (rlk_artifact_entry_t){.name = name, .is_defined = true};
  }
  return rlk_module_index(module, arena, err);
}

static rowlock_code_t take_layout(const rlk_elf_t* elf, rlk_arena_t* arena, rlk_module_t* module,
                                  rowlock_error_t* err) {
  const rlk_elf_symbol_t symbol = rlk_elf_symbol(elf, RLK_LAYOUT_SYMBOL);
  if (symbol.kind != RLK_ELF_DATA) return ROWLOCK_OK;
  const bool taken = rlk_artifact_take_layout(arena, symbol.content, symbol.size, &module->layout);
  return taken ? ROWLOCK_OK : rlk_artifact_no_memory(err);
}

rowlock_code_t rlk_host_read(const uint8_t* bytes, size_t length, rlk_arena_t* arena, rlk_module_t* module,
                             rowlock_error_t* err) {
  rlk_elf_t* elf;
  rowlock_code_t code = rlk_elf_read(bytes, length, &elf, err);
  if (code) return code;
  code = take_functions(elf, arena, module, err);
  if (!code) code = take_layout(elf, arena, module, err);
  rlk_elf_close(elf);
  return code;
}
