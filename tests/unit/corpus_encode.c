/* Test: text. */
/* From sentence pairs to vocabularies and ids. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus/batch.h"
#include "corpus/corpus.h"
#include "corpus/vocabulary_pair.h"
#include "pairs_of.h"
#include "threads.h"
#include "words_of.h"

static struct vocabulary_pair vocabularies_of(const elman_pairs *pairs,
                                              struct vocabulary_options options) {
  struct vocabulary_pair built;
  cr_assert_eq(corpus_vocabularies(&built, pairs, &options, NULL), ELMAN_OK);
  return built;
}

static void free_vocabularies(struct vocabulary_pair *built) {
  vocabulary_free(built->source);
  vocabulary_free(built->target);
  for (size_t side = 0; side < 2; side++) merges_free(built->merges[side]);
}

static struct corpus encoded_by(const struct vocabulary_pair *built, const elman_pairs *pairs,
                                size_t max_length) {
  return encoded(pairs, vocabulary_pair_codec(built, ELMAN_SOURCE),
                 vocabulary_pair_codec(built, ELMAN_TARGET), max_length);
}

static const struct vocabulary_options automatic = {
    .source_mode = ELMAN_TOKENS_AUTO, .target_mode = ELMAN_TOKENS_AUTO, .min_count = 1};

Test(vocabularies, modes_are_detected_for_each_side) {
  owned_pairs *pairs = pairs_of("我 爱 学习 。\tI love to study.\n他 喜欢 茶 。\tHe likes tea.\n");
  owned_by(free_vocabularies) struct vocabulary_pair built = vocabularies_of(pairs, automatic);
  cr_assert_eq(built.source_mode, ELMAN_TOKENS_SPACE);
  cr_assert_eq(built.target_mode, ELMAN_TOKENS_WORDS);
  cr_assert_neq(vocabulary_find(built.source, text_of("学习")), TOKEN_UNKNOWN);
  cr_assert_neq(vocabulary_find(built.target, text_of("study")), TOKEN_UNKNOWN);
  cr_assert_eq(vocabulary_specials(built.source), 1);
  cr_assert_eq(vocabulary_specials(built.target), 3);

  owned_pairs *unspaced = pairs_of("I love to study.\t我爱学习。\n");
  owned_by(free_vocabularies) struct vocabulary_pair other = vocabularies_of(unspaced, automatic);
  cr_assert_eq(other.source_mode, ELMAN_TOKENS_WORDS);
  cr_assert_eq(other.target_mode, ELMAN_TOKENS_CHARS);
  cr_assert_eq(vocabulary_size(other.target), 3 + 5);
}

Test(vocabularies, requested_mode_is_kept) {
  owned_pairs *pairs = pairs_of("我 爱 学习 。\tab.\n");
  struct vocabulary_options options = automatic;
  options.source_mode = ELMAN_TOKENS_WORDS;
  options.target_mode = ELMAN_TOKENS_CHARS;
  owned_by(free_vocabularies) struct vocabulary_pair built = vocabularies_of(pairs, options);
  cr_assert_eq(built.source_mode, ELMAN_TOKENS_WORDS);
  cr_assert_eq(built.target_mode, ELMAN_TOKENS_CHARS);
  cr_assert_eq(vocabulary_find(built.source, text_of("学习")), TOKEN_UNKNOWN);
  cr_assert_neq(vocabulary_find(built.target, text_of("a")), TOKEN_UNKNOWN);
}

Test(vocabularies, characters_are_counted_without_spaces) {
  owned_pairs *pairs = pairs_of("我 爱 学习 。\ta b\n我爱你\tc\n");
  struct vocabulary_options options = automatic;
  options.source_mode = options.target_mode = ELMAN_TOKENS_CHARS;
  owned_by(free_vocabularies) struct vocabulary_pair built = vocabularies_of(pairs, options);
  cr_assert_eq(vocabulary_size(built.source), 1 + 6); /* 我爱学习。你 */
  cr_assert_neq(vocabulary_find(built.target, text_of("▁b")), TOKEN_UNKNOWN);
}

