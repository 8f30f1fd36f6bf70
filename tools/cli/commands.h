/* The table of commands. Each command is a row here and a function in a file of its own. */
#ifndef ELMAN_CLI_COMMANDS_H
#define ELMAN_CLI_COMMANDS_H

#include <stdio.h>

/* Whether several processes may run the command as one. */
enum processes { ALONE, TOGETHER };

/* Name, function, processes, summary. The name of a command in a group starts with the group's
 * name. A group has a row without a function before its members. */
#define COMMANDS(ROW)                                                                              \
  ROW("train", train_command, TOGETHER, "learn from sentence pairs and write a model")             \
  ROW("translate", translate_command, TOGETHER, "translate sentences, one a line")                 \
  ROW("repl", repl_command, ALONE, "translate interactively")                                      \
  ROW("attention", attention_command, ALONE, "show what the decoder's attention looked at")        \
  ROW("evaluate", evaluate_command, TOGETHER, "measure a model on sentence pairs")                 \
  ROW("score", score_command, ALONE, "tell how likely given translations are")                     \
  ROW("average", average_command, ALONE, "write the mean of the weights of several models")        \
  ROW("inspect", inspect_command, ALONE, "show what a model file holds")                           \
  ROW("gradcheck", gradcheck_command, ALONE, "check a model's gradients")                          \
  ROW("trace", trace_command, ALONE, "show how far back learning reaches")                         \
  ROW("corpus", no_command, ALONE, "check or split sentence pairs")                                \
  ROW("corpus check", corpus_check_command, ALONE,                                                 \
      "look for leaks between parts, bad lines and more")                                          \
  ROW("corpus split", corpus_split_command, ALONE,                                                 \
      "split pairs into train, dev and test without leaks")                                        \
  ROW("subwords", no_command, ALONE, "learn, apply and show parts of words")                       \
  ROW("subwords learn", subwords_learn_command, ALONE,                                             \
      "learn merges of byte-pair encoding from text")                                              \
  ROW("subwords apply", subwords_apply_command, ALONE, "split words into parts")                   \
  ROW("subwords show", subwords_show_command, ALONE, "write the merges of a model")                \
  ROW("help", help_command, ALONE, "explain a command")

/* Run a command and return its exit code. argv[0] is the last word of the command's name. */
typedef int command_function(int argc, char **argv);

#define DECLARE_COMMAND(name, run, processes, summary) command_function run;
COMMANDS(DECLARE_COMMAND)
#undef DECLARE_COMMAND

/* Run `elman --version`; argv contains the words after it. */
command_function version_command;

struct command {
  const char *name; /* NULL ends the table */
  const char *summary;
  command_function *run; /* no_command for a group */
  enum processes processes;
};

extern const struct command commands[];

/* Return the command whose name argv starts with, and set *words to the number of words in the
 * name. Return NULL after a message if no command has this name. */
const struct command *command_find(int argc, char **argv, int *words);

/* Return the last word of the command's name, or NULL if the command is not in the group (NULL = no
 * group). */
const char *command_name_in(const struct command *group, const char *name);

/* Print the list of all commands, or of the commands in a group. */
void commands_print(FILE *stream, const struct command *group);

#endif
