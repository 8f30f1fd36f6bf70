#include "corpus/vocabulary_pair.h"

#include <stdlib.h>

#include "corpus/corpus.h"
#include "corpus/noise.h"
#include "vocab/bpe_learn.h"
#include "vocab/characters.h"
#include "vocab/normalize.h"

/* Number of lines that suffices to determine the script of a corpus. */
enum { SCRIPT_SAMPLE = 10000 };

/* ---- counting ---- */

struct side_count {
  struct codec codec; /* the result: its vocabulary and merges */
  struct script_sample sample;
  struct token_counter *counter;
  struct encoding encoding; /* scratch memory */
  struct word_table words;  /* words from which merges are learned in mode `bpe` */
  struct merges merges;
};

struct counting {
  struct side_count sides[2];
  const elman_pairs *pairs;
  size_t max_length;
};

static struct text text_on(const elman_pairs *pairs, size_t index, elman_side side) {
  const struct pair pair = pairs_get(pairs, index);
  return side == ELMAN_SOURCE ? pair.source : pair.target;
}

static bool is_too_long(const struct side_count *side, size_t max_length) {
  return max_length > 0 && side->encoding.tokens.count > max_length;
}

/* Return the mode to use if `found` suits the script. In AUTO_BPE, characters remain tokens only
 * for Han, because a Han character stands for a word or a part of a word. This is not true of a
 * letter of Thai or kana. */
static elman_token_mode choose_mode(elman_token_mode asked, elman_token_mode found,
                                    enum script script) {
  if (!token_mode_is_automatic(asked)) return asked;
  const bool splits =
      found == ELMAN_TOKENS_WORDS || (found == ELMAN_TOKENS_CHARS && script != SCRIPT_HAN);
  return asked == ELMAN_TOKENS_AUTO_BPE && splits ? ELMAN_TOKENS_BPE : found;
}

/* Add a pair to the script samples, unless a side is too long in its token mode. */
static elman_status sample_pair(struct counting *counting, size_t index, elman_error *error) {
  struct script_counts counts[2];
  bool too_long = false;
  for (int s = 0; s < 2; s++) {
    struct side_count *side = &counting->sides[s];
    const struct text text = text_on(counting->pairs, index, (elman_side)s);
    counts[s] = (struct script_counts){.letters = 0};
    /* Use NFC, because NFKC would replace the full-width characters. */
    elman_status status = text_normalize(&side->encoding.normalized, text, ELMAN_NFC, error);
    if (status != ELMAN_OK) return status;
    script_count(&counts[s], buffer_text(&side->encoding.normalized));
    const elman_token_mode mode = choose_mode(side->codec.mode, script_line_mode(&counts[s]),
                                              letters_script(&counts[s].scripts));
    /* A token has at least one byte, so a shorter text is not too long. */
    if (side->encoding.normalized.length > counting->max_length)
      status = tokens_split(&side->encoding.tokens, buffer_text(&side->encoding.normalized), mode,
                            error);
    else
      tokens_clear(&side->encoding.tokens);
    if (status != ELMAN_OK) return status;
    too_long = too_long || is_too_long(side, counting->max_length);
  }
  for (int s = 0; s < 2 && !too_long; s++)
    script_sample_add(&counting->sides[s].sample, &counts[s]);
  return ELMAN_OK;
}

/* Determine modes and normalization from lines spread over the whole corpus, because its files may
 * differ. */
static elman_status find_modes(struct counting *counting, elman_error *error) {
  elman_status status = ELMAN_OK;
  const size_t count = elman_pairs_count(counting->pairs), stride = count / SCRIPT_SAMPLE + 1;
  for (size_t i = 0; status == ELMAN_OK && i < count; i += stride)
    status = sample_pair(counting, i, error);
  for (int s = 0; s < 2; s++) {
    struct side_count *side = &counting->sides[s];
    struct codec *codec = &side->codec;
    codec->mode =
        choose_mode(codec->mode, script_token_mode(&side->sample), script_of_sample(&side->sample));
    codec->normalization =
        script_normalization(&side->sample, s == ELMAN_SOURCE, codec->normalization);
  }
  return status;
}

/* Split both sides of a pair into tokens; set *too_long if a side is too long. */
static elman_status split_pair(struct side_count sides[2], bool *too_long,
                               const struct counting *counting, size_t index, elman_error *error) {
  elman_status status = ELMAN_OK;
  *too_long = false;
  for (int s = 0; s < 2 && status == ELMAN_OK; s++) {
    const struct text text = text_on(counting->pairs, index, (elman_side)s);
    status = encode_tokens(&sides[s].encoding, &sides[s].codec, text, error);
    *too_long = *too_long || is_too_long(&sides[s], counting->max_length);
  }
  return status;
}

