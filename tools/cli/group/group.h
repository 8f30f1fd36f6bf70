/* The processes that a launcher has started this command as, which train one model or share out
 * what is translated; mostly there is one. Process 0 leads: it alone prints and writes files. */
#ifndef ELMAN_CLI_GROUP_H
#define ELMAN_CLI_GROUP_H

#include <stdbool.h>

#include "elman.h"
#include "options/command_line.h"

/* Joins the others, if there are any; from then on this process prints nothing unless it leads.
 * Gives an exit code, after a message if that is not 0. */
int group_join(void);

/* Leaves with the others, and gives the exit code of all: `code`, or that of the first process with
 * another than 0, whose message the leader prints. Whoever waits for this process elsewhere, in an
 * exchange, learns that it has ended, and why. */
int group_leave(int code);

/* NULL = this process is alone. */
const elman_group *group_joined(void);

bool group_leads(void);

/* `asked`, or if that is 0 this process's share of the processors, 0 standing for all of them. */
size_t group_threads(size_t asked);

/* Bytes that this process has sent to others. */
uint64_t group_sent(void);

/* Seconds to wait for another process: the value of --timeout, which a build without MPI refuses.
 */
double *group_timeout(void);
int group_check_timeout(const struct usage *usage, const struct operands *operands);

#define TIMEOUT_OPTION                                                                             \
  OPTION("timeout", 0, "SECONDS", "end when another process is silent for so long (MPI)",          \
         .real = group_timeout(), .lowest = 1, .highest = 1e9)

#endif
