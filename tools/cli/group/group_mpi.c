/* The group of processes that an MPI launcher started. MPI is used only to transfer bytes. */
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "console/messages.h"
#include "group/group.h"
#include "group/launcher.h"

/* ---- transfer of messages of any size ---- */

/* Transfers that are split into pieces, because counts in MPI are of type int. Each piece that
 * arrives also shows that a slow peer is still running. The caller initializes the struct to
 * zero. */
struct pieces {
  struct piece {
    size_t peer;
    int size;
    bool received; /* true for a received piece, false for a sent one */
  } * list;
  MPI_Request *requests; /* MPI_REQUEST_NULL for a finished transfer */
  MPI_Status *statuses;
  int *over; /* temporary storage */
  int count, room;
  size_t left; /* number of unfinished transfers */
};

static const size_t MAX_BYTES = (size_t)1 << 26;

static void pieces_clear(struct pieces *pieces) {
  pieces->count = 0;
  pieces->left = 0;
}

static bool make_room(struct pieces *pieces) {
  if (pieces->count < pieces->room) return true;
  const int room = 2 * pieces->room + 16;
  struct pieces grown = *pieces;
  grown.list = realloc(pieces->list, (size_t)room * sizeof *grown.list);
  if (grown.list != NULL) pieces->list = grown.list;
  grown.requests = realloc(pieces->requests, (size_t)room * sizeof(MPI_Request));
  if (grown.requests != NULL) pieces->requests = grown.requests;
  grown.statuses = realloc(pieces->statuses, (size_t)room * sizeof *grown.statuses);
  if (grown.statuses != NULL) pieces->statuses = grown.statuses;
  grown.over = realloc(pieces->over, (size_t)room * sizeof *grown.over);
  if (grown.over != NULL) pieces->over = grown.over;
  if (grown.list == NULL || grown.requests == NULL || grown.statuses == NULL || grown.over == NULL)
    return false;
  pieces->room = room;
  return true;
}

static int add(struct pieces *pieces, MPI_Comm world, int tag, size_t peer, elman_bytes bytes,
               bool received) {
  for (size_t done = 0; done < bytes.count;) {
    const size_t rest = bytes.count - done;
    const int size = (int)(rest < MAX_BYTES ? rest : MAX_BYTES);
    char *data = (char *)bytes.data + done;
    if (!make_room(pieces)) return MPI_ERR_NO_MEM;
    MPI_Request *request = &pieces->requests[pieces->count];
    const int result = received ? MPI_Irecv(data, size, MPI_BYTE, (int)peer, tag, world, request)
                                : MPI_Isend(data, size, MPI_BYTE, (int)peer, tag, world, request);
    if (result != MPI_SUCCESS) return result;
    pieces->list[pieces->count++] = (struct piece){peer, size, received};
    pieces->left++;
    done += (size_t)size;
  }
  return MPI_SUCCESS;
}

/* Start a transfer. Send no message for 0 bytes. Return MPI_SUCCESS or an error code of MPI. */
static int pieces_receive(struct pieces *pieces, MPI_Comm world, int tag, size_t peer,
                          elman_bytes bytes) {
  return add(pieces, world, tag, peer, bytes, true);
}

static int pieces_send(struct pieces *pieces, MPI_Comm world, int tag, size_t peer,
                       elman_bytes bytes) {
  return add(pieces, world, tag, peer, bytes, false);
}

/* Check the size of a received piece. A different size shows that the sender is in another
 * state. */
