#define _GNU_SOURCE /* O_CLOEXEC, PATH_MAX */
#include "loader/registry/object_path.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "loader/registry/object_name.h"
#include "validator/rules/findings.h"
#include "validator/rules/text.h"

static const char host_object[] = "host object", artifact_itself[] = "artifact";

/* `problem` is shown as it is: what it holds from outside is escaped already. */
static rowlock_code_t refuse_missing(const rlk_entry_t* entry, const char* what, const char* problem,
                                     rowlock_error_t* err) {
  return rlk_refuse(err, RLK_RULE_LOAD_OBJECT_MISSING,
                    RLK_SLOTS(rlk_slot_prose("what", what), rlk_slot_text("id", entry->id, entry->id_length),
                              rlk_slot_prose("problem", problem)));
}

/* Puts words and a path in quotes, whole. */
static void put_path(rlk_text_t* text, const char* words, const char* path) {
  rlk_text_printf(text, "%s'", words);
  rlk_text_put_shown(text, path, strlen(path), PATH_MAX);
  rlk_text_put(text, "'", 1);
}

static rowlock_code_t copy_path(const char* path, char* out_path, rowlock_error_t* err) {
  rlk_text_t text = rlk_text_over(out_path, PATH_MAX);
  rlk_text_put(&text, path, strlen(path));
  return text.length < PATH_MAX ? ROWLOCK_OK : rlk_fail(err, ROWLOCK_UNUSABLE, "the path '%.64s...' is too long", path);
}

/* Whether the file says that it is a shared object of this machine: a cubin is an ELF file too. What may still be wrong
 * with it is found out when it is opened. */
static bool is_host_object(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  Elf64_Ehdr header;
  const bool whole = read(fd, &header, sizeof header) == (ssize_t)sizeof header;
  close(fd);
#if defined(__x86_64__)
  const Elf64_Half machine = EM_X86_64;
#elif defined(__aarch64__)
  const Elf64_Half machine = EM_AARCH64;
#else
#error "name this machine's e_machine"
#endif
  return whole && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_type == ET_DYN &&
         header.e_machine == machine;
}

/* Puts the path of the object below options->object_folder, and says whether it is there. Links may lead anywhere: a
 * build tool's tree consists of them. */
static bool is_in_object_folder(const rowlock_load_options_t* options, const char* name, char* out_path) {
  if (!options->object_folder) return false;
  rlk_text_t path = rlk_text_over(out_path, PATH_MAX);
  rlk_text_printf(&path, "%s/%s", options->object_folder, name);
  return path.length < PATH_MAX && access(out_path, F_OK) == 0;
}

/* `beside` is why the object is not beside the manifest. */
static rowlock_code_t in_object_folder(const rowlock_load_options_t* options, const char* what, const char* name,
                                       const char* beside, const rlk_entry_t* entry, char* out_path,
                                       rowlock_error_t* err) {
  if (is_in_object_folder(options, name, out_path)) return ROWLOCK_OK;
  char problem[512];
  rlk_text_t words = rlk_text_over(problem, sizeof problem);
  put_path(&words, "there is no ", name);
  rlk_text_printf(&words, " beside the manifest");
  if (options->object_folder) {
    put_path(&words, ", nor in ", options->object_folder);
  } else {
    rlk_text_printf(&words, " (%s)", beside);
  }
  return refuse_missing(entry, what, problem, err);
}

static rowlock_code_t refuse_escape(const rlk_entry_t* entry, const rlk_node_t* artifact,
                                    const rowlock_error_t* problem, rowlock_error_t* err) {
  return rlk_refuse(
      err, RLK_RULE_LOAD_ARTIFACT_ESCAPES,
      RLK_SLOTS(rlk_slot_text("value", artifact->text, artifact->text_length),
                rlk_slot_text("id", entry->id, entry->id_length), rlk_slot_prose("problem", problem->message)));
}

