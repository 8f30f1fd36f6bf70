#include "train/train_estimate.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>

#include "console/json_output.h"
#include "console/messages.h"
#include "console/output.h"
#include "group/group.h"

/* ---- the time of updates ---- */

static double processor_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bool train_speed_add(struct train_speed *speed, const elman_train_report *report) {
  enum { LEAST_UPDATES = 10 };
  const double least = 3, most = 30; /* seconds */
  const bool last = report->epoch == report->epochs && report->update == report->updates;
  if (speed->known) return false;
  if (speed->began <= 0) {
    speed->began = now();
    speed->processor_time = -processor_time();
    return false; /* a run of one update has no measurement */
  }
  speed->updates++;
  const double time = now() - speed->began;
  speed->known = last || time > most || (speed->updates >= LEAST_UPDATES && time > least);
  speed->update_time = time / (double)speed->updates;
  if (speed->known) speed->processor_time += processor_time();
  return speed->known;
}

/* Write a time such as "12 minutes". */
static const char *write_time(char text[32], double seconds) {
  if (seconds < 1)
    snprintf(text, 32, "less than a second");
  else if (seconds < 10)
    snprintf(text, 32, "%.1f seconds", seconds);
  else if (seconds < 100)
    snprintf(text, 32, "%.0f seconds", seconds);
  else if (seconds < 6000)
    snprintf(text, 32, "%.0f minutes", seconds / 60);
  else
    snprintf(text, 32, "%.1f hours", seconds / 3600);
  return text;
}

static double updates_left(const elman_train_report *report) {
  return (double)(report->epochs - report->epoch + 1) * (double)report->updates -
         (double)report->update;
}

void train_speed_note(const struct train_speed *speed, const elman_train_report *report,
                      const elman_train_options *options) {
  const double minute = 60, left = speed->update_time * updates_left(report);
  char epoch[32], run[32];
  if (left <= minute) return;
  note("about %s per epoch, %s until the end of epoch %zu%s",
       write_time(epoch, speed->update_time * (double)report->updates), write_time(run, left),
       report->epochs, options->dev == NULL ? "" : ", without validations");
}

/* ---- what other corpora reached ---- */

/* Measured scores; docs/runs.md states corpora, dates and commands. */
static const struct {
  const char *preset;
  size_t pairs;
  double bleu;
  const char *corpus;
} measured[] = {
    {"quick", 1000, 4.5, "Tatoeba, Chinese to English"},
    {"quick", 3000, 10.5, "Tatoeba, Chinese to English"},
    {"quick", 10000, 23.0, "Tatoeba, Chinese to English"},
    {"quick", 26155, 30.3, "Tatoeba, Chinese to English"},
    {"small", 3000, 12.7, "Tatoeba, Chinese to English"},
    {"small", 26155, 32.4, "Tatoeba, Chinese to English"},
    {"small", 29000, 38.1, "Multi30k, English to German"},
    {"base", 26155, 33.7, "Tatoeba, Chinese to English"},
    {"strong", 26155, 34.7, "Tatoeba, Chinese to English"},
};

/* Print the measured scores of the preset, or of `quick` if the run uses none. */
static void write_measured(struct json *json, const char *preset) {
  const char *wanted = strcmp(preset, "plain") == 0 ? "quick" : preset;
  people_print(json, "\nBLEU of --preset %s on test pairs of other corpora:\n", wanted);
  for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
    if (strcmp(measured[i].preset, wanted) == 0)
      people_print(json, "  %6zu pairs  BLEU %.1f  %s\n", measured[i].pairs, measured[i].bleu,
                   measured[i].corpus);
  people_print(json, "Languages, length and variety of the sentences matter as much as their "
                     "number.\n");
}

/* ---- the dry run ---- */

struct measurement {
  struct train_speed speed;
  elman_train_report last; /* of the last update; its pointers are not valid */
};

