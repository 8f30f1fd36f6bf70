#include "input/sentences.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "console/messages.h"
#include "console/output.h"

enum { REPORTED_SHOWN = 5 };

/* ---- opening ---- */

static void hint_files(const struct operands *texts) {
  struct stat info;
  for (size_t i = 0; i < texts->count; i++) {
    const char *text = texts->words[i];
    if (stat(text, &info) == 0 && S_ISREG(info.st_mode))
      note("'%s' is treated as a sentence, but a file of this name exists; did you mean -i %s?",
           text, text);
  }
}

int sentences_open(struct sentence_input *sentences, const char *path,
                   const struct operands *texts) {
  elman_error error;
  sentences->texts = *texts;
  sentences->lines.file = -1;
  if (sentences->max_line == 0) sentences->max_line = SIZE_MAX / 2; /* no limit */
  if (sentences->references_path != NULL &&
      elman_lines_read(&sentences->references, sentences->references_path, &error) != ELMAN_OK)
    return report_error(&error);
  hint_files(texts);
  if (texts->count > 0) return EX_OK;
  const int code = line_reader_open(&sentences->lines, path, sentences->max_line);
  if (code != EX_OK) elman_lines_free(sentences->references);
  return code;
}

void sentences_close(struct sentence_input *sentences) {
  const size_t more = sentences->reported - REPORTED_SHOWN;
  if (sentences->reported > REPORTED_SHOWN)
    report(sentences->lines.name, "and %zu more line%s with bad data", more, plural(more));
  line_reader_close(&sentences->lines);
  elman_lines_free(sentences->references);
}

static bool has_lines(const struct sentence_input *sentences) {
  return sentences->texts.count == 0;
}

bool sentences_ready(struct sentence_input *sentences) {
  return !has_lines(sentences) || line_reader_ready(&sentences->lines);
}

/* ---- problems ---- */

/* Describe the place of a sentence's reference, for messages. */
static void place_reference(char *where, size_t size, const struct sentence_input *sentences,
                            size_t number) {
  const char *path = sentences->references_path;
  if (sentences->source_column > 0)
    snprintf(where, size, "%s:%zu: target side", sentences->lines.name, number);
  else if (path == NULL)
    snprintf(where, size, "--reference");
  else
    snprintf(where, size, "%s:%zu", input_name(path), number);
}

int sentences_report(struct sentence_input *sentences, size_t number, const elman_error *error) {
  elman_error placed = *error;
  if (error->code == ELMAN_BAD_DATA && sentences->reported++ >= REPORTED_SHOWN)
    return exit_code_of(error->code);
  if (strcmp(error->where, "reference") == 0)
    place_reference(placed.where, sizeof placed.where, sentences, number);
  else if (has_lines(sentences))
    snprintf(placed.where, sizeof placed.where, "%s:%zu", sentences->lines.name, number);
  else
    snprintf(placed.where, sizeof placed.where, "TEXT %zu", number);
  return report_error(&placed);
}

bool sentences_usable(const struct sentence_input *sentences, int code) {
  return code == EX_OK || (code == EX_DATAERR && !sentences->incomplete);
}

static size_t last_column(const struct sentence_input *sentences) {
  size_t last = sentences->alignment_column;
  if (sentences->source_column > last) last = sentences->source_column;
  return sentences->target_column > last ? sentences->target_column : last;
}

static void report_line(struct sentence_input *sentences, const elman_sentence *sentence,
                        int *code) {
  elman_error error = {.code = ELMAN_BAD_DATA};
  if (sentence->length > sentences->max_line)
    snprintf(error.message, sizeof error.message, "skipped: the line has more than %zu byte%s",
             sentences->max_line, plural(sentences->max_line));
  else if (strlen(sentence->text) < sentence->length)
    snprintf(error.message, sizeof error.message, "skipped: the line contains a NUL character");
  else if (strchr(sentence->text, '\r') != NULL)
    snprintf(error.message, sizeof error.message, "skipped: the line contains a carriage return");
  else
    snprintf(error.message, sizeof error.message, "skipped: the line has no column %zu",
             last_column(sentences));
  *code = sentences_report(sentences, sentence->number, &error);
}

static bool report_mismatch(struct sentence_input *sentences, const char *problem, int *code) {
  const size_t count = elman_lines_count(sentences->references);
  report(input_name(sentences->references_path),
         "has %zu line%s, but there are %s sentences; line n must be the translation of sentence n",
         count, plural(count), problem);
  sentences->incomplete = true;
  *code = EX_DATAERR;
  return false;
}

/* ---- parts of a sentence ---- */

void sentence_free(elman_sentence *sentence) {
  free((char *)sentence->text);
  sentence->text = NULL;
}

