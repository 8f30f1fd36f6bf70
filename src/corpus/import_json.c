/* JSON objects: one per line (JSON Lines), or in one array. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "corpus/import.h"

/* The places of source and target in each record: paths of keys, or positions in a list. */
struct json_places {
  bool chosen;
  char *paths[2];
  bool by_position;
  size_t positions[2]; /* from 0 */
};

/* ---- places ---- */

static json_t *entry_of(const json_t *object, const char *key, size_t length) {
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, name, value) {
    if (strncmp(name, key, length) == 0 && name[length] == '\0') return value;
  }
  return NULL;
}

/* Return the value at a path: the entry with this key, or the entry b of the object a for the path
 * "a.b". NULL = none. */
static json_t *value_at(const json_t *object, const char *path) {
  json_t *value = json_object_get(object, path);
  for (const char *dot = strchr(path, '.'); value == NULL && dot != NULL;
       dot = strchr(dot + 1, '.')) {
    json_t *inner = entry_of(object, path, (size_t)(dot - path));
    if (json_is_object(inner)) value = value_at(inner, dot + 1);
  }
  return value;
}

static elman_status set_path(struct json_places *places, struct importer *importer, int side,
                             const char *prefix, struct text key) {
  char *path = NULL;
  if (asprintf(&path, "%s%.*s", prefix, (int)key.length, key.bytes) < 0)
    return fail_no_memory(importer->error);
  free(places->paths[side]);
  places->paths[side] = path;
  import_set_name(importer, side, text_of(path));
  return ELMAN_OK;
}

/* Names of the entries whose values are texts, or null in this record. */
struct entry_names {
  struct text *names;
  size_t count;
};

static elman_status list_texts(struct entry_names *list, json_t *object, elman_error *error) {
  const char *key;
  json_t *value;
  list->count = 0;
  list->names = calloc(json_object_size(object) + 1, sizeof *list->names);
  if (list->names == NULL) return fail_no_memory(error);
  json_object_foreach(object, key, value) {
    if (json_is_string(value) || json_is_null(value)) list->names[list->count++] = text_of(key);
  }
  return ELMAN_OK;
}

/* Find the key that an option names. Return false if there is none. */
static bool find_key(size_t *key, const struct entry_names *list, struct text word) {
  for (*key = 0; *key < list->count; ++*key)
    if (import_same_name(list->names[*key], word)) return true;
  return false;
}

static elman_status refuse_keys(const struct importer *importer, size_t number,
                                const struct entry_names *list, const char *problem) {
  char names[256];
  import_list(names, sizeof names, list->names, list->count);
  return import_fail(
      importer, ELMAN_INVALID_ARGUMENT, number,
      "%s; the texts of this record have the keys: %s; choose two: `columns` KEY,KEY", problem,
      list->count == 0 ? "(none)" : names);
}

/* Choose two entries of `object`, whose path is `prefix`. */
static elman_status choose_entries(struct json_places *places, struct importer *importer,
                                   size_t number, json_t *object, const char *prefix) {
  const elman_import_options *options = importer->options;
  struct entry_names list;
  struct text words[2];
  size_t keys[2] = {0, 1};
  elman_status status = list_texts(&list, object, importer->error);
  if (status == ELMAN_OK && options->languages != NULL) {
    status = import_split_option(words, importer, "languages", options->languages);
    for (int side = 0; side < 2 && status == ELMAN_OK; side++)
      if (!find_key(&keys[side], &list, words[side]))
        status = refuse_keys(importer, number, &list, "it lacks a language of `languages`");
  } else if (status == ELMAN_OK && !import_choose(keys, list.names, list.count) &&
             list.count != 2 && (list.count < 2 || prefix[0] == '\0')) {
    status = refuse_keys(importer, number, &list, "the keys of the pairs are not clear");
  }
  for (int side = 0; side < 2 && status == ELMAN_OK; side++)
    status = set_path(places, importer, side, prefix, list.names[keys[side]]);
  free(list.names);
  return status;
}