static elman_status count_tokens(struct side_count *side, elman_error *error) {
  return token_counter_add(side->counter, &side->encoding.tokens, error);
}

/* Count the words of mode `bpe`, without marks. */
static elman_status count_words(struct side_count *side, elman_error *error) {
  elman_status status = ELMAN_OK;
  if (side->codec.mode != ELMAN_TOKENS_BPE) return ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < side->encoding.tokens.count; i++) {
    const struct text surface = token_surface(tokens_get(&side->encoding.tokens, i));
    struct word *word;
    status = word_add(&word, &side->words, surface, error);
    if (status == ELMAN_OK) word->count++;
  }
  return status;
}

static elman_status add_words(struct word_table *to, const struct word_table *from,
                              elman_error *error) {
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < from->count; i++) {
    struct word *word;
    status = word_add(&word, to, word_text(from, i), error);
    if (status == ELMAN_OK) word->count += from->words[i].count;
  }
  return status;
}

/* Count the tokens or words of one side of a pair. */
typedef elman_status count_function(struct side_count *side, elman_error *error);

/* Work of counting. Each slot has its own counts. */
struct counting_work {
  struct counting *counting;
  count_function *count;
  struct side_count pieces[PIECES_AT_ONCE][2];
};

static elman_status count_piece(void *context, size_t place, size_t first, size_t count,
                                elman_error *error) {
  struct counting_work *work = context;
  struct side_count *sides = work->pieces[place];
  elman_status status = ELMAN_OK;
  for (int s = 0; s < 2 && status == ELMAN_OK; s++) {
    sides[s].codec = work->counting->sides[s].codec;
    status = token_counter_create(&sides[s].counter, error);
  }
  for (size_t i = first; status == ELMAN_OK && i < first + count; i++) {
    bool too_long;
    status = split_pair(sides, &too_long, work->counting, i, error);
    for (int s = 0; s < 2 && status == ELMAN_OK && !too_long; s++)
      status = work->count(&sides[s], error);
  }
  return status;
}

static void forget_counts(struct side_count *piece) {
  token_counter_free(piece->counter);
  piece->counter = NULL;
  word_table_free(&piece->words);
}

static elman_status add_counts(void *context, size_t place, elman_error *error) {
  struct counting_work *work = context;
  elman_status status = ELMAN_OK;
  for (int s = 0; s < 2 && status == ELMAN_OK; s++) {
    struct side_count *all = &work->counting->sides[s], *piece = &work->pieces[place][s];
    status = add_words(&all->words, &piece->words, error);
    if (status == ELMAN_OK) status = token_counter_merge(all->counter, piece->counter, error);
    forget_counts(piece);
  }
  return status;
}

static elman_status count_pairs(struct counting *counting, count_function *count,
                                elman_error *error) {
  struct counting_work work = {.counting = counting, .count = count};
  const elman_status status =
      pieces_run(elman_pairs_count(counting->pairs), count_piece, add_counts, &work, error);
  for (size_t i = 0; i < PIECES_AT_ONCE; i++) {
    for (int s = 0; s < 2; s++) {
      forget_counts(&work.pieces[i][s]);
      encoding_free(&work.pieces[i][s].encoding);
    }
  }
  return status;
}

/* ---- merges ---- */

/* Learn merges from the words of both sides, and give both the same merges. */
static elman_status learn_joint_merges(struct counting *counting, size_t most, elman_error *error) {
  struct side_count *sides = counting->sides;
  struct word_table both = {0};
  elman_status status = add_words(&both, &sides[ELMAN_SOURCE].words, error);
  if (status == ELMAN_OK) status = add_words(&both, &sides[ELMAN_TARGET].words, error);
  if (status == ELMAN_OK) status = bpe_learn(&sides[ELMAN_SOURCE].merges, &both, most, error);
  if (status == ELMAN_OK)
    status = merges_copy(&sides[ELMAN_TARGET].merges, &sides[ELMAN_SOURCE].merges, error);
  word_table_free(&both);
  return status;
}

static elman_status learn_merges(struct counting *counting,
                                 const struct vocabulary_options *options, elman_error *error) {
  struct side_count *sides = counting->sides;
  const bool bpe[] = {sides[0].codec.mode == ELMAN_TOKENS_BPE,
                      sides[1].codec.mode == ELMAN_TOKENS_BPE};
  elman_status status = ELMAN_OK;
  if (!bpe[0] && !bpe[1]) return ELMAN_OK;
  status = count_pairs(counting, count_words, error);
  if (status == ELMAN_OK && options->joint_merges && bpe[0] && bpe[1]) {
    status = learn_joint_merges(counting, options->merges[ELMAN_TARGET], error);
  } else {
    for (int s = 0; s < 2 && status == ELMAN_OK; s++)
      if (bpe[s]) status = bpe_learn(&sides[s].merges, &sides[s].words, options->merges[s], error);
  }
  for (int s = 0; s < 2 && status == ELMAN_OK; s++)
    if (bpe[s]) sides[s].codec.merges = &sides[s].merges;
  return status;
}

