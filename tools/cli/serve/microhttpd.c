#include "serve/microhttpd.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sysexits.h>

#include "console/messages.h"

struct microhttpd mhd;

/* The name that belongs to the header of version 0.9.75 and its successors. */
static const char library[] = "libmicrohttpd.so.12";

/* Return whether the function exists. Write its address, which C cannot convert from void *. */
static bool find(void *place, void *handle, const char *name) {
  void *found = dlsym(handle, name);
  memcpy(place, &found, sizeof found);
  return found != NULL;
}

int microhttpd_load(void) {
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
