#include "inspect/panels.h"

#include "inspect/escape.h"

size_t panel_count(const elman_translation *translation) {
  return translation->heads > 1 ? translation->heads + 1 : 1;
}

static bool is_average(const elman_translation *translation, size_t index) {
  return index + 1 == panel_count(translation);
}

const float *panel_weights(const elman_translation *translation, size_t index) {
  if (is_average(translation, index)) return translation->attention;
  return translation->head_attention +
         index * translation->target_count * translation->source_count;
}

size_t panel_columns(const elman_translation *translation) {
  return translation->source_count + (translation->sentinel != NULL) + translation->segment_count;
}

/* The segment of a column that is neither a token's nor the sentinel's. */
static size_t segment_of(const elman_translation *translation, size_t column) {
  return column - translation->source_count - (translation->sentinel != NULL);
}

const char *column_name(struct column_buffer *buffer, const elman_translation *translation,
                        size_t column) {
  const size_t S = translation->source_count, *ends = translation->segment_ends;
  if (column < S) return translation->source_tokens[column];
  if (column == S && translation->sentinel != NULL) return NO_TOKEN;
  const size_t segment = segment_of(translation, column);
  const size_t first = segment > 0 ? ends[segment - 1] + 1 : 1;
  snprintf(buffer->text, sizeof buffer->text, "tokens %zu-%zu", first, ends[segment]);
  return buffer->text;
}

bool column_known(const elman_translation *translation, size_t column) {
  return column >= translation->source_count || translation->source_known[column];
}

double column_weight(const elman_translation *translation, const float *weights, size_t t,
                     size_t column) {
  const size_t S = translation->source_count, G = translation->segment_count;
  if (column < S) return (double)weights[t * S + column];
  if (column == S && translation->sentinel != NULL) return (double)translation->sentinel[t];
  return (double)translation->segments[t * G + segment_of(translation, column)];
}

void write_panel_name(FILE *stream, const elman_translation *translation, size_t index) {
  if (translation->heads <= 1) return;
  if (is_average(translation, index))
    fputs("average", stream);
  else
    fprintf(stream, "head %zu", index + 1);
}

void write_panels(elman_attention_writer *writing, const elman_translation *translation,
                  panel_writer *write_panel) {
  if (writing->count > 0) fputc('\n', writing->stream);
  if (writing->style.numbered)
    fprintf(writing->stream, "%zu.%zu\n", writing->place.sentence, writing->place.hypothesis);
  for (size_t i = 0; i < panel_count(translation); i++) {
    write_panel_name(writing->stream, translation, i);
    if (translation->heads > 1) fputc('\n', writing->stream);
    write_panel(writing, translation, panel_weights(translation, i));
  }
}

size_t widest_token(const char *const *tokens, size_t count, size_t most) {
  size_t width = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t one = visible_width(tokens[i]);
    if (one > width) width = one;
  }
  return width < most ? width : most;
}

size_t widest_column(const elman_translation *translation, size_t most) {
  size_t width = 0;
  for (size_t column = 0; column < panel_columns(translation); column++) {
    struct column_buffer buffer;
    const char *const name = column_name(&buffer, translation, column);
    const size_t one = widest_token(&name, 1, most);
    if (one > width) width = one;
  }
  return width;
}

bool has_unknown(const elman_translation *translation) {
  for (size_t s = 0; s < translation->source_count; s++)
    if (!translation->source_known[s]) return true;
  return false;
}
