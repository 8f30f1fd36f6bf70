/* Text with columns: CSV (RFC 4180), tab-separated values of spreadsheets, exports of tatoeba.org,
 * columns separated by |||, and pairs as this program reads them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus/import.h"
#include "corpus/records.h"

/* ---- detection ---- */

/* Properties of the first records. */
struct shape {
  size_t records; /* good and bad records */
  size_t bad;
  size_t columns;   /* most frequent number of columns */
  size_t same;      /* records that have `columns` columns */
  size_t quoted;    /* quoted fields */
  size_t needed;    /* quoted fields that contain a quotation mark, a separator or a line break */
  size_t all;       /* records with quoted fields only */
  size_t commas[2]; /* fields with a comma, indexed by whether they are quoted */
};

enum { SAMPLE_BYTES = 1 << 18, SAMPLE_RECORDS = 1000, MOST_COLUMNS = 1000 };

static struct text sample_of(struct text content) {
  if (content.length <= SAMPLE_BYTES) return content;
  content.length = SAMPLE_BYTES;
  const char *end = memrchr(content.bytes, '\n', content.length);
  if (end != NULL) content.length = (size_t)(end - content.bytes);
  return content;
}

static void measure_fields(struct shape *shape, const struct record_reader *reader) {
  size_t quoted = 0;
  for (size_t i = 0; i < reader->count; i++) {
    const struct record_field *field = &reader->fields[i];
    const struct text text = field->text;
    quoted += field->quoted;
    shape->needed +=
        field->quoted &&
        (field->doubled || memchr(text.bytes, '\n', text.length) != NULL ||
         memmem(text.bytes, text.length, reader->separator, strlen(reader->separator)) != NULL);
    shape->commas[field->quoted] += text.length > 0 && memchr(text.bytes, ',', text.length) != NULL;
  }
  shape->quoted += quoted;
  shape->all += quoted == reader->count;
}

static elman_status measure(struct shape *shape, struct text content, const char *separator,
                            bool quotes, elman_error *error) {
  struct record_reader reader = {
      .rest = sample_of(content), .separator = separator, .quotes = quotes, .error = error};
  size_t counts[MOST_COLUMNS + 1] = {0};
  const char *problem;
  bool found = true;
  elman_status status = ELMAN_OK;
  *shape = (struct shape){0};
  while (shape->records < SAMPLE_RECORDS &&
         (status = records_next(&found, &problem, &reader)) == ELMAN_OK && found) {
    shape->records++;
    shape->bad += problem != NULL;
    if (problem != NULL) continue;
    counts[reader.count < MOST_COLUMNS ? reader.count : MOST_COLUMNS]++;
    measure_fields(shape, &reader);
  }
  for (size_t columns = 1; columns <= MOST_COLUMNS; columns++)
    if (counts[columns] > shape->same) {
      shape->same = counts[columns];
      shape->columns = columns;
    }
  records_free(&reader);
  return status;
}

/* Return the share of records with the most frequent number of columns; 0 for a single column. */
static double regularity(const struct shape *shape) {
  return shape->columns < 2 ? 0 : (double)shape->same / (double)shape->records;
}

/* Return whether quotation marks around fields are not a part of the sentences. A spreadsheet
 * quotes the fields that contain a quotation mark, a separator, a line break or a comma; other
 * programs quote all fields. */
static bool needs_unquoting(const struct shape *shape) {
  return shape->quoted > 0 && shape->bad * 10 <= shape->quoted &&
         (shape->needed > 0 || shape->all == shape->records ||
          (shape->commas[true] > 0 && shape->commas[false] == 0));
}

static bool is_number(struct text text) {
  size_t digits = 0;
  for (size_t i = 0; i < text.length; i++) digits += text.bytes[i] >= '0' && text.bytes[i] <= '9';
  return text.length > 0 && digits == text.length;
}

/* Find out whether the columns are id, sentence, id, sentence. */
static elman_status find_ids(bool *has_ids, struct text content, elman_error *error) {
  struct record_reader reader = {.rest = sample_of(content), .separator = "\t", .error = error};
  size_t records = 0, good = 0;
  const char *problem;
  bool found;
  elman_status status = ELMAN_OK;
  while (records < SAMPLE_RECORDS &&
         (status = records_next(&found, &problem, &reader)) == ELMAN_OK && found) {
    records++;
    good += reader.count >= 4 && is_number(reader.fields[0].text) &&
            is_number(reader.fields[2].text) && !is_number(reader.fields[1].text);
  }
  records_free(&reader);
  *has_ids = records > 0 && good * 10 >= records * 9;
  return status;
}

