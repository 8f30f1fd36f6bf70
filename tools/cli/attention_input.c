#include "attention_input.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "messages.h"

int attention_input_open(struct attention_input *input, const char *command, const char *path,
                         const struct operands *texts, size_t max_line) {
  elman_error error;
  if (input->references_path != NULL &&
      elman_lines_read(&input->references, input->references_path, &error) != ELMAN_OK)
    return report_error(&error);
  const int code = sentences_open(&input->sentences, command, path, texts, max_line);
  if (code != EX_OK)
    attention_input_close(input);
  else
    sentences_hint_files(&input->sentences);
  return code;
}

void attention_input_close(struct attention_input *input) {
  sentences_close(&input->sentences);
  elman_lines_free(input->references);
  free(input->line);
  input->references = NULL;
  input->line = NULL;
}

/* ---- a file of references ---- */

static void report_mismatch(struct attention_input *input, const char *problem, int *code) {
  report(input->references_path,
         "has %zu line%s, but there are %s sentences; line n must belong to sentence n",
         elman_lines_count(input->references), plural(elman_lines_count(input->references)),
         problem);
  input->mismatch = true;
  *code = EX_DATAERR;
}

static bool take_reference(struct attention_input *input, struct attention_item *item, int *code) {
  const size_t count = elman_lines_count(input->references);
  if (item->sentence.number > count) {
    report_mismatch(input, "more", code);
    return false;
  }
  item->reference = elman_lines_get(input->references)[item->sentence.number - 1];
  return true;
}

/* ---- lines with columns ---- */

/* Ends the column that starts at `text`; gives the start of the next one, or NULL. */
static char *end_column(char *text) {
  text += strcspn(text, "\t");
  if (*text == '\0') return NULL;
  *text = '\0';
  return text + 1;
}

static bool take_columns(struct attention_input *input, struct attention_item *item) {
  char *target = end_column(input->line), *column = target;
  for (size_t i = 2; i < input->alignment_column && column != NULL; i++)
    column = end_column(column);
  if (column == NULL) return false;
  (void)end_column(column);
  item->sentence.text = input->line;
  item->sentence.length = strlen(input->line);
  item->reference = target;
  item->alignment = column;
  return true;
}

static bool copy_line(struct attention_input *input, struct sentence sentence, int *code) {
  char *line = realloc(input->line, sentence.length + 1);
  if (line == NULL) {
    *code = report_no_memory();
    return false;
  }
  memcpy(line, sentence.text, sentence.length);
  line[sentence.length] = '\0';
  input->line = line;
  return true;
}

static void report_line(struct attention_input *input, const struct sentence *sentence, int *code) {
  elman_error error = {.code = ELMAN_BAD_DATA};
  if (sentence->length > input->sentences.max_line)
    snprintf(error.message, sizeof error.message, "left out: the line has more than %zu bytes",
             input->sentences.max_line);
  else
    snprintf(error.message, sizeof error.message,
             "left out: there is no column %zu, or the line is not text", input->alignment_column);
  *code = sentences_report(&input->sentences, sentence->number, &error);
}

/* The next line that has its columns. */
static bool next_columns(struct attention_input *input, struct attention_item *item, int *code) {
  while (sentences_next(&input->sentences, &item->sentence, code)) {
    if (!copy_line(input, item->sentence, code)) return false;
    /* A NUL is not text, and would hide what comes after it. */
    if (item->sentence.length <= input->sentences.max_line &&
        strlen(input->line) == item->sentence.length && take_columns(input, item))
      return true;
    report_line(input, &item->sentence, code);
  }
  return false;
}

/* ---- either ---- */

bool attention_input_next(struct attention_input *input, struct attention_item *item, int *code) {
  int end = EX_OK;
  *item = (struct attention_item){.reference = input->reference};
  if (input->alignment_column > 0) return next_columns(input, item, code);
  if (sentences_next(&input->sentences, &item->sentence, &end)) {
    sentences_hint_tab(&input->sentences, item->sentence);
    return input->references == NULL || take_reference(input, item, code);
  }
  if (end != EX_OK)
    *code = end;
  else if (input->references != NULL &&
           input->sentences.number < elman_lines_count(input->references))
    report_mismatch(input, "fewer", code);
  return false;
}
