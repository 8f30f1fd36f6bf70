/* The address of a host to listen at. */
#ifndef ELMAN_CLI_HOST_H
#define ELMAN_CLI_HOST_H

#include <stdbool.h>
#include <sys/socket.h>

/* Write the address of a host and a port, which is a number. `size` is the size of the place, and
 * becomes that of the address. Return an exit code; print a message about `text`, what the user has
 * written, if it is not 0. */
int host_find(struct sockaddr *address, socklen_t *size, const char *host, const char *port,
              bool is_ipv6, const char *text);

#endif
