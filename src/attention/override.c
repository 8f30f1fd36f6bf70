#include "attention/override.h"

static void make_uniform(real *row, struct visible visible) {
  const real share = 1 / (real)(visible.end - visible.first);
  for (size_t s = visible.first; s < visible.end; s++) row[s] = share;
}

/* Fisher and Yates: every order is equally likely. */
static void shuffle(real *row, struct visible visible, uint64_t seed, size_t query) {
  const struct random_stream stream = {seed, RANDOM_OVERRIDE, (uint32_t)query};
  for (size_t n = visible.end - visible.first; n > 1; n--) {
    const size_t other = visible.first + (size_t)random_below(stream, n, n);
    const size_t last = visible.first + n - 1;
    const real kept = row[last];
    row[last] = row[other];
    row[other] = kept;
  }
}

static size_t column_of(const elman_override *override, struct visible visible) {
  if (override->column < visible.first) return visible.first;
  return override->column < visible.end ? override->column : visible.end - 1;
}

static void set_position(real *row, struct visible visible, size_t column) {
  for (size_t s = visible.first; s < visible.end; s++) row[s] = s == column;
}

static void set_cell(real *row, struct visible visible, size_t column, real weight) {
  real others = 0;
  for (size_t s = visible.first; s < visible.end; s++) others += s == column ? 0 : row[s];
  const size_t count = visible.end - visible.first - 1;
  for (size_t s = visible.first; s < visible.end; s++) {
    if (s == column)
      row[s] = count == 0 ? 1 : weight; /* a single key has all the weight */
    else
      row[s] = others > 0 ? row[s] * (1 - weight) / others : (1 - weight) / (real)count;
  }
}

void override_apply(real *row, struct visible visible, const struct attention_overrides *overrides,
                    size_t t) {
  const size_t query = overrides->first + t;
  for (size_t i = 0; i < overrides->count; i++) {
    const elman_override *override = &overrides->list[i];
    switch (override->kind) {
    case ELMAN_OVERRIDE_UNIFORM:
      make_uniform(row, visible);
      break;
    case ELMAN_OVERRIDE_SHUFFLE:
      shuffle(row, visible, overrides->seed, query);
      break;
    case ELMAN_OVERRIDE_POSITION:
      set_position(row, visible, column_of(override, visible));
      break;
    case ELMAN_OVERRIDE_CELL:
      if (override->row == query)
        set_cell(row, visible, column_of(override, visible), (real) override->weight);
      break;
    }
  }
}
