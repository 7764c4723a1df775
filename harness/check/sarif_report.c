/* SARIF 2.1.0 (OASIS), written result by result. Section numbers are the standard's. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/check/door_names.h"
#include "harness/check/report.h"
#include "harness/check/uri.h"
#include "harness/json/json.h"

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

/* What could not be judged is told at the end, in the invocation; beyond these it is counted. */
enum { NOTIFICATIONS_MAX = 100 };

typedef struct sarif_report_t {
  rlk_check_report_t base;
  json_object* notifications;
  uint64_t notifications_left_out;
  bool any; /* a result was written */
} sarif_report_t;

/* {"text": ...}. In the text of a message braces are doubled (3.11.5): single ones hold the place of an argument. */
static json_object* message_object(const char* text, bool* complete) {
  size_t braces = 0;
  for (const char* at = text; *at; ++at) braces += *at == '{' || *at == '}';
  const size_t size = strlen(text) + braces + 1;
  char* doubled = malloc(size);
  json_object* object = json_object_new_object();
  if (doubled) {
    rlk_text_t out = rlk_text_over(doubled, size);
    for (const char* at = text; *at; ++at) {
      rlk_text_put(&out, at, 1);
      if (*at == '{' || *at == '}') rlk_text_put(&out, at, 1);
    }
    *complete &= rlk_json_member_text(object, "text", doubled);
  }
  *complete &= doubled != NULL;
  free(doubled);
  return object;
}

/* --- Rules -------------------------------------------------------------------------------------------------------- */

/* The rule's message, its slots in angle brackets. */
static json_object* short_description(const rlk_rule_info_t* rule, bool* complete) {
  char text[1024];
  snprintf(text, sizeof text, "%s", rule->message);
  for (char* at = text; *at; ++at) {
    if (*at == '{') *at = '<';
    if (*at == '}') *at = '>';
  }
  return message_object(text, complete);
}

static json_object* help(const rlk_rule_info_t* rule, bool* complete) {
  char text[1024];
  snprintf(text, sizeof text, "%s Decided by: %s. 'rowlock rules %s' explains the rule.", rule->why, rule->source,
           rule->id);
  return message_object(text, complete);
}

static json_object* rule_object(const rlk_rule_info_t* rule, bool* complete) {
  json_object* configuration = json_object_new_object();
  json_object* properties = json_object_new_object();
  json_object* object = json_object_new_object();
  *complete &= rlk_json_member_text(configuration, "level", rlk_severity_name(rule->severity)) &&
               rlk_json_member_text(properties, "tier", rlk_tier_name(rule->tier)) &&
               rlk_json_member_text(properties, "class", rlk_class_name(rule->class_)) &&
               rlk_json_member_text(properties, "source", rule->source) && rlk_json_member_text(object, "id", rule->id);
  *complete &= rlk_json_member(object, "shortDescription", short_description(rule, complete));
  *complete &= rlk_json_member(object, "fullDescription", message_object(rule->why, complete));
  *complete &= rlk_json_member(object, "help", help(rule, complete));
  *complete &= rlk_json_member(object, "defaultConfiguration", configuration);
  *complete &= rlk_json_member(object, "properties", properties);
  return object;
}

static json_object* tool_object(bool* complete) {
  json_object* rules = json_object_new_array();
  for (int rule = 0; rule < RLK_RULE_COUNT; ++rule) {
    *complete &= rlk_json_element(rules, rule_object(rlk_rule_info((rlk_rule_t)rule), complete));
  }
  json_object* driver = json_object_new_object();
  *complete &=
      rlk_json_member_text(driver, "name", "rowlock") && rlk_json_member_text(driver, "version", rowlock_version());
  *complete &= rlk_json_member(driver, "rules", rules);
  json_object* tool = json_object_new_object();
  *complete &= rlk_json_member(tool, "driver", driver);
  return tool;
}

