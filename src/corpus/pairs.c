#include "corpus/pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/table.h"
#include "corpus/alignment.h"
#include "elman/metric.h"
#include "vocab/characters.h"
#include "vocab/invisible.h"

/* ---- lines of a file ---- */

/* The remaining lines of a file. */
struct file_lines {
  const char *name; /* for messages */
  struct text rest;
  size_t number; /* number of the last line read, from 1 */
};

enum { LINE_PROBLEM = 200 };

/* Remove a byte order mark at the start. */
static void drop_mark(struct text *text) {
  static const char mark[] = "\xEF\xBB\xBF";
  if (text->length >= strlen(mark) && memcmp(text->bytes, mark, strlen(mark)) == 0)
    text_drop(text, strlen(mark));
}

/* Read a whole file into `bytes`, which must be empty; "-" is standard input. */
static elman_status lines_open(struct file_lines *lines, struct buffer *bytes, const char *path,
                               const struct text_limits *limits, elman_error *error) {
  const elman_status status = file_read_text(bytes, path, limits, error);
  if (status != ELMAN_OK) return status;
  buffer_append(bytes, "", 0); /* allocates memory even for an empty file */
  if (bytes->failed) return fail_no_memory(error);
  *lines = (struct file_lines){.name = file_name(path), .rest = buffer_text(bytes)};
  drop_mark(&lines->rest);
  return ELMAN_OK;
}

/* Set *line to the next line, without its line end. Return false if no line is left. */
static bool lines_next(struct text *line, struct file_lines *lines) {
  if (lines->rest.length == 0) return false;
  *line = text_cut(&lines->rest, '\n');
  lines->number++;
  while (line->length > 0 && line->bytes[line->length - 1] == '\r') line->length--;
  return true;
}

/* Return whether a line is not valid text; if so, set *finding and describe the place in `problem`.
 * A CR may be the end of a line, so the text after it may belong to another sentence. */
static bool line_is_bad(char problem[LINE_PROBLEM], elman_finding *finding, struct text line) {
  const size_t valid = text_valid_prefix(line);
  if (valid < line.length) {
    *finding = ELMAN_FINDING_NOT_UTF8;
    snprintf(problem, LINE_PROBLEM, "%s at byte %zu of the line",
             line.bytes[valid] == '\0' ? "contains NUL" : "is not valid UTF-8", valid + 1);
    return true;
  }
  const char *found = line.length == 0 ? NULL : memchr(line.bytes, '\r', line.length);
  if (found == NULL) return false;
  *finding = ELMAN_FINDING_CARRIAGE_RETURN;
  snprintf(problem, LINE_PROBLEM,
           "contains a carriage return (CR) at byte %zu of the line; if lines end there, convert "
           "the file: tr '\\r' '\\n'",
           (size_t)(found - line.bytes) + 1);
  return true;
}

/* Fail with ELMAN_BAD_DATA for the last line read. */
static elman_status fail_at_line(elman_error *error, const struct file_lines *lines,
                                 const char *problem) {
  char where[512];
  snprintf(where, sizeof where, "%s:%zu", lines->name, lines->number);
  return fail(error, ELMAN_BAD_DATA, where, "%s", problem);
}

/* ---- text in blocks ---- */

/* The text of pairs is stored in blocks. They are freed from the front, because pairs are encoded
 * one after another and the ids replace their text. */

enum { BLOCK = 1 << 20 };

struct pair_text_block {
  char *bytes;
  size_t used, size;
  size_t end; /* index after the last pair in this or earlier blocks */
};

/* The caller initializes the struct to zero. */
struct pair_text {
  struct pair_text_block *blocks;
  size_t count, capacity;
  size_t released; /* freed blocks */
  size_t pairs;
};

/* Find a block with `size` free bytes: the last one, or a new one. */
static elman_status block_with_room(struct pair_text_block **found, struct pair_text *text,
                                    size_t size, elman_error *error) {
  if (text->count > text->released) {
    *found = &text->blocks[text->count - 1];
    if ((*found)->size - (*found)->used >= size) return ELMAN_OK;
  }
  const elman_status status =
      array_grow(&text->blocks, &text->capacity, text->count + 1, sizeof *text->blocks, error);
  if (status != ELMAN_OK) return status;
  struct pair_text_block block = {.size = size > BLOCK ? size : BLOCK};
  block.bytes = malloc(block.size);
  if (block.bytes == NULL) return fail_no_memory(error);
  *found = &text->blocks[text->count++];
  **found = block;
  return ELMAN_OK;
}

/* Copy the fields of the next pair, each followed by a NUL. The copy does not move until it is
 * freed. */
