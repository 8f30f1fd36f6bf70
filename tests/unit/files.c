/* Test: text. */
/* Reading and safe writing of files: the old file, links, permissions, and files that other writers
 * left. */
#include "folder.h"
#include "owned.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/safe_file.h"

TestSuite(file, .init = enter_folder, .fini = leave_folder);

static void assert_content(const char *name, const char *expected) {
  owned_by(buffer_free) struct buffer content = {0};
  cr_assert_eq(file_read(&content, name, 1 << 20, NULL), ELMAN_OK);
  cr_assert(text_equal(buffer_text(&content), text_of(expected)), "%s holds \"%s\"", name,
            content.bytes);
}

static void write_safely(const char *name, const char *content) {
  elman_file file;
  cr_assert_eq(safe_file_open(&file, name, NULL, NULL), ELMAN_OK);
  cr_assert_geq(fputs(content, file.stream), 0);
  cr_assert_eq(safe_file_commit(&file, NULL), ELMAN_OK);
}

Test(file, read_appends) {
  put("file", "new");
  owned_by(buffer_free) struct buffer content = {0};
  buffer_append(&content, "old ", 4);
  cr_assert_eq(file_read(&content, "file", 100, NULL), ELMAN_OK);
  cr_assert_str_eq(content.bytes, "old new");
}

Test(file, read_of_more_than_one_chunk) {
  enum { SIZE = (3 << 20) + 17 };
  owned char *bytes = malloc(SIZE);
  for (size_t i = 0; i < SIZE; i++) bytes[i] = (char)(i * 2654435761u >> 13);
  FILE *file = fopen("file", "wb");
  cr_assert_eq(fwrite(bytes, 1, SIZE, file), SIZE);
  fclose(file);
  owned_by(buffer_free) struct buffer content = {0};
  cr_assert_eq(file_read(&content, "file", SIZE, NULL), ELMAN_OK);
  cr_assert_eq(content.length, SIZE);
  cr_assert_eq(memcmp(content.bytes, bytes, SIZE), 0);
}

Test(file, read_errors) {
  owned_by(buffer_free) struct buffer content = {0};
  cr_assert_eq(file_read(&content, "file", 100, &why), ELMAN_NO_INPUT);
  cr_assert_str_eq(why.where, "file");
  fails(file_read(&content, ".", 100, &why), ELMAN_NO_INPUT, "directory");
  put("file", "12345");
  cr_assert_eq(file_read(&content, "file", 4, &why), ELMAN_BAD_DATA);
  cr_assert_eq(file_read(&content, "file", 5, &why), ELMAN_OK);
  cr_assert_str_eq(content.bytes, "12345");
}

Test(file, old_file_stays_until_commit) {
  put("file", "old");
  elman_file file;
  cr_assert_eq(safe_file_open(&file, "file", NULL, NULL), ELMAN_OK);
  fputs("new", file.stream);
  fflush(file.stream);
  assert_content("file", "old");
  cr_assert_eq(each_entry(NULL), 2);
  cr_assert_eq(safe_file_commit(&file, NULL), ELMAN_OK);
  assert_content("file", "new");
  cr_assert_eq(each_entry(NULL), 1);
}

static bool is_there(const char *name) {
  struct stat info;
  return lstat(name, &info) == 0;
}

/* A killed writer cannot remove its temporary file; the next writer removes it. The next
 * writer keeps the files of living writers, even of a writer in another namespace of process ids.
 */
