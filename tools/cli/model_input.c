#include "model_input.h"

#include <string.h>
#include <sysexits.h>

#include "messages.h"

int model_open(elman_model **model, const char *path) {
  elman_error error;
  if (elman_model_load(model, path, &error) == ELMAN_OK) return EX_OK;
  const int code = report_error(&error);
  if (code == EX_NOINPUT && strcmp(path, DEFAULT_MODEL) == 0)
    tell("'elman train' writes this file; -m FILE names another model");
  return code;
}
