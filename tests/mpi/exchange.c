/* Exchange messages of many sizes among the processes of mpirun.
 *
 *   exchange                 check the received bytes
 *   exchange BYTES ROUNDS    print the time of an exchange, and the processor time it uses
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "console/messages.h"
#include "console/terminal.h"
#include "elman.h"
#include "group/group.h"

enum { MAX_PROCESSES = 64 };

/* Return the number of bytes that process `from` sends to `to`; 0 in one case of three. */
static size_t size_of(size_t round, size_t from, size_t to) {
  const size_t number = round * 31 + from * 7 + to * 3;
  return number % 3 == 0 ? 0 : number * number * number % (1 + (round % 8 == 7 ? 3000000 : 5000));
}

static uint8_t byte_of(size_t round, size_t from, size_t to, size_t i) {
  return (uint8_t)(round * 17 + from * 29 + to * 101 + i * 13 + (i >> 8));
}

static elman_status check(const elman_group *group, size_t round, elman_error *error) {
  elman_bytes send[MAX_PROCESSES], receive[MAX_PROCESSES];
  for (size_t r = 0; r < group->size; r++) {
    send[r].count = size_of(round, group->rank, r);
    receive[r].count = size_of(round, r, group->rank);
    uint8_t *bytes = send[r].data = malloc(send[r].count + 1);
    receive[r].data = calloc(receive[r].count + 1, 1);
    for (size_t i = 0; i < send[r].count; i++) bytes[i] = byte_of(round, group->rank, r, i);
  }
  elman_status status = group->exchange(group->context, send, receive, error);
  for (size_t r = 0; r < group->size; r++) {
    const uint8_t *bytes = receive[r].data;
    for (size_t i = 0; status == ELMAN_OK && i < receive[r].count; i++)
      if (bytes[i] != byte_of(round, r, group->rank, i)) {
        *error = (elman_error){.code = status = ELMAN_BAD_DATA};
        snprintf(error->message, sizeof error->message, "round %zu: byte %zu of process %zu is %u",
                 round, i, r, bytes[i]);
      }
    free(send[r].data);
    free(receive[r].data);
  }
  return status;
}

static double processor_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Process 0 starts each exchange late, as a process with more work does. */
static elman_status measure(const elman_group *group, size_t count, size_t rounds, double late,
                            elman_error *error) {
  elman_bytes send[MAX_PROCESSES], receive[MAX_PROCESSES];
  for (size_t r = 0; r < group->size; r++) {
    send[r] = (elman_bytes){calloc(count, 1), count};
    receive[r] = (elman_bytes){calloc(count, 1), count};
  }
  elman_status status = ELMAN_OK;
  double started = now(), used = processor_time();
  for (size_t round = 0; round < rounds && status == ELMAN_OK; round++) {
    for (const double until = now() + late; group->rank == 0 && now() < until;) continue;
    status = group->exchange(group->context, send, receive, error);
  }
  const double seconds = now() - started;
  fprintf(stderr, "process %zu: %.1f us per exchange, %.0f %% of a core\n", group->rank,
          seconds / (double)rounds * 1e6, 100 * (processor_time() - used) / seconds);
  for (size_t r = 0; r < group->size; r++) {
    free(send[r].data);
    free(receive[r].data);
  }
  return status;
}

int main(int argc, char **argv) {
  enum { ROUNDS = 200 };
  elman_error error;
  int code = group_join();
  const elman_group *group = group_joined();
  if (code != 0 || group == NULL || group->size > MAX_PROCESSES) return 64;
  elman_status status = ELMAN_OK;
  if (argc > 2)
    status = measure(group, strtoul(argv[1], NULL, 10), strtoul(argv[2], NULL, 10),
                     argc > 3 ? strtod(argv[3], NULL) : 0, &error);
  for (size_t round = 0; argc == 1 && round < ROUNDS && status == ELMAN_OK; round++)
    status = check(group, round, &error);
  if (status != ELMAN_OK) code = report_error(&error);
  return group_leave(code);
}
