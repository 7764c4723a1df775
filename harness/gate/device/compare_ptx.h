/* compare.ptx, as a text that ends in NUL. */
#ifndef ROWLOCK_HARNESS_GATE_DEVICE_COMPARE_PTX_H
#define ROWLOCK_HARNESS_GATE_DEVICE_COMPARE_PTX_H

extern const char rlk_compare_ptx[];

#endif
