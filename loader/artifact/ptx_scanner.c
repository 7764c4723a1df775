#include "loader/artifact/ptx_scanner.h"

#include <string.h>

/* What a byte is in PTX. */
enum { BLANK = 1, NAME = 2, MARK = 4 /* of blocks, comments and strings: what a skip stops at */, END = 8 };

#define N(c) [c] = NAME,
static const unsigned char classes[256] = {
    [' '] = BLANK,
    ['\t'] = BLANK,
    ['\r'] = BLANK,
    ['\n'] = BLANK,
    ['\f'] = BLANK,
    ['\v'] = BLANK,
    ['{'] = MARK,
    ['}'] = MARK,
    ['/'] = MARK,
    ['"'] = MARK,
    [';'] = END,
    // clang-format off
    N('0') N('1') N('2') N('3') N('4') N('5') N('6') N('7') N('8') N('9') N('_') N('$') N('%')
    N('a') N('b') N('c') N('d') N('e') N('f') N('g') N('h') N('i') N('j') N('k') N('l') N('m')
    N('n') N('o') N('p') N('q') N('r') N('s') N('t') N('u') N('v') N('w') N('x') N('y') N('z')
    N('A') N('B') N('C') N('D') N('E') N('F') N('G') N('H') N('I') N('J') N('K') N('L') N('M')
    N('N') N('O') N('P') N('Q') N('R') N('S') N('T') N('U') N('V') N('W') N('X') N('Y') N('Z')
    // clang-format on
};
#undef N

static bool is(const rlk_ptx_scanner_t* scanner, unsigned class) {
  return scanner->at < scanner->end && (classes[(unsigned char)*scanner->at] & class) != 0;
}

/* Behind a comment that begins here; otherwise false. */
static bool skip_comment(rlk_ptx_scanner_t* scanner) {
  const char* at = scanner->at;
  if (scanner->end - at < 2 || at[0] != '/' || (at[1] != '/' && at[1] != '*')) return false;
  const bool is_line = at[1] == '/';
  for (at += 2;; ++at) {
    at = at < scanner->end ? memchr(at, is_line ? '\n' : '*', (size_t)(scanner->end - at)) : NULL;
    if (!at) {
      scanner->at = scanner->end;
      scanner->is_open = !is_line;
      return true;
    }
    if (is_line || (at + 1 < scanner->end && at[1] == '/')) break;
  }
  scanner->at = at + (is_line ? 1 : 2);
  return true;
}

static void skip_blanks(rlk_ptx_scanner_t* scanner) {
  do {
    while (is(scanner, BLANK)) ++scanner->at;
  } while (skip_comment(scanner));
}

/* Behind the string that begins here. */
static void skip_string(rlk_ptx_scanner_t* scanner) {
  const char* at = scanner->at + 1;
  while (at < scanner->end && *at != '"') at += *at == '\\' && scanner->end - at > 1 ? 2 : 1;
  scanner->is_open |= at >= scanner->end;
  scanner->at = at < scanner->end ? at + 1 : scanner->end;
}

rlk_ptx_word_t rlk_ptx_next(rlk_ptx_scanner_t* scanner) {
  skip_blanks(scanner);
  const char* begin = scanner->at;
  if (begin == scanner->end) return (rlk_ptx_word_t){begin, 0};
  if (*begin == '"') {
    skip_string(scanner);
  } else {
    const bool starts_name = is(scanner, NAME) || *begin == '.';
    ++scanner->at;
    while (starts_name && is(scanner, NAME)) ++scanner->at;
  }
  return (rlk_ptx_word_t){begin, (size_t)(scanner->at - begin)};
}

rlk_ptx_word_t rlk_ptx_peek(const rlk_ptx_scanner_t* scanner) {
  rlk_ptx_scanner_t copy = *scanner;
  return rlk_ptx_next(&copy);
}

void rlk_ptx_skip_line(rlk_ptx_scanner_t* scanner) {
  const char* end = memchr(scanner->at, '\n', (size_t)(scanner->end - scanner->at));
  scanner->at = end ? end + 1 : scanner->end;
}

bool rlk_ptx_skip_block(rlk_ptx_scanner_t* scanner) {
  for (size_t depth = 1; scanner->at < scanner->end;) {
    if (!is(scanner, MARK)) {
      ++scanner->at;
    } else if (*scanner->at == '"') {
      skip_string(scanner);
    } else if (!skip_comment(scanner)) {
      if (*scanner->at == '{') ++depth;
      if (*scanner->at == '}') --depth;
      ++scanner->at;
      if (depth == 0) return true;
    }
  }
  return false;
}

bool rlk_ptx_skip_statement(rlk_ptx_scanner_t* scanner, const char** out_open) {
  *out_open = NULL;
  while (scanner->at < scanner->end) {
    const char* at = scanner->at;
    if (!is(scanner, MARK | END)) {
      ++scanner->at;
    } else if (*at == '"') {
      skip_string(scanner);
    } else if (!skip_comment(scanner)) {
      ++scanner->at;
      if (*at == ';') return true;
      if (*at == '{' && !rlk_ptx_skip_block(scanner)) {
        *out_open = at;
        return false;
      }
    }
  }
  return false;
}
