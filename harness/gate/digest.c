#include "harness/gate/digest.h"

#include <openssl/evp.h>
#include <string.h>

#include "validator/rules/text.h"

rowlock_code_t rlk_digest(const void* data, size_t size_bytes, rlk_digest_t* out_digest, rowlock_error_t* err) {
  if (EVP_Digest(data, size_bytes, out_digest->bytes, NULL, EVP_sha256(), NULL) == 1) return ROWLOCK_OK;
  return rlk_fail(err, ROWLOCK_INTERNAL, "SHA-256 failed");
}

bool rlk_digest_equal(const rlk_digest_t* a, const rlk_digest_t* b) {
  return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}
