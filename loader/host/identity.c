#include "loader/host/identity.h"

#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "loader/host/container.h"

#if !defined(__x86_64__)
#error "the plugin format is specified for x86-64 hosts"
#endif
static const uint16_t this_machine = EM_X86_64;

rowlock_code_t rlk_refuse_malformed(rowlock_error_t* err, const char* format, ...) {
  char problem[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(problem, sizeof problem, format, arguments);
  va_end(arguments);
  return rlk_refuse(err, RLK_RULE_HOST_MALFORMED, RLK_SLOTS(rlk_slot_prose("problem", problem)));
}

rowlock_code_t rlk_require_bytes(size_t length, const char* part, uint64_t offset, uint64_t size,
                                 rowlock_error_t* err) {
  if (offset <= length && size <= length - offset) return ROWLOCK_OK;
  char end[32] = "2^64 and beyond";
  if (size <= UINT64_MAX - offset) snprintf(end, sizeof end, "%" PRIu64, offset + size);
  return rlk_refuse(err, RLK_RULE_HOST_CUT_SHORT,
                    RLK_SLOTS(rlk_slot_prose("part", part), rlk_slot_prose("expected", end),
                              rlk_slot_integer("length", (int64_t)length)));
}

static rowlock_code_t refuse_other_kind(rlk_container_t container, const char* bytes, size_t length,
                                        rowlock_error_t* err) {
  const rlk_slot_t kind = rlk_slot_prose("kind", rlk_container_name(container));
  switch (container) {
    case RLK_CONTAINER_EMPTY:
      return rlk_refuse(err, RLK_RULE_HOST_FILE_EMPTY, NULL, 0);
    case RLK_CONTAINER_LFS_POINTER:
      return rlk_refuse(err, RLK_RULE_HOST_LFS_POINTER, NULL, 0);
    case RLK_CONTAINER_PATH_TEXT: {
      while (length > 0 && strchr(" \t\r\n", bytes[length - 1])) --length; /* a NUL counts as one too */
      return rlk_refuse(err, RLK_RULE_HOST_PATH_TEXT, RLK_SLOTS(rlk_slot_quoted("value", bytes, length)));
    }
    case RLK_CONTAINER_PTX:
    case RLK_CONTAINER_FATBIN:
    case RLK_CONTAINER_FATBIN_WRAPPED:
      return rlk_refuse(err, RLK_RULE_HOST_DEVICE_CODE, RLK_SLOTS(kind));
    default:
      return rlk_refuse(err, RLK_RULE_HOST_NOT_ELF, RLK_SLOTS(kind));
  }
}

static const char* machine_name(uint16_t machine) {
  static const struct {
    uint16_t machine;
    const char* name;
  } names[] = {
      {EM_X86_64, "x86-64"},   {EM_386, "x86 (32-bit)"}, {EM_AARCH64, "AArch64"},   {EM_ARM, "ARM (32-bit)"},
      {EM_PPC64, "PowerPC64"}, {EM_RISCV, "RISC-V"},     {EM_S390, "s390"},         {EM_LOONGARCH, "LoongArch"},
      {EM_MIPS, "MIPS"},       {EM_BPF, "BPF"},          {EM_AMDGPU, "an AMD GPU"},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (names[i].machine == machine) return names[i].name;
  }
  return NULL;
}

static rowlock_code_t refuse_machine(uint16_t machine, const char* order, rowlock_error_t* err) {
  char value[64];
  const char* name = machine_name(machine);
  if (name) {
    snprintf(value, sizeof value, "%s%s", name, order);
  } else {
    snprintf(value, sizeof value, "ELF machine %u%s", machine, order);
  }
  return rlk_refuse(err, RLK_RULE_HOST_OTHER_MACHINE,
                    RLK_SLOTS(rlk_slot_prose("value", value), rlk_slot_prose("expected", machine_name(this_machine))));
}

rowlock_code_t rlk_refuse_not_shared(const char* kind, rowlock_error_t* err) {
  return rlk_refuse(err, RLK_RULE_HOST_NOT_SHARED, RLK_SLOTS(rlk_slot_prose("kind", kind)));
}

static rowlock_code_t check_header(const Elf64_Ehdr* header, rowlock_error_t* err) {
  if (header->e_ident[EI_CLASS] == ELFCLASS32) return rlk_refuse(err, RLK_RULE_HOST_CLASS_32, NULL, 0);
  if (header->e_ident[EI_CLASS] != ELFCLASS64)
    return rlk_refuse_malformed(err, "ELF class %u", header->e_ident[EI_CLASS]);
  if (header->e_ident[EI_DATA] == ELFDATA2MSB) {
    return refuse_machine(__builtin_bswap16(header->e_machine), ", big-endian", err);
  }
  if (header->e_ident[EI_DATA] != ELFDATA2LSB)
    return rlk_refuse_malformed(err, "byte order %u", header->e_ident[EI_DATA]);
  if (header->e_machine == EM_CUDA) {
    return rlk_refuse(err, RLK_RULE_HOST_DEVICE_CODE, RLK_SLOTS(rlk_slot_prose("kind", "a cubin")));
  }
  if (header->e_machine != this_machine) return refuse_machine(header->e_machine, "", err);
  if (header->e_ident[EI_VERSION] != EV_CURRENT || header->e_version != EV_CURRENT) {
    return rlk_refuse_malformed(err, "ELF version %u", header->e_version);
  }
  switch (header->e_type) {
    case ET_DYN:
      return ROWLOCK_OK;
    case ET_REL:
      return rlk_refuse_not_shared("an object file (.o)", err);
    case ET_EXEC:
      return rlk_refuse_not_shared("a program", err);
    case ET_CORE:
      return rlk_refuse_not_shared("a core dump", err);
    default:
      return rlk_refuse_malformed(err, "ELF type %u", header->e_type);
  }
}

rowlock_code_t rlk_identity_check(const void* bytes, size_t length, rowlock_error_t* err) {
  const rlk_container_t container = rlk_container_of(bytes, length);
  if (container != RLK_CONTAINER_ELF) return refuse_other_kind(container, bytes, length, err);
  Elf64_Ehdr header;
  const rowlock_code_t code = rlk_require_bytes(length, "the ELF header", 0, sizeof header, err);
  if (code) return code;
  memcpy(&header, bytes, sizeof header);
  return check_header(&header, err);
}
