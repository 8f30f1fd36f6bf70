/* A file of options is refused with a message, or has the effect of a command line with the
 * options of its lines. */
#include <string.h>
#include <sysexits.h>

#include "console/messages.h"
#include "fuzz.h"
#include "options/command_line.h"

/* An option of each kind. */
struct settings {
  bool flag;
  const char *text, *choice;
  unsigned index;
  size_t count;
  uint64_t seed;
  double real;
  struct option_list list;
};

static const char *choice_name(size_t index) {
  static const char *const names[] = {"one", "two", "number three"};
  return index < 3 ? names[index] : NULL;
}

/* Return whether a line turns a flag off. This is the default and has no form on the command line.
 */
static bool is_off(const struct config_line *line) {
  return strcmp(line->name, "flag") == 0 && line->value != NULL && strcmp(line->value, "no") == 0;
}

static int parse(struct settings *settings, int argc, char **argv) {
  *settings = (struct settings){.text = "", .choice = ""};
  const struct option options[] = {
      {"flag", 'f', .flag = &settings->flag},
      {"text", 't', "FILE", .text = &settings->text},
      {"choice", 0, "NAME", .text = &settings->choice, .choice = choice_name},
      {"index", 0, "NAME", .index = &settings->index, .choice = choice_name},
      {"count", 'c', "N", .count = &settings->count, .least = 2, .most = 1000},
      {"seed", 0, "N", .seed = &settings->seed},
      {"real", 'r', "X", .real = &settings->real, .lowest = -1, .highest = 1e9},
      {"list", 'l', "WORD", .list = &settings->list, .most = MAX_LISTED},
      {0}};
  const struct usage usage = {"fuzz", "", "", options, NULL, .reads_operands = false};
  struct operands operands;
  int code = EX_OK;
  messages_hold();
  const bool done = options_parse(&usage, argc, argv, &operands, &code);
  REQUIRE(done == (code == EX_OK) && done == (messages_held()[0] == '\0'));
  messages_release();
  return code;
}

static void require_same(const struct settings *a, const struct settings *b) {
  REQUIRE(a->flag == b->flag && a->index == b->index && a->count == b->count);
  REQUIRE(a->seed == b->seed && a->real == b->real && a->list.count == b->list.count);
  REQUIRE(strcmp(a->text, b->text) == 0 && strcmp(a->choice, b->choice) == 0);
  for (size_t i = 0; i < a->list.count; i++)
    REQUIRE(strcmp(a->list.words[i], b->list.words[i]) == 0);
}

static void require_line(const struct config_file *config, size_t i) {
  static const char blanks[] = " \t\r";
  const struct config_line *line = &config->lines[i];
  REQUIRE(line->number > (i == 0 ? 0 : line[-1].number));
  REQUIRE(strcspn(line->name, " \t\r\n=") == strlen(line->name));
  if (line->value == NULL || line->value[0] == '\0') return;
  REQUIRE(strchr(line->value, '\n') == NULL && strchr(blanks, line->value[0]) == NULL);
  REQUIRE(strchr(blanks, line->value[strlen(line->value) - 1]) == NULL);
}

/* Require the same settings from a command line with the options of the file. */
static void require_command_line(const struct config_file *config,
                                 const struct settings *expected) {
  char *words[CONFIG_LINES + 1] = {"fuzz"};
  struct settings settings;
  int count = 1;
  for (size_t i = 0; i < config->count; i++) {
    const struct config_line *line = &config->lines[i];
    const bool alone = strcmp(line->name, "flag") == 0;
    if (is_off(line)) continue;
    REQUIRE(asprintf(&words[count++], alone ? "--%s" : "--%s=%s", line->name, line->value) > 0);
  }
  REQUIRE(parse(&settings, count, words) == EX_OK);
  require_same(&settings, expected);
  while (--count > 0) free(words[count]);
}

bool fuzz_one(const uint8_t *bytes, size_t size) {
  static struct config_file config;
  struct settings settings;
  const char *path = fuzz_file(bytes, size);
  char *words[] = {"fuzz", "--config", (char *)path};
  config.count = config.used = 0;
  messages_hold();
  const int code = config_file_read(&config, path);
  REQUIRE((code == EX_OK) == (messages_held()[0] == '\0'));
  REQUIRE(code == EX_OK || code == EX_USAGE || code == EX_DATAERR);
  messages_release();
  for (size_t i = 0; i < config.count; i++) require_line(&config, i);
  const int parsed = parse(&settings, 3, words);
  if (code != EX_OK) REQUIRE(parsed == code);
  if (parsed != EX_OK) return false;
  require_command_line(&config, &settings);
  return true;
}
