/* The calling thread's floating-point mode: how results are rounded, what becomes of denormals, what traps,
 * and whether the x87 registers are free for long double, which MMX code without emms leaves occupied. Foreign code may
 * change it and must give it back: the mode is saved before it is entered, compared after, and restored. */
#ifndef ROWLOCK_LOADER_HOST_FP_MODE_H
#define ROWLOCK_LOADER_HOST_FP_MODE_H

#include "validator/rules/text.h"

typedef struct rlk_fp_mode_t {
  uint32_t mxcsr;       /* with its status flags, which are no part of the mode */
  uint16_t x87_control; /* of long double */
  uint16_t x87_in_use;  /* 1: a register of its stack is not empty */
} rlk_fp_mode_t;

/* RLK_FP_PART(ID, register, bits, name): the parts of a mode, as messages call them. */
#define RLK_FP_PARTS(RLK_FP_PART)                                      \
  RLK_FP_PART(FLUSH_TO_ZERO, mxcsr, 0x8000, "flush-to-zero")           \
  RLK_FP_PART(DENORMALS_ARE_ZERO, mxcsr, 0x0040, "denormals-are-zero") \
  RLK_FP_PART(ROUNDING, mxcsr, 0x6000, "rounding")                     \
  RLK_FP_PART(TRAPS, mxcsr, 0x1F80, "traps")                           \
  RLK_FP_PART(X87_PRECISION, x87_control, 0x0300, "x87 precision")     \
  RLK_FP_PART(X87_ROUNDING, x87_control, 0x0C00, "x87 rounding")       \
  RLK_FP_PART(X87_TRAPS, x87_control, 0x003F, "x87 traps")             \
  RLK_FP_PART(X87_REGISTERS, x87_in_use, 1, "the x87 registers are in use")

/* RLK_FP_FLUSH_TO_ZERO and so on: a bit each. */
enum {
#define RLK_FP_PART(ID, register_, bits, name) RLK_FP_INDEX_##ID,
  RLK_FP_PARTS(RLK_FP_PART)
#undef RLK_FP_PART
#define RLK_FP_PART(ID, register_, bits, name) RLK_FP_##ID = 1 << RLK_FP_INDEX_##ID,
      RLK_FP_PARTS(RLK_FP_PART)
#undef RLK_FP_PART
};

rlk_fp_mode_t rlk_fp_mode_save(void);

/* Exceptions that are flagged stay flagged; none of them traps now. x87 registers that were empty are emptied; what one
 * held is not brought back. */
void rlk_fp_mode_restore(const rlk_fp_mode_t* mode);

/* The parts in which `b` differs from `a`, which was before it, a bit each; 0 if the modes are the same. */
uint32_t rlk_fp_mode_compare(const rlk_fp_mode_t* a, const rlk_fp_mode_t* b);

/* Puts the parts' names: "flush-to-zero, rounding". */
void rlk_fp_mode_put_parts(rlk_text_t* text, uint32_t parts);

#endif