rowlock_code_t rlk_object_of_entry(const rowlock_load_options_t* options, rlk_folder_t* folder,
                                   const rlk_entry_t* entry, const rlk_node_t* artifact, char* out_path,
                                   rowlock_error_t* err) {
  if (options->object_path) return copy_path(options->object_path, out_path, err);
  rowlock_error_t problem;
  rowlock_code_t code = rlk_folder_resolve(folder, artifact->text, artifact->text_length, out_path, &problem);
  if (!code && is_host_object(out_path)) return ROWLOCK_OK;
  char name[PATH_MAX];
  rlk_text_t text = rlk_text_over(name, sizeof name);
  if (code != ROWLOCK_REJECTED) {
    rlk_object_name_put(&text, artifact->text, artifact->text_length);
    if (text.length >= sizeof name) return refuse_missing(entry, host_object, "its artifact's path is too long", err);
    code = rlk_folder_resolve(folder, name, text.length, out_path, &problem);
  }
  if (code == ROWLOCK_OK) return ROWLOCK_OK;
  if (code == ROWLOCK_REJECTED) return refuse_escape(entry, artifact, &problem, err);
  return in_object_folder(options, host_object, name, problem.message, entry, out_path, err);
}

rowlock_code_t rlk_artifact_of_entry(const rowlock_load_options_t* options, rlk_folder_t* folder,
                                     const rlk_entry_t* entry, const rlk_node_t* artifact, char* out_path,
                                     rowlock_error_t* err) {
  if (options->object_path) return copy_path(options->object_path, out_path, err);
  rowlock_error_t problem;
  const rowlock_code_t code = rlk_folder_resolve(folder, artifact->text, artifact->text_length, out_path, &problem);
  if (code == ROWLOCK_OK) return ROWLOCK_OK;
  if (code == ROWLOCK_REJECTED) return refuse_escape(entry, artifact, &problem, err);
  char name[PATH_MAX];
  rlk_text_t text = rlk_text_over(name, sizeof name);
  rlk_text_put(&text, artifact->text, artifact->text_length);
  if (text.length >= sizeof name) return refuse_missing(entry, artifact_itself, "its path is too long", err);
  return in_object_folder(options, artifact_itself, name, problem.message, entry, out_path, err);
}

/* Puts the path of what has the sidecar's name and that extension, beside it or else in the object folder, and says
 * whether it is there; `beside` is where it was looked for first. */
static bool find_of_sidecar(const rowlock_load_options_t* options, const char* sidecar_path, const char* extension,
                            char beside[PATH_MAX], char* out_path) {
  rlk_text_t path = rlk_text_over(beside, PATH_MAX);
  rlk_object_name_put_of_sidecar(&path, sidecar_path, extension);
  if (path.length >= PATH_MAX) return false;
  if (access(beside, F_OK) == 0) return copy_path(beside, out_path, NULL) == ROWLOCK_OK;
  const char* slash = strrchr(beside, '/');
  return is_in_object_folder(options, slash ? slash + 1 : beside, out_path);
}

static rowlock_code_t refuse_none_of_sidecar(const rowlock_load_options_t* options, const rlk_entry_t* entry,
                                             const char* what, const char* beside, rowlock_error_t* err) {
  char problem[512];
  rlk_text_t words = rlk_text_over(problem, sizeof problem);
  put_path(&words, "there is no ", beside);
  if (options->object_folder) put_path(&words, ", nor in ", options->object_folder);
  return refuse_missing(entry, what, problem, err);
}

rowlock_code_t rlk_artifact_of_sidecar(const rowlock_load_options_t* options, const char* sidecar_path,
                                       rlk_word_t format, const rlk_entry_t* entry, char* out_path,
                                       rowlock_error_t* err) {
  if (options->object_path) return copy_path(options->object_path, out_path, err);
  char beside[PATH_MAX] = "";
  rlk_word_t word = RLK_WORD_NONE;
  while ((word = rlk_word_next(RLK_VOCABULARY_ARTIFACT_FORMAT, word)) != RLK_WORD_NONE) {
    if (format != RLK_WORD_NONE && word != format) continue;
    if (find_of_sidecar(options, sidecar_path, rlk_word_text(word), beside, out_path)) return ROWLOCK_OK;
  }
  return refuse_none_of_sidecar(options, entry, artifact_itself, beside, err);
}

rowlock_code_t rlk_object_of_sidecar(const rowlock_load_options_t* options, const char* sidecar_path,
                                     const rlk_entry_t* entry, char* out_path, rowlock_error_t* err) {
  if (options->object_path) return copy_path(options->object_path, out_path, err);
  char beside[PATH_MAX];
  if (find_of_sidecar(options, sidecar_path, "so", beside, out_path)) return ROWLOCK_OK;
  return refuse_none_of_sidecar(options, entry, host_object, beside, err);
}