/* Pairs that are excluded from training affect neither the mode detection nor the vocabulary. */
Test(vocabularies, too_long_pairs_are_ignored) {
  owned_pairs *pairs = pairs_of("我 爱 学习 他 喜欢 茶\ta\n我爱学习\ta b\n他\ta b c d e f\n");
  struct vocabulary_options options = automatic;
  owned_by(free_vocabularies) struct vocabulary_pair all = vocabularies_of(pairs, options);
  cr_assert_eq(all.sample[ELMAN_SOURCE].spaced, 1);
  cr_assert_eq(vocabulary_size(all.target), 3 + 6);
  options.max_length = 5;
  owned_by(free_vocabularies) struct vocabulary_pair built = vocabularies_of(pairs, options);
  cr_assert_eq(built.source_mode, ELMAN_TOKENS_CHARS);
  cr_assert_eq(built.sample[ELMAN_SOURCE].spaced, 0);
  cr_assert_eq(built.sample[ELMAN_SOURCE].unspaced, 1);
  cr_assert_eq(built.sample[ELMAN_SOURCE].lines, 1);
  cr_assert_eq(vocabulary_size(built.source), 1 + 4);
  cr_assert_eq(vocabulary_size(built.target), 3 + 2);
}

Test(vocabularies, small_corpora_are_sampled_completely) {
  owned_pairs *pairs = pairs_of("OK\tOK\n我们今天去公园看花\tLook\n他们看花\tLook\n");
  owned_by(free_vocabularies) struct vocabulary_pair built = vocabularies_of(pairs, automatic);
  cr_assert_eq(built.source_mode, ELMAN_TOKENS_CHARS, "two of three lines are Han");
  cr_assert_eq(built.target_mode, ELMAN_TOKENS_WORDS);
}

/* Ten thousand lines of English at the start must not hide the rest of the corpus. */
Test(vocabularies, sample_covers_the_whole_corpus) {
  owned_by(buffer_free) struct buffer content = {0};
  for (int i = 0; i < 10000; i++) buffer_append_text(&content, text_of("a b\tx\n"));
  for (int i = 0; i < 30000; i++) buffer_append_text(&content, text_of("我爱学习\tx\n"));
  owned_pairs *pairs = pairs_of(content.bytes);
  owned_by(free_vocabularies) struct vocabulary_pair built = vocabularies_of(pairs, automatic);
  cr_assert_eq(built.source_mode, ELMAN_TOKENS_CHARS);
}

Test(vocabularies, limits_apply_to_both_sides) {
  owned_pairs *pairs = pairs_of("a a a b b c\tx x y y z\n");
  struct vocabulary_options options = automatic;
  options.min_count = 2;
  owned_by(free_vocabularies) struct vocabulary_pair frequent = vocabularies_of(pairs, options);
  cr_assert_eq(vocabulary_size(frequent.source), 1 + 2);
  cr_assert_eq(vocabulary_size(frequent.target), 3 + 2);
  options.max_words = 1;
  owned_by(free_vocabularies) struct vocabulary_pair one = vocabularies_of(pairs, options);
  cr_assert_eq(vocabulary_size(one.source), 1 + 1);
  cr_assert_eq(vocabulary_size(one.target), 3 + 1);
}

static void assert_ids(const struct sentences *sentences, size_t index, const uint32_t *ids,
                       size_t count) {
  const size_t start = sentences->starts[index];
  cr_assert_eq(sentences->starts[index + 1] - start, count);
  cr_assert_arr_eq(sentences->ids + start, ids, count * sizeof *ids);
}

