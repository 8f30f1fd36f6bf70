/* Messages of any size on their way between processes, and waiting for them. */
#ifndef ELMAN_CLI_MPI_PIECES_H
#define ELMAN_CLI_MPI_PIECES_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "elman.h"

/* Counts of MPI are int, so that long messages go in pieces; and with each that arrives, a slow
 * network shows that it is none that is silent. Start from all zero. */
struct pieces {
  struct piece {
    size_t peer;
    int size;
    bool received; /* or sent */
  } * list;
  MPI_Request *requests; /* MPI_REQUEST_NULL for what is over */
  MPI_Status *statuses;
  int *over; /* scratch */
  int count, room;
  size_t left; /* not over */
};

void pieces_clear(struct pieces *pieces);

/* Both begin, and give MPI_SUCCESS or another of MPI's results. Nothing is sent for no bytes. */
int pieces_receive(struct pieces *pieces, MPI_Comm world, int tag, size_t peer, elman_bytes bytes);
int pieces_send(struct pieces *pieces, MPI_Comm world, int tag, size_t peer, elman_bytes bytes);

/* Moves on what can be moved now. */
int pieces_test(struct pieces *pieces);

/* Whether anything to or from that process is not over. */
bool pieces_open(const struct pieces *pieces, size_t peer);

/* Takes back what others will never send or take. */
void pieces_abandon(struct pieces *pieces);

/* ---- patience ---- */

/* Waiting without taking the processor from those who could bring it to an end. */
struct patience {
  double seconds; /* that are left */
  double started, last;
  bool sleeps; /* it has been a while */
};

struct patience patience_start(double seconds);

/* A moment passes; false when none is left. */
bool patience_wait(struct patience *patience);

#endif