Test(file, file_of_killed_writer_is_removed) {
  static const char *const kept[] = {"file.elman-99999998-0.tmp",
                                     "file.elman-1x-0.tmp",
                                     "file.elman-99999999-0.tmp.old",
                                     "other.elman-99999999-0.tmp",
                                     "file.elman- 9-0.tmp",
                                     "file.elman-9--0.tmp",
                                     "file.2026-11.tmp"};
  char dead[64];
  snprintf(dead, sizeof dead, "file.elman-%ld-7.tmp", (long)getppid());
  put("file.elman-99999999-0.tmp", "half");
  put(dead, "half of a process whose number another one has now");
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) put(kept[i], "mine");
  const int alive = open(kept[0], O_WRONLY);
  cr_assert_eq(flock(alive, LOCK_EX), 0);
  cr_assert_eq(symlink("other.elman-99999999-0.tmp", "file.elman-5-0.tmp"), 0);
  cr_assert_eq(mkfifo("file.elman-6-0.tmp", 0600), 0);
  write_safely("file", "new");
  cr_assert_not(is_there("file.elman-99999999-0.tmp"));
  cr_assert_not(is_there(dead));
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    cr_assert(is_there(kept[i]), "%s", kept[i]);
  cr_assert(is_there("file.elman-5-0.tmp") && is_there("file.elman-6-0.tmp"));
  close(alive);
  write_safely("file", "new");
  cr_assert_not(is_there(kept[0]));
}

/* The file name is matched literally, not as a pattern. */
Test(file, file_names_are_matched_literally) {
  static const char *const names[] = {"a[b]", "a\\b", "a*", "?", "[!x]-{b,c}", "~"};
  cr_assert_eq(mkdir("sub[1]*", 0777), 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[64], left[96], others[96];
    for (int below = 0; below < 2; below++) {
      snprintf(path, sizeof path, "%s%s", below ? "sub[1]*/" : "", names[i]);
      snprintf(left, sizeof left, "%s.elman-99999999-3.tmp", path);
      snprintf(others, sizeof others, "%sb.elman-99999999-3.tmp", path);
      put(left, "half");
      put(others, "of another file, whose writer may be at work");
      write_safely(path, "new");
      cr_assert_not(is_there(left), "%s", left);
      cr_assert(is_there(others), "%s", others);
      remove_entry(path);
      remove_entry(others);
    }
  }
}

Test(file, concurrent_writers_do_not_interfere) {
  elman_file first, second;
  cr_assert_eq(safe_file_open(&first, "file", NULL, NULL), ELMAN_OK);
  cr_assert_eq(safe_file_open(&second, "file", NULL, NULL), ELMAN_OK);
  fputs("first", first.stream);
  fputs("second", second.stream);
  cr_assert_eq(safe_file_commit(&second, NULL), ELMAN_OK);
  assert_content("file", "second");
  cr_assert_eq(safe_file_commit(&first, NULL), ELMAN_OK);
  assert_content("file", "first");
  cr_assert_eq(each_entry(NULL), 1);
}

Test(file, lock_ends_with_the_process) {
  int ready[2];
  char byte;
  cr_assert_eq(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    elman_file file;
    if (safe_file_open(&file, "file", NULL, NULL) == ELMAN_OK) (void)!write(ready[1], "", 1);
    pause();
  }
  cr_assert_eq(read(ready[0], &byte, 1), 1);
  write_safely("file", "new");
  cr_assert_eq(each_entry(NULL), 2, "the file of a living writer was removed");
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  write_safely("file", "new");
  cr_assert_eq(each_entry(NULL), 1, "the file of a dead writer was left");
}

Test(file, abandon_leaves_no_trace) {
  elman_file file;
  cr_assert_eq(safe_file_open(&file, "file", NULL, NULL), ELMAN_OK);
  fputs("new", file.stream);
  safe_file_abandon(&file);
  cr_assert_eq(each_entry(NULL), 0);
  put("file", "old");
  cr_assert_eq(safe_file_open(&file, "file", NULL, NULL), ELMAN_OK);
  fputs("new", file.stream);
  safe_file_abandon(&file);
  assert_content("file", "old");
  cr_assert_eq(each_entry(NULL), 1);
  safe_file_abandon(&file); /* already closed: no effect */
}

static mode_t mode_of(const char *name) {
  struct stat info;
  cr_assert_eq(stat(name, &info), 0);
  return info.st_mode & 0777;
}

static mode_t open_mode;
static void note_open_mode(const char *name) {
  if (strstr(name, ".tmp") != NULL) open_mode = mode_of(name);
}

/* Check the permissions while the file is written, and afterwards. */
static void check_modes(const char *like, mode_t expected) {
  elman_file file;
  cr_assert_eq(safe_file_open(&file, "file", like, NULL), ELMAN_OK);
  open_mode = 0;
  each_entry(note_open_mode);
  cr_assert_eq(open_mode, expected, "%o while it is written", (unsigned)open_mode);
  cr_assert_eq(safe_file_commit(&file, NULL), ELMAN_OK);
  cr_assert_eq(mode_of("file"), expected, "%o", (unsigned)mode_of("file"));
}

