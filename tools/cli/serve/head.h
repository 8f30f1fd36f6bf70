/* Check of the bytes of requests, before libmicrohttpd processes them. The library accepts more
 * than HTTP: folded headers, NUL, line ends without CR. A proxy may read such bytes as another
 * request than the library, so that a client could hide a request in another one. */
#ifndef ELMAN_CLI_HEAD_H
#define ELMAN_CLI_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The requests of one connection, as far as their bytes have arrived. Initialize with zeros. */
struct request_head {
  size_t count;      /* complete heads without a fault */
  const char *fault; /* fault of the head after them; NULL = none */
  bool in_hand;      /* a complete request waits for its answer */

  /* For head_scan. */
  unsigned state;
  size_t line;     /* bytes of the current line */
  unsigned spaces; /* spaces of the first line */
  char name[20];   /* name of the current header in lower case, cut off */
  uint64_t length; /* Content-Length */
  bool chunked;    /* a Transfer-Encoding: the end of the request is not sought */
  unsigned digits; /* bytes of the value of Content-Length: 0 = none yet, 1 = digits, 2 = after */
};

/* Read bytes in the order of their arrival. After a fault or a request with a Transfer-Encoding,
 * nothing more is read: no further request of the connection is complete. */
void head_scan(struct request_head *head, const char *bytes, size_t size);

#endif
