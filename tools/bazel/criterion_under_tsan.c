/* Lets Criterion start under ThreadSanitizer.
 *
 * Criterion shares an arena with its child processes, at a fixed address that it draws with rand_r: 2^45 and up, in
 * steps of 2^24. ThreadSanitizer refuses a fixed mapping outside the few ranges that it keeps shadow memory for, and
 * nearly every draw falls outside. This rand_r takes the place of libc's and leads the draw to 0x567000000000 and up,
 * which both allow, and which lies above where a position-independent executable and its heap are loaded. */
#include <stdint.h>
#include <stdlib.h>

int rand_r(unsigned int* seed) {
  const uint32_t first_step = 0x367000; /* 2^45 + 0x367000 * 2^24 = 0x567000000000 */
  const uint32_t step_count = 0x1000;
  *seed = *seed * 1664525u + 1013904223u;
  return (int)(first_step + (*seed >> 16) % step_count);
}
