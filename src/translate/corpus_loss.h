/* The loss of a model on a corpus, whose batches a group of processes shares out. */
#ifndef ELMAN_TRANSLATE_CORPUS_LOSS_H
#define ELMAN_TRANSLATE_CORPUS_LOSS_H

#include "base/group.h"
#include "corpus/corpus.h"
#include "model/model.h"

struct corpus_loss {
  double sum;    /* over the target tokens, </s> included; not finite where numbers overflow */
  size_t tokens; /* that many */
};

/* With teacher forcing, `batch_size` pairs at a time, which is not 0. Every process of the group
 * leaves with the same bits, which are those of one that is alone, or with the same error. */
elman_status corpus_loss(struct corpus_loss *loss, const struct model *model,
                         const struct corpus *corpus, size_t batch_size, const elman_group *group,
                         elman_error *error) CHECKED;

#endif
