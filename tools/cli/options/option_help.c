#include "options/option_help.h"

#include <stdio.h>
#include <sysexits.h>

#include "console/output.h"

/* `preset`: a choice has made the value the default. */
static void print_default(FILE *stream, const struct option *option, bool preset) {
  const char *words = preset ? NULL : option->default_words;
  const bool nothing = option->list != NULL || (option->text != NULL && *option->text == NULL) ||
                       (option->flag != NULL && !*option->flag);
  if (words == NULL && nothing) return;
  fputs(" (default: ", stream);
  if (words != NULL || option->flag != NULL)
    fputs(option->flag != NULL ? "on" : words, stream);
  else
    option_print_value(stream, option);
  putc(')', stream);
}

static void print_option(FILE *stream, const struct option *option, bool preset) {
  char names[64];
  const char *argument = option->argument == NULL ? "" : option->argument;
  snprintf(names, sizeof names, "--%s%s%s", option->name, argument[0] == '\0' ? "" : " ", argument);
  if (option->letter != 0)
    fprintf(stream, "  -%c, %-26s ", option->letter, names);
  else
    fprintf(stream, "      %-26s ", names);
  fputs(option->help, stream);
  if (option->choice != NULL) {
    char choices[256];
    option_print_choices(choices, sizeof choices, option);
    fprintf(stream, ": %s", choices);
  }
  print_default(stream, option, preset);
  putc('\n', stream);
}

static int print_help(const struct usage *usage, const bool preset[MOST_OPTIONS]) {
  printf("Usage: elman %s %s\n\n%s\n\nOptions:\n", usage->command, usage->operands,
         usage->description);
  for (const struct option *option = usage->options; option->name != NULL; option++)
    print_option(stdout, option, preset[option - usage->options]);
  struct option common[MOST_COMMON];
  options_common(common, usage);
  for (const struct option *option = common; option->name != NULL; option++)
    print_option(stdout, option, false);
  return output_end(EX_OK);
}

static int (*show_help)(const struct usage *usage, const bool preset[MOST_OPTIONS]) = print_help;

void options_help_by(int (*show)(const struct usage *usage, const bool preset[MOST_OPTIONS])) {
  show_help = show == NULL ? print_help : show;
}

int options_help(const struct usage *usage, const bool preset[MOST_OPTIONS]) {
  return show_help(usage, preset);
}
