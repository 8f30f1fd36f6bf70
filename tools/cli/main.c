/* elman: find the subcommand and run it. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "commands.h"
#include "console/messages.h"
#include "group/group.h"
#include "options/command_line.h"

/* ---- environment of libraries ---- */

static const char self[] = "/proc/self/exe";

/* Return whether `path` still names this program. An upgrade replaces the file; the link to a
 * removed file ends in "(deleted)". */
static bool is_this_program(const char *path) {
  struct stat named, running;
  return stat(path, &named) == 0 && stat(self, &running) == 0 && named.st_dev == running.st_dev &&
         named.st_ino == running.st_ino;
}

static void restart_with(char **argv, const char *name, const char *value) {
  char path[4096]; /* target of the link; executing the link itself would rename the process */
  const ssize_t length = readlink(self, path, sizeof path);
  if (length <= 0 || (size_t)length >= sizeof path) return;
  path[length] = '\0';
  if (is_this_program(path) && setenv(name, value, 1) == 0) execv(path, argv);
}

static bool is_memory_limited(void) {
  struct rlimit space, data;
  return (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) ||
         (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY);
}

/* If memory is limited, turn off OpenBLAS's own threads. Each thread needs a large buffer. A thread
 * that cannot allocate it retries forever, so the process would never end. OpenBLAS reads the
 * environment only when it is loaded, so set the variable and restart the program. If the restart
 * fails, continue unchanged. */
static void disable_blas_threads(char **argv) {
  static const char name[] = "OPENBLAS_NUM_THREADS";
  const char *set = getenv(name);
  if (set != NULL && strcmp(set, "1") == 0) return;
  if (is_memory_limited()) restart_with(argv, name, "1");
}

/* ---- the process ---- */

/* Open /dev/null in place of each closed standard stream. Otherwise the next opened file would take
 * the stream's number and receive its messages. The access mode is the opposite of the stream's, so
 * that reads and writes fail. */
static void occupy_standard_streams(void) {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; descriptor++)
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF &&
        open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
      return;
}

/* Check the stack limit and report one that is too small. With less stack, the system would kill
 * the process without a message. The need is bounded: parsed JSON has a limited depth, and OpenBLAS
 * keeps blocks of limited size on the stack. New threads have the same limit. */
static bool has_stack(void) {
  enum { NEEDED = 1 << 20 };
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= NEEDED) return true;
  report(NULL, "the stack limit of %zu kB is too small; set it to %d kB or more (ulimit -s)",
         (size_t)limit.rlim_cur >> 10, NEEDED >> 10);
  return false;
}

int main(int argc, char **argv) {
  disable_blas_threads(argv);
  occupy_standard_streams();
  /* Buffer standard error, so that each message is one system call, because other processes may
   * write to the same terminal or log. The buffer is static because some messages report that
   * memory ran out. */
  static char buffer[1 << 14];
  setvbuf(stderr, buffer, _IOLBF, sizeof buffer);
  if (!has_stack()) return EX_OSERR;
  /* Do not set LC_ALL: it could write a decimal comma into JSON. */
  setlocale(LC_CTYPE, "");
  /* Ignore these signals, so that write() returns an error for a full quota or a closed pipe. The
   * program can then remove temporary files, and training continues if nobody reads its
   * messages. */
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);

  if (argc < 2) {
    commands_print(stderr, NULL);
    return EX_USAGE;
  }
  const char *name = argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
    return help_command(argc - 1, argv + 1);
  if (strcmp(name, "--version") == 0) return version_command(argc - 2, argv + 2);
  int words;
  options_search_by(command_with_option);
  const struct command *command = command_find(argc - 1, argv + 1, &words);
  if (command == NULL) return EX_USAGE;
  const bool together = command->processes == TOGETHER;
  const int joined = together ? group_join() : EX_OK;
  if (joined != EX_OK) return joined;
  const int code = command->run(argc - words, argv + words);
  return together ? group_leave(code) : code;
}
