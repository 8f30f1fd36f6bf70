#include "train/train_log.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "console/messages.h"
#include "console/output.h"
#include "options/library_options.h"

static void report_problem(struct train_log *log, int problem) {
  log->problem = problem;
  progress_erase(log->progress);
  errno = problem;
  report(log->path, "cannot write the log: %m; training continues without it");
}

/* Write all bytes. A signal that ends the training run often interrupts a write. */
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

/* ---- formats ---- */

static const char JSON[] = "json", CSV[] = "csv";

/* Starts of a log. In JSON, the log of a resumed run may start with a validation that was due. */
static const char *const JSON_STARTS[] = {"{\"event\":\"start\",\"version\":\"",
                                          "{\"event\":\"validation\",\"epoch\":"};
static const char CSV_START[] = "event,epoch,update,";

const char *train_log_format(size_t index) {
  return index == 0 ? JSON : index == 1 ? CSV : NULL;
}

static const char *format_suffix(size_t index) {
  return index == 0 ? ".jsonl" : index == 1 ? ".csv" : NULL;
}

/* Columns after the event in CSV, and keys in JSON, which omits missing values. */
enum column {
  EPOCH,
  UPDATE,
  LOSS,
  EPOCH_LOSS,
  GRADIENT_NORM,
  LEARNING_RATE,
  TOKENS_PER_SECOND,
  SECONDS,
  SKIPPED,
  GUIDE_LOSS,
  LINKED,
  PERPLEXITY,
  EXACT_MATCH,
  BLEU,
  CHRF,
  BEST,
  BLEU_SIGNATURE,
  COLUMNS
};

/* Kinds of values: a count, any number, a flag, or a text without commas and quotes. */
enum log_value { COUNT, REAL, FLAG, TEXT };

static const struct {
  const char *name;
  enum log_value kind;
} columns[COLUMNS] = {
    [EPOCH] = {"epoch", COUNT},
    [UPDATE] = {"update", COUNT},
    [LOSS] = {"loss", REAL},
    [EPOCH_LOSS] = {"epoch_loss", REAL},
    [GRADIENT_NORM] = {"gradient_norm", REAL},
    [LEARNING_RATE] = {"learning_rate", REAL},
    [TOKENS_PER_SECOND] = {"tokens_per_second", REAL},
    [SECONDS] = {"seconds", REAL},
    [SKIPPED] = {"skipped", COUNT},
    [GUIDE_LOSS] = {"guide_loss", REAL},
    [LINKED] = {"linked", COUNT},
    [PERPLEXITY] = {"perplexity", REAL},
    [EXACT_MATCH] = {"exact_match", REAL},
    [BLEU] = {"bleu", REAL},
    [CHRF] = {"chrf", REAL},
    [BEST] = {"best", FLAG},
    [BLEU_SIGNATURE] = {"bleu_signature", TEXT},
};

/* A value of an event. A double represents every integer up to 2^53. */
struct field {
  bool there;
  double value;
  const char *text;
};

static struct field field(double value) {
  return (struct field){true, value, NULL};
}

static void write_json(FILE *stream, const char *event, const struct field fields[COLUMNS]) {
  struct json json = {.stream = stream};
  json_print(&json, "{event %s", event);
  for (size_t i = 0; i < COLUMNS; i++) {
    if (!fields[i].there) continue;
    if (columns[i].kind == COUNT)
      json_count(&json, columns[i].name, (uint64_t)fields[i].value);
    else if (columns[i].kind == TEXT)
      json_text(&json, columns[i].name, fields[i].text);
    else if (columns[i].kind == FLAG)
      json_flag(&json, columns[i].name, fields[i].value != 0);
    else
      json_number(&json, columns[i].name, fields[i].value);
  }
  json_print(&json, "}\n");
}

