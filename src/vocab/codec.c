#include "vocab/codec.h"

#include <assert.h>
#include <stdlib.h>

#include "base/portable_math.h"
#include "vocab/characters.h"
#include "vocab/normalize.h"
#include "vocab/tokens.h"

/* ---- text without spaces ---- */

/* Maximum characters of a word within a run. Longer "words" are unsegmented sentences, which match
 * only as whole tokens. Looking them up within a run would only cost time. */
enum { LONGEST_WORD = 32 };

/* The Viterbi lattice of a run. It has a node before each character and one at the end. */
struct node {
  size_t offset;      /* byte at which the character starts */
  double cost;        /* cost of the most likely segmentation of the text before the node */
  unsigned char step; /* number of characters in the last word of that segmentation; 0 = one unknown
                         character */
};

struct segmenter {
  struct tokens *out;
  const struct vocabulary *vocabulary;
  struct node *lattice;
  size_t capacity;
  double log_total;
  size_t longest;
  elman_error *error;
};

/* Return -log(count / total). Treat the count 0, which model files may contain, as 1. */
static double word_cost(const struct segmenter *segmenter, uint32_t id) {
  const uint64_t count = vocabulary_count(segmenter->vocabulary, id);
  return segmenter->log_total - portable_log(count > 0 ? (double)count : 1.0);
}

/* Return the cost of an unknown character: it counts as ten times as rare as a word seen once. This
 * is more than the cost of any single word, but less than that of a long chain of rare words. */
static double unknown_cost(const struct segmenter *segmenter) {
  return segmenter->log_total + portable_log(10.0);
}

static struct text between(const struct segmenter *segmenter, struct text run, size_t start,
                           size_t end) {
  const size_t offset = segmenter->lattice[start].offset;
  return (struct text){run.bytes + offset, segmenter->lattice[end].offset - offset};
}

/* Find the most likely last word before each node, from left to right; if several words are equally
 * likely, the longest. */
static void viterbi(struct segmenter *segmenter, struct text run, size_t characters) {
  struct node *lattice = segmenter->lattice;
  const double unknown = unknown_cost(segmenter);
  for (size_t end = 1; end <= characters; end++) {
    double best = lattice[end - 1].cost + unknown;
    unsigned char step = 0;
    for (size_t length = 1; length <= segmenter->longest && length <= end; length++) {
      const size_t start = end - length;
      const uint32_t id =
          vocabulary_find(segmenter->vocabulary, between(segmenter, run, start, end));
      if (id == TOKEN_UNKNOWN) continue;
      const double cost = lattice[start].cost + word_cost(segmenter, id);
      if (cost > best) continue;
      best = cost;
      step = (unsigned char)length;
    }
    lattice[end].cost = best;
    lattice[end].step = step;
  }
}

/* Reverse the steps in place. Before, they lead from the end of the run to its start. Afterwards
 * the step of a node is the length of the word that starts there. */
static void reverse_steps(struct node *lattice, size_t characters) {
  unsigned char step = lattice[characters].step;
  for (size_t end = characters; end > 0;) {
    end -= step == 0 ? 1 : step;
    const unsigned char before = lattice[end].step;
    lattice[end].step = step;
    step = before;
  }
}

static elman_status add_words(struct segmenter *segmenter, struct text run, size_t characters) {
  const struct node *lattice = segmenter->lattice;
  elman_status status = ELMAN_OK;
  for (size_t start = 0, end; status == ELMAN_OK && start < characters; start = end) {
    end = start + lattice[start].step;
    if (end == start)
      while (end < characters && lattice[end].step == 0) end++;
    status = tokens_add(segmenter->out, between(segmenter, run, start, end), segmenter->error);
  }
  return status;
}

static elman_status segment_run(struct segmenter *segmenter, struct text run) {
  size_t characters = 0;
  for (size_t at = 0;; characters++) {
    const elman_status status = array_grow(&segmenter->lattice, &segmenter->capacity,
                                           characters + 1, sizeof(struct node), segmenter->error);
    if (status != ELMAN_OK) return status;
    segmenter->lattice[characters] = (struct node){.offset = at};
    if (at == run.length) break;
    character_at(run, &at);
  }
  viterbi(segmenter, run, characters);
  reverse_steps(segmenter->lattice, characters);
  return add_words(segmenter, run, characters);
}

