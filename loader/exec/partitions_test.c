#include "loader/exec/partitions.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

enum { N = 10 };

static rowlock_code_t check(const rowlock_partition_t* partitions, size_t count, int64_t samples,
                            rowlock_error_t* err) {
  *err = (rowlock_error_t){0};
  return rlk_partitions_check(partitions, count, samples, err);
}

static void expect_refused(const rowlock_partition_t* partitions, size_t count, int64_t samples, const char* message) {
  rowlock_error_t err;
  cr_expect(eq(int, check(partitions, count, samples, &err), ROWLOCK_REJECTED), "%s", message);
  cr_expect(eq(str, err.message, (char*)message));
}

static void expect_sound(const rowlock_partition_t* partitions, size_t count, int64_t samples) {
  rowlock_error_t err;
  cr_expect(eq(int, check(partitions, count, samples, &err), ROWLOCK_OK), "%s", err.message);
}

#define PARTS(...) \
  (rowlock_partition_t[]){__VA_ARGS__}, sizeof((rowlock_partition_t[]){__VA_ARGS__}) / sizeof(rowlock_partition_t)

Test(partitions, cover_the_run_in_order) {
  expect_sound(PARTS({0, N, N}), N);
  expect_sound(PARTS({0, 1, N}, {1, 8, N}, {9, 1, N}), N);
  expect_sound(PARTS({0, INT64_MAX, INT64_MAX}), INT64_MAX);
}

Test(partitions, of_no_samples_are_one_that_is_empty) {
  expect_sound(PARTS({0, 0, 0}), 0);
  expect_refused(PARTS({0, 0, 0}, {0, 0, 0}), 0, "partition 0 has 0 samples; each has at least one");
}

Test(partitions, are_contiguous) {
  expect_refused(PARTS({1, 9, N}), N, "partition 0 begins at 1, 0 is due: partitions are contiguous");
  expect_refused(PARTS({0, 4, N}, {5, 5, N}), N, "partition 1 begins at 5, 4 is due: partitions are contiguous");
  expect_refused(PARTS({0, 4, N}, {3, 7, N}), N, "partition 1 begins at 3, 4 is due: partitions are contiguous");
  expect_refused(PARTS({5, 5, N}, {0, 5, N}), N, "partition 0 begins at 5, 0 is due: partitions are contiguous");
}

Test(partitions, are_not_empty) {
  expect_refused(PARTS({0, 0, N}, {0, N, N}), N, "partition 0 has 0 samples; each has at least one");
  expect_refused(PARTS({0, N, N}, {N, 0, N}), N, "partition 1 has 0 samples; each has at least one");
  expect_refused(PARTS({0, -1, N}), N, "partition 0 has -1 samples; each has at least one");
}

Test(partitions, end_where_the_run_ends) {
  expect_refused(PARTS({0, 9, N}), N, "the partitions end at 9, the run has 10 samples");
  expect_refused(PARTS({0, 11, N}), N, "the partitions end at 11, the run has 10 samples");
  expect_refused(PARTS({0, 5, N}, {5, INT64_MAX, N}), N,
                 "the partitions end at 9223372036854775812, the run has 10 samples");
  expect_refused(PARTS({0, 1, INT64_MAX}, {1, INT64_MAX, INT64_MAX}), INT64_MAX,
                 "the partitions end at 9223372036854775808, the run has 9223372036854775807 samples");
}

Test(partitions, carry_the_sample_count_of_the_run) {
  expect_refused(PARTS({0, 5, 5}, {5, 5, N}), N, "partition 0 carries nSamples 5, the run has 10");
  expect_refused(PARTS({0, 5, N}, {5, 5, 5}), N, "partition 1 carries nSamples 5, the run has 10");
}

/* --- Parts of a run ----------------------------------------------------------------------------------------------- */

static void expect_part(const rowlock_partition_t* partitions, size_t count, int64_t samples) {
  rowlock_error_t err = {0};
  cr_expect(eq(int, rlk_part_check(partitions, count, samples, &err), ROWLOCK_OK), "%s", err.message);
}

static void expect_no_part(const rowlock_partition_t* partitions, size_t count, int64_t samples, const char* message) {
  rowlock_error_t err = {0};
  cr_expect(eq(int, rlk_part_check(partitions, count, samples, &err), ROWLOCK_REJECTED), "%s", message);
  cr_expect(eq(str, err.message, (char*)message));
}

Test(parts, are_anywhere_in_the_run) {
  expect_part(PARTS({0, 1, N}), N);
  expect_part(PARTS({N - 1, 1, N}), N);
  expect_part(PARTS({1, 2, N}, {3, 1, N}, {8, 2, N}), N);
  expect_part(PARTS({0, N, N}), N);
  expect_part(PARTS({INT64_MAX - 1, 1, INT64_MAX}), INT64_MAX);
  expect_part(PARTS({0, 0, 0}), 0);
}

Test(parts, are_in_order_and_disjoint) {
  expect_no_part(PARTS({5, 2, N}, {0, 2, N}), N,
                 "partition 1 of the part begins at 0, 7 is the earliest: they are in order and disjoint");
  expect_no_part(PARTS({5, 2, N}, {6, 2, N}), N,
                 "partition 1 of the part begins at 6, 7 is the earliest: they are in order and disjoint");
  expect_no_part(PARTS({5, 2, N}, {5, 2, N}), N,
                 "partition 1 of the part begins at 5, 7 is the earliest: they are in order and disjoint");
  expect_no_part(PARTS({-1, 2, N}), N,
                 "partition 0 of the part begins at -1, 0 is the earliest: they are in order and disjoint");
  expect_no_part(PARTS({INT64_MIN, INT64_MAX, N}), N,
                 "partition 0 of the part begins at -9223372036854775808, 0 is the earliest: they are in order and "
                 "disjoint");
}

Test(parts, are_not_empty) {
  expect_no_part(PARTS({3, 0, N}), N, "partition 0 has 0 samples; each has at least one");
  expect_no_part(PARTS({3, 1, N}, {N, 0, N}), N, "partition 1 has 0 samples; each has at least one");
  expect_no_part(PARTS({3, -2, N}), N, "partition 0 has -2 samples; each has at least one");
  expect_no_part(PARTS({3, INT64_MIN, N}), N, "partition 0 has -9223372036854775808 samples; each has at least one");
  expect_no_part(PARTS({0, 0, 0}, {0, 0, 0}), 0, "partition 0 has 0 samples; each has at least one");
}

Test(parts, end_inside_the_run) {
  expect_no_part(PARTS({N, 1, N}), N, "the partitions end at 11, the run has 10 samples");
  expect_no_part(PARTS({N - 1, 2, N}), N, "the partitions end at 11, the run has 10 samples");
  expect_no_part(PARTS({0, 1, 0}), 0, "the partitions end at 1, the run has 0 samples");
  expect_no_part(PARTS({1, INT64_MAX, N}), N, "the partitions end at 9223372036854775808, the run has 10 samples");
  expect_no_part(PARTS({INT64_MAX, INT64_MAX, INT64_MAX}), INT64_MAX,
                 "the partitions end at 18446744073709551614, the run has 9223372036854775807 samples");
}

Test(parts, carry_the_sample_count_of_the_run) {
  expect_no_part(PARTS({3, 2, 2}), N, "partition 0 carries nSamples 2, the run has 10");
  expect_no_part(PARTS({3, 2, N}, {5, 1, 11}), N, "partition 1 carries nSamples 11, the run has 10");
}
