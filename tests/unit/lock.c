/* Test: text. */
/* Output locks: one holder at a time, and no lock outlives its process. */
#include "folder.h"
#include "owned.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "elman/file.h"

TestSuite(lock, .init = enter_folder, .fini = leave_folder);

static elman_lock *acquired(const char *output) {
  elman_lock *lock;
  succeeds(elman_lock_acquire(&lock, output, &why));
  cr_assert_null(elman_lock_problem(lock));
  return lock;
}

static void check_refused(const char *output, const char *where, const char *problem) {
  elman_lock *lock;
  cr_assert_eq(elman_lock_acquire(&lock, output, &why), ELMAN_CANNOT_CREATE, "%s", output);
  cr_assert_str_eq(why.where, where);
  cr_assert_not_null(strstr(why.message, problem), "\"%s\" lacks \"%s\"", why.message, problem);
  cr_assert_null(lock);
}

Test(lock, only_one_holder_at_a_time) {
  char process[64];
  snprintf(process, sizeof process, "process %ld is writing it", (long)getpid());
  elman_lock *lock = acquired("model");
  cr_assert_eq(symlink("model", "link"), 0);
  put_bytes("model", "x", 1);
  check_refused("model", "model", process);
  check_refused("./model", "./model", process);
  check_refused("link", "link", process); /* another name for the same file */
  elman_lock *other = acquired("other");
  elman_lock_release(other);
  elman_lock_release(lock);
  cr_assert_eq(each_entry(NULL), 2, "the lock file remains");
  lock = acquired("model");
  elman_lock_release(lock);
  elman_lock_release(NULL); /* no effect */
}

/* Many processes acquire the lock, check that they are alone, and release it. */
Test(lock, lock_is_never_held_twice) {
  enum { PROCESSES = 6, TIMES = 100 };
  pid_t children[PROCESSES];
  for (int p = 0; p < PROCESSES; p++) {
    children[p] = fork();
    for (int i = 0; children[p] == 0 && i < TIMES;) {
      elman_lock *lock;
      if (elman_lock_acquire(&lock, "model", NULL) != ELMAN_OK) continue;
      const int alone = open("alone", O_CREAT | O_EXCL | O_WRONLY, 0600);
      if (alone < 0 || unlink("alone") != 0) _exit(1);
      close(alone);
      elman_lock_release(lock);
      i++;
    }
    if (children[p] == 0) _exit(0);
  }
  for (int p = 0; p < PROCESSES; p++) {
    int code;
    waitpid(children[p], &code, 0);
    cr_assert_eq(code, 0, "two processes held the lock at once");
  }
  cr_assert_eq(each_entry(NULL), 0);
}

/* Another kind of file under the lock's name is not deleted. */
Test(lock, other_files_are_not_deleted) {
  static const char *const contents[] = {
      "{}", "12", "\n", "1 2\n", "-1\n", "12\n\n", "123456789012345678901234567890\n"};
  for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
    put_bytes("model.lock", contents[i], strlen(contents[i]));
    check_refused("model", "model.lock", "is not a lock");
    size_t length;
    owned char *bytes = get_bytes("model.lock", &length);
    cr_assert_str_eq(bytes, contents[i]);
  }
  cr_assert_eq(remove("model.lock"), 0);
  cr_assert_eq(mkfifo("model.lock", 0600), 0);
  check_refused("model", "model.lock", "is not a lock");
  cr_assert_eq(remove("model.lock"), 0);
  put_bytes("victim", "12\n", 3);
  cr_assert_eq(symlink("victim", "model.lock"), 0);
  check_refused("model", "model.lock", "is not a lock");
  cr_assert_eq(remove("model.lock"), 0);
  cr_assert_eq(link("victim", "model.lock"), 0);
  elman_lock *lock = acquired("model");
  elman_lock_release(lock);
  size_t length;
  char *bytes = get_bytes("victim", &length);
  cr_assert_str_eq(bytes, "12\n", "written through another name");
  free(bytes);
}

Test(lock, devices_need_no_lock) {
  static const char *const names[] = {"/dev/null", "/dev/full", "pipe"};
  cr_assert_eq(mkfifo("pipe", 0600), 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    elman_lock *const first = acquired(names[i]), *const second = acquired(names[i]);
    elman_lock_release(first);
    elman_lock_release(second);
  }
  cr_assert_eq(each_entry(NULL), 1);
}

Test(lock, unwritable_folder_is_reported) {
  elman_lock *lock;
  cr_assert_eq(elman_lock_acquire(&lock, "/proc/model", NULL), ELMAN_OK);
  cr_assert_not_null(elman_lock_problem(lock));
  elman_lock_release(lock);
}
