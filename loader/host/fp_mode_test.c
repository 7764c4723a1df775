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

/* --- The x87 registers -------------------------------------------------------------------------------------------- */

static void use_mmx(void) { __asm__ volatile("movd %0, %%mm0" : : "r"(1) : "memory"); }
static void push_x87(void) { __asm__ volatile("fld1" : : : "memory"); }
static void push_below_x87(void) { __asm__ volatile("fld1\n\tfincstp" : : : "memory"); }
static void leave_all_but_the_top(void) { __asm__ volatile("movd %0, %%mm0\n\tffree %%st(0)" : : "r"(1) : "memory"); }

Test(fp_mode, shows_x87_registers_that_are_left_in_use_and_empties_them) {
  static void (*const occupy[])(void) = {use_mmx, push_x87, push_below_x87, leave_all_but_the_top};
  for (size_t i = 0; i < sizeof occupy / sizeof *occupy; ++i) {
    const rlk_fp_mode_t before = rlk_fp_mode_save();
    occupy[i]();
    const rlk_fp_mode_t after = rlk_fp_mode_save();
    const rlk_fp_mode_t again = rlk_fp_mode_save();
    rlk_fp_mode_restore(&before);
    const rlk_fp_mode_t restored = rlk_fp_mode_save();
    volatile long double three = 3;
    volatile long double nine = three * three;
    cr_expect(eq(u32, rlk_fp_mode_compare(&before, &after), RLK_FP_X87_REGISTERS), "%zu", i);
    cr_expect(zero(u32, rlk_fp_mode_compare(&after, &again)), "%zu: to look changed it", i);
    cr_expect(zero(u32, rlk_fp_mode_compare(&before, &restored)), "%zu", i);
    cr_expect(nine == 9, "%zu", i);
  }
}

Test(fp_mode, does_not_blame_who_empties_the_x87_registers) {
  const rlk_fp_mode_t empty = rlk_fp_mode_save();
  use_mmx();
  const rlk_fp_mode_t before = rlk_fp_mode_save();
  rlk_fp_mode_restore(&empty);
  cr_expect(zero(u32, rlk_fp_mode_compare(&before, &empty)));
  use_mmx();
  rlk_fp_mode_restore(&before); /* leaves them alone */
  const rlk_fp_mode_t after = rlk_fp_mode_save();
  rlk_fp_mode_restore(&empty);
  cr_expect(zero(u32, rlk_fp_mode_compare(&before, &after)));
  cr_expect(eq(u16, after.x87_in_use, 1));
}

Test(fp_mode, is_saved_without_a_change_also_where_x87_exceptions_trap) {
  const rlk_fp_mode_t before = rlk_fp_mode_save();
  set(before.mxcsr, before.x87_control & (uint16_t)~0x0004);
  const rlk_fp_mode_t first = rlk_fp_mode_save(), second = rlk_fp_mode_save();
  rlk_fp_mode_restore(&before);
  cr_expect(eq(u16, second.x87_control, before.x87_control & ~0x0004));
  cr_expect(zero(u32, rlk_fp_mode_compare(&first, &second)));
}
