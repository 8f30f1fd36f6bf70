/* Answers of libmicrohttpd itself to what is not HTTP. */
#ifndef ELMAN_CLI_HTTP_ERRORS_H
#define ELMAN_CLI_HTTP_ERRORS_H

#include "serve/microhttpd.h"

/* Queue an answer of this program, as MHD_queue_response does. */
enum MHD_Result queue_own_response(struct MHD_Connection *connection, unsigned status,
                                   struct MHD_Response *response);

#endif
