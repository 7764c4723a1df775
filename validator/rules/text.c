#include "validator/rules/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

rlk_text_t rlk_text_over(char* buffer, size_t capacity) {
  buffer[0] = '\0';
  return (rlk_text_t){.data = buffer, .capacity = capacity, .length = 0};
}

void rlk_text_put(rlk_text_t* text, const char* bytes, size_t length) {
  if (text->length < text->capacity - 1) {
    const size_t room = text->capacity - 1 - text->length;
    size_t fits = length;
    if (length > room) {
      fits = room;
      while (fits > 0 && ((unsigned char)bytes[fits] & 0xC0) == 0x80) --fits;
    }
    memcpy(text->data + text->length, bytes, fits);
    text->data[text->length + fits] = '\0';
  }
  text->length += length;
}

void rlk_text_printf(rlk_text_t* text, const char* format, ...) {
  const size_t room = text->length < text->capacity ? text->capacity - text->length : 0;
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(room > 0 ? text->data + text->length : NULL, room, format, arguments);
  va_end(arguments);
  if (length > 0) text->length += (size_t)length;
}

size_t rlk_utf8_length(const char* bytes, size_t available) {
  const unsigned char* b = (const unsigned char*)bytes;
  if (available == 0) return 0;
  if (b[0] < 0x80) return 1;
  /* The second byte's range carries what the lead byte forbids: overlong forms, surrogates, beyond 0x10FFFF. */
  unsigned char low = 0x80, high = 0xBF;
  size_t length;
  if (b[0] >= 0xC2 && b[0] <= 0xDF) {
    length = 2;
  } else if (b[0] >= 0xE0 && b[0] <= 0xEF) {
    length = 3;
    if (b[0] == 0xE0) low = 0xA0;
    if (b[0] == 0xED) high = 0x9F;
  } else if (b[0] >= 0xF0 && b[0] <= 0xF4) {
    length = 4;
    if (b[0] == 0xF0) low = 0x90;
    if (b[0] == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  if (available < length || b[1] < low || b[1] > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (b[i] < 0x80 || b[i] > 0xBF) return 0;
  }
  return length;
}

size_t rlk_utf8_encode(uint32_t code_point, char out[4]) {
  if (code_point < 0x80) {
    out[0] = (char)code_point;
    return 1;
  }
  const size_t length = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
  static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  for (size_t i = length - 1; i > 0; --i) {
    out[i] = (char)(0x80 | (code_point & 0x3F));
    code_point >>= 6;
  }
  out[0] = (char)(lead[length] | code_point);
  return length;
}

uint32_t rlk_utf8_decode(const char* bytes, size_t length) {
  static const unsigned char lead[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  uint32_t code_point = (unsigned char)bytes[0] & lead[length];
  for (size_t i = 1; i < length; ++i) code_point = (code_point << 6) | ((unsigned char)bytes[i] & 0x3F);
  return code_point;
}

bool rlk_utf8_is_unseen(const char* bytes, size_t length) {
  static const struct {
    uint32_t first, last;
  } ranges[] = {{0, 0x1F},        {0x7F, 0x9F},     {0xAD, 0xAD},      {0x61C, 0x61C},
                {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F},
                {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
  const uint32_t code_point = rlk_utf8_decode(bytes, length);
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; ++i) {
    if (code_point >= ranges[i].first && code_point <= ranges[i].last) return true;
  }
  return false;
}

void rlk_text_put_shown(rlk_text_t* text, const char* bytes, size_t length, size_t most) {
  size_t at = 0;
  while (at < length) {
    const size_t character = rlk_utf8_length(bytes + at, length - at);
    if (at + (character ? character : 1) > most) {
      rlk_text_put(text, "...", 3);
      return;
    }
    if (character == 0) {
      rlk_text_printf(text, "\\x%02X", (unsigned char)bytes[at]);
    } else if (rlk_utf8_is_unseen(bytes + at, character)) {
      rlk_text_printf(text, "\\u%04X", rlk_utf8_decode(bytes + at, character));
    } else {
      rlk_text_put(text, bytes + at, character);
    }
    at += character ? character : 1;
  }
}

void rlk_text_put_shown_end(rlk_text_t* text, const char* bytes, size_t length, size_t most) {
  size_t skipped = length > most ? length - most : 0;
  while (skipped > 0 && skipped < length && ((unsigned char)bytes[skipped] & 0xC0) == 0x80) ++skipped;
  if (skipped > 0) rlk_text_printf(text, "...");
  rlk_text_put_shown(text, bytes + skipped, length - skipped, most);
}

rowlock_code_t rlk_fail(rowlock_error_t* err, rowlock_code_t code, const char* format, ...) {
  if (err) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    err->rule_id = NULL;
  }
  return code;
}

void rlk_error_clear(rowlock_error_t* err) {
  if (!err) return;
  err->message[0] = '\0';
  err->rule_id = NULL;
}