static elman_status pair_text_add(const char **copy, struct pair_text *text,
                                  const struct text *fields, size_t count, elman_error *error) {
  struct pair_text_block *block = NULL;
  size_t size = 0;
  for (size_t i = 0; i < count; i++)
    if (__builtin_add_overflow(size, fields[i].length + 1, &size)) return fail_no_memory(error);
  const elman_status status = block_with_room(&block, text, size, error);
  if (status != ELMAN_OK) return status;
  *copy = block->bytes + block->used;
  for (size_t i = 0; i < count; i++) {
    if (fields[i].length > 0) memcpy(block->bytes + block->used, fields[i].bytes, fields[i].length);
    block->used += fields[i].length;
    block->bytes[block->used++] = '\0';
  }
  block->end = ++text->pairs;
  return ELMAN_OK;
}

/* Free the blocks whose pairs all come before pair `before`. */
static void pair_text_release(struct pair_text *text, size_t before) {
  while (text->released < text->count && text->blocks[text->released].end <= before) {
    const struct pair_text_block *block = &text->blocks[text->released++];
    release_pages(block->bytes, block->size);
    free(block->bytes);
  }
}

static void pair_text_free(struct pair_text *text) {
  pair_text_release(text, text->pairs);
  free(text->blocks);
  *text = (struct pair_text){0};
}

/* ---- stored pairs ---- */

/* Pairs of consecutive lines of a file. */
struct line_run {
  size_t first;     /* its first pair */
  size_t number;    /* line of that pair, from 1 */
  const char *name; /* name of the file */
};

/* The text of a pair consists of its source, target and alignment. With whole_lines it consists of
 * the whole line and an empty target; each access then searches for the columns again. One pointer
 * per pair suffices, for lines of any length. */
struct elman_pairs {
  char **names; /* (name_count): names of the files */
  size_t name_count;
  struct pair_text text;
  const char **items;
  size_t count;
  size_t capacity;
  struct line_run *runs;
  size_t run_count, run_capacity;
  size_t skipped;
  struct unit_lines unit_lines[2]; /* by side, of lines with an alignment */
  bool whole_lines, strict;
  size_t source_column, target_column;
};

/* ---- columns ---- */

struct pair_columns {
  size_t source, target, alignment; /* from 1; alignment 0 = none */
};

static size_t columns_last(struct pair_columns columns) {
  size_t last = columns.source;
  if (columns.target > last) last = columns.target;
  if (columns.alignment > last) last = columns.alignment;
  return last;
}

/* Find the fields of a line. Return the number of the last column needed, or the number of columns
 * in the line if the line has fewer. */
static size_t columns_pick(struct pair *pair, struct text line, struct pair_columns columns) {
  const size_t last = columns_last(columns);
  const char *start = line.bytes;
  size_t left = line.length;
  for (size_t column = 1;; column++) {
    const char *tab = memchr(start, '\t', left);
    const struct text field = {start, tab == NULL ? left : (size_t)(tab - start)};
    if (column == columns.source) pair->source = field;
    if (column == columns.target) pair->target = field;
    if (column == columns.alignment) pair->alignment = field;
    if (tab == NULL || column == last) return column;
    start = tab + 1;
    left -= field.length + 1;
  }
}

/* Record the line of the next pair, unless it directly follows the line of the previous pair. */
static elman_status note_line(elman_pairs *pairs, const struct file_lines *lines,
                              elman_error *error) {
  if (pairs->run_count > 0) {
    const struct line_run *last = &pairs->runs[pairs->run_count - 1];
    if (last->name == lines->name && last->number + (pairs->count - last->first) == lines->number)
      return ELMAN_OK;
  }
  const elman_status status = array_grow(&pairs->runs, &pairs->run_capacity, pairs->run_count + 1,
                                         sizeof *pairs->runs, error);
  if (status == ELMAN_OK)
    pairs->runs[pairs->run_count++] = (struct line_run){pairs->count, lines->number, lines->name};
  return status;
}

/* Append a pair from the last line read: its source, target and alignment, or the whole line. */
static elman_status pairs_add(elman_pairs *pairs, const struct file_lines *lines,
                              const struct text *fields, size_t count, elman_error *error) {
  elman_status status =
      array_grow(&pairs->items, &pairs->capacity, pairs->count + 1, sizeof *pairs->items, error);
  if (status == ELMAN_OK) status = note_line(pairs, lines, error);
  if (status == ELMAN_OK)
    status = pair_text_add(&pairs->items[pairs->count], &pairs->text, fields, count, error);
  if (status == ELMAN_OK) pairs->count++;
  return status;
}

void elman_pairs_free(elman_pairs *pairs) {
  if (pairs == NULL) return;
  for (size_t i = 0; i < pairs->name_count; i++) free(pairs->names[i]);
  free(pairs->names);
  free(pairs->items);
  free(pairs->runs);
  pair_text_free(&pairs->text);
  free(pairs);
}

