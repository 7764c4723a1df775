/* JSON values built with json-c and written one after the other. Every step says whether memory sufficed. */
#ifndef ROWLOCK_HARNESS_JSON_JSON_H
#define ROWLOCK_HARNESS_JSON_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Each adds a member. A value that is an object is taken over in any
 * case. False if memory is short, which includes a value of NULL: the constructors of json-c return that. */
bool rlk_json_member(json_object* object, const char* key, json_object* value);
bool rlk_json_member_text(json_object* object, const char* key, const char* text);
bool rlk_json_member_number(json_object* object, const char* key, uint64_t number);
bool rlk_json_member_null(json_object* object, const char* key);

/* The same for the next element of an array. */
bool rlk_json_element(json_object* array, json_object* value);

/* Writes the value on one line, without allocating: json-c's own writer leaves out what it has no memory for and says
 * nothing. Every control character is escaped, those too that JSON allows (rlk_utf8_is_unseen), and a byte that is not
 * UTF-8 becomes the four characters \xXX, so that the line is JSON whatever a path is made of, and does nothing to a
 * terminal. */
void rlk_json_write(FILE* out, json_object* value);

/* The same for JSON that json-c has written, on as many lines as it has: its writer passes on what is not UTF-8. */
void rlk_json_write_safely(FILE* out, const char* json);

/* A text that is no json-c value yet, as a string. */
void rlk_json_write_text(FILE* out, const char* text);

#endif
