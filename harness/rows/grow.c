#include "harness/rows/grow.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 64 };

void* rlk_grown(void* array, size_t* capacity, size_t count, size_t size) {
  if (count < *capacity) return array;
  const size_t larger = *capacity ? 2 * *capacity : FIRST_CAPACITY;
  void* grown = realloc(array, larger * size);
  if (grown) *capacity = larger;
  return grown;
}
