#include "loader/host/fp_mode.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fenv.h>
#include <stddef.h>

/* Each part's bits, to be changed one at a time. */
static const struct {
  uint32_t part, mxcsr;
  uint16_t x87;
} parts[] = {
    {RLK_FP_FLUSH_TO_ZERO, 0x8000, 0}, {RLK_FP_DENORMALS_ARE_ZERO, 0x0040, 0},
    {RLK_FP_ROUNDING, 0x2000, 0},      {RLK_FP_ROUNDING, 0x4000, 0},
    {RLK_FP_TRAPS, 0x0200, 0},         {RLK_FP_TRAPS, 0x1000, 0},
    {RLK_FP_X87_PRECISION, 0, 0x0100}, {RLK_FP_X87_ROUNDING, 0, 0x0400},
    {RLK_FP_X87_ROUNDING, 0, 0x0800},  {RLK_FP_X87_TRAPS, 0, 0x0004},
    {RLK_FP_X87_TRAPS, 0, 0x0001},
};

static void set(uint32_t mxcsr, uint16_t x87) {
  __asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr), "m"(x87) : "memory");
}

Test(fp_mode, is_the_same_when_nothing_changed) {
  const rlk_fp_mode_t a = rlk_fp_mode_save(), b = rlk_fp_mode_save();
  cr_expect(zero(u32, rlk_fp_mode_compare(&a, &b)));
}

Test(fp_mode, shows_each_part_that_changed_and_no_other) {
  const rlk_fp_mode_t before = rlk_fp_mode_save();
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    set(before.mxcsr ^ parts[i].mxcsr, before.x87_control ^ parts[i].x87);
    const rlk_fp_mode_t after = rlk_fp_mode_save();
    rlk_fp_mode_restore(&before);
    cr_expect(eq(u32, rlk_fp_mode_compare(&before, &after), parts[i].part), "%zu", i);
    const rlk_fp_mode_t restored = rlk_fp_mode_save();
    cr_expect(zero(u32, rlk_fp_mode_compare(&before, &restored)), "%zu", i);
    cr_expect(eq(u16, restored.x87_control, before.x87_control), "%zu", i);
  }
}

Test(fp_mode, restored_gives_denormals_back) {
  volatile double tiny = 2.2250738585072014e-308;
  const rlk_fp_mode_t before = rlk_fp_mode_save();
  set(before.mxcsr | 0x8000, before.x87_control);
  volatile double flushed = tiny / 4;
  rlk_fp_mode_restore(&before);
  volatile double kept = tiny / 4;
  cr_expect(eq(dbl, flushed, 0.0));
  cr_expect(gt(dbl, kept, 0.0));
}

Test(fp_mode, does_not_take_a_flagged_exception_for_a_change) {
  cr_assert(zero(i32, feclearexcept(FE_ALL_EXCEPT)));
  const rlk_fp_mode_t before = rlk_fp_mode_save();
  cr_assert(zero(i32, feraiseexcept(FE_INEXACT | FE_DIVBYZERO)));
  const rlk_fp_mode_t after = rlk_fp_mode_save();
  cr_expect(zero(u32, rlk_fp_mode_compare(&before, &after)));
  cr_expect(ne(u32, before.mxcsr, after.mxcsr));
}

Test(fp_mode, restored_keeps_the_flags_and_does_not_trap_on_them) {
  const rlk_fp_mode_t masked = rlk_fp_mode_save();
  set(masked.mxcsr & ~UINT32_C(0x0200), masked.x87_control & (uint16_t)~0x0004); /* division by zero traps */
  const rlk_fp_mode_t trapping = rlk_fp_mode_save();
  set(masked.mxcsr, masked.x87_control);
  volatile long double zero_x87 = 0;
  volatile double zero_sse = 0;
  volatile long double x87 = 1 / zero_x87;
  volatile double sse = 1 / zero_sse;
  rlk_fp_mode_restore(&trapping);
  volatile long double after = 1.0L + 1.0L; /* would end the process here */
  rlk_fp_mode_restore(&masked);
  cr_expect(x87 > 1 && sse > 1 && after == 2);
  cr_expect(ne(i32, fetestexcept(FE_DIVBYZERO), 0));
}

Test(fp_mode, parts_are_named_in_one_list) {
  char buffer[256];
  rlk_text_t text = rlk_text_over(buffer, sizeof buffer);
  rlk_fp_mode_put_parts(&text, RLK_FP_FLUSH_TO_ZERO);
  cr_expect(eq(str, buffer, (char*)"flush-to-zero"));
  text = rlk_text_over(buffer, sizeof buffer);
  rlk_fp_mode_put_parts(&text, RLK_FP_X87_ROUNDING | RLK_FP_ROUNDING | RLK_FP_DENORMALS_ARE_ZERO);
  cr_expect(eq(str, buffer, (char*)"denormals-are-zero, rounding, x87 rounding"));
  text = rlk_text_over(buffer, sizeof buffer);
  rlk_fp_mode_put_parts(&text, 0);
  cr_expect(eq(str, buffer, (char*)""));
}
