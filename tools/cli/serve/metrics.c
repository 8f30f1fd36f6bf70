#include "serve/metrics.h"

#include <inttypes.h>

#include "elman.h"

const double time_bounds[TIME_BUCKETS] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                          0.1,   0.25,   0.5,   1,    2.5,   10};

static void print_head(FILE *stream, const char *name, const char *type, const char *help) {
  fprintf(stream, "# HELP elman_%s %s\n# TYPE elman_%s %s\n", name, help, name, type);
}

static void print_count(FILE *stream, const char *name, const char *type, const char *help,
                        uint64_t value) {
  print_head(stream, name, type, help);
  fprintf(stream, "elman_%s %" PRIu64 "\n", name, value);
}

static void print_requests(FILE *stream, const struct http_counts *counts) {
  static const char *const refused[] = {"413", "429", "503"};
  print_head(stream, "requests_total", "counter", "Answered requests by class of status.");
  for (size_t class = 2; class < STATUS_CLASSES; class ++)
    fprintf(stream, "elman_requests_total{class=\"%zuxx\"} %" PRIu64 "\n", class,
            counts->by_class[class]);
  print_count(stream, "requests_aborted_total", "counter",
              "Requests whose connection ended before the answer.", counts->by_class[0]);
  print_head(stream, "refused_total", "counter", "Requests that exceeded a limit, by status.");
  for (size_t i = 0; i < 3; i++)
    fprintf(stream, "elman_refused_total{status=\"%s\"} %" PRIu64 "\n", refused[i],
            counts->refused[i]);
}

static void print_durations(FILE *stream, const struct http_counts *counts) {
  uint64_t sum = 0;
  print_head(stream, "request_seconds", "histogram", "Duration of translated requests.");
  for (size_t i = 0; i < TIME_BUCKETS; i++) {
    sum += counts->times[i];
    fprintf(stream, "elman_request_seconds_bucket{le=\"%g\"} %" PRIu64 "\n", time_bounds[i], sum);
  }
  sum += counts->times[TIME_BUCKETS];
  fprintf(stream,
          "elman_request_seconds_bucket{le=\"+Inf\"} %" PRIu64 "\nelman_request_seconds_sum %.9g\n"
          "elman_request_seconds_count %" PRIu64 "\n",
          sum, counts->seconds, sum);
}

static void print_translation(FILE *stream, const struct job_counts *jobs) {
  print_count(stream, "sentences_total", "counter", "Translated sentences.", jobs->sentences);
  print_count(stream, "tokens_total", "counter", "Target tokens.", jobs->tokens);
  print_count(stream, "batches_total", "counter", "Batches.", jobs->batches);
  print_head(stream, "translation_seconds_total", "counter",
             "Time of translation, summed over threads.");
  fprintf(stream, "elman_translation_seconds_total %.9g\n", jobs->seconds);
  print_count(stream, "sentences_waiting", "gauge", "Sentences in the queue.", jobs->waiting);
  print_count(stream, "sentences_running", "gauge", "Sentences that are translated at present.",
              jobs->running);
}

struct answer metrics_text(const struct http_counts *counts, const struct job_counts *jobs,
                           size_t open, size_t models) {
  struct answer answer;
  FILE *stream = answer_begin(&answer);
  if (stream == NULL) return (struct answer){0};
  print_head(stream, "info", "gauge", "Version of elman.");
  fprintf(stream, "elman_info{version=\"%s\"} 1\n", elman_version());
  print_requests(stream, counts);
  print_durations(stream, counts);
  print_translation(stream, jobs);
  print_count(stream, "connections_total", "counter", "Accepted connections.", counts->connections);
  print_count(stream, "connections", "gauge", "Open connections.", open);
  print_count(stream, "connections_evicted_total", "counter",
              "Idle connections that were closed to make room.", counts->evicted);
  print_count(stream, "connections_slow_total", "counter",
              "Connections that were closed after their time limit.", counts->slow);
  print_count(stream, "reloads_total", "counter", "Reloads of the models.", counts->reloads);
  print_count(stream, "reloads_failed_total", "counter", "Reloads that failed and kept the models.",
              counts->failed_reloads);
  print_count(stream, "models", "gauge", "Served models.", models);
  print_count(stream, "models_in_memory", "gauge",
              "Served models, and replaced ones that are still in use.", served_models_in_memory());
  return answer_end(stream, &answer);
}