static elman_status choose_positions(struct json_places *places, struct importer *importer) {
  const char *columns = importer->options->columns;
  struct text words[2];
  places->by_position = true;
  for (size_t side = 0; side < 2; side++) places->positions[side] = side;
  if (importer->options->languages != NULL)
    return import_fail(importer, ELMAN_INVALID_ARGUMENT, 0,
                       "its records are lists without names of languages; use `columns`");
  if (columns == NULL) return ELMAN_OK;
  const elman_status status = import_split_option(words, importer, "columns", columns);
  for (int side = 0; side < 2 && status == ELMAN_OK; side++) {
    char digits[8] = "";
    if (words[side].length < sizeof digits) memcpy(digits, words[side].bytes, words[side].length);
    char *end;
    const unsigned long position = strtoul(digits, &end, 10);
    if (position == 0 || *end != '\0')
      return import_fail(importer, ELMAN_INVALID_ARGUMENT, 0,
                         "columns: '%s' must be two positions in a list, such as 1,2", columns);
    places->positions[side] = position - 1;
  }
  return status;
}

/* Choose the places by the first record. */
static elman_status choose_places(struct json_places *places, struct importer *importer,
                                  size_t number, json_t *record) {
  const elman_import_options *options = importer->options;
  places->chosen = true;
  if (json_is_array(record)) {
    const elman_status status = choose_positions(places, importer);
    for (int side = 0; side < 2; side++)
      importer->info->columns[side] = places->positions[side] + 1;
    return status;
  }
  if (options->columns != NULL) {
    struct text words[2];
    elman_status status = import_split_option(words, importer, "columns", options->columns);
    for (int side = 0; side < 2 && status == ELMAN_OK; side++)
      status = set_path(places, importer, side, "", words[side]);
    if (status == ELMAN_OK && (value_at(record, places->paths[0]) == NULL ||
                               value_at(record, places->paths[1]) == NULL)) {
      struct entry_names list;
      status = list_texts(&list, record, importer->error);
      if (status == ELMAN_OK)
        status = refuse_keys(importer, number, &list, "it lacks a key of `columns`");
      free(list.names);
    }
    return status;
  }
  json_t *translation = json_object_get(record, "translation");
  return json_is_object(translation)
             ? choose_entries(places, importer, number, translation, "translation.")
             : choose_entries(places, importer, number, record, "");
}

/* ---- records ---- */

static elman_status add_record(struct importer *importer, struct json_places *places, size_t number,
                               json_t *record) {
  struct text fields[2];
  char problem[IMPORT_PROBLEM];
  if (!json_is_object(record) && !json_is_array(record))
    return import_skip(importer, number, ELMAN_FINDING_LACKS_COLUMN,
                       "is neither a JSON object nor a list");
  if (!places->chosen) {
    const elman_status status = choose_places(places, importer, number, record);
    if (status != ELMAN_OK) return status;
  }
  for (size_t side = 0; side < 2; side++) {
    const json_t *value = places->by_position ? json_array_get(record, places->positions[side])
                                              : value_at(record, places->paths[side]);
    if (json_is_string(value)) {
      fields[side] = (struct text){json_string_value(value), json_string_length(value)};
      continue;
    }
    const char *fault = value == NULL ? "is missing" : "is not a text";
    if (places->by_position)
      snprintf(problem, sizeof problem, "item %zu of the list %s", places->positions[side] + 1,
               fault);
    else
      snprintf(problem, sizeof problem, "the value of '%.80s' %s", importer->info->names[side],
               fault);
    return import_skip(importer, number, ELMAN_FINDING_LACKS_COLUMN, problem);
  }
  return import_add(importer, number, fields, 2);
}

