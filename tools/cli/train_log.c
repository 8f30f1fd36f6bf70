#include "train_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sysexits.h>
#include <unistd.h>

#include "hyperparameters.h"
#include "messages.h"

static void report_problem(struct train_log *log, int problem) {
  log->problem = problem;
  progress_erase(log->progress);
  errno = problem;
  report(log->path, "cannot write the log: %m; training goes on without it");
}

/* All of it: a signal that ends the training comes as often as not while a line is written. */
static ssize_t write_all(void *cookie, const char *bytes, size_t size) {
  struct train_log *log = cookie;
  for (size_t done = 0; log->problem == 0 && done < size;) {
    const ssize_t written = write(log->descriptor, bytes + done, size - done);
    if (written >= 0)
      done += (size_t)written;
    else if (errno != EINTR)
      report_problem(log, errno);
  }
  return log->problem == 0 ? (ssize_t)size : 0;
}

int train_log_open(struct train_log *log, const char *path, bool append,
                   struct progress *progress) {
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
  report(path, "cannot create the log: %m");
  if (log->descriptor >= 0) close(log->descriptor);
  return EX_CANTCREAT;
}

void train_log_start(struct train_log *log, const elman_model *model,
                     const elman_train_options *options, size_t epochs) {
  if (log->stream == NULL) return;
  log->guided = options->guide_weight > 0;
  const elman_model_info info = elman_model_get_info(model);
  struct json json = {.stream = log->stream};
  json_print(&json, "{event %s version %s epochs %zu", "start", elman_version(), epochs);
  json_hyperparameters(&json, ELMAN_SCOPE_TRAINING | ELMAN_SCOPE_END, options, NULL);
  json_hyperparameters(&json, ELMAN_SCOPE_MODEL, &info, NULL);
  if (info.start_known) json_hyperparameters(&json, ELMAN_SCOPE_START, &info, NULL);
  json_print(&json, "source_vocabulary %zu target_vocabulary %zu}\n", info.source_vocabulary,
             info.target_vocabulary);
}

void train_log_update(struct train_log *log, const elman_train_report *report,
                      double tokens_per_second) {
  struct json json = {.stream = log->stream};
  if (log->stream == NULL) return;
  json_print(&json,
             "{event %s epoch %zu update %" PRIu64 " loss %g epoch_loss %g gradient_norm %g lr %g "
             "tokens_per_second %g skipped %zu",
             "update", report->epoch, report->updates_so_far, report->update_loss, report->loss,
             report->gradient_norm, report->learning_rate, tokens_per_second, report->skipped);
  if (log->guided)
    json_print(&json, " guide_loss %g linked %zu", report->guide_loss, report->linked);
  json_print(&json, "}\n");
}

void train_log_validation(struct train_log *log, const elman_validation *validation) {
  struct json json = {.stream = log->stream};
  if (log->stream == NULL) return;
  json_print(&json,
             "{event %s epoch %zu update %" PRIu64
             " loss %g perplexity %g exact_match %g bleu %g chrf %g best %d}\n",
             "validation", validation->epoch, validation->update, validation->loss,
             validation->perplexity, validation->exact_match, validation->bleu, validation->chrf,
             validation->best);
}

int train_log_close(struct train_log *log, int code) {
  if (log->stream == NULL) return code;
  fclose(log->stream);
  if (close(log->descriptor) != 0 && log->problem == 0 && errno != EINTR)
    report_problem(log, errno);
  return log->problem == 0 ? code : EX_IOERR;
}