/* Write a row according to RFC 4180. No field needs quotes. */
static void write_csv(FILE *stream, const char *event, const struct field fields[COLUMNS]) {
  fputs(event, stream);
  for (size_t i = 0; i < COLUMNS; i++) {
    putc(',', stream);
    if (fields[i].text != NULL)
      fputs(fields[i].text, stream);
    else if (fields[i].there && isfinite(fields[i].value))
      fprintf(stream, columns[i].kind == REAL ? "%.9g" : "%.0f", fields[i].value);
  }
  fputs("\r\n", stream);
}

static void write_event(const struct train_log *log, const char *event,
                        const struct field fields[COLUMNS]) {
  if (log->csv)
    write_csv(log->stream, event, fields);
  else
    write_json(log->stream, event, fields);
}

enum { HEADER_SIZE = 256 };

static void make_header(char header[HEADER_SIZE]) {
  size_t used = (size_t)snprintf(header, HEADER_SIZE, "event");
  for (size_t i = 0; i < COLUMNS; i++)
    used += (size_t)snprintf(header + used, HEADER_SIZE - used, ",%s%s", columns[i].name,
                             i + 1 == COLUMNS ? "\r\n" : "");
}

/* ---- the file ---- */

bool train_log_is_csv(const struct train_log_place *place) {
  static const struct formats formats = {train_log_format, format_suffix};
  const char *format =
      place->format != NULL ? place->format : format_by_suffix(&formats, place->path);
  return format != NULL && strcmp(format, CSV) == 0;
}

/* Description of the existing file. */
struct found {
  char start[HEADER_SIZE]; /* first bytes of the file */
  size_t size;             /* number of bytes in `start`; 0 = no file */
  bool torn;               /* the last line has no line end, because the writer was killed */
};

static int read_found(struct found *found, const char *path) {
  struct stat info;
  found->size = 0;
  found->torn = false;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return EX_OK;
  FILE *stream = fopen(path, "r");
  if (stream == NULL) {
    report(path, "cannot read the existing log: %m");
    return EX_NOINPUT;
  }
  found->size = fread(found->start, 1, sizeof found->start, stream);
  found->torn = fseek(stream, -1, SEEK_END) == 0 && getc(stream) != '\n';
  const bool failed = ferror(stream) != 0;
  if (failed) report(path, "cannot read the existing log: %m");
  fclose(stream);
  return failed ? EX_IOERR : EX_OK;
}

/* Return whether the file starts with `beginning`, or is a prefix of it: a run may have been killed
 * while it wrote the first line. */
static bool starts_with(const struct found *found, const char *beginning) {
  const size_t length = strlen(beginning);
  return memcmp(found->start, beginning, found->size < length ? found->size : length) == 0;
}

static bool starts_with_json(const struct found *found) {
  return starts_with(found, JSON_STARTS[0]) || starts_with(found, JSON_STARTS[1]);
}

static bool starts_with_header(const struct found *found) {
  char header[HEADER_SIZE];
  make_header(header);
  return found->size >= strlen(header) && starts_with(found, header);
}

/* Refuse to mix formats, or rows with different columns, in one file. */
static int check_added_to(const char *path, bool wants_csv, const struct found *found) {
  const bool json = starts_with_json(found), csv = starts_with_header(found);
  if (wants_csv ? csv : json) return EX_OK;
  if (json || csv)
    report(path,
           "is a %s log, and lines of another format cannot be appended to it; use --log-format "
           "%s, or name another file",
           json ? "JSON Lines" : "CSV", json ? JSON : CSV);
  else
    report(path, "is not a training log, so nothing can be appended to it; name another file");
  return EX_CANTCREAT;
}

/* Allow overwriting a log. Refuse to overwrite any other file. */
static int check_replaced(const char *path, const struct found *found) {
  if (starts_with_json(found) || starts_with(found, CSV_START)) return EX_OK;
  report(path, "is not a training log and would be overwritten; add --force to overwrite it, or "
               "name another file with --log");
  return EX_CANTCREAT;
}

