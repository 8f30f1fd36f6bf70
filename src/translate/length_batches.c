#include "translate/length_batches.h"

#include <stdint.h>
#include <stdlib.h>

/* Rows of a batch times the source positions that each of them looks at; and rows alone, for each
 * has a row of logits. */
enum { MOST_POSITIONS = 1 << 16, MOST_ROWS = 512 };

struct numbered {
  size_t length, number;
};

static int longest_first(const void *left, const void *right) {
  const struct numbered *a = left, *b = right;
  if (a->length != b->length) return a->length > b->length ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

static size_t largest_batch(size_t length, size_t batch_size, size_t width) {
  size_t rows = length == 0 ? MOST_POSITIONS : MOST_POSITIONS / length;
  if (rows > MOST_ROWS) rows = MOST_ROWS;
  const size_t sentences = rows / width;
  if (sentences == 0) return 1;
  return sentences < batch_size ? sentences : batch_size;
}

static void cut(struct length_batches *batches, const struct numbered *sorted, size_t n,
                size_t batch_size, size_t width) {
  for (size_t i = 0; i < n; i++) batches->order[i] = sorted[i].number;
  for (size_t start = 0; start < n;) {
    const size_t rest = n - start;
    const size_t size = largest_batch(sorted[start].length, batch_size, width);
    const size_t batches_left = (rest + size - 1) / size;
    start +=
        (rest + batches_left - 1) / batches_left; /* of like size, so that threads end together */
    batches->starts[++batches->count] = start;
  }
}

elman_status length_batches_create(struct length_batches *batches, const size_t *lengths, size_t n,
                                   size_t batch_size, size_t width, elman_error *error) {
  *batches = (struct length_batches){0};
  if (n >= SIZE_MAX / sizeof(struct numbered)) return fail_no_memory(error);
  struct numbered *sorted = calloc(n + 1, sizeof *sorted);
  batches->order = calloc(n + 1, sizeof *batches->order);
  batches->starts = calloc(n + 1, sizeof *batches->starts);
  if (sorted == NULL || batches->order == NULL || batches->starts == NULL) {
    free(sorted);
    length_batches_free(batches);
    return fail_no_memory(error);
  }
  for (size_t i = 0; i < n; i++) sorted[i] = (struct numbered){lengths[i], i};
  qsort(sorted, n, sizeof *sorted, longest_first);
  cut(batches, sorted, n, batch_size, width);
  free(sorted);
  return ELMAN_OK;
}

void length_batches_free(struct length_batches *batches) {
  free(batches->order);
  free(batches->starts);
  *batches = (struct length_batches){0};
}
