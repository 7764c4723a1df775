#define _GNU_SOURCE /* asprintf, getcwd */
#include "harness/cli/find_corpus.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/check/shown.h"
#include "validator/rules/text.h"

char* rlk_find_corpus(void) {
  char here[PATH_MAX];
  if (!getcwd(here, sizeof here)) return NULL;
  /* "./corpus", "../corpus", ...: as many steps up as the working folder is deep. */
  char up[PATH_MAX];
  rlk_text_t steps = rlk_text_over(up, sizeof up);
  for (const char* at = here; at; at = strchr(at + 1, '/')) {
    char* lock;
    if (asprintf(&lock, "%scorpus/" RLK_LOCK_NAME, up) < 0) return NULL;
    const bool found = access(lock, F_OK) == 0;
    if (found) {
      *strrchr(lock, '/') = '\0';
      return lock;
    }
    free(lock);
    rlk_text_put(&steps, "../", 3);
    if (steps.length >= sizeof up) return NULL;
  }
  return NULL;
}

int rlk_complain_of_defects(const rlk_command_t* command, const rlk_defects_t* defects) {
  if (defects->code) return rlk_complain(command, defects->code, "%s", rowlock_code_meaning(defects->code));
  for (size_t i = 0; i < defects->count; ++i) {
    rlk_put_shown(stderr, defects->records[i].text);
    fputc('\n', stderr);
  }
  const unsigned long long count = defects->count + defects->dropped;
  return rlk_complain(command, ROWLOCK_UNUSABLE, "the corpus is malformed: %llu defect%s", count,
                      count == 1 ? "" : "s");
}
