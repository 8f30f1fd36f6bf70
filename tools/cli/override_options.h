/* --override: what is done to the attention while decoding. */
#ifndef ELMAN_CLI_OVERRIDE_OPTIONS_H
#define ELMAN_CLI_OVERRIDE_OPTIONS_H

#include "elman.h"
#include "options.h"

struct overrides {
  struct option_list words; /* as they were given */
  elman_override list[ELMAN_MOST_OVERRIDES];
};

/* A row of an option table; the seed has a row of its own. */
#define OVERRIDE_OPTION(overrides)                                                                 \
  {                                                                                                \
    "override", 0, "WHAT",                                                                         \
        "change the attention: uniform, shuffle, position=K (all weight on source word K, or on "  \
        "the "                                                                                     \
        "last of a shorter sentence) or row:col=w",                                                \
        .list = &(overrides).words, .most = MOST_LISTED                                            \
  }

/* Understands the words. Gives an exit code, after a message if that is not 0. */
int overrides_settle(struct overrides *overrides, const struct usage *usage);

#endif
