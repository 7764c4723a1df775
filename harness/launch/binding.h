/* Binding an array of a launch by the call of the registry that goes with what it is and of what type. */
#ifndef ROWLOCK_HARNESS_LAUNCH_BINDING_H
#define ROWLOCK_HARNESS_LAUNCH_BINDING_H

#include "harness/launch/buffers.h"

/* Whether the last extent of such an array counts samples; otherwise all its elements are one buffer. */
bool rlk_binding_counts_samples(rowlock_binding_t binding);

#endif
