#include "loader/exec/partitions.h"

#include "validator/rules/findings.h"
#include "validator/rules/text.h"

static rowlock_code_t refuse(rowlock_error_t* err, rlk_rule_t rule, size_t index, int64_t value, int64_t expected) {
  return rlk_refuse(err, rule,
                    RLK_SLOTS(rlk_slot_integer("index", (int64_t)index), rlk_slot_integer("value", value),
                              rlk_slot_integer("expected", expected)));
}

/* An end may be beyond what an int64 holds. */
static rowlock_code_t refuse_end(rowlock_error_t* err, uint64_t end, int64_t sample_count) {
  char value[24];
  rlk_text_t text = rlk_text_over(value, sizeof value);
  rlk_text_printf(&text, "%llu", (unsigned long long)end);
  return rlk_refuse(err, RLK_RULE_EXEC_PARTITION_COVER,
                    RLK_SLOTS(rlk_slot_prose("value", value), rlk_slot_integer("expected", sample_count)));
}

/* Where the partitions of a part end, each beginning at the end of the one before or, where that `may_skip`, later. */
static rowlock_code_t check(const rowlock_partition_t* partitions, size_t count, int64_t sample_count, bool may_skip,
                            int64_t* out_end, rowlock_error_t* err) {
  int64_t due = 0;
  for (size_t i = 0; i < count; ++i) {
    const rowlock_partition_t* partition = &partitions[i];
    if (partition->sample_count != sample_count) {
      return refuse(err, RLK_RULE_EXEC_PARTITION_SAMPLES, i, partition->sample_count, sample_count);
    }
    if (partition->base < due && may_skip) return refuse(err, RLK_RULE_EXEC_PARTITION_ORDER, i, partition->base, due);
    if (partition->base != due && !may_skip) return refuse(err, RLK_RULE_EXEC_PARTITION_GAP, i, partition->base, due);
    const bool only_empty = sample_count == 0 && count == 1 && partition->count == 0;
    if (partition->count < 1 && !only_empty) {
      return refuse(err, RLK_RULE_EXEC_PARTITION_EMPTY, i, partition->count, 1);
    }
    const uint64_t end = (uint64_t)partition->base + (uint64_t)partition->count;
    if (end > (uint64_t)sample_count) return refuse_end(err, end, sample_count);
    due = (int64_t)end;
  }
  *out_end = due;
  return ROWLOCK_OK;
}

rowlock_code_t rlk_partitions_check(const rowlock_partition_t* partitions, size_t count, int64_t sample_count,
                                    rowlock_error_t* err) {
  int64_t end;
  const rowlock_code_t code = check(partitions, count, sample_count, false, &end, err);
  if (code || end == sample_count) return code;
  return refuse_end(err, (uint64_t)end, sample_count);
}

rowlock_code_t rlk_part_check(const rowlock_partition_t* partitions, size_t count, int64_t sample_count,
                              rowlock_error_t* err) {
  int64_t end;
  return check(partitions, count, sample_count, true, &end, err);
}
