#include "serve/service.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "attention/playground.h"
#include "console/messages.h"
#include "serve/http.h"
#include "serve/listen.h"
#include "serve/log.h"
#include "serve/microhttpd.h"

/* Models and tokens that a thread loads while the service continues. */
struct reload {
  pthread_t thread;
  bool runs;
  const struct serve_job *job;
  struct model_set models;
  struct client_tokens tokens;
  int code;
  int wake; /* eventfd, written when the thread is done */
  atomic_bool is_done;
};

struct service {
  const struct serve_job *job;
  struct model_set models;
  struct client_tokens tokens;
  struct listeners listeners;
  struct http http;
  struct reload reload;
  int signals, wake;
  bool again; /* SIGHUP came during a reload: reload again */
  bool ending;
  double ended; /* time of the signal that ends the service */
};

/* ---- models and tokens ---- */

/* Translate a word with each model, so that a model that cannot translate is found now, and so that
 * the first request is not slower than others. */
static int try_models(const struct model_set *models) {
  for (size_t i = 0; i < models->count; i++) {
    const struct served_model *model = models->models[i];
    elman_translator *translator;
    elman_translation *translation = NULL;
    elman_error error;
    elman_status status = elman_translator_create(&translator, model->model, &error);
    if (status == ELMAN_OK) {
      status = elman_translate(&translation, translator, "a", 1, &model->search, &error);
      elman_translation_free(translation);
      elman_translator_free(translator);
    }
    if (status == ELMAN_OK) continue;
    report(model->path, "%s", error.message);
    return exit_code_of(error.code);
  }
  return EX_OK;
}

static int load(struct model_set *models, struct client_tokens *tokens,
                const struct serve_job *job) {
  tokens->count = 0;
  const struct serve_settings *settings = &job->settings;
  int code =
      model_set_load(models, &job->models, settings->precision_given ? &settings->precision : NULL);
  if (code == EX_OK) code = try_models(models);
  if (code == EX_OK && job->tokens != NULL) code = tokens_read(tokens, job->tokens);
  if (code != EX_OK) model_set_retire(models);
  return code;
}

/* Report a model that no request reaches by its languages. */
static void note_hidden(const struct model_set *models, const struct served_model *model) {
  const struct served_model *first = model_set_for(models, model->languages[ELMAN_SOURCE].code,
                                                   model->languages[ELMAN_TARGET].code);
  if (first != model)
    note("model %s: only for requests that name it; other requests from %s to %s use %s",
         model->name, model->languages[ELMAN_SOURCE].code, model->languages[ELMAN_TARGET].code,
         first->name);
}

static void note_models(const struct model_set *models) {
  for (size_t i = 0; i < models->count; i++) note_hidden(models, models->models[i]);
  for (size_t i = 0; i < models->count; i++)
    note("model %s: %s, from %s to %s, beam size %zu, precision %s", models->models[i]->name,
         models->models[i]->path, models->models[i]->languages[ELMAN_SOURCE].code,
         models->models[i]->languages[ELMAN_TARGET].code, models->models[i]->search.beam,
         elman_precision_name(models->models[i]->search.precision));
}

static void *run_reload(void *argument) {
  struct reload *reload = argument;
  reload->code = load(&reload->models, &reload->tokens, reload->job);
  atomic_store(&reload->is_done, true);
  wake_by(reload->wake);
  return NULL;
}

static void begin_reload(struct service *service) {
  struct reload *reload = &service->reload;
  if (reload->runs) {
    service->again = true;
    return;
  }
  atomic_store(&reload->is_done, false);
  const int problem = pthread_create(&reload->thread, NULL, run_reload, reload);
  reload->runs = problem == 0;
  if (problem == 0) return;
  errno = problem;
  report("serve", "cannot reload the models: %m");
  service->http.counts.failed_reloads++;
}

/* Use the loaded models for new requests. Current requests keep the old ones. */
static void finish_reload(struct service *service) {
  struct reload *reload = &service->reload;
  if (!reload->runs || !atomic_load(&reload->is_done)) return;
  pthread_join(reload->thread, NULL);
  reload->runs = false;
  if (reload->code == EX_OK) {
    struct model_set old = service->models;
    service->models = reload->models;
    tokens_replace(&service->tokens, &reload->tokens);
    model_set_retire(&old);
    queue_forget_models(service->http.queue);
    service->http.counts.reloads++;
    note("reloaded the models");
    note_models(&service->models);
  } else {
    report("serve", "the reload failed; the service continues with the old models and tokens");
    service->http.counts.failed_reloads++;
  }
  if (service->again && !service->ending) begin_reload(service);
  service->again = false;
}

/* ---- the page ---- */

/* The policy of the page forbids all connections. The served page gets a policy that permits
 * connections to the service, and a mark by which the page recognizes the service. */
