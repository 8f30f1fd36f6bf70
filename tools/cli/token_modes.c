#include "token_modes.h"

#include <string.h>

const char *token_mode_choice(size_t index) {
  return elman_token_mode_name((elman_token_mode)index);
}

elman_token_mode token_mode_of(const char *name) {
  size_t mode = 0;
  while (strcmp(token_mode_choice(mode), name) != 0) mode++;
  return (elman_token_mode)mode;
}

const char *normalization_choice(size_t index) {
  return index <= ELMAN_NFKC ? elman_normalization_name((elman_normalization)index) : NULL;
}

elman_normalization normalization_of(const char *name) {
  size_t form = 0;
  while (strcmp(normalization_choice(form), name) != 0) form++;
  return (elman_normalization)form;
}