Test(file, mode_is_kept) {
  umask(022);
  check_modes(NULL, 0644);
  cr_assert_eq(chmod("file", 0666), 0);
  check_modes(NULL, 0666);
  cr_assert_eq(chmod("file", 0600), 0);
  check_modes(NULL, 0600);
}

Test(file, mode_is_copied_from_another_file) {
  umask(022);
  check_modes("model", 0644);
  put("model", "secret");
  cr_assert_eq(chmod("model", 0600), 0);
  check_modes("model", 0600); /* also if everyone may read the old file */
  cr_assert_eq(remove("file"), 0);
  check_modes("model", 0600);
  cr_assert_eq(chmod("model", 0664), 0);
  check_modes("model", 0664);
}

/* Replace a file of `owner`, `group` and `mode` as another user, and check the result. */
static void check_owner(uid_t user, struct stat old, struct stat expected) {
  struct stat info;
  int result;
  put("file", "old");
  cr_assert_eq(chown("file", old.st_uid, old.st_gid), 0);
  cr_assert_eq(chmod("file", old.st_mode), 0);
  const pid_t process = fork();
  if (process == 0) {
    elman_file file;
    const bool is_user =
        user == 0 || (setgroups(0, NULL) == 0 && setgid(user) == 0 && setuid(user) == 0);
    _exit(!is_user || safe_file_open(&file, "file", NULL, NULL) != ELMAN_OK ||
          safe_file_commit(&file, NULL) != ELMAN_OK);
  }
  cr_assert_eq(waitpid(process, &result, 0), process);
  cr_assert_eq(result, 0);
  cr_assert_eq(stat("file", &info), 0);
  cr_assert(info.st_uid == expected.st_uid && info.st_gid == expected.st_gid &&
                (info.st_mode & 0777) == expected.st_mode,
            "%u %u %o", info.st_uid, info.st_gid, info.st_mode);
  cr_assert_eq(unlink("file"), 0);
}

static struct stat status(uid_t user, gid_t group, mode_t mode) {
  return (struct stat){.st_uid = user, .st_gid = group, .st_mode = mode};
}

Test(file, owner_and_group_are_kept_if_permitted) {
  enum { USER = 12345, OTHER = 12346 };
  if (geteuid() != 0) SKIP_IN_FOLDER("only root can make files of other users");
  cr_assert_eq(chmod(".", 0777), 0);
  check_owner(0, status(USER, OTHER, 0640), status(USER, OTHER, 0640));
  /* Neither owner nor group can be kept, so the other group may read only what everyone may
   * read. */
  check_owner(USER, status(USER, OTHER, 0660), status(USER, USER, 0600));
  check_owner(USER, status(USER, OTHER, 0664), status(USER, USER, 0644));
  check_owner(USER, status(OTHER, OTHER, 0666), status(USER, USER, 0666));
  check_owner(USER, status(OTHER, USER, 0660), status(USER, USER, 0660));
}

Test(file, symbolic_link_is_preserved) {
  cr_assert_eq(mkdir("other", 0777), 0);
  put("other/file", "old");
  cr_assert_eq(symlink("other/file", "link"), 0);
  write_safely("link", "new");
  struct stat info;
  cr_assert_eq(lstat("link", &info), 0);
  cr_assert(S_ISLNK(info.st_mode));
  assert_content("other/file", "new");
  cr_assert_eq(each_entry(NULL), 2);
  cr_assert_eq(remove("other/file"), 0);
}

Test(file, links_are_followed_to_their_end) {
  cr_assert_eq(mkdir("other", 0777), 0);
  cr_assert_eq(symlink("other/second", "first"), 0);
  cr_assert_eq(symlink("third", "other/second"), 0); /* the target does not exist yet */
  for (int i = 0; i < 2; i++) {
    write_safely("first", "new");
    assert_content("other/third", "new");
  }
  cr_assert_eq(symlink("loop", "loop"), 0);
  elman_file file;
  fails(safe_file_open(&file, "loop", NULL, &why), ELMAN_CANNOT_CREATE, "symbolic links");
  cr_assert_eq(remove("other/second"), 0);
  cr_assert_eq(remove("other/third"), 0);
}

