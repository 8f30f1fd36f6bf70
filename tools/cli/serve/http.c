#include "serve/http.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sysexits.h>
#include <unistd.h>

#include "console/json_output.h"
#include "console/messages.h"
#include "serve/microhttpd.h"

/* ---- connections ---- */

static void set_phase(struct http *http, struct link *link, enum phase phase) {
  http->receiving -= link->phase == RECEIVING;
  http->receiving += phase == RECEIVING;
  link->phase = phase;
  link->head.in_hand = phase != RECEIVING;
  link->since = now();
  queue_expect(http->queue, http->receiving);
}

static void open_link(struct http *http, struct MHD_Connection *connection, void **context) {
  struct link *link = calloc(1, sizeof *link);
  *context = link;
  if (link == NULL) return; /* the first request is refused */
  const union MHD_ConnectionInfo *descriptor =
      mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  link->socket = descriptor == NULL ? -1 : descriptor->connect_fd;
  const union MHD_ConnectionInfo *info =
      mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  link->client = client_at(info == NULL ? NULL : info->client_addr);
  watch_socket(link->socket, &link->head);
  link->next = http->links;
  link->place = &http->links;
  if (link->next != NULL) link->next->place = &link->next;
  http->links = link;
  http->link_count++;
  http->counts.connections++;
  link->excess = http->link_count > http->settings->max_connections;
  link->phase = SENDING; /* so that set_phase() counts the link as one that begins to receive */
  set_phase(http, link, RECEIVING);
}

static void close_link(struct http *http, struct link *link) {
  if (link == NULL) return;
  watch_socket(link->socket, NULL);
  *link->place = link->next;
  if (link->next != NULL) link->next->place = link->place;
  http->link_count--;
  if (link->phase == RECEIVING) http->receiving--;
  queue_expect(http->queue, http->receiving);
  free(link);
}

static void on_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode code) {
  if (code == MHD_CONNECTION_NOTIFY_STARTED)
    open_link(context, connection, socket_context);
  else
    close_link(context, *socket_context);
}

/* End a connection. libmicrohttpd notices that its socket is closed and frees it. */
static void shut(struct link *link) {
  if (link->is_shut) return;
  link->is_shut = true;
  shutdown(link->socket, SHUT_RDWR);
}

/* Make room for a connection: close the one that has been sending its request for the longest
 * time. */
static void evict(struct http *http) {
  struct link *oldest = NULL;
  for (struct link *link = http->links; link != NULL; link = link->next)
    if (link->phase == RECEIVING && !link->is_shut &&
        (oldest == NULL || link->since < oldest->since))
      oldest = link;
  if (oldest == NULL) return;
  shut(oldest);
  http->counts.evicted++;
}

/* Connections beyond the limit, which get the answer 503. */
enum { SPARE_CONNECTIONS = 32 };

void http_accept(struct http *http, int socket, const struct sockaddr *address, socklen_t size) {
  const size_t most = http->settings->max_connections;
  if (http->link_count >= most) http_run(http); /* reads requests, which makes their links busy */
  if (http->link_count >= most) {
    evict(http);
    http_run(http); /* frees the closed connection */
  }
  if (http->link_count >= most + SPARE_CONNECTIONS)
    close(socket);
  else
    (void)mhd.add_connection(http->daemon, socket, address, size); /* closes it after an error */
}

/* ---- answers ---- */

static void add_header(struct MHD_Response *response, const char *name, const char *value) {
  (void)mhd.add_response_header(response, name, value);
}

