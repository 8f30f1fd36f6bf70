/* Parse command lines with the option tables of all commands. Words end in LF; the first byte
 * chooses the command. An unknown option at the end keeps the command from running; it is given
 * twice, because the first may become the value of an option. */
#include <string.h>
#include <sysexits.h>

#include "commands.h"
#include "fuzz.h"

enum { MAX_WORDS = 24 };

/* Help would close standard output; after "--" the unknown options would be operands. */
static bool ends_parsing(const char *word) {
  return strcmp(word, "--") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0;
}

/* Run the command without its messages. */
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
  if (command->run == no_command) command++; /* go to the first command of the group */
  char *text = malloc(size + 1), *words[MAX_WORDS + 4] = {(char *)command->name};
  REQUIRE(text != NULL);
  memcpy(text, bytes, size);
  text[size] = '\0';
  for (char *word = strtok(text, "\n"); word != NULL && count <= MAX_WORDS;
       word = strtok(NULL, "\n"))
    if (!ends_parsing(word)) words[count++] = word;
  for (size_t i = 0; i < 2; i++)
    words[count++] = strcpy(last[i], "--nothing"); /* a copy, because the parser writes to words */
  const int code = run(command, (int)count, words);
  REQUIRE(code == EX_USAGE);
  free(text);
  return true;
}
