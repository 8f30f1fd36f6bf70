/* BLEU and chrF2, for people and for programs. */
#ifndef ELMAN_CLI_METRIC_OUTPUT_H
#define ELMAN_CLI_METRIC_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

#include "elman.h"

/* With these decimals; a perplexity of millions is one of a model that has learnt nothing, and its
 * digits say no more. Returns `into`. */
const char *perplexity_text(char *into, size_t size, double perplexity, int decimals);

/* ,"key":number */
void write_json_member(FILE *stream, const char *key, double number);

/* Members of a JSON object, each with a comma in front; signatures apart. */
void write_metrics_json(FILE *stream, const elman_metric_scores *scores);
void write_signatures_json(FILE *stream, const elman_metric_scores *scores);

/* Lines "name   value", with the value in column 22; signatures apart. */
void write_metrics_text(FILE *stream, const elman_metric_scores *scores);
void write_signatures_text(FILE *stream, const elman_metric_scores *scores);

#endif
