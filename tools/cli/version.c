/* elman --version [--verbose] */
#include <string.h>
#include <sysexits.h>

#include "commands.h"
#include "console/messages.h"
#include "console/output.h"
#include "elman.h"

static void write_kernels(FILE *stream, const elman_machine *machine) {
  fprintf(stream, "kernels     %s, ", machine->kernels);
  switch (machine->choice) {
  case ELMAN_KERNELS_BY_USER:
    fputs("asked for by OPENBLAS_CORETYPE\n", stream);
    break;
  case ELMAN_KERNELS_BY_PROCESSOR:
    fprintf(stream, "for what the processor can do; OpenBLAS had chosen %s\n",
            machine->original_kernels);
    break;
  case ELMAN_KERNELS_BY_BLAS:
    fputs("chosen by OpenBLAS\n", stream);
  }
}

/* For a report of a fault or of a speed. */
static void write_machine(FILE *stream) {
  const elman_machine machine = elman_machine_get();
  fprintf(stream, "BLAS        %s\n", machine.blas);
  write_kernels(stream, &machine);
  fprintf(stream, "processor   %s\n", machine.processor);
  fprintf(stream, "own loops   %s; greedy search %s\n", machine.compiled, machine.screen);
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
      report(NULL, "--version takes no '%s'; there is 'elman --version --verbose'", argv[i]);
      return EX_USAGE;
    }
  }
  printf("elman %s\n", elman_version());
  if (verbose) write_machine(stdout);
  return output_end(EX_OK);
}
