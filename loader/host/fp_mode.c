#include "loader/host/fp_mode.h"

#if !defined(__x86_64__)
#error "the plugin format is specified for x86-64 hosts"
#endif

/* The memory clobbers keep the compiler from moving loads and stores, and so most of arithmetic, past a change. */

static uint32_t get_mxcsr(void) {
  uint32_t value;
  __asm__ volatile("stmxcsr %0" : "=m"(value) : : "memory");
  return value;
}

static uint16_t get_x87_control(void) {
  uint16_t value;
  __asm__ volatile("fnstcw %0" : "=m"(value) : : "memory");
  return value;
}

/* As fnstenv stores it. */
typedef struct x87_environment_t {
  uint16_t control, unused_1, status, unused_2, tags, unused_3;
  uint32_t pointers[4];
} x87_environment_t;

/* Storing masks what traps; the rest of the unit stays as it is, and so the control word is all that goes back. */
static x87_environment_t get_x87_environment(void) {
  const uint16_t masks = 0x003F;
  x87_environment_t environment;
  __asm__ volatile("fnstenv %0" : "=m"(environment) : : "memory");
  if ((environment.control & masks) != masks) {
    __asm__ volatile("fldcw %0" : : "m"(environment.control) : "memory");
  }
  return environment;
}

rlk_fp_mode_t rlk_fp_mode_save(void) {
  const uint16_t all_empty = 0xFFFF;
  const x87_environment_t x87 = get_x87_environment();
  return (rlk_fp_mode_t){
      .mxcsr = get_mxcsr(), .x87_control = x87.control, .x87_in_use = (uint16_t)(x87.tags != all_empty)};
}

void rlk_fp_mode_restore(const rlk_fp_mode_t* mode) {
  const uint32_t status_flags = 0x003F;
  const uint32_t mxcsr = (mode->mxcsr & ~status_flags) | (get_mxcsr() & status_flags);
  __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
  if (!mode->x87_in_use) __asm__ volatile("emms" : : : "memory");
  if (get_x87_control() == mode->x87_control) return;
  /* A flagged exception that the restored word does not mask would trap at the next x87 instruction. */
  __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(mode->x87_control) : "memory");
}

uint32_t rlk_fp_mode_compare(const rlk_fp_mode_t* a, const rlk_fp_mode_t* b) {
  uint32_t parts = 0;
#define RLK_FP_PART(ID, register_, bits, name) parts |= ((a->register_ ^ b->register_) & (bits)) ? RLK_FP_##ID : 0;
  RLK_FP_PARTS(RLK_FP_PART)
#undef RLK_FP_PART
  return a->x87_in_use ? parts & ~(uint32_t)RLK_FP_X87_REGISTERS : parts; /* to empty them is no harm */
}

void rlk_fp_mode_put_parts(rlk_text_t* text, uint32_t parts) {
  const char* separator = "";
#define RLK_FP_PART(ID, register_, bits, name)      \
  if (parts & RLK_FP_##ID) {                        \
    rlk_text_printf(text, "%s%s", separator, name); \
    separator = ", ";                               \
  }
  RLK_FP_PARTS(RLK_FP_PART)
#undef RLK_FP_PART
}