static int make_page(struct http *http) {
  static const char policy[] = "content=\"default-src 'none';", connect[] = " connect-src 'self';";
  static const char begin[] = "<head>\n", mark[] = "<meta name=\"elman-service\" content=\"v1\">\n";
  if (playground_head_size == 0) return EX_OK;
  const size_t most = playground_head_size + playground_tail_size + sizeof connect + sizeof mark;
  char *page = malloc(most), *at = page;
  if (page == NULL) return report_no_memory();
  const char *head = (const char *)playground_head, *end = head + playground_head_size;
  const char *first = memmem(head, playground_head_size, begin, sizeof begin - 1);
  const char *second = memmem(head, playground_head_size, policy, sizeof policy - 1);
  if (first != NULL && second > first) {
    first += sizeof begin - 1;
    second += sizeof policy - 1;
    at = mempcpy(at, head, (size_t)(first - head));
    at = mempcpy(at, mark, sizeof mark - 1);
    at = mempcpy(at, first, (size_t)(second - first));
    at = mempcpy(at, connect, sizeof connect - 1);
    head = second;
  }
  at = mempcpy(at, head, (size_t)(end - head));
  at = mempcpy(at, playground_tail, playground_tail_size);
  http->page = page;
  http->page_size = (size_t)(at - page);
  return EX_OK;
}

/* ---- signals ---- */

/* Signals within this number of seconds count as one. */
static const double REPETITION = 0.5;

static void read_signals(struct service *service) {
  struct signalfd_siginfo info;
  while (read(service->signals, &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGHUP) {
      if (!service->ending) begin_reload(service);
      continue;
    }
    /* timeout(1) sends its signal to the program and to its process group at once. */
    if (service->ending && now() - service->ended < REPETITION) continue;
    if (service->ending) { /* a second signal ends the program */
      signal((int)info.ssi_signo, SIG_DFL);
      sigset_t set;
      sigemptyset(&set);
      sigaddset(&set, (int)info.ssi_signo);
      (void)raise((int)info.ssi_signo);
      pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    }
    service->ending = true;
    service->ended = now();
    note("ending after the current requests");
    manager_notify("STOPPING=1");
  }
}

static sigset_t signals_of(const int *numbers) {
  sigset_t set;
  sigemptyset(&set);
  for (; *numbers != 0; numbers++) sigaddset(&set, *numbers);
  return set;
}

