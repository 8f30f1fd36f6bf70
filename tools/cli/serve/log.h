/* Messages of a service that runs. A thread writes them, so that a standard error that nobody reads
 * does not stop the service. */
#ifndef ELMAN_CLI_LOG_H
#define ELMAN_CLI_LOG_H

/* Let a thread write all messages. Return 0 or an errno value. */
int log_start(void);

/* Wait a little until the messages are written, and print later ones at once. */
void log_end(void);

#endif