size_t elman_pairs_count(const elman_pairs *pairs) {
  return pairs->count;
}

size_t elman_pairs_skipped(const elman_pairs *pairs) {
  return pairs->skipped;
}

void pairs_release(elman_pairs *pairs, size_t before) {
  pair_text_release(&pairs->text, before);
}

struct pair pairs_get(const elman_pairs *pairs, size_t index) {
  const struct text first = text_of(pairs->items[index]);
  const struct text second = text_of(first.bytes + first.length + 1);
  if (second.length > 0)
    return (struct pair){first, second, text_of(second.bytes + second.length + 1)};
  struct pair pair = {.alignment = text_of("")};
  columns_pick(&pair, first, (struct pair_columns){pairs->source_column, pairs->target_column, 0});
  return pair;
}

uint64_t pairs_hash(const elman_pairs *pairs) {
  uint64_t hash = HASH_START;
  for (size_t i = 0; pairs != NULL && i < elman_pairs_count(pairs); i++) {
    const struct pair pair = pairs_get(pairs, i);
    hash = hash_bytes(hash, pair.source.bytes, pair.source.length + 1);
    hash = hash_bytes(hash, pair.target.bytes, pair.target.length + 1);
  }
  return hash;
}

const struct unit_lines *pairs_unit_lines(const elman_pairs *pairs) {
  return pairs->unit_lines;
}

bool pairs_are_strict(const elman_pairs *pairs) {
  return pairs->strict;
}

const char *elman_pairs_line(const elman_pairs *pairs, size_t index, size_t *length) {
  const struct text line = pairs->whole_lines ? text_of(pairs->items[index]) : (struct text){0};
  if (length != NULL) *length = line.length;
  return line.bytes;
}

static const struct line_run *run_of(const elman_pairs *pairs, size_t index) {
  size_t first = 0, end = pairs->run_count;
  while (end - first > 1) {
    const size_t middle = first + (end - first) / 2;
    if (pairs->runs[middle].first <= index)
      first = middle;
    else
      end = middle;
  }
  return &pairs->runs[first];
}

size_t pairs_line_number(const elman_pairs *pairs, size_t index) {
  const struct line_run *run = run_of(pairs, index);
  return run->number + (index - run->first);
}

elman_pair elman_pairs_get(const elman_pairs *pairs, size_t index) {
  const struct pair pair = pairs_get(pairs, index);
  return (elman_pair){.source = pair.source.bytes,
                      .target = pair.target.bytes,
                      .alignment = pair.alignment.bytes,
                      .source_length = pair.source.length,
                      .target_length = pair.target.length,
                      .alignment_length = pair.alignment.length,
                      .file = run_of(pairs, index)->name,
                      .line = pairs_line_number(pairs, index)};
}

void pairs_place(char *place, size_t size, const elman_pairs *pairs, size_t index) {
  snprintf(place, size, "%s:%zu", run_of(pairs, index)->name, pairs_line_number(pairs, index));
}

/* ---- appending lines of another reader ---- */

elman_status pairs_begin(elman_pairs **pairs, const char *file, elman_error *error) {
  *pairs = NULL;
  elman_pairs *begun = calloc(1, sizeof *begun);
  if (begun == NULL) return fail_no_memory(error);
  begun->whole_lines = true;
  begun->source_column = 1;
  begun->target_column = 2;
  begun->names = calloc(1, sizeof *begun->names);
  if (begun->names != NULL) begun->names[0] = strdup(file_name(file));
  if (begun->names == NULL || begun->names[0] == NULL) {
    elman_pairs_free(begun);
    return fail_no_memory(error);
  }
  begun->name_count = 1;
  *pairs = begun;
  return ELMAN_OK;
}

elman_status pairs_append(elman_pairs *pairs, size_t number, struct text line, elman_error *error) {
  const struct file_lines at = {.name = pairs->names[0], .number = number};
  const struct text fields[] = {line, text_of("")};
  return pairs_add(pairs, &at, fields, sizeof fields / sizeof *fields, error);
}

void pairs_count_skipped(elman_pairs *pairs) {
  pairs->skipped++;
}

/* ---- reading ---- */

#define FORMAT "expected UTF-8 text with source, tab and target on each line"

struct pairs_reader {
  elman_pairs *pairs;
  const elman_pairs_options *options;
  elman_error *error;
  struct file_lines alignments; /* lines of the alignment file */
  struct buffer alignment_bytes;
  elman_error first;           /* problem of the first skipped line */
  elman_error first_unaligned; /* problem of the first line with a bad alignment */
  size_t unaligned;            /* lines with a bad alignment */
  bool other_encoding;         /* a line was not valid UTF-8 */
};

