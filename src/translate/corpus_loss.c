#include "translate/corpus_loss.h"

#include <stdlib.h>
#include <string.h>

#include "corpus/batch.h"
#include "model/network.h"

/* The weights of attention are the largest part of a forward pass: as many for each sentence of a
 * batch as for one of its longest source and longest target. */
enum { MOST_WEIGHTS = 1 << 23 };

/* Up to where a batch from `start` goes: `most` pairs, or fewer where one is very long. */
static size_t batch_end(const struct corpus *corpus, size_t start, size_t most) {
  size_t end = start, S = 0, T = 0;
  while (end < corpus->source.count && end - start < most) {
    const size_t s = sentences_length(&corpus->source, end);
    const size_t t = sentences_length(&corpus->target, end);
    S = s > S ? s : S;
    T = t > T ? t : T;
    if (end > start && (end - start + 1) * S * T > MOST_WEIGHTS) break;
    end++;
  }
  return end;
}

/* Of P processes, process r has batches r, r + P, and so on. Their losses, one behind the other. */
static elman_status own_losses(struct buffer *losses, const struct model *model,
                               const struct corpus *corpus, size_t batch_size,
                               const elman_group *group, elman_error *error) {
  const size_t count = corpus->source.count, P = group_size(group);
  size_t *indices = malloc(batch_size * sizeof *indices);
  if (indices == NULL) return fail_no_memory(error);
  const struct regularization plain = {0};
  struct batch batch = {0};
  struct workspace workspace = {0};
  const struct network_pass pass = {
      &model->config, &model->weights, &batch, &plain, &workspace, 0, 0, {0}};
  elman_status status = ELMAN_OK;
  for (size_t start = 0, end, k = 0; start < count; start = end, k++) {
    end = batch_end(corpus, start, batch_size);
    if (k % P != group_rank(group)) continue;
    const size_t size = end - start;
    for (size_t i = 0; i < size; i++) indices[i] = start + i;
    status = batch_fill(&batch, corpus, indices, size, error);
    if (status == ELMAN_OK)
      status = workspace_fit(&workspace, &model->config, &batch, FORWARD_ONLY, error);
    if (status != ELMAN_OK) break;
    const struct corpus_loss one = {network_forward(&pass), batch.tokens};
    buffer_append(losses, (const char *)&one, sizeof one);
  }
  workspace_free(&workspace);
  batch_free(&batch);
  free(indices);
  return status;
}

/* In the order of the batches, so that the sum has the same bits for any number of processes. */
static struct corpus_loss add_up(const struct buffer *losses, size_t P) {
  struct corpus_loss all = {0}, one;
  const size_t n = losses->length / sizeof one;
  for (size_t k = 0; k < n; k++) {
    const size_t r = k % P;
    const size_t before = n / P * r + (r < n % P ? r : n % P); /* batches of other processes */
    memcpy(&one, losses->bytes + (before + k / P) * sizeof one, sizeof one);
    all.sum += one.sum;
    all.tokens += one.tokens;
  }
  return all;
}

elman_status corpus_loss(struct corpus_loss *loss, const struct model *model,
                         const struct corpus *corpus, size_t batch_size, const elman_group *group,
                         elman_error *error) {
  const size_t count = corpus->source.count;
  struct buffer losses = {0};
  if (batch_size > count) batch_size = count;
  elman_status status = own_losses(&losses, model, corpus, batch_size, group, error);
  status = group_collect(group, status, &losses, error);
  if (status == ELMAN_OK) *loss = add_up(&losses, group_size(group));
  buffer_free(&losses);
  return status;
}
