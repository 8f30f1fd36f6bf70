/* BLEU and chrF between the public and the internal form. */
#ifndef ELMAN_API_API_METRIC_H
#define ELMAN_API_API_METRIC_H

#include "elman.h"
#include "metric/metric.h"

/* Leaves *tokenizer as it is where `name` is NULL: the references decide. */
elman_status choose_tokenizer(enum bleu_tokenizer *tokenizer, const char *name,
                              elman_error *error) CHECKED;

elman_metric_scores outer_metric_scores(const struct metric_scores *scores,
                                        const struct metric_signatures *signatures);

#endif