/* Read a whole file into `bytes`. */
static elman_status open_lines(struct file_lines *lines, struct buffer *bytes,
                               struct pairs_reader *reader, const char *file) {
  elman_pairs *pairs = reader->pairs;
  char *name = strdup(file_name(file));
  if (name == NULL) return fail_no_memory(reader->error);
  pairs->names[pairs->name_count++] = name;
  const struct text_limits limits = {.line = reader->options->max_bytes,
                                     .unpacked = reader->options->max_unpacked};
  const elman_status status = lines_open(lines, bytes, file, &limits, reader->error);
  lines->name = name;
  return status;
}

/* Ignore blank lines at the end of a file, which editors add. */
static void drop_blank_end(struct file_lines *lines) {
  struct text *rest = &lines->rest;
  while (rest->length > 0 &&
         (rest->bytes[rest->length - 1] == '\n' || rest->bytes[rest->length - 1] == '\r'))
    rest->length--;
}

static size_t count_lines(struct file_lines lines) {
  struct text line;
  while (lines_next(&line, &lines)) continue;
  return lines.number;
}

static elman_status skip(struct pairs_reader *reader, const struct file_lines *lines,
                         elman_finding fault, const char *problem) {
  if (reader->options->strict) return fail_at_line(reader->error, lines, problem);
  if (reader->pairs->skipped++ == 0) (void)fail_at_line(&reader->first, lines, problem);
  if (fault == ELMAN_FINDING_NOT_UTF8) reader->other_encoding = true;
  if (reader->options->skipped != NULL)
    reader->options->skipped(reader->options->context, lines->name, lines->number, fault, problem);
  return ELMAN_OK;
}

/* Return the number of words that an alignment can refer to. If it refers to tokens, return
 * SIZE_MAX, because the number of tokens is not known before corpus_encode, which checks the
 * links. */
static size_t alignment_units(struct text text, const struct unit_lines *lines) {
  return units_are_tokens(text, ELMAN_UNITS_AUTO, lines) ? SIZE_MAX : words_count(text);
}

/* Return whether a link i-j in the files means j-i in the pairs. In the files, i always counts the
 * words of the leftmost column. */
static bool alignments_are_reversed(const struct pairs_reader *reader) {
  const elman_pairs_options *options = reader->options;
  return options->source_file == NULL && options->source_column > options->target_column;
}

/* Return whether the alignment of a pair is bad. The alignment has the form of the file, in which i
 * counts the words of the target if `reversed`. */
static bool alignment_is_bad(char problem[LINE_PROBLEM], const elman_pairs *pairs,
                             const struct pair *pair, bool reversed) {
  const struct unit_lines *lines = pairs->unit_lines;
  const size_t sources = alignment_units(pair->source, &lines[0]);
  const size_t targets = alignment_units(pair->target, &lines[1]);
  struct text rest = pair->alignment;
  struct word_link link;
  elman_error error;
  for (bool found = true; found;) {
    if (alignment_read(&found, &link, &rest, reversed ? targets : sources,
                       reversed ? sources : targets, &error) == ELMAN_OK)
      continue;
    snprintf(problem, LINE_PROBLEM, "%.155s", error.message);
    return true;
  }
  return false;
}

static elman_status add_pair(struct pairs_reader *reader, const struct file_lines *lines,
                             const struct pair *pair) {
  struct unit_lines *sides = reader->pairs->unit_lines;
  char problem[LINE_PROBLEM];
  elman_finding finding;
  if (line_is_bad(problem, &finding, pair->alignment))
    return skip(reader, reader->alignments.name == NULL ? lines : &reader->alignments, finding,
                problem);
  if (pair->alignment.length > 0) {
    unit_lines_add(&sides[0], pair->source);
    unit_lines_add(&sides[1], pair->target);
  }
  const struct text fields[] = {pair->source, pair->target, pair->alignment};
  return pairs_add(reader->pairs, lines, fields, sizeof fields / sizeof *fields, reader->error);
}

/* Skip the pairs whose alignment is bad. In the other pairs, let i count source words. The units of
 * the alignments depend on all lines, so this comes after reading. */
