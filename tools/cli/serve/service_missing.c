/* A build without libmicrohttpd. */
#include <sysexits.h>

#include "console/messages.h"
#include "serve/service.h"

int service_run(const struct serve_job *job) {
  (void)job;
  report(NULL, "this build has no HTTP server; install libmicrohttpd (Debian: libmicrohttpd-dev) "
               "and build elman with -DELMAN_SERVE=ON");
  return EX_UNAVAILABLE;
}
