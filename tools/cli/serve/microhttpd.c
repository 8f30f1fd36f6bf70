#include "serve/microhttpd.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "serve/body.h"

struct microhttpd mhd;

/* ---- bytes that arrive ---- */

/* libmicrohttpd has no option to see the bytes of a request. But it receives them by recv, and the
 * linker prefers the definition of recv in the program to that of the C library. If libmicrohttpd
 * receives bytes in another way, no head is complete, and exchange.c refuses all requests. */

static struct request_head **heads; /* (head_capacity): by socket */
static size_t head_capacity;

void watch_socket(int socket, struct request_head *head) {
  const size_t place = socket < 0 ? SIZE_MAX : (size_t)socket;
  if (place >= head_capacity) {
    if (head == NULL || place == SIZE_MAX) return;
    struct request_head **grown = reallocarray(heads, place + 64, sizeof(struct request_head *));
    if (grown == NULL) return; /* the requests of the connection are refused */
    memset(grown + head_capacity, 0, (place + 64 - head_capacity) * sizeof(struct request_head *));
    heads = grown;
    head_capacity = place + 64;
  }
  heads[place] = head;
}

/* Only the main thread receives from sockets that are watched. */
ssize_t receive_and_scan(int socket, void *bytes, size_t size, int flags) {
  const ssize_t count = recvfrom(socket, bytes, size, flags, NULL, NULL);
  struct request_head *head = socket >= 0 && (size_t)socket < head_capacity ? heads[socket] : NULL;
  if (head != NULL && count > 0) head_scan(head, bytes, (size_t)count);
  if (head == NULL || count != 0 || size == 0 || !head->in_hand) return count;
  /* The client sends no more, but waits for its answer. The library would close the connection. */
  errno = EAGAIN;
  return -1;
}

/* ---- answers of libmicrohttpd itself ---- */

/* libmicrohttpd answers bytes that are not HTTP by itself, with a page in HTML. A client of this
 * service expects JSON, and the library has no option for that. Version 0.9.75 also sends the
 * header of some of these pages twice. But the library queues a page by its public function, and
 * the dynamic linker prefers the definition of this function in the program to that in the library;
 * cmake/microhttpd.cmake has the same effect in a static program. Therefore the definition here,
 * which the program exports, replaces the pages. If libmicrohttpd is built in another way, the
 * pages remain; the test serve_attack detects this. */

/* Only the main thread answers. */
static bool is_own;

/* Send all errors of HTTP as 400, with these exceptions. */
static const struct {
  unsigned status;
  const char *line, *reason;
} answers[] = {{TOO_LARGE, "413 Content Too Large", "the body is too large"},
               {LONG_PATH, "414 URI Too Long", "the path is too long"},
               {LARGE_HEAD, "431 Request Header Fields Too Large", "the headers are too large"},
               {0, "400 Bad Request", "the request is not valid HTTP"}};

/* Read what has arrived: the system discards the answer if a socket with unread bytes is closed. */
static void drain(int socket) {
  enum { MOST = 64 };
  char block[1 << 14];
  for (size_t i = 0; i < MOST && recv(socket, block, sizeof block, MSG_DONTWAIT) > 0; i++) continue;
}

/* Nothing precedes the answer, because earlier answers on the connection are complete. The answer
 * fits into the buffer of the socket. */
static void send_error(struct MHD_Connection *connection, unsigned status) {
  const union MHD_ConnectionInfo *info =
      mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  char body[128], text[512];
  size_t i = 0;
  if (info == NULL) return;
  while (answers[i].status != 0 && answers[i].status != status) i++;
  const int length = snprintf(body, sizeof body, "{\"error\":\"%s\"}\n", answers[i].reason);
  const int size = snprintf(text, sizeof text,
                            "HTTP/1.1 %s\r\nContent-Type: application/json; charset=utf-8\r\n"
                            "Content-Length: %d\r\nConnection: close\r\n\r\n%s",
                            answers[i].line, length, body);
  (void)send(info->connect_fd, text, (size_t)size, MSG_DONTWAIT | MSG_NOSIGNAL);
  shutdown(info->connect_fd, SHUT_WR);
  drain(info->connect_fd);
}

/* The library expects this visibility. If a response is not queued, the library closes the
 * connection. */
__attribute__((visibility("default"))) enum MHD_Result
MHD_queue_response(struct MHD_Connection *connection, unsigned status,
                   struct MHD_Response *response) {
  if (is_own) return mhd.queue_response(connection, status, response);
  send_error(connection, status);
  return MHD_NO;
}

enum MHD_Result queue_own_response(struct MHD_Connection *connection, unsigned status,
                                   struct MHD_Response *response) {
  is_own = true; /* prevents endless recursion if the function of the library calls that of the
                    program */
  const enum MHD_Result result = mhd.queue_response(connection, status, response);
  is_own = false;
  return result;
}
