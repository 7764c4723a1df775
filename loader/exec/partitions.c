#include "loader/exec/partitions.h"

#include "validator/rules/findings.h"

static rowlock_code_t refuse(rowlock_error_t* err, rlk_rule_t rule, size_t index, int64_t value, int64_t expected) {
  return rlk_refuse(err, rule,
                    RLK_SLOTS(rlk_slot_integer("index", (int64_t)index), rlk_slot_integer("value", value),
                              rlk_slot_integer("expected", expected)));
}

rowlock_code_t rlk_partitions_check(const rowlock_partition_t* partitions, size_t count, int64_t sample_count,
                                    rowlock_error_t* err) {
  int64_t due = 0;
  for (size_t i = 0; i < count; ++i) {
    const rowlock_partition_t* partition = &partitions[i];
    if (partition->sample_count != sample_count) {
      return refuse(err, RLK_RULE_EXEC_PARTITION_SAMPLES, i, partition->sample_count, sample_count);
    }
    if (partition->base != due) return refuse(err, RLK_RULE_EXEC_PARTITION_GAP, i, partition->base, due);
    const bool only_empty = sample_count == 0 && count == 1 && partition->count == 0;
    if (partition->count < 1 && !only_empty) {
      return refuse(err, RLK_RULE_EXEC_PARTITION_EMPTY, i, partition->count, 1);
    }
    if (__builtin_add_overflow(due, partition->count, &due)) due = INT64_MAX;
    if (due > sample_count) break;
  }
  return due == sample_count ? ROWLOCK_OK : refuse(err, RLK_RULE_EXEC_PARTITION_COVER, 0, due, sample_count);
}