static int check_size(const struct piece *piece, const MPI_Status *status) {
  int size;
  if (!piece->received) return MPI_SUCCESS;
  const int result = MPI_Get_count(status, MPI_BYTE, &size);
  if (result != MPI_SUCCESS) return result;
  return size == piece->size ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

/* Advance all transfers as far as possible without waiting. */
static int pieces_test(struct pieces *pieces) {
  int over;
  if (pieces->left == 0) return MPI_SUCCESS;
  int result = MPI_Testsome(pieces->count, pieces->requests, &over, pieces->over, pieces->statuses);
  if (result == MPI_ERR_IN_STATUS) {
    for (int i = 0; i < over && result == MPI_ERR_IN_STATUS; i++)
      if (pieces->statuses[i].MPI_ERROR != MPI_SUCCESS) result = pieces->statuses[i].MPI_ERROR;
  }
  if (result != MPI_SUCCESS || over == MPI_UNDEFINED) return result;
  for (int i = 0; i < over && result == MPI_SUCCESS; i++)
    result = check_size(&pieces->list[pieces->over[i]], &pieces->statuses[i]);
  pieces->left -= (size_t)over;
  return result;
}

/* Return whether any transfer to or from process `peer` is unfinished. */
static bool pieces_open(const struct pieces *pieces, size_t peer) {
  for (int i = 0; i < pieces->count; i++)
    if (pieces->list[i].peer == peer && pieces->requests[i] != MPI_REQUEST_NULL) return true;
  return false;
}

/* Cancel transfers that the other process will never complete. */
static void pieces_abandon(struct pieces *pieces) {
  for (int i = 0; i < pieces->count; i++) {
    if (pieces->requests[i] == MPI_REQUEST_NULL) continue;
    if (pieces->list[i].received) MPI_Cancel(&pieces->requests[i]);
    MPI_Request_free(&pieces->requests[i]);
  }
  pieces_clear(pieces);
}

/* ---- waiting ---- */

/* A wait for other processes, during which they may use the processors. */
struct wait {
  double seconds; /* remaining seconds */
  double started, last;
  bool sleeps; /* whether the wait has taken longer than AWAKE */
};

/* Seconds to wait without sleeping. A short message takes less time if both processes are ready. */
static const double AWAKE = 1e-4;

enum { NAP_NS = 50000 };

static struct wait wait_start(double seconds) {
  const double started = now();
  return (struct wait){.seconds = seconds, .started = started, .last = started};
}

/* Wait a short time. Return false when the time is up. */
static bool wait_moment(struct wait *wait) {
  wait->sleeps = now() - wait->started > AWAKE;
  if (wait->sleeps)
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
  else
    sched_yield();
  /* Do not count time in which this program itself was stopped. */
  const double time = now(), passed = time - wait->last;
  wait->last = time;
  wait->seconds -= passed < 1 ? passed : 1;
  return wait->seconds > 0;
}

/* ---- the group ---- */

/* Message that a process sends to every other process when it leaves. */
struct farewell {
  int code;
  bool follows;       /* the process leaves because another process has left */
  uint64_t exchanges; /* number of exchanges that the process has completed */
  char message[MESSAGE_SIZE];
};

enum { TAG_BYTES = 1, TAG_FAREWELL };

static struct {
  elman_group group; /* a size of 0 means that there is only this process */
  MPI_Comm world;
  size_t threads;
  double timeout;
  uint64_t exchanges, sent;
  struct pieces pieces;       /* transfers of the current exchange */
  struct pieces expected;     /* transfers received into `farewells` */
  struct farewell *farewells; /* one farewell per process, received from the others; this process
                                 sets its own entry last */
  bool follows;               /* value of `follows` in this process's own farewell */
  bool broken;                /* messages can no longer reach the other processes */
} here = {.timeout = 600};

/* ---- errors ---- */

static elman_status fail(elman_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static elman_status fail(elman_error *error, const char *format, ...) {
  va_list arguments;
  *error = (elman_error){.code = ELMAN_IO};
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return ELMAN_IO;
}

static elman_status fail_mpi(elman_error *error, int result) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  here.broken = true;
  if (MPI_Error_string(result, text, &length) != MPI_SUCCESS) text[0] = '\0';
  return fail(error, "the processes cannot communicate: %s", text);
}

/* Format a list such as "process 1" or "processes 1, 3, 4". */
static void list_open_peers(char *text, size_t size, const struct pieces *pieces) {
  size_t used = 0, named = 0;
  for (size_t r = 0; r < here.group.size && used < size; r++)
    if (pieces_open(pieces, r))
      used += (size_t)snprintf(text + used, size - used, named++ == 0 ? "%zu" : ", %zu", r);
}

static elman_status fail_timeout(elman_error *error, const struct pieces *pieces) {
  char names[256] = "";
  list_open_peers(names, sizeof names, pieces);
  here.broken = true;
  return fail(error, "process%s %s: no response for %g seconds (--timeout)",
              strchr(names, ',') == NULL ? "" : "es", names, here.timeout);
}

/* ---- exchange ---- */

/* Return whether process r has left without completing this exchange. */
static bool has_left(size_t r) {
  return !pieces_open(&here.expected, r) && r != here.group.rank &&
         here.farewells[r].exchanges <= here.exchanges && pieces_open(&here.pieces, r);
}

static elman_status fail_left(elman_error *error, size_t r) {
  const struct farewell *farewell = &here.farewells[r];
  here.follows = true;
  pieces_abandon(&here.pieces);
  if (farewell->message[0] == '\0') return fail(error, "process %zu has ended", r);
  return fail(error, "process %zu: %s", r, farewell->message);
}

static elman_status check_farewells(elman_error *error) {
  const int result = pieces_test(&here.expected);
  if (result != MPI_SUCCESS) return fail_mpi(error, result);
  /* Search first for a process that failed by itself, because it has the original message. */
  for (int follows = 0; follows <= 1; follows++)
    for (size_t r = 0; r < here.group.size; r++)
      if (has_left(r) && here.farewells[r].follows == (follows == 1)) return fail_left(error, r);
  return ELMAN_OK;
}

static elman_status await_pieces(struct pieces *pieces, bool exchanging, elman_error *error) {
  struct wait wait = wait_start(here.timeout);
  while (pieces->left > 0) {
    const size_t left = pieces->left;
    const int result = pieces_test(pieces);
    if (result != MPI_SUCCESS) return fail_mpi(error, result);
    if (pieces->left < left) {
      wait = wait_start(here.timeout);
    } else if (!wait_moment(&wait)) {
      return fail_timeout(error, pieces);
    } else if (exchanging && wait.sleeps) {
      const elman_status status = check_farewells(error);
      if (status != ELMAN_OK) return status;
    }
  }
  return ELMAN_OK;
}

/* Start receiving before sending, so that each message has a buffer. Each process starts with a
 * different peer. */
static int begin_exchange(const elman_bytes *send, const elman_bytes *receive) {
  const size_t P = here.group.size, rank = here.group.rank;
  int result = MPI_SUCCESS;
  for (size_t i = 1; i < P && result == MPI_SUCCESS; i++) {
    const size_t r = (rank + P - i) % P;
    result = pieces_receive(&here.pieces, here.world, TAG_BYTES, r, receive[r]);
  }
  for (size_t i = 1; i < P && result == MPI_SUCCESS; i++) {
    const size_t r = (rank + i) % P;
    result = pieces_send(&here.pieces, here.world, TAG_BYTES, r, send[r]);
    here.sent += send[r].count;
  }
  return result;
}

static elman_status exchange(void *context, const elman_bytes *send, const elman_bytes *receive,
                             elman_error *error) {
  const size_t rank = here.group.rank;
  elman_error unseen;
  (void)context;
  if (error == NULL) error = &unseen;
  pieces_clear(&here.pieces);
  const int result = begin_exchange(send, receive);
  if (result != MPI_SUCCESS) return fail_mpi(error, result);
  if (receive[rank].count > 0) memcpy(receive[rank].data, send[rank].data, receive[rank].count);
  const elman_status status = await_pieces(&here.pieces, true, error);
  if (status == ELMAN_OK) here.exchanges++;
  return status;
}

/* ---- joining ---- */

/* Return the number of processors for this process; 0 = unknown. Each processor is divided among
 * the processes of this machine that may use it. */
static size_t share_of_processors(MPI_Comm world) {
  MPI_Comm node;
  int neighbors;
  cpu_set_t own;
  size_t threads = 0;
  if (sched_getaffinity(0, sizeof own, &own) != 0)
    CPU_ZERO(&own); /* the machine has more processors than the set can contain */
  if (MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) != MPI_SUCCESS)
    return 0;
  MPI_Comm_size(node, &neighbors);
  cpu_set_t *sets = calloc((size_t)neighbors, sizeof *sets);
  if (sets == NULL)
    MPI_Abort(world, report_no_memory()); /* without this, the other processes would wait forever */
  const bool known =
      MPI_Allgather(&own, sizeof own, MPI_BYTE, sets, sizeof own, MPI_BYTE, node) == MPI_SUCCESS;
  double share = 1e-9;
  for (size_t i = 0; known && i < CPU_SETSIZE; i++) {
    int users = 0;
    for (int n = 0; n < neighbors; n++) users += CPU_ISSET(i, &sets[n]) != 0;
    if (CPU_ISSET(i, &own)) share += 1.0 / users;
  }
  if (known && CPU_COUNT(&own) > 0) threads = share < 1 ? 1 : (size_t)share;
  free(sets);
  MPI_Comm_free(&node);
  return threads;
}

