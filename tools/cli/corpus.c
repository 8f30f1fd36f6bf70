/* elman corpus: finds the subcommand and runs it. */
#include <string.h>
#include <sysexits.h>

#include "commands.h"
#include "output.h"

static const struct command subcommands[] = {
    {"check", "look for leaks between parts, bad lines and more", corpus_check_command},
    {"split", "split pairs into train, dev and test without leaks", corpus_split_command},
    {NULL, NULL, NULL},
};

static void print_overview(FILE *stream) {
  fputs("Usage: elman corpus COMMAND [options] PAIRS...\n"
        "\n"
        "Checks or splits files of sentence pairs.\n"
        "\n"
        "Commands:\n",
        stream);
  help_print_commands(stream, subcommands);
  fputs("\n"
        "'elman help corpus COMMAND' explains a command.\n",
        stream);
}

static int help(void) {
  struct output output;
  const int code = output_open(&output, NULL);
  if (code != EX_OK) return code;
  print_overview(output.stream);
  return output_close(&output, EX_OK);
}

int corpus_command(int argc, char **argv) {
  if (argc < 2) {
    print_overview(stderr);
    return EX_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return help();
  const struct command *command = command_find(subcommands, "corpus", argv[1]);
  return command == NULL ? EX_USAGE : command->run(argc - 1, argv + 1);
}
