/* Command lines, by the option tables of all commands. Words end in LF; the first byte chooses the
 * command. An option that there is not, at the end, keeps the command from running: twice, should
 * the first be taken for a value. */
#include <string.h>
#include <sysexits.h>

#include "commands.h"
#include "fuzz.h"

enum { MAX_WORDS = 24 };

/* Help would close standard output; behind "--" the last two are no options. */
static bool ends_parsing(const char *word) {
  return strcmp(word, "--") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0;
}

/* Without its messages. */
static int run(const struct command *command, int count, char **words) {
  static FILE *nowhere;
  FILE *messages = stderr;
  if (nowhere == NULL) nowhere = fopen("/dev/null", "w");
  REQUIRE(nowhere != NULL);
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
  if (command->run == no_command) command++; /* to the first of its group */
  char *text = malloc(size + 1), *words[MAX_WORDS + 4] = {(char *)command->name};
  REQUIRE(text != NULL);
  memcpy(text, bytes, size);
  text[size] = '\0';
  for (char *word = strtok(text, "\n"); word != NULL && count <= MAX_WORDS;
       word = strtok(NULL, "\n"))
    if (!ends_parsing(word)) words[count++] = word;
  for (size_t i = 0; i < 2; i++)
    words[count++] = strcpy(last[i], "--nothing"); /* it is written to */
  const int code = run(command, (int)count, words);
  REQUIRE(code == EX_USAGE);
  free(text);
  return true;
}
