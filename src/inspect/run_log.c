/* A log is read into a list of entries (row, key, number), because the keys of its events differ.
 */
#include "inspect/run_log.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

enum { MOST_KEYS = 64, LONGEST_LINE = 1 << 16 };

struct log_entry {
  size_t row;
  unsigned key;
  double number;
};

struct elman_run_log {
  char *path;
  char *keys[MOST_KEYS];
  unsigned char *events; /* an enum run_event for each row */
  size_t rows, row_capacity;
  struct log_entry *entries; /* by ascending row */
  size_t entry_count, entry_capacity;
  size_t skipped;
};

void elman_run_log_free(elman_run_log *log) {
  if (log == NULL) return;
  for (size_t i = 0; i < MOST_KEYS; i++) free(log->keys[i]);
  free(log->path);
  free(log->events);
  free(log->entries);
  free(log);
}

size_t elman_run_log_skipped(const elman_run_log *log) {
  return log->skipped;
}

const char *run_log_path(const elman_run_log *log) {
  return log->path;
}

const char *run_log_key(const elman_run_log *log, size_t index) {
  return index < MOST_KEYS ? log->keys[index] : NULL;
}

/* ---- rows and entries ---- */

/* Return the index of a key, MOST_KEYS if the log does not have it. */
static size_t key_find(const elman_run_log *log, struct text name) {
  size_t i = 0;
  while (i < MOST_KEYS && log->keys[i] != NULL && !text_equal(text_of(log->keys[i]), name)) i++;
  return i < MOST_KEYS && log->keys[i] != NULL ? i : MOST_KEYS;
}

/* Add a number to the last row. Ignore a new key if the log has too many keys. */
static elman_status entry_add(elman_run_log *log, struct text name, double number,
                              elman_error *error) {
  size_t key = key_find(log, name);
  if (key == MOST_KEYS) {
    for (key = 0; key < MOST_KEYS && log->keys[key] != NULL;) key++;
    if (key == MOST_KEYS) return ELMAN_OK;
    log->keys[key] = strndup(name.bytes, name.length);
    if (log->keys[key] == NULL) return fail_no_memory(error);
  }
  const elman_status status = array_grow(&log->entries, &log->entry_capacity, log->entry_count + 1,
                                         sizeof *log->entries, error);
  if (status == ELMAN_OK)
    log->entries[log->entry_count++] = (struct log_entry){log->rows - 1, (unsigned)key, number};
  return status;
}

/* Add a row for an event. Set *added to whether the event has curves. */
static elman_status row_add(elman_run_log *log, struct text event, bool *added,
                            elman_error *error) {
  static const char *const names[RUN_EVENTS] = {"update", "validation"};
  size_t kind = 0;
  while (kind < RUN_EVENTS && !text_equal(text_of(names[kind]), event)) kind++;
  *added = kind < RUN_EVENTS;
  if (!*added) return ELMAN_OK;
  const elman_status status =
      array_grow(&log->events, &log->row_capacity, log->rows + 1, sizeof *log->events, error);
  if (status == ELMAN_OK) log->events[log->rows++] = (unsigned char)kind;
  return status;
}

/* ---- lines ---- */

static elman_status read_object_line(elman_run_log *log, struct text line, elman_error *error) {
  json_t *object = NULL, *value;
  const char *key;
  bool added = false;
  elman_status status = read_json(&object, line, error);
  if (status == ELMAN_NO_MEMORY) return status;
  const char *event = json_string_value(json_object_get(object, "event"));
  if (event == NULL)
    log->skipped++;
  else
    status = row_add(log, text_of(event), &added, error);
  if (status == ELMAN_OK && added) {
    json_object_foreach(object, key, value) {
      if (!json_is_number(value)) continue;
      status = entry_add(log, text_of(key), json_number_value(value), error);
      if (status != ELMAN_OK) break;
    }
  }
  json_decref(object);
  return event == NULL ? ELMAN_OK : status;
}

static size_t count_columns(struct text line) {
  size_t count = 1;
  for (size_t i = 0; i < line.length; i++) count += line.bytes[i] == ',';
  return count;
}

