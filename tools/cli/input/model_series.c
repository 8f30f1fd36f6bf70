#include "input/model_series.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

static int add(struct model_series *series, const char *path, const char *suffix) {
  char **more = reallocarray(series->paths, series->count + 1, sizeof *more);
  if (more == NULL) return report_no_memory();
  series->paths = more;
  if (asprintf(&more[series->count], "%s%s", path, suffix) < 0) return report_no_memory();
  series->count++;
  return EX_OK;
}

/* Rising, since versionsort reads numbers. */
static int add_kept(struct model_series *series, const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash == NULL ? path : slash + 1;
  char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
  if (folder == NULL) return report_no_memory();
  struct dirent **entries;
  const int found = scandir(folder, &entries, NULL, versionsort);
  free(folder);
  if (found < 0 && errno == ENOMEM) return report_no_memory();
  int code = EX_OK;
  for (int i = 0; i < found; i++) {
    const char *name = entries[i]->d_name;
    uint64_t update;
    if (code == EX_OK && elman_kept_update(&update, name, base))
      code = add(series, path, name + strlen(base));
    free(entries[i]);
  }
  if (found >= 0) free(entries);
  return code;
}

int model_series_list(struct model_series *series, const struct option_list *paths) {
  int code = EX_OK;
  for (size_t i = 0; i < paths->count && code == EX_OK; i++) {
    code = add_kept(series, paths->words[i]);
    if (code == EX_OK) code = add(series, paths->words[i], "");
  }
  return code;
}

void model_series_free(struct model_series *series) {
  for (size_t i = 0; i < series->count; i++) free(series->paths[i]);
  free(series->paths);
  *series = (struct model_series){0};
}
