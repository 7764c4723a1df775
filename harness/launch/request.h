/* What goes to the process that performs a launch: a line of JSON. */
#ifndef ROWLOCK_HARNESS_LAUNCH_REQUEST_H
#define ROWLOCK_HARNESS_LAUNCH_REQUEST_H

#include "harness/launch/isolate.h"
#include "harness/launch/perform.h"

/* Writes the request into new memory that the caller frees. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_request_write(const rlk_request_t* request, char** out_text, size_t* out_length,
                                                    rowlock_error_t* err);

/* Reads a request to its end and performs it: rlk_perform has the rest. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_request_perform(FILE* request, int out_file, rlk_tell_t tell, void* context,
                                                      json_object** out_report, rowlock_error_t* err);

#endif
