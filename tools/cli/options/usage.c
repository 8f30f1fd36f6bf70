#include "options/usage.h"

#include <stddef.h>

bool usage_has_config(const struct usage *usage) {
  return option_row(usage->options, CONFIG_OPTION) == NULL;
}

void options_common(struct option rows[MOST_COMMON], const struct usage *usage) {
  static const char *none = NULL;
  static bool no = false;
  size_t count = 0;
  if (usage_has_config(usage))
    rows[count++] = (struct option){
        CONFIG_OPTION, 0, "FILE",
        "read options from lines 'name = value'; those given here replace them", .text = &none};
  rows[count++] = (struct option){"help", 'h', .help = "show this and leave", .flag = &no};
  rows[count] = (struct option){0};
}

bool option_given(const struct usage *usage, const struct operands *operands, const char *name) {
  const struct option *option = option_row(usage->options, name);
  return option != NULL && operands->given[option - usage->options];
}
