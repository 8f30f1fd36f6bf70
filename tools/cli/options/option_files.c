#include "options/option_files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "console/output.h"
#include "options/option.h"

/* ---- files of a command line ---- */

struct named_file {
  enum option_use use;
  const char *option;
  char *path;
  bool beside; /* the path is derived from the option's value */
};

struct named_files {
  struct named_file *list;
  size_t count;
  bool no_memory;
};

/* Add a path and take ownership of it. A `path` of NULL means that memory ran out. */
static void add_path(struct named_files *files, enum option_use use, const char *option, char *path,
                     bool beside) {
  struct named_file *more = reallocarray(files->list, files->count + 1, sizeof *more);
  if (more != NULL) files->list = more;
  if (more == NULL || path == NULL) {
    files->no_memory = true;
    free(path);
    return;
  }
  more[files->count++] = (struct named_file){use, option, path, beside};
}

static void add(struct named_files *files, enum option_use use, const char *option,
                const char *path) {
  const bool standard = strcmp(path, "-") == 0;
  if (standard && use != FILE_IS_READ) return;
  add_path(files, use, option, strdup(standard ? "/dev/stdin" : path), false);
}

/* Add the names derived from `path`, for example "PREFIX.train.tsv". For a prefix that ends in a
 * slash, the name is "DIRECTORY/train.tsv". */
static void add_beside(struct named_files *files, const struct option *option, const char *path) {
  const size_t length = strlen(path);
  const bool directory = length > 0 && path[length - 1] == '/';
  for (const char *const *suffix = option->beside; suffix != NULL && *suffix != NULL; suffix++) {
    char *name;
    if (asprintf(&name, "%s%s", path, *suffix + (directory && **suffix == '.')) < 0) name = NULL;
    add_path(files, option->use, option->name, name, true);
  }
}

/* Return whether the value of an option for a column or a file is a number, and therefore a
 * column. */
static bool names_column(const struct option *option, const char *value) {
  uint64_t number;
  return strchr(option->argument, '|') != NULL && parse_whole_number(value, &number);
}

static void add_option(struct named_files *files, const struct option *option,
                       bool reads_standard) {
  const char *value = option->text != NULL ? *option->text : NULL;
  if (option->list != NULL) {
    for (size_t i = 0; i < option->list->count; i++)
      add(files, option->use, option->name, option->list->words[i]);
  } else if (value == NULL) {
    if (reads_standard && option->use == FILE_IS_READ && option->default_words != NULL &&
        strcmp(option->default_words, "standard input") == 0)
      add(files, option->use, option->name, "-");
  } else if (!names_column(option, value) &&
             (value[0] != '\0' || strchr(option->argument, '|') == NULL)) {
    if (option->use != FILE_IS_PREFIX) add(files, option->use, option->name, value);
    if (strcmp(value, "-") != 0) add_beside(files, option, value);
    char place[PATH_MAX];
    if (option->use == FILE_IS_MODEL && strcmp(value, "-") != 0 &&
        elman_file_resolve(place, sizeof place, value, NULL) == ELMAN_OK &&
        strcmp(place, value) != 0)
      add_beside(files, option, place);
  }
}

static bool gather(struct named_files *files, const struct usage *usage,
                   const struct operands *operands, const struct extra_file *extra, size_t count) {
  *files = (struct named_files){0};
  for (const struct option *option = usage->options; option->name != NULL; option++)
    if (option->use != FILE_IS_NONE) add_option(files, option, operands->count == 0);
  for (size_t i = 0; usage->reads_operands && i < operands->count; i++)
    add(files, FILE_IS_READ, NULL, operands->words[i]);
  if (usage->reads_operands && operands->count == 0) add(files, FILE_IS_READ, NULL, "-");
  for (size_t i = 0; i < count; i++)
    if (extra[i].path != NULL) add(files, extra[i].use, extra[i].option, extra[i].path);
  return !files->no_memory;
}

static void named_files_free(struct named_files *files) {
  for (size_t i = 0; i < files->count; i++) free(files->list[i].path);
  free(files->list);
}

/* ---- identity of files ---- */

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

/* Return whether both paths are in the same directory. */
static bool are_siblings(const char *path, const char *other) {
  const char *paths[] = {path, other};
  struct stat info[2];
  for (size_t i = 0; i < 2; i++) {
    const size_t length = (size_t)(base_of(paths[i]) - paths[i]);
    char *directory = length == 0 ? strdup(".") : strndup(paths[i], length);
    const bool found = directory != NULL && stat(directory, &info[i]) == 0;
    free(directory);
    if (!found) return false;
  }
  return info[0].st_dev == info[1].st_dev && info[0].st_ino == info[1].st_ino;
}

/* Return whether the paths name the same file if '#' at the end of `path` matches any digits. */
static bool matches_numbered(const char *path, const char *other) {
  const char *base = base_of(path), *name = base_of(other);
  const size_t length = strlen(base) - 1;
  if (strncmp(base, name, length) != 0) return false;
  const size_t digits = strspn(name + length, "0123456789");
  return digits > 0 && name[length + digits] == '\0' && are_siblings(path, other);
}

