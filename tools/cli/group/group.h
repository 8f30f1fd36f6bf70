/* The processes that a launcher started for this command. They train one model together or share
 * the sentences to translate. Usually there is only one. Process 0 leads: it alone prints and
 * writes files. */
#ifndef ELMAN_CLI_GROUP_H
#define ELMAN_CLI_GROUP_H

#include <stdbool.h>

#include "elman.h"
#include "options/command_line.h"

/* Join the other processes, if there are any. Afterwards only process 0 prints. Return an exit
 * code; print a message if it is not 0. */
int group_join(void);

/* Leave the group. Return the exit code of all processes: `code`, or the code of the first process
 * whose code is not 0; process 0 prints its message. A process that waits for this one in an
 * exchange gets an error with the reason. */
int group_leave(int code);

/* Return the group; NULL = there is only this process. */
const elman_group *group_joined(void);

bool group_leads(void);

/* Return `asked`, or if it is 0 this process's share of the processors (0 = all). */
size_t group_threads(size_t asked);

/* Return the number of bytes that this process has sent to others. */
uint64_t group_sent(void);

/* Return the address of the value of --timeout: seconds to wait for another process. A build
 * without MPI refuses the option. */
double *group_timeout(void);
int group_check_timeout(const struct usage *usage, const struct operands *operands);

#define TIMEOUT_OPTION                                                                             \
  OPTION("timeout", 0, "SECONDS", "maximum wait for another process before aborting (MPI)",        \
         .real = group_timeout(), .lowest = 1, .highest = 1e9)

#endif
