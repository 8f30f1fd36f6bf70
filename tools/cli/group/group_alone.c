/* The group in a build without MPI: there is only one process. */
#include <sysexits.h>

#include "console/messages.h"
#include "group/group.h"
#include "group/launcher.h"

static double timeout = 600;

int group_join(void) {
  return launcher_refuse("this elman was built without MPI", "build with -DELMAN_MPI=ON");
}

int group_leave(int code) {
  return code;
}

const elman_group *group_joined(void) {
  return NULL;
}

bool group_leads(void) {
  return true;
}

size_t group_threads(size_t asked) {
  return asked;
}

uint64_t group_sent(void) {
  return 0;
}

double *group_timeout(void) {
  return &timeout;
}

int group_check_timeout(const struct usage *usage, const struct operands *operands) {
  if (!option_given(usage, operands, "timeout")) return EX_OK;
  return report_usage(usage->command, "--timeout needs several processes, but this elman was built "
                                      "without MPI; remove --timeout, or build with "
                                      "-DELMAN_MPI=ON");
}