#define BARS "|||"

static const struct {
  const char *name, *text;
} separators[] = {{"comma", ","}, {"semicolon", ";"}, {"tab", "\t"}};
enum { TABS = 2 };

const char *elman_import_separator_name(size_t index) {
  return index < sizeof separators / sizeof *separators ? separators[index].name : NULL;
}

/* Find the separator that divides the most records into equally many columns; *best is its index,
 * -1 if no separator divides at least the share `least` of the records. Commas also occur in
 * sentences, so another separator wins a tie. */
static elman_status find_separator(int *best, struct text content, double least,
                                   elman_error *error) {
  elman_status status = ELMAN_OK;
  *best = -1;
  for (int i = sizeof separators / sizeof *separators - 1; i >= 0 && status == ELMAN_OK; i--) {
    struct shape shape;
    status = measure(&shape, content, separators[i].text, true, error);
    const double share = shape.records == 0 ? 0 : regularity(&shape);
    if (share > 0 && (*best < 0 ? share >= least : share > least)) {
      *best = i;
      least = share;
    }
  }
  return status;
}

/* Choose among the formats whose columns are separated by tabs. */
static elman_status detect_tabs(enum import_columns *kind, struct text content,
                                elman_error *error) {
  struct shape quoted;
  bool ids = false;
  elman_status status = measure(&quoted, content, "\t", true, error);
  if (status == ELMAN_OK) status = find_ids(&ids, content, error);
  *kind = ids ? COLUMNS_TATOEBA : needs_unquoting(&quoted) ? COLUMNS_CSV : COLUMNS_PAIRS;
  return status;
}

elman_status import_detect_columns(bool *found, enum import_columns *kind, struct text content,
                                   bool csv, elman_error *error) {
  struct shape tabs, bars;
  int separator;
  *found = true;
  elman_status status = measure(&tabs, content, "\t", false, error);
  if (status == ELMAN_OK && tabs.columns > 1) return detect_tabs(kind, content, error);
  if (status == ELMAN_OK) status = measure(&bars, content, BARS, false, error);
  *kind = COLUMNS_BARS;
  if (status != ELMAN_OK || bars.columns > 1) return status;
  *kind = COLUMNS_CSV;
  status = find_separator(&separator, content, csv ? 0.5 : 0.9, error);
  *found = separator >= 0;
  return status;
}

/* ---- numbers ---- */

/* Numbers of values in the first columns of the records after the first one. */
enum { CHECKED_COLUMNS = 32, CHECKED_RECORDS = 200 };

struct column_values {
  size_t records;
  size_t numbers[CHECKED_COLUMNS]; /* values without letters, by column */
};

/* Return whether a field can be a sentence: it has a character other than digits and punctuation of
 * ASCII. */
static bool has_letters(struct text text) {
  for (size_t i = 0; i < text.length; i++) {
    const unsigned char byte = (unsigned char)text.bytes[i], lower = byte | 0x20;
    if (byte >= 0x80 || (lower >= 'a' && lower <= 'z')) return true;
  }
  return false;
}

static elman_status count_numbers(struct column_values *values, struct record_reader reader) {
  const char *problem;
  bool found = true;
  elman_status status = ELMAN_OK;
  *values = (struct column_values){0};
  reader.fields = NULL;
  reader.capacity = 0;
  while (values->records < CHECKED_RECORDS &&
         (status = records_next(&found, &problem, &reader)) == ELMAN_OK && found) {
    if (problem != NULL) continue;
    values->records++;
    for (size_t i = 0; i < reader.count && i < CHECKED_COLUMNS; i++)
      values->numbers[i] += reader.fields[i].text.length > 0 && !has_letters(reader.fields[i].text);
  }
  records_free(&reader);
  return status;
}

/* Return whether the first record names a column that has numbers in all other records. */
static bool names_numbers(const struct column_values *values, const struct text *names,
                          size_t count) {
  enum { LEAST = 2 };
  for (size_t i = 0; i < count && i < CHECKED_COLUMNS; i++)
    if (values->records >= LEAST && values->numbers[i] == values->records && has_letters(names[i]))
      return true;
  return false;
}

/* ---- choosing the columns ---- */

struct columns_choice {
  size_t columns[2]; /* from 0 */
  bool has_header;
};

static bool parse_column(size_t *column, struct text word) {
  *column = 0;
  if (!is_number(word)) return false;
  for (size_t i = 0; i < word.length && *column <= MOST_COLUMNS; i++)
    *column = *column * 10 + (size_t)(word.bytes[i] - '0');
  return true;
}

