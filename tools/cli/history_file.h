/* Where the REPL's history is kept. */
#ifndef ELMAN_CLI_HISTORY_FILE_H
#define ELMAN_CLI_HISTORY_FILE_H

#include <stdbool.h>

/* The path of the file, which then exists and is its owner's alone, to be freed; NULL, after a
 * message unless `quiet`, if there is no place for it. */
char *history_file_open(bool quiet);

#endif
