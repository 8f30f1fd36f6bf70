/* The service from its start to its end: models, signals, the loop. */
#ifndef ELMAN_CLI_SERVICE_H
#define ELMAN_CLI_SERVICE_H

#include <stdbool.h>

#include "options/option.h"
#include "serve/serve_settings.h"

struct serve_job {
  struct serve_settings settings;
  struct option_list models, hosts, origins;
  const char *listen, *tokens, *log;
  bool open; /* --open: no token is needed beyond loopback */
};

/* Serve until a signal ends the service. Return an exit code; print a message if it is not 0. */
int service_run(const struct serve_job *job);

#endif
