#include "train/gradient_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/team.h"

/* Long ranges are cut, for threads to share them out. */
enum { LONGEST_PIECE = 1 << 16 };

static size_t pieces_of(size_t numbers) {
  return numbers / LONGEST_PIECE + (numbers % LONGEST_PIECE != 0);
}

static struct range common(struct range a, struct range b) {
  const size_t a_end = a.first + a.count, b_end = b.first + b.count;
  const size_t first = a.first > b.first ? a.first : b.first, end = a_end < b_end ? a_end : b_end;
  return (struct range){first, end > first ? end - first : 0};
}

static size_t table_start(const struct optimizer *optimizer, size_t table) {
  return (size_t)(optimizer->tables[table].table.gradients - optimizer->blocks.gradients);
}

elman_status gradient_pieces_create(struct gradient_pieces *pieces,
                                    const struct optimizer *optimizer, struct range within,
                                    elman_error *error) {
  size_t count = 0;
  for (size_t i = 0; i < optimizer->range_count; i++)
    count += pieces_of(common(optimizer->ranges[i], within).count);
  for (size_t i = 0; i < optimizer->table_count; i++) {
    const struct deferred_table *table = &optimizer->tables[i];
    const struct range first_row = {table_start(optimizer, i), table->columns};
    count += table->rows * pieces_of(common(first_row, within).count);
  }
  *pieces =
      (struct gradient_pieces){.all = calloc(count + 1, sizeof *pieces->all), .within = within};
  return pieces->all == NULL ? fail_no_memory(error) : ELMAN_OK;
}

void gradient_pieces_free(struct gradient_pieces *pieces) {
  free(pieces->all);
  *pieces = (struct gradient_pieces){0};
}

static void add_range(struct gradient_pieces *pieces, struct range range) {
  struct range left = common(range, pieces->within);
  while (left.count > 0) {
    const size_t some = left.count < LONGEST_PIECE ? left.count : LONGEST_PIECE;
    pieces->all[pieces->count++] = (struct gradient_piece){left.first, some, pieces->numbers};
    pieces->numbers += some;
    left.first += some;
    left.count -= some;
  }
}

void gradient_pieces_list(struct gradient_pieces *pieces, const struct optimizer *optimizer) {
  pieces->count = pieces->numbers = 0;
  for (size_t i = 0; i < optimizer->range_count; i++) add_range(pieces, optimizer->ranges[i]);
  for (size_t i = 0; i < optimizer->table_count; i++) {
    const struct deferred_table *table = &optimizer->tables[i];
    const size_t start = table_start(optimizer, i), E = table->columns;
    for (size_t k = 0; k < table->count; k++)
      add_range(pieces, (struct range){start + table->list[k] * E, E});
  }
}

struct move {
  const struct gradient_piece *pieces;
  real *to, *from;
};

static void share(const struct gradient_pieces *pieces, team_job *job, real *to, real *from) {
  const struct move move = {pieces->all, to, from};
  share_out(pieces->count, (double)WORK_OF_NUMBER * (double)pieces->numbers, job, &move);
}

static void add_piece(const void *context, size_t i) {
  const struct move *move = context;
  const struct gradient_piece piece = move->pieces[i];
  real *restrict to = move->to + piece.offset, *restrict from = move->from + piece.offset;
  for (size_t k = 0; k < piece.count; k++) to[k] += from[k];
  memset(from, 0, piece.count * sizeof *from);
}

void gradient_pieces_add(const struct gradient_pieces *pieces, real *to, real *from) {
  share(pieces, add_piece, to, from);
}

static void pack_piece(const void *context, size_t i) {
  const struct move *move = context;
  const struct gradient_piece piece = move->pieces[i];
  real *from = move->from + piece.offset;
  memcpy(move->to + piece.packed, from, piece.count * sizeof *from);
  memset(from, 0, piece.count * sizeof *from);
}

void gradient_pieces_pack(const struct gradient_pieces *pieces, real *packed, real *from) {
  share(pieces, pack_piece, packed, from);
}

static void unpack_piece(const void *context, size_t i) {
  const struct move *move = context;
  const struct gradient_piece piece = move->pieces[i];
  memcpy(move->to + piece.offset, move->from + piece.packed, piece.count * sizeof *move->to);
}

void gradient_pieces_unpack(const struct gradient_pieces *pieces, real *block, const real *packed) {
  share(pieces, unpack_piece, block, (real *)packed);
}
