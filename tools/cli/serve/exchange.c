#include "serve/exchange.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- what is admitted ---- */

static bool check_route(struct exchange *exchange, const char *path) {
  const char *method = exchange->method;
  const struct route *route = routes;
  while (route->path != NULL && strcmp(route->path, path) != 0) route++;
  if (route->path == NULL)
    return refuse(&exchange->problem, NOT_FOUND, "there is nothing at this path");
  exchange->route = route;
  exchange->preflight = strcmp(method, MHD_HTTP_METHOD_OPTIONS) == 0 && exchange->origin != NULL;
  const bool is_post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
  const bool is_get =
      strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
  if (exchange->preflight || (route->is_post ? is_post : is_get)) return true;
  return refuse(&exchange->problem, BAD_METHOD, "the method must be %s",
                route->is_post ? "POST" : "GET");
}

static enum MHD_Result count_value(void *context, enum MHD_ValueKind kind, const char *name,
                                   const char *value) {
  (void)kind;
  (void)name;
  (void)value;
  ++*(size_t *)context;
  return MHD_YES;
}

/* Refuse a query string in the URL of a POST request: a client may expect it to have an effect. */
static bool check_query(struct exchange *exchange) {
  size_t count = 0;
  if (!exchange->route->is_post || exchange->preflight) return true;
  (void)mhd.get_connection_values(exchange->connection, MHD_GET_ARGUMENT_KIND, count_value, &count);
  return count == 0 || refuse(&exchange->problem, BAD_REQUEST,
                              "the URL has a query string; send the fields in the body");
}

static const char *header_of(const struct exchange *exchange, const char *name) {
  return mhd.lookup_connection_value(exchange->connection, MHD_HEADER_KIND, name);
}

/* Headers that must not occur twice: a proxy and the service might use different values. */
static const char *const single[] = {"Host",           "Origin",       "Authorization",
                                     "Content-Length", "Content-Type", "Transfer-Encoding"};
enum { SINGLE = sizeof single / sizeof *single, LENGTH = 3, ENCODING = 5 };

struct header_counts {
  size_t single[SINGLE];
  size_t encoded; /* encodings other than "chunked", whose end libmicrohttpd does not find */
};

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *name,
                                    const char *value) {
  struct header_counts *counts = context;
  (void)kind;
  for (size_t i = 0; i < SINGLE; i++) counts->single[i] += strcasecmp(name, single[i]) == 0;
  counts->encoded += strcasecmp(name, single[ENCODING]) == 0 &&
                     (value == NULL || strcasecmp(value, "chunked") != 0);
  return MHD_YES;
}

/* Refuse a request whose end is uncertain. */
static bool refuse_head(struct exchange *exchange, const char *reason) {
  exchange->closes = true;
  return refuse(&exchange->problem, BAD_REQUEST, "%s", reason);
}

/* Compare the requests that libmicrohttpd finds with the bytes that have arrived. */
static bool check_bytes(struct exchange *exchange) {
  const struct request_head *head = &exchange->link->head;
  if (++exchange->link->requests <= head->count) return true;
  return refuse_head(exchange, head->fault != NULL ? head->fault : "the request is not valid HTTP");
}

static bool check_headers(struct exchange *exchange, const char *version) {
  struct header_counts counts = {0};
  (void)mhd.get_connection_values(exchange->connection, MHD_HEADER_KIND, count_header, &counts);
  const char *coding = header_of(exchange, "Content-Encoding");
  if (counts.single[ENCODING] > 0 && strcmp(version, MHD_HTTP_VERSION_1_1) != 0)
    return refuse_head(exchange, "Transfer-Encoding needs HTTP/1.1");
  for (size_t i = 0; i < SINGLE; i++) {
    if (counts.single[i] <= 1) continue;
    if (i == LENGTH || i == ENCODING) exchange->closes = true;
    return refuse(&exchange->problem, BAD_REQUEST, "the request has %zu headers %s",
                  counts.single[i], single[i]);
  }
  if (counts.encoded > 0) return refuse_head(exchange, "the Transfer-Encoding must be chunked");
  if (counts.single[LENGTH] + counts.single[ENCODING] > 1)
    return refuse_head(exchange, "the request has both Content-Length and Transfer-Encoding");
  /* The end of a request with a Transfer-Encoding is not compared with its bytes. */
  exchange->closes = counts.single[ENCODING] > 0;
  return coding == NULL || strcasecmp(coding, "identity") == 0 ||
         refuse(&exchange->problem, BAD_TYPE,
                "the body has the Content-Encoding %.40s; send it uncompressed", coding);
}

/* Check Host and Origin. A request without Host comes from an HTTP/1.0 client, not from a
 * browser. */
