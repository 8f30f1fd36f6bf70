/* Models that are kept beside an output: which of them stay. */
#include "check.h"

#include <stdio.h>
#include <unistd.h>

#include "folder.h"
#include "train/kept.h"

TestSuite(kept, .init = enter_folder, .fini = leave_folder);

static void make(const char *name) {
  FILE *file = fopen(name, "w");
  cr_assert(file != NULL && fclose(file) == 0);
}

static bool is_there(const char *name) {
  return access(name, F_OK) == 0;
}

Test(kept, the_last_stay_and_later_ones_go) {
  static const char *const names[] = {"m.update9", "m.update10", "m.update100", "m.update101"};
  size_t removed;
  for (size_t i = 0; i < 4; i++) make(names[i]);
  cr_assert_eq(kept_prune(&removed, "m", 100, 2, NULL), ELMAN_OK);
  cr_assert_eq(removed, 1);
  cr_assert(!is_there(names[0]) && is_there(names[1]) && is_there(names[2]) && !is_there(names[3]));
  cr_assert_eq(kept_prune(&removed, "./m", 0, 2, NULL), ELMAN_OK);
  cr_assert_eq(removed, 2);
  cr_assert(!is_there(names[1]) && !is_there(names[2]));
}

/* Names that are not written like this belong to somebody else. */
Test(kept, other_files_stay) {
  static const char *const names[] = {"m.update",   "m.update0",  "m.update07",
                                      "m.update7x", "m.update-7", "m.update99999999999999999999",
                                      "mm.update7", "m.updates7", "m",
                                      "m.Update7",  "m.update 7", "n.update7"};
  size_t removed;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) make(names[i]);
  cr_assert_eq(kept_prune(&removed, "m", 0, 1, NULL), ELMAN_OK);
  cr_assert_eq(removed, 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) cr_assert(is_there(names[i]));
}

Test(kept, what_is_no_model_is_counted) {
  elman_history longest = {.work = 1};
  size_t count;
  make("m.update7");
  make("m.update8");
  make("m.updates8");
  cr_assert_eq(kept_look(&longest, &count, "m", NULL), ELMAN_OK);
  cr_assert_eq(count, 2);
  cr_assert_eq(longest.work, 0);
}

Test(kept, a_folder_that_is_not_there_is_told) {
  size_t removed;
  elman_error error;
  cr_assert_eq(kept_prune(&removed, "none/m", 0, 1, &error), ELMAN_CANNOT_CREATE);
  cr_assert_str_eq(error.where, "none/");
}