Test(encode, both_sides_are_encoded) {
  owned_pairs *pairs = pairs_of("我 我 我 爱 爱 学习\tx x x y y z\n我爱学习 茶\tz  w\n");
  owned_pairs *known = pairs_of("我 我 我 爱 爱 学习\tx x x y y z\n");
  owned_by(free_vocabularies) struct vocabulary_pair built = vocabularies_of(known, automatic);
  owned_by(corpus_free) struct corpus corpus = encoded_by(&built, pairs, 0);
  cr_assert_eq(corpus.source.count, 2);
  cr_assert_eq(corpus.target.count, 2);
  cr_assert_eq(corpus.too_long, 0);
  cr_assert_eq(corpus.source.longest, 6);
  cr_assert_eq(corpus.target.longest, 6);
  assert_ids(&corpus.source, 0, (const uint32_t[]){1, 1, 1, 2, 2, 3}, 6);
  assert_ids(&corpus.target, 0, (const uint32_t[]){3, 3, 3, 4, 4, 5}, 6);
  assert_ids(&corpus.source, 1, (const uint32_t[]){1, 2, 3, 0}, 4);
  assert_ids(&corpus.target, 1, (const uint32_t[]){5, 0}, 2);
}

Test(encode, too_long_pairs_are_counted) {
  owned_pairs *pairs = pairs_of("a b c\tx\na b\tx y\na\tx y z\na\tx\n");
  owned_by(free_vocabularies) struct vocabulary_pair built = vocabularies_of(pairs, automatic);
  struct corpus corpus = encoded_by(&built, pairs, 2);
  cr_assert_eq(corpus.too_long, 2);
  cr_assert_eq(corpus.source.count, 2);
  cr_assert_eq(corpus.target.count, 2);
  cr_assert_eq(corpus.source.starts[2], 3);
  cr_assert_eq(corpus.target.starts[2], 3);
  cr_assert_eq(corpus.source.longest, 2);
  corpus_free(&corpus);
  cr_assert_null(corpus.source.ids);
  corpus = encoded_by(&built, pairs, 3);
  cr_assert_eq(corpus.too_long, 0);
  corpus_free(&corpus);
  corpus_free(&corpus);
  corpus_free(NULL);
}

static void check_same_sentences(const struct sentences *a, const struct sentences *b) {
  cr_assert_eq(a->count, b->count);
  cr_assert_eq(a->longest, b->longest);
  cr_assert_arr_eq(a->starts, b->starts, (a->count + 1) * sizeof *a->starts);
  cr_assert_arr_eq(a->ids, b->ids, a->starts[a->count] * sizeof *a->ids);
}

/* Make enough pairs for several pieces; some words first occur late. */
static elman_pairs *many_pairs(void) {
  enum { PAIRS = 3 * PAIRS_A_PIECE + 100 };
  owned_by(buffer_free) struct buffer text = {0};
  for (size_t i = 0; i < PAIRS; i++)
    buffer_print(&text, "a%zu b%zu%s\tx%zu y\n", i % 97, i * i % 9001, i % 5 == 0 ? " c c" : "",
                 i % 7000);
  return pairs_of(text.bytes);
}

Test(encode, threads_do_not_change_ids) {
  owned_pairs *pairs = many_pairs();
  struct vocabulary_options options = automatic;
  struct vocabulary_pair built[2];
  struct corpus corpora[2];
  options.max_length = 3;
  for (size_t k = 0; k < 2; k++) {
    use_threads(k == 0 ? 1 : 3);
    built[k] = vocabularies_of(pairs, options);
    corpora[k] = encoded_by(&built[k], pairs, 3);
  }
  use_threads(1);
  cr_assert_gt(corpora[0].too_long, PAIRS_A_PIECE / 2);
  cr_assert_eq(corpora[0].too_long, corpora[1].too_long);
  cr_assert_eq(vocabulary_size(built[0].source), vocabulary_size(built[1].source));
  for (size_t id = 0; id < vocabulary_size(built[0].source); id++)
    cr_assert(
        text_equal(vocabulary_token(built[0].source, id), vocabulary_token(built[1].source, id)));
  check_same_sentences(&corpora[0].target, &corpora[1].target);
  for (size_t k = 0; k < 2; k++) {
    free_vocabularies(&built[k]);
    corpus_free(&corpora[k]);
  }
}

