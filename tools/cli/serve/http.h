/* HTTP: connections, limits and routes, by libmicrohttpd. One thread, the main thread, does all of
 * it. A request that waits for its translation is suspended. */
#ifndef ELMAN_CLI_HTTP_H
#define ELMAN_CLI_HTTP_H

#include <sys/socket.h>

#include "serve/exchange.h"
#include "serve/reader.h"

/* Start libmicrohttpd. The caller has set the fields before `draining`. Return an exit code; print
 * a message if it is not 0. */
int http_start(struct http *http);

/* Return the descriptor to poll, and the milliseconds after which to call http_run; -1 = no limit.
 */
int http_descriptor(const struct http *http);
int http_patience(const struct http *http);

/* Take over an accepted connection. */
void http_accept(struct http *http, int socket, const struct sockaddr *address, socklen_t size);

/* Do all that can be done without waiting. */
void http_run(struct http *http);

/* Admit the requests whose bodies are read, answer those whose jobs are done, and continue streams.
 * Call it after a wake of the reader or the queue. */
void http_collect(struct http *http);

/* Close connections that took too long. Call it every second. */
void http_check_times(struct http *http);

/* Finish the current requests: close idle connections. Call it repeatedly. Return whether no
 * connection is left. */
bool http_drain(struct http *http);

/* Close all connections. All jobs must be done. */
void http_stop(struct http *http);

#endif
