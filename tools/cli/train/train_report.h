/* Messages, progress and log of a training as it goes on. */
#ifndef ELMAN_CLI_TRAIN_REPORT_H
#define ELMAN_CLI_TRAIN_REPORT_H

#include <stdbool.h>

#include "console/terminal.h"
#include "elman.h"
#include "train/train_log.h"

struct training {
  bool own_vocabulary; /* counted in these pairs, not that of --init-from */
  const elman_model *model;
  const elman_train_options *options;
  struct progress progress;
  struct train_log log;
  double started_at;
  double line_at;     /* when the last line was printed */
  size_t line_tokens; /* in the epochs since then that are over */
  double done_before; /* share of the work that an earlier run had done */
  bool first;         /* no update has been yet */
  size_t epoch;       /* the current one */
  bool finished;      /* the last update of the last epoch has been */
  bool validated;     /* in this run */
  size_t best_epoch;  /* of this run's best validation; 0 = none has been */
  uint64_t best_update;
  uint64_t sent_before, sent; /* bytes, by the first update and by the last */
  uint64_t updates;           /* between the two */
  double ends_at;             /* when the time is over, on the clock of now(); 0 = never */
  bool time_is_over;          /* before the work was */
  size_t snapshots; /* models of this training beside the output; 0 before this run wrote one */
  size_t skipped;   /* updates that were left out, in earlier runs, too */
  int keeping;      /* exit code of the last attempt to keep one */
  int checkpoint;   /* exit code of the last attempt to write the checkpoint */
  bool up_to_date;  /* the checkpoint holds the last update */
};

/* Makes the options report to `training`, which is theirs until the training is over. */
void training_watch(struct training *training, elman_train_options *options);

void training_describe_model(const elman_model *model);

/* How a training came to its end. */
enum training_end { DONE, STOPPED, FAILED };

/* Why the training is over, and which of its models lies at `path`. */
void training_describe_end(const struct training *training, enum training_end end,
                           const char *path);

#endif
