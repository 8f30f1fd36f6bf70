/* The shared libraries of the system: libmicrohttpd, which is loaded when the service starts, and
 * those by which the C library looks up names of hosts. */
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <string.h>
#include <sysexits.h>

#include "console/messages.h"
#include "serve/listen.h"
#include "serve/microhttpd.h"

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

/* The name that belongs to the header of version 0.9.75 and its successors. */
static const char library[] = "libmicrohttpd.so.12";

/* Return whether the function exists. Copy its address to `place`, because C cannot convert it from
 * void *. */
static bool find(void *place, void *handle, const char *name) {
  void *found = dlsym(handle, name);
  memcpy(place, &found, sizeof found);
  return found != NULL;
}

/* Check that a library finds the functions of the program before others. Return an exit code. */
static int check_exports(void) {
  ssize_t (*receive)(int, void *, size_t, int) = NULL;
  enum MHD_Result (*queue)(struct MHD_Connection *, unsigned, struct MHD_Response *) = NULL;
  (void)find(&receive, RTLD_DEFAULT, "recv");
  (void)find(&queue, RTLD_DEFAULT, "MHD_queue_response");
  if (receive == receive_and_scan && queue == MHD_queue_response) return EX_OK;
  report("serve", "this build cannot check requests: it does not export recv and "
                  "MHD_queue_response; build it with the options of its CMakeLists.txt");
  return EX_SOFTWARE;
}

int microhttpd_load(void) {
  const int code = check_exports();
  if (code != EX_OK) return code;
  errno = 0;
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  const bool out_of_memory = handle == NULL && errno == ENOMEM;
  bool good = handle != NULL;
#define FIND(name) good = good && find(&mhd.name, handle, "MHD_" #name);
  MICROHTTPD_FUNCTIONS(FIND)
#undef FIND
  if (good) return EX_OK;
  if (out_of_memory) return report_no_memory();
  report("serve", "cannot load %s; install it (Debian: libmicrohttpd12): %s", library, dlerror());
  return EX_UNAVAILABLE;
}
