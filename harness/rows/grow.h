/* Arrays that grow. */
#ifndef ROWLOCK_HARNESS_ROWS_GROW_H
#define ROWLOCK_HARNESS_ROWS_GROW_H

#include <stddef.h>

/* The array with room for one more than `count` elements of `size` bytes: itself, or a larger one in its place, and
 * `*capacity` says so. NULL if memory is short, and then the array is as it was. */
void* rlk_grown(void* array, size_t* capacity, size_t count, size_t size);

#endif
