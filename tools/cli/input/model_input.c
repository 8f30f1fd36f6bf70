#include "input/model_input.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "console/messages.h"

/* ---- models ---- */

const char *text_side_name(size_t index) {
  static const char *const names[] = {"source", "target"};
  return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

/* The folder of installed data; the build defines it. */
#ifndef ELMAN_DATA_FOLDER
#define ELMAN_DATA_FOLDER "/usr/share/elman/data"
#endif

bool example_model_find(char path[EXAMPLE_PATH], const char *name) {
  static const char *const folders[] = {"/../share/elman/data",
                                        "/../../data"}; /* relative to the folder of the program */
  char program[EXAMPLE_PATH / 2], place[EXAMPLE_PATH];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = '\0';
  const char *slash = strrchr(program, '/');
  for (size_t i = 0; slash != NULL && i < sizeof folders / sizeof *folders; i++) {
    snprintf(place, sizeof place, "%.*s%s/%s", (int)(slash - program), program, folders[i], name);
    if (access(place, R_OK) == 0 && realpath(place, path) != NULL) return true;
  }
  snprintf(path, EXAMPLE_PATH, "%s/%s", ELMAN_DATA_FOLDER, name);
  return access(path, R_OK) == 0;
}

int model_open(elman_model **model, const char *path) {
  elman_error error;
  if (elman_model_load(model, path, &error) == ELMAN_OK) return EX_OK;
  const int code = report_error(&error);
  char example[EXAMPLE_PATH];
  if (code != EX_NOINPUT || strcmp(path, DEFAULT_MODEL) != 0) return code;
  if (example_model_find(example, EXAMPLE_MODEL))
    print_info("'elman train' writes this file; name another model with -m FILE, such as %s",
               example);
  else
    print_info("'elman train' writes this file; name another model with -m FILE");
  return code;
}

int models_check(const struct models *models, const elman_translate_options *options) {
  if (!options->replace_unknown || elman_model_get_info(models->open[0]).writes_unknown)
    return EX_OK;
  report(models->paths.words[0],
         "the target side uses bpe and has no unknown words; remove --replace-unknown");
  return EX_USAGE;
}

int models_load(struct models *models, const elman_translate_options *options) {
  struct option_list *paths = &models->paths;
  elman_error error;
  for (size_t i = 0; i < paths->count; i++) {
    const int code = model_open(&models->open[i], paths->words[i]);
    if (code != EX_OK) return code;
    models->count++;
    if (elman_ensemble_check(models->open[0], models->open[i], &error) == ELMAN_OK) continue;
    report(paths->words[i], "differs from %s: %s", paths->words[0], error.message);
    return exit_code_of(error.code);
  }
  return models_check(models, options);
}

int models_open(struct models *models, elman_translate_options *options) {
  int code = models_load(models, options);
  if (code == EX_OK) code = search_options_adopt(options, &models->given, models->open[0]);
  if (code != EX_OK) return code;
  options->ensemble = (const elman_model *const *)models->open + 1;
  options->ensemble_count = models->count - 1;
  return EX_OK;
}

void models_close(struct models *models) {
  while (models->count > 0) elman_model_free(models->open[--models->count]);
}

/* ---- series of models ---- */

static int add_path(struct model_series *series, const char *path, const char *suffix) {
  char **more = reallocarray(series->paths, series->count + 1, sizeof *more);
  if (more == NULL) return report_no_memory();
  series->paths = more;
  if (asprintf(&more[series->count], "%s%s", path, suffix) < 0) return report_no_memory();
  series->count++;
  return EX_OK;
}

/* Return whether file a was changed after file b. */
static bool is_newer(const char *a, const char *b) {
  struct stat x, y;
  if (stat(a, &x) != 0 || stat(b, &y) != 0) return false;
  return x.st_mtim.tv_sec != y.st_mtim.tv_sec ? x.st_mtim.tv_sec > y.st_mtim.tv_sec
                                              : x.st_mtim.tv_nsec > y.st_mtim.tv_nsec;
}

/* Remove the last path if it is a snapshot of another run than the model's: if it has other words,
 * fewer updates than its name says, or more updates than the model although it is older. Return an
 * exit code; print a message if it is not 0, and a note on a path that is removed. */
static int check_snapshot(struct model_series *series, uint64_t update, const elman_model *model,
                          const char *model_path) {
  char *path = series->paths[series->count - 1];
  elman_model *snapshot;
  elman_error error;
  const int code = model_open(&snapshot, path);
  if (code != EX_OK) return code;
  const uint64_t updates = elman_model_get_info(snapshot).history.updates;
  const bool late = updates > elman_model_get_info(model).history.updates;
  const bool same = updates >= update && !(late && !is_newer(path, model_path)) &&
                    elman_ensemble_check(model, snapshot, &error) == ELMAN_OK;
  elman_model_free(snapshot);
  if (same) return EX_OK;
  note("%s is left out: it is a snapshot of another run", path);
  free(path);
  series->count--;
  return EX_OK;
}

/* Add the snapshots of a model in ascending order of updates. versionsort compares the digits in
 * names as numbers. */
static int add_snapshots(struct model_series *series, const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash == NULL ? path : slash + 1;
  char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
  if (folder == NULL) return report_no_memory();
  struct dirent **entries;
  const int found = scandir(folder, &entries, NULL, versionsort);
  free(folder);
  if (found < 0 && errno == ENOMEM) return report_no_memory();
  elman_model *model = NULL;
  int code = found > 0 ? model_open(&model, path) : EX_OK;
  for (int i = 0; i < found; i++) {
    const char *name = entries[i]->d_name;
    uint64_t update;
    if (code == EX_OK && elman_snapshot_update(&update, name, base)) {
      code = add_path(series, path, name + strlen(base));
      if (code == EX_OK) code = check_snapshot(series, update, model, path);
    }
    free(entries[i]);
  }
  if (found >= 0) free(entries);
  elman_model_free(model);
  return code;
}

int model_series_list(struct model_series *series, const struct option_list *paths) {
  int code = EX_OK;
  for (size_t i = 0; i < paths->count && code == EX_OK; i++) {
    code = add_snapshots(series, paths->words[i]);
    if (code == EX_OK) code = add_path(series, paths->words[i], "");
  }
  return code;
}

void model_series_free(struct model_series *series) {
  for (size_t i = 0; i < series->count; i++) free(series->paths[i]);
  free(series->paths);
  *series = (struct model_series){0};
}

/* ---- warnings ---- */

void warnings_add(struct warnings *warnings, const elman_model *model,
                  const elman_translation *translation, size_t number) {
  const elman_warning warning = elman_translation_warning(model, translation);
  struct warned *of = &warnings->of[warning.kind];
  warnings->texts++;
  if (warning.kind == ELMAN_WARNING_NONE || of->count++ > 0) return;
  of->first = number;
  memcpy(of->message, warning.message, sizeof of->message);
}

void warnings_note(const struct warnings *warnings, const char *texts) {
  for (size_t kind = ELMAN_WARNING_NONE + 1; kind <= ELMAN_WARNING_IMPROBABLE; kind++) {
    const struct warned *of = &warnings->of[kind];
    if (of->count == 0) continue;
    if (texts == NULL)
      note("%s", of->message);
    else if (of->count == 1)
      note("%s %zu: %s", texts, of->first, of->message);
    else
      note("%s %zu and %zu more of %zu: %s", texts, of->first, of->count - 1, warnings->texts,
           of->message);
  }
}

/* ---- unknown words ---- */

static void cut_to_fit(char name[UNKNOWN_SIZE], const char *token, size_t length) {
  if (length >= UNKNOWN_SIZE) {
    length = UNKNOWN_SIZE - 1;
    while (length > 0 && ((unsigned char)token[length] & 0xc0) == 0x80) length--;
  }
  memcpy(name, token, length);
  name[length] = '\0';
}

static void add_name(struct unknown_side *words, const char *token, size_t length) {
  if (words->named == UNKNOWN_NAMED) return;
  char *name = words->names[words->named];
  cut_to_fit(name, token, length);
  for (size_t i = 0; i < words->named; i++)
    if (strcmp(words->names[i], name) == 0) return;
  words->named++;
}

static void add_target(struct unknown_side *words, const elman_translation *translation) {
  const size_t count =
      translation->target_count - (translation->ended ? 1 : 0); /* number of tokens without </s> */
  words->tokens += count;
  for (size_t t = 0; t < count; t++) {
    const char *token = translation->target_tokens[t];
    if (translation->target_ids[t] != 0) continue;
    words->unknown++;
    add_name(words, token, strlen(token));
  }
}

void unknown_words_add(struct unknown_words *words, const elman_translation *translation) {
  struct unknown_side *source = &words->source;
  source->tokens += translation->source_count;
  for (size_t s = 0; s < translation->source_count; s++) {
    if (translation->source_known[s]) continue;
    source->unknown++;
    /* Use the text as typed, because normalization may have changed it. */
    const size_t start = translation->source_starts[s];
    add_name(source, translation->source + start, translation->source_ends[s] - start);
  }
  if (translation->forced) add_target(&words->target, translation);
}

static void note_side(const struct unknown_side *words, const char *vocabulary,
                      elman_token_mode mode) {
  char list[UNKNOWN_NAMED * (UNKNOWN_SIZE + 2)];
  size_t used = 0;
  if (words->unknown == 0) return;
  for (size_t i = 0; i < words->named; i++)
    used +=
        (size_t)snprintf(list + used, sizeof list - used, i == 0 ? "%s" : ", %s", words->names[i]);
  note("not in the %s: %s%s (%zu of %zu %s%s)", vocabulary, list,
       words->named == UNKNOWN_NAMED ? ", ..." : "", words->unknown, words->tokens,
       mode == ELMAN_TOKENS_CHARS ? "character" : "word", plural(words->tokens));
}

void unknown_words_note(const struct unknown_words *words, const elman_model *model) {
  const elman_model_info info = elman_model_get_info(model);
  note_side(&words->source, "vocabulary", info.source_tokens);
  note_side(&words->target, "target vocabulary", info.target_tokens);
}
