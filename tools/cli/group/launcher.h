/* Detect launchers such as mpirun and srun, which start a command as several processes. */
#ifndef ELMAN_CLI_LAUNCHER_H
#define ELMAN_CLI_LAUNCHER_H

#include <stddef.h>

/* Return the number of processes that the launcher started, according to the environment. Set
 * *variable to the name of the environment variable. Return 1 if none is set. */
size_t launcher_processes(const char **variable);

/* If the launcher started several processes, report the reason why each would do the same work, and
 * the remedy. Return EX_USAGE then, EX_OK otherwise. */
int launcher_refuse(const char *reason, const char *remedy);

#endif
