/* Messages, progress and log of a training run. */
#ifndef ELMAN_CLI_TRAIN_REPORT_H
#define ELMAN_CLI_TRAIN_REPORT_H

#include <stdbool.h>

#include "console/terminal.h"
#include "elman.h"
#include "train/train_log.h"

struct training {
  bool own_vocabulary; /* the vocabulary was built from these pairs, not by --init-from */
  const elman_model *model;
  const elman_train_options *options;
  struct progress progress;
  struct train_log log;
  double started_at;
  double line_at;     /* when the last line was printed */
  size_t line_tokens; /* in the epochs completed since then */
  double done_before; /* fraction of the work done by an earlier run */
  bool first;         /* before the first update */
  size_t epoch;       /* the current one */
  bool finished;      /* the last update of the last epoch is done */
  bool validated;     /* in this run */
  size_t best_epoch;  /* of the best validation in this run; 0 = none */
  uint64_t best_update;
  uint64_t sent_before, sent; /* bytes sent after the first update and after the last */
  uint64_t updates;           /* number of updates between the two */
  double ends_at;             /* end of the time limit on the clock of now(); 0 = none */
  bool time_is_over;          /* the time limit ended the run */
  size_t snapshots;           /* snapshots of this run; 0 until this run wrote one */
  size_t skipped;             /* updates skipped, including those before --resume */
  int keeping;                /* exit code of the last attempt to write a snapshot */
  int checkpoint;             /* exit code of the last attempt to write the checkpoint */
  bool up_to_date;            /* the checkpoint contains the last update */
};

/* Set the callbacks of the options to report to `training`, which must outlive the run. */
void training_watch(struct training *training, elman_train_options *options);

void training_describe_model(const elman_model *model);

/* How a training run ended. */
enum training_end { DONE, STOPPED, FAILED };

/* Print why the run ended and which model is at `path`. */
void training_describe_end(const struct training *training, enum training_end end,
                           const char *path);

#endif
