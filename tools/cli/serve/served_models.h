/* The models of the service, their names and languages. A request holds the model that translates
 * it, so that a reload takes no model away from a request. */
#ifndef ELMAN_CLI_SERVED_MODELS_H
#define ELMAN_CLI_SERVED_MODELS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "elman.h"
#include "options/option.h"

enum { MODEL_NAME = 2 * ELMAN_LANGUAGE_SIZE, MAX_SERVED = 64 };

struct served_model {
  char name[MODEL_NAME + 1];
  elman_language languages[2]; /* by elman_side */
  const char *path;            /* borrowed from the command line */
  elman_model *model;
  elman_translate_options search; /* defaults of requests */
  atomic_size_t holders;
  atomic_bool retired; /* a reload has replaced the model */
};

/* The models at one time, in the order of the command line. */
struct model_set {
  struct served_model *models[MAX_SERVED];
  size_t count;
};

/* Load the models of the values of -m, each NAME=FILE or FILE, to translate in this precision;
 * NULL = that of each model's file. Return an exit code; print a message if it is not 0. The set is
 * empty then. */
int model_set_load(struct model_set *set, const struct option_list *values,
                   const elman_precision *precision);

/* Release the models. Requests that hold a model keep it. */
void model_set_retire(struct model_set *set);

struct served_model *served_model_hold(struct served_model *model);
void served_model_release(struct served_model *model);

/* Return the number of models that are not freed. */
size_t served_models_in_memory(void);

/* Return the model with this name; NULL if there is none. */
struct served_model *model_set_find(const struct model_set *set, const char *name);

/* Return whether a model translates between these languages. Codes match if they are equal, or if
 * one of them has no subtag and equals the main part of the other: "zh" matches "zh-Hans". The
 * source "auto" matches every language. */
bool served_model_translates(const struct served_model *model, const char *source,
                             const char *target);

/* Return the first model that translates between these languages; NULL if there is none. */
struct served_model *model_set_for(const struct model_set *set, const char *source,
                                   const char *target);

/* Return the English name of a language, or its code. */
const char *language_name(const char *code);

#endif