static void set_reference(elman_sentence *sentence, const char *reference) {
  sentence->reference = reference;
  sentence->reference_length = reference == NULL ? 0 : strlen(reference);
}

struct column_text {
  const char *text; /* start of the column's text; NULL = there is no such column */
  size_t length;
};

static struct column_text find_column(const elman_sentence *line, size_t column) {
  struct column_text field = {line->text, 0};
  for (size_t i = 1; i < column && field.text != NULL; i++) {
    field.text += strcspn(field.text, "\t");
    field.text = *field.text == '\0' ? NULL : field.text + 1;
  }
  if (field.text != NULL) field.length = strcspn(field.text, "\t");
  return field;
}

static char *put_column(char **at, struct column_text field) {
  char *start = *at;
  memcpy(start, field.text, field.length);
  start[field.length] = '\0';
  *at += field.length + 1;
  return start;
}

/* Split the line into its columns. Return false if a column is missing. Also return false, and set
 * *code, if memory ran out. Refuse a line with a NUL byte, because the text after it would be lost,
 * and a line with a CR, which may end a line. */
static bool split_columns(struct sentence_input *sentences, elman_sentence *sentence, int *code) {
  if (sentence->length > sentences->max_line || strlen(sentence->text) < sentence->length ||
      strchr(sentence->text, '\r') != NULL ||
      find_column(sentence, last_column(sentences)).text == NULL)
    return false;
  const bool aligned = sentences->alignment_column > 0;
  const struct column_text source = find_column(sentence, sentences->source_column),
                           target = find_column(sentence, sentences->target_column),
                           links = aligned ? find_column(sentence, sentences->alignment_column)
                                           : (struct column_text){"", 0};
  /* Copy each column, because a column may be used more than once. */
  char *copy = malloc(source.length + target.length + links.length + 3), *at = copy;
  if (copy == NULL) {
    *code = report_no_memory();
    return false;
  }
  const char *text = put_column(&at, source);
  sentence->length = source.length;
  sentence->reference = put_column(&at, target);
  sentence->reference_length = target.length;
  if (aligned) {
    char *alignment = put_column(&at, links);
    if (sentences->source_column > sentences->target_column) elman_alignment_reverse(alignment);
    sentences->alignment = alignment;
  }
  sentence_free(sentence);
  sentence->text = text;
  return true;
}

static void hint_tab(struct sentence_input *sentences, const elman_sentence *sentence) {
  if (!has_lines(sentences) || sentences->noted_tab ||
      memchr(sentence->text, '\t', sentence->length) == NULL)
    return;
  sentences->noted_tab = true;
  note("%s:%zu: contains a tab; the whole line, with all its columns, is treated as one sentence",
       sentences->lines.name, sentence->number);
}

/* ---- iteration ---- */

static bool next_text(struct sentence_input *sentences, elman_sentence *sentence, int *code) {
  struct line line;
  if (has_lines(sentences)) {
    if (!line_reader_next(&sentences->lines, &line, code)) return false;
  } else {
    if (sentences->number == sentences->texts.count) return false;
    line.text = sentences->texts.words[sentences->number];
    line.length = strlen(line.text);
  }
  char *text = malloc(line.length + 1);
  *sentence = (elman_sentence){.text = text,
                               .length = line.length,
                               .number = ++sentences->number,
                               .is_text = sentences->have_parts && !has_lines(sentences)};
  if (text == NULL) {
    *code = report_no_memory();
    return false;
  }
  memcpy(text, line.text, line.length);
  text[line.length] = '\0';
  set_reference(sentence, sentences->reference);
  return true;
}

bool sentences_next(struct sentence_input *sentences, elman_sentence *sentence, int *code) {
  const size_t references =
      sentences->references == NULL ? 0 : elman_lines_count(sentences->references);
  int end = EX_OK;
  while (next_text(sentences, sentence, &end)) {
    if (sentences->source_column > 0) {
      if (split_columns(sentences, sentence, &end)) return true;
      if (end == EX_OK) report_line(sentences, sentence, code);
      sentence_free(sentence);
      if (end != EX_OK) break;
      continue;
    }
    hint_tab(sentences, sentence);
    if (sentences->references == NULL) return true;
    if (sentence->number <= references) {
      set_reference(sentence, elman_lines_get(sentences->references)[sentence->number - 1]);
      return true;
    }
    sentence_free(sentence);
    return report_mismatch(sentences, "more", code);
  }
  if (end == EX_OK && sentences->number < references)
    return report_mismatch(sentences, "fewer", code);
  if (end != EX_OK) {
    *code = end;
    sentences->incomplete = true;
  }
  return false;
}
