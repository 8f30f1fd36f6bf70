/* The commands: each is a row here and a file with its function. */
#ifndef ELMAN_CLI_COMMANDS_H
#define ELMAN_CLI_COMMANDS_H

#include <stdio.h>

/* Name, function, summary. One in a group has the group's name in front; the group itself has a row
 * without a function, before its members. */
#define COMMANDS(ROW)                                                                              \
  ROW("train", train_command, "learn from sentence pairs and write a model")                       \
  ROW("translate", translate_command, "translate sentences, one a line")                           \
  ROW("repl", repl_command, "translate interactively")                                             \
  ROW("attention", attention_command, "show what the decoder's attention looked at")               \
  ROW("evaluate", evaluate_command, "measure a model on sentence pairs")                           \
  ROW("score", score_command, "tell how likely given translations are")                            \
  ROW("average", average_command, "write the mean of the weights of several models")               \
  ROW("inspect", inspect_command, "show what a model file holds")                                  \
  ROW("gradcheck", gradcheck_command, "check a model's gradients")                                 \
  ROW("trace", trace_command, "show how far back learning reaches")                                \
  ROW("corpus", no_command, "check or split sentence pairs")                                       \
  ROW("corpus check", corpus_check_command, "look for leaks between parts, bad lines and more")    \
  ROW("corpus split", corpus_split_command, "split pairs into train, dev and test without leaks")  \
  ROW("subwords", no_command, "learn, apply and show parts of words")                              \
  ROW("subwords learn", subwords_learn_command, "learn merges of byte-pair encoding from text")    \
  ROW("subwords apply", subwords_apply_command, "split words into parts")                          \
  ROW("subwords show", subwords_show_command, "write the merges of a model")                       \
  ROW("help", help_command, "explain a command")

/* argv[0] is the last word of the command's name; gives the exit code. */
typedef int command_function(int argc, char **argv);

#define DECLARE_COMMAND(name, run, summary) command_function run;
COMMANDS(DECLARE_COMMAND)
#undef DECLARE_COMMAND

/* --version, with the words behind it. */
command_function version_command;

struct command {
  const char *name; /* NULL ends the table */
  const char *summary;
  command_function *run; /* no_command for a group */
};

extern const struct command commands[];

/* The command that argv begins with, after which *words tells how many words its name has; NULL,
 * after a message, if there is none of that name. */
const struct command *command_find(int argc, char **argv, int *words);

/* The last word of a command's name in the group (NULL = in none), or NULL if it is not in it. */
const char *command_name_in(const struct command *group, const char *name);

/* The list of all commands, or of those in a group. */
void commands_print(FILE *stream, const struct command *group);

#endif
