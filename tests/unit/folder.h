/* A temporary working folder for each test that writes files. A program that includes this header
 * uses it in all its tests. */
#ifndef ELMAN_TESTS_FOLDER_H
#define ELMAN_TESTS_FOLDER_H

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[4096];

static inline void enter_folder(void) {
  const char *const parent = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/elman-test-XXXXXX", parent == NULL ? "/tmp" : parent);
  cr_assert_not_null(mkdtemp(folder));
  cr_assert_eq(chdir(folder), 0);
}

/* Call `visit` with every name except "." and ".."; return how many there are. */
static inline size_t each_entry(void (*visit)(const char *name)) {
  DIR *directory = opendir(".");
  cr_assert_not_null(directory);
  size_t count = 0;
  for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    count++;
    if (visit != NULL) visit(entry->d_name);
  }
  closedir(directory);
  return count;
}

static inline void remove_entry(const char *name) {
  cr_assert_eq(remove(name), 0, "%s", name);
}

static inline void leave_folder(void) {
  each_entry(remove_entry);
  cr_assert_eq(chdir("/"), 0);
  cr_assert_eq(rmdir(folder), 0);
}

/* Criterion does not run the cleanup of a test that is skipped. */
#define SKIP_IN_FOLDER(reason)                                                                     \
  do {                                                                                             \
    leave_folder();                                                                                \
    cr_skip_test(reason);                                                                          \
  } while (0)

static inline void put_bytes(const char *name, const void *bytes, size_t length) {
  FILE *file = fopen(name, "wb");
  cr_assert_not_null(file);
  cr_assert_eq(fwrite(bytes, 1, length, file), length);
  cr_assert_eq(fclose(file), 0);
}

static inline void put(const char *name, const char *content) {
  put_bytes(name, content, strlen(content));
}

/* Return all bytes of a file, followed by a NUL; release them with free(). */
static inline char *get_bytes(const char *name, size_t *length) {
  FILE *file = fopen(name, "rb");
  cr_assert_not_null(file, "%s", name);
  char *bytes = NULL;
  size_t capacity = 0;
  FILE *memory = open_memstream(&bytes, &capacity);
  cr_assert_not_null(memory);
  for (int c; (c = fgetc(file)) != EOF;) fputc(c, memory);
  cr_assert_eq(fclose(memory), 0);
  fclose(file);
  *length = capacity;
  return bytes;
}

#endif
