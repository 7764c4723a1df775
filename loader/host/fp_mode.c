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

rlk_fp_mode_t rlk_fp_mode_save(void) { return (rlk_fp_mode_t){.mxcsr = get_mxcsr(), .x87_control = get_x87_control()}; }

void rlk_fp_mode_restore(const rlk_fp_mode_t* mode) {
  const uint32_t status_flags = 0x003F;
  const uint32_t mxcsr = (mode->mxcsr & ~status_flags) | (get_mxcsr() & status_flags);
  __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
  if (get_x87_control() == mode->x87_control) return;
  /* A flagged exception that the restored word does not mask would trap at the next x87 instruction. */
  __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(mode->x87_control) : "memory");
}

uint32_t rlk_fp_mode_compare(const rlk_fp_mode_t* a, const rlk_fp_mode_t* b) {
  uint32_t parts = 0;
#define RLK_FP_PART(ID, register_, bits, name) parts |= ((a->register_ ^ b->register_) & (bits)) ? RLK_FP_##ID : 0;
  RLK_FP_PARTS(RLK_FP_PART)
#undef RLK_FP_PART
  return parts;
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
