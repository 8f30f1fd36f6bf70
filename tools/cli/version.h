/* elman --version [--verbose] */
#ifndef ELMAN_CLI_VERSION_H
#define ELMAN_CLI_VERSION_H

/* What stands behind --version. Gives the exit code. */
int version_command(int argc, char **argv);

#endif
