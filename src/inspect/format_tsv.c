/* A table: columns are source tokens, the sentinel and segments, if any; rows are target tokens.
 * Tokens contain no space, so " (unknown)" is not part of a token. */
#include "inspect/escape.h"
#include "inspect/format.h"

static void write_table(elman_attention_writer *writing, const elman_translation *translation,
                        const float *weights) {
  FILE *stream = writing->stream;
  const size_t columns = panel_columns(translation);
  for (size_t s = 0; s < columns; s++) {
    fputc('\t', stream);
    struct column_buffer buffer;
    write_cell(stream, column_name(&buffer, translation, s));
    if (!column_known(translation, s)) fputs(" (unknown)", stream);
  }
  fputc('\n', stream);
  for (size_t t = 0; t < translation->target_count; t++) {
    write_cell(stream, translation->target_tokens[t]);
    for (size_t s = 0; s < columns; s++) {
      fputc('\t', stream);
      write_fixed(stream, column_weight(translation, weights, t, s), 6);
    }
    fputc('\n', stream);
  }
}

static void write_translation(elman_attention_writer *writing,
                              const elman_translation *translation) {
  write_panels(writing, translation, write_table);
}

const struct format format_tsv = {"tsv", ".tsv", .write = write_translation};