/* Writes the value, which it takes over, or an empty one, so that the log is JSON even then. */
static rowlock_code_t put(rlk_check_report_t* report, json_object* value, bool complete) {
  if (complete) {
    rlk_json_write(report->out, value);
  } else {
    fputs("{}", report->out);
  }
  json_object_put(value);
  return complete ? ROWLOCK_OK : ROWLOCK_NO_MEMORY;
}

static rowlock_code_t begin(rlk_check_report_t* report) {
  bool complete = true;
  json_object* tool = tool_object(&complete);
  fputs("{\"$schema\":\"" SCHEMA "\",\n\"version\":\"2.1.0\",\n\"runs\":[{\"tool\":", report->out);
  const rowlock_code_t code = put(report, tool, complete);
  fputs(",\n\"columnKind\":\"unicodeCodePoints\",\n\"results\":[", report->out);
  return code;
}

/* --- Places ------------------------------------------------------------------------------------------------------- */

static json_object* uri_string(const char* path) {
  const size_t size = RLK_URI_SIZE(strlen(path));
  char* uri = malloc(size);
  if (!uri) return NULL;
  rlk_text_t text = rlk_text_over(uri, size);
  rlk_uri_put(&text, path);
  json_object* string = json_object_new_string(uri);
  free(uri);
  return string;
}

static json_object* artifact_object(const char* path, bool* complete) {
  json_object* artifact = json_object_new_object();
  *complete &= rlk_json_member(artifact, "uri", uri_string(path));
  json_object* physical = json_object_new_object();
  *complete &= rlk_json_member(physical, "artifactLocation", artifact);
  return physical;
}

/* The logical location of a value in JSON is its pointer (3.33.5). */
static json_object* finding_location(const rowlock_finding_t* finding, bool* complete) {
  json_object* region = json_object_new_object();
  *complete &= rlk_json_member(region, "startLine", json_object_new_int64(finding->line)) &&
               rlk_json_member(region, "startColumn", json_object_new_int64(finding->column)) &&
               rlk_json_member(region, "byteOffset", json_object_new_uint64(finding->byte_offset));
  json_object* physical = artifact_object(finding->path, complete);
  *complete &= rlk_json_member(physical, "region", region);
  json_object* logical = json_object_new_object();
  *complete &= rlk_json_member_text(logical, "fullyQualifiedName", finding->json_pointer);
  json_object* logicals = json_object_new_array();
  *complete &= rlk_json_element(logicals, logical);
  json_object* location = json_object_new_object();
  *complete &= rlk_json_member(location, "physicalLocation", physical);
  *complete &= rlk_json_member(location, "logicalLocations", logicals);
  return location;
}

static bool put_locations(json_object* object, json_object* location) {
  json_object* locations = json_object_new_array();
  const bool complete = rlk_json_element(locations, location);
  return rlk_json_member(object, "locations", locations) && complete;
}

/* --- Results ------------------------------------------------------------------------------------------------------ */

static json_object* result_properties(const rowlock_finding_t* finding, bool* complete) {
  json_object* properties = json_object_new_object();
  *complete &= rlk_json_member(properties, "doors", rlk_door_names(finding->doors, complete));
  return properties;
}

static rowlock_code_t put_result(rlk_check_report_t* report, const rowlock_finding_t* finding, rlk_rule_t rule) {
  sarif_report_t* sarif = (sarif_report_t*)report;
  json_object* result = json_object_new_object();
  bool complete = rlk_json_member_text(result, "ruleId", finding->rule_id) &&
                  rlk_json_member(result, "ruleIndex", json_object_new_int((int)rule)) &&
                  rlk_json_member_text(result, "level", rlk_severity_name(finding->severity));
  complete &= rlk_json_member(result, "message", message_object(finding->message, &complete));
  complete &= put_locations(result, finding_location(finding, &complete));
  complete &= rlk_json_member(result, "properties", result_properties(finding, &complete));
  if (!complete) {
    json_object_put(result);
    return ROWLOCK_NO_MEMORY;
  }
  fputs(sarif->any ? ",\n" : "\n", report->out);
  sarif->any = true;
  return put(report, result, true);
}

