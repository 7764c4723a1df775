/* Allocations that fail on purpose. Linking this library puts malloc, calloc, realloc and free of everything that is
 * linked statically behind a counter (ld --wrap); what shared libraries allocate for themselves is out of its reach. */
#ifndef ROWLOCK_VALIDATOR_RULES_FAULT_H
#define ROWLOCK_VALIDATOR_RULES_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What happened between arming and disarming. */
typedef struct rlk_fault_t {
  uint64_t allocations; /* asked for, with those that were refused */
  uint64_t refused;
  size_t live; /* blocks that were allocated meanwhile and not freed */
} rlk_fault_t;

/* From here on refuses the calling thread's `nth` allocation (1 is the next one, 0 none) and, if `lasting`, all after
 * it. Other threads are neither counted nor refused. */
void rlk_fault_arm(uint64_t nth, bool lasting);

/* From here on goes on counting and refuses nothing more; returns whether it has refused anything. */
bool rlk_fault_relent(void);

rlk_fault_t rlk_fault_disarm(void);

#endif