static void write_directly(const char *path, bool append, const char *content) {
  owned_by(output_place_free) struct output_place place;
  cr_assert_eq(output_place_find(&place, path, NULL), ELMAN_OK);
  const int descriptor = output_place_open(&place, append);
  cr_assert_geq(descriptor, 0);
  cr_assert_eq(write(descriptor, content, strlen(content)), (ssize_t)strlen(content));
  cr_assert_eq(close(descriptor), 0);
}

Test(file, direct_output_is_visible_at_once) {
  struct output_place place;
  cr_assert_eq(symlink("log", "link"), 0);
  write_directly("link", false, "one");
  assert_content("log", "one");
  write_directly("link", true, " two");
  assert_content("log", "one two");
  write_directly("log", false, "new");
  assert_content("log", "new");
  /* A link that replaces the file after the check is not followed. */
  cr_assert_eq(output_place_find(&place, "log", NULL), ELMAN_OK);
  cr_assert_eq(rename("log", "victim"), 0);
  cr_assert_eq(symlink("victim", "log"), 0);
  cr_assert_lt(output_place_open(&place, false), 0);
  assert_content("victim", "new");
  output_place_free(&place);
  cr_assert_eq(output_place_find(&place, "other", NULL), ELMAN_OK);
  cr_assert_eq(symlink("victim", "other"), 0);
  cr_assert_lt(output_place_open(&place, true), 0);
  output_place_free(&place);
}

/* Anyone who may write to a folder can place a link there; in a folder like /tmp that is every
 * user. */
Test(file, link_of_another_user_is_rejected) {
  if (geteuid() != 0) SKIP_IN_FOLDER("only root can make links of other users");
  elman_file file;
  cr_assert_eq(mkdir("shared", 0700), 0);
  put("victim", "precious");
  cr_assert_eq(symlink("../victim", "shared/link"), 0);
  write_safely("shared/link", "own");
  cr_assert_eq(lchown("shared/link", 65534, 65534), 0);
  write_safely("shared/link", "in a folder of one's own");
  cr_assert_eq(chmod("shared", 01777), 0);
  put("victim", "precious");
  cr_assert_eq(safe_file_open(&file, "shared/link", NULL, &why), ELMAN_CANNOT_CREATE);
  cr_assert_str_eq(why.where, "shared/link");
  cr_assert_not_null(strstr(why.message, "link"), "%s", why.message);
  assert_content("victim", "precious");
  cr_assert_eq(symlink("shared/link", "outside"),
               0); /* the link is not followed through another link either */
  cr_assert_eq(safe_file_open(&file, "outside", NULL, &why), ELMAN_CANNOT_CREATE);
  cr_assert_eq(chown("shared", 65534, 65534), 0); /* the folder's owner may do anything in it */
  write_safely("shared/link", "new");
  assert_content("victim", "new");
  cr_assert_eq(remove("shared/link"), 0);
}

/* As with `-o >(command)` in a shell: the link in /proc has no target name. */
Test(file, unnamed_pipe_is_written) {
  int ends[2];
  char name[64], got[8] = "";
  cr_assert_eq(pipe(ends), 0);
  snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
  write_safely(name, "new");
  cr_assert_eq(read(ends[0], got, sizeof got), 3);
  cr_assert_str_eq(got, "new");
  cr_assert_eq(each_entry(NULL), 0);
}

/* As with `-o /dev/stdout >>file` in a shell: existing contents stay, and later output follows. */
Test(file, descriptor_is_written_at_its_offset) {
  char name[64];
  put("file", "old ");
  const int descriptor = open("file", O_WRONLY | O_APPEND);
  snprintf(name, sizeof name, "/dev/fd/%d", descriptor);
  write_safely(name, "new ");
  cr_assert_eq(write(descriptor, "last", 4), 4);
  cr_assert_eq(close(descriptor), 0);
  assert_content("file", "old new last");
  cr_assert_eq(each_entry(NULL), 1);
}

