#define _GNU_SOURCE /* PATH_MAX */
#include "loader/host/container.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "validator/rules/text.h"

/* Where a kind is told from how the file starts. */
static const struct {
  rlk_container_t container;
  const char* start;
  size_t length;
} starts[] = {
#define START(container, text) \
  { RLK_CONTAINER_##container, text, sizeof(text) - 1 }
    START(ELF, "\177ELF"),
    START(FATBIN, "\x50\xED\x55\xBA"),
    START(FATBIN_WRAPPED, "\xB1\x43\x62\x46"),
    START(LFS_POINTER, "version https://git-lfs"),
    START(LFS_POINTER, "version https://hawser"), /* what it was called first */
    START(ARCHIVE, "!<arch>\n"),
    START(ARCHIVE, "!<thin>\n"),
    START(LINKER_SCRIPT, "/* GNU ld script"),
    START(SCRIPT, "#!"),
    START(MACH_O, "\xCF\xFA\xED\xFE"),
    START(MACH_O, "\xCE\xFA\xED\xFE"),
    START(MACH_O, "\xCA\xFE\xBA\xBE"),
    START(PE, "MZ"),
    START(BITCODE, "BC\xC0\xDE"),
    START(ZIP, "PK\x03\x04"),
    START(COMPRESSED, "\x1F\x8B"),
    START(COMPRESSED, "\x28\xB5\x2F\xFD"),
    START(COMPRESSED, "\3757zXZ"),
    START(COMPRESSED, "BZh"),
#undef START
};

enum { HEAD_MAX = 1 << 16 }; /* of a text, what is looked at: PTX may start with a long comment */

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* The first byte after white space and, where they may stand, comments as C writes them. */
static size_t skip_blank(const char* text, size_t length, bool comments) {
  size_t at = 0;
  while (at < length) {
    if (is_space(text[at])) {
      ++at;
    } else if (comments && length - at >= 2 && memcmp(text + at, "//", 2) == 0) {
      const char* end = memchr(text + at, '\n', length - at);
      at = end ? (size_t)(end - text) : length;
    } else if (comments && length - at >= 2 && memcmp(text + at, "/*", 2) == 0) {
      for (at += 3; at < length && !(text[at - 1] == '*' && text[at] == '/'); ++at) {
      }
      at = at < length ? at + 1 : length;
    } else {
      break;
    }
  }
  return at;
}

static bool starts_with(const char* text, size_t length, const char* word) {
  const size_t word_length = strlen(word);
  return length >= word_length && memcmp(text, word, word_length) == 0;
}

static bool is_text(const char* bytes, size_t length) {
  for (size_t i = 0; i < length; ++i) {
    const unsigned char c = (unsigned char)bytes[i];
    if ((c < 0x20 && !is_space(bytes[i])) || c == 0x7F) return false;
  }
  return true;
}

static bool is_zeros(const char* bytes, size_t length) {
  for (size_t i = 0; i < length; ++i) {
    if (bytes[i] != 0) return false;
  }
  return true;
}

/* Whether it could be shown to somebody. The last character may be cut. */
static bool is_utf8(const char* text, size_t length) {
  size_t at = 0, character;
  while (at < length && (character = rlk_utf8_length(text + at, length - at)) > 0) at += character;
  return length - at < 4;
}

/* One line without blanks in it, with a slash or the name of a shared object. */
static bool is_path(const char* text, size_t length) {
  while (length > 0 && is_space(text[length - 1])) --length;
  if (length == 0 || length > PATH_MAX) return false;
  bool slash = false;
  for (size_t i = 0; i < length; ++i) {
    if (is_space(text[i])) return false;
    slash = slash || text[i] == '/';
  }
  return slash || (length > 3 && memcmp(text + length - 3, ".so", 3) == 0);
}

static bool is_ptx(const char* text, size_t length) {
  const size_t code = skip_blank(text, length, true);
  return starts_with(text + code, length - code, ".version");
}

static rlk_container_t of_text(const char* text, size_t length) {
  const size_t code = skip_blank(text, length, true);
  if (starts_with(text + code, length - code, "INPUT") || starts_with(text + code, length - code, "GROUP")) {
    return RLK_CONTAINER_LINKER_SCRIPT;
  }
  const size_t first = skip_blank(text, length, false);
  if (first < length && text[first] == '<') return RLK_CONTAINER_HTML;
  if (first < length && text[first] == '{') return RLK_CONTAINER_JSON;
  if (!is_utf8(text, length)) return RLK_CONTAINER_UNKNOWN;
  return is_path(text, length) ? RLK_CONTAINER_PATH_TEXT : RLK_CONTAINER_TEXT;
}

rlk_container_t rlk_container_of(const void* bytes, size_t length) {
  const char* text = bytes;
  if (length == 0) return RLK_CONTAINER_EMPTY;
  for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i) {
    const size_t most =
        starts[i].container == RLK_CONTAINER_ELF && length < starts[i].length ? length : starts[i].length;
    if (length >= most && memcmp(text, starts[i].start, most) == 0) return starts[i].container;
  }
  const size_t head = length < HEAD_MAX ? length : HEAD_MAX;
  /* Whatever follows, a NUL included, is for the reader of PTX to judge. */
  if (is_ptx(text, head)) return RLK_CONTAINER_PTX;
  const char* nul = memchr(text, '\0', head);
  const size_t text_length = nul ? (size_t)(nul - text) : head;
  if (text_length > 0 && is_text(text, text_length) && (!nul || is_zeros(nul, length - text_length))) {
    return of_text(text, text_length);
  }
  return is_zeros(text, length) ? RLK_CONTAINER_ZEROS : RLK_CONTAINER_UNKNOWN;
}

const char* rlk_container_name(rlk_container_t container) {
  static const char* const names[] = {
#define RLK_CONTAINER(ID, name) name,
      RLK_CONTAINERS(RLK_CONTAINER)
#undef RLK_CONTAINER
  };
  return names[container];
}
