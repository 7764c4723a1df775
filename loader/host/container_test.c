#include "loader/host/container.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static void expect_kind(const char* bytes, size_t length, rlk_container_t due) {
  cr_expect(eq(str, (char*)rlk_container_name(rlk_container_of(bytes, length)), (char*)rlk_container_name(due)), "%.*s",
            (int)length, bytes);
}

static void expect_text(const char* text, rlk_container_t due) { expect_kind(text, strlen(text), due); }

Test(container, is_told_from_its_first_bytes) {
  expect_text("\177ELF\2\1\1", RLK_CONTAINER_ELF);
  expect_text("\x50\xED\x55\xBA\1", RLK_CONTAINER_FATBIN);
  expect_text("\xB1\x43\x62\x46\1", RLK_CONTAINER_FATBIN_WRAPPED);
  expect_text("!<arch>\ngravity.o/", RLK_CONTAINER_ARCHIVE);
  expect_text("MZ\x90", RLK_CONTAINER_PE);
  expect_text("\xCF\xFA\xED\xFE\7", RLK_CONTAINER_MACH_O);
  expect_text("\x28\xB5\x2F\xFD$", RLK_CONTAINER_COMPRESSED);
  expect_text("PK\x03\x04", RLK_CONTAINER_ZIP);
}

Test(container, of_elf_is_known_from_a_part_of_the_magic_number) {
  for (size_t length = 1; length <= 4; ++length) expect_kind("\177ELF", length, RLK_CONTAINER_ELF);
  expect_text("\177ELf", RLK_CONTAINER_UNKNOWN);
}

Test(container, of_other_kinds_needs_the_whole_magic_number) {
  expect_kind("\177EL\1", 4, RLK_CONTAINER_UNKNOWN);
  expect_kind("MZ", 1, RLK_CONTAINER_TEXT);
  expect_kind("!<arch>", 7, RLK_CONTAINER_TEXT);
}

Test(container, without_bytes_is_empty) { expect_kind("", 0, RLK_CONTAINER_EMPTY); }

Test(container, of_a_git_lfs_pointer_is_named) {
  expect_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n",
              RLK_CONTAINER_LFS_POINTER);
}

Test(container, of_one_line_with_a_path_is_a_path) {
  expect_text("../build/gravity.so", RLK_CONTAINER_PATH_TEXT);
  expect_text("/opt/plugins/gravity\n", RLK_CONTAINER_PATH_TEXT);
  expect_text("gravity.so", RLK_CONTAINER_PATH_TEXT);
  expect_kind("a/b\0", 4, RLK_CONTAINER_PATH_TEXT); /* as a tool writes a C string */
}

Test(container, of_other_text_is_no_path) {
  expect_text("gravity", RLK_CONTAINER_TEXT);
  expect_text("a/b\nc/d\n", RLK_CONTAINER_TEXT);
  expect_text(".so", RLK_CONTAINER_TEXT);
  expect_text(" \n", RLK_CONTAINER_TEXT);
}

Test(container, of_bytes_that_are_no_characters_is_no_text) {
  expect_text("\xFF\xFE\xFD\xFC/x", RLK_CONTAINER_UNKNOWN);
  expect_text("gr\xC3\xA4vit\xC3\xA9", RLK_CONTAINER_TEXT);
  expect_text("// C:/M\xFCller/a.cu and on\n.version 8.5", RLK_CONTAINER_PTX);
}

Test(container, of_ptx_starts_with_its_version_after_comments) {
  expect_text(".version 8.5\n.target sm_90\n", RLK_CONTAINER_PTX);
  expect_text("//\n// Generated\n//\n\n.version 8.5\n", RLK_CONTAINER_PTX);
  expect_text("/* a *//**/ \t.version 8.5", RLK_CONTAINER_PTX);
  expect_kind(".version 8.5\n\0", 14, RLK_CONTAINER_PTX);
}

Test(container, comment_that_does_not_end_hides_what_follows) {
  expect_text("/* .version 8.5", RLK_CONTAINER_TEXT);
  expect_text("/*/ .version 8.5", RLK_CONTAINER_TEXT);
  expect_text("// .version 8.5", RLK_CONTAINER_TEXT);
  expect_text("/* *", RLK_CONTAINER_TEXT);
}

Test(container, of_other_texts_is_named) {
  expect_text("/* GNU ld script\n*/\nGROUP ( libm.so.6 )\n", RLK_CONTAINER_LINKER_SCRIPT);
  expect_text("INPUT(libncurses.so.6 -ltinfo)\n", RLK_CONTAINER_LINKER_SCRIPT);
  expect_text("#!/bin/sh\nexec true\n", RLK_CONTAINER_SCRIPT);
  expect_text("\n<!DOCTYPE html>\n<html>", RLK_CONTAINER_HTML);
  expect_text("{\"kernel\": \"gravity\"}", RLK_CONTAINER_JSON);
}

Test(container, of_zeros_alone_is_named) {
  static const char zeros[10000];
  expect_kind(zeros, sizeof zeros, RLK_CONTAINER_ZEROS);
  expect_kind(zeros, 1, RLK_CONTAINER_ZEROS);
}

Test(container, with_bytes_after_a_nul_is_no_text) {
  expect_kind("a/b\0c", 5, RLK_CONTAINER_UNKNOWN);
  expect_kind(".version 8.5\n\0a", 15, RLK_CONTAINER_PTX); /* whose reader says where the NUL is */
  expect_kind("\0a/b", 4, RLK_CONTAINER_UNKNOWN);
}
