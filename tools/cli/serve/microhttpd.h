/* libmicrohttpd. The shared library is loaded when the service starts, because it loads a dozen
 * further libraries, which other commands do not need. */
#ifndef ELMAN_CLI_MICROHTTPD_H
#define ELMAN_CLI_MICROHTTPD_H

#include <microhttpd.h>

#include "serve/head.h"

/* The functions in use, without MHD_. */
#define MICROHTTPD_FUNCTIONS(ROW)                                                                  \
  ROW(start_daemon)                                                                                \
  ROW(stop_daemon)                                                                                 \
  ROW(run_wait)                                                                                    \
  ROW(get_daemon_info)                                                                             \
  ROW(get_timeout)                                                                                 \
  ROW(add_connection)                                                                              \
  ROW(get_connection_info)                                                                         \
  ROW(get_connection_values)                                                                       \
  ROW(lookup_connection_value)                                                                     \
  ROW(suspend_connection)                                                                          \
  ROW(resume_connection)                                                                           \
  ROW(create_response_from_buffer)                                                                 \
  ROW(create_response_from_callback)                                                               \
  ROW(add_response_header)                                                                         \
  ROW(queue_response)                                                                              \
  ROW(destroy_response)

struct microhttpd {
#define FIELD(name) __typeof__(MHD_##name) *name;
  MICROHTTPD_FUNCTIONS(FIELD)
#undef FIELD
};

/* Set by microhttpd_load. */
extern struct microhttpd mhd;

/* Fill `mhd`. Return an exit code; print a message if it is not 0. */
int microhttpd_load(void);

/* The function of the program that libmicrohttpd calls in place of recv; see microhttpd.c. Its name
 * in C differs from its name for the linker, because <sys/socket.h> can define recv as an inline
 * function. */
__attribute__((visibility("default"))) ssize_t
receive_and_scan(int socket, void *bytes, size_t size, int flags) __asm__("recv");

/* Scan the bytes that libmicrohttpd receives from this socket; NULL ends the scan. */
void watch_socket(int socket, struct request_head *head);

/* Queue an answer of this program, as MHD_queue_response does. JSON replaces the answers that the
 * library itself gives to bytes that are not HTTP. */
enum MHD_Result queue_own_response(struct MHD_Connection *connection, unsigned status,
                                   struct MHD_Response *response);

#endif