static elman_status segment_token(struct segmenter *segmenter, struct text token) {
  const struct text surface = token_surface(token);
  if (vocabulary_find(segmenter->vocabulary, token) != TOKEN_UNKNOWN ||
      run_end(surface, 0, is_unspaced_letter, false) == surface.length)
    return tokens_add(segmenter->out, token, segmenter->error);

  elman_status status = ELMAN_OK;
  for (size_t start = 0, end; status == ELMAN_OK && start < surface.length; start = end) {
    end = run_end(surface, start, is_unspaced_letter, true);
    const bool unspaced = end > start;
    if (!unspaced) end = run_end(surface, start, is_unspaced_letter, false);
    const struct text piece = {surface.bytes + start, end - start};
    /* The piece becomes the token that it would be between spaces, including its mark. */
    const char *mark = token_has_mark(piece) ? MARK_SPACED : "";
    status = unspaced ? segment_run(segmenter, piece)
                      : tokens_add_marked(segmenter->out, mark, piece, segmenter->error);
  }
  return status;
}

elman_status segment_unspaced(struct tokens *out, const struct tokens *in,
                              const struct vocabulary *vocabulary, elman_error *error) {
  tokens_clear(out);
  const double total = vocabulary_total(vocabulary);
  const size_t longest = vocabulary_longest_unspaced(vocabulary);
  struct segmenter segmenter = {
      .out = out,
      .vocabulary = vocabulary,
      .log_total = portable_log(total > 1 ? total : 1.0),
      .longest = longest < LONGEST_WORD ? longest : LONGEST_WORD,
      .error = error,
  };
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < in->count && !tokens_exceed(out); i++)
    status = segment_token(&segmenter, tokens_get(in, i));
  free(segmenter.lattice);
  return status;
}

/* ---- text to ids ---- */

elman_status codec_text(struct buffer *into, const struct codec *codec, struct text text,
                        elman_error *error) {
  const elman_status status = text_normalize(into, text, codec->normalization, error);
  if (status == ELMAN_OK) text_drop_spaces(into, codec->mode);
  return status;
}

elman_status encode_tokens(struct encoding *encoding, const struct codec *codec, struct text text,
                           elman_error *error) {
  elman_status status = codec_text(&encoding->normalized, codec, text, error);
  if (status != ELMAN_OK) return status;

  const bool segments = token_mode_row(codec->mode)->segments && codec->vocabulary != NULL;
  const bool divides = codec->merges != NULL;
  status = tokens_split(segments || divides ? &encoding->split : &encoding->tokens,
                        buffer_text(&encoding->normalized), codec->mode, error);
  if (status == ELMAN_OK && segments)
    status = segment_unspaced(&encoding->tokens, &encoding->split, codec->vocabulary, error);
  if (status == ELMAN_OK && divides)
    status = subwords_split(&encoding->tokens, &encoding->split,
                            (struct subwords){codec->merges, codec->vocabulary},
                            &encoding->subwords, NULL, error);
  return status;
}

static elman_status look_up(struct encoding *encoding, const struct vocabulary *vocabulary,
                            elman_error *error) {
  const elman_status status = array_grow(&encoding->ids, &encoding->capacity,
                                         encoding->tokens.count, sizeof *encoding->ids, error);
  if (status != ELMAN_OK) return status;
  for (size_t i = 0; i < encoding->tokens.count; i++)
    encoding->ids[i] = vocabulary_find(vocabulary, tokens_get(&encoding->tokens, i));
  encoding->count = encoding->tokens.count;
  return ELMAN_OK;
}

/* Return the number of tokens of the COPIED_WORD that starts at token `index`; 0 if another text
 * starts there. */
static size_t copied_tokens(const struct tokens *tokens, size_t index) {
  const struct text copied = text_of(COPIED_WORD);
  size_t bytes = 0;
  if (text_equal(token_surface(tokens_get(tokens, index)), copied)) return 1;
  while (bytes < copied.length && index + bytes < tokens->count &&
         token_byte(tokens_get(tokens, index + bytes)) == (unsigned char)copied.bytes[bytes])
    bytes++;
  return bytes == copied.length ? bytes : 0;
}

