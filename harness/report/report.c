#include "harness/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/check/shown.h"
#include "harness/report/report_file.h"
#include "validator/rules/text.h"

struct rlk_report_t {
  const rlk_report_format_t* format;
  FILE* out;
  rlk_report_file_t file; /* without a stream where that is the caller's */
  const char* path;       /* for messages */
  void* data;
};

const rlk_report_format_t* rlk_report_format_find(const char* name, size_t length) {
  static const rlk_report_format_t* const formats[] = {
#define RLK_REPORT_FORMAT(name) &rlk_report_format_##name,
      RLK_REPORT_FORMATS(RLK_REPORT_FORMAT)
#undef RLK_REPORT_FORMAT
  };
  for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
    if (strlen(formats[i]->name) == length && memcmp(formats[i]->name, name, length) == 0) return formats[i];
  }
  return NULL;
}

rowlock_code_t rlk_report_open_stream(const rlk_report_format_t* format, FILE* out, rlk_report_t** out_report,
                                      rowlock_error_t* err) {
  *out_report = NULL;
  rlk_report_t* report = calloc(1, sizeof *report);
  void* data = report ? format->open(out) : NULL;
  if (!data) {
    free(report);
    return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for a report");
  }
  *report = (rlk_report_t){.format = format, .out = out, .path = "-", .data = data};
  *out_report = report;
  return ROWLOCK_OK;
}

/* With the path cut where it would leave no room for the cause. */
static rowlock_code_t cannot_write(const char* path, rowlock_error_t* err) {
  const char* cause = strerror(errno);
  char shown[sizeof err->message / 2];
  rlk_text_t text = rlk_text_over(shown, sizeof shown);
  rlk_text_put_shown(&text, path, strlen(path), sizeof shown - sizeof "...");
  return rlk_fail(err, ROWLOCK_UNUSABLE, "cannot write '%s': %s", shown, cause);
}

rowlock_code_t rlk_report_open_file(const rlk_report_format_t* format, const char* path, rlk_report_t** out_report,
                                    rowlock_error_t* err) {
  *out_report = NULL;
  rlk_report_file_t file;
  if (!rlk_report_file_open(path, &file)) return cannot_write(path, err);
  const rowlock_code_t code = rlk_report_open_stream(format, file.out, out_report, err);
  if (code || !*out_report) {
    rlk_report_file_close(&file, false);
    return code;
  }
  (*out_report)->file = file;
  (*out_report)->path = path;
  return ROWLOCK_OK;
}

void rlk_report_record(rlk_report_t* report, const rlk_record_t* record) {
  report->format->record(report->data, report->out, record);
}

rowlock_code_t rlk_report_close(rlk_report_t* report, const rlk_totals_t* totals, rowlock_error_t* err) {
  if (!report) return ROWLOCK_OK;
  const bool complete = report->format->close(report->data, report->out, totals);
  bool written;
  if (report->file.out) {
    written = rlk_report_file_close(&report->file, complete);
  } else {
    written = fflush(report->out) == 0 && !ferror(report->out);
  }
  rowlock_code_t code = ROWLOCK_OK;
  if (!written) {
    code = cannot_write(report->path, err);
  } else if (!complete) {
    code = rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for the report '%s'", report->path);
  }
  free(report);
  return code;
}

void rlk_report_discard(rlk_report_t* report) {
  if (!report) return;
  report->format->discard(report->data);
  if (report->file.out) rlk_report_file_close(&report->file, false);
  free(report);
}

/* Whether a terminal shows every character of the word as it is. */
static bool is_shown_plainly(const char* word) {
  for (size_t length; *word; word += length) {
    length = rlk_utf8_length(word, strlen(word));
    if (length == 0 || rlk_utf8_is_unseen(word, length)) return false;
  }
  return true;
}

/* $'...' of the shell: the bytes that a terminal must not get as octal numbers, so that the command stays the same. */
static void print_escaped_word(FILE* out, const char* word) {
  fputs("$'", out);
  while (*word) {
    const size_t length = rlk_utf8_length(word, strlen(word));
    const bool bare = length > 0 && !rlk_utf8_is_unseen(word, length);
    if (*word == '\'' || *word == '\\') fputc('\\', out);
    for (size_t i = 0; i < (length ? length : 1); ++i) {
      fprintf(out, bare ? "%c" : "\\%03o", (unsigned char)*word++);
    }
  }
  fputc('\'', out);
}

/* A word as a shell takes it back. */
static void print_word(FILE* out, const char* word) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-+=:,@%";
  if (word[0] && strspn(word, plain) == strlen(word)) {
    fputs(word, out);
    return;
  }
  if (!is_shown_plainly(word)) {
    print_escaped_word(out, word);
    return;
  }
  fputc('\'', out);
  for (; *word; ++word) {
    if (*word == '\'') {
      fputs("'\\''", out);
    } else {
      fputc(*word, out);
    }
  }
  fputc('\'', out);
}

void rlk_report_print_path(FILE* out, const char* path) {
  if (path[0] == '-') fputs("./", out); /* or it would be an option */
  print_word(out, path);
}

void rlk_report_print_reproduction(FILE* out, const rlk_record_t* record) {
  fputs(record->expected ? "rowlock run " : "rowlock lock ", out);
  rlk_report_print_path(out, record->path);
  if (!record->expected) return;
  fputs(" --loader ", out);
  print_word(out, record->loader);
  if (record->on_device) fprintf(out, " --device %u", record->device_ordinal);
  if (record->on_device && record->requires_device) fputs(" --require-device", out);
  if (record->built) {
    fputs(" --built ", out);
    print_word(out, record->built);
  }
  if (record->thread_count > 0) fprintf(out, " --threads %u", record->thread_count);
  if (record->time_ms > 0) fprintf(out, " --timeout %u", record->time_ms / 1000);
  if (record->repeat > 0) fprintf(out, " --repeat %u", record->repeat);
}

static void print_reject(FILE* out, const char* words, rlk_rule_t rule) {
  fputs("reject: ", out);
  rlk_put_shown(out, words);
  if (rule != RLK_RULE_NONE) fprintf(out, " [%s]", rlk_rule_info(rule)->id);
}

void rlk_report_print_expected(FILE* out, const rlk_record_t* record) {
  if (record->expected->reject) {
    print_reject(out, record->expected->substring, record->expected->rule);
  } else {
    fputs("accept", out);
  }
}

void rlk_report_print_got(FILE* out, const rlk_record_t* record) {
  if (record->got == RLK_GOT_REJECT) {
    print_reject(out, record->message, record->rule);
  } else {
    fputs(record->got == RLK_GOT_ACCEPT ? "accept" : "nothing", out);
  }
}

bool rlk_report_next_line(const char** at, const char** out_line, size_t* out_length) {
  if (!**at) return false;
  size_t length = strcspn(*at, "\n");
  *out_line = *at;
  *at += length + ((*at)[length] == '\n');
  if ((*out_line)[length] && length > 0 && (*out_line)[length - 1] == '\r') --length;
  *out_length = length;
  return true;
}

void rlk_report_family(const rlk_record_t* record, const char** out_name, size_t* out_length) {
  if (!record->expected) { /* the lock speaks for the whole corpus */
    *out_name = record->loader;
    *out_length = strlen(record->loader);
    return;
  }
  const char* end = strrchr(record->path, '/');
  const char* begin = record->path;
  for (const char* at = record->path; end && at < end; ++at) {
    if (*at == '/') begin = at + 1;
  }
  *out_name = end ? begin : ".";
  *out_length = end ? (size_t)(end - begin) : 1;
}