static int check_existing(struct found *found, const struct train_log_place *place) {
  const int code = read_found(found, place->path);
  if (code != EX_OK || found->size == 0) return code;
  if (place->append) return check_added_to(place->path, train_log_is_csv(place), found);
  return output_force ? EX_OK : check_replaced(place->path, found);
}

static int open_file(struct train_log *log) {
  elman_error error;
  if (elman_file_open_direct(&log->descriptor, log->path, true, &error) != ELMAN_OK)
    return report_error(&error);
  log->stream = fopencookie(log, "w", (cookie_io_functions_t){.write = write_all});
  if (log->stream != NULL) {
    /* Write each line at once, so that a checkpoint is never ahead of the log, even if the program
     * is killed. */
    setvbuf(log->stream, NULL, _IOLBF, BUFSIZ);
    return EX_OK;
  }
  close(log->descriptor);
  return report_no_memory();
}

/* Check that the log can be written, without creating or changing a file. Do not open a pipe,
 * because that would wait for its reader. */
static int check_writable(const char *path) {
  struct stat info;
  elman_error error;
  int descriptor;
  if (stat(path, &info) != 0) return output_check(path);
  if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return EX_OK;
  if (elman_file_open_direct(&descriptor, path, true, &error) != ELMAN_OK)
    return report_error(&error);
  close(descriptor);
  return EX_OK;
}

int train_log_claim(elman_lock **lock, const struct train_log_place *place) {
  struct found found;
  if (lock != NULL) *lock = NULL;
  if (place->path == NULL) return EX_OK;
  int code = check_writable(place->path);
  if (code == EX_OK) code = check_existing(&found, place);
  return code == EX_OK && lock != NULL ? output_claim(lock, place->path) : code;
}

/* Check that there is room for the log. Expect at most MOST_BYTES, because a run may end long
 * before its last epoch. */
static int check_room(const struct train_log_place *place, double updates) {
  enum { LINE_BYTES = 250, MOST_BYTES = 1 << 20 };
  struct stat info;
  const double bytes = updates * LINE_BYTES;
  uint64_t size = bytes < MOST_BYTES ? (uint64_t)bytes : MOST_BYTES;
  if (elman_file_is_direct(place->path)) return EX_OK;
  if (place->append && stat(place->path, &info) == 0) size += (uint64_t)info.st_size;
  return output_check_room(place->path, size);
}

int train_log_open(struct train_log *log, const struct train_log_place *place, double updates,
                   struct progress *progress) {
  struct found found;
  *log = (struct train_log){
      .path = place->path, .run = place->run, .started_at = now(), .progress = progress};
  if (place->path == NULL) return EX_OK;
  log->csv = train_log_is_csv(place);
  int code = check_existing(&found, place);
  if (code == EX_OK) code = check_room(place, updates);
  /* Keep the content of the file until the run has begun, because the run may still be refused. */
  if (code == EX_OK) code = open_file(log);
  log->replaces = !place->append && found.size > 0 && !elman_file_is_direct(place->path);
  log->headed = place->append && found.size > 0;
  log->torn = place->append && found.torn;
  return code;
}

void train_log_begin(struct train_log *log) {
  if (log->stream == NULL || log->begun) return;
  log->begun = true;
  if (log->replaces && ftruncate(log->descriptor, 0) != 0) report_problem(log, errno);
  if (log->torn) fputs(log->csv ? "\r\n" : "\n", log->stream);
  if (log->csv && !log->headed) {
    char header[HEADER_SIZE];
    make_header(header);
    fputs(header, log->stream);
  }
}

/* ---- events ---- */

