#include "options/config_file.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "console/line_reader.h"
#include "console/messages.h"

static const char BLANKS[] = " \t\r";

void config_line_name(char *name, size_t size, const struct config_file *config,
                      const struct config_line *line) {
  snprintf(name, size, "%s:%zu", config->path, line->number);
}

static int refuse(const struct config_file *config, size_t number, const char *problem) {
  char where[MESSAGE_SIZE];
  config_line_name(where, sizeof where, config, &(struct config_line){.number = number});
  report(where, "%s", problem);
  return EX_USAGE;
}

/* Ends the text before its comment and the blanks in front of that. */
static void cut_comment(char *text) {
  char *comment = text;
  while ((comment = strchr(comment, '#')) != NULL) {
    if (comment == text || strchr(BLANKS, comment[-1]) != NULL) {
      *comment = '\0';
      break;
    }
    comment++;
  }
  size_t length = strlen(text);
  while (length > 0 && strchr(BLANKS, text[length - 1]) != NULL) text[--length] = '\0';
}

struct config_line config_line_split(char *text, size_t number) {
  char *end = text + strcspn(text, " \t\r=");
  char *value = end + strspn(end, BLANKS);
  const bool equals = *value == '=';
  if (equals) value += 1 + strspn(value + 1, BLANKS);
  const bool alone = *value == '\0' && !equals;
  *end = '\0';
  return (struct config_line){text, alone ? NULL : value, number};
}

static int take_line(struct config_file *config, const struct line *line, size_t number) {
  if (memchr(line->text, '\0', line->length) != NULL)
    return refuse(config, number, "has a byte of 0: this is no text");
  if (line->length >= sizeof config->text - config->used)
    return refuse(config, number, "the options are longer than 65536 bytes");
  char *text = config->text + config->used;
  memcpy(text, line->text, line->length);
  text[line->length] = '\0';
  cut_comment(text);
  text += strspn(text, BLANKS);
  if (*text == '\0') return EX_OK;
  if (config->count == CONFIG_LINES)
    return refuse(config, number, "there are more than 512 options");
  config->used = (size_t)(text + strlen(text) + 1 - config->text);
  config->lines[config->count++] = config_line_split(text, number);
  return EX_OK;
}

int config_file_read(struct config_file *config, const char *path) {
  struct line_reader lines;
  struct line line;
  config->path = path;
  if (path[0] == '\0') {
    report("--config", "'' is not the name of a file");
    return EX_USAGE;
  }
  if (strcmp(path, "-") == 0) {
    report("--config", "options are read from a file, not from standard input");
    return EX_USAGE;
  }
  int code = line_reader_open(&lines, path, sizeof config->text);
  if (code != EX_OK) return code;
  while (code == EX_OK && line_reader_next(&lines, &line, &code))
    code = take_line(config, &line, lines.number);
  line_reader_close(&lines);
  return code;
}
