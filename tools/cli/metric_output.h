/* BLEU and chrF2, for people and for programs. */
#ifndef ELMAN_CLI_METRIC_OUTPUT_H
#define ELMAN_CLI_METRIC_OUTPUT_H

#include "elman.h"
#include "json_output.h"

/* Members of the object that is open; signatures apart. */
void write_metrics_json(struct json *json, const elman_metric_scores *scores);
void write_signatures_json(struct json *json, const elman_metric_scores *scores);

/* Lines "name   value", with the value in column 22; signatures apart. */
void write_metrics_text(FILE *stream, const elman_metric_scores *scores);
void write_signatures_text(FILE *stream, const elman_metric_scores *scores);

#endif
