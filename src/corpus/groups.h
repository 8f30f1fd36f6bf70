/* Which of n things belong together (union–find). */
#ifndef ELMAN_CORPUS_GROUPS_H
#define ELMAN_CORPUS_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct groups {
  uint32_t *parents; /* (count); the parent of a root is the root itself */
  size_t count;
};

/* At first everything is a group of its own. */
elman_status groups_create(struct groups *groups, size_t count, elman_error *error) CHECKED;
void groups_free(struct groups *groups);

/* The first member of the group, which stands for it. */
size_t groups_find(struct groups *groups, size_t member);
void groups_join(struct groups *groups, size_t a, size_t b);

#endif
