/* Set up threads and floating-point mode for the duration of a public call, and restore them
 * afterwards. */
#ifndef ELMAN_API_CALL_H
#define ELMAN_API_CALL_H

#include "base/team.h"
#include "elman.h"
#include "model/model.h"
#include "translate/translator.h"

/* State to restore after a call: the previous team and treatment of denormals. */
struct surroundings {
  struct team *team;
  struct team *own; /* this call's team; NULL if one thread is enough or a caller keeps the team */
  unsigned denormals;
};

/* Set up a team for a call. It has `threads` threads; 0 = one per processor. `work` is the number
 * of multiplications in the call's largest product. If this work is too little for several threads,
 * use one thread. If this function succeeds, the caller must call leave() at the end. */
elman_status enter(struct surroundings *before, size_t threads, double work,
                   elman_error *error) CHECKED;
void leave(struct surroundings before);

/* A team that is kept for later calls. The owner initializes the struct with zeros and frees the
 * team. */
struct kept_team {
  struct team *team; /* NULL until a call has enough work */
  size_t threads;    /* number of threads requested when the team was made */
};

/* Set up as enter() does, but keep the team for later calls. Replace the kept team if another
 * number of threads is requested. */
elman_status enter_with(struct surroundings *before, struct kept_team *kept, size_t threads,
                        double work, elman_error *error) CHECKED;

/* Return the team of a call for later calls; NULL = a single thread. The caller frees it. */
struct team *keep_team(struct surroundings *before);

/* Set up with a team that was kept. */
void enter_again(struct surroundings *before, struct team *kept);

#endif
