/* Threads that do not keep a busy machine from its work. */
#ifndef ELMAN_CLI_SHORT_WAITS_H
#define ELMAN_CLI_SHORT_WAITS_H

/* Starts the program anew, with the same arguments, where its threads would wait too eagerly for
 * each other; otherwise, and where that fails, returns. Before anything is read or written. */
void wait_briefly(char **argv);

#endif
