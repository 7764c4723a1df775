/* The file of a report: there is all of it or what was there before. */
#ifndef ROWLOCK_HARNESS_REPORT_REPORT_FILE_H
#define ROWLOCK_HARNESS_REPORT_REPORT_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct rlk_report_file_t {
  FILE* out;
  char *part, *target; /* what is written, and its name at the end; NULL: the file itself is written */
  bool is_nameless;    /* the part gets even that name at the end */
} rlk_report_file_t;

/* Opens what the path names to be written. A regular file, or one that is not there yet, is written under another name
 * beside where it really is, links resolved; a pipe, a device or a descriptor of this process is written as it is.
 * False, with errno: it cannot be written. */
bool rlk_report_file_open(const char* path, rlk_report_file_t* file);

/* Closes the file, which gets its name if `keep` says so and everything was written, with the mode of the file that it
 * replaces; else what was there stays. False, with errno: it was to be kept, and is not. */
bool rlk_report_file_close(rlk_report_file_t* file, bool keep);

/* Where opening the path would make a file that is not there: the links of the last part followed, those of its folder
 * resolved. To be freed; NULL when there is no such folder or memory is short: opening it says so. */
char* rlk_report_place_of_new(const char* path);

#endif
