/* Rowlock: what a kernel plugin's files promise, checked. The one public header of the library, for C and C++.
 *
 * Two things, never one type: a *code* says why an operation stopped; a *finding* says what is wrong with a document.
 * Judging a bad document is a success of the library: the call returns ROWLOCK_REJECTED and the findings say why. */
#ifndef ROWLOCK_H
#define ROWLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ROWLOCK_MUST_CHECK __attribute__((warn_unused_result))
#define ROWLOCK_PRINTF(format_index, first_index) __attribute__((format(printf, format_index, first_index)))
#else
#define ROWLOCK_MUST_CHECK
#define ROWLOCK_PRINTF(format_index, first_index)
#endif

/* ROWLOCK_CODE(NAME, exit status of a command that ends so, meaning) */
#define ROWLOCK_CODES(ROWLOCK_CODE)                                                               \
  ROWLOCK_CODE(OK, 0, "as expected")                                                              \
  ROWLOCK_CODE(REJECTED, 1, "judged and refused; the findings say why")                           \
  ROWLOCK_CODE(UNUSABLE, 2, "cannot be judged: missing file, path outside its folder, bad usage") \
  ROWLOCK_CODE(UNAVAILABLE, 3, "this machine lacks it; a skip unless it was required")            \
  ROWLOCK_CODE(NO_MEMORY, 3, "allocation failed; everything is as before the call")               \
  ROWLOCK_CODE(INTERNAL, 3, "a defect of Rowlock itself")

typedef enum rowlock_code_t {
#define ROWLOCK_CODE(name, exit_status, meaning) ROWLOCK_##name,
  ROWLOCK_CODES(ROWLOCK_CODE)
#undef ROWLOCK_CODE
} rowlock_code_t;

/* The code's name ("REJECTED"), its meaning in words, and the exit status of a command that ends with it. */
const char* rowlock_code_name(rowlock_code_t code);
const char* rowlock_code_meaning(rowlock_code_t code);
int rowlock_code_exit_status(rowlock_code_t code);

/* The caller's, so that it outlives whatever failed. Empty after success. */
typedef struct rowlock_error_t {
  char message[512];
} rowlock_error_t;

typedef enum rowlock_severity_t {
  ROWLOCK_SEVERITY_ERROR,   /* a gate refused the document */
  ROWLOCK_SEVERITY_WARNING, /* a contract check: a promise of the producer that no loader verifies */
  ROWLOCK_SEVERITY_NOTE,    /* the document is sound, but this door does not take its kind */
} rowlock_severity_t;

/* One defect. Strings are owned by the list that holds the finding and live until it is cleared or destroyed. */
typedef struct rowlock_finding_t {
  const char* rule_id; /* row of the rule table, "sidecar.role-unknown"; `rowlock rules ID` explains it */
  rowlock_severity_t severity;
  const char* message;      /* begins with, or holds, the rule's leading clause */
  const char* path;         /* the file that holds the defect: a manifest's finding may be in one of its sidecars */
  const char* json_pointer; /* RFC 6901, "" is the root: "/arg_spec/2/0" */
  uint64_t byte_offset;     /* 0-based */
  uint32_t line, column;    /* 1-based, column in code points; the parent's when the defect is an absence */
  uint32_t doors;           /* bit i: the door of that index in the door table reported it; 0 for a contract check */
} rowlock_finding_t;

/* A growing list of findings. Not thread-safe: one thread, or one lock. */
typedef struct rowlock_findings_t rowlock_findings_t;

/* Creates an empty list. NULL when memory is short. The caller destroys it; destroying NULL does nothing. */
ROWLOCK_MUST_CHECK rowlock_findings_t* rowlock_findings_create(void);
void rowlock_findings_destroy(rowlock_findings_t* findings);

/* Forgets every finding and keeps the memory for the next document. */
void rowlock_findings_clear(rowlock_findings_t* findings);
size_t rowlock_findings_count(const rowlock_findings_t* findings);

/* The finding of that index, in the order of discovery; `index` must be below the count. */
const rowlock_finding_t* rowlock_findings_at(const rowlock_findings_t* findings, size_t index);

/* How many more defects were seen after the list was full (ROWLOCK_FINDINGS_MAX). */
#define ROWLOCK_FINDINGS_MAX 1000
uint64_t rowlock_findings_dropped(const rowlock_findings_t* findings);

/* Reads and judges documents; owns the buffers that are used again for each one. Not thread-safe. */
typedef struct rowlock_checker_t rowlock_checker_t;

ROWLOCK_MUST_CHECK rowlock_code_t rowlock_checker_create(rowlock_checker_t** out_checker, rowlock_error_t* err);
void rowlock_checker_destroy(rowlock_checker_t* checker);

/* Which bounds a document must keep. Zero means the default. */
typedef struct rowlock_limits_t {
  uint32_t depth;      /* nesting of arrays and objects; default 64 */
  uint64_t size_bytes; /* default 16 MiB, at most 1 GiB */
  uint32_t values;     /* values in the document; default 1 000 000 */
  uint32_t entries;    /* plugins or blocks of a manifest, arguments and names of a sidecar; default 4096 */
} rowlock_limits_t;

void rowlock_checker_set_limits(rowlock_checker_t* checker, const rowlock_limits_t* limits);

/* Judges the sidecar or manifest at `path` at the door of that name, gates in the door's order, first failure wins.
 * A manifest's entries are opened beside it; no artifact is opened. The findings then hold the one gate that refused.
 * ROWLOCK_OK accepted, ROWLOCK_REJECTED refused, ROWLOCK_UNUSABLE no such door or the file cannot be read. */
ROWLOCK_MUST_CHECK rowlock_code_t rowlock_checker_judge(rowlock_checker_t* checker, const char* door, const char* path,
                                                        rowlock_findings_t* findings, rowlock_error_t* err);

/* Version of this library, "MAJOR.MINOR.PATCH". */
const char* rowlock_version(void);

#ifdef __cplusplus
}
#endif

#endif /* ROWLOCK_H */
