/* The output format of Nematus, which SoftAlignments reads:
 *
 *   number ||| target tokens ||| score ||| source tokens ||| S+1 T+1
 *   T + 1 rows of S + 1 weights, and an empty line
 *
 * SoftAlignments adds <EOS> to both sides. The source has none here, so its column is zero. The row
 * of a translation without </s> is also zero. SoftAlignments divides by the number of tokens, so an
 * empty side is replaced by one token, which keeps the numbering of sentences.
 * https://github.com/M4t1ss/SoftAlignments */
#include "inspect/escape.h"
#include "inspect/format.h"

static const char NO_TOKENS[] = "∅";

static void write_tokens(FILE *stream, const char *const *tokens, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (i > 0) fputc(' ', stream);
    write_plain_token(stream, tokens[i]);
  }
}

static void write_row(FILE *stream, const float *weights, size_t S) {
  for (size_t s = 0; s < S; s++) {
    write_fixed(stream, weights == NULL ? 0.0 : (double)weights[s], 6);
    fputc(' ', stream);
  }
  fputs("0\n", stream);
}

static void write_empty(FILE *stream, size_t sentence) {
  fprintf(stream, "%zu ||| %s ||| 0 ||| %s ||| 2 2\n1 0\n0 0\n\n", sentence - 1, NO_TOKENS,
          NO_TOKENS);
}

static void write_translation(elman_attention_writer *writing,
                              const elman_translation *translation) {
  FILE *stream = writing->stream;
  const size_t S = translation->source_count;
  const size_t T = translation->target_count - translation->ended; /* without </s> */
  if (S == 0 || T == 0) {
    write_empty(stream, writing->place.sentence);
    return;
  }
  fprintf(stream, "%zu ||| ", writing->place.sentence - 1);
  write_tokens(stream, translation->target_tokens, T);
  fputs(" ||| ", stream);
  write_fixed(stream, translation->log_probability, 6);
  fputs(" ||| ", stream);
  write_tokens(stream, translation->source_tokens, S);
  fprintf(stream, " ||| %zu %zu\n", S + 1, T + 1);
  for (size_t t = 0; t < T + 1; t++)
    write_row(stream, t < translation->target_count ? translation->attention + t * S : NULL, S);
  fputc('\n', stream);
}

const struct format format_softalignments = {"softalignments", ".ali", .write = write_translation};
