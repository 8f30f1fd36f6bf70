/* Models that a command reads, and words that are not in their vocabularies. */
#ifndef ELMAN_CLI_MODEL_INPUT_H
#define ELMAN_CLI_MODEL_INPUT_H

#include "elman.h"
#include "input/search_options.h"
#include "options/command_line.h"

#define DEFAULT_MODEL "model.safetensors"

/* A row of an option table. `variable` is a const char * and stores the path. */
#define MODEL_OPTION(variable)                                                                     \
  OPTION("model", 'm', "FILE", "model file", .group = "Input", .text = &(variable),                \
         .use = FILE_IS_READ)

/* Return "source" or "target" for an index of elman_side; NULL past the last. */
const char *text_side_name(size_t index);

/* Load a model. Return an exit code; print a message if it is not 0. */
int model_open(elman_model **model, const char *path);

enum { EXAMPLE_PATH = 4096 };

/* The models for everyday sentences that come with the program. */
#define EXAMPLE_MODEL "everyday.zh-en.safetensors"
#define EXAMPLE_OPPOSITE "everyday.en-zh.safetensors"

/* Find one of these models, next to an installed program or in the sources. Return false if it is
 * not there. */
bool example_model_find(char path[EXAMPLE_PATH], const char *name);

/* Models of an ensemble. The caller initializes the struct to zero. */
struct models {
  struct option_list paths;
  struct search_given given;     /* options that replace the search that the first model stores */
  elman_model *open[MAX_LISTED]; /* models loaded from the first `count` paths */
  size_t count;
};

/* A row for an option that names several models, which form an ensemble. */
#define MODELS_OPTION(models)                                                                      \
  OPTION("model", 'm', "FILE", "model file; repeat for an ensemble", DEFAULT_MODEL,                \
         .group = "Input", .list = &(models).paths, .most = MAX_LISTED, .use = FILE_IS_READ)

/* Check that the models support the options. Return an exit code; print a message if it is not 0.
 */
int models_check(const struct models *models, const elman_translate_options *options);

/* Load the models and check that they support the options. Return an exit code; print a message if
 * it is not 0. The caller must call models_close in either case. */
int models_load(struct models *models, const elman_translate_options *options);

/* Do as models_load does. Then the models after the first become the ensemble in `options`, and the
 * search that the first model stores completes `options`. */
int models_open(struct models *models, elman_translate_options *options);
void models_close(struct models *models);

/* ---- series of models ---- */

/* Models that are used one after the other. The snapshots of a named model (`train --keep-last`)
 * precede it. The caller initializes the struct to zero. */
struct model_series {
  char **paths; /* array of strings; the array and the strings are owned */
  size_t count;
};

/* List the snapshots and the model for each path: MODEL.update20, MODEL.update100, MODEL. Return an
 * exit code; print a message if it is not 0. The caller must call model_series_free in either
 * case. */
int model_series_list(struct model_series *series, const struct option_list *paths);
void model_series_free(struct model_series *series);

/* ---- warnings ---- */

/* Warnings of translations, counted by kind. The caller initializes the struct to zero. */
struct warnings {
  size_t texts; /* number of translations */
  struct warned {
    size_t count, first; /* number of texts with the warning; number of the first, from 1 */
    char message[ELMAN_WARNING_SIZE]; /* its message */
  } of[ELMAN_WARNING_IMPROBABLE + 1];
};

/* Count the warning of a translation, if it has one. `number` counts the texts from 1. */
void warnings_add(struct warnings *warnings, const elman_model *model,
                  const elman_translation *translation, size_t number);

/* Print a line per kind of warning on standard error. `texts` names what was translated, such as
 * "line"; NULL if it was one text, whose message is then printed alone. */
void warnings_note(const struct warnings *warnings, const char *texts);

/* ---- unknown words ---- */

enum { UNKNOWN_NAMED = 8, UNKNOWN_SIZE = 64 };

/* Words of a side that are not in the model's vocabulary. */
struct unknown_side {
  size_t tokens, unknown; /* number of all tokens; number of unknown tokens */
  size_t named; /* number of stored words, which are the first distinct unknown ones. A long word is
                   truncated */
  char names[UNKNOWN_NAMED][UNKNOWN_SIZE];
};

/* Words of source and target, collected for a note. The caller initializes the struct to zero. */
struct unknown_words {
  struct unknown_side source, target;
};

/* Add the unknown words of the source; after forced decoding, also those of the target. */
void unknown_words_add(struct unknown_words *words, const elman_translation *translation);

/* Print one line per side with unknown words on standard error. */
void unknown_words_note(const struct unknown_words *words, const elman_model *model);

#endif
