/* The model that a command reads. */
#ifndef ELMAN_CLI_MODEL_INPUT_H
#define ELMAN_CLI_MODEL_INPUT_H

#include "elman.h"

#define DEFAULT_MODEL "model.safetensors"

/* A row of an option table; `variable` is the const char * that holds the path. */
#define MODEL_OPTION(variable)                                                                     \
  { "model", 'm', "FILE", "the model to use", .text = &(variable) }

/* Gives an exit code, after a message if that is not 0. */
int model_open(elman_model **model, const char *path);

#endif
