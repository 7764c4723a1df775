/* What the strict reader refuses, and where it says so. Accepted texts are in scalars_test.c and oracle_test.c, bounds
 * in limits_test.c. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "validator/wire/reader.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "validator/wire/reading.h"

/* A string literal and its length, since it may hold NULs. */
#define TEXT(literal) (literal), sizeof(literal) - 1

/* A text, the rule that it breaks, and where: byte offset, line, column, JSON pointer. */
static const struct {
  const char* text;
  size_t length;
  rlk_rule_t rule;
  uint32_t offset, line, column;
  const char* pointer;
} refused[] = {
    {TEXT("version https://git-lfs"), RLK_RULE_JSON_LFS_POINTER, 0, 1, 1, ""},
    {TEXT("version https://hawser.github.com/spec/v1\n"), RLK_RULE_JSON_LFS_POINTER, 0, 1, 1, ""},
    {TEXT("version https://git-lf"), RLK_RULE_JSON_LITERAL, 0, 1, 1, ""},
    {TEXT("\xEF\xBB\xBF{}"), RLK_RULE_JSON_BYTE_ORDER_MARK, 0, 1, 1, ""},
    {TEXT("\xFF\xFE{\0}\0"), RLK_RULE_JSON_BYTE_ORDER_MARK, 0, 1, 1, ""},
    {TEXT("\xFE\xFF\0{\0}"), RLK_RULE_JSON_BYTE_ORDER_MARK, 0, 1, 1, ""},
    {TEXT("\xFF\xFE\0\0{\0\0\0}\0\0\0"), RLK_RULE_JSON_BYTE_ORDER_MARK, 0, 1, 1, ""},

    {TEXT(""), RLK_RULE_JSON_EMPTY, 0, 1, 1, ""},
    {TEXT(" \t\r\n\n"), RLK_RULE_JSON_EMPTY, 0, 1, 1, ""},

    {TEXT("{'a': 1}"), RLK_RULE_JSON_SYNTAX, 1, 1, 2, ""},
    {TEXT("{1: 2}"), RLK_RULE_JSON_SYNTAX, 1, 1, 2, ""},
    {TEXT("{]"), RLK_RULE_JSON_SYNTAX, 1, 1, 2, ""},
    {TEXT("{,}"), RLK_RULE_JSON_SYNTAX, 1, 1, 2, ""},
    {TEXT("{\"a\" 1}"), RLK_RULE_JSON_SYNTAX, 5, 1, 6, "/a"},
    {TEXT("{\"a\":}"), RLK_RULE_JSON_SYNTAX, 5, 1, 6, "/a"},
    {TEXT("{\"a\":: 1}"), RLK_RULE_JSON_SYNTAX, 5, 1, 6, "/a"},
    {TEXT("{\"a\": 1,}"), RLK_RULE_JSON_SYNTAX, 8, 1, 9, ""},
    {TEXT("{\"a\": 1 \"b\": 2}"), RLK_RULE_JSON_SYNTAX, 8, 1, 9, ""},
    {TEXT("{\"a\": 1]"), RLK_RULE_JSON_SYNTAX, 7, 1, 8, ""},
    {TEXT("{\"a\": \0}"), RLK_RULE_JSON_SYNTAX, 6, 1, 7, "/a"},
    {TEXT("[}"), RLK_RULE_JSON_SYNTAX, 1, 1, 2, "/0"},
    {TEXT("[1}"), RLK_RULE_JSON_SYNTAX, 2, 1, 3, ""},
    {TEXT("[1 2]"), RLK_RULE_JSON_SYNTAX, 3, 1, 4, ""},
    {TEXT("[1,]"), RLK_RULE_JSON_SYNTAX, 3, 1, 4, "/1"},
    {TEXT("[,1]"), RLK_RULE_JSON_SYNTAX, 1, 1, 2, "/0"},
    {TEXT("[1,\n // two\n 2]"), RLK_RULE_JSON_SYNTAX, 5, 2, 2, "/1"},
    {TEXT("[\"\xC3\xA9\", ;]"), RLK_RULE_JSON_SYNTAX, 7, 1, 7, "/1"},
    {TEXT("[1\v]"), RLK_RULE_JSON_SYNTAX, 2, 1, 3, ""},
    {TEXT("\xC2\xA0{}"), RLK_RULE_JSON_SYNTAX, 0, 1, 1, ""},
    {TEXT("\xFF"), RLK_RULE_JSON_SYNTAX, 0, 1, 1, ""},
    {TEXT("\xEF\xBB"), RLK_RULE_JSON_SYNTAX, 0, 1, 1, ""},

    {TEXT("{"), RLK_RULE_JSON_TRUNCATED, 1, 1, 2, ""},
    {TEXT("{\"a"), RLK_RULE_JSON_TRUNCATED, 3, 1, 4, ""},
    {TEXT("{\"a\""), RLK_RULE_JSON_TRUNCATED, 4, 1, 5, "/a"},
    {TEXT("{\"a\":"), RLK_RULE_JSON_TRUNCATED, 5, 1, 6, "/a"},
    {TEXT("{\"a\": \"x"), RLK_RULE_JSON_TRUNCATED, 8, 1, 9, "/a"},
    {TEXT("{\"a\": 1"), RLK_RULE_JSON_TRUNCATED, 7, 1, 8, ""},
    {TEXT("{\"a\": 1,"), RLK_RULE_JSON_TRUNCATED, 8, 1, 9, ""},
    {TEXT("["), RLK_RULE_JSON_TRUNCATED, 1, 1, 2, "/0"},
    {TEXT("[1"), RLK_RULE_JSON_TRUNCATED, 2, 1, 3, ""},
    {TEXT("[1,"), RLK_RULE_JSON_TRUNCATED, 3, 1, 4, "/1"},
    {TEXT("\"\\"), RLK_RULE_JSON_TRUNCATED, 2, 1, 3, ""},
    {TEXT("{\n  \"a\": [\n"), RLK_RULE_JSON_TRUNCATED, 11, 3, 1, "/a/0"},

    {TEXT("{} x"), RLK_RULE_JSON_TRAILING, 3, 1, 4, ""},
    {TEXT("{}\n{}"), RLK_RULE_JSON_TRAILING, 3, 2, 1, ""},
    {TEXT("[]]"), RLK_RULE_JSON_TRAILING, 2, 1, 3, ""},
    {TEXT("1 2"), RLK_RULE_JSON_TRAILING, 2, 1, 3, ""},
    {TEXT("{}\0"), RLK_RULE_JSON_TRAILING, 2, 1, 3, ""},
    {TEXT("null,"), RLK_RULE_JSON_TRAILING, 4, 1, 5, ""},

    {TEXT("True"), RLK_RULE_JSON_LITERAL, 0, 1, 1, ""},
    {TEXT("[None]"), RLK_RULE_JSON_LITERAL, 1, 1, 2, "/0"},
    {TEXT("{\"a\": tru}"), RLK_RULE_JSON_LITERAL, 6, 1, 7, "/a"},
    {TEXT("nulll"), RLK_RULE_JSON_LITERAL, 0, 1, 1, ""},
    {TEXT("[false_]"), RLK_RULE_JSON_LITERAL, 1, 1, 2, "/0"},
    {TEXT("nul"), RLK_RULE_JSON_LITERAL, 0, 1, 1, ""},

    {TEXT("NaN"), RLK_RULE_JSON_NON_FINITE, 0, 1, 1, ""},
    {TEXT("[-Infinity]"), RLK_RULE_JSON_NON_FINITE, 1, 1, 2, "/0"},
    {TEXT("{\"a\": +inf}"), RLK_RULE_JSON_NON_FINITE, 6, 1, 7, "/a"},
    {TEXT("[0, Infinity]"), RLK_RULE_JSON_NON_FINITE, 4, 1, 5, "/1"},

    {TEXT("01"), RLK_RULE_JSON_NUMBER, 0, 1, 1, ""},
    {TEXT("[-01]"), RLK_RULE_JSON_NUMBER, 1, 1, 2, "/0"},
    {TEXT("[+1]"), RLK_RULE_JSON_NUMBER, 1, 1, 2, "/0"},
    {TEXT("{\"a\": .5}"), RLK_RULE_JSON_NUMBER, 6, 1, 7, "/a"},
    {TEXT("1."), RLK_RULE_JSON_NUMBER, 0, 1, 1, ""},
    {TEXT("1.e1"), RLK_RULE_JSON_NUMBER, 0, 1, 1, ""},
    {TEXT("1e"), RLK_RULE_JSON_NUMBER, 0, 1, 1, ""},
    {TEXT("1e+"), RLK_RULE_JSON_NUMBER, 0, 1, 1, ""},
    {TEXT("-"), RLK_RULE_JSON_NUMBER, 0, 1, 1, ""},
    {TEXT("--1"), RLK_RULE_JSON_NUMBER, 0, 1, 1, ""},
    {TEXT("0x10"), RLK_RULE_JSON_NUMBER, 0, 1, 1, ""},
    {TEXT("[1, 1_000]"), RLK_RULE_JSON_NUMBER, 4, 1, 5, "/1"},
    {TEXT("1-2"), RLK_RULE_JSON_NUMBER, 0, 1, 1, ""},

    {TEXT("\"a\nb\""), RLK_RULE_JSON_CONTROL_CHARACTER, 2, 1, 3, ""},
    {TEXT("\"\0\""), RLK_RULE_JSON_CONTROL_CHARACTER, 1, 1, 2, ""},
    {TEXT("[\"\x1F\"]"), RLK_RULE_JSON_CONTROL_CHARACTER, 2, 1, 3, "/0"},
    {TEXT("{\"a\tb\": 1}"), RLK_RULE_JSON_CONTROL_CHARACTER, 3, 1, 4, ""},

    {TEXT("\"\\x\""), RLK_RULE_JSON_ESCAPE, 1, 1, 2, ""},
    {TEXT("{\"a\": \"C:\\dir\"}"), RLK_RULE_JSON_ESCAPE, 9, 1, 10, "/a"},
    {TEXT("\"\\U0041\""), RLK_RULE_JSON_ESCAPE, 1, 1, 2, ""},
    {TEXT("\"\\u12G4\""), RLK_RULE_JSON_ESCAPE, 1, 1, 2, ""},
    {TEXT("\"\\u 123\""), RLK_RULE_JSON_ESCAPE, 1, 1, 2, ""},
    {TEXT("\"ab\\\0\""), RLK_RULE_JSON_ESCAPE, 3, 1, 4, ""},
    {TEXT("\"\\\n\""), RLK_RULE_JSON_ESCAPE, 1, 1, 2, ""},

    {TEXT("\"\\ud800\""), RLK_RULE_JSON_LONE_SURROGATE, 1, 1, 2, ""},
    {TEXT("\"\\udbff\\u0041\""), RLK_RULE_JSON_LONE_SURROGATE, 1, 1, 2, ""},
    {TEXT("\"\\ud800\\ud800\\udc00\""), RLK_RULE_JSON_LONE_SURROGATE, 1, 1, 2, ""},
    {TEXT("\"\\udc00\""), RLK_RULE_JSON_LONE_SURROGATE, 1, 1, 2, ""},
    {TEXT("[\"\\ud83d\\ude00\\ude00\"]"), RLK_RULE_JSON_LONE_SURROGATE, 14, 1, 15, "/0"},
    {TEXT("{\"\\uDFFF\": 1}"), RLK_RULE_JSON_LONE_SURROGATE, 2, 1, 3, ""},

    {TEXT("\"\xFF\""), RLK_RULE_JSON_UTF8, 1, 1, 2, ""},
    {TEXT("\"\xC3\xA9\xFF\""), RLK_RULE_JSON_UTF8, 3, 1, 3, ""},
    {TEXT("[\"a\", \"\xC3\"]"), RLK_RULE_JSON_UTF8, 7, 1, 8, "/1"},
    {TEXT("\"\xC0\x80\""), RLK_RULE_JSON_UTF8, 1, 1, 2, ""},
    {TEXT("\"\xED\xA0\x80\""), RLK_RULE_JSON_UTF8, 1, 1, 2, ""},
    {TEXT("\"\xF4\x90\x80\x80\""), RLK_RULE_JSON_UTF8, 1, 1, 2, ""},
    {TEXT("{\"\xE2\x82"), RLK_RULE_JSON_UTF8, 2, 1, 3, ""},

    {TEXT("{\"a\": 1, \"a\": 2}"), RLK_RULE_JSON_DUPLICATE_KEY, 9, 1, 10, "/a"},
    {TEXT("{\"a\": 1, \"\\u0061\": 2}"), RLK_RULE_JSON_DUPLICATE_KEY, 9, 1, 10, "/a"},
    {TEXT("{\"\": 1, \"\": 2}"), RLK_RULE_JSON_DUPLICATE_KEY, 8, 1, 9, "/"},
    {TEXT("{\"\\u0000\": 1, \"\\u0000\": 2}"), RLK_RULE_JSON_DUPLICATE_KEY, 14, 1, 15, "/\\u0000"},
    {TEXT("[{\"x\": {\"k\": 1,\n \"k\": 2}}]"), RLK_RULE_JSON_DUPLICATE_KEY, 17, 2, 2, "/0/x/k"},
};

