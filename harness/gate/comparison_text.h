/* A comparison in words. */
#ifndef ROWLOCK_HARNESS_GATE_COMPARISON_TEXT_H
#define ROWLOCK_HARNESS_GATE_COMPARISON_TEXT_H

#include "harness/gate/compare.h"
#include "validator/rules/text.h"

/* Enough for any comparison. */
enum { RLK_COMPARISON_TEXT_SIZE = 2048 };

/* What came of it; of the worst element its index, how far off it is, and both values in hexadecimal and decimal with
 * their bits; whether the band is loose. `separator` stands between the parts: "\n  " for lines, "; " for a sentence.
 */
void rlk_comparison_put(rlk_text_t* text, const rlk_comparison_t* comparison, const char* separator);

/* The gate as a command line has it: "--mode band --atol 1e-09", policies that are not exact included. */
void rlk_gate_put_options(rlk_text_t* text, const rlk_result_gate_t* gate);

/* A value: "0x1.8p+1 (3, bits 0x4008000000000000)", whole where it is an integer or a bool. */
void rlk_element_put(rlk_text_t* text, rlk_dtype_t dtype, uint64_t bits);

/* The shortest decimal digits that read back as the same number. */
enum { RLK_DECIMAL_SIZE = 32 };
void rlk_decimal(rlk_dtype_t dtype, double value, char out[RLK_DECIMAL_SIZE]);

#endif
