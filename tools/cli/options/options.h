/* The command line, by a table of options. */
#ifndef ELMAN_CLI_OPTIONS_H
#define ELMAN_CLI_OPTIONS_H

#include "options/usage.h"

/* Options and operands may be mixed; after "--" all is operands. --config FILE, which every command
 * has whose table has no such row, reads options from a file (config_file.h); what stands on the
 * command line replaces what stands there. False when there is nothing left to do, with *code the
 * exit code: help was asked for, or command line or file are wrong. */
bool options_parse(const struct usage *usage, int argc, char **argv, struct operands *operands,
                   int *code);

#endif