/* ---- vocabularies ---- */

static elman_status keep_closure(struct side_count *side, uint64_t min_count, elman_error *error) {
  struct tokens closure = {0};
  if (side->codec.mode != ELMAN_TOKENS_BPE) return ELMAN_OK;
  elman_status status = subwords_closure(&closure, &side->words, min_count, error);
  if (status == ELMAN_OK) status = token_counter_keep(side->counter, &closure, error);
  tokens_free(&closure);
  return status;
}

static elman_status keep_alphabet(struct side_count *side, elman_error *error) {
  struct tokens alphabet = {0};
  elman_status status = noise_alphabet(&alphabet, &side->codec, error);
  if (status == ELMAN_OK) status = token_counter_keep(side->counter, &alphabet, error);
  tokens_free(&alphabet);
  return status;
}

/* Move the merges to allocated memory. */
static elman_status move_merges(struct merges **moved, struct side_count *side,
                                elman_error *error) {
  if (side->codec.mode != ELMAN_TOKENS_BPE) return ELMAN_OK;
  *moved = malloc(sizeof **moved);
  if (*moved == NULL) return fail_no_memory(error);
  **moved = side->merges;
  side->merges = (struct merges){0};
  return ELMAN_OK;
}

static elman_status build(struct vocabulary_pair *built, struct counting *counting,
                          const struct vocabulary_options *options, elman_error *error) {
  struct vocabulary **vocabularies[] = {&built->source, &built->target};
  elman_status status = find_modes(counting, error);
  for (int s = 0; s < 2 && status == ELMAN_OK; s++)
    status = token_counter_create(&counting->sides[s].counter, error);
  if (status == ELMAN_OK) status = learn_merges(counting, options, error);
  if (status == ELMAN_OK) status = count_pairs(counting, count_tokens, error);
  for (int s = 0; s < 2 && status == ELMAN_OK; s++) {
    struct side_count *side = &counting->sides[s];
    built->counts[s] = token_counter_counts(side->counter);
    status = keep_closure(side, options->min_count, error);
    if (status == ELMAN_OK && options->copies) status = keep_alphabet(side, error);
    if (status == ELMAN_OK)
      status = vocabulary_from_counts(vocabularies[s], side->counter, (elman_side)s,
                                      options->min_count, options->max_words, error);
    if (status == ELMAN_OK) status = move_merges(&built->merges[s], side, error);
    built->sample[s] = side->sample;
  }
  built->source_mode = counting->sides[ELMAN_SOURCE].codec.mode;
  built->target_mode = counting->sides[ELMAN_TARGET].codec.mode;
  built->source_normalization = counting->sides[ELMAN_SOURCE].codec.normalization;
  built->target_normalization = counting->sides[ELMAN_TARGET].codec.normalization;
  return status;
}

elman_status corpus_vocabularies(struct vocabulary_pair *out, const elman_pairs *pairs,
                                 const struct vocabulary_options *options, elman_error *error) {
  struct vocabulary_pair built = {0};
  const elman_normalization form = options->normalization;
  struct counting counting = {
      .sides = {{.codec = {.mode = options->source_mode, .normalization = form}},
                {.codec = {.mode = options->target_mode, .normalization = form}}},
      .pairs = pairs,
      .max_length = options->max_length};
  *out = (struct vocabulary_pair){0};
  const elman_status status = build(&built, &counting, options, error);
  for (int s = 0; s < 2; s++) {
    token_counter_free(counting.sides[s].counter);
    encoding_free(&counting.sides[s].encoding);
    word_table_free(&counting.sides[s].words);
    merges_clear(&counting.sides[s].merges);
  }
  if (status == ELMAN_OK)
    *out = built;
  else
    vocabulary_pair_free(&built);
  return status;
}

void vocabulary_pair_free(struct vocabulary_pair *pair) {
  vocabulary_free(pair->source);
  vocabulary_free(pair->target);
  for (int s = 0; s < 2; s++) merges_free(pair->merges[s]);
  *pair = (struct vocabulary_pair){0};
}

struct codec vocabulary_pair_codec(const struct vocabulary_pair *pair, elman_side side) {
  return side == ELMAN_SOURCE ? (struct codec){pair->source_mode, pair->source_normalization,
                                               pair->source, pair->merges[side]}
                              : (struct codec){pair->target_mode, pair->target_normalization,
                                               pair->target, pair->merges[side]};
}