static bool on_update(void *context, const elman_train_report *report) {
  struct measurement *measurement = context;
  measurement->last = *report;
  return !train_speed_add(&measurement->speed, report) && interrupt_signal() == 0;
}

/* Return the peak memory of the process in bytes; 0 if the system does not state it. ru_maxrss is
 * not used because it includes the memory that the parent process had before the program began. */
static double peak_memory(void) {
  char line[256];
  double kibibytes = 0;
  FILE *status = fopen("/proc/self/status", "r");
  if (status == NULL) return 0;
  while (kibibytes <= 0 && fgets(line, sizeof line, status) != NULL)
    if (sscanf(line, "VmHWM: %lf kB", &kibibytes) != 1) kibibytes = 0;
  fclose(status);
  return 1024 * kibibytes;
}

/* Return whether the process waited for a processor core for most of the measured time. */
static bool is_slowed(const struct train_speed *speed) {
  const double time = speed->update_time * (double)speed->updates;
  return time > 1 && speed->processor_time < 0.5 * time;
}

static void write_estimate(const struct measurement *measurement, const elman_model_info *info,
                           const struct train_job *job) {
  enum { LABELS = 20, PARAMETER_BYTES = 4 };
  const double megabyte = 1e6;
  const elman_train_report *last = &measurement->last;
  const struct train_speed *speed = &measurement->speed;
  const double memory = peak_memory() / megabyte;
  const double file = (double)(info->parameters * PARAMETER_BYTES) / megabyte;
  const double epoch = speed->update_time * (double)last->updates;
  const double run = epoch * (double)last->epochs, limit = 3600 * job->hours;
  char text[32], epoch_time[32], run_time[64], measured_on[96];
  write_time(epoch_time, epoch);
  snprintf(run_time, sizeof run_time, "%s%s%s", write_time(text, run),
           job->train.dev_name == NULL ? "" : ", without validations",
           limit > 0 && limit < run ? "; --hours ends it earlier" : "");
  snprintf(measured_on, sizeof measured_on, " (measured in %zu update%s%s)", speed->updates,
           plural(speed->updates), is_slowed(speed) ? ", slowed by other programs" : "");
  const struct figure sizes[] = {{NULL, "training pairs", .count = &last->pairs},
                                 {NULL, "parameters", .count = &info->parameters},
                                 {NULL, "model file", .real = &file, .decimals = 1, .unit = " MB"},
                                 {NULL, "updates per epoch", .count = &last->updates},
                                 {NULL, "epochs", .count = &last->epochs},
                                 {0}};
  const struct figure memory_used[] = {
      {NULL, "memory", .real = &memory, .decimals = 0,
       .unit = " MB so far; longer sentences and validations need more"},
      {0}};
  const struct figure times[] = {{NULL, "time per epoch", .text = epoch_time, .unit = measured_on},
                                 {NULL, "time of the run", .text = run_time},
                                 {0}};
  struct json people = {.stream = stdout, .labels = LABELS};
  figures_write(&people, sizes);
  if (memory > 0) figures_write(&people, memory_used);
  if (speed->updates > 0) figures_write(&people, times);
  write_measured(&people, job->preset.name);
}

int train_estimate(elman_model *model, elman_pairs **pairs, const elman_pairs *dev,
                   const struct train_job *job) {
  struct measurement measurement = {.speed = {0}};
  elman_train_options options = job->train;
  elman_error error;
  options.dev = dev;
  options.checkpoint = options.output = NULL;
  options.keep_last = 0;
  options.report = on_update;
  options.context = &measurement;
  interrupt_catch_first();
  const elman_status status = elman_train_and_free_pairs(model, pairs, &options, &error);
  if (status != ELMAN_OK && status != ELMAN_INTERRUPTED) return report_error(&error);
  if (interrupt_signal() != 0) return 128 + interrupt_signal();
  if (!group_leads()) return EX_OK;
  const elman_model_info info = elman_model_get_info(model);
  write_estimate(&measurement, &info, job);
  return output_end(EX_OK);
}
