#include "override_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "messages.h"

/* A position from 1 at the start of `text`; gives what follows it, or NULL. */
static const char *take_position(size_t *index, const char *text) {
  size_t digits = strspn(text, "0123456789");
  if (digits == 0 || digits > 9 || text[0] == '0') return NULL;
  *index = (size_t)strtoul(text, NULL, 10) - 1;
  return text + digits;
}

/* Not strtod: a number is digits with at most one point, whatever the locale. */
static bool take_weight(double *weight, const char *text) {
  double value = 0, unit = 1;
  bool fraction = false;
  if (strspn(text, "0123456789.") != strlen(text) || strcspn(text, "0123456789") == strlen(text))
    return false;
  for (; *text != '\0'; text++) {
    if (*text == '.') {
      if (fraction) return false;
      fraction = true;
      continue;
    }
    if (fraction) unit /= 10;
    value = fraction ? value + unit * (*text - '0') : 10 * value + (*text - '0');
  }
  *weight = value;
  return value <= 1;
}

static bool parse(elman_override *override, const char *word) {
  static const char position[] = "position=";
  if (strcmp(word, "uniform") == 0) {
    override->kind = ELMAN_OVERRIDE_UNIFORM;
    return true;
  }
  if (strcmp(word, "shuffle") == 0) {
    override->kind = ELMAN_OVERRIDE_SHUFFLE;
    return true;
  }
  if (strncmp(word, position, strlen(position)) == 0) {
    override->kind = ELMAN_OVERRIDE_POSITION;
    const char *rest = take_position(&override->column, word + strlen(position));
    return rest != NULL && *rest == '\0';
  }
  override->kind = ELMAN_OVERRIDE_CELL;
  const char *rest = take_position(&override->row, word);
  if (rest == NULL || *rest != ':') return false;
  rest = take_position(&override->column, rest + 1);
  return rest != NULL && *rest == '=' && take_weight(&override->weight, rest + 1);
}

int overrides_settle(struct overrides *overrides, const struct usage *usage) {
  for (size_t i = 0; i < overrides->words.count; i++) {
    overrides->list[i] = (elman_override){0};
    if (!parse(&overrides->list[i], overrides->words.words[i]))
      return report_usage(usage->command,
                          "--override: '%s' is none of uniform, shuffle, position=K and row:col=w "
                          "(target word, source word, both from 1, and a weight from 0 to 1)",
                          overrides->words.words[i]);
  }
  return EX_OK;
}
