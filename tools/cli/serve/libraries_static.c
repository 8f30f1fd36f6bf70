/* The libraries of a static program: libmicrohttpd is a part of it. To look up names of hosts, the
 * C library would load libraries of the system, which must have the same version; a static program
 * takes addresses only. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "console/messages.h"
#include "serve/listen.h"
#include "serve/microhttpd.h"

int host_find(struct sockaddr *address, socklen_t *size, const char *host, const char *port,
              bool is_ipv6, const char *text) {
  const in_port_t number = htons((in_port_t)atoi(port));
  struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_port = number};
  struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6, .sin6_port = number};
  if (strcmp(host, "localhost") == 0) host = is_ipv6 ? "::1" : "127.0.0.1";
  if (inet_pton(is_ipv6 ? AF_INET6 : AF_INET, host,
                is_ipv6 ? (void *)&ipv6.sin6_addr : (void *)&ipv4.sin_addr) != 1) {
    report(text,
           "'%s' is not an address, and this program cannot look up host names; give an address, "
           "such as 127.0.0.1 or [::1]",
           host);
    return EX_NOHOST;
  }
  *size = is_ipv6 ? sizeof ipv6 : sizeof ipv4;
  memcpy(address, is_ipv6 ? (void *)&ipv6 : (void *)&ipv4, *size);
  return EX_OK;
}

/* MHD_queue_response of the library, which cmake/microhttpd.cmake renames. */
enum MHD_Result MHD_queue_response_of_library(struct MHD_Connection *connection, unsigned status,
                                              struct MHD_Response *response);

int microhttpd_load(void) {
#define SET(name) mhd.name = MHD_##name;
  MICROHTTPD_FUNCTIONS(SET)
#undef SET
  mhd.queue_response = MHD_queue_response_of_library;
  return EX_OK;
}