static void add_headers(struct MHD_Response *response, const struct exchange *exchange,
                        const char *type) {
  add_header(response, "Content-Type", type);
  add_header(response, "X-Content-Type-Options", "nosniff");
  add_header(response, "Cache-Control", "no-store");
  add_header(response, "Referrer-Policy", "no-referrer");
  /* The page has a policy of its own, which names its script by a hash. */
  add_header(response, "Content-Security-Policy",
             exchange->is_page ? "frame-ancestors 'none'"
                               : "default-src 'none'; frame-ancestors 'none'");
  if (exchange->origin == NULL) add_header(response, "Cross-Origin-Resource-Policy", "same-origin");
  if (exchange->http->settings->origin_count > 0) add_header(response, "Vary", "Origin");
  if (exchange->origin != NULL)
    add_header(response, "Access-Control-Allow-Origin", exchange->origin);
  if (exchange->preflight) {
    add_header(response, "Access-Control-Allow-Methods", "GET, POST");
    add_header(response, "Access-Control-Allow-Headers", "Content-Type, Authorization");
    add_header(response, "Access-Control-Max-Age", "600");
  }
  if (exchange->status == UNAVAILABLE || exchange->status == TOO_MANY)
    add_header(response, "Retry-After", "1");
  if (exchange->status == UNAUTHORIZED)
    add_header(response, "WWW-Authenticate", "Bearer realm=\"elman\"");
  if (exchange->status == BAD_METHOD)
    add_header(response, "Allow", exchange->route->is_post ? "POST" : "GET, HEAD");
  if (exchange->closes || exchange->http->draining) add_header(response, "Connection", "close");
}

/* Send the response and release it. Return MHD_NO, which closes the connection, if `response` is
 * NULL. */
static enum MHD_Result send_response(struct exchange *exchange, struct MHD_Response *response,
                                     unsigned status, const char *type) {
  if (response == NULL) return MHD_NO;
  exchange->status = status;
  add_headers(response, exchange, type);
  set_phase(exchange->http, exchange->link, SENDING);
  const enum MHD_Result result = queue_own_response(exchange->connection, status, response);
  mhd.destroy_response(response);
  return result;
}

/* Send text that malloc has allocated. */
static enum MHD_Result send_answer(struct exchange *exchange, unsigned status, const char *type,
                                   struct answer answer) {
  if (answer.text == NULL) return MHD_NO;
  struct MHD_Response *response =
      mhd.create_response_from_buffer(answer.size, answer.text, MHD_RESPMEM_MUST_FREE);
  if (response == NULL) free(answer.text);
  return send_response(exchange, response, status, type);
}

static const char json_type[] = "application/json; charset=utf-8";

static enum MHD_Result send_problem(struct exchange *exchange) {
  const unsigned status = exchange->problem.status;
  struct http_counts *counts = &exchange->http->counts;
  counts->refused[0] += status == TOO_LARGE;
  counts->refused[1] += status == TOO_MANY;
  counts->refused[2] += status == UNAVAILABLE;
  return send_answer(exchange, status, json_type, answer_problem(&exchange->problem));
}

static enum MHD_Result send_languages(struct exchange *exchange) {
  return send_answer(exchange, GOOD, json_type, answer_languages(exchange->http->models));
}

static enum MHD_Result send_models(struct exchange *exchange) {
  const struct http *http = exchange->http;
  return send_answer(exchange, GOOD, json_type, answer_models(http->models, http->settings));
}

static enum MHD_Result send_health(struct exchange *exchange) {
  const struct http *http = exchange->http;
  return send_answer(exchange, http->draining ? UNAVAILABLE : GOOD, json_type,
                     answer_health(http->models, http->draining));
}

static enum MHD_Result send_metrics(struct exchange *exchange) {
  const struct http *http = exchange->http;
  const struct job_counts jobs = queue_counts(http->queue);
  return send_answer(exchange, GOOD, "text/plain; version=0.0.4; charset=utf-8",
                     metrics_text(&http->counts, &jobs, http->link_count, http->models->count));
}

static enum MHD_Result send_page(struct exchange *exchange) {
  const struct http *http = exchange->http;
  if (http->page == NULL) {
    (void)refuse(&exchange->problem, NOT_FOUND,
                 "this build has no playground; see 'elman help page'");
    return send_problem(exchange);
  }
  exchange->is_page = true;
  return send_response(
      exchange,
      mhd.create_response_from_buffer(http->page_size, (void *)http->page, MHD_RESPMEM_PERSISTENT),
      GOOD, "text/html; charset=utf-8");
}

/* ---- server-sent events ---- */

