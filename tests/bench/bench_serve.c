/* Measure a translation service from outside:
 *
 *   bench_serve PORT MODEL SENTENCES CLIENTS
 *
 * CLIENTS connections to 127.0.0.1 send the lines of SENTENCES, one line per request, each as soon
 * as it has the answer to its last request. Print the seconds for all lines, and the seconds of
 * requests: the mean, the median and the 99th percentile. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "elman.h"

enum { MOST = 1 << 16 };

static struct {
  const char *model;
  const char *const *texts;
  size_t count;
  unsigned port;
  double *seconds; /* (count): duration of each request */
  atomic_size_t next;
} work;

static int connect_to(unsigned port) {
  const struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)port),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const int one = 1, opened = socket(AF_INET, SOCK_STREAM, 0);
  if (opened < 0 || connect(opened, (const struct sockaddr *)&address, sizeof address) != 0)
    bench_fail("cannot connect to the service");
  setsockopt(opened, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return opened;
}

static size_t write_request(char *request, const char *text) {
  char body[MOST / 2];
  size_t size = (size_t)snprintf(body, sizeof body, "{\"model\":\"%s\",\"q\":\"", work.model);
  for (; *text != '\0' && size + 4 < sizeof body; text++) {
    if (*text == '"' || *text == '\\') body[size++] = '\\';
    body[size++] = *text;
  }
  body[size++] = '"';
  body[size++] = '}';
  return (size_t)snprintf(request, MOST,
                          "POST /translate HTTP/1.1\r\nHost: localhost\r\n"
                          "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%.*s",
                          size, (int)size, body);
}

/* Read a whole answer, whose status must be 200. */
static void read_answer(int opened) {
  char answer[MOST];
  size_t used = 0, needed = 1;
  while (used < needed) {
    const ssize_t size = recv(opened, answer + used, sizeof answer - 1 - used, 0);
    if (size <= 0) bench_fail("the service closed a connection");
    used += (size_t)size;
    answer[used] = '\0';
    const char *body = strstr(answer, "\r\n\r\n");
    const char *length = strcasestr(answer, "content-length:");
    needed = used + 1;
    if (body != NULL && length != NULL)
      needed = (size_t)(body - answer) + 4 + strtoul(length + strlen("content-length:"), NULL, 10);
  }
  if (strncmp(answer, "HTTP/1.1 200 ", strlen("HTTP/1.1 200 ")) != 0)
    bench_fail("the service refused a request");
}

static void *run_client(void *unused) {
  const int opened = connect_to(work.port);
  char request[MOST];
  for (size_t i; (i = atomic_fetch_add(&work.next, 1)) < work.count;) {
    const size_t size = write_request(request, work.texts[i]);
    const double start = bench_seconds();
    if (send(opened, request, size, MSG_NOSIGNAL) != (ssize_t)size)
      bench_fail("cannot send a request");
    read_answer(opened);
    work.seconds[i] = bench_seconds() - start;
  }
  close(opened);
  return unused;
}

static int compare(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

int main(int argc, char **argv) {
  if (argc != 5) bench_fail("usage: bench_serve PORT MODEL SENTENCES CLIENTS");
  elman_error error = {0};
  elman_lines *lines;
  work.port = (unsigned)bench_size(argv[1]);
  work.model = argv[2];
  if (elman_lines_read(&lines, argv[3], &error) != ELMAN_OK) bench_fail(error.message);
  work.texts = elman_lines_get(lines);
  work.count = elman_lines_count(lines);
  work.seconds = bench_allocate(work.count, sizeof *work.seconds);
  const size_t clients = bench_size(argv[4]);
  pthread_t *threads = bench_allocate(clients, sizeof *threads);
  const double start = bench_seconds();
  for (size_t i = 0; i < clients; i++)
    if (pthread_create(&threads[i], NULL, run_client, NULL) != 0)
      bench_fail("cannot start a thread");
  for (size_t i = 0; i < clients; i++) pthread_join(threads[i], NULL);
  const double seconds = bench_seconds() - start;
  double sum = 0;
  for (size_t i = 0; i < work.count; i++) sum += work.seconds[i];
  qsort(work.seconds, work.count, sizeof *work.seconds, compare);
  printf("{\"seconds\":[%.9g],\"mean\":%.9g,\"p50\":%.9g,\"p99\":%.9g}\n", seconds,
         sum / (double)work.count, work.seconds[work.count / 2],
         work.seconds[work.count * 99 / 100]);
  free(threads);
  free(work.seconds);
  elman_lines_free(lines);
  return 0;
}