enum { REFUSED_COUNT = sizeof refused / sizeof *refused };

Test(reader, refuses_with_the_rule_and_the_place) {
  for (size_t i = 0; i < REFUSED_COUNT; ++i) {
    rlk_reading_t reading = rlk_reading_of(refused[i].text, refused[i].length, NULL);
    cr_expect(eq(i32, (int)reading.code, ROWLOCK_REJECTED), "case %zu: %s", i, refused[i].text);
    cr_assert(eq(sz, rowlock_findings_count(reading.findings), 1), "case %zu: %s", i, refused[i].text);
    const rowlock_finding_t* finding = rowlock_findings_at(reading.findings, 0);
    cr_expect(eq(str, (char*)finding->rule_id, (char*)rlk_rule_info(refused[i].rule)->id), "case %zu: %s", i,
              refused[i].text);
    cr_expect(eq(u64, finding->byte_offset, refused[i].offset), "case %zu: %s", i, refused[i].text);
    cr_expect(eq(u32, finding->line, refused[i].line), "case %zu: %s", i, refused[i].text);
    cr_expect(eq(u32, finding->column, refused[i].column), "case %zu: %s", i, refused[i].text);
    cr_expect(eq(str, (char*)finding->json_pointer, (char*)refused[i].pointer), "case %zu: %s", i, refused[i].text);
    cr_expect(eq(str, (char*)finding->path, (char*)"test.json"));
    cr_expect(zero(ptr, (void*)reading.document.root), "case %zu: a document in spite of %s", i, finding->rule_id);
    rlk_reading_deinit(&reading);
  }
}