static elman_status refuse_choice(const struct importer *importer, const struct text *names,
                                  size_t count, const char *problem) {
  char list[256];
  import_list(list, sizeof list, names, count);
  return import_fail(importer, ELMAN_INVALID_ARGUMENT, 0,
                     "%s; its first record is: %s; choose two by number or name: `columns` A,B",
                     problem, list);
}

static elman_status find_column(size_t *column, const struct importer *importer, struct text word,
                                const struct text *names, size_t count) {
  char problem[IMPORT_PROBLEM];
  for (*column = 0; *column < count; ++*column)
    if (text_equal(names[*column], word)) return ELMAN_OK;
  for (*column = 0; *column < count; ++*column)
    if (import_same_name(names[*column], word)) return ELMAN_OK;
  snprintf(problem, sizeof problem, "the header has no column '%.*s'",
           (int)(word.length < 80 ? word.length : 80), word.bytes);
  return refuse_choice(importer, names, count, problem);
}

/* Choose the columns that --columns or --languages names. A name needs a header. */
static elman_status choose_named(struct columns_choice *choice, const struct importer *importer,
                                 const struct text *names, size_t count) {
  const elman_import_options *options = importer->options;
  struct text words[2];
  elman_status status =
      import_split_option(words, importer, options->columns != NULL ? "columns" : "languages",
                          options->columns != NULL ? options->columns : options->languages);
  for (int side = 0; side < 2 && status == ELMAN_OK; side++) {
    size_t *column = &choice->columns[side];
    if (options->columns == NULL || !parse_column(column, words[side])) {
      if (options->header == ELMAN_IMPORT_HEADER_NO)
        return import_fail(importer, ELMAN_INVALID_ARGUMENT, 0,
                           "a column can have a name only in a file with a header");
      choice->has_header = true;
      status = find_column(column, importer, words[side], names, count);
    } else if (*column == 0 || *column > MOST_COLUMNS) {
      return import_fail(importer, ELMAN_INVALID_ARGUMENT, 0,
                         "columns: '%s' is neither two column numbers from 1 to %d nor two names",
                         options->columns, MOST_COLUMNS);
    } else {
      --*column;
    }
  }
  return status;
}

/* Choose the columns by the first record, whose fields are `names`. */
static elman_status choose_columns(struct columns_choice *choice, const struct importer *importer,
                                   enum import_columns kind, const struct text *names, size_t count,
                                   const struct column_values *values) {
  const elman_import_options *options = importer->options;
  const bool ids = kind == COLUMNS_TATOEBA;
  size_t named[2];
  *choice = (struct columns_choice){.columns = {ids ? 1 : 0, ids ? 3 : 1},
                                    .has_header = options->header == ELMAN_IMPORT_HEADER_YES};
  const bool clear = import_choose(named, names, count);
  if (options->header == ELMAN_IMPORT_HEADER_AUTO)
    choice->has_header = clear || names_numbers(values, names, count) ||
                         (count > 2 && import_are_languages(names, count));
  if (options->columns != NULL || options->languages != NULL)
    return choose_named(choice, importer, names, count);
  if (choice->has_header && clear) memcpy(choice->columns, named, sizeof named);
  if (choice->has_header && !clear && count > 2)
    return refuse_choice(importer, names, count, "the columns of the pairs are not clear");
  return ELMAN_OK;
}

/* ---- reading ---- */

/* Refuse columns that nobody chose and that contain numbers, such as ids. */
static elman_status check_numbers(const struct importer *importer,
                                  const struct columns_choice *choice,
                                  const struct column_values *values, const struct text *names,
                                  size_t count) {
  if (importer->options->columns != NULL || importer->options->languages != NULL) return ELMAN_OK;
  for (int side = 0; side < 2; side++) {
    const size_t column = choice->columns[side];
    if (column >= CHECKED_COLUMNS || values->numbers[column] * 2 <= values->records) continue;
    char problem[IMPORT_PROBLEM];
    snprintf(problem, sizeof problem, "column %zu has numbers, not sentences", column + 1);
    return refuse_choice(importer, names, count, problem);
  }
  return ELMAN_OK;
}