static rowlock_code_t notify(rlk_check_report_t* report, const char* level, const char* path, const char* sentence) {
  sarif_report_t* sarif = (sarif_report_t*)report;
  if (json_object_array_length(sarif->notifications) == NOTIFICATIONS_MAX) {
    ++sarif->notifications_left_out;
    return ROWLOCK_OK;
  }
  json_object* notification = json_object_new_object();
  bool complete = rlk_json_member_text(notification, "level", level);
  complete &= rlk_json_member(notification, "message", message_object(sentence, &complete));
  if (path) {
    json_object* location = json_object_new_object();
    complete &= rlk_json_member(location, "physicalLocation", artifact_object(path, &complete));
    complete &= put_locations(notification, location);
  }
  return rlk_json_element(sarif->notifications, notification) && complete ? ROWLOCK_OK : ROWLOCK_NO_MEMORY;
}

static rowlock_code_t document(rlk_check_report_t* report, const rlk_judgement_t* judgement) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < rowlock_findings_count(judgement->findings) && !code; ++i) {
    if (!rlk_judgement_counts(judgement, i)) continue;
    code = put_result(report, rowlock_findings_at(judgement->findings, i), rlk_findings_rule(judgement->findings, i));
  }
  if (code || judgement->findings_dropped == 0) return code;
  char sentence[128];
  const char* least = judgement->findings_dropped == ROWLOCK_FINDINGS_DROPPED_MAX ? "at least " : "";
  snprintf(sentence, sizeof sentence, "%s%" PRIu64 " more findings: only the first %d of a document are kept", least,
           judgement->findings_dropped, ROWLOCK_FINDINGS_MAX);
  return notify(report, "warning", judgement->path, sentence);
}

static rowlock_code_t unreadable(rlk_check_report_t* report, const char* path, const char* sentence) {
  return notify(report, "error", path, sentence);
}

/* --- The end ------------------------------------------------------------------------------------------------------ */

static bool append_left_out(sarif_report_t* sarif) {
  if (sarif->notifications_left_out == 0) return true;
  char sentence[128];
  snprintf(sentence, sizeof sentence, "%" PRIu64 " more notifications are not listed", sarif->notifications_left_out);
  json_object* notification = json_object_new_object();
  bool complete = rlk_json_member_text(notification, "level", "error");
  complete &= rlk_json_member(notification, "message", message_object(sentence, &complete));
  return rlk_json_element(sarif->notifications, notification) && complete;
}

static rowlock_code_t end(rlk_check_report_t* report, const rlk_check_summary_t* summary) {
  sarif_report_t* sarif = (sarif_report_t*)report;
  json_object* invocation = json_object_new_object();
  const bool successful = summary->exit_status <= rowlock_code_exit_status(ROWLOCK_REJECTED);
  bool complete = rlk_json_member(invocation, "executionSuccessful", json_object_new_boolean(successful)) &&
                  rlk_json_member(invocation, "exitCode", json_object_new_int(summary->exit_status));
  complete &= append_left_out(sarif);
  complete &= rlk_json_member(invocation, "toolExecutionNotifications", json_object_get(sarif->notifications));
  fputs("\n],\n\"invocations\":[", report->out);
  const rowlock_code_t code = put(report, invocation, complete);
  fputs("]}]}\n", report->out);
  return code;
}

static void destroy(rlk_check_report_t* report) {
  json_object_put(((sarif_report_t*)report)->notifications);
  free(report);
}

rlk_check_report_t* rlk_check_sarif_report_create(FILE* out) {
  sarif_report_t* report = calloc(1, sizeof *report);
  json_object* notifications = json_object_new_array();
  if (!report || !notifications) {
    json_object_put(notifications);
    free(report);
    return NULL;
  }
  report->notifications = notifications;
  report->base = (rlk_check_report_t){
      .begin = begin, .document = document, .unreadable = unreadable, .end = end, .destroy = destroy, .out = out};
  return &report->base;
}
