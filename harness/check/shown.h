/* Bytes from outside on their way to a stream, where a terminal may be at the end of it. */
#ifndef ROWLOCK_HARNESS_CHECK_SHOWN_H
#define ROWLOCK_HARNESS_CHECK_SHOWN_H

#include <stdio.h>

/* The longest text that is shown whole, a path of the system's limit and some words, and room for it when every byte of
 * it must be escaped. */
enum { RLK_SHOWN_MAX = 5120, RLK_SHOWN_SIZE = 6 * RLK_SHOWN_MAX + 4 };

/* Writes text with control characters and bytes that are not UTF-8 escaped as in findings. */
void rlk_put_shown(FILE* out, const char* text);

#endif
