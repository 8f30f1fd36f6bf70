#include "train_log.h"

#include <errno.h>
#include <fcntl.h>
#include <sysexits.h>
#include <unistd.h>

#include "hyperparameters.h"
#include "json_output.h"
#include "messages.h"

static void tell(struct train_log *log, int problem) {
  char buffer[128];
  log->problem = problem;
  progress_erase(log->progress);
  report(log->path, "cannot write the log: %s; training goes on without it",
         reason(problem, buffer, sizeof buffer));
}

/* All of it: a signal that ends the training comes as often as not while a line is written. */
static ssize_t write_all(void *cookie, const char *bytes, size_t size) {
  struct train_log *log = cookie;
  for (size_t done = 0; log->problem == 0 && done < size;) {
    const ssize_t written = write(log->descriptor, bytes + done, size - done);
    if (written >= 0)
      done += (size_t)written;
    else if (errno != EINTR)
      tell(log, errno);
  }
  return log->problem == 0 ? (ssize_t)size : 0;
}

int train_log_open(struct train_log *log, const char *path, bool append,
                   struct progress *progress) {
  char buffer[128];
  *log = (struct train_log){.path = path, .progress = progress};
  if (path == NULL) return EX_OK;
  log->descriptor =
      open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
  if (log->descriptor >= 0)
    log->stream = fopencookie(log, "w", (cookie_io_functions_t){.write = write_all});
  if (log->stream != NULL) {
    /* Line by line, so that a checkpoint is never ahead of the log, whatever ends the program. */
    setvbuf(log->stream, NULL, _IOLBF, BUFSIZ);
    return EX_OK;
  }
  report(path, "cannot create the log: %s", reason(errno, buffer, sizeof buffer));
  if (log->descriptor >= 0) close(log->descriptor);
  return EX_CANTCREAT;
}

static void number(struct train_log *log, const char *name, double value) {
  fprintf(log->stream, ",\"%s\":", name);
  write_json_number(log->stream, value);
}

void train_log_start(struct train_log *log, const elman_model *model,
                     const elman_train_options *options, size_t epochs) {
  if (log->stream == NULL) return;
  const elman_model_info info = elman_model_get_info(model);
  fprintf(log->stream, "{\"event\":\"start\",\"version\":\"%s\",\"epochs\":%zu", elman_version(),
          epochs);
  write_json_hyperparameters(log->stream, ELMAN_SCOPE_TRAINING | ELMAN_SCOPE_END, options);
  write_json_hyperparameters(log->stream, ELMAN_SCOPE_MODEL, &info);
  if (info.start_known) write_json_hyperparameters(log->stream, ELMAN_SCOPE_START, &info);
  fprintf(log->stream, ",\"source_vocabulary\":%zu,\"target_vocabulary\":%zu}\n",
          info.source_vocabulary, info.target_vocabulary);
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
  if (log->stream == NULL) return code;
  fclose(log->stream);
  if (close(log->descriptor) != 0 && log->problem == 0 && errno != EINTR) tell(log, errno);
  return log->problem == 0 ? code : EX_IOERR;
}
