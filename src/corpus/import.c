#include "corpus/import.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/file_kind.h"
#include "corpus/pairs.h"
#include "vocab/invisible.h"

/* ---- formats ---- */

static elman_status import_csv(struct importer *importer) {
  return import_columns(importer, COLUMNS_CSV);
}

static elman_status import_tatoeba(struct importer *importer) {
  return import_columns(importer, COLUMNS_TATOEBA);
}

static elman_status import_bars(struct importer *importer) {
  return import_columns(importer, COLUMNS_BARS);
}

static elman_status import_plain(struct importer *importer) {
  return import_columns(importer, COLUMNS_PAIRS);
}

struct import_format {
  const char *name;
  elman_status (*read)(struct importer *importer);
  bool has_columns; /* a header, too */
  bool has_languages;
};

enum {
  FORMAT_CSV,
  FORMAT_TATOEBA,
  FORMAT_BARS,
  FORMAT_PAIRS,
  FORMAT_TMX,
  FORMAT_JSONL,
  FORMAT_JSON
};

/* The formats with columns come first, in the order of enum import_columns. */
static const struct import_format formats[] = {
    [FORMAT_CSV] = {"csv", import_csv, true, true},
    [FORMAT_TATOEBA] = {"tatoeba", import_tatoeba, true, true},
    [FORMAT_BARS] = {"bars", import_bars, true, true},
    [FORMAT_PAIRS] = {"pairs", import_plain, true, true},
    [FORMAT_TMX] = {"tmx", import_tmx, false, true},
    [FORMAT_JSONL] = {"jsonl", import_json_lines, false, true},
    [FORMAT_JSON] = {"json", import_json_array, false, true},
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char *elman_import_format_name(size_t index) {
  return index < FORMATS ? formats[index].name : NULL;
}

const char *elman_import_header_name(size_t header) {
  static const char *const names[] = {"auto", "yes", "no"};
  return header < sizeof names / sizeof *names ? names[header] : NULL;
}

elman_import_options elman_import_options_default(void) {
  return (elman_import_options){.max_bytes = ELMAN_DEFAULT_MAX_LINE,
                                .max_unpacked = ELMAN_DEFAULT_MAX_UNPACKED};
}

/* ---- errors ---- */

elman_status import_fail(const struct importer *importer, elman_status code, size_t number,
                         const char *format, ...) {
  char where[512], message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  if (number == 0)
    snprintf(where, sizeof where, "%s", importer->name);
  else
    snprintf(where, sizeof where, "%s:%zu", importer->name, number);
  return fail(importer->error, code, where, "%s", message);
}

/* Count and report a skipped record of `file`. */
static void note_skipped(void *context, const char *file, size_t number, elman_finding fault,
                         const char *problem) {
  struct importer *importer = context;
  const elman_import_options *options = importer->options;
  importer->records++;
  if (fault == ELMAN_FINDING_NOT_UTF8) importer->not_utf8++;
  if (elman_pairs_skipped(importer->pairs) == 0) {
    struct importer first = *importer;
    first.name = file;
    first.error = &importer->first;
    (void)import_fail(&first, ELMAN_BAD_DATA, number, "%s", problem);
  }
  pairs_count_skipped(importer->pairs);
  if (options->skipped != NULL) options->skipped(options->context, file, number, fault, problem);
}

elman_status import_skip(struct importer *importer, size_t number, elman_finding fault,
                         const char *problem) {
  if (importer->options->strict)
    return import_fail(importer, ELMAN_BAD_DATA, number, "%s", problem);
  note_skipped(importer, importer->name, number, fault, problem);
  return ELMAN_OK;
}

elman_status import_check_size(const struct importer *importer, size_t number, size_t size) {
  const size_t limit = importer->options->max_bytes;
  if (limit == 0 || size <= limit) return ELMAN_OK;
  return import_fail(importer, ELMAN_BAD_DATA, number,
                     "the record has more than %zu byte%s; `max_bytes` sets the limit", limit,
                     plural_ending(limit));
}

/* ---- pairs ---- */

/* Append a field of a line. A tab becomes a space. A line break, with the white space around it,
 * also becomes one space. Spaces at the ends are dropped. */
static void append_field(struct buffer *line, struct text field) {
  static const char white[] = " \t\r\n";
  const size_t start = line->length;
  while (field.length > 0) {
    size_t length = 0, space = 0;
    while (length < field.length && memchr(white, field.bytes[length], 4) == NULL) length++;
    buffer_append(line, field.bytes, length);
    text_drop(&field, length);
    while (space < field.length && memchr(white, field.bytes[space], 4) != NULL) space++;
    const bool breaks = space > 0 && (memchr(field.bytes, '\n', space) != NULL ||
                                      memchr(field.bytes, '\r', space) != NULL);
    const bool at_end = line->length == start || space == field.length;
    for (size_t i = 0; !at_end && i < (breaks ? 1 : space); i++) buffer_append(line, " ", 1);
    text_drop(&field, space);
  }
}

elman_status import_add(struct importer *importer, size_t number, const struct text *fields,
                        size_t count) {
  static const char *const sides[] = {"source side", "target side", "further column"};
  struct buffer *line = &importer->line;
  char problem[IMPORT_PROBLEM];
  buffer_clear(line);
  while (count > 2 && text_is_blank(fields[count - 1])) count--;
  for (size_t i = 0; i < count; i++) {
    const size_t valid = text_valid_prefix(fields[i]);
    if (valid == fields[i].length) continue;
    snprintf(problem, sizeof problem, "its %s %s at byte %zu", sides[i < 2 ? i : 2],
             fields[i].bytes[valid] == '\0' ? "contains NUL" : "is not valid UTF-8", valid + 1);
    return import_skip(importer, number, ELMAN_FINDING_NOT_UTF8, problem);
  }
  for (size_t i = 0; i < 2; i++) {
    if (!text_is_blank(fields[i])) continue;
    snprintf(problem, sizeof problem, "has an empty %s", sides[i]);
    return import_skip(importer, number, ELMAN_FINDING_EMPTY, problem);
  }
  for (size_t i = 0; i < count; i++) {
    if (i > 0) buffer_append(line, "\t", 1);
    append_field(line, fields[i]);
  }
  if (line->failed) return fail_no_memory(importer->error);
  importer->records++;
  return pairs_append(importer->pairs, number, buffer_text(line), importer->error);
}

/* ---- the content of the file ---- */

/* Convert UTF-16 text. Half of a surrogate pair becomes a byte that is not valid UTF-8, so that the
 * record is bad. */
static void convert_utf16(struct buffer *into, struct text text, bool big_endian) {
  while (text.length > 1) {
    const unsigned char *unit = (const unsigned char *)text.bytes;
    int character = big_endian ? unit[0] << 8 | unit[1] : unit[1] << 8 | unit[0];
    text_drop(&text, 2);
    if (character >= 0xD800 && character < 0xDC00 && text.length > 1) {
      unit = (const unsigned char *)text.bytes;
      const int low = big_endian ? unit[0] << 8 | unit[1] : unit[1] << 8 | unit[0];
      if (low >= 0xDC00 && low < 0xE000) {
        character = 0x10000 + ((character - 0xD800) << 10) + (low - 0xDC00);
        text_drop(&text, 2);
      }
    }
    if (character >= 0xD800 && character < 0xE000)
      buffer_append(into, "\xFF", 1);
    else
      buffer_append_character(into, character);
  }
}

static bool starts_with(struct text text, const char *bytes, size_t length) {
  return text.length >= length && memcmp(text.bytes, bytes, length) == 0;
}

static const char utf8_mark[] = "\xEF\xBB\xBF";

/* Return the byte order that the byte order mark of UTF-16 shows: 'l' for little-endian, 'b' for
 * big-endian, 0 for other text. */
static char utf16_order(struct text text) {
  if (starts_with(text, "\xFE\xFF", 2)) return 'b';
  return starts_with(text, "\xFF\xFE", 2) && !starts_with(text, "\xFF\xFE\0\0", 4) ? 'l' : 0;
}

/* Convert UTF-16, which spreadsheets and translation tools write, and remove the byte order mark.
 */
static elman_status decode(struct importer *importer, struct buffer *bytes) {
  const struct text all = buffer_text(bytes);
  const char order = utf16_order(all);
  if (order != 0) {
    struct buffer converted = {0};
    convert_utf16(&converted, (struct text){all.bytes + 2, all.length - 2}, order == 'b');
    buffer_replace(bytes, &converted);
    buffer_free(&converted);
    importer->was_utf16 = true;
  }
  buffer_append(bytes, "", 0); /* allocates memory even for an empty file */
  if (bytes->failed) return fail_no_memory(importer->error);
  importer->content = buffer_text(bytes);
  if (starts_with(importer->content, utf8_mark, strlen(utf8_mark)))
    text_drop(&importer->content, strlen(utf8_mark));
  return ELMAN_OK;
}

/* ---- choosing the format ---- */

/* Return whether the name of the file ends in one of the suffixes. Ignore ".gz" after the
 * suffix. */
static bool has_suffix(const char *name, const char *const *suffixes) {
  size_t length = strlen(name);
  if (length > 3 && strcasecmp(name + length - 3, ".gz") == 0) length -= 3;
  for (; *suffixes != NULL; suffixes++) {
    const size_t size = strlen(*suffixes);
    if (length > size && strncasecmp(name + length - size, *suffixes, size) == 0) return true;
  }
  return false;
}

static struct text start_of(struct text content) {
  while (content.length > 0 && memchr(" \t\r\n", content.bytes[0], 4) != NULL)
    text_drop(&content, 1);
  if (content.length > FILE_START) content.length = FILE_START;
  return content;
}

static bool is_tmx(struct text start) {
  return starts_with(start, "<", 1) && memmem(start.bytes, start.length, "<tmx", 4) != NULL;
}

/* Return whether the text starts with a value of JSON: an object, or a list of texts or records. A
 * list of records contains the whole file. */
static bool is_json(size_t *format, struct text start) {
  if (start.length == 0 || (start.bytes[0] != '{' && start.bytes[0] != '[')) return false;
  const char first = start.bytes[0];
  text_drop(&start, 1);
  start = start_of(start);
  const char second = start.length == 0 ? '\0' : start.bytes[0];
  *format = first == '[' && (second == '{' || second == '[') ? FORMAT_JSON : FORMAT_JSONL;
  return first == '{' ? second == '"' : second == '"' || *format == FORMAT_JSON;
}

static elman_status detect(size_t *format, const struct importer *importer) {
  static const char *const json[] = {".json", ".jsonl", ".ndjson", NULL};
  static const char *const csv[] = {".csv", NULL}, *const tmx[] = {".tmx", NULL};
  const struct text start = start_of(importer->content);
  const char *name = importer->entry[0] != '\0' ? importer->entry : importer->options->file;
  enum import_columns kind;
  if (is_tmx(start) || has_suffix(name, tmx)) {
    *format = FORMAT_TMX;
    return ELMAN_OK;
  }
  if (is_json(format, start)) return ELMAN_OK;
  if (has_suffix(name, json)) {
    *format = FORMAT_JSONL;
    return ELMAN_OK;
  }
  const char *problem = file_is_not_text(importer->content, true);
  if (problem != NULL) return import_fail(importer, ELMAN_BAD_DATA, 0, "%s", problem);
  bool found;
  const elman_status status = import_detect_columns(&found, &kind, importer->content,
                                                    has_suffix(name, csv), importer->error);
  if (status != ELMAN_OK) return status;
  if (!found)
    return import_fail(importer, ELMAN_BAD_DATA, 0,
                       "its format is not clear: expected CSV, TMX, JSON, or columns separated by "
                       "tabs or |||; state the format with `format`; for two files with one "
                       "sentence per line, name the second one with `target_file`");
  *format = (size_t)kind;
  return ELMAN_OK;
}

static elman_status choose_format(size_t *format, const struct importer *importer) {
  const elman_import_options *options = importer->options;
  const char *name = options->format != NULL      ? options->format
                     : options->separator != NULL ? formats[FORMAT_CSV].name
                                                  : NULL;
  if (name == NULL) return detect(format, importer);
  for (*format = 0; *format < FORMATS; ++*format)
    if (strcmp(formats[*format].name, name) == 0) break;
  if (*format == FORMATS)
    return import_fail(importer, ELMAN_INVALID_ARGUMENT, 0, "there is no format '%s'", name);
  const char *problem = *format == FORMAT_TMX ? NULL : file_is_not_text(importer->content, true);
  return problem == NULL ? ELMAN_OK : import_fail(importer, ELMAN_BAD_DATA, 0, "%s", problem);
}

/* Refuse options that have no effect on the format. */
static elman_status check_options(const struct importer *importer, size_t format) {
  const elman_import_options *options = importer->options;
  const char *name = formats[format].name, *option = NULL;
  if (options->separator != NULL && format != FORMAT_CSV) option = "a separator";
  if (options->header != ELMAN_IMPORT_HEADER_AUTO && !formats[format].has_columns)
    option = "a header";
  if (options->columns != NULL && format == FORMAT_TMX) option = "columns; choose languages";
  if (option != NULL)
    return import_fail(importer, ELMAN_INVALID_ARGUMENT, 0, "the format '%s' has no %s", name,
                       option + (strncmp(option, "a ", 2) == 0 ? 2 : 0));
  if (options->columns != NULL && options->languages != NULL)
    return import_fail(importer, ELMAN_INVALID_ARGUMENT, 0,
                       "columns and languages cannot be combined");
  return ELMAN_OK;
}

/* ---- the whole file ---- */

static bool is_zip(struct text start) {
  return starts_with(start, "PK\3\4", 4);
}

/* Accept text (also UTF-16 with a byte order mark), XML, and zip archives of text or XML. Lines of
 * XML and JSON may be long. */
static const char *check_start(bool *has_lines, struct text start) {
  struct text text = start;
  if (starts_with(text, utf8_mark, strlen(utf8_mark))) text_drop(&text, strlen(utf8_mark));
  text = start_of(text);
  *has_lines = false;
  if (import_reads_zip() && is_zip(start)) return NULL;
  if (utf16_order(start) != 0 || starts_with(text, "<?xml", 5) || is_tmx(text)) return NULL;
  size_t format;
  *has_lines = !is_json(&format, text);
  return file_is_not_text(start, true);
}

static elman_status check_result(const struct importer *importer) {
  const size_t skipped = elman_pairs_skipped(importer->pairs);
  if (importer->not_utf8 > importer->records / 10)
    return import_fail(importer, ELMAN_BAD_DATA, 0,
                       "%zu of %zu record%s %s not valid UTF-8, the first one at %.160s; convert "
                       "the file, for example from the encoding of Western Europe: iconv -f "
                       "WINDOWS-1252 -t UTF-8, or of China: iconv -f GB18030 -t UTF-8",
                       importer->not_utf8, importer->records, plural_ending(importer->records),
                       plural_is(importer->not_utf8), importer->first.where);
  if (elman_pairs_count(importer->pairs) > 0) return ELMAN_OK;
  if (skipped == 0)
    return import_fail(importer, ELMAN_BAD_DATA, 0, "no sentence pair: the file has no records");
  return import_fail(importer, ELMAN_BAD_DATA, 0,
                     "no usable sentence pair; format %s; %zu record%s skipped; the first, %.160s, "
                     "%s",
                     importer->info->format, skipped, plural_ending(skipped), importer->first.where,
                     importer->first.message);
}

/* Join two files with one sentence per line. */
static elman_status import_two_files(struct importer *importer) {
  const elman_import_options *given = importer->options;
  elman_pairs_options options = elman_pairs_options_default();
  options.source_file = given->file;
  options.target_file = given->target_file;
  options.strict = given->strict;
  options.max_bytes = given->max_bytes;
  options.max_unpacked = given->max_unpacked;
  options.skipped = note_skipped;
  options.context = importer;
  elman_pairs *pairs;
  elman_status status = elman_pairs_read(&pairs, &options, importer->error);
  if (status != ELMAN_OK) return status;
  importer->info->format = "two files";
  for (size_t i = 0; status == ELMAN_OK && i < elman_pairs_count(pairs); i++) {
    const struct pair pair = pairs_get(pairs, i);
    const struct text fields[] = {pair.source, pair.target};
    status = import_add(importer, pairs_line_number(pairs, i), fields, 2);
  }
  elman_pairs_free(pairs);
  importer->name = ""; /* the place of the first bad line names the file */
  return status == ELMAN_OK ? check_result(importer) : status;
}

static elman_status import_content(struct importer *importer, struct buffer *bytes) {
  size_t format = 0;
  elman_status status = is_zip(buffer_text(bytes)) ? import_unzip(importer, bytes) : ELMAN_OK;
  if (status == ELMAN_OK) status = decode(importer, bytes);
  if (status == ELMAN_OK && start_of(importer->content).length == 0)
    status = import_fail(importer, ELMAN_BAD_DATA, 0, "is empty");
  if (status == ELMAN_OK) status = choose_format(&format, importer);
  if (status == ELMAN_OK) status = check_options(importer, format);
  if (status != ELMAN_OK) return status;
  importer->info->format = formats[format].name;
  status = formats[format].read(importer);
  return status == ELMAN_OK ? check_result(importer) : status;
}

elman_status elman_pairs_import(elman_pairs **pairs, elman_import_info *info,
                                const elman_import_options *options, elman_error *error) {
  struct buffer bytes = {0};
  elman_import_info unused;
  if (info == NULL) info = &unused;
  *info = (elman_import_info){0};
  *pairs = NULL;
  if (options->file == NULL) return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "no file is named");
  struct importer importer = {
      .options = options, .info = info, .name = file_name(options->file), .error = error};
  elman_status status = pairs_begin(&importer.pairs, options->file, error);
  if (status == ELMAN_OK && options->target_file != NULL) {
    status = import_two_files(&importer);
  } else if (status == ELMAN_OK) {
    const struct text_limits limits = {.line = options->max_bytes,
                                       .unpacked = options->max_unpacked};
    status = file_read_checked(&bytes, options->file, &limits, check_start, error);
    if (status == ELMAN_OK) status = import_content(&importer, &bytes);
  }
  buffer_free(&importer.line);
  buffer_free(&bytes);
  if (status == ELMAN_OK)
    *pairs = importer.pairs;
  else
    elman_pairs_free(importer.pairs);
  return status;
}
