/* The table of commands. Each command has a row here and a function in its own file. */
#ifndef ELMAN_CLI_COMMANDS_H
#define ELMAN_CLI_COMMANDS_H

#include <stdbool.h>
#include <stdio.h>

struct usage;

/* Whether several processes may run the command together (MPI). */
enum processes { ALONE, TOGETHER };

/* Columns: name, function, processes, summary. The name of a command in a group starts with the
 * group's name. The row of a group precedes its members and has no_command as its function. */
#define COMMANDS(ROW)                                                                              \
  ROW("train", train_command, TOGETHER, "train a model on sentence pairs")                         \
  ROW("translate", translate_command, ALONE, "translate sentences, one per line")                  \
  ROW("repl", repl_command, ALONE, "translate interactively")                                      \
  ROW("attention", attention_command, ALONE, "show the attention weights of translations")         \
  ROW("evaluate", evaluate_command, TOGETHER, "measure loss, BLEU and chrF2 on sentence pairs")    \
  ROW("score", score_command, ALONE, "compute log-probabilities of given translations")            \
  ROW("average", average_command, ALONE, "average the parameters of several models")               \
  ROW("convert", convert_command, ALONE, "write a copy of a model with numbers of another type")   \
  ROW("inspect", inspect_command, ALONE, "show the contents of a model file")                      \
  ROW("page", page_command, ALONE, "write a web page that translates and trains models")           \
  ROW("serve", serve_command, ALONE, "translate for other programs over HTTP")                     \
  ROW("gradcheck", gradcheck_command, ALONE, "compare analytic with numerical gradients")          \
  ROW("trace", trace_command, ALONE, "print gradient norms at every time step")                    \
  ROW("plot", plot_command, ALONE, "draw the curves of training runs from their logs")             \
  ROW("corpus", no_command, ALONE, "convert, check or split sentence pairs")                       \
  ROW("corpus convert", corpus_convert_command, ALONE,                                             \
      "convert CSV, TMX, JSON and other files to sentence pairs")                                  \
  ROW("corpus check", corpus_check_command, ALONE,                                                 \
      "find leaks between sets, bad lines and unusual pairs")                                      \
  ROW("corpus split", corpus_split_command, ALONE,                                                 \
      "split pairs into train, dev and test sets without leaks")                                   \
  ROW("subwords", no_command, ALONE, "learn, apply and show BPE subwords")                         \
  ROW("subwords learn", subwords_learn_command, ALONE, "learn BPE merge operations from text")     \
  ROW("subwords apply", subwords_apply_command, ALONE, "split words into subwords")                \
  ROW("subwords show", subwords_show_command, ALONE, "write the BPE codes of a model")             \
  ROW("help", help_command, ALONE, "explain a command")

/* Run a command and return its exit code. argv[0] is the last word of the command's name. */
typedef int command_function(int argc, char **argv);

#define DECLARE_COMMAND(name, run, processes, summary) command_function run;
COMMANDS(DECLARE_COMMAND)
#undef DECLARE_COMMAND

/* Run `elman --version`; argv contains the words after --version. */
command_function version_command;

struct command {
  const char *name; /* NULL ends the table */
  const char *summary;
  command_function *run; /* no_command for a group */
  enum processes processes;
};

extern const struct command commands[];

/* Find the command whose name argv starts with, and set *words to the number of words in the name.
 * If no command has this name, print a message and return NULL. */
const struct command *command_find(int argc, char **argv, int *words);

/* Return the last word of `name`, the name of a command; NULL if the command is not in `group`. For
 * `group` NULL, accept the names that consist of one word. */
const char *command_name_in(const struct command *group, const char *name);

/* Call `visit` for each command that is not a group, as options_help_by does. */
void commands_visit(int (*visit)(const struct usage *usage, const bool *preset));

/* Return the first command that has an option of this name; NULL if there is none. */
const char *command_with_option(const char *name);

/* Return the name of the shell at `index`, from 0, that completion_print supports; NULL past the
 * last. */
const char *completion_shell_name(size_t index);

/* Print the completion script for the shell `name`. Return an exit code; print a message if it is
 * not 0. */
int completion_print(const char *name);

/* Print the commands in `group`; for NULL, print all commands and groups. */
void commands_print(FILE *stream, const struct command *group);

#endif