static elman_status use_alignments(struct pairs_reader *reader) {
  elman_pairs *pairs = reader->pairs;
  const bool reversed = alignments_are_reversed(reader);
  const size_t count = pairs->count, run_count = pairs->run_count;
  struct line_run *runs = pairs->runs;
  elman_status status = ELMAN_OK;
  pairs->runs = NULL;
  pairs->count = pairs->run_count = pairs->run_capacity = 0;
  for (size_t i = 0, r = 0; i < count && status == ELMAN_OK; i++) {
    while (r + 1 < run_count && runs[r + 1].first <= i) r++;
    const struct pair pair = pairs_get(pairs, i);
    struct file_lines line = {.name = runs[r].name, .number = runs[r].number + (i - runs[r].first)};
    char problem[LINE_PROBLEM];
    if (reader->options->check_alignments && alignment_is_bad(problem, pairs, &pair, reversed)) {
      if (reader->alignments.name != NULL) line.name = reader->alignments.name;
      if (reader->unaligned++ == 0) (void)fail_at_line(&reader->first_unaligned, &line, problem);
      status = skip(reader, &line, ELMAN_FINDING_BAD_ALIGNMENT, problem);
      continue;
    }
    /* The bytes belong to the pairs, so they may be modified. */
    if (reversed) elman_alignment_reverse((char *)(uintptr_t)pair.alignment.bytes);
    status = note_line(pairs, &line, reader->error);
    pairs->items[pairs->count++] = pairs->items[i];
  }
  free(runs);
  return status;
}

/* Return whether the line has a comma or semicolon between two fields: without a space after it,
 * and not within a number. */
static bool has_separator(struct text line, char separator) {
  for (size_t i = 1; i + 1 < line.length; i++) {
    const char before = line.bytes[i - 1], after = line.bytes[i + 1];
    const bool in_number = before >= '0' && before <= '9' && after >= '0' && after <= '9';
    if (line.bytes[i] == separator && after != ' ' && !in_number) return true;
  }
  return false;
}

#define CONVERT "; to convert the file: elman corpus convert"

/* Return what seems to separate the columns of a line without tabs, and the remedy; NULL if nothing
 * does. */
static const char *other_separator(struct text line) {
  if (memmem(line.bytes, line.length, "|||", 3) != NULL) return "|||" CONVERT;
  if (memmem(line.bytes, line.length, "\\t", 2) != NULL) return "a backslash and t";
  if (line.bytes[0] == '{' && line.bytes[line.length - 1] == '}') return "JSON" CONVERT;
  if (memmem(line.bytes, line.length, "    ", 4) != NULL) return "spaces";
  if (has_separator(line, ';')) return "semicolons" CONVERT;
  return has_separator(line, ',') ? "commas" CONVERT : NULL;
}

/* Add the pair of a TSV line. `alignment` is the line of the alignment file, if there is one. */
static elman_status add_tsv_line(struct pairs_reader *reader, const struct file_lines *lines,
                                 struct text line, struct text alignment) {
  const elman_pairs_options *options = reader->options;
  if (line.length == 0) return skip(reader, lines, ELMAN_FINDING_EMPTY, "is empty");
  char problem[LINE_PROBLEM];
  elman_finding finding;
  if (line_is_bad(problem, &finding, line)) return skip(reader, lines, finding, problem);

  struct pair pair = {0};
  const struct pair_columns columns = {options->source_column, options->target_column,
                                       options->whole_lines ? 0 : options->alignment_column};
  const size_t last = columns_last(columns);
  const size_t found = columns_pick(&pair, line, columns);
  if (found < last) {
    const char *separator = found == 1 ? other_separator(line) : NULL;
    snprintf(problem, sizeof problem,
             "has %zu column%s; column %zu is required (columns are separated by tabs)%s%s", found,
             plural_ending(found), last, separator == NULL ? "" : "; this line seems to use ",
             separator == NULL ? "" : separator);
    return skip(reader, lines, ELMAN_FINDING_LACKS_COLUMN, problem);
  }
  if (text_is_blank(pair.source))
    return skip(reader, lines, ELMAN_FINDING_EMPTY, "has an empty source side");
  if (text_is_blank(pair.target))
    return skip(reader, lines, ELMAN_FINDING_EMPTY, "has an empty target side");
  if (options->whole_lines) {
    const struct text fields[] = {line, text_of("")};
    return pairs_add(reader->pairs, lines, fields, sizeof fields / sizeof *fields, reader->error);
  }
  if (reader->alignments.name != NULL) pair.alignment = alignment;
  return add_pair(reader, lines, &pair);
}

static elman_status fail_line_count(struct pairs_reader *reader, const struct file_lines *lines,
                                    size_t count, const struct file_lines *others,
                                    size_t other_count, const char *rule) {
  return fail(reader->error, ELMAN_BAD_DATA, lines->name,
              "has %zu line%s, but %s has %zu; line n of one file must %s line n of the other",
              count, plural_ending(count), others->name, other_count, rule);
}

/* Open the alignment file, if there is one. It must have as many lines as `with`, not counting
 * surplus blank lines at the end. */