/* Make several megabytes of text, in more pieces than are encoded at once. */
static elman_pairs *long_pairs(void) {
  enum { COUNT = (PIECES_AT_ONCE + 2) * PAIRS_A_PIECE };
  owned_by(buffer_free) struct buffer text = {0};
  for (size_t i = 0; i < COUNT; i++)
    buffer_print(&text, "%zu 我 爱 你\tI %zu love you\n", i % 11, i % 7);
  return pairs_of(text.bytes);
}

Test(encode, releasing_text_early_changes_nothing) {
  owned_pairs *pairs = long_pairs();
  owned_by(free_vocabularies) struct vocabulary_pair built = vocabularies_of(pairs, automatic);
  const struct codec source = vocabulary_pair_codec(&built, ELMAN_SOURCE);
  const struct codec target = vocabulary_pair_codec(&built, ELMAN_TARGET);
  struct corpus corpora[2];
  for (size_t k = 0; k < 2; k++)
    succeeds(corpus_encode(&corpora[k], pairs, &source, &target,
                           &(struct encoding_options){.consumed = k == 0 ? NULL : pairs}, &why));
  check_same_sentences(&corpora[0].source, &corpora[1].source);
  check_same_sentences(&corpora[0].target, &corpora[1].target);
  corpus_free(&corpora[0]);
  corpus_free(&corpora[1]);
}

Test(encode, ties_keep_the_corpus_order) {
  owned_pairs *pairs = many_pairs();
  owned_by(free_vocabularies) struct vocabulary_pair built = vocabularies_of(pairs, automatic);
  /* These words occur once, in this order. */
  size_t last = 0;
  for (size_t i = 6000; i < 6999; i++) {
    char word[16];
    snprintf(word, sizeof word, "x%zu", i);
    const size_t id = vocabulary_find(built.target, text_of(word));
    cr_assert_gt(id, last);
    last = id;
  }
}

/* ---- guides ---- */

/* Check the links of the first pair's tokens, written as "target-source ...". In mode `bpe` every
 * symbol pair that occurs twice is merged. */
static void assert_links(elman_token_mode mode, const char *line, const char *expected) {
  owned_pairs *pairs = aligned_pairs_of(line, 3);
  const struct vocabulary_options options = {
      .source_mode = mode, .target_mode = mode, .min_count = 1, .merges = {100, 100}};
  owned_by(free_vocabularies) struct vocabulary_pair built = vocabularies_of(pairs, options);
  const struct codec source = vocabulary_pair_codec(&built, ELMAN_SOURCE);
  const struct codec target = vocabulary_pair_codec(&built, ELMAN_TARGET);
  owned_by(corpus_free) struct corpus corpus;
  char shown[200] = "";
  const elman_status status = corpus_encode(&corpus, pairs, &source, &target,
                                            &(struct encoding_options){.guided = true}, &why);
  if (status != ELMAN_OK)
    snprintf(shown, sizeof shown, "%.20s: %.150s", strrchr(why.where, ':') + 1, why.message);
  for (size_t i = 0; status == ELMAN_OK && i < corpus.links.starts[1]; i++) {
    const struct token_link link = corpus.links.items[i];
    const size_t used = strlen(shown);
    snprintf(shown + used, sizeof shown - used, "%s%u-%u", i == 0 ? "" : " ", link.target,
             link.source);
  }
  cr_assert_str_eq(shown, expected);
}

