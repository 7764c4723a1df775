/* Paths as URI references (RFC 3986). */
#ifndef ROWLOCK_HARNESS_CHECK_URI_H
#define ROWLOCK_HARNESS_CHECK_URI_H

#include "validator/rules/text.h"

/* Room for the reference of a path of that many bytes. */
#define RLK_URI_SIZE(path_length) (3 * (path_length) + sizeof "file://")

/* Puts a relative reference for a relative path, a file URI for an absolute one. Every byte that is not unreserved is
 * percent-encoded, the colon too: in a first segment it would make a scheme of it. A leading "./" goes. */
void rlk_uri_put(rlk_text_t* out, const char* path);

#endif
