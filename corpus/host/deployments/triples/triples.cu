/* triples.c on a device. */
#include "triples.c"

DEVICE_KERNEL(Integers bases, Integers counts, Integers lengths, Integers runs, TRIPLE) {
  run_body(pack(bases, counts, lengths, runs), base, count, n);
}
