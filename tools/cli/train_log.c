#include "train_log.h"

#include <errno.h>
#include <sysexits.h>

#include "json_output.h"
#include "messages.h"

int train_log_open(struct train_log *log, const char *path, bool append) {
  char buffer[128];
  *log = (struct train_log){.path = path};
  if (path == NULL) return EX_OK;
  log->stream = fopen(path, append ? "a" : "w");
  if (log->stream != NULL) {
    /* Line by line, so that a checkpoint is never ahead of the log, whatever ends the program. */
    setvbuf(log->stream, NULL, _IOLBF, BUFSIZ);
    return EX_OK;
  }
  report(path, "cannot create the log: %s", reason(errno, buffer, sizeof buffer));
  return EX_CANTCREAT;
}

static void number(struct train_log *log, const char *name, double value) {
  fprintf(log->stream, ",\"%s\":", name);
  write_json_number(log->stream, value);
}

void train_log_update(struct train_log *log, const elman_train_report *report,
                      double tokens_per_second) {
  if (log->stream == NULL) return;
  fprintf(log->stream, "{\"event\":\"update\",\"epoch\":%zu,\"update\":%zu", report->epoch,
          (report->epoch - 1) * report->updates + report->update);
  number(log, "loss", report->update_loss);
  number(log, "epoch_loss", report->loss);
  number(log, "gradient_norm", report->gradient_norm);
  number(log, "lr", report->learning_rate);
  number(log, "tokens_per_second", tokens_per_second);
  fprintf(log->stream, ",\"skipped\":%zu}\n", report->skipped);
}

void train_log_validation(struct train_log *log, const elman_validation *validation) {
  if (log->stream == NULL) return;
  fprintf(log->stream, "{\"event\":\"validation\",\"epoch\":%zu,\"update\":%llu", validation->epoch,
          (unsigned long long)validation->update);
  number(log, "loss", validation->loss);
  number(log, "perplexity", validation->perplexity);
  number(log, "exact_match", validation->exact_match);
  number(log, "bleu", validation->bleu);
  number(log, "chrf", validation->chrf);
  fprintf(log->stream, ",\"best\":%s}\n", validation->best ? "true" : "false");
}

int train_log_close(struct train_log *log, int code) {
  char buffer[128];
  if (log->stream == NULL) return code;
  const bool failed = ferror(log->stream) != 0;
  if (fclose(log->stream) == 0 && !failed) return code;
  report(log->path, "cannot write the log: %s",
         failed ? "an earlier write failed" : reason(errno, buffer, sizeof buffer));
  return EX_IOERR;
}
