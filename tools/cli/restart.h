/* What libraries read from the environment when they are loaded, and no later: the program sets it
 * and starts itself anew. Where that is not possible it goes on as it is. */
#ifndef ELMAN_CLI_RESTART_H
#define ELMAN_CLI_RESTART_H

/* Without OpenBLAS's own threads, where memory is limited: each wants a large buffer and, if it is
 * refused, asks for ever, so that the process would not even end. To be called first of all. */
void leave_out_blas_threads(char **argv);

#endif
