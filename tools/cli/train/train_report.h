/* Messages, progress and log of a training run. */
#ifndef ELMAN_CLI_TRAIN_REPORT_H
#define ELMAN_CLI_TRAIN_REPORT_H

#include <stdbool.h>

#include "console/terminal.h"
#include "elman.h"
#include "train/train_estimate.h"
#include "train/train_log.h"

struct training {
  bool own_vocabulary; /* the vocabulary was built from these pairs, not by --init-from */
  const elman_model *model;
  const elman_train_options *options;
  unsigned augmentation; /* bits of the options of augmentation that were given, in their order */
  struct progress progress;
  struct train_log log;
  struct train_speed speed;
  double started_at;
  double line_at;      /* time at which the last line was printed */
  double line_tokens;  /* tokens in the epochs completed since the last line, less those of an
                          earlier run in the first epoch */
  double done_before;  /* fraction of the work that an earlier run did */
  bool first;          /* no report has come yet */
  size_t epoch;        /* current epoch */
  bool finished;       /* the last update of the last epoch is done */
  const char *measure; /* metric of the validations in this run; NULL before the first */
  size_t best_epoch;   /* epoch of the best validation in this run; 0 = none */
  uint64_t best_update;
  uint64_t sent_before, sent; /* bytes sent up to the end of the first update; bytes sent up to the
                                 end of the last one */
  uint64_t updates;           /* number of updates between these two ends */
  double ends_at;    /* time on the clock of now() at which the time limit ends; 0 = no limit */
  bool time_is_over; /* the time limit ended the run */
  size_t snapshots;  /* number of snapshots of this run; 0 until it has written one */
  size_t skipped;    /* number of skipped updates, including those before the run was resumed */
  int keeping;       /* exit code of the last attempt to write a snapshot */
  int checkpoint;    /* exit code of the last attempt to write the checkpoint */
  bool up_to_date;   /* the checkpoint contains the last update */
  bool requested;    /* SIGUSR1 requested the checkpoint that is being written */
};

/* Set the callbacks of the options, so that they report to `training`. It must outlive the run. */
void training_watch(struct training *training, elman_train_options *options);

/* Describe a model before its first update. `asked` has the options that created the model; NULL
 * with --init-from. `names_languages` states that the languages come from names of the pairs. */
void training_describe_model(const elman_model *model, const elman_model_options *asked,
                             bool names_languages);

/* Draw the progress of tuning the search; `context` is a struct progress. Return false after a
 * signal. */
bool training_tune_progress(void *context, size_t done, size_t total);

/* Print the scores of the searches that were tried; `chosen` is the best. */
void training_describe_search(const elman_search_trial trials[ELMAN_SEARCH_TRIALS],
                              elman_search chosen);

/* Reason for the end of a training run. */
enum training_end { DONE, STOPPED, FAILED };

/* Print why the run ended, and which model is at `path`. */
void training_describe_end(const struct training *training, enum training_end end,
                           const char *path);

#endif
