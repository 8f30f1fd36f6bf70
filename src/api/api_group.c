#include "api/call.h"
#include "base/group.h"
#include "model/ensemble.h"

elman_status elman_group_broadcast(const elman_group *group, void *bytes, size_t count,
                                   elman_error *error) {
  return group_broadcast(group, bytes, count, error);
}

elman_status elman_group_gather(const elman_group *group, void *bytes, const size_t *counts,
                                elman_error *error) {
  return group_gather(group, bytes, counts, error);
}

elman_status elman_group_agree(const elman_group *group, elman_status status, elman_error *error) {
  return group_agree(group, status, error);
}

elman_status elman_group_same_model(const elman_group *group, const elman_model *model,
                                    const elman_translate_options *options, elman_error *error) {
  const elman_translate_options defaults = translate_options_default();
  return same_model(group, inner_model_const(model), options == NULL ? &defaults : options, error);
}
