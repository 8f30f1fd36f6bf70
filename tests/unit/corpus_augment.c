/* Test: text, threads. */
/* Pairs that augmentation changes at random in each epoch. */
#include "corpus/augment.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "corpus/vocabulary_pair.h"
#include "pairs_of.h"
#include "threads.h"
#include "vocab/marks.h"

/* A corpus with texts, and the settings of its augmentation. */
struct data {
  struct vocabulary_pair words;
  struct corpus corpus;
  struct augmentation augmentation;
};

static void free_data(struct data *data) {
  vocabulary_pair_free(&data->words);
  corpus_free(&data->corpus);
  augmentation_free(&data->augmentation);
}

static struct data data_of(const elman_pairs *pairs, elman_token_mode source,
                           elman_token_mode target) {
  const struct vocabulary_options options = {.source_mode = source,
                                             .target_mode = target,
                                             .normalization = ELMAN_NFKC,
                                             .min_count = 1,
                                             .merges = {40, 40},
                                             .copies = true};
  struct data data = {.augmentation.seed = 1};
  succeeds(corpus_vocabularies(&data.words, pairs, &options, &why));
  struct codec *codecs = data.augmentation.codecs;
  for (elman_side side = 0; side < 2; side++)
    codecs[side] = vocabulary_pair_codec(&data.words, side);
  const struct encoding_options encoding = {.keeps_texts = true};
  succeeds(corpus_encode(&data.corpus, pairs, &codecs[0], &codecs[1], &encoding, &why));
  return data;
}

/* Return the text of a pair of the current epoch. */
static struct buffer text_in(const struct data *data, elman_side side, size_t index) {
  const struct corpus *pairs = &data->augmentation.pairs;
  const struct sentences *sentences = side == ELMAN_SOURCE ? &pairs->source : &pairs->target;
  struct buffer text = {0};
  succeeds(decode(&text, &data->augmentation.codecs[side],
                  sentences->ids + sentences->starts[index], sentences_length(sentences, index),
                  &why));
  return text;
}

static void check_pair(const struct data *data, size_t index, const char *source,
                       const char *target) {
  owned_by(buffer_free) struct buffer from = text_in(data, ELMAN_SOURCE, index);
  owned_by(buffer_free) struct buffer to = text_in(data, ELMAN_TARGET, index);
  cr_assert_str_eq(from.bytes, source);
  cr_assert_str_eq(to.bytes, target);
}

static void fill(struct data *data, size_t epoch) {
  succeeds(augmentation_fill(&data->augmentation, &data->corpus, epoch, &why));
}

/* Return pairs "i love N cats ." with different numbers; 5000 are more than a piece. */
static elman_pairs *numbered_pairs(size_t count) {
  owned_by(buffer_free) struct buffer lines = {0};
  for (size_t i = 0; i < count; i++)
    buffer_print(&lines, "我爱%zu只猫。\tI love %zu cats.\n", 10 + i, 10 + i);
  return pairs_of(lines.bytes);
}

/* ---- modifiers ---- */

Test(augment, certain_modifiers_change_every_pair) {
  owned_pairs *pairs = pairs_of("你好。\tHello.\n我饿了！\tI am hungry!\n谁\tWho?\n");
  owned_by(free_data) struct data data = data_of(pairs, ELMAN_TOKENS_CHARS, ELMAN_TOKENS_BPE);
  double *shares = data.augmentation.shares;
  cr_assert(!augmentation_is_used(&data.augmentation));
  shares[DROP_SOURCE_MARK] = 1;
  cr_assert(augmentation_is_used(&data.augmentation));
  fill(&data, 1);
  check_pair(&data, 0, "你好", "Hello.");
  check_pair(&data, 1, "我饿了", "I am hungry!");
  check_pair(&data, 2, "谁", "Who?");
  shares[DROP_MARKS] = 1;
  fill(&data, 2);
  check_pair(&data, 0, "你好", "Hello");
  check_pair(&data, 1, "我饿了", "I am hungry");
  check_pair(&data, 2, "谁", "Who?");
  shares[DROP_MARKS] = shares[DROP_SOURCE_MARK] = 0;
  shares[MERGE] = 1;
  size_t joined[3] = {0};
  for (size_t epoch = 3; epoch < 20; epoch++) {
    fill(&data, epoch);
    cr_assert_eq(data.augmentation.pairs.source.count, 3);
    check_pair(&data, 1, "我饿了！谁", "I am hungry! Who?");
    check_pair(&data, 2, "谁", "Who?");
    joined[sentences_length(&data.augmentation.pairs.source, 0) == 7 ? 1 : 2]++;
  }
  cr_assert(joined[1] > 0 && joined[2] > 0);
}

