/* elman help */
#include <stdio.h>
#include <sysexits.h>

#include "commands.h"
#include "messages.h"
#include "options.h"
#include "output.h"

void help_print_commands(FILE *stream, const struct command *table) {
  for (const struct command *command = table; command->name != NULL; command++)
    fprintf(stream, "  %-10s %s\n", command->name, command->summary);
}

static void print_overview(FILE *stream) {
  fputs("Usage: elman COMMAND [options] ...\n"
        "\n"
        "Trains a Chinese-English translator and translates with it.\n"
        "\n"
        "Commands:\n",
        stream);
  help_print_commands(stream, commands);
  fputs("\n"
        "'elman help COMMAND' explains a command; 'elman --version' prints the version, and with\n"
        "--verbose also the machine's part in it, for a report of a fault.\n",
        stream);
}

int help_overview(void) {
  struct output output;
  const int code = output_open(&output, NULL);
  if (code != EX_OK) return code;
  print_overview(output.stream);
  return output_close(&output, EX_OK);
}

void help_hint(void) {
  print_overview(stderr);
}

int help_command(int argc, char **argv) {
  const struct option options[] = {{0}};
  const struct usage usage = {"help", "[COMMAND]", "Explains a command, or lists them all.",
                              options};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  if (operands.count == 0) return help_overview();
  const struct command *command = command_find(commands, NULL, operands.words[0]);
  if (command == NULL) return EX_USAGE;
  const bool has_subcommands = command->run == corpus_command;
  if (operands.count > (has_subcommands ? 2u : 1u))
    return report_usage("help", "explains one command at a time");
  char help[] = "--help";
  if (operands.count == 2)
    return command->run(3, (char *[]){operands.words[0], operands.words[1], help, NULL});
  return command->run(2, (char *[]){operands.words[0], help, NULL});
}
