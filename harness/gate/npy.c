#include "harness/gate/npy.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "harness/gate/npy_header.h"
#include "loader/files.h"
#include "validator/rules/text.h"

/* The offset of the first byte that is no bool, or the size. */
static size_t find_unbool(const rlk_array_t* array) {
  const unsigned char* bytes = array->data;
  const size_t size = rlk_array_size(array);
  size_t at = 0;
  while (at < size && bytes[at] <= 1) ++at;
  return at;
}

rowlock_code_t rlk_npy_parse(const char* bytes, size_t length, rlk_array_t* out_array, rowlock_error_t* err) {
  size_t offset;
  rlk_array_t array;
  *out_array = (rlk_array_t){0};
  const rowlock_code_t code = rlk_npy_header_parse(bytes, length, &array, &offset, err);
  if (code) return code;
  const size_t size = rlk_array_size(&array), available = length - offset;
  if (available < size) {
    return rlk_fail(err, ROWLOCK_UNUSABLE,
                    "byte %zu: the file ends, and its header promises %zu bytes of data from byte %zu on: it is cut "
                    "short; write it anew",
                    length, size, offset);
  }
  if (available > size) {
    return rlk_fail(err, ROWLOCK_UNUSABLE,
                    "byte %zu: the array ends here and the file goes on; write it anew, one array in a file",
                    offset + size);
  }
  array.data = (void*)(bytes + offset);
  if (array.dtype == RLK_DTYPE_BOOL) {
    const size_t at = find_unbool(&array);
    if (at < size) {
      return rlk_fail(err, ROWLOCK_UNUSABLE, "byte %zu: a bool is 0 or 1, not %d; save the array as 'array != 0'",
                      offset + at, (unsigned char)bytes[offset + at]);
    }
  }
  *out_array = array;
  return ROWLOCK_OK;
}

/* Reads what may be a header first, so that a large file which is no array is not read. */
static rowlock_code_t read_bytes(const char* path, rlk_file_buffer_t* buffer, rowlock_error_t* err) {
  rlk_array_t array;
  size_t offset;
  rowlock_code_t code = rlk_file_read(path, RLK_NPY_OFFSET_MAX, buffer, err);
  if (!code) code = rlk_npy_header_parse(buffer->bytes, buffer->length, &array, &offset, err);
  if (code || buffer->length <= RLK_NPY_OFFSET_MAX) return code;
  return rlk_file_read(path, offset + rlk_array_size(&array), buffer, err);
}

rowlock_code_t rlk_npy_read(const char* path, rlk_array_t* out_array, rowlock_error_t* err) {
  rlk_file_buffer_t buffer = {0};
  *out_array = (rlk_array_t){0};
  rowlock_code_t code = read_bytes(path, &buffer, err);
  if (!code) code = rlk_npy_parse(buffer.bytes, buffer.length, out_array, err);
  if (code) {
    rlk_file_buffer_deinit(&buffer);
    return code;
  }
  out_array->block = buffer.bytes;
  return ROWLOCK_OK;
}

static bool write_all(int file, const char* bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t length = write(file, bytes + done, size - done);
    if (length < 0 && errno != EINTR) return false;
    if (length > 0) done += (size_t)length;
  }
  return true;
}

rowlock_code_t rlk_npy_write(int file, const rlk_array_t* array, rowlock_error_t* err) {
  uint64_t count;
  if (array->rank > RLK_RANK_MAX || !rlk_shape_count(array->shape, array->rank, &count) ||
      count != array->element_count) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "the array's shape has not its number of elements, or more than 2^32");
  }
  const size_t size = rlk_array_size(array);
  if (array->dtype == RLK_DTYPE_BOOL && find_unbool(array) < size) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "element %zu of the array is neither 0 nor 1", find_unbool(array));
  }
  char header[RLK_NPY_WRITTEN_MAX];
  const size_t length = rlk_npy_header_format(array, header);
  const bool whole = write_all(file, header, length) && write_all(file, array->data, size);
  return whole ? ROWLOCK_OK : rlk_fail(err, ROWLOCK_UNUSABLE, "%s", strerror(errno));
}