Test(augment, modifiers_are_drawn_with_their_probabilities) {
  enum { PAIRS = 5000 };
  owned_pairs *pairs = numbered_pairs(PAIRS);
  owned_by(free_data) struct data data = data_of(pairs, ELMAN_TOKENS_CHARS, ELMAN_TOKENS_BPE);
  data.augmentation.shares[DROP_SOURCE_MARK] = 0.3;
  data.augmentation.shares[DROP_MARKS] = 0.1;
  fill(&data, 1);
  size_t source = 0, both = 0;
  for (size_t i = 0; i < PAIRS; i++) {
    owned_by(buffer_free) struct buffer from = text_in(&data, ELMAN_SOURCE, i);
    owned_by(buffer_free) struct buffer to = text_in(&data, ELMAN_TARGET, i);
    const bool marked = ends_with_mark(buffer_text(&to));
    if (!marked) cr_assert(!ends_with_mark(buffer_text(&from)));
    source += marked && !ends_with_mark(buffer_text(&from));
    both += !marked;
  }
  cr_assert(both > PAIRS * 0.08 && both < PAIRS * 0.12, "%zu", both);
  cr_assert(source > PAIRS * 0.24 && source < PAIRS * 0.30, "%zu", source); /* 0.9 x 0.3 */
}

/* The target must not learn to write unknown words. */
Test(augment, changes_make_no_target_word_unknown) {
  owned_pairs *pairs = pairs_of("i am here\tje suis ici.\nwe are\tnous sommes.\n");
  owned_by(free_data) struct data data = data_of(pairs, ELMAN_TOKENS_WORDS, ELMAN_TOKENS_WORDS);
  data.augmentation.shares[UPPER] = 1;
  fill(&data, 1);
  check_pair(&data, 0, "i am here", "je suis ici.");
  owned_by(free_data) struct data parts = data_of(pairs, ELMAN_TOKENS_WORDS, ELMAN_TOKENS_BPE);
  parts.augmentation.shares[UPPER] = 1;
  fill(&parts, 1);
  check_pair(&parts, 0, "<unk> <unk> <unk>", "JE SUIS ICI.");
}

/* Joined pairs may contain the unknown words that they had. */
Test(augment, unknown_words_of_a_pair_may_be_joined) {
  owned_pairs *pairs = pairs_of("a a\tx x\na a\tx y\n");
  struct vocabulary_options options = {
      .source_mode = ELMAN_TOKENS_WORDS, .target_mode = ELMAN_TOKENS_WORDS, .min_count = 2};
  struct data data = {.augmentation = {.shares = {[MERGE] = 1}}};
  succeeds(corpus_vocabularies(&data.words, pairs, &options, &why));
  struct codec *codecs = data.augmentation.codecs;
  for (elman_side side = 0; side < 2; side++)
    codecs[side] = vocabulary_pair_codec(&data.words, side);
  const struct encoding_options encoding = {.keeps_texts = true};
  succeeds(corpus_encode(&data.corpus, pairs, &codecs[0], &codecs[1], &encoding, &why));
  fill(&data, 1);
  check_pair(&data, 0, "a a a a", "x x x <unk>");
  free_data(&data);
}

