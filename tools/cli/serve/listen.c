#include "serve/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sysexits.h>
#include <unistd.h>

#include "console/messages.h"
#include "options/option.h"

/* Any address of a socket. */
union address {
  struct sockaddr any;
  struct sockaddr_in ipv4;
  struct sockaddr_in6 ipv6;
  struct sockaddr_un local;
  struct sockaddr_storage storage;
};

static bool is_loopback(const union address *address) {
  if (address->any.sa_family == AF_INET)
    return ntohl(address->ipv4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  if (address->any.sa_family == AF_INET6) return IN6_IS_ADDR_LOOPBACK(&address->ipv6.sin6_addr);
  return address->any.sa_family == AF_UNIX;
}

/* Add a socket that listens. Its name is its actual address. */
static void add_socket(struct listeners *listeners, int socket) {
  char *name = listeners->names[listeners->count], text[INET6_ADDRSTRLEN] = "?";
  union address address = {.any.sa_family = AF_UNSPEC};
  socklen_t size = sizeof address;
  (void)getsockname(socket, &address.any, &size);
  if (address.any.sa_family == AF_INET) {
    inet_ntop(AF_INET, &address.ipv4.sin_addr, text, sizeof text);
    snprintf(name, LISTENER_NAME, "http://%s:%u", text, ntohs(address.ipv4.sin_port));
  } else if (address.any.sa_family == AF_INET6) {
    inet_ntop(AF_INET6, &address.ipv6.sin6_addr, text, sizeof text);
    snprintf(name, LISTENER_NAME, "http://[%s]:%u", text, ntohs(address.ipv6.sin6_port));
  } else {
    snprintf(name, LISTENER_NAME, "unix:%s", address.local.sun_path);
  }
  if (!is_loopback(&address)) listeners->local = false;
  listeners->sockets[listeners->count++] = socket;
}

static int refuse_address(const char *address) {
  return report_usage("serve",
                      "--listen: '%s' is not HOST:PORT, PORT or unix:PATH with a port from 0 to "
                      "65535; put an IPv6 address in brackets",
                      address);
}

/* Bind and listen. Return an exit code; print a message if it is not 0. */
static int listen_at(struct listeners *listeners, const char *name, const union address *address,
                     socklen_t size) {
  const int one = 1, family = address->any.sa_family;
  const int opened = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (opened >= 0 && family != AF_UNIX)
    (void)setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (opened >= 0 && bind(opened, &address->any, size) == 0 && listen(opened, SOMAXCONN) == 0) {
    add_socket(listeners, opened);
    return EX_OK;
  }
  const int problem = errno;
  report(name, "cannot listen: %m%s",
         problem != EADDRINUSE ? ""
         : family == AF_UNIX   ? "; choose another path with --listen"
                               : "; choose another port with --listen, or 0 for a free one");
  if (opened >= 0) close(opened);
  return problem == ENOMEM ? EX_OSERR : EX_UNAVAILABLE;
}

static int listen_at_host(struct listeners *listeners, const char *text) {
  char host[256] = "127.0.0.1";
  const char *colon = strrchr(text, ':'), *port = colon == NULL ? text : colon + 1;
  size_t length = colon == NULL ? 0 : (size_t)(colon - text);
  uint64_t number;
  const bool bracketed = length >= 2 && text[0] == '[' && colon[-1] == ']';
  if (!parse_whole_number(port, &number) || number > UINT16_MAX || length >= sizeof host ||
      (colon != NULL && length == 0) || (!bracketed && memchr(text, ':', length) != NULL))
    return refuse_address(text);
  if (bracketed) length -= 2;
  if (colon != NULL) snprintf(host, sizeof host, "%.*s", (int)length, text + bracketed);
  union address address = {.any.sa_family = AF_UNSPEC};
  socklen_t size = sizeof address;
  const int code = host_find(&address.any, &size, host, port, bracketed, text);
  return code == EX_OK ? listen_at(listeners, text, &address, size) : code;
}

/* Remove the socket of a service that has ended without removing it. */
static void remove_stale(const union address *address) {
  struct stat info;
  if (lstat(address->local.sun_path, &info) != 0 || !S_ISSOCK(info.st_mode)) return;
  /* Do not block: a suspended service accepts nothing, and its queue of connections may be full. */
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return;
  if (connect(probe, &address->any, sizeof address->local) != 0 && errno == ECONNREFUSED)
    unlink(address->local.sun_path);
  close(probe);
}

static int listen_at_path(struct listeners *listeners, const char *path) {
  union address address = {.local = {.sun_family = AF_UNIX}};
  struct stat info;
  if (path[0] == '\0' || strlen(path) >= sizeof address.local.sun_path)
    return report_usage("serve", "--listen: the path of a Unix socket has 1 to %zu bytes",
                        sizeof address.local.sun_path - 1);
  snprintf(address.local.sun_path, sizeof address.local.sun_path, "%s", path);
  remove_stale(&address);
  const int code = listen_at(listeners, path, &address, sizeof address.local);
  if (code != EX_OK || lstat(path, &info) != 0) return code;
  listeners->path = path;
  listeners->device = info.st_dev;
  listeners->inode = info.st_ino;
  return EX_OK;
}

/* ---- systemd ---- */

/* Set the number of sockets that systemd has opened for this process. Return an exit code; print a
 * message if it is not 0. */
static int count_activated(uint64_t *sockets) {
  const char *process = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
  uint64_t number = 0;
  *sockets = 0;
  if (process == NULL || count == NULL) return EX_OK;
  if (parse_whole_number(process, &number) && number != (uint64_t)getpid()) return EX_OK;
  if (number > 0 && parse_whole_number(count, sockets)) return EX_OK;
  report("serve", "%s=%s of the service manager is not a number",
         number > 0 ? "LISTEN_FDS" : "LISTEN_PID", number > 0 ? count : process);
  return EX_UNAVAILABLE;
}

/* Systemd passes sockets from descriptor 3 on. */
static int adopt(struct listeners *listeners, uint64_t count) {
  enum { FIRST = 3 };
  if (count > MAX_LISTENERS) {
    report("serve", "the service manager passes %" PRIu64 " sockets, but at most %d are possible",
           count, MAX_LISTENERS);
    return EX_UNAVAILABLE;
  }
  for (int socket = FIRST; socket < FIRST + (int)count; socket++) {
    int listens = 0, type = 0;
    socklen_t size = sizeof listens, type_size = sizeof type;
    if (getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 ||
        getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &type_size) != 0 || !listens ||
        type != SOCK_STREAM) {
      report("serve", "descriptor %d of the service manager is not a stream socket that listens",
             socket);
      return EX_UNAVAILABLE;
    }
    (void)fcntl(socket, F_SETFD, FD_CLOEXEC);
    (void)fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
    add_socket(listeners, socket);
  }
  return EX_OK;
}