static ssize_t read_events(void *context, uint64_t position, char *into, size_t most) {
  struct exchange *exchange = context;
  bool finished;
  (void)position;
  const size_t size =
      queue_read_events(exchange->http->queue, exchange->job, into, most, &finished);
  if (size > 0) {
    if (!exchange->job_done) exchange->link->since = now();
    return (ssize_t)size;
  }
  if (finished) return MHD_CONTENT_READER_END_OF_STREAM;
  set_phase(exchange->http, exchange->link, WORKING);
  exchange->waiting = true;
  mhd.suspend_connection(exchange->connection);
  return 0;
}

static enum MHD_Result send_events(struct exchange *exchange) {
  enum { BLOCK = 4096 };
  struct MHD_Response *response =
      mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_events, exchange, NULL);
  exchange->http->streams++;
  exchange->sends_events = true;
  return send_response(exchange, response, GOOD, "text/event-stream; charset=utf-8");
}

static void resume(struct exchange *exchange) {
  exchange->waiting = false;
  set_phase(exchange->http, exchange->link, SENDING);
  mhd.resume_connection(exchange->connection);
}

/* ---- translation ---- */

/* Return the number of the client's unfinished sentences. */
static size_t sentences_of(const struct http *http, const struct client *client) {
  size_t count = 0;
  for (const struct link *link = http->links; link != NULL; link = link->next)
    if (link->exchange != NULL && link->exchange->admitted && !link->exchange->job_done &&
        clients_equal(&link->exchange->client, client))
      count += link->exchange->job->request.sentences;
  return count;
}

static bool may_submit(struct exchange *exchange, const struct request *request) {
  const struct http *http = exchange->http;
  const size_t most = http->settings->max_client, count = request->sentences;
  if (!exchange->authorized &&
      !exchange_authorize(exchange, request->token, "the api_key is not valid"))
    return false;
  if (most > 0 && count > most)
    return refuse(&exchange->problem, TOO_LARGE,
                  "the request has %zu sentences; the limit of a client is %zu", count, most);
  if (most > 0 && sentences_of(http, &exchange->client) + count > most)
    return refuse(&exchange->problem, TOO_MANY,
                  "this client has too many unfinished sentences; the limit is %zu", most);
  return true;
}

static void log_texts(const struct exchange *exchange, const struct request *request) {
  char client[CLIENT_NAME];
  if (!exchange->http->settings->log_texts) return;
  client_name(client, &exchange->client);
  for (size_t i = 0; i < request->count; i++)
    print_info("%s %s: %.*s", client, exchange->path, (int)request->pieces[i].sentence.length,
               request->pieces[i].sentence.text);
}

/* Give a job whose body is read to the queue, or set the problem of its exchange. */
static void admit(struct exchange *exchange) {
  struct job *job = exchange->job;
  if (job->problem.status != 0)
    exchange->problem = job->problem;
  else if (may_submit(exchange, &job->request)) {
    log_texts(exchange, &job->request);
    exchange->admitted = queue_submit(exchange->http->queue, job);
    if (!exchange->admitted)
      (void)refuse(&exchange->problem, UNAVAILABLE, "too many sentences wait; try again later");
  }
  exchange->job_done = !exchange->admitted;
  exchange->streaming = exchange->admitted && job->request.stream;
  if (exchange->job_done || exchange->streaming) resume(exchange);
}

/* A job is done. */
static void complete(struct exchange *exchange) {
  exchange->job_done = true;
  exchange->link->since = now(); /* the time to send what remains begins */
  if (exchange->waiting) resume(exchange);
}

static void collect(struct job *list, void (*receive)(struct exchange *exchange)) {
  for (struct job *job = list, *next; job != NULL; job = next) {
    next = job->next;
    if (job->owner == NULL)
      job_free(job);
    else
      receive(job->owner);
  }
}

void http_collect(struct http *http) {
  collect(reader_collect(http->reader), admit);
  collect(queue_collect(http->queue), complete);
  if (http->streams == 0) return;
  for (struct link *link = http->links; link != NULL; link = link->next)
    if (link->exchange != NULL && link->exchange->waiting && link->exchange->streaming)
      resume(link->exchange);
}

