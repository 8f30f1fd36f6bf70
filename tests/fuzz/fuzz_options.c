/* Command lines, by the option tables of all commands. Words end in LF; the first byte chooses the
 * command. An option that there is not, at the end, keeps the command from running: twice, should
 * the first be taken for a value. */
#include <fcntl.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "commands.h"
#include "fuzz.h"

enum { MOST_WORDS = 24 };

/* Where messages and help go. */
static FILE *open_nowhere(void) {
  FILE *nowhere = fopen("/dev/null", "w");
  REQUIRE(nowhere != NULL && dup2(fileno(nowhere), STDOUT_FILENO) >= 0);
  return nowhere;
}

static int run(const struct command *command, int count, char **words) {
  static FILE *nowhere;
  FILE *messages = stderr;
  if (nowhere == NULL) nowhere = open_nowhere();
  stderr = nowhere;
  const int code = command->run(count, words);
  stderr = messages;
  return code;
}

bool fuzz_one(const uint8_t *bytes, size_t size) {
  static char last[2][16] = {"--nothing", "--nothing"};
  const size_t choice = fuzz_take_byte(&bytes, &size);
  size_t known = 0, count = 1;
  while (commands[known].name != NULL) known++;
  const struct command *command = &commands[choice % known];
  char *text = malloc(size + 1), *words[MOST_WORDS + 4] = {(char *)command->name};
  REQUIRE(text != NULL);
  memcpy(text, bytes, size);
  text[size] = '\0';
  for (char *word = strtok(text, "\n"); word != NULL && count <= MOST_WORDS;
       word = strtok(NULL, "\n"))
    if (strcmp(word, "--") != 0) words[count++] = word;
  for (size_t i = 0; i < 2; i++)
    words[count++] = strcpy(last[i], "--nothing"); /* it is written to */
  const int code = run(command, (int)count, words);
  REQUIRE(code == EX_OK || code == EX_USAGE);
  free(text);
  return code == EX_OK;
}
