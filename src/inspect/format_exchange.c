/* Formats that other programs read. */
#include "elman/matrix.h"
#include "inspect/escape.h"
#include "inspect/format.h"
#include "inspect/shown.h"

/* ---- tsv ---- */

/* Columns are source tokens, the sentinel and segments, if any; rows are target tokens. Tokens
 * contain no space, so " (unknown)" is not part of a token. */
static void write_tsv_panel(elman_attention_writer *writing, const elman_translation *translation,
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
    for (size_t s = 0; s < columns; s++)
      fprintf(stream, "\t%s", fixed_text(column_weight(translation, weights, t, s), 6).text);
    fputc('\n', stream);
  }
}

static void write_tsv(elman_attention_writer *writing, const elman_translation *translation) {
  write_panels(writing, translation, write_tsv_panel);
}

const struct format format_tsv = {"tsv", ".tsv", .write = write_tsv};

/* ---- npy ---- */

/* (T,S) or, with several heads, (heads,T,S) */
static void write_npy(elman_attention_writer *writing, const elman_translation *translation) {
  const size_t sizes[] = {translation->heads, translation->target_count, translation->source_count};
  if (translation->heads > 1)
    elman_npy_write(writing->stream, translation->head_attention, sizes, 3);
  else
    elman_npy_write(writing->stream, translation->attention, sizes + 1, 2);
}

const struct format format_npy = {"npy", ".npy", .write = write_npy};

/* ---- pharaoh ---- */

/* Hard alignments in the format of Pharaoh, Moses and fast_align: one line per translation, "i-j"
 * for source word i and target word j, from 0. */
static void write_pharaoh(elman_attention_writer *writing, const elman_translation *translation) {
  struct word_matrix words;
  writing->failed =
      word_matrix_create(&words, translation, writing->style.units, NULL, NULL) != ELMAN_OK;
  if (writing->failed) return;
  if (writing->style.numbered) fprintf(writing->stream, "%zu ||| ", writing->place.sentence - 1);
  const char *space = "";
  for (size_t s = 0; s < words.source_count; s++) {
    for (size_t t = 0; t < words.target_count; t++) {
      if (!words_linked(&words, &writing->style, s, t)) continue;
      fprintf(writing->stream, "%s%zu-%zu", space, s, t);
      space = " ";
    }
  }
  fputc('\n', writing->stream);
  word_matrix_free(&words);
}

const struct format format_pharaoh = {"pharaoh", ".pharaoh", .write = write_pharaoh,
                                      .counts_words = true};

/* ---- softalignments ---- */

/* The output format of Nematus, which SoftAlignments reads:
 *
 *   number ||| target tokens ||| score ||| source tokens ||| S+1 T+1
 *   T + 1 rows of S + 1 weights, and an empty line
 *
 * SoftAlignments adds <EOS> to both sides. The source has no <EOS> here, so the column of <EOS> is
 * zero. The row of a translation without </s> is also zero. SoftAlignments divides by the number of
 * tokens, so an empty side is replaced by one token, which keeps the numbering of sentences.
 * https://github.com/M4t1ss/SoftAlignments */

static const char NO_TOKENS[] = "∅";

static void write_soft_tokens(FILE *stream, const char *const *tokens, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (i > 0) fputc(' ', stream);
    write_plain_token(stream, tokens[i]);
  }
}

static void write_soft_row(FILE *stream, const float *weights, size_t S) {
  for (size_t s = 0; s < S; s++)
    fprintf(stream, "%s ", fixed_text(weights == NULL ? 0.0 : (double)weights[s], 6).text);
  fputs("0\n", stream);
}

static void write_soft_empty(FILE *stream, size_t sentence) {
  fprintf(stream, "%zu ||| %s ||| 0 ||| %s ||| 2 2\n1 0\n0 0\n\n", sentence - 1, NO_TOKENS,
          NO_TOKENS);
}

static void write_softalignments(elman_attention_writer *writing,
                                 const elman_translation *translation) {
  FILE *stream = writing->stream;
  const size_t S = translation->source_count;
  const size_t T = translation->target_count - translation->ended; /* without </s> */
  if (S == 0 || T == 0) {
    write_soft_empty(stream, writing->place.sentence);
    return;
  }
  fprintf(stream, "%zu ||| ", writing->place.sentence - 1);
  write_soft_tokens(stream, translation->target_tokens, T);
  fprintf(stream, " ||| %s ||| ", fixed_text(translation->log_probability, 6).text);
  write_soft_tokens(stream, translation->source_tokens, S);
  fprintf(stream, " ||| %zu %zu\n", S + 1, T + 1);
  for (size_t t = 0; t < T + 1; t++)
    write_soft_row(stream, t < translation->target_count ? translation->attention + t * S : NULL,
                   S);
  fputc('\n', stream);
}

const struct format format_softalignments = {"softalignments", ".ali",
                                             .write = write_softalignments};