/* Read a row of CSV whose columns are those of the header. No field of a log has quotes. */
static elman_status read_csv_line(elman_run_log *log, struct text line, struct text header,
                                  elman_error *error) {
  bool added;
  if (count_columns(line) != count_columns(header)) {
    log->skipped++;
    return ELMAN_OK;
  }
  (void)text_cut(&header, ',');
  elman_status status = row_add(log, text_cut(&line, ','), &added, error);
  while (status == ELMAN_OK && added && header.length > 0) {
    const struct text name = text_cut(&header, ','), field = text_cut(&line, ',');
    json_t *number = NULL;
    if (field.length == 0) continue;
    status = read_json(&number, field, error);
    if (status == ELMAN_OK && json_is_number(number))
      status = entry_add(log, name, json_number_value(number), error);
    else if (status != ELMAN_NO_MEMORY)
      status = ELMAN_OK; /* text, such as the signature of BLEU */
    json_decref(number);
  }
  return status;
}

static elman_status read_lines(elman_run_log *log, struct text content, elman_error *error) {
  static const char CSV[] = "event,";
  struct text header = {0};
  elman_status status = ELMAN_OK;
  while (status == ELMAN_OK && content.length > 0) {
    struct text line = text_cut(&content, '\n');
    if (line.length > 0 && line.bytes[line.length - 1] == '\r') line.length--;
    if (line.length == 0) continue;
    if (line.length >= sizeof CSV - 1 && memcmp(line.bytes, CSV, sizeof CSV - 1) == 0)
      header = line;
    else if (header.length > 0)
      status = read_csv_line(log, line, header, error);
    else
      status = read_object_line(log, line, error);
  }
  return status;
}

elman_status elman_run_log_read(elman_run_log **log, const char *path, elman_error *error) {
  const struct text_limits limits = {.line = LONGEST_LINE, .fixed = true};
  struct buffer content = {0};
  *log = calloc(1, sizeof **log);
  if (*log == NULL) return fail_no_memory(error);
  (*log)->path = strdup(file_name(path));
  elman_status status =
      (*log)->path == NULL ? fail_no_memory(error) : file_read_text(&content, path, &limits, error);
  if (status == ELMAN_OK) status = read_lines(*log, buffer_text(&content), error);
  if (status == ELMAN_OK && (*log)->rows == 0)
    status = fail(error, ELMAN_BAD_DATA, (*log)->path,
                  "is not the log of a training run: no line is an update or a validation");
  buffer_free(&content);
  if (status != ELMAN_OK) {
    elman_run_log_free(*log);
    *log = NULL;
  }
  return status;
}

/* ---- curves ---- */

/* Numbers of a row that a curve needs; NaN for a missing number. */
struct log_row {
  double update, x, y;
};

/* Read the row whose first entry is at *entry, and move *entry past the row. */
static struct log_row row_of(const elman_run_log *log, size_t row, size_t *entry,
                             const size_t keys[3]) {
  double numbers[3] = {NAN, NAN, NAN};
  for (; *entry < log->entry_count && log->entries[*entry].row == row; ++*entry)
    for (size_t i = 0; i < 3; i++)
      if (log->entries[*entry].key == keys[i]) numbers[i] = log->entries[*entry].number;
  return (struct log_row){numbers[0], numbers[1], numbers[2]};
}

/* Return whether a number can be drawn; false for NaN. */
static bool is_near(double number) {
  return fabs(number) <= FARTHEST;
}

elman_status run_log_curve(struct points *points, const elman_run_log *log, enum run_event event,
                           const char *key, const char *x_axis, elman_error *error) {
  const size_t keys[3] = {key_find(log, text_of("update")), key_find(log, text_of(x_axis)),
                          key_find(log, text_of(key))};
  double *updates = NULL, x = NAN;
  size_t capacity = 0;
  elman_status status = ELMAN_OK;
  for (size_t row = 0, entry = 0; row < log->rows && status == ELMAN_OK; row++) {
    const struct log_row found = row_of(log, row, &entry, keys);
    if (!isnan(found.x)) x = found.x;
    if (log->events[row] != event || !is_near(found.y) || !is_near(x) || isnan(found.update))
      continue;
    /* A resumed run repeats the updates after its checkpoint. */
    while (points->count > 0 && updates[points->count - 1] >= found.update) points->count--;
    status = array_grow(&points->points, &points->capacity, points->count + 1,
                        sizeof *points->points, error);
    if (status == ELMAN_OK)
      status = array_grow(&updates, &capacity, points->count + 1, sizeof *updates, error);
    if (status != ELMAN_OK) break;
    updates[points->count] = found.update;
    points->points[points->count++] = (struct point){x, found.y};
  }
  free(updates);
  return status;
}
