#include "group/mpi_pieces.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "console/terminal.h"

static const size_t MOST_BYTES = (size_t)1 << 26;

/* ---- messages ---- */

void pieces_clear(struct pieces *pieces) {
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

/* Calls `begin` for each piece. */
static int add(struct pieces *pieces, MPI_Comm world, int tag, size_t peer, elman_bytes bytes,
               bool received) {
  for (size_t done = 0; done < bytes.count;) {
    const size_t rest = bytes.count - done;
    const int size = (int)(rest < MOST_BYTES ? rest : MOST_BYTES);
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

int pieces_receive(struct pieces *pieces, MPI_Comm world, int tag, size_t peer, elman_bytes bytes) {
  return add(pieces, world, tag, peer, bytes, true);
}

int pieces_send(struct pieces *pieces, MPI_Comm world, int tag, size_t peer, elman_bytes bytes) {
  return add(pieces, world, tag, peer, bytes, false);
}

/* The size of what came: a process that does something else sends something else. */
static int check_size(const struct piece *piece, const MPI_Status *status) {
  int size;
  if (!piece->received) return MPI_SUCCESS;
  const int result = MPI_Get_count(status, MPI_BYTE, &size);
  if (result != MPI_SUCCESS) return result;
  return size == piece->size ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

int pieces_test(struct pieces *pieces) {
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

bool pieces_open(const struct pieces *pieces, size_t peer) {
  for (int i = 0; i < pieces->count; i++)
    if (pieces->list[i].peer == peer && pieces->requests[i] != MPI_REQUEST_NULL) return true;
  return false;
}

void pieces_abandon(struct pieces *pieces) {
  for (int i = 0; i < pieces->count; i++) {
    if (pieces->requests[i] == MPI_REQUEST_NULL) continue;
    if (pieces->list[i].received) MPI_Cancel(&pieces->requests[i]);
    MPI_Request_free(&pieces->requests[i]);
  }
  pieces_clear(pieces);
}

/* ---- patience ---- */

/* Longer than a short message takes between processes that are both at it. */
static const double AWAKE = 1e-4;
enum { NAP_NS = 50000 };

struct patience patience_start(double seconds) {
  const double started = now();
  return (struct patience){.seconds = seconds, .started = started, .last = started};
}

bool patience_wait(struct patience *patience) {
  patience->sleeps = now() - patience->started > AWAKE;
  if (patience->sleeps)
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
  else
    sched_yield();
  /* Time in which the whole program was stopped is not the others' silence. */
  const double time = now(), passed = time - patience->last;
  patience->last = time;
  patience->seconds -= passed < 1 ? passed : 1;
  return patience->seconds > 0;
}