static elman_status read_record(struct importer *importer, struct json_places *places,
                                size_t number, struct text text) {
  char problem[IMPORT_PROBLEM];
  json_t *record = NULL;
  elman_error error;
  elman_status status = import_check_size(importer, number, text.length);
  if (status != ELMAN_OK) return status;
  const size_t valid = text_valid_prefix(text);
  if (valid < text.length) {
    snprintf(problem, sizeof problem, "%s at byte %zu of the record",
             text.bytes[valid] == '\0' ? "contains NUL" : "is not valid UTF-8", valid + 1);
    return import_skip(importer, number, ELMAN_FINDING_NOT_UTF8, problem);
  }
  status = read_json(&record, text, &error);
  if (status == ELMAN_OK)
    status = add_record(importer, places, number, record);
  else if (status != ELMAN_BAD_DATA)
    return fail_again(importer->error, &error);
  else
    status = (snprintf(problem, sizeof problem, "is not valid JSON: %.120s", error.message),
              import_skip(importer, number, ELMAN_FINDING_LACKS_COLUMN, problem));
  json_decref(record);
  return status;
}

static void free_places(struct json_places *places) {
  for (int side = 0; side < 2; side++) free(places->paths[side]);
}

elman_status import_json_lines(struct importer *importer) {
  struct json_places places = {0};
  struct text rest = importer->content;
  elman_status status = ELMAN_OK;
  for (size_t number = 1; rest.length > 0 && status == ELMAN_OK; number++) {
    struct text line = text_cut(&rest, '\n');
    while (line.length > 0 && memchr(" \t\r", line.bytes[line.length - 1], 3) != NULL)
      line.length--;
    if (line.length > 0) status = read_record(importer, &places, number, line);
  }
  free_places(&places);
  return status;
}

/* ---- one array ---- */

/* Return the length of the value at the start of `text`: up to a comma or a closing bracket outside
 * all strings and brackets. Set *lines to the number of its line ends. */
static size_t value_length(size_t *lines, struct text text) {
  size_t depth = 0, i = 0;
  bool in_string = false;
  *lines = 0;
  for (; i < text.length; i++) {
    const char byte = text.bytes[i];
    *lines += byte == '\n';
    if (in_string) {
      if (byte == '\\' && i + 1 < text.length)
        i++;
      else if (byte == '"')
        in_string = false;
    } else if (byte == '"') {
      in_string = true;
    } else if (byte == '{' || byte == '[') {
      depth++;
    } else if (byte == '}' || byte == ']' || byte == ',') {
      if (depth == 0) break;
      depth -= byte != ',';
    }
  }
  return i;
}

static void skip_white(struct text *rest, size_t *number) {
  while (rest->length > 0 && memchr(" \t\r\n", rest->bytes[0], 4) != NULL) {
    *number += rest->bytes[0] == '\n';
    text_drop(rest, 1);
  }
}

elman_status import_json_array(struct importer *importer) {
  struct json_places places = {0};
  struct text rest = importer->content;
  size_t number = 1;
  elman_status status = ELMAN_OK;
  skip_white(&rest, &number);
  if (rest.length == 0 || rest.bytes[0] != '[')
    return import_fail(importer, ELMAN_BAD_DATA, number,
                       "is not a JSON array; `format` jsonl reads one object per line");
  text_drop(&rest, 1);
  skip_white(&rest, &number);
  bool more = rest.length == 0 || rest.bytes[0] != ']';
  while (more && status == ELMAN_OK) {
    size_t lines;
    skip_white(&rest, &number);
    const struct text value = {rest.bytes, value_length(&lines, rest)};
    if (value.length == rest.length) {
      status = import_fail(importer, ELMAN_BAD_DATA, number,
                           "the JSON array ends too early; its last record starts here");
      continue;
    }
    status = read_record(importer, &places, number, value);
    number += lines;
    text_drop(&rest, value.length);
    more = rest.bytes[0] == ',';
    if (!more && rest.bytes[0] != ']' && status == ELMAN_OK)
      status = import_fail(importer, ELMAN_BAD_DATA, number, "the JSON array has a wrong bracket");
    text_drop(&rest, 1);
  }
  free_places(&places);
  return status;
}
