/* Options of the search for translations, for all commands that search. */
#ifndef ELMAN_CLI_SEARCH_OPTIONS_H
#define ELMAN_CLI_SEARCH_OPTIONS_H

#include "elman.h"
#include "options/command_line.h"

/* Rows of an option table. `search` is an elman_translate_options. */
#define BEAM_OPTIONS(search)                                                                       \
  OPTION("beam", 0, "N", "beam size; 1 = greedy decoding", .group = "Search",                      \
         .count = &(search).beam, .least = 1, .most = ELMAN_MAX_BEAM),                             \
      OPTION("length-penalty", 0, "X",                                                             \
             "exponent A of the score log p / T^A for T tokens; 0 favors short outputs",           \
             .group = "Search", .real = &(search).length_penalty, .highest = 10),                  \
      OPTION("length-norm", 0, "NAME",                                                             \
             "base of the length penalty; T for power, (5 + T) / 6 for wu", .group = "Search",     \
             .index = (unsigned *)&(search).length_norm, .choice = elman_length_norm_name),        \
      OPTION("coverage-penalty", 0, "X", "coverage penalty weight (Wu et al. 2016); 0 disables",   \
             .group = "Search", .real = &(search).coverage_penalty, .highest = 10),                \
      OPTION("max-length", 0, "N", "maximum tokens per translation",                               \
             "2 S + 10 for S source tokens", .group = "Search", .count = &(search).max_length,     \
             .least = 1, .most = 1000000),                                                         \
      OPTION("max-ratio", 0, "X", "maximum target tokens per source token", "none",                \
             .group = "Search", .real = &(search).max_ratio, .lowest = 0.01, .highest = 1000)

#define PRECISION_OPTION(search, heading)                                                          \
  OPTION("precision", 0, "NAME",                                                                   \
         "precision of matrix products; int8 is faster and rounds weights", .group = (heading),    \
         .index = (unsigned *)&(search).precision, .choice = elman_precision_name,                 \
         .refused = precision_refused)

#define MAX_LINE_OPTION(search)                                                                    \
  OPTION("max-line", 0, "BYTES", "maximum line length; longer lines are reported and skipped",     \
         .group = "Input", .count = &(search).max_bytes, .least = 1, .most = 1000000000)

#define SEARCH_OPTIONS(search)                                                                     \
  BEAM_OPTIONS(search), PRECISION_OPTION(search, "Search"), MAX_LINE_OPTION(search),               \
      OPTION("n-best", 0, "N", "number of best translations per sentence; --beam defaults to N",   \
             .group = "Output", .count = &(search).n_best, .least = 1, .most = ELMAN_MAX_BEAM),    \
      OPTION("replace-unk", 0, NULL,                                                               \
             "source word with the largest attention weight in place of an unknown word",          \
             .group = "Output", .flag = &(search).replace_unknown)

/* Return why a precision cannot be used for translation, or NULL. */
const char *precision_refused(size_t index);

/* The options that determine how far the search of a model applies (elman_model_info.search). */
struct search_given {
  const char *command; /* for messages; NULL = no search is made, so none applies */
  bool beam, penalty;  /* whether an option replaces the beam size, or the length penalty */
  const char *ranking; /* an option given that affects only the ranking of a beam, or NULL */
  bool shows_scores;   /* the command shows scores, which ranking options affect too */
};

/* Choose the beam size if it was not given, and record in `given` which options were given.
 * `shows_scores` states whether the command shows scores, which include penalties. Return an exit
 * code; print a message if it is not 0. */
int search_options_complete(elman_translate_options *search, struct search_given *given,
                            const struct usage *usage, const struct operands *operands,
                            bool shows_scores);

/* Use the search that the model names for all that was not given, and print a note. Then refuse
 * penalties that have no effect, because the search is greedy. Return an exit code; print a message
 * if it is not 0. */
int search_options_adopt(elman_translate_options *search, const struct search_given *given,
                         const elman_model *model);

/* Overrides: changes of attention during decoding. */
struct overrides {
  struct option_list words; /* overrides as given on the command line */
  elman_override list[ELMAN_MAX_OVERRIDES];
};

/* A row for overrides; the option for the seed is a separate row. */
#define OVERRIDE_OPTION(overrides)                                                                 \
  OPTION("override", 0, "WHAT",                                                                    \
         "attention override: uniform, shuffle, position=K (all weight on source token K) or "     \
         "row:col=w (weight w of target token row on source token col)",                           \
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