/* Write the time of the day in UTC according to ISO 8601, such as 2026-11-27T12:00:00Z. */
static const char *write_date(char text[32]) {
  const time_t seconds = time(NULL);
  struct tm parts;
  text[0] = '\0';
  if (gmtime_r(&seconds, &parts) != NULL) strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/* Write the name of the run: the given one, or the file name of the model without its suffix. */
static void write_run(struct json *json, const struct train_log *log, const char *output) {
  static const char suffix[] = ".safetensors";
  const char *slash = strrchr(output, '/'), *name = slash == NULL ? output : slash + 1;
  const size_t length = strlen(name), end = sizeof suffix - 1;
  char text[NAME_MAX + 1];
  const bool cut = length > end && strcmp(name + length - end, suffix) == 0;
  snprintf(text, sizeof text, "%.*s", (int)(cut ? length - end : length), name);
  json_text(json, "run", log->run != NULL ? log->run : text);
}

void train_log_start(struct train_log *log, const elman_model *model,
                     const elman_train_options *options, const elman_train_report *report) {
  log->guided = options->guide_weight > 0;
  train_log_begin(log);
  if (log->stream == NULL || log->csv) return;
  const elman_model_info info = elman_model_get_info(model);
  struct json json = {.stream = log->stream};
  char date[32];
  json_print(&json, "{event %s version %s time %s", "start", elman_version(), write_date(date));
  write_run(&json, log, options->output);
  json_print(&json, "model_file %s pairs_file %s training_pairs %zu", options->output,
             options->pairs_name, report->pairs);
  if (options->dev != NULL)
    json_print(&json, "dev_file %s dev_pairs %zu", options->dev_name,
               elman_pairs_count(options->dev));
  json_print(&json, "epochs %zu", report->epochs);
  library_options_write(&json, ELMAN_SCOPE_TRAINING | ELMAN_SCOPE_END, options, NULL);
  library_options_write(&json, ELMAN_SCOPE_MODEL, &info, NULL);
  library_options_write(&json, ELMAN_SCOPE_START, &info, NULL);
  json_print(&json, "source_vocabulary %zu target_vocabulary %zu}\n", info.source_vocabulary,
             info.target_vocabulary);
}

void train_log_update(struct train_log *log, const elman_train_report *report,
                      double tokens_per_second) {
  if (log->stream == NULL) return;
  const struct field fields[COLUMNS] = {
      [EPOCH] = field((double)report->epoch),
      [UPDATE] = field((double)report->updates_so_far),
      [LOSS] = field(report->update_loss),
      [EPOCH_LOSS] = field(report->loss),
      [GRADIENT_NORM] = field(report->gradient_norm),
      [LEARNING_RATE] = field(report->learning_rate),
      [TOKENS_PER_SECOND] = field(tokens_per_second),
      [SECONDS] = field(now() - log->started_at),
      [SKIPPED] = field((double)report->skipped),
      [GUIDE_LOSS] = {log->guided, report->guide_loss, NULL},
      [LINKED] = {log->guided, (double)report->linked, NULL},
  };
  write_event(log, "update", fields);
}

void train_log_validation(struct train_log *log, const elman_validation *validation) {
  train_log_begin(log);
  if (log->stream == NULL) return;
  const struct field fields[COLUMNS] = {
      [EPOCH] = field((double)validation->epoch),
      [UPDATE] = field((double)validation->update),
      [SECONDS] = field(now() - log->started_at),
      [LOSS] = field(validation->loss),
      [PERPLEXITY] = field(validation->perplexity),
      [EXACT_MATCH] = field(validation->exact_match),
      [BLEU] = field(validation->bleu),
      [CHRF] = field(validation->chrf),
      [BEST] = field(validation->best),
      [BLEU_SIGNATURE] = {true, 0, validation->bleu_signature},
  };
  write_event(log, "validation", fields);
}

int train_log_close(struct train_log *log, int code) {
  if (log->stream == NULL) return code;
  fclose(log->stream);
  if (close(log->descriptor) != 0 && log->problem == 0 && errno != EINTR)
    report_problem(log, errno);
  return log->problem == 0 ? code : EX_IOERR;
}
