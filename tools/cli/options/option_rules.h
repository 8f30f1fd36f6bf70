/* What does not go together on a command line. */
#ifndef ELMAN_CLI_OPTION_RULES_H
#define ELMAN_CLI_OPTION_RULES_H

#include "options/usage.h"

/* Reports the first rule of the command that is broken. Gives an exit code. */
int options_check_rules(const struct usage *usage, const struct operands *operands);

#endif
