/* Programs such as mpirun and srun, which start a command as several processes at once. */
#ifndef ELMAN_CLI_LAUNCHER_H
#define ELMAN_CLI_LAUNCHER_H

#include <stddef.h>

/* As how many processes this one was started, by its environment; then *variable is the name of the
 * variable that says so. 1 where none does. */
size_t launcher_processes(const char **variable);

#endif