Test(augment, limits_keep_pairs_as_they_are) {
  owned_pairs *pairs = pairs_of("我爱你\tI love you\n我爱他\tI love him\n我\tI\n");
  owned_by(free_data) struct data data = data_of(pairs, ELMAN_TOKENS_CHARS, ELMAN_TOKENS_WORDS);
  data.augmentation.shares[MERGE] = 1;
  data.augmentation.max_length = 6;
  fill(&data, 1);
  check_pair(&data, 0, "我爱你", "I love you");
  check_pair(&data, 1, "我爱他我", "I love him I");
  data.augmentation.max_length = 0;
  data.augmentation.batch_tokens = 4; /* with </s> */
  fill(&data, 2);
  check_pair(&data, 1, "我爱他", "I love him");
  data.augmentation.batch_tokens = 100;
  for (size_t epoch = 3; epoch < 9; epoch++) {
    fill(&data, epoch);
    cr_assert_gt(sentences_length(&data.augmentation.pairs.source, 0), 5);
  }
}

/* ---- noise ---- */

static size_t count_unknown(const struct sentences *sentences, size_t index) {
  size_t count = 0;
  for (size_t i = sentences->starts[index]; i < sentences->starts[index + 1]; i++)
    count += sentences->ids[i] == TOKEN_UNKNOWN;
  return count;
}

/* Check noise between two modes: both sides get some, the words of the target are <unk>, and the
 * source is readable unless a symbol is new. Return the number of sources with unknown tokens. */
static size_t check_noise(elman_token_mode source, elman_token_mode target) {
  enum { PAIRS = 400 };
  owned_pairs *pairs = numbered_pairs(PAIRS);
  owned_by(free_data) struct data data = data_of(pairs, source, target);
  data.augmentation.shares[COPY_NOISE] = 1;
  size_t copies = 0, symbols = 0;
  fill(&data, 1);
  for (size_t i = 0; i < PAIRS; i++) {
    const struct corpus *now = &data.augmentation.pairs;
    owned_by(buffer_free) struct buffer from = text_in(&data, ELMAN_SOURCE, i);
    cr_assert(!text_equal(buffer_text(&from), corpus_text(&data.corpus, ELMAN_SOURCE, i)), "%s",
              from.bytes);
    cr_assert_leq(count_unknown(&now->target, i), 3);
    copies += count_unknown(&now->target, i) > 0;
    symbols += count_unknown(&now->source, i) > 0;
    if (count_unknown(&now->source, i) > 0 && source == ELMAN_TOKENS_CHARS)
      cr_assert_gt(count_unknown(&now->target, i), 0, "%s", from.bytes);
  }
  cr_assert(copies > PAIRS * 0.85, "%zu", copies);
  return symbols;
}

Test(augment, noise_is_copied_in_all_modes) {
  enum { PAIRS = 400 };
  const size_t symbols = check_noise(ELMAN_TOKENS_CHARS, ELMAN_TOKENS_BPE);
  cr_assert(symbols > PAIRS * 0.02 && symbols < PAIRS * 0.15, "%zu", symbols); /* 0.15 x 0.5 */
  cr_assert_eq(check_noise(ELMAN_TOKENS_BPE, ELMAN_TOKENS_BPE), 0);
  (void)check_noise(ELMAN_TOKENS_BPE, ELMAN_TOKENS_CHARS);
  (void)check_noise(ELMAN_TOKENS_WORDS, ELMAN_TOKENS_WORDS);
  (void)check_noise(ELMAN_TOKENS_SPACE, ELMAN_TOKENS_WORDS);
}

/* Shared numbers become <unk> in the target, and in half of the cases others in the source, with
 * the same form. Numbers that only one side contains, that have one digit, or beside which other
 * characters would be copied stay as they are. */