Test(reader, the_cases_break_every_rule_that_has_no_number_in_it) {
  static const rlk_rule_t elsewhere[] = {RLK_RULE_JSON_DEPTH, RLK_RULE_JSON_SIZE, RLK_RULE_JSON_VALUES,
                                         RLK_RULE_JSON_NOT_OBJECT /* the judge's */};
  for (rlk_rule_t rule = 0; rule < RLK_RULE_COUNT; ++rule) {
    if (rlk_rule_info(rule)->class_ != RLK_CLASS_READING) continue;
    size_t cases = 0;
    for (size_t i = 0; i < REFUSED_COUNT; ++i) cases += refused[i].rule == rule;
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; ++i) cases += elsewhere[i] == rule;
    cr_expect(lt(sz, 0, cases), "%s", rlk_rule_info(rule)->id);
  }
}

/* --- Messages ----------------------------------------------------------------------------------------------------- */

static void expect_message(const char* text, size_t length, const char* expected) {
  rlk_reading_t reading = rlk_reading_of(text, length, NULL);
  cr_assert(eq(sz, rowlock_findings_count(reading.findings), 1), "'%s'", text);
  cr_expect(eq(str, (char*)rowlock_findings_at(reading.findings, 0)->message, (char*)expected));
  rlk_reading_deinit(&reading);
}