Test(guides, word_links_cover_all_their_tokens) {
  assert_links(ELMAN_TOKENS_SPACE, "a b c\tx y\t2-0 0-1 1-1 0-1", "0-2 1-0 1-1");
  assert_links(ELMAN_TOKENS_WORDS, "don't a\tx, y\t0-0 1-1", "0-0 0-1 0-2 1-0 1-1 1-2 2-3");
  assert_links(ELMAN_TOKENS_CHARS, "ab c\txy\t0-0", "0-0 0-1 1-0 1-1");
  assert_links(ELMAN_TOKENS_SPACE, "a b\tx\t", "");
}

/* Chinese text without spaces has no words, so tokens are counted. With spaces it has words. */
Test(guides, han_tokens_count_as_words) {
  assert_links(ELMAN_TOKENS_CHARS, "我爱学习\tI\t3-0", "0-3");
  assert_links(ELMAN_TOKENS_CHARS, "我 爱 学习\tI\t2-0", "0-2 0-3");
}

/* "我爱" is a token of two words; a link of both words counts once. */
Test(guides, token_belongs_to_every_overlapping_word) {
  assert_links(ELMAN_TOKENS_BPE, "a b c\t我 爱 茶\t0-1 2-2\nd\t我 爱 水\t", "0-0 1-2");
  assert_links(ELMAN_TOKENS_BPE, "a b c\t我 爱 茶\t2-1 0-0 2-0\nd\t我 爱 水\t", "0-0 0-2");
  assert_links(ELMAN_TOKENS_BPE, "我 爱 茶\ta b c\t1-2 0-0\n我 爱 水\td\t", "0-0 2-0");
  assert_links(ELMAN_TOKENS_BPE, "我 爱 茶\ta b c\t1-2 0-2\n我 爱 水\td\t", "2-0");
}

Test(guides, bad_links_are_reported_with_position) {
  assert_links(ELMAN_TOKENS_CHARS, "我爱学习\tI\t4-0",
               "1: alignment 4-0 is out of range: i-j counts from 0, and the sides "
               "have 4 and 1 words");
  assert_links(ELMAN_TOKENS_SPACE, "a\tI\tx",
               "1: \"x\" is not an alignment of the form i-j; check the column or file");
}

static void assert_guide(const struct guide *guide, const size_t *starts, size_t positions,
                         const uint32_t *sources, size_t tokens) {
  for (size_t i = 0; i <= positions; i++) cr_assert_eq(guide->starts[i], starts[i], "%zu", i);
  for (size_t i = 0; i < starts[positions]; i++) cr_assert_eq(guide->sources[i], sources[i]);
  cr_assert_eq(guide->links, starts[positions]);
  cr_assert_eq(guide->tokens, tokens);
}

/* Three sentences of 2, 1 and 0 words have 3, 1 and 0 links; the batch has another order. */
Test(guides, guides_are_time_major_and_split_by_shard) {
  uint32_t ids[] = {0, 0, 0, 0};
  size_t sources[] = {0, 2, 3, 4}, targets[] = {0, 2, 3, 3}, links[] = {0, 3, 4, 4};
  struct token_link items[] = {{0, 1}, {1, 0}, {1, 1}, {0, 0}};
  const struct corpus corpus = {.source = {.ids = ids, .starts = sources, .count = 3},
                                .target = {.ids = ids, .starts = targets, .count = 3},
                                .links = {.items = items, .starts = links}};
  owned_by(batch_free) struct batch batch = {.tokens = 0}, slice = {.tokens = 0};
  cr_assert_eq(batch_fill(&batch, &corpus, (const size_t[]){2, 0, 1}, 3, NULL), ELMAN_OK);
  assert_guide(&batch.guide, (const size_t[]){0, 0, 1, 2, 2, 4, 4, 4, 4, 4}, 9,
               (const uint32_t[]){1, 0, 0, 1}, 3);
  cr_assert_eq(batch_slice(&slice, &batch, 1, 2, NULL), ELMAN_OK);
  assert_guide(&slice.guide, (const size_t[]){0, 1, 2, 4, 4, 4, 4}, 6,
               (const uint32_t[]){1, 0, 0, 1}, 3);
  cr_assert_eq(batch_slice(&slice, &batch, 0, 1, NULL), ELMAN_OK);
  assert_guide(&slice.guide, (const size_t[]){0, 0}, 1, NULL, 0);
}

