#include "corpus/groups.h"

#include <stdlib.h>

elman_status groups_create(struct groups *groups, size_t count, elman_error *error) {
  *groups = (struct groups){0};
  if (count > UINT32_MAX)
    return fail(error, ELMAN_BAD_DATA, NULL, "there are more than %zu pairs", (size_t)UINT32_MAX);
  groups->parents = reallocarray(NULL, count + 1, sizeof *groups->parents);
  if (groups->parents == NULL) return fail_no_memory(error);
  groups->count = count;
  for (size_t i = 0; i < count; i++) groups->parents[i] = (uint32_t)i;
  return ELMAN_OK;
}

void groups_free(struct groups *groups) {
  free(groups->parents);
  *groups = (struct groups){0};
}

/* Path halving, with which a step takes the logarithm of the number of joins. */
size_t groups_find(struct groups *groups, size_t member) {
  uint32_t *parents = groups->parents;
  while (parents[member] != member) {
    parents[member] = parents[parents[member]];
    member = parents[member];
  }
  return member;
}

void groups_join(struct groups *groups, size_t a, size_t b) {
  const size_t root_a = groups_find(groups, a), root_b = groups_find(groups, b);
  /* A parent never stands behind its child, so that a root is the first of its group. */
  if (root_a < root_b)
    groups->parents[root_b] = (uint32_t)root_a;
  else
    groups->parents[root_a] = (uint32_t)root_b;
}
