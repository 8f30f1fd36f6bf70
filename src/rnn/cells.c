#include "rnn/cells.h"

#include "base/text.h"
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

const char *cell_name(size_t kind) {
  return kind < sizeof kinds / sizeof *kinds ? kinds[kind].name : NULL;
}

bool cell_parse(enum cell_kind *kind, const char *name) {
  size_t index;
  const bool found = choice_parse(&index, cell_name, name);
  if (found) *kind = (enum cell_kind)index;
  return found;
}
