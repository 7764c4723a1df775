/* json-c as a second opinion: what the strict reader takes, it takes too, with the same values. For tests. */
#ifndef ROWLOCK_VALIDATOR_WIRE_ORACLE_CHECK_H
#define ROWLOCK_VALIDATOR_WIRE_ORACLE_CHECK_H

#include "validator/wire/document.h"

/* Whether json-c reads the document's text under the same depth limit and gets the same tree: kinds, order, keys,
 * strings to the last byte, integers, booleans. What differs is described in `difference`, which is "" otherwise.
 * Members of an object that has a NUL in a key are not compared: json-c ends a key there. */
bool rlk_oracle_agrees(const rlk_document_t* document, uint32_t depth, char* difference, size_t capacity);

#endif
