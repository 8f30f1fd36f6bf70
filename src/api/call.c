#include "api/call.h"

#include "tensor/blas_kernels.h"
#include "tensor/product.h"

/* Make a team. It never has more members than there are processors, because more members would only
 * slow it down. */
static elman_status make_team(struct team **team, size_t threads, double work, elman_error *error) {
  const size_t limit = is_worth_sharing(work) ? processors_usable() : 1;
  const size_t members = threads == 0 || threads > limit ? limit : threads;
  elman_status status = product_kernel_check(error);
  if (status == ELMAN_OK) status = blas_reserve(members, error);
  *team = NULL;
  return status != ELMAN_OK || members == 1 ? status : team_create(team, members, error);
}

static void begin(struct surroundings *before, struct team *team) {
  before->team = team_use(team);
  before->denormals = denormals_to_zero();
}

elman_status enter(struct surroundings *before, size_t threads, double work, elman_error *error) {
  *before = (struct surroundings){0};
  const elman_status status = make_team(&before->own, threads, work, error);
  if (status == ELMAN_OK) begin(before, before->own);
  return status;
}

elman_status enter_with(struct surroundings *before, struct kept_team *kept, size_t threads,
                        double work, elman_error *error) {
  elman_status status = ELMAN_OK;
  *before = (struct surroundings){0};
  if (kept->threads != threads) {
    team_free(kept->team);
    *kept = (struct kept_team){.threads = threads};
  }
  if (kept->team == NULL) status = make_team(&kept->team, threads, work, error);
  if (status == ELMAN_OK) begin(before, kept->team);
  return status;
}

struct team *keep_team(struct surroundings *before) {
  struct team *team = before->own;
  before->own = NULL;
  return team;
}

void enter_again(struct surroundings *before, struct team *kept) {
  *before = (struct surroundings){0};
  begin(before, kept);
}

void leave(struct surroundings before) {
  denormals_restore(before.denormals);
  (void)team_use(before.team);
  team_free(before.own);
}
