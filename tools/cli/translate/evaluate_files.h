/* elman evaluate --hypothesis: scores files against files, without a model. */
#ifndef ELMAN_CLI_EVALUATE_FILES_H
#define ELMAN_CLI_EVALUATE_FILES_H

#include <stdbool.h>

#include "console/json_output.h"
#include "elman.h"
#include "options/command_line.h"

enum { MOST_HYPOTHESES = 2 };

struct file_evaluation {
  struct option_list hypotheses, references;
  elman_metric_options options;
  bool json;
};

/* Reads, scores, writes; gives the exit code. At least one hypothesis is there. */
int evaluate_files(const struct file_evaluation *evaluation, const char *command);

/* BLEU and chrF2 as members of the object that is open, or as lines with the value in column 22. */
void write_metrics(struct json *json, bool as_json, const elman_metric_scores *scores);

/* How they were computed; ends the object. */
void write_signatures(struct json *json, bool as_json, const elman_metric_scores *scores);

#endif
