/* The models that a command reads, and the words that they lack. */
#ifndef ELMAN_CLI_MODEL_INPUT_H
#define ELMAN_CLI_MODEL_INPUT_H

#include "elman.h"
#include "options/command_line.h"

#define DEFAULT_MODEL "model.safetensors"

/* A row of an option table; `variable` is the const char * that holds the path. */
#define MODEL_OPTION(variable)                                                                     \
  OPTION("model", 'm', "FILE", "the model to use", .group = "Input", .text = &(variable),          \
         .use = FILE_IS_READ)

/* By elman_side: "source", "target"; NULL past the last. */
const char *text_side_name(size_t index);

/* Gives an exit code, after a message if that is not 0. */
int model_open(elman_model **model, const char *path);

/* Start from all zero. */
struct models {
  struct option_list paths;
  elman_model *open[MAX_LISTED]; /* the first `count` of the paths */
  size_t count;
};

/* The same for several. */
#define MODELS_OPTION(models)                                                                      \
  OPTION("model", 'm', "FILE", "the model to use; given several times, they translate together",   \
         DEFAULT_MODEL, .group = "Input", .list = &(models).paths, .most = MAX_LISTED,            \
         .use = FILE_IS_READ)

/* Whether they can do what the options ask for. Gives an exit code, after a message if that is not
 * 0. */
int models_check(const struct models *models, const elman_translate_options *options);

/* Opens them, and makes those after the first the ensemble of the options. Gives an exit code,
 * after a message if that is not 0; to be closed in any case. */
int models_open(struct models *models, elman_translate_options *options);
void models_close(struct models *models);

/* ---- models in turn ---- */

/* Models that are used one after the other, each by itself: those named and, before each, those
 * that `train --keep-last` left beside it. Start from all zero. */
struct model_series {
  char **paths; /* owned, as are they */
  size_t count;
};

/* MODEL.update20, MODEL.update100, MODEL for each of the paths. Gives an exit code, after a message
 * if that is not 0; to be freed in any case. */
int model_series_list(struct model_series *series, const struct option_list *paths);
void model_series_free(struct model_series *series);

/* ---- unknown words ---- */

enum { UNKNOWN_NAMED = 8, UNKNOWN_SIZE = 64 };

/* Words that the model's vocabulary lacks, collected to be named to the user. Start from all zero.
 */
struct unknown_words {
  size_t tokens, unknown; /* seen so far */
  size_t named;           /* the first different ones, long ones cut */
  char names[UNKNOWN_NAMED][UNKNOWN_SIZE];
};

void unknown_words_add(struct unknown_words *words, const elman_translation *translation);

/* The same for the target side of a translation that was forced. */
void unknown_words_add_target(struct unknown_words *words, const elman_translation *translation);

/* Adds what was collected from sentences that come later. */
void unknown_words_merge(struct unknown_words *words, const struct unknown_words *later);

/* One line on standard error, or none if there were no unknown words. */
void unknown_words_note(const struct unknown_words *words, const elman_model *model,
                        elman_side side);

#endif
