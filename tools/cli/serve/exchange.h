/* An exchange: a request and its answer. This module reads requests and refuses those that the
 * service does not admit; http.c answers. */
#ifndef ELMAN_CLI_EXCHANGE_H
#define ELMAN_CLI_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "serve/guard.h"
#include "serve/head.h"
#include "serve/metrics.h"
#include "serve/microhttpd.h"

struct MHD_Daemon;

/* The service, as far as its connections share it. */
struct http {
  const struct serve_settings *settings;
  const struct model_set *models;
  struct reader *reader;
  struct queue *queue;
  struct client_tokens *tokens;
  const char *page; /* the page of GET /; NULL = none */
  size_t page_size;
  bool draining; /* the service ends: every answer closes its connection */

  struct MHD_Daemon *daemon;
  struct link *links; /* open connections */
  size_t link_count, receiving, streams;
  double drained; /* time at which draining began */
  struct http_counts counts;
};

/* While a connection is received or sent, it has a deadline; while its request is translated, the
 * job has one. */
enum phase { RECEIVING, WORKING, SENDING };

/* A connection of a client. */
struct link {
  struct link *next, **place;
  int socket;
  enum phase phase;
  double since;         /* time at which the phase began */
  struct client client; /* client by its address, until its token is known */
  struct request_head head;
  size_t requests; /* requests that libmicrohttpd has found */
  bool excess;     /* there are too many connections: refuse the request */
  bool is_shut;    /* no more bytes are received or sent */
  struct exchange *exchange;
};

struct exchange;

/* A path that the service answers. */
struct route {
  const char *path;
  enum MHD_Result (*answer)(struct exchange *exchange); /* called after the body has arrived */
  bool is_post;
  bool is_open;           /* needs no token */
  enum request_kind kind; /* kind of a POST request */
};

/* The routes, until a row without a path. http.c defines them with their answers. */
extern const struct route routes[];

/* A request and its answer. */
struct exchange {
  struct client client;
  bool authorized; /* the client has a token, or needs none */
  struct http *http;
  struct link *link;
  struct MHD_Connection *connection;
  const struct route *route; /* NULL = none */
  bool preflight;            /* a browser asks whether another origin may send the request */
  enum body_type type;
  const char *origin; /* other origin that may read the answer; NULL = none */
  char *body;
  size_t size, capacity;
  size_t discarded; /* bytes of the body beyond the limit */
  struct problem problem;
  struct job *job;
  bool admitted;  /* the job is in the queue */
  bool job_done;  /* the job has left the reader and the queue */
  bool streaming; /* the answer is a stream of events, which has begun if sends_events */
  bool sends_events;
  bool waiting; /* suspended */
  bool is_page; /* the answer is the page */
  bool closes;  /* the answer closes the connection */
  unsigned status;
  double begun;
  const char *method;
  char path[96];
};

/* Accept the token of a request, from its header or body. If there is no valid token, set the
 * problem. */
bool exchange_authorize(struct exchange *exchange, const char *token, const char *fault);

/* Begin with a request, whose headers have arrived. Set the problem of a request that is refused.
 * Return whether to read the body. */
bool exchange_begin(struct exchange *exchange, const char *path, const char *version);

/* Read bytes of the body, and set *size to 0. Return MHD_NO to close the connection. */
enum MHD_Result exchange_receive(struct exchange *exchange, const char *bytes, size_t *size);

#endif