static elman_status open_alignments(struct pairs_reader *reader, const struct file_lines *with) {
  struct file_lines *alignments = &reader->alignments;
  if (reader->options->alignment_file == NULL) return ELMAN_OK;
  const elman_status status =
      open_lines(alignments, &reader->alignment_bytes, reader, reader->options->alignment_file);
  if (status != ELMAN_OK) return status;
  const size_t wanted = count_lines(*with), found = count_lines(*alignments);
  struct file_lines shortened = *alignments;
  drop_blank_end(&shortened);
  if (found >= wanted && count_lines(shortened) <= wanted) return ELMAN_OK;
  return fail_line_count(reader, alignments, found, with, wanted, "align");
}

/* Return the next line of the alignment file; "" after the last line, and if there is no file. */
static struct text next_alignment(struct pairs_reader *reader) {
  struct text line = text_of("");
  if (reader->alignments.name != NULL) (void)lines_next(&line, &reader->alignments);
  return line;
}

static elman_status read_tsv(struct pairs_reader *reader, const char *file) {
  struct buffer bytes = {0};
  struct file_lines lines = {0};
  struct text line;
  elman_status status = open_lines(&lines, &bytes, reader, file);
  drop_blank_end(&lines);
  if (status == ELMAN_OK) status = open_alignments(reader, &lines);
  while (status == ELMAN_OK && lines_next(&line, &lines))
    status = add_tsv_line(reader, &lines, line, next_alignment(reader));
  buffer_free(&bytes);
  return status;
}

static elman_status add_moses_lines(struct pairs_reader *reader, struct file_lines sources,
                                    struct file_lines targets) {
  const size_t source_count = count_lines(sources), target_count = count_lines(targets);
  if (source_count != target_count)
    return fail_line_count(reader, &sources, source_count, &targets, target_count, "translate");
  elman_status status = open_alignments(reader, &sources);

  struct pair pair = {0};
  while (status == ELMAN_OK && lines_next(&pair.source, &sources) &&
         lines_next(&pair.target, &targets)) {
    char problem[LINE_PROBLEM];
    elman_finding finding;
    if (reader->alignments.name != NULL) pair.alignment = next_alignment(reader);
    if (line_is_bad(problem, &finding, pair.source))
      status = skip(reader, &sources, finding, problem);
    else if (line_is_bad(problem, &finding, pair.target))
      status = skip(reader, &targets, finding, problem);
    else if (text_is_blank(pair.source))
      status = skip(reader, &sources, ELMAN_FINDING_EMPTY, "is empty");
    else if (text_is_blank(pair.target))
      status = skip(reader, &targets, ELMAN_FINDING_EMPTY, "is empty");
    else
      status = add_pair(reader, &sources, &pair);
  }
  return status;
}

static elman_status read_moses(struct pairs_reader *reader) {
  const char *const files[] = {reader->options->source_file, reader->options->target_file};
  struct buffer bytes[2] = {0};
  struct file_lines lines[2] = {0};
  elman_status status = ELMAN_OK;
  for (int s = 0; status == ELMAN_OK && s < 2; s++)
    status = open_lines(&lines[s], &bytes[s], reader, files[s]);
  if (status == ELMAN_OK) status = add_moses_lines(reader, lines[0], lines[1]);
  for (int s = 0; s < 2; s++) buffer_free(&bytes[s]);
  return status;
}

static elman_status check_options(const elman_pairs_options *options, elman_error *error) {
  if ((options->source_file == NULL) != (options->target_file == NULL))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "a source file and a target file must be given together");
  if (options->source_file == NULL && options->file_count == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "no file of sentence pairs; at least one is required");
  if (options->file_count > 0 && (options->source_column == 0 || options->target_column == 0))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "column numbers start at 1");
  if (options->alignment_file == NULL) return ELMAN_OK;
  if (options->alignment_column > 0 || options->whole_lines)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "an alignment file cannot be combined with an alignment column or whole lines");
  if (options->file_count + (options->source_file != NULL) != 1)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "an alignment file needs one file of pairs, or one source and one target file");
  return ELMAN_OK;
}

/* Fail because no pair from memory remains. */
static elman_status none_given(const struct pairs_reader *reader) {
  const size_t skipped = reader->pairs->skipped;
  if (skipped == 0)
    return fail(reader->error, ELMAN_BAD_DATA, NULL, "no sentence pair; at least one is required");
  return fail(reader->error, ELMAN_BAD_DATA, NULL,
              "no usable sentence pair; %zu skipped; the first, %.160s, %s", skipped,
              reader->first.where, reader->first.message);
}