static bool check_origin(struct exchange *exchange, const char *version) {
  const struct serve_settings *settings = exchange->http->settings;
  const char *host = header_of(exchange, "Host"), *origin = header_of(exchange, "Origin");
  if (host == NULL && strcmp(version, MHD_HTTP_VERSION_1_0) != 0)
    return refuse(&exchange->problem, BAD_REQUEST, "the header Host is missing");
  if (host != NULL && !host_is_allowed(host, settings))
    return refuse(&exchange->problem, FORBIDDEN,
                  "the host %.100s is not permitted; allow it with --host", host);
  if (origin == NULL) return true;
  const enum origin kind = origin_of(origin, host, settings);
  if (kind == ORIGIN_FOREIGN)
    return refuse(&exchange->problem, FORBIDDEN,
                  "the origin %.100s is not permitted; allow it with --origin", origin);
  if (kind == ORIGIN_LISTED) exchange->origin = origin;
  return true;
}

bool exchange_authorize(struct exchange *exchange, const char *token, const char *fault) {
  exchange->client.token = tokens_find(exchange->http->tokens, token);
  exchange->authorized = exchange->client.token > 0;
  return exchange->authorized ||
         refuse(&exchange->problem, UNAUTHORIZED, "%s",
                token == NULL ? "a token is needed: Authorization: Bearer TOKEN" : fault);
}

/* Check the token in the header. A request to /translate without one may have an api_key in its
 * body. */
static bool check_token(struct exchange *exchange) {
  const char *word = bearer_token(header_of(exchange, "Authorization"));
  exchange->authorized = exchange->http->tokens->count == 0;
  if (exchange->authorized || exchange->preflight || exchange->route->is_open ||
      (word == NULL && exchange->route->is_post && exchange->route->kind == REQUEST_TRANSLATE))
    return true;
  return exchange_authorize(exchange, word, "the token is not valid");
}

static bool refuse_body(struct exchange *exchange) {
  return refuse(&exchange->problem, TOO_LARGE,
                "the body has more than %zu bytes, the limit of this service",
                exchange->http->settings->max_body);
}

/* A client that waits for "100 Continue" has not sent its body. */
static bool awaits_answer(const struct exchange *exchange) {
  return header_of(exchange, "Expect") != NULL;
}

/* The service reads a body of up to DISCARDED times the limit before it refuses it, because a
 * client that is still sending does not read the answer. */
enum { DISCARDED = 4 };

/* Return whether to read the body. */
static bool check_size(struct exchange *exchange) {
  const char *length = header_of(exchange, "Content-Length");
  const size_t most = exchange->http->settings->max_body;
  uint64_t size;
  if (length == NULL || !parse_whole_number(length, &size) || size <= most) return true;
  (void)refuse_body(exchange);
  return size / DISCARDED <= most && !awaits_answer(exchange);
}

static bool check_load(struct exchange *exchange) {
  if (!exchange->link->excess) return true;
  exchange->closes = true;
  return refuse(&exchange->problem, UNAVAILABLE, "too many connections; try again later");
}

bool exchange_begin(struct exchange *exchange, const char *path, const char *version) {
  exchange->begun = now();
  exchange->client = exchange->link->client;
  exchange->type = body_type_of(header_of(exchange, "Content-Type"));
  snprintf(exchange->path, sizeof exchange->path, "%s", path);
  elman_clean_text(exchange->path);
  if (!check_bytes(exchange)) return false;
  if (!check_headers(exchange, version)) return !exchange->closes && !awaits_answer(exchange);
  if (!check_origin(exchange, version) || !check_route(exchange, path) || !check_query(exchange) ||
      !check_token(exchange) || !check_load(exchange))
    return !awaits_answer(exchange); /* if the client does not wait, the answer follows the body */
  return check_size(exchange);
}

/* ---- the body ---- */

enum MHD_Result exchange_receive(struct exchange *exchange, const char *bytes, size_t *size) {
  const size_t count = *size, most = exchange->http->settings->max_body;
  *size = 0;
  if (exchange->problem.status == 0 && count > most - exchange->size) (void)refuse_body(exchange);
  if (exchange->problem.status != 0) {
    exchange->discarded += count;
    return exchange->discarded / DISCARDED > most ? MHD_NO : MHD_YES;
  }
  if (count > exchange->capacity - exchange->size) {
    size_t capacity = 2 * exchange->capacity + count;
    if (capacity > most) capacity = most;
    char *body = realloc(exchange->body, capacity);
    if (body == NULL) return MHD_NO;
    exchange->body = body;
    exchange->capacity = capacity;
  }
  memcpy(exchange->body + exchange->size, bytes, count);
  exchange->size += count;
  return MHD_YES;
}
