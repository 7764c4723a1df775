#include "validator/rules/vocabulary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define EACH_LIST(list) for (rlk_vocabulary_t list = 0; list < RLK_VOCABULARY_COUNT; ++list)
#define EACH_WORD(word) for (rlk_word_t word = 0; word < RLK_WORD_COUNT; ++word)
#define EACH_WORD_OF(list, word) \
  for (rlk_word_t word = rlk_word_next(list, RLK_WORD_NONE); word != RLK_WORD_NONE; word = rlk_word_next(list, word))

static rlk_word_t find(rlk_vocabulary_t list, const char* text) { return rlk_word_find(list, text, strlen(text)); }

Test(vocabulary, a_word_is_found_in_its_lists_and_in_no_other) {
  EACH_LIST(list) {
    EACH_WORD(word) {
      const rlk_word_t due = rlk_word_is_in(word, list) ? word : RLK_WORD_NONE;
      cr_expect(eq(i32, (int)find(list, rlk_word_text(word)), (int)due), "'%s' in %s", rlk_word_text(word),
                rlk_vocabulary_name(list));
    }
  }
}

Test(vocabulary, a_word_is_matched_letter_for_letter) {
  static const char* const others[] = {"", "Uniform", "UNIFORM", "uniforms", "unifor", " uniform", "uniform "};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
    cr_expect(eq(i32, (int)find(RLK_VOCABULARY_ARG_ROLE, others[i]), RLK_WORD_NONE), "'%s'", others[i]);
  }
}

Test(vocabulary, a_word_with_a_nul_in_it_is_another_word) {
  cr_expect(eq(i32, (int)rlk_word_find(RLK_VOCABULARY_ARG_ROLE, "out", 3), RLK_WORD_OUT));
  cr_expect(eq(i32, (int)rlk_word_find(RLK_VOCABULARY_ARG_ROLE, "out\0", 4), RLK_WORD_NONE));
  cr_expect(eq(i32, (int)rlk_word_find(RLK_VOCABULARY_ARG_ROLE, "out\0x", 5), RLK_WORD_NONE));
  cr_expect(eq(i32, (int)rlk_word_find(RLK_VOCABULARY_ARG_ROLE, "o\0t", 3), RLK_WORD_NONE));
}

Test(vocabulary, only_the_given_length_of_the_text_is_read) {
  cr_expect(eq(i32, (int)rlk_word_find(RLK_VOCABULARY_PATTERN, "purely", 4), RLK_WORD_PURE));
  cr_expect(eq(i32, (int)rlk_word_find(RLK_VOCABULARY_PATTERN, "pure", 0), RLK_WORD_NONE));
}

Test(vocabulary, a_walk_gives_each_word_of_the_list_once_in_table_order) {
  EACH_LIST(list) {
    int last = -1;
    size_t walked = 0, due = 0;
    EACH_WORD(word) due += rlk_word_is_in(word, list);
    EACH_WORD_OF(list, word) {
      cr_expect(lt(i32, last, (int)word), "%s", rlk_vocabulary_name(list));
      cr_expect(rlk_word_is_in(word, list), "'%s' is not in %s", rlk_word_text(word), rlk_vocabulary_name(list));
      last = (int)word;
      ++walked;
    }
    cr_expect(eq(sz, walked, due), "%s", rlk_vocabulary_name(list));
    cr_expect(lt(sz, 0, walked), "%s is empty", rlk_vocabulary_name(list));
  }
}

Test(vocabulary, no_list_has_a_word_twice) {
  EACH_LIST(list) {
    EACH_WORD_OF(list, word) {
      for (rlk_word_t other = rlk_word_next(list, word); other != RLK_WORD_NONE; other = rlk_word_next(list, other)) {
        cr_expect(ne(str, (char*)rlk_word_text(word), (char*)rlk_word_text(other)), "in %s", rlk_vocabulary_name(list));
      }
    }
  }
}

Test(vocabulary, every_word_is_in_a_list) {
  EACH_WORD(word) {
    bool used = false;
    EACH_LIST(list) used = used || rlk_word_is_in(word, list);
    cr_expect(used, "'%s' is in no list", rlk_word_text(word));
  }
}

Test(vocabulary, a_word_s_length_is_its_text_s) {
  EACH_WORD(word) cr_expect(eq(sz, rlk_word_length(word), strlen(rlk_word_text(word))), "%s", rlk_word_text(word));
}

Test(vocabulary, no_two_lists_have_one_name) {
  EACH_LIST(list) {
    for (rlk_vocabulary_t other = list + 1; other < RLK_VOCABULARY_COUNT; ++other) {
      cr_expect(ne(str, (char*)rlk_vocabulary_name(list), (char*)rlk_vocabulary_name(other)));
    }
  }
}

Test(vocabulary, descriptor_fields_stand_in_byte_order) {
  static const rlk_vocabulary_t sorted[] = {RLK_VOCABULARY_DESCRIPTOR_REQUIRED, RLK_VOCABULARY_DESCRIPTOR_INTEGER,
                                            RLK_VOCABULARY_DESCRIPTOR_EXEC, RLK_VOCABULARY_DESCRIPTOR_FORBIDDEN};
  for (size_t i = 0; i < sizeof sorted / sizeof *sorted; ++i) {
    const char* previous = "";
    EACH_WORD_OF(sorted[i], word) {
      cr_expect(lt(i32, strcmp(previous, rlk_word_text(word)), 0), "'%s' stands before '%s' in %s", previous,
                rlk_word_text(word), rlk_vocabulary_name(sorted[i]));
      previous = rlk_word_text(word);
    }
  }
}

Test(vocabulary, the_lists_are_as_long_as_the_format_says) {
  static const struct {
    rlk_vocabulary_t list;
    size_t count;
  } due[] = {{RLK_VOCABULARY_ARG_ROLE, 12},           {RLK_VOCABULARY_PATTERN, 3},
             {RLK_VOCABULARY_LAUNCHABLE_PATTERN, 2},  {RLK_VOCABULARY_SCALAR_TYPE, 3},
             {RLK_VOCABULARY_ARTIFACT_FORMAT, 3},     {RLK_VOCABULARY_SCATTER_POLICY, 2},
             {RLK_VOCABULARY_ACCESS_CLASS, 4},        {RLK_VOCABULARY_REDUCTION_OP, 4},
             {RLK_VOCABULARY_DESCRIPTOR_REQUIRED, 8}, {RLK_VOCABULARY_DESCRIPTOR_INTEGER, 6},
             {RLK_VOCABULARY_DESCRIPTOR_EXEC, 3},     {RLK_VOCABULARY_AETHER_ABI, 2}};
  for (size_t i = 0; i < sizeof due / sizeof *due; ++i) {
    size_t count = 0;
    EACH_WORD_OF(due[i].list, word)++ count;
    cr_expect(eq(sz, count, due[i].count), "%s", rlk_vocabulary_name(due[i].list));
  }
}
