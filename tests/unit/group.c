/* Test: text, threads. */
/* Collective operations of a group of processes. */
#include "base/group.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "owned.h"
#include "processes.h"

enum { PROCESSES = 5, MAX_BYTES = 1000 };

/* ---- shares ---- */

Test(group, ranges_are_consecutive_and_balanced) {
  static const size_t counts[] = {0, 1, 2, 7, 16, 1000, SIZE_MAX - 1, SIZE_MAX};
  for (size_t size = 1; size <= 2 * PROCESSES; size++) {
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
      cr_assert_eq(group_first(counts[i], 0, size), 0);
      cr_assert_eq(group_first(counts[i], size, size), counts[i]);
      for (size_t r = 0; r < size; r++) {
        const size_t first = group_first(counts[i], r, size);
        const size_t end = group_first(counts[i], r + 1, size);
        cr_assert(first <= end && end - first - counts[i] / size <= 1, "%zu in %zu shares",
                  counts[i], size);
      }
    }
  }
}

/* ---- broadcast and gather ---- */

struct task {
  size_t counts[PROCESSES];
  unsigned char got[PROCESSES][MAX_BYTES];
  size_t collected[PROCESSES];
  elman_status own[PROCESSES], status[PROCESSES];
  elman_error errors[PROCESSES];
};

static unsigned char byte_of(size_t rank, size_t i) {
  return (unsigned char)(rank * 50 + i % 41 + 1);
}

static void broadcast(const elman_group *group, void *context) {
  struct task *task = context;
  const size_t rank = group_rank(group);
  for (size_t i = 0; i < task->counts[0]; i++) task->got[rank][i] = byte_of(rank, i);
  task->status[rank] =
      elman_group_broadcast(group, task->got[rank], task->counts[0], &task->errors[rank]);
}

Test(group, broadcast_sends_data_of_process_0) {
  static const size_t counts[] = {0, 1, MAX_BYTES};
  for (size_t P = 1; P <= PROCESSES; P++) {
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
      struct task task = {.counts = {counts[c]}};
      run_processes(P, broadcast, &task);
      for (size_t r = 0; r < P; r++) {
        cr_assert_eq(task.status[r], ELMAN_OK);
        for (size_t i = 0; i < counts[c]; i++) cr_assert_eq(task.got[r][i], byte_of(0, i));
      }
    }
  }
}

static size_t sum_below(const size_t *counts, size_t n) {
  size_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += counts[i];
  return sum;
}

/* The number of bytes of each process. */
static const size_t shares[][PROCESSES] = {
    {0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}, {0, 7, 0, 3, 0}, {200, 0, 1, 199, 600}};

static void check_all_have(const struct task *task, size_t P) {
  for (size_t reader = 0; reader < P; reader++) {
    cr_assert_eq(task->status[reader], ELMAN_OK);
    const unsigned char *at = task->got[reader];
    for (size_t r = 0; r < P; r++) {
      for (size_t i = 0; i < task->counts[r]; i++) cr_assert_eq(*at++, byte_of(r, i));
    }
  }
}

static void gather(const elman_group *group, void *context) {
  struct task *task = context;
  const size_t rank = group_rank(group);
  unsigned char *own = task->got[rank] + sum_below(task->counts, rank);
  for (size_t i = 0; i < task->counts[rank]; i++) own[i] = byte_of(rank, i);
  task->status[rank] =
      elman_group_gather(group, task->got[rank], task->counts, &task->errors[rank]);
}

Test(group, gather_gives_all_data_to_all) {
  for (size_t P = 1; P <= PROCESSES; P++) {
    for (size_t c = 0; c < sizeof shares / sizeof *shares; c++) {
      struct task task = {.counts = {0}};
      memcpy(task.counts, shares[c], sizeof task.counts);
      run_processes(P, gather, &task);
      check_all_have(&task, P);
    }
  }
}

/* ---- agreeing ---- */

static void agree(const elman_group *group, void *context) {
  struct task *task = context;
  const size_t rank = group_rank(group);
  elman_error *error = &task->errors[rank];
  elman_status status = task->own[rank];
  if (status != ELMAN_OK) status = fail(error, status, "here", "the work of %zu failed", rank);
  task->status[rank] = elman_group_agree(group, status, error);
}

static void check_agreed(const struct task *task, size_t P, elman_status status,
                         const char *message) {
  for (size_t r = 0; r < P; r++) {
    cr_assert_eq(task->status[r], status, "process %zu of %zu", r, P);
    if (status == ELMAN_OK) continue;
    cr_assert_eq(task->errors[r].code, status);
    cr_assert_str_eq(task->errors[r].message, message);
    cr_assert_str_eq(task->errors[r].where, "here");
  }
}

/* Try every combination of failing processes. */
Test(group, all_return_the_first_error) {
  static const elman_status failures[PROCESSES] = {ELMAN_BAD_DATA, ELMAN_NO_MEMORY,
                                                   ELMAN_INTERRUPTED, ELMAN_IO, ELMAN_NO_INPUT};
  for (size_t P = 1; P <= PROCESSES; P++) {
    for (unsigned failing = 0; failing < 1U << P; failing++) {
      struct task task = {.counts = {0}};
      size_t first = P;
      for (size_t r = P; r-- > 0;) {
        if ((failing >> r & 1) == 0) continue;
        task.own[r] = failures[r];
        first = r;
      }
      run_processes(P, agree, &task);
      char message[128];
      snprintf(message, sizeof message,
               first == 0 ? "the work of %zu failed" : "process %zu: the work of %zu failed", first,
               first);
      check_agreed(&task, P, first < P ? failures[first] : ELMAN_OK, message);
    }
  }
}

