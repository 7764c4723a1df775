/* The record stream: one JSON object a line, ending in a trailer with the counts and the SHA-256 of all lines before
 * it. A stream without its trailer was cut. */
#include <json-c/json.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/report.h"

typedef struct json_report_t {
  EVP_MD_CTX* digest;
  uint64_t records;
} json_report_t;

static void* json_open(FILE* out) {
  (void)out;
  json_report_t* report = calloc(1, sizeof *report);
  if (report) report->digest = EVP_MD_CTX_new();
  if (report && report->digest && EVP_DigestInit_ex(report->digest, EVP_sha256(), NULL) == 1) return report;
  if (report) EVP_MD_CTX_free(report->digest);
  free(report);
  return NULL;
}

static void add_text(json_object* object, const char* key, const char* text) {
  if (text) json_object_object_add(object, key, json_object_new_string(text));
}

static void add_rule(json_object* object, rlk_rule_t rule) {
  if (rule != RLK_RULE_NONE) add_text(object, "rule", rlk_rule_info(rule)->id);
}

static json_object* expected_object(const rlk_outcome_t* expected) {
  json_object* object = json_object_new_object();
  add_text(object, "outcome", expected->reject ? "reject" : "accept");
  add_text(object, "error_substring", expected->substring);
  add_rule(object, expected->rule);
  return object;
}

static json_object* got_object(const rlk_record_t* record) {
  json_object* object = json_object_new_object();
  add_text(object, "outcome", record->got == RLK_GOT_ACCEPT ? "accept" : "reject");
  add_text(object, "message", record->message);
  add_rule(object, record->rule);
  return object;
}

static const char* to_line(json_object* object) {
  return json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

static void json_record(void* data, FILE* out, const rlk_record_t* record) {
  json_report_t* report = data;
  json_object* object = json_object_new_object();
  json_object_object_add(object, "row", json_object_new_int64(record->number));
  add_text(object, "stem", record->stem);
  add_text(object, "path", record->path);
  add_text(object, "level", record->level);
  add_text(object, "loader", record->loader);
  add_text(object, "implementation", record->implementation);
  add_text(object, "outcome", rlk_result_name(record->result));
  if (record->expected) json_object_object_add(object, "expected", expected_object(record->expected));
  if (record->got != RLK_GOT_NOTHING) json_object_object_add(object, "got", got_object(record));
  add_text(object, "reason", record->reason);
  json_object_object_add(object, "duration_us", json_object_new_int64((int64_t)record->duration_us));
  const char* line = to_line(object);
  EVP_DigestUpdate(report->digest, line, strlen(line));
  EVP_DigestUpdate(report->digest, "\n", 1);
  fprintf(out, "%s\n", line);
  ++report->records;
  json_object_put(object);
}

static void json_close(void* data, FILE* out, const rlk_totals_t* totals) {
  json_report_t* report = data;
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  char hex[2 * EVP_MAX_MD_SIZE + 1] = "";
  EVP_DigestFinal_ex(report->digest, digest, &length);
  for (unsigned i = 0; i < length; ++i) snprintf(hex + 2 * (size_t)i, 3, "%02x", digest[i]);
  const struct {
    const char* key;
    uint64_t value;
  } counts[] = {{"rows", totals->rows},
                {"records", report->records},
                {"passed", totals->passed},
                {"failed", totals->failed},
                {"skipped", totals->skipped}};
  json_object* trailer = json_object_new_object();
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    json_object_object_add(trailer, counts[i].key, json_object_new_int64((int64_t)counts[i].value));
  }
  add_text(trailer, "sha256", hex);
  json_object* object = json_object_new_object();
  json_object_object_add(object, "trailer", trailer);
  fprintf(out, "%s\n", to_line(object));
  json_object_put(object);
  EVP_MD_CTX_free(report->digest);
  free(report);
}

const rlk_report_format_t rlk_report_format_json = {"json", json_open, json_record, json_close};