/* Replace the ids of each COPIED_WORD by one TOKEN_UNKNOWN. */
static void mark_copies(struct encoding *encoding) {
  encoding->count = 0;
  for (size_t i = 0, copied; i<encoding->tokens.count; i += copied> 0 ? copied : 1) {
    copied = copied_tokens(&encoding->tokens, i);
    encoding->ids[encoding->count++] = copied > 0 ? TOKEN_UNKNOWN : encoding->ids[i];
  }
}

elman_status encode(struct encoding *encoding, const struct codec *codec, struct text text,
                    elman_error *error) {
  const elman_status status = encode_tokens(encoding, codec, text, error);
  return status == ELMAN_OK ? look_up(encoding, codec->vocabulary, error) : status;
}

elman_status encode_copies(struct encoding *encoding, const struct codec *codec, struct text text,
                           elman_error *error) {
  const elman_status status = encode(encoding, codec, text, error);
  if (status == ELMAN_OK) mark_copies(encoding);
  return status;
}

elman_status encode_checked(struct encoding *encoding, const struct codec *codec, struct text text,
                            size_t most, elman_error *error) {
  if (most == 0 || most > MAX_SENTENCE_TOKENS) most = MAX_SENTENCE_TOKENS;
  encoding->tokens.count = 0;
  const size_t good = text_valid_prefix(text);
  if (good < text.length)
    return fail(error, ELMAN_BAD_DATA, NULL, "byte %zu is %s", good + 1,
                text.bytes[good] == '\0'
                    ? "NUL, which is not valid in text"
                    : "not valid UTF-8 text; iconv converts text from another encoding");
  encoding->split.most = encoding->tokens.most = most;
  const elman_status status = encode(encoding, codec, text, error);
  encoding->split.most = encoding->tokens.most = 0;
  if (status == ELMAN_OK && encoding->tokens.count > most)
    return fail(error, ELMAN_BAD_DATA, NULL,
                "the text has more tokens than the limit of %zu; split it", most);
  return status;
}

elman_status encode_again(struct encoding *encoding, const struct codec *codec, const uint32_t *ids,
                          size_t count, struct bpe_dropout *dropout, elman_error *error) {
  elman_status status = ELMAN_OK;
  tokens_clear(&encoding->tokens);
  for (size_t i = 0; status == ELMAN_OK && i < count; i++)
    status = tokens_add(&encoding->tokens,
                        ids[i] == TOKEN_UNKNOWN ? text_of(COPIED_WORD)
                                                : vocabulary_token(codec->vocabulary, ids[i]),
                        error);
  buffer_clear(&encoding->normalized);
  if (status == ELMAN_OK)
    status = tokens_join(&encoding->normalized, &encoding->tokens, codec->mode, error);
  if (status == ELMAN_OK)
    status = tokens_split(&encoding->split, buffer_text(&encoding->normalized), codec->mode, error);
  if (status == ELMAN_OK)
    status = subwords_split(&encoding->tokens, &encoding->split,
                            (struct subwords){codec->merges, codec->vocabulary},
                            &encoding->subwords, dropout, error);
  if (status == ELMAN_OK) status = look_up(encoding, codec->vocabulary, error);
  if (status == ELMAN_OK) mark_copies(encoding);
  return status;
}

void encoding_free(struct encoding *encoding) {
  buffer_free(&encoding->normalized);
  tokens_free(&encoding->split);
  tokens_free(&encoding->tokens);
  subwords_scratch_free(&encoding->subwords);
  free(encoding->ids);
  *encoding = (struct encoding){0};
}

elman_status decode(struct buffer *into, const struct codec *codec, const uint32_t *ids,
                    size_t count, elman_error *error) {
  const size_t specials = vocabulary_specials(codec->vocabulary);
  struct tokens tokens = {0};
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < count; i++) {
    assert(ids[i] < vocabulary_size(codec->vocabulary));
    if (ids[i] == TOKEN_UNKNOWN || ids[i] >= specials)
      status = tokens_add(&tokens, vocabulary_token(codec->vocabulary, ids[i]), error);
  }
  if (status == ELMAN_OK) status = tokens_join(into, &tokens, codec->mode, error);
  tokens_free(&tokens);
  return status;
}