static elman_status add_record(struct importer *importer, const struct columns_choice *choice,
                               const struct record_reader *reader, struct text **fields,
                               size_t *capacity) {
  const size_t *columns = choice->columns;
  const size_t last = columns[0] > columns[1] ? columns[0] : columns[1];
  char problem[IMPORT_PROBLEM];
  if (reader->count <= last) {
    snprintf(problem, sizeof problem, "has %zu column%s; column %zu is required", reader->count,
             plural_ending(reader->count), last + 1);
    return import_skip(importer, reader->start, ELMAN_FINDING_LACKS_COLUMN, problem);
  }
  const elman_status status =
      array_grow(fields, capacity, reader->count, sizeof **fields, importer->error);
  if (status != ELMAN_OK) return status;
  size_t count = 2;
  for (size_t i = 0; i < reader->count; i++) {
    const size_t place = i == columns[0] ? 0 : i == columns[1] ? 1 : count++;
    (*fields)[place] = record_unquote(&reader->fields[i]);
  }
  return import_add(importer, reader->start, *fields, count);
}

/* Check the size of the next line, before it is split into fields. */
static elman_status check_line(const struct importer *importer,
                               const struct record_reader *reader) {
  struct text rest = reader->rest;
  return import_check_size(importer, reader->number + 1, text_cut(&rest, '\n').length);
}

/* Check the size of a record, which may have several lines. */
static elman_status check_record(const struct importer *importer,
                                 const struct record_reader *reader, struct text before) {
  return import_check_size(importer, reader->start, before.length - reader->rest.length);
}

/* Read the first record, and choose the columns by it. The record may be read again, so its bytes
 * are not modified. */
static elman_status read_first(struct columns_choice *choice, struct importer *importer,
                               enum import_columns kind, struct record_reader *reader) {
  const struct record_reader start = *reader;
  const char *problem;
  bool found;
  elman_status status = check_line(importer, reader);
  if (status == ELMAN_OK) status = records_next(&found, &problem, reader);
  if (status != ELMAN_OK) return status;
  const size_t count = found && problem == NULL ? reader->count : 0;
  struct text *names = calloc(count + 1, sizeof *names);
  if (names == NULL) return fail_no_memory(importer->error);
  for (size_t i = 0; i < count; i++) names[i] = reader->fields[i].text;
  struct column_values values;
  status = count_numbers(&values, *reader);
  if (status == ELMAN_OK) status = choose_columns(choice, importer, kind, names, count, &values);
  if (status == ELMAN_OK) status = check_numbers(importer, choice, &values, names, count);
  for (int side = 0; side < 2 && status == ELMAN_OK; side++) {
    importer->info->columns[side] = choice->columns[side] + 1;
    if (choice->has_header && choice->columns[side] < count)
      import_set_name(importer, side, names[choice->columns[side]]);
  }
  importer->info->has_header = choice->has_header;
  free(names);
  if (!choice->has_header) {
    reader->rest = start.rest;
    reader->number = start.number;
  }
  return status;
}

static elman_status read_records(struct importer *importer, enum import_columns kind,
                                 struct record_reader *reader) {
  struct columns_choice choice = {.has_header = false};
  struct text *fields = NULL;
  size_t capacity = 0;
  bool found = true;
  elman_status status = read_first(&choice, importer, kind, reader);
  while (status == ELMAN_OK && found) {
    const struct text before = reader->rest;
    const char *problem;
    status = check_line(importer, reader);
    if (status == ELMAN_OK) status = records_next(&found, &problem, reader);
    if (status == ELMAN_OK) status = check_record(importer, reader, before);
    if (status != ELMAN_OK || !found) continue;
    status = problem == NULL
                 ? add_record(importer, &choice, reader, &fields, &capacity)
                 : import_skip(importer, reader->start, ELMAN_FINDING_LACKS_COLUMN, problem);
  }
  free(fields);
  return status;
}

elman_status import_columns(struct importer *importer, enum import_columns kind) {
  struct record_reader reader = {.rest = importer->content,
                                 .separator = kind == COLUMNS_BARS ? BARS : "\t",
                                 .quotes = kind == COLUMNS_CSV,
                                 .error = importer->error};
  if (kind != COLUMNS_CSV)
    importer->info->separator = kind == COLUMNS_BARS ? BARS : separators[TABS].name;
  if (kind == COLUMNS_CSV) {
    int chosen;
    const elman_status status = find_separator(&chosen, importer->content, 0, importer->error);
    if (status != ELMAN_OK) return status;
    for (int i = 0;
         importer->options->separator != NULL && elman_import_separator_name((size_t)i) != NULL;
         i++)
      if (strcmp(importer->options->separator, separators[i].name) == 0) chosen = i;
    if (chosen < 0)
      return import_fail(
          importer, ELMAN_BAD_DATA, 0,
          "no separator divides its lines into equally many columns; choose one with `separator`");
    importer->info->separator = separators[chosen].name;
    reader.separator = separators[chosen].text;
  }
  const elman_status status = read_records(importer, kind, &reader);
  records_free(&reader);
  return status;
}
