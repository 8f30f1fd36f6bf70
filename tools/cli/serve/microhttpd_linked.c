/* libmicrohttpd as a part of a static program. */
#include <sysexits.h>

#include "serve/microhttpd.h"

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