/* Until the service runs, SIGINT and SIGTERM end the program, but SIGHUP waits. */
static void hold_reload(void) {
  const sigset_t set = signals_of((const int[]){SIGHUP, 0});
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* When the service does not run any more, SIGINT and SIGTERM end the program again. */
static void let_end(void) {
  const sigset_t set = signals_of((const int[]){SIGINT, SIGTERM, 0});
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Block the signals, so that only read_signals takes them. Threads inherit the mask. */
static int open_signals(struct service *service) {
  const sigset_t set = signals_of((const int[]){SIGINT, SIGTERM, SIGHUP, 0});
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  service->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  service->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  service->reload.wake = service->wake;
  if (service->signals >= 0 && service->wake >= 0) return EX_OK;
  report("serve", "cannot start: %m");
  return EX_OSERR;
}

/* ---- the loop ---- */

static void accept_all(struct service *service, int listener) {
  struct sockaddr_storage address;
  for (;;) {
    socklen_t size = sizeof address;
    const int socket =
        accept4(listener, (struct sockaddr *)&address, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket >= 0)
      http_accept(&service->http, socket, (struct sockaddr *)&address, size);
    else if (errno == EAGAIN || errno == EWOULDBLOCK)
      return;
    else if (errno != EINTR && errno != ECONNABORTED) {
      usleep(1000); /* wait until another connection is closed and frees a descriptor or memory */
      return;
    }
  }
}

/* Accept no more connections than those that wait already. */
static void end_listening(struct service *service) {
  for (size_t i = 0; i < service->listeners.count; i++)
    accept_all(service, service->listeners.sockets[i]);
  listeners_close(&service->listeners);
}

static void clear(int descriptor) {
  uint64_t count;
  while (read(descriptor, &count, sizeof count) < 0 && errno == EINTR) continue;
}

/* Serve until a signal comes and all current requests are answered. */
static void run(struct service *service) {
  enum { SIGNALS, WAKE, HTTP, LISTENERS, TICK = 1000, TICK_AT_END = 100 };
  struct pollfd polled[LISTENERS + MAX_LISTENERS];
  struct http *http = &service->http;
  double checked = now();
  polled[SIGNALS] = (struct pollfd){.fd = service->signals, .events = POLLIN};
  polled[WAKE] = (struct pollfd){.fd = service->wake, .events = POLLIN};
  polled[HTTP] = (struct pollfd){.fd = http_descriptor(http), .events = POLLIN};
  for (size_t i = 0; i < service->listeners.count; i++)
    polled[LISTENERS + i] = (struct pollfd){.fd = service->listeners.sockets[i], .events = POLLIN};
  for (bool over = false; !over;) {
    const int tick = service->ending ? TICK_AT_END : TICK, patience = http_patience(http);
    const nfds_t count = LISTENERS + (nfds_t)service->listeners.count;
    const int ready = poll(polled, count, patience >= 0 && patience < tick ? patience : tick);
    if (ready < 0) { /* no descriptor was checked */
      if (errno != EINTR) usleep(1000);
      continue;
    }
    if (polled[SIGNALS].revents != 0) read_signals(service);
    for (size_t i = LISTENERS; i < count; i++)
      if (polled[i].revents != 0) accept_all(service, polled[i].fd);
    if (polled[WAKE].revents != 0) {
      clear(service->wake);
      http_collect(http);
    }
    http_run(http);
    finish_reload(service);
    if (now() - checked >= TICK / 1000.0) {
      checked = now();
      http_check_times(http);
    }
    if (!service->ending) continue;
    end_listening(service);
    over = http_drain(http);
  }
}

/* ---- start and end ---- */

/* Make sure that the process may open a descriptor for each connection. */
static int reserve_descriptors(const struct serve_settings *settings) {
  enum { OTHERS = 64 };
  const rlim_t needed = settings->max_connections + 64 + OTHERS;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return EX_OK;
  limit.rlim_cur = needed;
  if (limit.rlim_max >= needed && setrlimit(RLIMIT_NOFILE, &limit) == 0) return EX_OK;
  report("serve",
         "--max-connections %zu needs %zu open files, but the limit is %zu; raise it (ulimit -n)",
         settings->max_connections, (size_t)needed, (size_t)limit.rlim_max);
  return EX_OSERR;
}

static int check_access(const struct service *service) {
  const struct serve_job *job = service->job;
  if (service->listeners.local || job->tokens != NULL || job->open) return EX_OK;
  return report_usage("serve",
                      "other machines can connect to %s; give --token FILE, or --open to serve "
                      "everybody who can connect",
                      service->listeners.names[0]);
}

/* Report errno of a thread that cannot be created. */
static int report_threads(void) {
  report("serve", "cannot start the threads: %m; memory or the number of threads is limited "
                  "(ulimit -v, ulimit -u)");
  return EX_OSERR;
}

static int start_http(struct service *service) {
  struct http *http = &service->http;
  http->settings = &service->job->settings;
  http->models = &service->models;
  http->tokens = &service->tokens;
  http->reader = reader_start(http->settings, service->wake);
  if (http->reader != NULL) http->queue = queue_start(http->settings, service->wake);
  return http->queue == NULL ? report_threads() : http_start(http);
}

static int start_log(void) {
  errno = log_start();
  return errno == 0 ? EX_OK : report_threads();
}

static int serve(struct service *service) {
  hold_reload();
  int code = microhttpd_load();
  if (code == EX_OK) code = reserve_descriptors(&service->job->settings);
  if (code == EX_OK) code = listeners_open(&service->listeners, service->job->listen);
  if (code == EX_OK) code = check_access(service);
  if (code == EX_OK) code = load(&service->models, &service->tokens, service->job);
  if (code == EX_OK) code = make_page(&service->http);
  if (code == EX_OK) code = open_signals(service);
  if (code == EX_OK) code = start_http(service);
  if (code == EX_OK) code = start_log();
  if (code != EX_OK) return code;
  note_models(&service->models);
  for (size_t i = 0; i < service->listeners.count; i++)
    note("listening at %s", service->listeners.names[i]);
  manager_notify("READY=1");
  run(service);
  log_end();
  return EX_OK;
}

/* Return whether the thread that reloads has ended. It may wait for a file system. */
static bool end_reload(struct reload *reload) {
  enum { PATIENCE = 2 };
  struct timespec until;
  if (!reload->runs) return true;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += PATIENCE;
  if (pthread_timedjoin_np(reload->thread, NULL, &until) != 0) return false;
  if (reload->code == EX_OK) model_set_retire(&reload->models);
  return true;
}

static void clean_up(struct service *service) {
  let_end();
  listeners_close(&service->listeners);
  if (!end_reload(&service->reload))
    _exit(EX_OK); /* the thread of the reload still uses the paths of the models */
  if (service->http.daemon != NULL) http_stop(&service->http);
  reader_end(service->http.reader);
  if (service->http.queue != NULL) queue_end(service->http.queue);
  free((char *)service->http.page);
  model_set_retire(&service->models);
  if (service->signals >= 0) close(service->signals);
  if (service->wake >= 0) close(service->wake);
}

int service_run(const struct serve_job *job) {
  struct service service = {.job = job, .signals = -1, .wake = -1, .reload.job = job};
  const int code = serve(&service);
  clean_up(&service);
  return code;
}