/* Return whether two paths without a file lead to the same name, also through symbolic links. */
static bool is_same_name(const char *path, const char *other) {
  char place[PATH_MAX], other_place[PATH_MAX];
  return elman_file_resolve(place, sizeof place, path, NULL) == ELMAN_OK &&
         elman_file_resolve(other_place, sizeof other_place, other, NULL) == ELMAN_OK &&
         strcmp(base_of(place), base_of(other_place)) == 0 && are_siblings(place, other_place);
}

static bool is_same_file(const struct named_file *written, const struct named_file *other) {
  const char *path = written->path, *name = other->path;
  struct stat info;
  if (written->beside && path[strlen(path) - 1] == '#') return matches_numbered(path, name);
  if (output_is(path, name)) return true;
  return stat(path, &info) != 0 && stat(name, &info) != 0 && is_same_name(path, name);
}

/* ---- the check ---- */

static int refuse(const struct usage *usage, const struct named_file *written,
                  const struct named_file *other) {
  if (other->option == NULL) {
    /* the name of the operands, for example PAIRS in "[options] PAIRS..." */
    const char *last = strrchr(usage->operands, ' '), *operand = last + strspn(last, " [");
    return report_usage(usage->command,
                        "--%s: '%s' is also an input file (%.*s); name another file",
                        written->option, written->path, (int)strcspn(operand, ".]"), operand);
  }
  return report_usage(usage->command, "--%s: '%s' is %s --%s; name another file", written->option,
                      written->path,
                      other->use == FILE_IS_READ || other->use == FILE_IS_START ? "read by"
                      : other->beside                                           ? "written beside"
                                                                                : "written by",
                      other->option);
}

static bool is_read(const struct named_file *file) {
  return file->use == FILE_IS_READ || file->use == FILE_IS_START;
}

/* Return whether `written` must not be written because it is the same file as `other`. A training
 * run may overwrite its initial model, both with the output model and with a snapshot. */
static bool conflict(const struct named_file *written, const struct named_file *other) {
  if (is_read(written)) return false;
  if (other->use == FILE_IS_START && written->use == FILE_IS_MODEL) return false;
  if (written->option == other->option && !is_read(other)) return false;
  /* If two outputs are the same file, report the later option; if one of the names is derived,
   * report the option whose name is not. */
  if (!is_read(other) && (written->beside || (!other->beside && written < other))) return false;
  return is_same_file(written, other) ||
         (other->beside && !is_read(other) && is_same_file(other, written));
}

/* Refuse a redirection of standard output to a file that the command reads. The command would read
 * its own output, perhaps without end. */
static int check_standard_output(const struct usage *usage, const struct named_files *files) {
  for (size_t i = 0; i < files->count; i++)
    if (is_read(&files->list[i]) && output_is(files->list[i].path, "/dev/stdout"))
      return report_usage(usage->command,
                          "standard output is redirected to '%s', which is also an input file; "
                          "redirect it to another file",
                          files->list[i].path);
  return EX_OK;
}

static int check_names(const struct usage *usage, const struct named_files *files) {
  for (size_t i = 0; i < files->count; i++) {
    const struct named_file *file = &files->list[i];
    if (file->path[0] != '\0') continue;
    return file->option == NULL
               ? report_usage(usage->command, "'' is not the name of a file")
               : report_usage(usage->command, "--%s: '' is not the name of a file", file->option);
  }
  return EX_OK;
}

/* ---- existing files ---- */

/* Return whether the name is that of a compressed file, which no command writes. */
static bool is_compressed(const char *path) {
  static const char *const suffixes[] = {".gz", ".bz2", ".xz", ".zst", ".zip"};
  const size_t length = strlen(path);
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    const size_t size = strlen(suffixes[i]);
    if (length > size && strcasecmp(path + length - size, suffixes[i]) == 0) return true;
  }
  return false;
}

/* Report every file that would be replaced, because all parts of a split share one --force. */
static int check_written(const struct usage *usage, const struct named_files *files) {
  bool written = false;
  int code = EX_OK;
  for (size_t i = 0; i < files->count; i++) {
    const struct named_file *file = &files->list[i];
    if (is_read(file)) continue;
    written = true;
    if (is_compressed(file->path))
      return report_usage(usage->command,
                          "--%s: '%s': no command writes compressed files; name the file without "
                          "the last suffix, and compress it afterwards",
                          file->option, file->path);
    const bool guarded = file->use == FILE_IS_WRITTEN || file->use == FILE_IS_PREFIX;
    if (guarded && output_check_free(file->path) != EX_OK) code = EX_CANTCREAT;
  }
  if (output_force && !written)
    return report_usage(usage->command, "--force needs an output file; name it with --output");
  return code;
}

int options_check_files(const struct usage *usage, const struct operands *operands,
                        const struct extra_file *extra, size_t count) {
  struct named_files files;
  int code = EX_OK;
  if (!gather(&files, usage, operands, extra, count)) code = report_no_memory();
  if (code == EX_OK) code = check_names(usage, &files);
  for (size_t i = 0; i < files.count && code == EX_OK; i++)
    for (size_t k = 0; k < files.count && code == EX_OK; k++)
      if (k != i && conflict(&files.list[i], &files.list[k]))
        code = refuse(usage, &files.list[i], &files.list[k]);
  if (code == EX_OK) code = check_standard_output(usage, &files);
  if (code == EX_OK) code = check_written(usage, &files);
  named_files_free(&files);
  return code;
}