Test(reader, names_what_stands_where_something_else_is_due) {
  expect_message(TEXT("{'a': 1}"), "not JSON: a single quote where a key in double quotes is due");
  expect_message(TEXT("[/* c */]"), "not JSON: a comment where a value is due");
  expect_message(TEXT("[1 2]"), "not JSON: '2' where ',' or ']' is due");
  expect_message(TEXT("{\"a\": 1; }"), "not JSON: ';' where ',' or '}' is due");
  expect_message(TEXT("[\0]"), "not JSON: a NUL byte where a value is due");
  expect_message(TEXT("[\xFF]"), "not JSON: byte 0xFF where a value is due");
  expect_message(TEXT("[\xE2\x82\xAC]"), "not JSON: '\xE2\x82\xAC' where a value is due");
  expect_message(TEXT("[\x1B]"), "not JSON: '\\u001B' where a value is due");
}

Test(reader, shows_the_spelling_that_it_refuses) {
  expect_message(TEXT("[1.e1]"), "malformed number '1.e1': a digit is due after the point");
  expect_message(TEXT("[007]"), "malformed number '007': a number has no leading zero");
  expect_message(TEXT("[0x1F]"), "malformed number '0x1F': it is not written in decimal digits");
  expect_message(TEXT("\"\\q\""), "invalid escape '\\q' in a string");
  expect_message(TEXT("\"\\uD8zz\""), "invalid escape '\\uD8zz' in a string");
  expect_message(TEXT("\"a\x01\""), "control character U+0001 in a string; write it as an escape");
  expect_message(TEXT("\"\xE2\x82z\""), "invalid UTF-8 at byte 1: E2 82");
}

