/* Threads and floating-point mode, set for the length of a public call. */
#ifndef ELMAN_API_CALL_H
#define ELMAN_API_CALL_H

#include "base/team.h"
#include "corpus/pairs.h"
#include "elman.h"
#include "model/model.h"
#include "translate/translator.h"

/* The team in use and the treatment of denormals, as they were before the call. */
struct surroundings {
  struct team *team;
  struct team *own; /* of this call; NULL: one thread is enough, or the team is kept elsewhere */
  unsigned denormals;
};

/* Gives the call a team of so many threads, 0 = one a processor; `work` = multiplications in the
 * largest product: if these are not worth sharing, one thread does it all. To be left unless it
 * fails. */
elman_status enter(struct surroundings *before, size_t threads, double work,
                   elman_error *error) CHECKED;
void leave(struct surroundings before);

/* A team that is kept for calls to come; all zero at first, and the caller's to free. */
struct kept_team {
  struct team *team; /* NULL until it is worth it */
  size_t threads;    /* that were asked for when it was made */
};

/* The same with such a team, which is made anew where another number of threads is asked for. */
elman_status enter_with(struct surroundings *before, struct kept_team *kept, size_t threads,
                        double work, elman_error *error) CHECKED;

/* The public handles are the internal structs under another name. */
static inline struct pairs *inner_pairs(elman_pairs *pairs) {
  return (struct pairs *)pairs;
}

static inline const struct pairs *inner_pairs_const(const elman_pairs *pairs) {
  return (const struct pairs *)pairs;
}

#endif
