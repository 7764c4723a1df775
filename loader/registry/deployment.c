#define _GNU_SOURCE /* memmem */
#include "loader/registry/deployment.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/files.h"

static const char testdata[] = "loader/registry/testdata";

const char* rlk_testdata_path(const char* name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", testdata, name);
  return path;
}

static rlk_file_buffer_t read_whole(const char* path) {
  rlk_file_buffer_t buffer = {0};
  rowlock_error_t err = {0};
  cr_assert(eq(i32, (int)rlk_file_read(path, 1 << 20, &buffer, &err), ROWLOCK_OK), "%s: %s", path, err.message);
  return buffer;
}

static void copy_documents(const rlk_test_folder_t* folder) {
  DIR* directory = opendir(testdata);
  cr_assert(not(zero(ptr, directory)), "there is no %s here", testdata);
  size_t count = 0;
  for (const struct dirent* entry; (entry = readdir(directory)) != NULL;) {
    const size_t length = strlen(entry->d_name);
    if (length < 5 || strcmp(entry->d_name + length - 5, ".json") != 0) continue;
    rlk_file_buffer_t buffer = read_whole(rlk_testdata_path(entry->d_name));
    rlk_test_folder_write(folder, entry->d_name, buffer.bytes, buffer.length);
    rlk_file_buffer_deinit(&buffer);
    ++count;
  }
  closedir(directory);
  cr_assert(lt(sz, 0, count), "%s holds no document", testdata);
}

void rlk_deployment_create(rlk_deployment_t* deployment) {
  *deployment = (rlk_deployment_t){.findings = rowlock_findings_create()};
  cr_assert(not(zero(ptr, deployment->findings)));
  rlk_test_folder_create(&deployment->folder);
  copy_documents(&deployment->folder);
  cr_assert(eq(i32, (int)rowlock_registry_create(&deployment->registry, &deployment->err), ROWLOCK_OK));
}

void rlk_deployment_destroy(rlk_deployment_t* deployment) {
  rowlock_registry_destroy(deployment->registry);
  rowlock_findings_destroy(deployment->findings);
  rlk_test_folder_remove(&deployment->folder);
}

void rlk_deployment_edit(const rlk_deployment_t* deployment, const char* document, const char* from, const char* to) {
  rlk_file_buffer_t buffer = read_whole(rlk_test_folder_at(&deployment->folder, document));
  const char* const end = buffer.bytes + buffer.length;
  const char* at = memmem(buffer.bytes, buffer.length, from, strlen(from));
  cr_assert(not(zero(ptr, (void*)at)), "%s does not hold %s", document, from);
  const char* behind = at + strlen(from);
  cr_assert(zero(ptr, memmem(behind, (size_t)(end - behind), from, strlen(from))), "%s holds %s twice", document, from);
  const size_t length = buffer.length - strlen(from) + strlen(to);
  char* text = malloc(length + 1);
  cr_assert(not(zero(ptr, text)));
  snprintf(text, length + 1, "%.*s%s%.*s", (int)(at - buffer.bytes), buffer.bytes, to, (int)(end - behind), behind);
  rlk_test_folder_write(&deployment->folder, document, text, length);
  free(text);
  rlk_file_buffer_deinit(&buffer);
}

rowlock_load_options_t rlk_deployment_options(void) { return (rowlock_load_options_t){.object_folder = testdata}; }

rowlock_code_t rlk_deployment_add(rlk_deployment_t* deployment, const char* name) {
  char document[128];
  snprintf(document, sizeof document, "%s.manifest.json", name);
  const rowlock_load_options_t options = rlk_deployment_options();
  return rowlock_registry_add_manifest(deployment->registry, rlk_test_folder_at(&deployment->folder, document),
                                       &options, deployment->findings, &deployment->err);
}

bool rlk_same_bytes(const void* a, const void* b, size_t size) { return memcmp(a, b, size) == 0; }

void rlk_deployment_expect_ok(const rlk_deployment_t* deployment, rowlock_code_t code, const char* what) {
  cr_assert(eq(str, (char*)rowlock_code_name(code), (char*)"OK"), "%s: %s", what, deployment->err.message);
}

void rlk_deployment_expect_refused(const rlk_deployment_t* deployment, rowlock_code_t code, const char* rule_id,
                                   const char* words) {
  const char* got = deployment->err.rule_id ? deployment->err.rule_id : "no rule";
  cr_expect(eq(str, (char*)rowlock_code_name(code), (char*)"REJECTED"), "%s is due; %s", rule_id,
            deployment->err.message);
  cr_expect(eq(str, (char*)got, (char*)rule_id), "%s", deployment->err.message);
  cr_expect(not(zero(ptr, strstr(deployment->err.message, words))), "'%s' is not in: %s", words,
            deployment->err.message);
}
