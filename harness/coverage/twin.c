#include "harness/coverage/twin.h"

#include <stdio.h>
#include <string.h>

#include "loader/files.h"
#include "validator/rules/text.h"

enum { FIXTURE_BYTES_MAX = 64 * 1024 * 1024, PATH_BYTES = 4096 };

static const char recipe_suffix[] = ".derived.json";

/* The files of a row's fixture: what is compared with its twin's. */
typedef struct fixture_t {
  rlk_tree_t files;
  size_t at;
  size_t prefix; /* of the paths: what names the row, or the deployment */
} fixture_t;

/* Whether the file is made of a device source beside it, which is what is compared. */
static bool is_compiled(const fixture_t* fixture, const char* path) {
  static const char extension[] = ".ptx", source_extension[] = ".cu";
  const size_t length = strlen(path), stem = length - strlen(extension);
  if (length < strlen(extension) || strcmp(path + stem, extension) != 0) return false;
  for (size_t i = 0; i < fixture->files.count; ++i) {
    const char* source = fixture->files.paths[i];
    if (strncmp(source, path, stem) == 0 && strcmp(source + stem, source_extension) == 0) return true;
  }
  return false;
}

/* The next file by what its name has beside the prefix; NULL at the end. A shared deployment is the fixture then. */
static const char* next_file(fixture_t* fixture, const rlk_row_t* row) {
  for (; fixture->at < fixture->files.count; ++fixture->at) {
    const char* path = fixture->files.paths[fixture->at];
    if (is_compiled(fixture, path)) continue;
    const bool is_shared =
        row->deployment && strncmp(path, row->deployment, fixture->prefix) == 0 && path[fixture->prefix] == '/';
    if (row->deployment ? is_shared : strcmp(path + fixture->prefix, RLK_EXPECT_SUFFIX) != 0) {
      return path + fixture->prefix;
    }
  }
  return NULL;
}

static rowlock_code_t open_fixture(fixture_t* fixture, const rlk_corpus_t* corpus, const rlk_row_t* row,
                                   rowlock_error_t* err) {
  *fixture =
      (fixture_t){.prefix = row->deployment ? strlen(row->deployment) : strlen(row->folder) + 1 + strlen(row->stem)};
  return rlk_corpus_list_files(corpus, row, &fixture->files, err);
}

static size_t differing_bytes(const char* a, size_t a_length, const char* b, size_t b_length) {
  const size_t shorter = a_length < b_length ? a_length : b_length;
  size_t front = 0, back = 0;
  while (front < shorter && a[front] == b[front]) ++front;
  while (back < shorter - front && a[a_length - 1 - back] == b[b_length - 1 - back]) ++back;
  return (a_length > b_length ? a_length : b_length) - front - back;
}

/* The length of the path of what is compared: of what a recipe makes, where it is one. */
static size_t made_length(const char* path) {
  const size_t length = strlen(path), suffix = sizeof recipe_suffix - 1;
  const bool is_recipe = length > suffix && strcmp(path + length - suffix, recipe_suffix) == 0;
  return is_recipe ? length - suffix : length;
}

static int compare_names(const char* a, const char* b) {
  const size_t a_length = made_length(a), b_length = made_length(b);
  const int order = strncmp(a, b, a_length < b_length ? a_length : b_length);
  return order != 0 || a_length == b_length ? order : a_length < b_length ? -1 : 1;
}

static rowlock_code_t compare_texts(const char* path, const char* other, rlk_file_buffer_t buffers[2],
                                    size_t* out_bytes, rowlock_error_t* err) {
  rowlock_code_t code = rlk_file_read(path, FIXTURE_BYTES_MAX, &buffers[0], err);
  if (!code) code = rlk_file_read(other, FIXTURE_BYTES_MAX, &buffers[1], err);
  *out_bytes = code ? 0 : differing_bytes(buffers[0].bytes, buffers[0].length, buffers[1].bytes, buffers[1].length);
  return code;
}

