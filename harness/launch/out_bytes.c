#define _GNU_SOURCE /* pwrite */
#include "harness/launch/out_bytes.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "validator/rules/text.h"

static bool write_at(int file, const char* bytes, size_t size, off_t offset) {
  for (size_t done = 0; done < size;) {
    const ssize_t length = pwrite(file, bytes + done, size - done, offset + (off_t)done);
    if (length < 0 && errno != EINTR) return false;
    if (length > 0) done += (size_t)length;
  }
  return true;
}

/* The descriptor's own place in the file is whoever's who has it, too: each write says where it goes. */
rowlock_code_t rlk_out_bytes_write(int file, const rlk_buffers_t* buffers, const rlk_outputs_t* outputs,
                                   rowlock_error_t* err) {
  off_t offset = 0;
  for (size_t i = 0; i < buffers->count; ++i) {
    if (!buffers->list[i].is_written) continue;
    const rlk_array_t array = rlk_outputs_array(outputs, buffers, i);
    const size_t size = rlk_array_size(&array);
    if (size > 0 && !write_at(file, array.data, size, offset)) {
      return rlk_fail(err, ROWLOCK_UNUSABLE, "cannot write output '%.100s': %s", buffers->list[i].name,
                      strerror(errno));
    }
    offset += (off_t)size;
  }
  return ROWLOCK_OK;
}