Test(augment, shared_numbers_are_copied) {
  enum { EPOCHS = 40 };
  static const char *const sides[][3] = {
      {"一年有365天", "A year has 365 days.", "A year has <unk> days."},
      {"我付了$3,500", "I paid $3,500.", "I paid <unk>."},
      {"他14:30走而且有99%的把握", "He leaves at 14:30, 99% sure",
       "He leaves at <unk>, <unk> sure"},
      {"12.5和12.5", "12.5 and 12.5", "<unk> and <unk>"},
      {"我有3只猫", "I have 3 cats", "I have 3 cats"},
      {"房间A12在10-20", "Room A12, 10-20", "Room A12, 10-20"},
      {"十二个苹果", "12 apples", "12 apples"}};
  enum { PAIRS = sizeof sides / sizeof *sides, COPIED = 4 };
  owned_by(buffer_free) struct buffer lines = {0};
  for (size_t i = 0; i < PAIRS; i++) buffer_print(&lines, "%s\t%s\n", sides[i][0], sides[i][1]);
  owned_pairs *pairs = pairs_of(lines.bytes);
  owned_by(free_data) struct data data = data_of(pairs, ELMAN_TOKENS_CHARS, ELMAN_TOKENS_BPE);
  data.augmentation.shares[COPY_NUMBERS] = 1;
  size_t changed[PAIRS] = {0};
  for (size_t epoch = 1; epoch <= EPOCHS; epoch++) {
    fill(&data, epoch);
    cr_assert_eq(data.augmentation.changed[COPY_NUMBERS], COPIED);
    for (size_t i = 0; i < PAIRS; i++) {
      owned_by(buffer_free) struct buffer from = text_in(&data, ELMAN_SOURCE, i);
      owned_by(buffer_free) struct buffer to = text_in(&data, ELMAN_TARGET, i);
      cr_assert_str_eq(to.bytes, sides[i][2]);
      cr_assert_eq(from.length, strlen(sides[i][0]), "%s", from.bytes);
      for (size_t at = 0; at < from.length; at++) {
        const char before = sides[i][0][at], after = from.bytes[at];
        const bool digit = before >= '0' && before <= '9';
        cr_assert(digit ? after >= '0' && after <= '9' : after == before, "%s", from.bytes);
      }
      changed[i] += strcmp(from.bytes, sides[i][0]) != 0;
    }
  }
  for (size_t i = 0; i < PAIRS; i++)
    cr_assert(i < COPIED ? changed[i] > EPOCHS / 5 : changed[i] == 0, "%zu: %zu", i, changed[i]);
}

/* The vocabularies contain the characters of tags on both sides. */
Test(augment, vocabularies_have_the_alphabet_of_noise) {
  owned_pairs *pairs = pairs_of("你好。\tHello.\n");
  owned_by(free_data) struct data data = data_of(pairs, ELMAN_TOKENS_CHARS, ELMAN_TOKENS_BPE);
  owned_by(encoding_free) struct encoding from = {0};
  owned_by(encoding_free) struct encoding to = {0};
  static const char text[] = "<br/> {{name}} %s XYZ xyz-09 me@a_b.org &nbsp; [q] #w $12";
  succeeds(encode(&from, &data.augmentation.codecs[0], text_of(text), &why));
  succeeds(encode(&to, &data.augmentation.codecs[1], text_of(text), &why));
  for (size_t i = 0; i < from.tokens.count; i++)
    cr_assert_neq(from.ids[i], TOKEN_UNKNOWN, "%s", tokens_get(&from.tokens, i).bytes);
  for (size_t i = 0; i < to.tokens.count; i++)
    cr_assert_eq(token_byte(tokens_get(&to.tokens, i)), -1);
}

/* ---- reproducibility ---- */

static bool same_sentences(const struct sentences *a, const struct sentences *b) {
  return a->count == b->count &&
         memcmp(a->starts, b->starts, (a->count + 1) * sizeof *a->starts) == 0 &&
         memcmp(a->ids, b->ids, a->starts[a->count] * sizeof *a->ids) == 0;
}

static bool same_pairs(const struct data *a, const struct data *b) {
  const struct corpus *one = &a->augmentation.pairs, *other = &b->augmentation.pairs;
  return same_sentences(&one->source, &other->source) &&
         same_sentences(&one->target, &other->target);
}

