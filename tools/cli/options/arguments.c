#include "options/arguments.h"

#include <string.h>

static const struct option *find_short(const struct option *options, char letter) {
  for (const struct option *option = options; option->name != NULL && letter != '\0'; option++)
    if (option->letter == letter) return option;
  return NULL;
}

static const struct option *either(const struct option *own, const struct option *common) {
  return own != NULL ? own : common;
}

/* `value`, or if that is NULL the next word of an option that needs one; NULL at the end. */
static const char *value_at(struct arguments *arguments, const struct option *option,
                            const char *value) {
  const bool needed = option != NULL && option->flag == NULL && value == NULL;
  return needed && arguments->next < arguments->argc ? arguments->argv[arguments->next++] : value;
}

/* The flag that "no-NAME" switches off; NULL = none. */
static const struct option *find_negated(const struct usage *usage, const char *name,
                                         size_t length) {
  if (length < 3 || strncmp(name, "no-", 3) != 0) return NULL;
  const struct option *option = option_row_n(usage->options, name + 3, length - 3);
  return option != NULL && option->flag != NULL ? option : NULL;
}

/* "--name", "--name=VALUE", "--no-name" */
static void read_long(struct arguments *arguments, struct argument *argument) {
  argument->name = argument->word + 2;
  argument->length = strcspn(argument->name, "=");
  argument->option =
      either(option_row_n(arguments->usage->options, argument->name, argument->length),
             option_row_n(arguments->common, argument->name, argument->length));
  if (argument->option == NULL) {
    argument->option = find_negated(arguments->usage, argument->name, argument->length);
    argument->negated = argument->option != NULL;
  }
  const char *rest = argument->name + argument->length;
  argument->value = value_at(arguments, argument->option, *rest == '=' ? rest + 1 : NULL);
}

/* A letter of "-q", "-qm FILE", "-mFILE". */
static void read_letter(struct arguments *arguments, struct argument *argument) {
  char *letter = arguments->letters, *rest = letter[1] == '\0' ? NULL : letter + 1;
  argument->option = either(find_short(arguments->usage->options, *letter),
                            find_short(arguments->common, *letter));
  /* What nobody knows is told of as a whole. */
  argument->name = argument->option == NULL ? argument->word + 1 : letter;
  argument->length = argument->option == NULL ? strlen(argument->name) : 1;
  const bool flag = argument->option != NULL && argument->option->flag != NULL;
  arguments->letters = flag ? rest : NULL;
  if (!flag) argument->value = value_at(arguments, argument->option, rest);
}

bool arguments_next(struct arguments *arguments, struct argument *argument) {
  if (arguments->letters == NULL) {
    if (arguments->next < arguments->argc && !arguments->only_operands &&
        strcmp(arguments->argv[arguments->next], "--") == 0) {
      arguments->only_operands = true;
      arguments->next++;
    }
    if (arguments->next == arguments->argc) return false;
    *argument = (struct argument){.word = arguments->argv[arguments->next++]};
    if (arguments->only_operands || argument->word[0] != '-' || argument->word[1] == '\0')
      return true;
    if (argument->word[1] != '-') arguments->letters = argument->word + 1;
  } else {
    *argument = (struct argument){.word = argument->word};
  }
  if (arguments->letters == NULL)
    read_long(arguments, argument);
  else
    read_letter(arguments, argument);
  return true;
}

bool arguments_find(const struct arguments *start, const char *name, struct argument *argument) {
  struct arguments arguments = *start;
  while (arguments_next(&arguments, argument))
    if (argument->option != NULL && strcmp(argument->option->name, name) == 0) return true;
  return false;
}

const char *arguments_value(const struct arguments *start, const char *name) {
  struct argument argument;
  return arguments_find(start, name, &argument) ? argument.value : NULL;
}