/* Let the reader read the body, and suspend the request. */
static enum MHD_Result submit(struct exchange *exchange) {
  struct http *http = exchange->http;
  const struct body body = {.kind = exchange->route->kind,
                            .type = exchange->type,
                            .bytes = exchange->body,
                            .size = exchange->size};
  struct job *job = job_create(&body, http->models, (double)http->settings->timeout);
  if (job == NULL) {
    (void)refuse_memory(&exchange->problem);
    return send_problem(exchange);
  }
  exchange->body = NULL;
  exchange->job = job;
  job->owner = exchange;
  set_phase(http, exchange->link, WORKING);
  exchange->waiting = true;
  mhd.suspend_connection(exchange->connection);
  reader_submit(http->reader, job);
  return MHD_YES;
}

/* Answer a request whose job has gone through reader and queue, or begin its stream. */
static enum MHD_Result send_translation(struct exchange *exchange) {
  struct job *job = exchange->job;
  if (exchange->streaming) return send_events(exchange);
  if (exchange->problem.status == 0) exchange->problem = job->problem;
  if (exchange->problem.status != 0) return send_problem(exchange);
  const struct answer answer = job->answer;
  job->answer = (struct answer){0};
  return send_answer(exchange, GOOD, json_type, answer);
}

/* ---- requests ---- */

const struct route routes[] = {
    {"/translate", submit, .is_post = true, .kind = REQUEST_TRANSLATE},
    {"/v1/translations", submit, .is_post = true, .kind = REQUEST_TRANSLATIONS},
    {"/languages", send_languages, .is_open = true},
    {"/v1/models", send_models, .is_open = false},
    {"/health", send_health, .is_open = true},
    {"/metrics", send_metrics, .is_open = false},
    {"/", send_page, .is_open = true},
    {0}};

/* libmicrohttpd calls this with the head of a request, with each part of its body, at the end of
 * the body, and again after a suspended connection is resumed, to send the answer. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *bytes, size_t *size, void **state) {
  struct http *http = context;
  struct exchange *exchange = *state;
  if (exchange == NULL) {
    const union MHD_ConnectionInfo *info =
        mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct link *link = info == NULL ? NULL : info->socket_context;
    exchange = link == NULL ? NULL : calloc(1, sizeof *exchange);
    if (exchange == NULL) return MHD_NO;
    *state = exchange;
    exchange->http = http;
    exchange->link = link;
    exchange->connection = connection;
    exchange->method = method;
    link->exchange = exchange;
    set_phase(http, link, RECEIVING); /* the time for this request begins */
    if (http->link_count <= http->settings->max_connections) link->excess = false;
    /* A body that is too large is not read, and libmicrohttpd closes the connection. */
    return exchange_begin(exchange, path, version) ? MHD_YES : send_problem(exchange);
  }
  exchange->method = method;
  if (*size > 0) return exchange_receive(exchange, bytes, size);
  if (exchange->job != NULL) return send_translation(exchange);
  if (exchange->problem.status != 0) return send_problem(exchange);
  if (exchange->preflight)
    return send_answer(exchange, NO_CONTENT, json_type, (struct answer){calloc(1, 1), 0});
  return exchange->route->answer(exchange);
}

static void count_request(const struct exchange *exchange) {
  struct http_counts *counts = &exchange->http->counts;
  const unsigned class = exchange->status / 100;
  const double seconds = now() - exchange->begun;
  if (exchange->http->settings->log_requests) {
    char client[CLIENT_NAME],
        status[16] = "aborted"; /* status of a request whose connection ends before the answer */
    client_name(client, &exchange->client);
    if (exchange->status > 0) snprintf(status, sizeof status, "%u", exchange->status);
    print_info("%s %s %s %s %.1f ms", client, exchange->method, exchange->path, status,
               1000 * seconds);
  }
  counts->by_class[class < STATUS_CLASSES ? class : 0]++;
  if (exchange->job != NULL && exchange->status == GOOD) {
    size_t bucket = 0;
    while (bucket < TIME_BUCKETS && seconds > time_bounds[bucket]) bucket++;
    counts->times[bucket]++;
    counts->seconds += seconds;
  }
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code) {
  struct http *http = context;
  struct exchange *exchange = *state;
  (void)connection;
  (void)code;
  if (exchange == NULL) return;
  count_request(exchange);
  *state = NULL;
  exchange->link->exchange = NULL;
  set_phase(http, exchange->link, RECEIVING);
  if (exchange->sends_events) http->streams--;
  if (exchange->job_done) {
    job_free(exchange->job);
  } else if (exchange->job != NULL) {
    exchange->job->owner = NULL;
    atomic_store(&exchange->job->abandoned, true);
  }
  free(exchange->body);
  free(exchange);
}