Test(reader, tells_both_places_of_a_duplicate_key) {
  expect_message(TEXT("{\n\"a\\u0000\": 1,\n  \"a\\u0000\": 2}"),
                 "duplicate key 'a\\u0000': first at line 2, column 1 (byte 2), again at line 3, column 3 (byte 18)");
}

Test(reader, says_what_a_cut_document_still_owes) {
  expect_message(TEXT("{\"a\": [1"), "the document ends early: ',' or ']' is still due");
  expect_message(TEXT("{\"a\": \"x"), "the document ends early: the closing quote of a string is still due");
  expect_message(TEXT("{\"a\""), "the document ends early: ':' after the key is still due");
}

/* --- Bounds of the text ------------------------------------------------------------------------------------------- */

static const char sample[] =
    "{\"kernel\": \"k\\u0041\\ud83d\\ude00\", \"\\u0000\": [-0, 12.5e-3, true, false, null, {}, []],\n"
    " \"\xC3\xA9\": \"\xF0\x9F\x98\x80\\n\\\\\", \"wide\": 9223372036854775808, \"nested\": [[[{\"a\": [\"b\"]}]]]}";

Test(reader, reads_no_byte_beyond_any_prefix) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cr_assert(memory != MAP_FAILED);
  cr_assert(zero(i32, mprotect(memory + page, page, PROT_NONE)));
  for (size_t length = 0; length < sizeof sample; ++length) {
    char* text = memory + page - length;
    memcpy(text, sample, length);
    rlk_reading_t reading = rlk_reading_of(text, length, NULL);
    const bool whole = length == sizeof sample - 1;
    cr_expect(eq(i32, (int)reading.code, whole ? ROWLOCK_OK : ROWLOCK_REJECTED), "prefix of %zu bytes", length);
    rlk_reading_deinit(&reading);
  }
  munmap(memory, 2 * page);
}

Test(reader, the_nodes_of_an_accepted_text_span_it) {
  rlk_reading_t reading = rlk_reading_of(TEXT(" {\"a\": [1, \"x\"]}\n"), NULL);
  cr_assert(eq(i32, (int)reading.code, ROWLOCK_OK));
  const rlk_node_t* root = reading.document.root;
  const rlk_node_t* list = root->first;
  cr_expect(eq(u32, root->begin, 1));
  cr_expect(eq(u32, root->end, 16));
  cr_expect(eq(u32, list->key_begin, 2));
  cr_expect(eq(u32, list->begin, 7));
  cr_expect(eq(u32, list->end, 15));
  cr_expect(eq(u32, list->count, 2));
  cr_expect(eq(u32, list->first->next->begin, 11));
  cr_expect(eq(u32, list->first->next->end, 14));
  cr_expect(eq(u32, list->first->next->index, 1));
  cr_expect(list->first->next->parent == list);
  rlk_reading_deinit(&reading);
}

Test(reader, a_finding_notes_the_door) {
  rlk_reading_t reading = rlk_reading_of(TEXT("{}"), NULL);
  const rlk_read_options_t options = {
      .path = "p", .limits = rlk_limits_effective(NULL), .door = 5, .switched_off = RLK_RULE_NONE};
  const rowlock_code_t code = rlk_read("", 0, &options, &reading.arena, reading.findings, &reading.document);
  cr_expect(eq(i32, (int)code, ROWLOCK_REJECTED));
  cr_assert(eq(sz, rowlock_findings_count(reading.findings), 1));
  cr_expect(eq(u32, rowlock_findings_at(reading.findings, 0)->doors, 1u << 5));
  rlk_reading_deinit(&reading);
}