static bool expect_farewells(void) {
  const size_t P = here.group.size;
  here.farewells = calloc(P, sizeof *here.farewells);
  if (here.farewells == NULL) return false;
  for (size_t r = 0; r < P; r++)
    if (r != here.group.rank &&
        pieces_receive(&here.expected, here.world, TAG_FAREWELL, r,
                       (elman_bytes){&here.farewells[r], sizeof *here.farewells}) != MPI_SUCCESS)
      return false;
  return true;
}

/* Redirect the output of a process other than 0 to /dev/null. */
static void silence_output(void) {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
  if (nowhere > STDERR_FILENO) close(nowhere);
  messages_hold();
}

static int join(size_t launched, const char *variable) {
  int given, rank, size;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given);
  MPI_Comm_dup(MPI_COMM_WORLD, &here.world);
  MPI_Comm_set_errhandler(here.world, MPI_ERRORS_RETURN);
  MPI_Comm_rank(here.world, &rank);
  MPI_Comm_size(here.world, &size);
  if ((size_t)size != launched) {
    report(NULL,
           "the launcher started %zu processes (%s), but MPI finds %d; use a launcher that this "
           "elman's MPI supports (mpirun of the same MPI, or one that 'srun --mpi=list' shows)",
           launched, variable, size);
    MPI_Finalize();
    return EX_USAGE;
  }
  here.group = (elman_group){.rank = (size_t)rank,
                             .size = launched,
                             .exchange = exchange,
                             .single_thread = given < MPI_THREAD_SERIALIZED};
  here.threads = share_of_processors(here.world);
  if (!expect_farewells()) {
    report_no_memory();
    MPI_Abort(MPI_COMM_WORLD, EX_OSERR);
  }
  if (rank > 0) silence_output();
  return EX_OK;
}

