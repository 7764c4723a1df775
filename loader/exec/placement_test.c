#include "loader/exec/placement.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

enum { PART = 0 }; /* in place of a number of partitions: one, and not the whole run */

static rowlock_code_t place(rlk_word_t tag, rlk_word_t access, rowlock_structure_t structure, size_t partitions,
                            rowlock_error_t* err) {
  const rlk_share_t share = {.partition_count = partitions == PART ? 1 : partitions, .is_part = partitions == PART};
  const rlk_description_t plugin = {.id = "gravity", .tag = tag, .access = access};
  *err = (rowlock_error_t){0};
  return rlk_placement_check(&plugin, structure, share, err);
}

static void expect_legal(rlk_word_t tag, rlk_word_t access, rowlock_structure_t structure, size_t partitions) {
  rowlock_error_t err;
  cr_expect(eq(int, place(tag, access, structure, partitions, &err), ROWLOCK_OK), "%s", err.message);
}

static void expect_illegal(rlk_word_t tag, rlk_word_t access, rowlock_structure_t structure, size_t partitions,
                           const char* rule_id, const char* words) {
  rowlock_error_t err;
  cr_assert(eq(int, place(tag, access, structure, partitions, &err), ROWLOCK_REJECTED), "%s on %s", words,
            rowlock_structure_name(structure));
  cr_expect(eq(str, (char*)err.rule_id, (char*)rule_id));
  cr_expect(not(zero(ptr, strstr(err.message, words))), "'%s' is not in: %s", words, err.message);
}

Test(placement, of_bodies_that_write_their_own_samples_is_free) {
  static const rlk_word_t free_[] = {RLK_WORD_SAMPLE_LOCAL, RLK_WORD_CROSS_SAMPLE_READ, RLK_WORD_MAPREDUCE};
  for (size_t i = 0; i < 3; ++i) {
    for (int structure = 0; structure < ROWLOCK_STRUCTURE_COUNT; ++structure) {
      expect_legal(RLK_WORD_ABI_2, free_[i], (rowlock_structure_t)structure, 1);
      expect_legal(RLK_WORD_ABI_2, free_[i], (rowlock_structure_t)structure, 5);
      expect_legal(RLK_WORD_ABI_2, free_[i], (rowlock_structure_t)structure, PART);
    }
  }
}

Test(placement, of_a_body_that_writes_across_samples_is_one_partition_on_one_device_or_host) {
  const rlk_word_t access = RLK_WORD_CROSS_SAMPLE_WRITE;
  expect_legal(RLK_WORD_ABI_2, access, ROWLOCK_STRUCTURE_HOST_SERIAL, 1);
  expect_legal(RLK_WORD_ABI_2, access, ROWLOCK_STRUCTURE_HOST_TEAM, 1);
  expect_legal(RLK_WORD_ABI_2, access, ROWLOCK_STRUCTURE_DEVICE_KERNEL, 1);
  expect_illegal(RLK_WORD_ABI_2, access, ROWLOCK_STRUCTURE_HOST_SERIAL, 2, "exec.illegal-placement",
                 "illegal placement: plugin 'gravity' is cross_sample_write");
  expect_illegal(RLK_WORD_ABI_2, access, ROWLOCK_STRUCTURE_HOST_TEAM, 3, "exec.illegal-placement",
                 "not as 3 partitions under 'host_team'");
  expect_illegal(RLK_WORD_ABI_2, access, ROWLOCK_STRUCTURE_DEVICE_KERNEL, PART, "exec.illegal-placement",
                 "not as a part of the run under 'device_kernel'");
  expect_illegal(RLK_WORD_ABI_2, access, ROWLOCK_STRUCTURE_RANK_PARTITION, 1, "exec.illegal-placement",
                 "not as 1 partition under 'rank_partition'");
  expect_illegal(RLK_WORD_ABI_2, access, ROWLOCK_STRUCTURE_DEVICE_GROUP, 1, "exec.illegal-placement", "device_group");
}

Test(placement, of_a_body_of_which_nothing_is_promised_is_as_narrow) {
  expect_legal(RLK_WORD_ABI_2, RLK_WORD_NONE, ROWLOCK_STRUCTURE_HOST_TEAM, 1);
  expect_illegal(RLK_WORD_ABI_2, RLK_WORD_NONE, ROWLOCK_STRUCTURE_HOST_SERIAL, 2, "exec.illegal-placement",
                 "plugin 'gravity' declares no exec_access");
  expect_illegal(RLK_WORD_ABI_2, RLK_WORD_NONE, ROWLOCK_STRUCTURE_HOST_SERIAL, PART, "exec.illegal-placement",
                 "plugin 'gravity' declares no exec_access");
}

