/* Strict RFC 8259 reading. Nothing is repaired or skipped: what two readers could take differently is refused, with the
 * rule, the byte offset and, where there are two, both places. Recursion-free: input cannot exhaust the stack. */
#ifndef ROWLOCK_VALIDATOR_WIRE_READER_H
#define ROWLOCK_VALIDATOR_WIRE_READER_H

#include "validator/rules/findings.h"
#include "validator/wire/arena.h"
#include "validator/wire/document.h"

#define RLK_DEFAULT_DEPTH 64u
#define RLK_DEFAULT_SIZE_BYTES (UINT64_C(16) * 1024 * 1024)
#define RLK_DEFAULT_VALUES 1000000u
#define RLK_DEFAULT_ENTRIES 4096u
/* Offsets are 32 bits: larger limits are cut to this. */
#define RLK_LARGEST_SIZE_BYTES (UINT64_C(1) << 30)

/* `limits` with defaults in place of zeros; NULL gives the defaults. */
rowlock_limits_t rlk_limits_effective(const rowlock_limits_t* limits);

/* What a read reports beside the findings list: where, and a rule that a test has switched off (RLK_RULE_NONE: none).
 */
typedef struct rlk_read_options_t {
  const char* path; /* for findings; not opened */
  rowlock_limits_t limits;
  int door;
  rlk_rule_t switched_off;
} rlk_read_options_t;

/* Reads `text` (borrowed while the document is used) into `*out_document`, whose nodes live in `arena` until it is
 * reset. ROWLOCK_OK; ROWLOCK_REJECTED with one finding; ROWLOCK_NO_MEMORY. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_read(const char* text, size_t length, const rlk_read_options_t* options,
                                           rlk_arena_t* arena, rowlock_findings_t* findings,
                                           rlk_document_t* out_document);

#endif
