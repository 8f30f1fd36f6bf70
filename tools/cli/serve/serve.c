/* elman serve */
#include <sched.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "commands.h"
#include "input/model_input.h"
#include "input/search_options.h"
#include "options/command_line.h"
#include "serve/guard.h"
#include "serve/listen.h"
#include "serve/served_models.h"
#include "serve/service.h"

static const char *log_name(size_t index) {
  static const char *const names[] = {"none", "requests", "texts"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static size_t count_cores(void) {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) return (size_t)CPU_COUNT(&usable);
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online < 1 ? 1 : (size_t)online;
}

/* Refuse names that no Host or Origin can equal, so that none is ignored. Return an exit code. */
static int check_names(const struct serve_job *job) {
  for (size_t i = 0; i < job->hosts.count; i++) {
    const char *host = job->hosts.words[i];
    const bool bare = strchr(host, ':') != NULL && host[0] != '['; /* IPv6 */
    if (host_is_address(host))
      return report_usage("serve",
                          "--host: '%s' is an address, and addresses are always permitted; to "
                          "listen at it, give '--listen %s%s%s:8080'",
                          host, bare ? "[" : "", host, bare ? "]" : "");
  }
  for (size_t i = 0; i < job->hosts.count; i++)
    if (!host_is_name(job->hosts.words[i]))
      return report_usage("serve",
                          "--host: '%s' is not a host name, such as translate.example.org; give "
                          "the name without a port",
                          job->hosts.words[i]);
  for (size_t i = 0; i < job->origins.count; i++)
    if (!origin_is_complete(job->origins.words[i]))
      return report_usage("serve",
                          "--origin: '%s' is not SCHEME://HOST or SCHEME://HOST:PORT without a "
                          "path, such as https://example.org",
                          job->origins.words[i]);
  return EX_OK;
}

static void complete(struct serve_job *job) {
  struct serve_settings *settings = &job->settings;
  if (settings->threads == 0) settings->threads = count_cores();
  settings->hosts = job->hosts.words;
  settings->host_count = job->hosts.count;
  settings->origins = job->origins.words;
  settings->origin_count = job->origins.count;
  settings->log_requests = strcmp(job->log, "none") != 0;
  settings->log_texts = strcmp(job->log, "texts") == 0;
}

static const struct serve_settings defaults = {.batch_wait = 1,
                                               .max_body = (size_t)1 << 20,
                                               .max_sentences = 256,
                                               .max_tokens = 500,
                                               .max_output = 1000,
                                               .max_beam = 16,
                                               .max_queue = 1024,
                                               .max_connections = 256,
                                               .timeout = 30};

int serve_command(int argc, char **argv) {
  struct serve_job job = {.log = "none", .settings = defaults};
  struct serve_settings *settings = &job.settings;
  const struct option options[] = {
      {"model", 'm', "[NAME=]FILE", "model to serve; repeat for more languages", DEFAULT_MODEL,
       .group = "Input", .list = &job.models, .most = MAX_SERVED},
      PRECISION_OPTION(*settings),
      {"listen", 0, "ADDRESS", "HOST:PORT, PORT or unix:PATH; port 0 is a free port",
       DEFAULT_ADDRESS, .group = "Access", .text = &job.listen},
      {"token", 0, "FILE",
       "file of tokens, one per line; only a client that sends one of them gets translations",
       "no tokens", .group = "Access", .text = &job.tokens, .use = FILE_IS_READ},
      {"open", 0, NULL, "serve every client that can connect, without --token", .group = "Access",
       .flag = &job.open},
      {"host", 0, "NAME", "host name by which clients reach the service, besides localhost",
       .group = "Access", .list = &job.hosts, .most = MAX_LISTED},
      {"origin", 0, "ORIGIN",
       "origin of web pages that may use the service, such as https://example.org",
       .group = "Access", .list = &job.origins, .most = MAX_LISTED},
      {"batch-wait", 0, "MS", "milliseconds for which a batch waits for other requests",
       .group = "Limits", .count = &settings->batch_wait, .most = 1000},
      {"timeout", 0, "SECONDS",
       "time limit for receiving a request, for translating it, and for sending the answer",
       .group = "Limits", .count = &settings->timeout, .least = 1, .most = 3600},
      {"max-body", 0, "BYTES", "maximum size of a request", .group = "Limits",
       .count = &settings->max_body, .least = 1, .most = (size_t)1 << 30},
      {"max-sentences", 0, "N", "maximum sentences of a request", .group = "Limits",
       .count = &settings->max_sentences, .least = 1, .most = 100000},
      {"max-tokens", 0, "N",
       "maximum tokens of a sentence, and of a whole text if the client requests its attention",
       .group = "Limits", .count = &settings->max_tokens, .least = 1, .most = 5000},
      {"max-output", 0, "N", "maximum tokens of a translation, reference or prefix",
       .group = "Limits", .count = &settings->max_output, .least = 1, .most = 10000},
      {"max-beam", 0, "N", "maximum beam size that a request may choose", .group = "Limits",
       .count = &settings->max_beam, .least = 1, .most = ELMAN_MAX_BEAM},
      {"max-queue", 0, "N", "maximum sentences waiting or being translated", .group = "Limits",
       .count = &settings->max_queue, .least = 1, .most = 1000000},
      {"max-client", 0, "N",
       "maximum sentences of one client waiting or being translated; 0 = no limit",
       .group = "Limits", .count = &settings->max_client, .most = 1000000},
      {"max-connections", 0, "N", "maximum open connections", .group = "Limits",
       .count = &settings->max_connections, .least = 1, .most = 100000},
      {"log", 0, "WHAT", "log of requests on standard error", .group = "Output", .text = &job.log,
       .choice = log_name},
      THREADS_OPTION(settings->threads),
      QUIET_OPTION("no messages except errors and the log"),
      {0}};
  const struct rule rules[] = {{"ARGUMENT", "", "unexpected '%s'; name the model with -m FILE"},
                               {"open", "token", "--open and --token cannot be combined"},
                               {0}};
  const struct usage usage = {
      "serve",
      "[options]",
      "Serves translations over HTTP. POST /translate works as in LibreTranslate.\n"
      "POST /v1/translations also returns scores, tokens and attention. GET / is the\n"
      "playground, if the build contains it. SIGHUP reloads the models; SIGTERM ends the\n"
      "service after the current requests.",
      options,
      rules,
      .reads_operands = false};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  code = check_names(&job);
  settings->precision_given = option_given(&usage, &operands, "precision");
  if (code != EX_OK) return code;
  complete(&job);
  return service_run(&job);
}
