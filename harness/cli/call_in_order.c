/* A plain program, without loader or harness: calls the entries of the deployment loader/registry/testdata/forces in
 * the order of its manifest, each once over all samples. What a launch leaves in `out` must have the same bits.
 *
 *   call_in_order GRAVITY.so DRAG.so THRUST.so < NUMBERS > OUT
 *
 * NUMBERS are float64: the sample count, mu, coefficient, direction (3), out (3, n), position (3, n), velocity (3, n),
 * mass (n), rotation (9, n); OUT is (3, n). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "loader/registry/testdata/kernel.h"

typedef void (*entry_t)(arguments_t, int64_t, int64_t, int64_t);

static void fail(const char* what) {
  fprintf(stderr, "call_in_order: %s\n", what);
  exit(2);
}

static entry_t find_entry(const char* object, const char* name) {
  void* library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
  if (!library) fail(dlerror());
  union {
    void* symbol;
    entry_t entry;
  } found = {dlsym(library, name)};
  if (!found.symbol) fail(dlerror());
  return found.entry;
}

static double* read_numbers(size_t count) {
  double* numbers = malloc(count * sizeof *numbers);
  if (!numbers || fread(numbers, sizeof *numbers, count, stdin) != count) fail("the numbers end early");
  return numbers;
}

static view_t read_view(size_t width, uint64_t samples) {
  return (view_t){.data = read_numbers(width * samples),
                  .samples = samples,
                  .component_stride = samples,
                  .sample_stride = 1,
                  .device_type = 1};
}

static scalars_t read_scalars(uint64_t samples) {
  return (scalars_t){.data = read_numbers(samples), .samples = samples, .stride = 1, .device_type = 1};
}

int main(int argc, char** argv) {
  if (argc != 4) fail("name three objects");
  double head[3];
  if (fread(head, sizeof *head, 3, stdin) != 3) fail("the numbers end early");
  const uint64_t n = (uint64_t)head[0];
  const int64_t count = (int64_t)n;
  double mu = head[1], coefficient = head[2];
  static scalars_t direction, mass; /* until the end, which gives all memory back */
  static view_t out, position, velocity, rotation;
  direction = read_scalars(3);
  out = read_view(3, n);
  position = read_view(3, n);
  velocity = read_view(3, n);
  mass = read_scalars(n);
  rotation = read_view(9, n);
  find_entry(argv[1], "raptor_kernel_host")((void*[]){&out, &position, &mu}, 0, count, count);
  find_entry(argv[2], "raptor_kernel_host")((void*[]){&out, &velocity, &mass, &coefficient}, 0, count, count);
  find_entry(argv[3], "push")((void*[]){&out, &rotation, &direction, &mass}, 0, count, count);
  return fwrite(out.data, sizeof *out.data, 3 * n, stdout) == 3 * n && fflush(stdout) == 0 ? 0 : 2;
}
