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