static void set_all(struct data *data) {
  for (size_t i = 0; i < MODIFIERS; i++) data->augmentation.shares[i] = 0.2;
}

Test(augment, an_epoch_depends_only_on_seed_and_number) {
  owned_pairs *pairs = numbered_pairs(5000);
  owned_by(free_data) struct data data = data_of(pairs, ELMAN_TOKENS_CHARS, ELMAN_TOKENS_BPE);
  owned_by(free_data) struct data other = data_of(pairs, ELMAN_TOKENS_CHARS, ELMAN_TOKENS_BPE);
  set_all(&data);
  set_all(&other);
  fill(&data, 1);
  fill(&data, 2);
  use_threads(3);
  fill(&other, 7);
  cr_assert(!same_pairs(&data, &other));
  fill(&other, 2);
  use_threads(1);
  cr_assert(same_pairs(&data, &other));
  other.augmentation.seed = 2;
  fill(&other, 3);
  fill(&data, 3);
  cr_assert(!same_pairs(&data, &other));
}

/* A modifier has random numbers of its own. */
Test(augment, modifiers_do_not_change_each_other) {
  enum { PAIRS = 300 };
  owned_pairs *pairs = numbered_pairs(PAIRS);
  owned_by(free_data) struct data data = data_of(pairs, ELMAN_TOKENS_CHARS, ELMAN_TOKENS_BPE);
  owned_by(free_data) struct data other = data_of(pairs, ELMAN_TOKENS_CHARS, ELMAN_TOKENS_BPE);
  data.augmentation.shares[DROP_MARKS] = other.augmentation.shares[DROP_MARKS] = 0.5;
  other.augmentation.shares[MERGE] = 0.5;
  other.augmentation.shares[COPY_NUMBERS] = 0.5;
  fill(&data, 1);
  fill(&other, 1);
  size_t dropped = 0;
  for (size_t i = 0; i < PAIRS; i++) {
    owned_by(buffer_free) struct buffer alone = text_in(&data, ELMAN_SOURCE, i);
    owned_by(buffer_free) struct buffer both = text_in(&other, ELMAN_SOURCE, i);
    dropped += !ends_with_mark(buffer_text(&alone));
    cr_assert_eq(ends_with_mark(buffer_text(&alone)), ends_with_mark(buffer_text(&both)));
  }
  cr_assert(dropped > PAIRS * 0.35 && dropped < PAIRS * 0.65);
}

/* BPE dropout splits the words again and keeps the copied ones. */
Test(augment, dropout_keeps_copies) {
  enum { PAIRS = 200 };
  owned_pairs *pairs = numbered_pairs(PAIRS);
  owned_by(free_data) struct data data = data_of(pairs, ELMAN_TOKENS_CHARS, ELMAN_TOKENS_BPE);
  data.augmentation.shares[COPY_NOISE] = 1;
  fill(&data, 1);
  owned_by(resplit_free) struct resplit resplit = {
      .codecs = {data.augmentation.codecs[0], data.augmentation.codecs[1]}, .share = 0.5};
  const struct corpus *now = &data.augmentation.pairs;
  size_t longer = 0;
  for (size_t i = 0; i < PAIRS; i++) {
    succeeds(resplit_pairs(&resplit, now, &i, 1, 1, &why));
    const struct sentences *again = &resplit.pairs.target;
    cr_assert_eq(count_unknown(again, 0), count_unknown(&now->target, i));
    longer += sentences_length(again, 0) > sentences_length(&now->target, i);
    owned_by(buffer_free) struct buffer text = {0};
    owned_by(buffer_free) struct buffer before = text_in(&data, ELMAN_TARGET, i);
    succeeds(decode(&text, &resplit.codecs[1], again->ids, sentences_length(again, 0), &why));
    cr_assert_str_eq(text.bytes, before.bytes);
  }
  cr_assert_gt(longer, PAIRS / 2);
}