void manager_notify(const char *state) {
  const char *path = getenv("NOTIFY_SOCKET");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (path == NULL || (path[0] != '/' && path[0] != '@') || strlen(path) >= sizeof address.sun_path)
    return;
  memcpy(address.sun_path, path, strlen(path));
  if (path[0] == '@') address.sun_path[0] = '\0'; /* a name without a file */
  const int opened = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (opened < 0) return;
  const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
  (void)sendto(opened, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&address, size);
  close(opened);
}

/* ---- all sockets ---- */

int listeners_open(struct listeners *listeners, const char *address) {
  static const char unix_prefix[] = "unix:";
  *listeners = (struct listeners){.local = true};
  uint64_t activated;
  const int code = count_activated(&activated);
  if (code != EX_OK) return code;
  if (activated > 0 && address != NULL)
    return report_usage("serve", "--listen cannot be combined with sockets of the service manager");
  if (activated > 0) return adopt(listeners, activated);
  if (address == NULL) address = DEFAULT_ADDRESS;
  if (strncmp(address, unix_prefix, sizeof unix_prefix - 1) == 0)
    return listen_at_path(listeners, address + sizeof unix_prefix - 1);
  return listen_at_host(listeners, address);
}

void listeners_close(struct listeners *listeners) {
  struct stat info;
  /* Another service may have replaced the file. While the socket is open, no other file can get its
   * inode. */
  if (listeners->path != NULL && lstat(listeners->path, &info) == 0 &&
      info.st_dev == listeners->device && info.st_ino == listeners->inode)
    unlink(listeners->path);
  for (size_t i = 0; i < listeners->count; i++) close(listeners->sockets[i]);
  listeners->count = 0;
  listeners->path = NULL;
}