static elman_status nothing_found(const struct pairs_reader *reader) {
  const elman_pairs_options *options = reader->options;
  if (options->file_count == 0 && options->source_file == NULL) return none_given(reader);
  const char *file = options->file_count > 0 ? options->files[0] : options->source_file;
  const bool only_one = options->file_count + (options->source_file != NULL) == 1;
  const char *where = only_one ? file_name(file) : NULL;
  const size_t skipped = reader->pairs->skipped;
  const char *parallel = reader->options->file_count > 1
                             ? ", or two parallel files (`source_file`, `target_file`)"
                             : "";
  if (skipped == 0)
    return fail(reader->error, ELMAN_BAD_DATA, where,
                "no usable sentence pair: the file%s empty; " FORMAT "%s",
                only_one ? " is" : "s are", parallel);
  return fail(reader->error, ELMAN_BAD_DATA, where,
              "no usable sentence pair; %zu line%s skipped; the first, %.160s, "
              "%s; " FORMAT "%s%s",
              skipped, plural_ending(skipped), reader->first.where, reader->first.message, parallel,
              reader->other_encoding
                  ? "; convert another encoding with iconv, for example iconv -f GB18030 -t "
                    "UTF-8"
                  : "");
}

/* Accept a few bad alignments. Fail if most are bad, because the file was then probably made for
 * other words. */
static elman_status check_aligned(const struct pairs_reader *reader) {
  const elman_pairs_options *options = reader->options;
  const size_t lines = reader->pairs->count + reader->pairs->skipped;
  const bool reversed = alignments_are_reversed(reader);
  char sides[80] = "the source to word j of the target";
  if (reader->unaligned <= lines / 2) return ELMAN_OK;
  if (options->file_count > 0)
    snprintf(sides, sizeof sides, "column %zu to word j of column %zu",
             reversed ? options->target_column : options->source_column,
             reversed ? options->source_column : options->target_column);
  return fail(reader->error, ELMAN_BAD_DATA, reader->first_unaligned.where,
              "%s; %zu of %zu alignment%s %s: i-j must link word i of %s, counted from 0",
              reader->first_unaligned.message, reader->unaligned, lines, plural_ending(lines),
              alignment_mismatch(reader->unaligned), sides);
}

elman_pairs_options elman_pairs_options_default(void) {
  return (elman_pairs_options){.source_column = 1,
                               .target_column = 2,
                               .max_bytes = ELMAN_DEFAULT_MAX_LINE,
                               .max_unpacked = ELMAN_DEFAULT_MAX_UNPACKED};
}

/* Create an empty list of pairs with room for the names of `names` files. */
static elman_status reader_create(struct pairs_reader *reader, const elman_pairs_options *options,
                                  size_t names, elman_error *error) {
  elman_pairs *pairs = calloc(1, sizeof *pairs);
  *reader = (struct pairs_reader){.pairs = pairs, .options = options, .error = error};
  if (pairs == NULL) return fail_no_memory(error);
  pairs->whole_lines = options->whole_lines;
  pairs->strict = options->strict;
  pairs->source_column = options->source_column;
  pairs->target_column = options->target_column;
  pairs->names = calloc(names, sizeof *pairs->names);
  return pairs->names == NULL ? fail_no_memory(error) : ELMAN_OK;
}

/* Check the pairs that were read, unless `status` is an error, and set *pairs to them. */
static elman_status reader_finish(elman_pairs **pairs, struct pairs_reader *reader,
                                  bool has_alignments, elman_status status) {
  if (status == ELMAN_OK && has_alignments) status = use_alignments(reader);
  if (status == ELMAN_OK) status = check_aligned(reader);
  if (status == ELMAN_OK && reader->pairs->count == 0) status = nothing_found(reader);
  buffer_free(&reader->alignment_bytes);
  *pairs = status == ELMAN_OK ? reader->pairs : NULL;
  if (status != ELMAN_OK) elman_pairs_free(reader->pairs);
  return status;
}

elman_status elman_pairs_read(elman_pairs **pairs, const elman_pairs_options *options,
                              elman_error *error) {
  const elman_pairs_options defaults = elman_pairs_options_default();
  struct pairs_reader reader;
  if (options == NULL) options = &defaults;
  *pairs = NULL;
  elman_status status = check_options(options, error);
  if (status != ELMAN_OK) return status;
  status = reader_create(&reader, options, options->file_count + 3, error);
  for (size_t i = 0; status == ELMAN_OK && i < options->file_count; i++)
    status = read_tsv(&reader, options->files[i]);
  if (status == ELMAN_OK && options->source_file != NULL) status = read_moses(&reader);
  const bool has_alignments = options->alignment_column > 0 || options->alignment_file != NULL;
  return reader_finish(pairs, &reader, has_alignments && !options->whole_lines, status);
}

/* ---- pairs from memory ---- */

