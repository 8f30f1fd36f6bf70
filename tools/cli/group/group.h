/* The group of processes that a launcher started for this command. These processes train or
 * evaluate one model together. Usually there is only one process. Only process 0 prints and writes
 * files. */
#ifndef ELMAN_CLI_GROUP_H
#define ELMAN_CLI_GROUP_H

#include <stdbool.h>

#include "elman.h"
#include "options/command_line.h"

/* Join the group, if a launcher started several processes. Afterwards only process 0 prints. Return
 * an exit code; print a message if it is not 0. */
int group_join(void);

/* Leave the group. Return one exit code in all processes: `code`, or the code of the first process
 * that failed. Process 0 prints the message of that process. A process that waits for this one in
 * an exchange gets an error with the reason. */
int group_leave(int code);

/* Return the group; NULL if there is only this process. */
const elman_group *group_joined(void);

bool group_leads(void);

/* Return `asked`. If it is 0, return the number of processors for this process; 0 means all. */
size_t group_threads(size_t asked);

/* Return the number of bytes that this process has sent to other processes. */
uint64_t group_sent(void);

/* Return the address of the value of --timeout, the number of seconds to wait for another process.
 * A build without MPI refuses the option. */
double *group_timeout(void);
int group_check_timeout(const struct usage *usage, const struct operands *operands);

#define TIMEOUT_OPTION                                                                             \
  OPTION("timeout", 0, "SECONDS", "maximum wait for another process before aborting (MPI)",        \
         .real = group_timeout(), .lowest = 1, .highest = 1e9)

#endif
