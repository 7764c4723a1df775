#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "harness/gate/fence.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <sys/mman.h>
#include <unistd.h>

rlk_fence_t rlk_fence_create(size_t size) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t room = (size + page - 1) / page * page;
  rlk_fence_t fence = {.pages_size = room + page};
  fence.pages = mmap(NULL, fence.pages_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cr_assert(ne(ptr, fence.pages, MAP_FAILED));
  cr_assert(eq(int, mprotect((unsigned char*)fence.pages + room, page, PROT_NONE), 0));
  fence.bytes = (unsigned char*)fence.pages + room - size;
  return fence;
}

void rlk_fence_destroy(rlk_fence_t* fence) { cr_assert(eq(int, munmap(fence->pages, fence->pages_size), 0)); }
