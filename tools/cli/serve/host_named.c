/* Names of hosts, by the C library. */
#include <netdb.h>
#include <string.h>
#include <sysexits.h>

#include "console/messages.h"
#include "serve/host.h"

int host_find(struct sockaddr *address, socklen_t *size, const char *host, const char *port,
              bool is_ipv6, const char *text) {
  const struct addrinfo hints = {.ai_family = is_ipv6 ? AF_INET6 : AF_UNSPEC,
                                 .ai_socktype = SOCK_STREAM,
                                 .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
  struct addrinfo *found = NULL;
  const int problem = getaddrinfo(host, port, &hints, &found);
  if (problem != 0) {
    report(text, "cannot find the address: %s", gai_strerror(problem));
    return problem == EAI_MEMORY ? EX_OSERR : EX_NOHOST;
  }
  memcpy(address, found->ai_addr, found->ai_addrlen);
  *size = found->ai_addrlen;
  freeaddrinfo(found);
  return EX_OK;
}