static void assert_labels(const struct batch *batch, const uint32_t *labels, size_t count) {
  cr_assert_eq(batch->tokens, count);
  for (size_t i = 0; i < count; i++) cr_assert_eq(batch->labels[i], labels[i], "%zu", i);
}

/* The copies of a pair are adjacent, also in a slice. */
Test(batches, copies_are_adjacent_and_split_by_shard) {
  uint32_t ids[] = {5, 6, 7};
  size_t starts[] = {0, 2, 3}, links[] = {0, 1, 2};
  struct token_link items[] = {{0, 1}, {0, 0}};
  const struct corpus corpus = {.source = {.ids = ids, .starts = starts, .count = 2},
                                .target = {.ids = ids, .starts = starts, .count = 2},
                                .links = {.items = items, .starts = links}};
  owned_by(batch_free) struct batch batch = {.tokens = 0}, slice = {.tokens = 0};
  succeeds(batch_fill_copies(&batch, &corpus, (const size_t[]){1, 0}, 2, 2, &why));
  cr_assert_eq(batch.copies, 2);
  assert_labels(
      &batch, (const uint32_t[]){7, 7, 5, 5, TOKEN_END, TOKEN_END, 6, 6, TOKEN_END, TOKEN_END}, 10);
  assert_guide(&batch.guide, (const size_t[]){0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4}, 12,
               (const uint32_t[]){0, 0, 1, 1}, 4);
  succeeds(batch_slice(&slice, &batch, 2, 2, &why));
  cr_assert_eq(slice.copies, 2);
  assert_labels(&slice, (const uint32_t[]){5, 5, 6, 6, TOKEN_END, TOKEN_END}, 6);
  assert_guide(&slice.guide, (const size_t[]){0, 1, 2, 2, 2, 2, 2}, 6, (const uint32_t[]){1, 1}, 2);
}

static void assert_clause_ends(const struct sequence *source, const bool *expected) {
  for (size_t i = 0; i < source->steps * source->batch; i++)
    cr_assert_eq(source->clause_ends[i], expected[i], "%zu", i);
}

/* A clause ends after its punctuation mark and at the end of the sentence; padding ends none. */
Test(batches, clause_ends_are_time_major_and_split_by_shard) {
  static const char *const words[] = {"<unk>", "a", "，"};
  static const uint64_t counts[] = {0, 2, 1};
  uint32_t ids[] = {1, 2, 1, 1, 2, 2, 1};
  size_t sources[] = {0, 3, 4, 7}, targets[] = {0, 1, 2, 3};
  owned_vocabulary *vocabulary = vocabulary_of(words, counts, 3, ELMAN_SOURCE);
  const struct corpus corpus = {.source = {.ids = ids, .starts = sources, .count = 3},
                                .target = {.ids = ids, .starts = targets, .count = 3},
                                .source_words = vocabulary};
  owned_by(batch_free) struct batch batch = {.tokens = 0}, slice = {.tokens = 0};
  cr_assert_eq(batch_fill(&batch, &corpus, (const size_t[]){1, 0, 2}, 3, NULL), ELMAN_OK);
  assert_clause_ends(&batch.source, (const bool[]){true, false, false,  /* a    a    ， */
                                                   false, true, true,   /*      ，   ， */
                                                   false, true, true}); /*      a    a */
  cr_assert_eq(batch_slice(&slice, &batch, 1, 1, NULL), ELMAN_OK);
  assert_clause_ends(&slice.source, (const bool[]){false, true, true});
  cr_assert_eq(batch_slice(&slice, &batch, 0, 2, NULL), ELMAN_OK);
  assert_clause_ends(&slice.source, (const bool[]){true, false, false, true, false, true});
}