/* Return whether a text from memory is bad; if so, set *finding and describe the problem. */
static bool text_is_bad(char problem[LINE_PROBLEM], elman_finding *finding, struct text text,
                        const char *side) {
  const size_t valid = text_valid_prefix(text);
  if (valid < text.length) {
    *finding = ELMAN_FINDING_NOT_UTF8;
    snprintf(problem, LINE_PROBLEM, "the %s is not valid UTF-8 at byte %zu", side, valid + 1);
    return true;
  }
  *finding = ELMAN_FINDING_EMPTY;
  snprintf(problem, LINE_PROBLEM, "the %s is empty", side);
  return text_is_blank(text);
}

static elman_status add_given(struct pairs_reader *reader, const struct file_lines *place,
                              const struct pair *pair) {
  char problem[LINE_PROBLEM];
  elman_finding finding;
  if (text_is_bad(problem, &finding, pair->source, "source") ||
      text_is_bad(problem, &finding, pair->target, "target"))
    return skip(reader, place, finding, problem);
  return add_pair(reader, place, pair);
}

elman_status elman_pairs_create(elman_pairs **pairs, const char *const *sources,
                                const char *const *targets, const char *const *alignments,
                                size_t count, const elman_pairs_options *options,
                                elman_error *error) {
  const elman_pairs_options defaults = elman_pairs_options_default();
  struct pairs_reader reader;
  if (options == NULL) options = &defaults;
  *pairs = NULL;
  if (options->file_count > 0 || options->source_file != NULL || options->target_file != NULL ||
      options->alignment_file != NULL || options->alignment_column > 0 ||
      options->source_column != defaults.source_column ||
      options->target_column != defaults.target_column || options->whole_lines ||
      options->max_bytes != defaults.max_bytes || options->max_unpacked != defaults.max_unpacked)
    return fail(
        error, ELMAN_INVALID_ARGUMENT, NULL,
        "files, columns, whole lines and limits of bytes do not apply to pairs from memory");
  elman_status status = reader_create(&reader, options, 1, error);
  if (status == ELMAN_OK) {
    char *name = strdup("pair");
    reader.pairs->names[reader.pairs->name_count++] = name;
    if (name == NULL) status = fail_no_memory(error);
  }
  for (size_t i = 0; status == ELMAN_OK && i < count; i++) {
    const struct file_lines place = {.name = reader.pairs->names[0], .number = i + 1};
    const struct pair pair = {text_of(sources[i]), text_of(targets[i]),
                              text_of(alignments == NULL ? "" : alignments[i])};
    status = add_given(&reader, &place, &pair);
  }
  return reader_finish(pairs, &reader, alignments != NULL, status);
}

/* ---- a file of sentences ---- */

/* A file with one sentence per line, for scores. All lines count, including empty ones. Lines end
 * with LF or CRLF; byte order marks at the start of lines are ignored. */
struct elman_lines {
  struct buffer bytes;
  const char **lines;
  size_t count, capacity;
};

/* Replace the end of the line by a NUL. */
static const char *terminate(struct text line) {
  char *bytes = (char *)(uintptr_t)line.bytes; /* the memory belongs to the file buffer */
  bytes[line.length] = '\0';
  return bytes;
}

elman_status elman_lines_read(elman_lines **lines, const char *path, elman_error *error) {
  struct file_lines rest = {0};
  struct text line;
  char problem[LINE_PROBLEM];
  elman_finding finding;
  *lines = NULL;
  elman_lines *read = calloc(1, sizeof *read);
  if (read == NULL) return fail_no_memory(error);
  const struct text_limits limits = {
      .line = ELMAN_DEFAULT_MAX_LINE, .unpacked = ELMAN_DEFAULT_MAX_UNPACKED, .fixed = true};
  elman_status status = lines_open(&rest, &read->bytes, path, &limits, error);
  while (status == ELMAN_OK && lines_next(&line, &rest)) {
    drop_mark(&line); /* joined files have marks in any line */
    status = line_is_bad(problem, &finding, line)
                 ? fail_at_line(error, &rest, problem)
                 : array_grow(&read->lines, &read->capacity, read->count + 1, sizeof *read->lines,
                              error);
    if (status == ELMAN_OK) read->lines[read->count++] = terminate(line);
  }
  if (status == ELMAN_OK && read->count == 0)
    status = fail(error, ELMAN_BAD_DATA, rest.name, "is empty; expected one sentence per line");
  if (status == ELMAN_OK)
    *lines = read;
  else
    elman_lines_free(read);
  return status;
}

void elman_lines_free(elman_lines *lines) {
  if (lines == NULL) return;
  buffer_free(&lines->bytes);
  free(lines->lines);
  free(lines);
}

size_t elman_lines_count(const elman_lines *lines) {
  return lines->count;
}

const char *const *elman_lines_get(const elman_lines *lines) {
  return lines->lines;
}
