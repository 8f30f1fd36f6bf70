#include "options/option_rules.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <sysexits.h>

static bool has_option(const struct usage *usage, const bool given[MOST_OPTIONS],
                       const char *name) {
  const struct option *option = option_row(usage->options, name);
  assert(option != NULL);
  if (option->flag != NULL) return *option->flag;
  return given[option - usage->options] && (option->count == NULL || *option->count > 0);
}

/* The first that is there of the names, which are taken apart; NULL = none. */
static const char *find_given(const struct usage *usage, const struct operands *operands,
                              const bool given[MOST_OPTIONS], char *names) {
  char *rest;
  for (char *name = strtok_r(names, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
    if (isupper((unsigned char)*name)) {
      if (operands->count > 0) return operands->words[0];
    } else if (isdigit((unsigned char)*name)) {
      if (operands->count == (size_t)(*name - '0')) return name;
    } else if (has_option(usage, given, name)) {
      return name;
    }
  }
  return NULL;
}

int options_check_rules(const struct usage *usage, const struct operands *operands) {
  for (const struct rule *rule = usage->rules; rule != NULL && rule->message != NULL; rule++) {
    const char *conditions[] = {rule->one, rule->other}, *found[2];
    char names[2][256];
    bool broken = true;
    for (size_t i = 0; i < 2; i++) {
      const bool none = conditions[i][0] == '!', typed = conditions[i][0] == '+';
      snprintf(names[i], sizeof names[i], "%s", conditions[i] + (none || typed));
      found[i] = find_given(usage, operands, typed ? operands->typed : operands->given, names[i]);
      broken = broken && (conditions[i][0] == '\0' || (found[i] == NULL) == none);
    }
    if (broken) return report_usage(usage->command, rule->message, found[0]);
  }
  return EX_OK;
}