int group_join(void) {
  const char *variable;
  const size_t launched = launcher_processes(&variable);
  return launched <= 1 ? EX_OK : join(launched, variable);
}

/* ---- leaving ---- */

static elman_status send_farewells(const struct farewell *own, elman_error *error) {
  const elman_bytes bytes = {(void *)own, sizeof *own};
  pieces_clear(&here.pieces);
  for (size_t r = 0; r < here.group.size; r++) {
    const int result = r == here.group.rank
                           ? MPI_SUCCESS
                           : pieces_send(&here.pieces, here.world, TAG_FAREWELL, r, bytes);
    if (result != MPI_SUCCESS) return fail_mpi(error, result);
  }
  const elman_status status = await_pieces(&here.expected, false, error);
  return status != ELMAN_OK ? status : await_pieces(&here.pieces, false, error);
}

/* Return the first process that failed by itself; the size of the group if there is none. */
static size_t find_failed(void) {
  size_t r = 0;
  while (r < here.group.size && (here.farewells[r].code == EX_OK || here.farewells[r].follows)) r++;
  return r;
}

/* End all processes immediately. */
static void abort_all(int code) {
  if (here.group.rank > 0 && messages_held()[0] != '\0') {
    char held[MESSAGE_SIZE];
    snprintf(held, sizeof held, "%s", messages_held());
    messages_release();
    report(NULL, "process %zu: %s", here.group.rank, held);
  }
  fflush(NULL);
  MPI_Abort(MPI_COMM_WORLD, code);
}

int group_leave(int code) {
  if (here.group.size == 0) return code;
  struct farewell *own = &here.farewells[here.group.rank];
  elman_error error;
  *own = (struct farewell){.code = code, .follows = here.follows, .exchanges = here.exchanges};
  snprintf(own->message, sizeof own->message, "%s", messages_held());
  if (!here.broken && send_farewells(own, &error) != ELMAN_OK) code = report_error(&error);
  if (here.broken) abort_all(code);
  const size_t failed = find_failed();
  if (failed < here.group.size) code = here.farewells[failed].code;
  if (failed > 0 && failed < here.group.size && !here.follows && group_leads())
    report(NULL, "process %zu: %s", failed, here.farewells[failed].message);
  fflush(NULL);
  MPI_Finalize();
  return code;
}

/* ---- interface for commands ---- */

const elman_group *group_joined(void) {
  return here.group.size == 0 ? NULL : &here.group;
}

bool group_leads(void) {
  return here.group.rank == 0;
}

size_t group_threads(size_t asked) {
  return asked != 0 ? asked : here.threads;
}

uint64_t group_sent(void) {
  return here.sent;
}

double *group_timeout(void) {
  return &here.timeout;
}

int group_check_timeout(const struct usage *usage, const struct operands *operands) {
  (void)usage;
  (void)operands;
  return EX_OK;
}
