/* The fast way through a band: a run of elements in one pass that the compiler turns into vector instructions. */
#ifndef ROWLOCK_HARNESS_GATE_SETTLE_H
#define ROWLOCK_HARNESS_GATE_SETTLE_H

#include "harness/gate/gate.h"

enum { RLK_SETTLE_RUN = 256 };

/* Whether each of RLK_SETTLE_RUN elements has the same bits as its partner, or lies in the band and uses at most
 * `limit` (0 to 1) of it. True is certain; false may only mean that rlk_element_judge must be asked. Floats alone. */
bool rlk_settle(const rlk_result_gate_t* gate, rlk_dtype_t dtype, const unsigned char* got, const unsigned char* want,
                double limit);

#endif
