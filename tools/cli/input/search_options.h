/* Options of the search for translations, for all commands that search. */
#ifndef ELMAN_CLI_SEARCH_OPTIONS_H
#define ELMAN_CLI_SEARCH_OPTIONS_H

#include "elman.h"
#include "options/command_line.h"
#include "options/library_options.h"

/* The library's rows of a search, for tables of options. */
#define SEARCH_SCOPES                                                                              \
  (ELMAN_SCOPE_SEARCH | ELMAN_SCOPE_SCORE | ELMAN_SCOPE_LIST | ELMAN_SCOPE_PRECISION |             \
   ELMAN_SCOPE_MACHINE)

/* The row --max-bytes. `search` is an elman_translate_options. */
#define MAX_BYTES_OPTION(search) library_option(ELMAN_SCOPE_LIMIT, "max_bytes", &(search).max_bytes)

#define PRECISION_OPTION(search)                                                                   \
  library_option(ELMAN_SCOPE_PRECISION, "precision", &(search).precision)

/* The options that were given. They determine how far the search and the precision that a model
 * stores apply (elman_model_info). */
struct search_given {
  const char *command;          /* for messages; NULL = no search is made, so no stored search
                                   applies */
  bool shows_scores;            /* the command shows scores, which penalties affect too */
  bool rows[ELMAN_MAX_OPTIONS]; /* see library_options_given */
};

/* Return whether the row `name` of the library was given. */
bool search_option_given(const struct search_given *given, const char *name);

/* Choose the beam size if it was not given, record in `given` which options were given, and check
 * all. `shows_scores` states whether the command shows scores, which include penalties. Return an
 * exit code; print a message if it is not 0. */
int search_options_complete(elman_translate_options *search, struct search_given *given,
                            const struct usage *usage, const struct operands *operands,
                            bool shows_scores);

/* Refuse options of a search, because the translations are given and no search is made. Return an
 * exit code; print a message if it is not 0. */
int search_options_unused(elman_translate_options *search, struct search_given *given);

/* Use the search and the precision that the model stores for all that was not given, and print a
 * note. Then refuse penalties that have no effect, because the search is greedy. Return an exit
 * code; print a message if it is not 0. */
int search_options_adopt(elman_translate_options *search, const struct search_given *given,
                         const elman_model *model);

/* Set the help of the option for the seed: `help` names only what the command has. */
void search_seed_describe(struct option *table, const char *help);

/* Overrides: changes of attention during decoding. */
struct overrides {
  struct option_list words; /* overrides as given on the command line */
  elman_override list[ELMAN_MAX_OVERRIDES];
};

/* A row for overrides; the option for the seed is a separate row. */
#define OVERRIDE_OPTION(overrides)                                                                 \
  OPTION("override", 0, "WHAT",                                                                    \
         "attention override: uniform, shuffle, position=K (all weight on source token K) or "     \
         "row:col=w (weight w for target token row and source token col)",                         \
         .group = "Attention", .list = &(overrides).words, .most = MAX_LISTED)

/* Parse the overrides and store them in `search`. Return an exit code; print a message if it is not
 * 0. */
int overrides_parse(struct overrides *overrides, elman_translate_options *search,
                    const struct option_place *place);

/* Return whether any override depends on the seed. */
bool overrides_shuffle(const elman_translate_options *search);

/* Choose the units of attention. If an override names a place in the matrix, choose tokens if no
 * units are set, because such a place is counted in tokens; refuse words. Return an exit code;
 * print a message if it is not 0. */
int overrides_choose_units(elman_alignment_units *units, const elman_translate_options *search,
                           const struct option_place *place);

#endif
