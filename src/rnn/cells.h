/* The table of recurrent cells. */
#ifndef ELMAN_RNN_CELLS_H
#define ELMAN_RNN_CELLS_H

#include <stdbool.h>
#include <stddef.h>

/* A row for each: its kind is CELL_ and the first word, and what it does stands in `cell_` and the
 * second (rnn/cell.h), which is also its name in options and files. */
#define RNN_CELLS(ROW)                                                                             \
  ROW(ELMAN, elman) /* h' = tanh(W x + U h) (Elman, Cognitive Science 14, 1990) */                 \
  ROW(RELU, relu)   /* h' = max(0, W x + U h), from the identity (Le et al., 2015) */              \
  ROW(GRU, gru)     /* gated recurrent unit (Cho et al., EMNLP 2014) */                            \
  ROW(LSTM, lstm)   /* long short-term memory (Hochreiter and Schmidhuber 1997; Gers et al. 2000) */

#define CELL_KIND(KIND, name) CELL_##KIND,
enum cell_kind { RNN_CELLS(CELL_KIND) };

struct rnn_cell;
const struct rnn_cell *rnn_cell_of(enum cell_kind kind);

/* The name as it is used in options and files; NULL past the last kind. */
const char *cell_name(size_t kind);
/* False if there is no such kind. */
bool cell_parse(enum cell_kind *kind, const char *name);

#endif