Test(placement, of_a_v1_body_is_whole_view_on_one_structure) {
  expect_legal(RLK_WORD_ABI_1, RLK_WORD_NONE, ROWLOCK_STRUCTURE_HOST_SERIAL, 1);
  expect_legal(RLK_WORD_ABI_1, RLK_WORD_NONE, ROWLOCK_STRUCTURE_HOST_TEAM, 1);
  expect_legal(RLK_WORD_ABI_1, RLK_WORD_NONE, ROWLOCK_STRUCTURE_DEVICE_KERNEL, 1);
  expect_illegal(RLK_WORD_ABI_1, RLK_WORD_NONE, ROWLOCK_STRUCTURE_HOST_SERIAL, 2, "exec.whole-view",
                 "may only be launched WHOLE-VIEW, not as 2 partitions");
  expect_illegal(RLK_WORD_ABI_1, RLK_WORD_NONE, ROWLOCK_STRUCTURE_HOST_TEAM, PART, "exec.whole-view",
                 "may only be launched WHOLE-VIEW, not as a part of the run");
  expect_illegal(RLK_WORD_ABI_1, RLK_WORD_NONE, ROWLOCK_STRUCTURE_RANK_PARTITION, 1, "exec.legacy-structure",
                 "may not be driven by execution structure 'rank_partition'");
  expect_illegal(RLK_WORD_ABI_1, RLK_WORD_NONE, ROWLOCK_STRUCTURE_DEVICE_GROUP, 2, "exec.legacy-structure",
                 "may not be driven by execution structure 'device_group'");
}

Test(placement, runs_whole_what_it_must_not_cut) {
  const struct {
    rlk_word_t tag, access;
    bool whole;
  } cases[] = {
      {RLK_WORD_ABI_1, RLK_WORD_NONE, true},
      {RLK_WORD_ABI_1, RLK_WORD_SAMPLE_LOCAL, true},
      {RLK_WORD_ABI_2, RLK_WORD_NONE, true},
      {RLK_WORD_ABI_2, RLK_WORD_CROSS_SAMPLE_WRITE, true},
      {RLK_WORD_ABI_2, RLK_WORD_CROSS_SAMPLE_READ, false},
      {RLK_WORD_ABI_2, RLK_WORD_SAMPLE_LOCAL, false},
      {RLK_WORD_ABI_2, RLK_WORD_MAPREDUCE, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const rlk_description_t plugin = {.tag = cases[i].tag, .access = cases[i].access};
    cr_expect(eq(int, rlk_runs_whole(&plugin), cases[i].whole), "case %zu", i);
  }
}

Test(structures, that_are_known_and_not_implemented_are_unavailable) {
  for (int structure = 0; structure < ROWLOCK_STRUCTURE_COUNT; ++structure) {
    rowlock_error_t err = {0};
    const bool host = structure <= ROWLOCK_STRUCTURE_HOST_TEAM;
    const rowlock_code_t code = rlk_structure_check((rowlock_structure_t)structure, false, &err);
    cr_expect(eq(int, code, host ? ROWLOCK_OK : ROWLOCK_UNAVAILABLE));
    if (host) continue;
    cr_expect(eq(str, (char*)err.rule_id, (char*)"exec.structure-unavailable"));
    cr_expect(not(zero(ptr, strstr(err.message, "(implemented: host_serial, host_team)"))), "%s", err.message);
  }
}

Test(structures, are_found_by_their_names) {
  for (int structure = 0; structure < ROWLOCK_STRUCTURE_COUNT; ++structure) {
    const char* name = rowlock_structure_name((rowlock_structure_t)structure);
    cr_expect(eq(int, rowlock_structure_find(name), structure), "%s", name);
  }
  cr_expect(eq(str, (char*)rowlock_structure_name(ROWLOCK_STRUCTURE_COUNT), (char*)"?"));
  cr_expect(eq(str, (char*)rowlock_structure_name((rowlock_structure_t)-1), (char*)"?"));
  cr_expect(eq(int, rowlock_structure_find("host_teams"), ROWLOCK_STRUCTURE_COUNT));
  cr_expect(eq(int, rowlock_structure_find(""), ROWLOCK_STRUCTURE_COUNT));
}
