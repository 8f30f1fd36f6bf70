/* The options that say how text is split into tokens. */
#ifndef ELMAN_CLI_TOKEN_MODES_H
#define ELMAN_CLI_TOKEN_MODES_H

#include "elman.h"
#include "options.h"

/* For options: the names from index 0 up; NULL past the last. */
const char *token_mode_choice(size_t index);

/* `name` is one of them. */
elman_token_mode token_mode_of(const char *name);

/* Likewise; what full-width text makes of it is none of the choices. */
const char *normalization_choice(size_t index);
elman_normalization normalization_of(const char *name);

/* Rows of an option table; both arguments are a const char * that holds a name. */
#define TOKENS_OPTIONS(source, target)                                                             \
  {"source-tokens",                                                                                \
   0,                                                                                              \
   "MODE",                                                                                         \
   "how source text is split",                                                                     \
   .text = &(source),                                                                              \
   .choice = token_mode_choice},                                                                   \
  {                                                                                                \
    "target-tokens", 0, "MODE", "how target text is split", .text = &(target),                     \
                                                            .choice = token_mode_choice            \
  }

#endif
