#define _GNU_SOURCE /* realpath */
#include "loader/host/object.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "loader/host/entry.h"
#include "loader/host/fp_mode.h"
#include "loader/host/identity.h"
#include "loader/host/layout.h"
#include "loader/host/loaded.h"
#include "loader/host/openmp.h"
#include "validator/rules/text.h"

/* An object that was refused for what its constructors did. They run once in a process: opened again it would pass. */
typedef struct harm_t {
  struct harm_t* next;
  void* library;
  rowlock_error_t error;
} harm_t;

/* As dlopen's own list of objects, of the process. The lock is held while an object is opened, so that no other thread
 * finds it open before it was judged. */
static struct {
  pthread_mutex_t lock;
  harm_t* harmful;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- Before it is opened ------------------------------------------------------------------------------------------ */

static rowlock_code_t check(const char* path, const char* entry, rlk_layout_need_t layout, rlk_elf_t** out_elf,
                            rowlock_error_t* err) {
  rlk_elf_t* elf;
  *out_elf = NULL;
  rowlock_code_t code = rlk_elf_open(path, &elf, err);
  if (!code) code = rlk_entry_check(elf, entry, err);
  if (!code && layout == RLK_LAYOUT_REQUIRED) code = rlk_layout_check(elf, err);
  if (code) {
    rlk_elf_close(elf);
    return code;
  }
  *out_elf = elf;
  return ROWLOCK_OK;
}

rowlock_code_t rlk_host_object_check(const char* path, const char* entry, rlk_layout_need_t layout,
                                     rowlock_error_t* err) {
  rlk_elf_t* elf;
  const rowlock_code_t code = check(path, entry, layout, &elf, err);
  rlk_elf_close(elf);
  return code;
}

static rowlock_code_t refuse_second_runtime(const rlk_openmp_t* runtimes, size_t second, const char* where,
                                            rowlock_error_t* err) {
  return rlk_refuse(err, RLK_RULE_HOST_SECOND_OPENMP,
                    RLK_SLOTS(rlk_slot_text("second", runtimes->names[second], strlen(runtimes->names[second])),
                              rlk_slot_text("first", runtimes->names[0], strlen(runtimes->names[0])),
                              rlk_slot_prose("where", where)));
}

/* Adds the runtimes that the object needs to those that are loaded. */
static rowlock_code_t check_runtimes(const rlk_elf_t* elf, rlk_openmp_t* runtimes, rowlock_error_t* err) {
  const size_t loaded = runtimes->count;
  const char* needed;
  for (size_t i = 0; (needed = rlk_elf_needed(elf, i)) != NULL; ++i) {
    const size_t before = runtimes->count;
    rlk_openmp_add_needed(runtimes, needed);
    if (before > 0 && runtimes->count > before) {
      return refuse_second_runtime(runtimes, before, loaded > 0 ? "is loaded already" : "it needs as well", err);
    }
  }
  return ROWLOCK_OK;
}

/* --- Why it could not be opened ----------------------------------------------------------------------------------- */

enum { SHOWN_BYTES = 300 }; /* of what the dynamic loader says */

static void put_needed(const rlk_elf_t* elf, rlk_text_t* out) {
  const char* needed;
  size_t count = 0;
  for (; (needed = rlk_elf_needed(elf, count)) != NULL; ++count) {
    rlk_text_printf(out, "%s", count ? ", " : "");
    rlk_text_put_shown(out, needed, strlen(needed), SHOWN_BYTES);
  }
  if (count == 0) rlk_text_printf(out, "no library");
}

/* `problem` is what dlerror said: for some causes a name, in words that are glibc's and may one day be others; then
 * they are shown as they are. */
static rowlock_code_t refuse_opening(const rlk_elf_t* elf, const char* path, const char* problem,
                                     rowlock_error_t* err) {
  static const char missing[] = ": cannot open shared object file: ", undefined[] = "undefined symbol: ";
  char needed_text[160], shown_text[400];
  rlk_text_t needed = rlk_text_over(needed_text, sizeof needed_text);
  rlk_text_t shown = rlk_text_over(shown_text, sizeof shown_text);
  put_needed(elf, &needed);
  const size_t path_length = strlen(path);
  const bool of_the_object = strncmp(problem, path, path_length) == 0 && strncmp(problem + path_length, ": ", 2) == 0;
  if (of_the_object) problem += path_length + 2;
  const char* cause = of_the_object ? NULL : strstr(problem, missing);
  if (cause) {
    const size_t name_length = (size_t)(cause - problem);
    cause += sizeof missing - 1;
    rlk_text_put_shown(&shown, cause, strlen(cause), SHOWN_BYTES);
    return rlk_refuse(err, RLK_RULE_HOST_DEPENDENCY_MISSING,
                      RLK_SLOTS(rlk_slot_quoted("name", problem, name_length), rlk_slot_prose("problem", shown_text),
                                rlk_slot_prose("needed", needed_text)));
  }
  if (of_the_object && strncmp(problem, undefined, sizeof undefined - 1) == 0) {
    problem += sizeof undefined - 1;
    return rlk_refuse(
        err, RLK_RULE_HOST_SYMBOL_UNRESOLVED,
        RLK_SLOTS(rlk_slot_quoted("name", problem, strcspn(problem, ", ")), rlk_slot_prose("needed", needed_text)));
  }
  rlk_text_put_shown(&shown, problem, strlen(problem), SHOWN_BYTES);
  return rlk_refuse(err, RLK_RULE_HOST_OPEN_FAILED, RLK_SLOTS(rlk_slot_prose("problem", shown_text)));
}

/* --- After it was opened ------------------------------------------------------------------------------------------ */

static const harm_t* find_harm(const void* library) {
  const harm_t* harm = process.harmful;
  while (harm && harm->library != library) harm = harm->next;
  return harm;
}

/* What the constructors did. `runtimes` are those that were expected. */
static rowlock_code_t check_harm(const rlk_fp_mode_t* before, const rlk_fp_mode_t* after, rlk_openmp_t* runtimes,
                                 rowlock_error_t* err) {
  const uint32_t parts = rlk_fp_mode_compare(before, after);
  if (parts) {
    char names_text[160];
    rlk_text_t names = rlk_text_over(names_text, sizeof names_text);
    rlk_fp_mode_put_parts(&names, parts);
    return rlk_refuse(err, RLK_RULE_HOST_FP_MODE, RLK_SLOTS(rlk_slot_prose("value", names_text)));
  }
  const size_t allowed = runtimes->count > 0 ? runtimes->count : 1;
  rlk_openmp_add_loaded(runtimes);
  if (runtimes->count > allowed) return refuse_second_runtime(runtimes, allowed, "is loaded already", err);
  return ROWLOCK_OK;
}

/* The object is open, and `err` holds what harm it did, if any; then `*spare` is taken to remember it. */
static rowlock_code_t judge_opened(const rlk_elf_t* elf, void* library, rowlock_code_t harm_code, harm_t** spare,
                                   rowlock_error_t* err) {
  const harm_t* harm = find_harm(library);
  if (!harm && harm_code) {
    **spare = (harm_t){.next = process.harmful, .library = library, .error = *err};
    harm = process.harmful = *spare;
    *spare = NULL;
  }
  if (!rlk_loaded_is(library, elf)) return rlk_refuse(err, RLK_RULE_HOST_REPLACED, NULL, 0);
  if (!harm) return ROWLOCK_OK;
  *err = harm->error;
  return ROWLOCK_REJECTED;
}

static rowlock_code_t find_entry(void* library, const char* entry, rlk_host_function_t* out_entry,
                                 rowlock_error_t* err) {
  void* address = dlsym(library, entry);
  if (!address) {
    return rlk_refuse_malformed(err,
                                "the dynamic loader does not find the entry that its symbols list: it has a version "
                                "that is not the default one, or the hash table is at fault");
  }
  memcpy(out_entry, &address, sizeof *out_entry); /* C has no conversion from data to code, POSIX has */
  return ROWLOCK_OK;
}

/* With the lock held. */
static rowlock_code_t open_checked(const rlk_elf_t* elf, const char* path, const char* entry, harm_t** spare,
                                   rlk_host_object_t* out_object, rowlock_error_t* err) {
  rlk_openmp_t runtimes = {0};
  rlk_openmp_add_loaded(&runtimes);
  rowlock_code_t code = check_runtimes(elf, &runtimes, err);
  if (code) return code;
  const rlk_fp_mode_t before = rlk_fp_mode_save();
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const rlk_fp_mode_t after = rlk_fp_mode_save();
  rlk_fp_mode_restore(&before);
  if (!library) {
    const char* problem = dlerror();
    return refuse_opening(elf, path, problem ? problem : "the dynamic loader does not say why", err);
  }
  code = check_harm(&before, &after, &runtimes, err);
  code = judge_opened(elf, library, code, spare, err);
  rlk_host_function_t function = NULL;
  if (!code) code = find_entry(library, entry, &function, err);
  if (!code) *out_object = (rlk_host_object_t){.library = library, .entry = function};
  return code;
}

rowlock_code_t rlk_host_object_open(const char* path, const char* entry, rlk_layout_need_t layout,
                                    rlk_host_object_t* out_object, rowlock_error_t* err) {
  char real[PATH_MAX];
  if (!realpath(path, real)) return rlk_fail(err, ROWLOCK_UNUSABLE, "%s", strerror(errno));
  rlk_elf_t* elf;
  rowlock_code_t code = check(real, entry, layout, &elf, err);
  if (code) return code;
  harm_t* spare = malloc(sizeof *spare);
  if (spare) {
    rowlock_error_t own; /* harm is remembered in its words, also for a caller who does not want them */
    pthread_mutex_lock(&process.lock);
    code = open_checked(elf, real, entry, &spare, out_object, &own);
    pthread_mutex_unlock(&process.lock);
    if (code && err) *err = own;
  } else {
    code = rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory to open the artifact");
  }
  free(spare);
  rlk_elf_close(elf);
  return code;
}
