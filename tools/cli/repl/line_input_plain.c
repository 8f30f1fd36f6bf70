#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "console/messages.h"
#include "repl/line_input.h"

void line_input_start(const struct line_input_words *words) {
  (void)words;
}

void line_input_end(void) {}

char *line_input_read(const char *prompt) {
  char *line = NULL;
  size_t capacity = 0;
  for (;;) {
    fputs(prompt, stderr);
    fflush(stderr);
    errno = 0;
    const ssize_t length = getline(&line, &capacity, stdin);
    if (length >= 0) {
      if (length > 0 && line[length - 1] == '\n') line[length - 1] = '\0';
      return line;
    }
    if (errno != EINTR || interrupt_signal() == 0) {
      free(line);
      return NULL;
    }
    interrupt_clear();
    clearerr(stdin);
    putc('\n', stderr);
  }
}

void line_input_add_history(const char *line) {
  (void)line;
}
