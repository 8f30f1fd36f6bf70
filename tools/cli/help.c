/* elman help, elman --version, and command groups such as `elman corpus` */
#include <string.h>
#include <sysexits.h>

#include "commands.h"
#include "console/messages.h"
#include "console/output.h"
#include "elman.h"
#include "options/command_line.h"

int no_command(int argc, char **argv) {
  int words;
  commands_print(argc > 1 ? stdout : stderr, command_find(1, argv, &words));
  return argc > 1 ? output_end(EX_OK) : EX_USAGE;
}

int help_command(int argc, char **argv) {
  const char *shell = NULL;
  const struct option options[] = {{"completion", 0, "SHELL",
                                    "script that completes command lines in a shell",
                                    .text = &shell, .choice = completion_shell_name},
                                   {0}};
  const struct rule rules[] = {
      {"completion", "COMMAND", "--completion covers all commands; remove COMMAND"}, {0}};
  const struct usage usage = {
      "help", "[options] [COMMAND]",  "Explains a command, or lists all commands.", options,
      rules,  .reads_operands = false};
  struct operands operands;
  int code, words;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  if (shell != NULL) return completion_print(shell);
  if (operands.count == 0) {
    commands_print(stdout, NULL);
    return output_end(EX_OK);
  }
  const struct command *command = command_find((int)operands.count, operands.words, &words);
  if (command == NULL) return EX_USAGE;
  if (operands.count > (size_t)words)
    return report_usage("help", "name only one command; remove '%s'", operands.words[words]);
  char help[] = "--help";
  return command->run(2, (char *[]){operands.words[words - 1], help, NULL});
}

/* ---- the version ---- */

static void write_kernels(FILE *stream, const elman_machine *machine) {
  if (strcmp(machine->kernels, "none") == 0) return; /* a build without OpenBLAS */
  fprintf(stream, "kernels     %s, ", machine->kernels);
  switch (machine->choice) {
  case ELMAN_KERNELS_BY_USER:
    fputs("set by OPENBLAS_CORETYPE\n", stream);
    break;
  case ELMAN_KERNELS_BY_PROCESSOR:
    fprintf(stream, "selected for this processor; OpenBLAS had chosen %s\n",
            machine->original_kernels);
    break;
  case ELMAN_KERNELS_BY_BLAS:
    fputs("chosen by OpenBLAS\n", stream);
  }
}

/* Print the hardware and library details that a bug report or a speed measurement needs. */
static void write_machine(FILE *stream) {
  const elman_machine machine = elman_machine_get();
  fprintf(stream, "BLAS        %s\n", machine.blas);
  write_kernels(stream, &machine);
  fprintf(stream, "processor   %s\n", machine.processor);
  fprintf(stream, "elman code  %s; products %s; bfloat16 %s; greedy search %s\n", machine.compiled,
          machine.products, machine.bfloat16, machine.screen);
  fprintf(stream, "threads     %zu\n", machine.threads);
#ifdef __clang__
  fprintf(stream, "compiler    clang %s\n", __clang_version__);
#else
  fprintf(stream, "compiler    gcc %s\n", __VERSION__);
#endif
}

int version_command(int argc, char **argv) {
  bool verbose = false;
  for (int i = 0; i < argc; i++) {
    verbose = strcmp(argv[i], "--verbose") == 0;
    if (!verbose) {
      report(NULL, "--version: unexpected '%s'; only --verbose may follow", argv[i]);
      return EX_USAGE;
    }
  }
  elman_error error;
  if (verbose && elman_machine_check(&error) != ELMAN_OK) return report_error(&error);
  printf("elman %s\n", elman_version());
  if (verbose) write_machine(stdout);
  return output_end(EX_OK);
}
