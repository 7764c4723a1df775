#define _GNU_SOURCE /* asprintf, getcwd */
#include "harness/cli/find_corpus.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char* rlk_find_corpus(void) {
  char here[PATH_MAX];
  if (!getcwd(here, sizeof here)) return NULL;
  /* "./corpus", "../corpus", ...: as many steps up as the working folder is deep. */
  char up[PATH_MAX] = "";
  for (const char* at = here; at; at = strchr(at + 1, '/')) {
    char* lock;
    if (asprintf(&lock, "%scorpus/" RLK_LOCK_NAME, up) < 0) return NULL;
    const bool found = access(lock, F_OK) == 0;
    if (found) {
      *strrchr(lock, '/') = '\0';
      return lock;
    }
    free(lock);
    if (strlen(up) + 4 > sizeof up) return NULL;
    strcat(up, "../");
  }
  return NULL;
}

int rlk_complain_of_defects(const rlk_command_t* command, const rlk_defects_t* defects) {
  if (defects->code) return rlk_complain(command, defects->code, "%s", rowlock_code_meaning(defects->code));
  for (size_t i = 0; i < defects->count; ++i) fprintf(stderr, "%s\n", defects->records[i].text);
  const unsigned long long count = defects->count + defects->dropped;
  return rlk_complain(command, ROWLOCK_UNUSABLE, "the corpus is malformed: %llu defect%s", count,
                      count == 1 ? "" : "s");
}
