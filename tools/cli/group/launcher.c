#include "group/launcher.h"

#include <stdint.h>
#include <stdlib.h>
#include <sysexits.h>

#include "console/messages.h"
#include "options/option.h"

/* Variables set by launchers: Open MPI; MPICH, Intel MPI and others; MVAPICH; srun. The first
 * variable that is set counts, because Slurm may have started mpirun. */
static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                        "SLURM_STEP_NUM_TASKS"};

size_t launcher_processes(const char **variable) {
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
    const char *value = getenv(variables[i]);
    uint64_t number;
    if (value == NULL || !parse_whole_number(value, &number)) continue;
    *variable = variables[i];
    return (size_t)number;
  }
  return 1;
}

int launcher_refuse(const char *reason, const char *remedy) {
  const char *variable;
  const size_t processes = launcher_processes(&variable);
  if (processes <= 1) return EX_OK;
  report(
      NULL,
      "started as one of %zu processes (%s), but %s; each process would do the same work; %s, or "
      "start a single process with 'env -u %s elman ...'",
      processes, variable, reason, remedy, variable);
  return EX_USAGE;
}