static rowlock_code_t compare_files(const char* path, const char* other, rlk_file_buffer_t buffers[2],
                                    size_t* out_bytes, rowlock_error_t* err) {
  char made[PATH_BYTES], other_made[PATH_BYTES];
  const bool is_recipe = path[made_length(path)] != '\0', other_is_recipe = other[made_length(other)] != '\0';
  size_t bytes = SIZE_MAX;
  rowlock_code_t code = ROWLOCK_OK;
  if (is_recipe == other_is_recipe) code = compare_texts(path, other, buffers, &bytes, err);
  *out_bytes = bytes;
  if (code || bytes == 0 || (!is_recipe && !other_is_recipe)) return code;
  snprintf(made, sizeof made, "%.*s", (int)made_length(path), path);
  snprintf(other_made, sizeof other_made, "%.*s", (int)made_length(other), other);
  code = compare_texts(made, other_made, buffers, out_bytes, err);
  if (bytes < *out_bytes) *out_bytes = bytes;
  return code;
}

static void note(rlk_twin_distance_t* distance, const char* file, size_t bytes) {
  ++distance->files;
  if (bytes > distance->bytes) distance->bytes = bytes;
  snprintf(distance->file, sizeof distance->file, "%s", file);
}

/* What is launched of a fixture is part of it. */
static void compare_launches(const rlk_row_t* row, const rlk_row_t* twin, rlk_twin_distance_t* distance) {
  if (!row->launch || !twin->launch) return;
  const size_t bytes = differing_bytes(row->launch, row->launch_length, twin->launch, twin->launch_length);
  if (bytes > 0) note(distance, "launch", bytes);
}

/* So is the machine that an artifact is to go to. */
static void compare_machines(const rlk_row_t* row, const rlk_row_t* twin, rlk_twin_distance_t* distance) {
  const size_t driver = row->machine.driver != twin->machine.driver, sm = row->machine.sm != twin->machine.sm;
  if (driver + sm > 0) note(distance, "machine", driver * sizeof row->machine.driver + sm * sizeof row->machine.sm);
}

static rowlock_code_t compare_fixtures(const rlk_row_t* row, fixture_t* fixture, const rlk_row_t* twin,
                                       fixture_t* twin_fixture, rlk_twin_distance_t* distance, rowlock_error_t* err) {
  rlk_file_buffer_t buffers[2] = {{0}, {0}};
  rowlock_code_t code = ROWLOCK_OK;
  while (!code) {
    const char* file = next_file(fixture, row);
    const char* twin_file = next_file(twin_fixture, twin);
    if (!file && !twin_file) break;
    const int order = !file ? 1 : !twin_file ? -1 : compare_names(file, twin_file);
    if (order == 0) {
      size_t bytes;
      code = compare_files(file - fixture->prefix, twin_file - twin_fixture->prefix, buffers, &bytes, err);
      if (bytes > 0) note(distance, file, bytes);
    } else {
      note(distance, order < 0 ? file : twin_file, 0);
    }
    fixture->at += order <= 0;
    twin_fixture->at += order >= 0;
  }
  rlk_file_buffer_deinit(&buffers[0]);
  rlk_file_buffer_deinit(&buffers[1]);
  return code;
}

rowlock_code_t rlk_twin_measure(const rlk_corpus_t* corpus, const rlk_row_t* row, const rlk_row_t* twin,
                                rlk_twin_distance_t* out_distance, rowlock_error_t* err) {
  *out_distance = (rlk_twin_distance_t){0};
  fixture_t fixture = {0}, twin_fixture = {0};
  rowlock_code_t code = open_fixture(&fixture, corpus, row, err);
  if (!code) code = open_fixture(&twin_fixture, corpus, twin, err);
  if (!code) code = compare_fixtures(row, &fixture, twin, &twin_fixture, out_distance, err);
  if (!code) compare_launches(row, twin, out_distance);
  if (!code) compare_machines(row, twin, out_distance);
  rlk_tree_deinit(&fixture.files);
  rlk_tree_deinit(&twin_fixture.files);
  return code;
}

bool rlk_twin_is_near(const rlk_twin_distance_t* distance) {
  return distance->files == 1 && distance->bytes <= RLK_TWIN_BYTES_MAX;
}
