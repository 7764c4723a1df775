/* Links among the files of rows. */
#ifndef ROWLOCK_HARNESS_ROWS_LINKS_H
#define ROWLOCK_HARNESS_ROWS_LINKS_H

#include "harness/rows/corpus.h"

/* Adds a defect for each link of a row's files, or of a deployment that it shares, that leads to a folder or leaves
 * them: it would judge, and lock, whatever the machine has there. */
void rlk_corpus_check_links(const rlk_corpus_t* corpus, rlk_defects_t* defects);

#endif
