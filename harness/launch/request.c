#define _GNU_SOURCE /* open_memstream */
#include "harness/launch/request.h"

#include <stdlib.h>
#include <string.h>

#include "harness/json/json.h"
#include "harness/launch/perform.h"
#include "validator/rules/text.h"
#include "validator/wire/reader.h"

enum { REQUEST_BYTES_MAX = 64 * 1024 * 1024 };

/* The strings and the flags of a request, for both directions: their keys and where they are. */
static const struct {
  const char* key;
  size_t offset;
} texts[] = {{"document", offsetof(rlk_request_t, document)},
             {"object_path", offsetof(rlk_request_t, object_path)},
             {"object_folder", offsetof(rlk_request_t, object_folder)}},
  flags[] = {{"is_sidecar", offsetof(rlk_request_t, is_sidecar)},
             {"files_anywhere", offsetof(rlk_request_t, files_anywhere)},
             {"plan_only", offsetof(rlk_request_t, plan_only)},
             {"on_device", offsetof(rlk_request_t, on_device)}};
enum { TEXT_COUNT = sizeof texts / sizeof *texts, FLAG_COUNT = sizeof flags / sizeof *flags };

/* --- Writing ------------------------------------------------------------------------------------------------------ */

/* Paths are bytes: written one by one in hexadecimal, since JSON has no way to say those that are not UTF-8. */
static json_object* path_to_json(const char* path) {
  const size_t length = strlen(path);
  char* hex = malloc(2 * length + 1);
  if (!hex) return NULL;
  for (size_t i = 0; i < length; ++i) snprintf(hex + 2 * i, 3, "%02x", (unsigned char)path[i]);
  hex[2 * length] = '\0';
  json_object* value = json_object_new_string(hex);
  free(hex);
  return value;
}

static json_object* to_json(const rlk_request_t* request) {
  json_object* object = json_object_new_object();
  bool complete = rlk_json_member_number(object, "thread_count", request->thread_count) &&
                  rlk_json_member_number(object, "device_ordinal", request->device_ordinal);
  for (int i = 0; i < TEXT_COUNT; ++i) {
    const char* text = *(const char* const*)((const char*)request + texts[i].offset);
    if (text) complete = complete && rlk_json_member(object, texts[i].key, path_to_json(text));
  }
  for (int i = 0; i < FLAG_COUNT; ++i) {
    const bool flag = *(const bool*)((const char*)request + flags[i].offset);
    complete = complete && rlk_json_member_number(object, flags[i].key, flag);
  }
  if (complete) return object;
  json_object_put(object);
  return NULL;
}