/* ---- time ---- */

/* Return whether the client has closed both directions. A client that has closed only its own
 * direction may still wait for its answer. */
static bool has_gone(const struct link *link) {
  struct pollfd descriptor = {.fd = link->socket};
  return poll(&descriptor, 1, 0) > 0 && (descriptor.revents & (POLLERR | POLLHUP)) != 0;
}

/* Return whether the client has stopped sending, and all its bytes are read. */
static bool has_ended(const struct link *link) {
  struct pollfd descriptor = {.fd = link->socket, .events = POLLRDHUP};
  int unread = 0;
  return poll(&descriptor, 1, 0) > 0 &&
         (descriptor.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0 &&
         (ioctl(link->socket, FIONREAD, &unread) != 0 || unread == 0);
}

void http_check_times(struct http *http) {
  const double time = now(), most = (double)http->settings->timeout;
  queue_expire(http->queue);
  for (struct link *link = http->links; link != NULL; link = link->next) {
    if (link->phase == WORKING) {
      if (link->exchange != NULL && link->exchange->job != NULL && has_gone(link))
        atomic_store(&link->exchange->job->abandoned, true);
    } else if (link->phase == RECEIVING && has_ended(link)) {
      shut(link); /* the request stays incomplete; libmicrohttpd may have missed the end */
    } else if (time - link->since > most && !link->is_shut) {
      shut(link);
      http->counts.slow++;
    }
  }
}

bool http_drain(struct http *http) {
  /* A client that has just received an answer may have sent the next request already. */
  static const double grace = 0.5;
  const double time = now();
  if (!http->draining) {
    http->draining = true;
    http->drained = time;
  }
  for (struct link *link = http->links; link != NULL; link = link->next) {
    const double since = link->since > http->drained ? link->since : http->drained;
    if (link->phase == RECEIVING && link->exchange == NULL && time - since > grace) shut(link);
  }
  return http->link_count == 0;
}

/* ---- start and end ---- */

/* Do not print the messages of libmicrohttpd, because they report faults of clients. */
static void ignore_message(void *context, const char *format, va_list arguments) {
  (void)context;
  (void)format;
  (void)arguments;
}

/* Leave escapes such as %00 in paths: no path of the service has any. */
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

int http_start(struct http *http) {
  enum { MEMORY = 1 << 15 };
  http->daemon = mhd.start_daemon(
      MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0,
      NULL, NULL, on_request, http, MHD_OPTION_EXTERNAL_LOGGER, ignore_message, NULL,
      MHD_OPTION_NOTIFY_COMPLETED, on_completed, http, MHD_OPTION_NOTIFY_CONNECTION, on_connection,
      http, MHD_OPTION_CONNECTION_LIMIT,
      (unsigned)(http->settings->max_connections + SPARE_CONNECTIONS + 1),
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY, MHD_OPTION_CONNECTION_TIMEOUT, 0U,
      MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
      MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
  if (http->daemon != NULL) return EX_OK;
  report("serve", "cannot start the HTTP server: %m");
  return EX_OSERR;
}

int http_descriptor(const struct http *http) {
  return mhd.get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

int http_patience(const struct http *http) {
  MHD_UNSIGNED_LONG_LONG milliseconds;
  if (mhd.get_timeout(http->daemon, &milliseconds) != MHD_YES) return -1;
  return milliseconds > 1000 ? 1000 : (int)milliseconds;
}

void http_run(struct http *http) {
  (void)mhd.run_wait(http->daemon, 0);
}

void http_stop(struct http *http) {
  mhd.stop_daemon(http->daemon);
}
