/* Sockets on which the service listens: an address of this machine, a Unix socket, or sockets that
 * systemd has opened (socket activation). */
#ifndef ELMAN_CLI_LISTEN_H
#define ELMAN_CLI_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

enum { MAX_LISTENERS = 8, LISTENER_NAME = 160 };

struct listeners {
  int sockets[MAX_LISTENERS];
  char names[MAX_LISTENERS][LISTENER_NAME]; /* for messages: http://127.0.0.1:8080 or unix:PATH */
  size_t count;
  bool local; /* only this machine can connect */
  /* Unix socket to remove at the end if it is still the same file; NULL = none. */
  const char *path;
  dev_t device;
  ino_t inode;
};

#define DEFAULT_ADDRESS "127.0.0.1:8080"

/* Open the sockets. `address` is HOST:PORT, PORT or unix:PATH; NULL means the sockets of systemd if
 * there are any, and otherwise DEFAULT_ADDRESS. Port 0 chooses a free port. Return an exit code;
 * print a message if it is not 0. The caller must call listeners_close in either case. */
int listeners_open(struct listeners *listeners, const char *address);
void listeners_close(struct listeners *listeners);

/* Write the address of a host and a port, which is a number. *size is the room at `address`, and
 * becomes the size of the written address. Return an exit code; print a message about `text`, what
 * the user has written, if it is not 0. */
int host_find(struct sockaddr *address, socklen_t *size, const char *host, const char *port,
              bool is_ipv6, const char *text);

/* Send the service manager a state such as "READY=1", if there is a manager. */
void manager_notify(const char *state);

#endif
