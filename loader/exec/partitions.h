/* Partitions of a run: explicit triples, contiguous, covering [0, sample_count) (plugin facts, section 6); or of a part
 * of it. */
#ifndef ROWLOCK_LOADER_EXEC_PARTITIONS_H
#define ROWLOCK_LOADER_EXEC_PARTITIONS_H

#include "loader/rowlock.h"

/* Whether the triples are such a partitioning. A run of 0 samples has one empty partition. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_partitions_check(const rowlock_partition_t* partitions, size_t count,
                                                       int64_t sample_count, rowlock_error_t* err);

/* Whether they are a part of one: in order, disjoint, inside the run. That of 0 samples has the same one. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_part_check(const rowlock_partition_t* partitions, size_t count,
                                                 int64_t sample_count, rowlock_error_t* err);

#endif
