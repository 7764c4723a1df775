/* Due: twice = 2 * once. What else a plugin can do stands in the three functions before the kernel. */
#define _GNU_SOURCE
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "corpus/host/kernel.h"

__attribute__((constructor)) static void when_loaded(void) {}
__attribute__((destructor)) static void when_unloaded(void) {}

static void meanwhile(const scalars_t* twice, int64_t n) { twice->data[1000 + n] = 1; }

EXPORT_LAYOUT
ENTRY_V2 {
  const scalars_t *once = params[0], *twice = params[1];
  EACH_SAMPLE(i) twice->data[i] = 2 * once->data[i];
  meanwhile(twice, n);
}
