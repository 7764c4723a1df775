/* The record stream: one JSON object a line, ending in a trailer with the counts and the SHA-256 of all lines before
 * it. A stream without its trailer was cut. */
#define _GNU_SOURCE /* open_memstream */
#include <openssl/evp.h>
#include <stdlib.h>

#include "harness/json/json.h"
#include "harness/report/report.h"

typedef struct json_report_t {
  EVP_MD_CTX* digest;
  uint64_t records;
  bool complete; /* false: memory was short, and no trailer may claim the stream */
} json_report_t;

static void* json_open(FILE* out) {
  (void)out;
  json_report_t* report = calloc(1, sizeof *report);
  if (report) report->digest = EVP_MD_CTX_new();
  if (report && report->digest && EVP_DigestInit_ex(report->digest, EVP_sha256(), NULL) == 1) {
    report->complete = true;
    return report;
  }
  if (report) EVP_MD_CTX_free(report->digest);
  free(report);
  return NULL;
}

/* A text that there is; NULL leaves the member out. */
static bool add_text(json_object* object, const char* key, const char* text) {
  return !text || rlk_json_member_text(object, key, text);
}

static bool add_rule(json_object* object, rlk_rule_t rule) {
  return rule == RLK_RULE_NONE || rlk_json_member_text(object, "rule", rlk_rule_info(rule)->id);
}

static json_object* expected_object(const rlk_outcome_t* expected, bool* complete) {
  json_object* object = json_object_new_object();
  *complete &= add_text(object, "outcome", expected->reject ? "reject" : "accept");
  *complete &= add_text(object, "error_substring", expected->substring);
  *complete &= add_rule(object, expected->rule);
  return object;
}

static json_object* got_object(const rlk_record_t* record, bool* complete) {
  json_object* object = json_object_new_object();
  *complete &= add_text(object, "outcome", record->got == RLK_GOT_ACCEPT ? "accept" : "reject");
  *complete &= add_text(object, "message", record->message);
  *complete &= add_rule(object, record->rule);
  return object;
}

static bool add_reproduction(json_object* object, const rlk_record_t* record) {
  char* command = NULL;
  size_t length = 0;
  FILE* memory = open_memstream(&command, &length);
  if (!memory) return false;
  rlk_report_print_reproduction(memory, record);
  const bool added = fclose(memory) == 0 && rlk_json_member_text(object, "reproduce", command);
  free(command);
  return added;
}

static json_object* record_object(const rlk_record_t* record, bool* complete) {
  json_object* object = json_object_new_object();
  *complete &= rlk_json_member_number(object, "row", record->number);
  *complete &= add_text(object, "stem", record->stem);
  *complete &= add_text(object, "path", record->path);
  *complete &= add_text(object, "fixture", record->fixture);
  *complete &= add_text(object, "level", record->level);
  *complete &= add_text(object, "loader", record->loader);
  *complete &= add_text(object, "implementation", record->implementation);
  if (record->on_device && record->result != RLK_RESULT_SKIP) {
    *complete &= rlk_json_member_number(object, "device", record->device_ordinal);
  }
  *complete &= add_text(object, "outcome", rlk_result_name(record->result));
  if (record->expected) {
    *complete &= rlk_json_member(object, "expected", expected_object(record->expected, complete));
  }
  if (record->got != RLK_GOT_NOTHING) *complete &= rlk_json_member(object, "got", got_object(record, complete));
  *complete &= add_text(object, "sha256", record->digest);
  *complete &= add_text(object, "note", record->note);
  *complete &= add_text(object, "log", record->log);
  *complete &= add_text(object, "reason", record->reason);
  *complete &= rlk_json_member_number(object, "duration_us", record->duration_us);
  const bool failed = record->result == RLK_RESULT_FAIL || record->result == RLK_RESULT_ERROR;
  if (failed) *complete &= add_reproduction(object, record);
  return object;
}

/* Writes the object, which it takes over, as a line, and adds the line to the digest. */
static void write_line(json_report_t* report, FILE* out, json_object* object, bool complete) {
  char* line = NULL;
  size_t length = 0;
  FILE* memory = complete ? open_memstream(&line, &length) : NULL;
  if (memory) {
    rlk_json_write(memory, object);
    fputc('\n', memory);
    if (fclose(memory) != 0) complete = false;
  }
  if (memory && complete) {
    EVP_DigestUpdate(report->digest, line, length);
    fwrite(line, 1, length, out);
  } else {
    report->complete = false;
  }
  free(line);
  json_object_put(object);
}

static void json_record(void* data, FILE* out, const rlk_record_t* record) {
  json_report_t* report = data;
  bool complete = true;
  json_object* object = record_object(record, &complete);
  write_line(report, out, object, complete);
  ++report->records;
}

static json_object* trailer_object(json_report_t* report, const rlk_totals_t* totals, bool* complete) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  char hex[2 * EVP_MAX_MD_SIZE + 1] = "";
  *complete &= EVP_DigestFinal_ex(report->digest, digest, &length) == 1;
  for (unsigned i = 0; i < length; ++i) snprintf(hex + 2 * (size_t)i, 3, "%02x", digest[i]);
  json_object* trailer = json_object_new_object();
  *complete &= rlk_json_member_number(trailer, "rows", totals->rows);
  *complete &= rlk_json_member_number(trailer, "records", report->records);
  *complete &= rlk_json_member_number(trailer, "passed", totals->passed);
  *complete &= rlk_json_member_number(trailer, "failed", totals->failed);
  *complete &= rlk_json_member_number(trailer, "skipped", totals->skipped);
  *complete &= rlk_json_member_text(trailer, "sha256", hex);
  return trailer;
}

static void json_discard(void* data) {
  json_report_t* report = data;
  EVP_MD_CTX_free(report->digest);
  free(report);
}

static bool json_close(void* data, FILE* out, const rlk_totals_t* totals) {
  json_report_t* report = data;
  bool complete = report->complete;
  json_object* object = json_object_new_object();
  complete &= rlk_json_member(object, "trailer", trailer_object(report, totals, &complete));
  write_line(report, out, object, complete);
  complete = report->complete;
  json_discard(report);
  return complete;
}

const rlk_report_format_t rlk_report_format_json = {"json", json_open, json_record, json_close, json_discard};