Test(group, single_process_needs_no_exchange) {
  unsigned char byte = 7;
  const size_t count = 1;
  elman_error error = {.message = "as it was"};
  cr_assert_eq(group_size(NULL), 1);
  cr_assert_eq(group_rank(NULL), 0);
  cr_assert_eq(elman_group_broadcast(NULL, &byte, 1, &error), ELMAN_OK);
  cr_assert_eq(elman_group_gather(NULL, &byte, &count, &error), ELMAN_OK);
  cr_assert_eq(byte, 7);
  cr_assert_eq(elman_group_agree(NULL, ELMAN_OK, &error), ELMAN_OK);
  cr_assert_eq(elman_group_agree(NULL, ELMAN_BAD_DATA, &error), ELMAN_BAD_DATA);
  cr_assert_str_eq(error.message, "as it was");
}

static void agree_without_words(const elman_group *group, void *context) {
  struct task *task = context;
  const size_t rank = group_rank(group);
  task->status[rank] =
      elman_group_agree(group, task->own[rank], rank == 1 ? NULL : &task->errors[rank]);
}

Test(group, error_without_message_is_reported) {
  struct task task = {.own = {ELMAN_OK, ELMAN_BAD_DATA}};
  run_processes(3, agree_without_words, &task);
  for (size_t r = 0; r < 3; r++) cr_assert_eq(task.status[r], ELMAN_BAD_DATA);
  for (size_t r = 0; r < 3; r += 2) {
    cr_assert_eq(task.errors[r].code, ELMAN_BAD_DATA);
    cr_assert_str_eq(task.errors[r].message, "process 1: its work failed");
  }
}

static elman_status never_called(void *context, const elman_bytes *send, const elman_bytes *receive,
                                 elman_error *error) {
  (void)context, (void)send, (void)receive, (void)error;
  cr_assert(false, "an exchange of too many");
  return ELMAN_OK;
}

Test(group, group_size_is_limited) {
  const elman_group group = {GROUP_MOST, GROUP_MOST + 1, never_called, NULL, false};
  cr_assert_eq(elman_group_broadcast(&group, NULL, 0, &why), ELMAN_INVALID_ARGUMENT);
  cr_assert_eq(elman_group_agree(&group, ELMAN_OK, &why), ELMAN_INVALID_ARGUMENT);
  cr_assert_str_eq(why.message, "1025 processes were started; the limit is 1024");
}

/* ---- collecting ---- */

static void collect(const elman_group *group, void *context) {
  struct task *task = context;
  const size_t rank = group_rank(group);
  elman_error *error = &task->errors[rank];
  owned_by(buffer_free) struct buffer bytes = {0};
  elman_status status = task->own[rank];
  if (status != ELMAN_OK) status = fail(error, status, "here", "the work of %zu failed", rank);
  for (size_t i = 0; i < task->counts[rank]; i++)
    buffer_append(&bytes, (const char[]){(char)byte_of(rank, i)}, 1);
  task->status[rank] = group_collect(group, status, &bytes, error);
  if (task->status[rank] == ELMAN_OK) {
    task->collected[rank] = bytes.length;
    memcpy(task->got[rank], bytes.bytes == NULL ? "" : bytes.bytes, bytes.length);
    if (bytes.bytes != NULL) cr_assert_eq(bytes.bytes[bytes.length], '\0');
  }
}

Test(group, collect_gives_data_of_unknown_size_to_all) {
  for (size_t P = 1; P <= PROCESSES; P++) {
    for (size_t c = 0; c < sizeof shares / sizeof *shares; c++) {
      struct task task = {.counts = {0}};
      memcpy(task.counts, shares[c], sizeof task.counts);
      run_processes(P, collect, &task);
      for (size_t r = 0; r < P; r++) cr_assert_eq(task.collected[r], sum_below(shares[c], P));
      check_all_have(&task, P);
    }
  }
}

Test(group, nothing_is_collected_after_a_failure) {
  struct task task = {.counts = {5, 6, 7}, .own = {ELMAN_OK, ELMAN_OK, ELMAN_IO}};
  run_processes(3, collect, &task);
  check_agreed(&task, 3, ELMAN_IO, "process 2: the work of 2 failed");
}

/* ---- an exchange that fails ---- */

static void check_failing(size_t P, process_function *run, struct task *task) {
  const struct task before = *task;
  const size_t exchanges = run_processes(P, run, task);
  for (size_t n = 1; n <= exchanges; n++) {
    *task = before;
    cr_assert_eq(run_failing_processes(P, n, run, task), n);
    for (size_t r = 0; r < P; r++) {
      cr_assert_eq(task->status[r], ELMAN_IO);
      cr_assert_eq(task->errors[r].code, ELMAN_IO);
      cr_assert_str_eq(task->errors[r].message, "the exchange failed");
    }
  }
  cr_assert(P == 1 ? exchanges == 0 : exchanges > 0);
}

Test(group, no_exchange_follows_a_failed_one) {
  for (size_t P = 1; P <= PROCESSES; P++) {
    struct task task = {.counts = {3, 1}};
    check_failing(P, broadcast, &task);
    task = (struct task){.counts = {3, 1}};
    check_failing(P, gather, &task);
    task = (struct task){.counts = {3, 1}};
    check_failing(P, collect, &task);
    task = (struct task){.own = {ELMAN_OK, ELMAN_BAD_DATA}};
    check_failing(P, agree, &task);
  }
}
