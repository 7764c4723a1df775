/* SHA-256 of inputs. */
#include "harness/gate/digest.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static rlk_digest_t digest(const void* data, size_t size) {
  rowlock_error_t err;
  rlk_digest_t result;
  cr_assert(eq(int, rlk_digest(data, size, &result, &err), ROWLOCK_OK), "%s", err.message);
  return result;
}

Test(digest, is_that_of_the_standard) {
  static const unsigned char of_abc[] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40,
                                         0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17,
                                         0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
  const rlk_digest_t result = digest("abc", 3);
  cr_expect(eq(int, memcmp(result.bytes, of_abc, sizeof of_abc), 0));
}

Test(digest, tells_any_flipped_bit) {
  unsigned char input[100] = {0};
  const rlk_digest_t before = digest(input, sizeof input);
  for (size_t bit = 0; bit < 8 * sizeof input; ++bit) {
    input[bit / 8] ^= (unsigned char)(1 << bit % 8);
    const rlk_digest_t after = digest(input, sizeof input);
    cr_assert(not(rlk_digest_equal(&before, &after)), "bit %zu", bit);
    input[bit / 8] ^= (unsigned char)(1 << bit % 8);
  }
  const rlk_digest_t again = digest(input, sizeof input);
  cr_expect(rlk_digest_equal(&before, &again));
}

Test(digest, is_taken_of_nothing_too) {
  const rlk_digest_t nothing = digest(NULL, 0), zero = digest("", 1);
  cr_expect(not(rlk_digest_equal(&nothing, &zero)));
}
