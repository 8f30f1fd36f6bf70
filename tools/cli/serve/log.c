#include "serve/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "console/messages.h"

/* Bytes that may wait. Further lines are lost, and their number is printed. */
enum { MOST_WAITING = 1 << 20 };

/* Lines are added to one text while the thread writes the other. No allocation can fail. */
static char texts[2][MOST_WAITING];

static struct {
  pthread_mutex_t mutex;
  pthread_cond_t arrival, written;
  size_t filled; /* index of the text to which lines are added */
  size_t size, lost;
  bool over, runs;
} pending = {.mutex = PTHREAD_MUTEX_INITIALIZER,
             .arrival = PTHREAD_COND_INITIALIZER,
             .written = PTHREAD_COND_INITIALIZER};

static bool started; /* for the main thread */

static void add(const char *line, size_t size) {
  pthread_mutex_lock(&pending.mutex);
  if (size <= MOST_WAITING - pending.size) {
    memcpy(texts[pending.filled] + pending.size, line, size);
    pending.size += size;
  } else {
    pending.lost++;
  }
  pthread_cond_signal(&pending.arrival);
  pthread_mutex_unlock(&pending.mutex);
}

static void write_all(const char *text, size_t size) {
  for (size_t at = 0; at < size;) {
    const ssize_t count = write(STDERR_FILENO, text + at, size - at);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) at += (size_t)count;
  }
}

static void *run(void *argument) {
  (void)argument;
  pthread_mutex_lock(&pending.mutex);
  for (;;) {
    while (pending.size == 0 && pending.lost == 0 && !pending.over)
      pthread_cond_wait(&pending.arrival, &pending.mutex);
    if (pending.size == 0 && pending.lost == 0) break;
    char note[80];
    const char *text = texts[pending.filled];
    const size_t size = pending.size;
    const int length = pending.lost == 0
                           ? 0
                           : snprintf(note, sizeof note,
                                      "%zu message%s lost, because standard error was not read\n",
                                      pending.lost, plural(pending.lost));
    pending.filled = 1 - pending.filled;
    pending.size = pending.lost = 0;
    pthread_mutex_unlock(&pending.mutex);
    write_all(text, size);
    write_all(note, (size_t)length);
    pthread_mutex_lock(&pending.mutex);
  }
  pending.runs = false;
  pthread_cond_signal(&pending.written);
  pthread_mutex_unlock(&pending.mutex);
  return NULL;
}

int log_start(void) {
  pthread_t thread;
  pending.runs = true;
  const int problem = pthread_create(&thread, NULL, run, NULL);
  if (problem != 0) {
    pending.runs = false;
    return problem;
  }
  pthread_detach(thread);
  started = true;
  messages_redirect(add);
  return 0;
}

void log_end(void) {
  enum { SECONDS = 1 };
  if (!started) return;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += SECONDS;
  pthread_mutex_lock(&pending.mutex);
  pending.over = true;
  pthread_cond_signal(&pending.arrival);
  while (pending.runs)
    if (pthread_cond_timedwait(&pending.written, &pending.mutex, &until) != 0) break;
  const bool written = !pending.runs;
  pthread_mutex_unlock(&pending.mutex);
  if (written)
    messages_redirect(NULL); /* if messages are left, the thread still writes, and a message printed
                                at once could block the end */
}
