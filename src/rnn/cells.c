#include "rnn/cells.h"

#include <string.h>

#include "rnn/cell.h"

#define DECLARATION(KIND, name) extern const struct rnn_cell cell_##name;
RNN_CELLS(DECLARATION)

#define KIND_ROW(KIND, name) {#name, &cell_##name},
static const struct {
  const char *name;
  const struct rnn_cell *cell;
} kinds[] = {RNN_CELLS(KIND_ROW)};

const struct rnn_cell *rnn_cell_of(enum cell_kind kind) {
  return kinds[kind].cell;
}

const char *cell_name(enum cell_kind kind) {
  return kind < sizeof kinds / sizeof *kinds ? kinds[kind].name : NULL;
}

bool cell_parse(enum cell_kind *kind, const char *name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, name) == 0) {
      *kind = (enum cell_kind)i;
      return true;
    }
  }
  return false;
}
