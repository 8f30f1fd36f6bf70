/* The model that a command reads, or the models that translate together. */
#ifndef ELMAN_CLI_MODEL_INPUT_H
#define ELMAN_CLI_MODEL_INPUT_H

#include "elman.h"
#include "options/command_line.h"

#define DEFAULT_MODEL "model.safetensors"

/* A row of an option table; `variable` is the const char * that holds the path. */
#define MODEL_OPTION(variable)                                                                     \
  { "model", 'm', "FILE", "the model to use", .text = &(variable), .use = FILE_IS_READ }

/* By elman_side: "source", "target"; NULL past the last. */
const char *text_side_name(size_t index);

/* Gives an exit code, after a message if that is not 0. */
int model_open(elman_model **model, const char *path);

/* Start from all zero. */
struct models {
  struct option_list paths;
  elman_model *open[MOST_LISTED]; /* the first `count` of the paths */
  size_t count;
};

/* The same for several. */
#define MODELS_OPTION(models)                                                                      \
  OPTION("model", 'm', "FILE", "the model to use; given several times, they translate together",   \
         DEFAULT_MODEL, .list = &(models).paths, .most = MOST_LISTED, .use = FILE_IS_READ)

/* Whether they can do what the options ask for. Gives an exit code, after a message if that is not
 * 0. */
int models_check(const struct models *models, const elman_translate_options *options);

/* Opens them, and makes those behind the first the
 * ensemble of the options. Gives an exit code, after a message if that is not 0; to be closed in
 * any case. */
int models_open(struct models *models, elman_translate_options *options);
void models_close(struct models *models);

#endif
