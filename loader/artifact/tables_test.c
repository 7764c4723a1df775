#include "loader/artifact/tables.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static rlk_tables_keeper_t keeper;

static void teardown(void) { rlk_arena_deinit(&keeper.arena); }

TestSuite(tables, .fini = teardown);

static rlk_parameter_list_t list_of(const rlk_artifact_parameter_t* parameters, size_t count) {
  return (rlk_parameter_list_t){.parameters = parameters, .count = count};
}

Test(tables, are_kept_by_finding_and_outlive_what_they_were_made_of) {
  char name[] = "out";
  rlk_artifact_parameter_t due[] = {{.name = name, .offset = 0, .bytes = 40}}, found[] = {{.type = "b8", .bytes = 32}};
  const rlk_tables_t tables = {list_of(due, 1), list_of(found, 1)};
  cr_assert(eq(i32, (int)rlk_tables_keep(&keeper, 3, &tables), ROWLOCK_OK));
  cr_assert(eq(i32, (int)rlk_tables_keep(&keeper, 5, &(rlk_tables_t){list_of(found, 1), list_of(due, 0)}), ROWLOCK_OK));
  name[0] = '\0';
  due[0].bytes = 1;
  const rlk_tables_t* kept = rlk_tables_find(&keeper, 3);
  cr_assert(ne(ptr, (void*)kept, NULL));
  cr_expect(eq(str, (char*)kept->due.parameters[0].name, (char*)"out"));
  cr_expect(eq(u32, kept->due.parameters[0].bytes, 40));
  cr_expect(eq(str, (char*)kept->found.parameters[0].type, (char*)"b8"));
  cr_expect(eq(ptr, (void*)rlk_tables_find(&keeper, 4), NULL));
  cr_expect(eq(sz, rlk_tables_find(&keeper, 5)->found.count, 0));
  rlk_tables_clear(&keeper);
  cr_expect(eq(ptr, (void*)rlk_tables_find(&keeper, 3), NULL));
}

Test(tables, agree_where_both_have_the_same_size_at_the_same_offset) {
  const rlk_artifact_parameter_t due[] = {{.name = "a", .bytes = 8}, {.offset = 8, .bytes = 8}, {.offset = 16}};
  const rlk_artifact_parameter_t found[] = {{.name = "b", .bytes = 8}, {.offset = 8, .bytes = 4}};
  const rlk_tables_t tables = {list_of(due, 3), list_of(found, 2)};
  cr_expect(rlk_tables_agree(&tables, 0));
  cr_expect(not(rlk_tables_agree(&tables, 1)));
  cr_expect(not(rlk_tables_agree(&tables, 2)));
  cr_expect(not(rlk_tables_agree(&tables, 3)));
}

/* Whether tables of so many bytes are kept. */
static bool is_kept(size_t bytes) {
  const size_t length = bytes - sizeof(rlk_artifact_parameter_t) - 1;
  char* name = malloc(length + 1);
  cr_assert(ne(ptr, name, NULL));
  memset(name, 'x', length);
  name[length] = '\0';
  const rlk_artifact_parameter_t due[] = {{.name = name, .bytes = 8}};
  rlk_tables_clear(&keeper);
  cr_assert(eq(i32, (int)rlk_tables_keep(&keeper, 0, &(rlk_tables_t){list_of(due, 1), list_of(due, 0)}), ROWLOCK_OK));
  free(name);
  return rlk_tables_find(&keeper, 0) != NULL;
}

Test(tables, are_kept_up_to_the_limit) {
  cr_expect(is_kept(RLK_TABLES_BYTES_MAX));
  const rlk_artifact_parameter_t one[] = {{.bytes = 8}};
  cr_assert(eq(i32, (int)rlk_tables_keep(&keeper, 1, &(rlk_tables_t){list_of(one, 1), list_of(one, 0)}), ROWLOCK_OK));
  cr_expect(eq(ptr, (void*)rlk_tables_find(&keeper, 1), NULL));
  cr_expect(not(is_kept((size_t)RLK_TABLES_BYTES_MAX + 1)));
}
