/* What earlier runs of the fuzzers of artifacts have found, each for a part of the readers that no other reaches. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <stdio.h>

#include "loader/artifact/trial.h"

TestSuite(seeds, .timeout = 60);

static void expect_to_hold(const char* path, rlk_artifact_trial_t* trial) {
  static char bytes[65536];
  FILE* file = fopen(path, "rb");
  cr_assert(ne(ptr, file, NULL), "%s", path);
  const size_t length = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  cr_assert(lt(sz, length, sizeof bytes), "%s", path);
  cr_expect(rlk_artifact_trial_holds(trial, bytes, length), "%s: %s", path, trial->problem);
}

static void expect_all_to_hold(const char* kind) {
  char folder[128], path[512];
  snprintf(folder, sizeof folder, "tools/fuzz/seeds/%s", kind);
  DIR* stream = opendir(folder);
  cr_assert(ne(ptr, stream, NULL), "%s", folder);
  rlk_artifact_trial_t trial = {0};
  size_t count = 0;
  for (const struct dirent* entry; (entry = readdir(stream)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    expect_to_hold(path, &trial);
    ++count;
  }
  closedir(stream);
  rlk_arena_deinit(&trial.arena);
  cr_expect(gt(sz, count, 10), "only %zu seeds are in %s", count, folder);
}

Test(seeds, of_ptx_hold) { expect_all_to_hold("ptx"); }
Test(seeds, of_elf_files_hold) { expect_all_to_hold("elf"); }
Test(seeds, of_fatbins_hold) { expect_all_to_hold("fatbin"); }