/* Return the longest side of pairs that are split again in some epochs, </s> included. */
static size_t longest_resplit(struct resplit *resplit, const struct corpus *corpus, size_t epochs) {
  enum { COUNT = 3 };
  static const size_t indices[COUNT] = {0, 1, 2};
  size_t longest = 0;
  for (size_t epoch = 0; epoch < epochs; epoch++) {
    cr_assert_eq(resplit_pairs(resplit, corpus, indices, COUNT, epoch, NULL), ELMAN_OK);
    for (size_t i = 0; i < COUNT; i++) {
      const size_t *sources = resplit->pairs.source.starts, *targets = resplit->pairs.target.starts;
      const size_t source = sources[i + 1] - sources[i], target = targets[i + 1] - targets[i] + 1;
      if (source > longest) longest = source;
      if (target > longest) longest = target;
    }
  }
  return longest;
}

/* Return vocabularies of subwords with 10 merge operations per side. */
static struct vocabulary_pair subwords_of(const elman_pairs *pairs) {
  struct vocabulary_options options = automatic;
  options.source_mode = options.target_mode = ELMAN_TOKENS_BPE;
  options.merges[ELMAN_SOURCE] = options.merges[ELMAN_TARGET] = 10;
  return vocabularies_of(pairs, options);
}

static struct resplit resplit_of(const struct vocabulary_pair *built) {
  return (struct resplit){.codecs = {vocabulary_pair_codec(built, ELMAN_SOURCE),
                                     vocabulary_pair_codec(built, ELMAN_TARGET)},
                          .share = 0.5};
}

/* Equal sentences are split with different random numbers on each side, in each pair and in each
 * epoch. */
Test(resplit, sides_use_independent_dropout) {
  enum { EPOCHS = 20 };
  owned_pairs *pairs = pairs_of("abab abab\tabab abab\nabab abab\tabab abab\n");
  owned_by(free_vocabularies) struct vocabulary_pair built = subwords_of(pairs);
  owned_by(resplit_free) struct resplit resplit = resplit_of(&built);
  owned_by(corpus_free) struct corpus corpus = encoded_by(&built, pairs, 0);
  size_t sides = 0, in_pairs = 0, epochs = 0, before = 0;
  for (size_t epoch = 0; epoch < EPOCHS; epoch++) {
    succeeds(resplit_pairs(&resplit, &corpus, (const size_t[]){0, 1}, 2, epoch, &why));
    const struct corpus *of = &resplit.pairs;
    const size_t first = sentences_length(&of->source, 0);
    sides += first != sentences_length(&of->target, 0);
    in_pairs += first != sentences_length(&of->source, 1);
    epochs += epoch > 0 && first != before;
    before = first;
  }
  cr_assert(sides > 2 && in_pairs > 2 && epochs > 2, "%zu, %zu, %zu", sides, in_pairs, epochs);
}

Test(resplit, batches_stay_within_the_token_limit) {
  enum { EPOCHS = 20 };
  owned_pairs *pairs = pairs_of("abab abab\tcdcd cdcd\nabab ab\tcdcd cd\nab abab ab\tcd\n");
  owned_by(free_vocabularies) struct vocabulary_pair built = subwords_of(pairs);
  owned_by(resplit_free) struct resplit resplit = resplit_of(&built);
  owned_by(corpus_free) struct corpus corpus = encoded_by(&built, pairs, 0);
  cr_assert_eq(corpus.source.longest, 3);
  cr_assert_geq(longest_resplit(&resplit, &corpus, EPOCHS), 6);
  for (size_t longest = 3; longest <= 5; longest++) {
    resplit.batch_tokens = 3 * longest + 2;
    cr_assert_eq(longest_resplit(&resplit, &corpus, EPOCHS), longest);
  }
}
