#define _GNU_SOURCE /* O_CLOEXEC, PATH_MAX */
#include "loader/registry/object_path.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "validator/rules/findings.h"
#include "validator/rules/text.h"

static const char object_extension[] = ".so";

/* `problem` is shown as it is: what it holds from outside is escaped already. */
static rowlock_code_t refuse_missing(const rlk_entry_t* entry, const char* problem, rowlock_error_t* err) {
  return rlk_refuse(err, RLK_RULE_LOAD_OBJECT_MISSING,
                    RLK_SLOTS(rlk_slot_text("id", entry->id, entry->id_length), rlk_slot_prose("problem", problem)));
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

/* The length of the path without the extension of its last part; a dot that the name begins with begins none. */
static size_t stem_length(const char* path, size_t length) {
  size_t stem = length;
  while (stem > 0 && path[stem - 1] != '.' && path[stem - 1] != '/') --stem;
  const bool has_extension = stem > 1 && path[stem - 1] == '.' && path[stem - 2] != '/';
  return has_extension ? stem - 1 : length;
}

/* The length of a sidecar's path up to what it is called after: NAME of NAME.sidecar.json and of NAME.json. */
static size_t sidecar_stem_length(const char* path) {
  static const char suffix[] = ".sidecar";
  const size_t length = stem_length(path, strlen(path)), shorter = stem_length(path, length);
  const bool has_suffix =
      length - shorter == sizeof suffix - 1 && memcmp(path + shorter, suffix, length - shorter) == 0;
  return has_suffix ? shorter : length;
}

static void put_object_name(rlk_text_t* text, const char* path, size_t stem) {
  rlk_text_put(text, path, stem);
  rlk_text_put(text, object_extension, sizeof object_extension - 1);
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
static rowlock_code_t in_object_folder(const rowlock_load_options_t* options, const char* name, const char* beside,
                                       const rlk_entry_t* entry, char* out_path, rowlock_error_t* err) {
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
  return refuse_missing(entry, problem, err);
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
    put_object_name(&text, artifact->text, stem_length(artifact->text, artifact->text_length));
    if (text.length >= sizeof name) return refuse_missing(entry, "its artifact's path is too long", err);
    code = rlk_folder_resolve(folder, name, text.length, out_path, &problem);
  }
  if (code == ROWLOCK_OK) return ROWLOCK_OK;
  if (code == ROWLOCK_REJECTED) return refuse_escape(entry, artifact, &problem, err);
  return in_object_folder(options, name, problem.message, entry, out_path, err);
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
  if (text.length >= sizeof name) return refuse_missing(entry, "its artifact's path is too long", err);
  return in_object_folder(options, name, problem.message, entry, out_path, err);
}

rowlock_code_t rlk_object_of_sidecar(const rowlock_load_options_t* options, const char* sidecar_path,
                                     const rlk_entry_t* entry, char* out_path, rowlock_error_t* err) {
  if (options->object_path) return copy_path(options->object_path, out_path, err);
  char beside[PATH_MAX];
  rlk_text_t path = rlk_text_over(beside, sizeof beside);
  put_object_name(&path, sidecar_path, sidecar_stem_length(sidecar_path));
  if (path.length < sizeof beside) {
    if (access(beside, F_OK) == 0) return copy_path(beside, out_path, err);
    const char* slash = strrchr(beside, '/');
    if (is_in_object_folder(options, slash ? slash + 1 : beside, out_path)) return ROWLOCK_OK;
  }
  char problem[512];
  rlk_text_t words = rlk_text_over(problem, sizeof problem);
  put_path(&words, "there is no ", beside);
  if (options->object_folder) put_path(&words, ", nor in ", options->object_folder);
  return refuse_missing(entry, problem, err);
}