rowlock_code_t rlk_request_write(const rlk_request_t* request, char** out_text, size_t* out_length,
                                 rowlock_error_t* err) {
  *out_text = NULL;
  json_object* object = to_json(request);
  FILE* memory = object ? open_memstream(out_text, out_length) : NULL;
  bool written = memory != NULL;
  if (memory) {
    fputs("{\"request\":", memory);
    rlk_json_write(memory, object);
    fputs(",\"launch\":", memory);
    fwrite(request->launch, 1, request->launch_length, memory); /* as it was written, to the last digit */
    fputs("}\n", memory);
    written = fclose(memory) == 0;
  }
  json_object_put(object);
  if (written) return ROWLOCK_OK;
  free(*out_text);
  *out_text = NULL;
  return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for a request");
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

typedef struct reading_t {
  rlk_arena_t arena; /* of the nodes and of what the launch holds */
  rowlock_findings_t* findings;
  char* text;
  size_t length;
  rowlock_error_t* err;
  bool is_refused;
} reading_t;

static rowlock_code_t slurp(FILE* in, reading_t* reading) {
  size_t capacity = 0;
  for (;;) {
    if (reading->length == capacity) {
      capacity = capacity ? 2 * capacity : 65536;
      char* text = capacity <= 2 * (size_t)REQUEST_BYTES_MAX ? realloc(reading->text, capacity) : NULL;
      if (!text) return rlk_fail(reading->err, ROWLOCK_NO_MEMORY, "no memory for a request of that size");
      reading->text = text;
    }
    const size_t length = fread(reading->text + reading->length, 1, capacity - reading->length, in);
    reading->length += length;
    if (length == 0)
      return ferror(in) ? rlk_fail(reading->err, ROWLOCK_UNUSABLE, "no request can be read") : ROWLOCK_OK;
  }
}

static void bad_value(void* context, const rlk_node_t* at, const char* key, const char* expected) {
  reading_t* reading = context;
  if (reading->is_refused) return;
  reading->is_refused = true;
  char shown[400];
  rlk_text_t text = rlk_text_over(shown, sizeof shown);
  rlk_text_put_shown(&text, reading->text + at->begin, at->end - at->begin, 60);
  rlk_fail(reading->err, ROWLOCK_UNUSABLE, "%s must be %s, not %s", key, expected, shown);
}

static void unknown_key(void* context, const rlk_node_t* at, const char* known) {
  reading_t* reading = context;
  if (reading->is_refused) return;
  reading->is_refused = true;
  char shown[400];
  rlk_text_t text = rlk_text_over(shown, sizeof shown);
  rlk_text_put_shown(&text, at->key, at->key_length, 60);
  rlk_fail(reading->err, ROWLOCK_UNUSABLE, "unknown key '%s' (known: %s)", shown, known);
}

static int hex_digit(char digit) {
  return digit >= '0' && digit <= '9' ? digit - '0' : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* NULL where the key is absent. */
static const char* read_path(reading_t* reading, const rlk_node_t* request, const char* key, rowlock_code_t* code) {
  const rlk_node_t* node;
  if (rlk_node_get(request, key, RLK_STRING, &node) != RLK_FOUND) return NULL;
  const size_t length = node->text_length / 2;
  char* path = rlk_arena_alloc(&reading->arena, length + 1);
  if (!path) {
    *code = rlk_fail(reading->err, ROWLOCK_NO_MEMORY, "no memory for a path");
    return NULL;
  }
  bool sound = node->text_length % 2 == 0;
  for (size_t i = 0; i < length && sound; ++i) {
    const int high = hex_digit(node->text[2 * i]), low = hex_digit(node->text[2 * i + 1]);
    sound = high >= 0 && low >= 0;
    if (sound) path[i] = (char)(high << 4 | low);
  }
  if (!sound) {
    *code = rlk_fail(reading->err, ROWLOCK_UNUSABLE, "a path is malformed");
    return NULL;
  }
  path[length] = '\0';
  return path;
}

static int64_t read_number(const rlk_node_t* request, const char* key) {
  const rlk_node_t* node = rlk_node_member(request, key);
  return node && rlk_node_is_integer(node) ? node->integer : 0;
}

static rowlock_code_t read_request(reading_t* reading, const rlk_node_t* root, rlk_request_t* out) {
  const rlk_node_t* request = rlk_node_member(root, "request");
  rowlock_code_t code = ROWLOCK_OK;
  for (int i = 0; i < TEXT_COUNT && !code; ++i) {
    *(const char**)((char*)out + texts[i].offset) = read_path(reading, request, texts[i].key, &code);
  }
  for (int i = 0; i < FLAG_COUNT; ++i) {
    *(bool*)((char*)out + flags[i].offset) = read_number(request, flags[i].key) != 0;
  }
  out->thread_count = (uint32_t)read_number(request, "thread_count");
  out->device_ordinal = (uint32_t)read_number(request, "device_ordinal");
  if (!code && !out->document) code = rlk_fail(reading->err, ROWLOCK_UNUSABLE, "the request names no document");
  return code;
}

static rowlock_code_t parse(reading_t* reading, rlk_document_t* out_document) {
  rowlock_limits_t limits = rlk_limits_effective(NULL);
  limits.size_bytes = REQUEST_BYTES_MAX;
  const rlk_read_options_t options = {.path = "request", .limits = limits, .door = -1, .switched_off = RLK_RULE_NONE};
  reading->findings = rowlock_findings_create();
  if (!reading->findings) return rlk_fail(reading->err, ROWLOCK_NO_MEMORY, "no memory for a request");
  const rowlock_code_t code =
      rlk_read(reading->text, reading->length, &options, &reading->arena, reading->findings, out_document);
  if (code == ROWLOCK_REJECTED) {
    return rlk_fail(reading->err, ROWLOCK_UNUSABLE, "%s", rowlock_findings_at(reading->findings, 0)->message);
  }
  return code ? rlk_fail(reading->err, code, "%s", rowlock_code_meaning(code)) : ROWLOCK_OK;
}

static rowlock_code_t read_and_perform(reading_t* reading, const rlk_document_t* document, int out_file,
                                       rlk_tell_t tell, void* context, json_object** out_report) {
  rlk_request_t request = {0};
  rowlock_code_t code = read_request(reading, document->root, &request);
  const rlk_node_t* object = rlk_node_member(document->root, "launch");
  if (!code && !object) code = rlk_fail(reading->err, ROWLOCK_UNUSABLE, "the request has no launch");
  if (code) return code;
  rlk_launch_t launch;
  const rlk_launch_reader_t reader = {&reading->arena, reading, bad_value, unknown_key};
  code = rlk_launch_read(&reader, object, &launch);
  if (code) return rlk_fail(reading->err, code, "no memory for a launch");
  if (reading->is_refused) return ROWLOCK_UNUSABLE;
  const rlk_performance_t performance = {.document = request.document,
                                         .is_sidecar = request.is_sidecar,
                                         .object_path = request.object_path,
                                         .object_folder = request.object_folder,
                                         .out_file = out_file,
                                         .files_anywhere = request.files_anywhere,
                                         .plan_only = request.plan_only,
                                         .on_device = request.on_device,
                                         .device_ordinal = request.device_ordinal,
                                         .thread_count = request.thread_count,
                                         .launch = &launch,
                                         .tell = tell,
                                         .context = context};
  return rlk_perform(&performance, out_report, reading->err);
}

rowlock_code_t rlk_request_perform(FILE* request, int out_file, rlk_tell_t tell, void* context,
                                   json_object** out_report, rowlock_error_t* err) {
  *out_report = NULL;
  reading_t reading = {.err = err};
  rlk_document_t document = {0};
  rowlock_code_t code = slurp(request, &reading);
  if (!code) code = parse(&reading, &document);
  if (!code) code = read_and_perform(&reading, &document, out_file, tell, context, out_report);
  rowlock_findings_destroy(reading.findings);
  rlk_arena_deinit(&reading.arena);
  free(reading.text);
  return code;
}
