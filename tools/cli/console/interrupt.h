/* Signals that ask the program to stop, noted for the main loop to find. */
#ifndef ELMAN_CLI_INTERRUPT_H
#define ELMAN_CLI_INTERRUPT_H

/* The first SIGINT, SIGTERM, SIGHUP or SIGXCPU is noted; one of the former three that comes half a
 * second later or more has its default action, which ends the program. A signal that the parent had
 * ignored stays ignored.
 */
void interrupt_catch_first(void);

/* Every SIGINT is noted: Ctrl-C in the REPL. */
void interrupt_catch_sigint(void);

/* The number of the signal that came, or 0. */
int interrupt_signal(void);

void interrupt_clear(void);

#endif