Test(file, device_is_written_directly) {
  write_safely("/dev/null", "new");
  elman_file file;
  cr_assert_eq(safe_file_open(&file, "/dev/full", NULL, NULL), ELMAN_OK);
  fputs("new", file.stream);
  fails(safe_file_commit(&file, &why), ELMAN_IO, "No space");
  /* The error is also reported if it occurs before the end. */
  cr_assert_eq(safe_file_open(&file, "/dev/full", NULL, NULL), ELMAN_OK);
  for (int i = 0; i < 100000; i++) fputs("more than the stream keeps ", file.stream);
  errno = 0;
  fails(safe_file_commit(&file, &why), ELMAN_IO, "No space");
}

static void do_nothing(int number) {
  (void)number;
}

/* A full pipe, a slow reader, and signals in the meantime. */
Test(file, signals_do_not_interrupt_writing) {
  enum { SIZE = 1 << 20 };
  char name[64];
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
  struct sigaction action = {.sa_handler = do_nothing};
  cr_assert_eq(sigaction(SIGUSR1, &action, NULL), 0);
  const pid_t parent = getpid(), child = fork();
  if (child == 0) {
    static char chunk[SIZE / 64];
    close(ends[1]);
    for (size_t got = 0; got < SIZE;) {
      kill(parent, SIGUSR1);
      usleep(500);
      const ssize_t more = read(ends[0], chunk, sizeof chunk);
      if (more <= 0) _exit(1);
      got += (size_t)more;
    }
    _exit(0);
  }
  elman_file file;
  cr_assert_eq(safe_file_open(&file, name, NULL, NULL), ELMAN_OK);
  static char bytes[SIZE];
  fwrite(bytes, 1, SIZE, file.stream);
  succeeds(safe_file_commit(&file, &why));
  close(ends[1]);
  int code;
  while (waitpid(child, &code, 0) < 0) continue;
  cr_assert_eq(code, 0, "bytes are missing");
}

/* Each piece arrives late, after two signals. */
Test(file, signals_do_not_interrupt_reading) {
  enum { PIECES = 20, SIZE = 100 };
  static const char piece[SIZE] = "x";
  char name[64];
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
  struct sigaction action = {.sa_handler = do_nothing};
  cr_assert_eq(sigaction(SIGUSR1, &action, NULL), 0);
  const pid_t parent = getpid(), child = fork();
  if (child == 0) {
    for (int i = 0; i < PIECES; i++) {
      for (int k = 0; k < 2; k++) {
        usleep(2000);
        kill(parent, SIGUSR1);
      }
      usleep(2000);
      if (write(ends[1], piece, SIZE) != SIZE) _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  owned_by(buffer_free) struct buffer content = {0};
  succeeds(file_read(&content, name, PIECES * SIZE, &why));
  cr_assert_eq(content.length, PIECES * SIZE);
  close(ends[0]);
  int code;
  while (waitpid(child, &code, 0) < 0) continue;
  cr_assert_eq(code, 0);
}

Test(file, existence_is_reported) {
  bool exists = true;
  cr_assert_eq(file_exists(&exists, "file", NULL), ELMAN_OK);
  cr_assert_not(exists);
  put("file", "");
  cr_assert_eq(file_exists(&exists, "file", NULL), ELMAN_OK);
  cr_assert(exists);
  cr_assert_eq(file_exists(&exists, "file/below", &why), ELMAN_NO_INPUT);
  cr_assert_str_eq(why.where, "file/below");
}

Test(file, uncreatable_files_are_reported) {
  elman_file file;
  cr_assert_eq(safe_file_open(&file, "", NULL, &why), ELMAN_CANNOT_CREATE);
  cr_assert_eq(safe_file_open(&file, ".", NULL, &why), ELMAN_CANNOT_CREATE);
  cr_assert_eq(safe_file_open(&file, "missing/file", NULL, &why), ELMAN_CANNOT_CREATE);
  cr_assert_str_eq(why.where, "missing/file");
  safe_file_abandon(&file);
  cr_assert_eq(each_entry(NULL), 0);
}
