/* Test: text. */
/* Subwords: the learned merge operations, how they split words, and that no text is lost. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "words_of.h"

#include "vocab/bpe_learn.h"
#include "vocab/codec.h"
#include "vocab/locate.h"

static void count_word(struct word_table *words, const char *text, uint64_t count) {
  struct word *word;
  cr_assert_eq(word_add(&word, words, text_of(text), NULL), ELMAN_OK);
  word->count += count;
}

static void assert_merges(const struct merges *merges, const char *expected) {
  owned_by(buffer_free) struct buffer lines = {0};
  for (size_t rank = 0; rank < merges->count; rank++) {
    if (rank > 0) buffer_append(&lines, "|", 1);
    merges_append_line(&lines, merges, rank);
  }
  cr_assert_str_eq(lines.bytes == NULL ? "" : lines.bytes, expected);
}

/* The example of Sennrich et al. (2016); of equally frequent pairs the larger one comes first. */
Test(subwords, merges_follow_word_counts) {
  owned_by(word_table_free) struct word_table words = {0};
  owned_by(merges_clear) struct merges merges = {0};
  count_word(&words, "low", 5);
  count_word(&words, "lowest", 2);
  count_word(&words, "newer", 6);
  count_word(&words, "wider", 3);
  cr_assert_eq(bpe_learn(&merges, &words, 4, NULL), ELMAN_OK);
  assert_merges(&merges, "e r</w>|l o|w er</w>|n e");
}

/* "aaaa" contains "a a" three times, but only two can be merged. */
Test(subwords, overlapping_pairs_are_counted_once) {
  owned_by(word_table_free) struct word_table words = {0};
  owned_by(merges_clear) struct merges merges = {0};
  count_word(&words, "aaaab", 3);
  cr_assert_eq(bpe_learn(&merges, &words, 100, NULL), ELMAN_OK);
  assert_merges(&merges, "a a|aa b</w>|aa aab</w>");
  merges_clear(&merges);
  word_table_free(&words);
  count_word(&words, "ab", 1); /* occurs once */
  cr_assert_eq(bpe_learn(&merges, &words, 100, NULL), ELMAN_OK);
  assert_merges(&merges, "");
}

static void add_merge(struct merges *merges, const char *line) {
  cr_assert_eq(merges_add_line(merges, text_of(line), NULL), ELMAN_OK);
}

static void assert_parts(const struct merges *merges, const char *word, const char *expected) {
  owned_by(bpe_split_free) struct bpe_split split = {0};
  owned_by(buffer_free) struct buffer parts = {0};
  cr_assert_eq(bpe_split(&split, merges, text_of(word), NULL, NULL), ELMAN_OK);
  for (size_t i = 0, start = 0; i < split.count; start = split.parts[i++].end) {
    if (i > 0) buffer_append(&parts, "|", 1);
    buffer_append(&parts, word + start, split.parts[i].end - start);
  }
  cr_assert_str_eq(parts.bytes, expected);
}

Test(subwords, splitting_follows_merge_ranks) {
  owned_by(merges_clear) struct merges merges = {0};
  assert_parts(&merges, "abc", "a|b|c");
  add_merge(&merges, "b c");
  add_merge(&merges, "a b");
  add_merge(&merges, "a a");
  add_merge(&merges, "ab c</w>");
  assert_parts(&merges, "abcd", "a|bc|d");
  assert_parts(
      &merges, "abc",
      "abc"); /* its last character includes the end-of-word marker, so it differs from c */
  assert_parts(&merges, "aaaac", "aa|aa|c");
  assert_parts(&merges, "aaaz", "aa|a|z");
  assert_parts(&merges, "x", "x");
}

/* In "aaab" the second and third "a" are no longer a pair once the first two are merged, and the
 * third is free for later merges. */
Test(subwords, overlapping_symbols_are_not_merged_twice) {
  owned_by(merges_clear) struct merges merges = {0};
  add_merge(&merges, "a a");
  add_merge(&merges, "a b");
  assert_parts(&merges, "aaabz", "aa|ab|z");
  assert_parts(&merges, "aaaaabz", "aa|aa|ab|z");
}

/* A merge enables one of a lower rank only in the next step, as in subword-nmt. */
Test(subwords, merge_applies_to_all_occurrences_first) {
  owned_by(merges_clear) struct merges merges = {0};
  add_merge(&merges, "abc ab");
  add_merge(&merges, "a b");
  add_merge(&merges, "ab c");
  assert_parts(&merges, "abcabcz", "abc|abc|z");
}

Test(subwords, invalid_merge_lines_are_rejected) {
  static const char *const lines[] = {"", " ", "a", "a ", " a", "a b c", "a  b", "a \xFF"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    owned_by(merges_clear) struct merges merges = {0};
    cr_assert_eq(merges_add_line(&merges, text_of(lines[i]), NULL), ELMAN_BAD_DATA, "%s", lines[i]);
  }
}

/* ---- a side of a model ---- */

struct side {
  struct word_table words;
  struct merges merges;
  struct vocabulary *vocabulary;
  struct codec codec;
};

static void make_side(struct side *side, const char *const *lines, size_t count, size_t merges,
                      uint64_t min_count) {
  owned_token_counter *counter;
  owned_by(encoding_free) struct encoding encoding = {0};
  owned_by(tokens_free) struct tokens closure = {0};
  *side = (struct side){.codec = {.mode = ELMAN_TOKENS_BPE}};
  for (size_t i = 0; i < count; i++) {
    cr_assert_eq(encode_tokens(&encoding, &side->codec, text_of(lines[i]), NULL), ELMAN_OK);
    for (size_t t = 0; t < encoding.tokens.count; t++) {
      struct word *word;
      const struct text surface = token_surface(tokens_get(&encoding.tokens, t));
      cr_assert_eq(word_add(&word, &side->words, surface, NULL), ELMAN_OK);
      word->count++;
    }
  }
  cr_assert_eq(bpe_learn(&side->merges, &side->words, merges, NULL), ELMAN_OK);
  side->codec.merges = &side->merges;
  cr_assert_eq(token_counter_create(&counter, NULL), ELMAN_OK);
  for (size_t i = 0; i < count; i++) {
    cr_assert_eq(encode_tokens(&encoding, &side->codec, text_of(lines[i]), NULL), ELMAN_OK);
    cr_assert_eq(token_counter_add(counter, &encoding.tokens, NULL), ELMAN_OK);
  }
  cr_assert_eq(subwords_closure(&closure, &side->words, min_count, NULL), ELMAN_OK);
  cr_assert_eq(token_counter_keep(counter, &closure, NULL), ELMAN_OK);
  succeeds(vocabulary_from_counts(&side->vocabulary, counter, ELMAN_TARGET, min_count, 0, &why));
  cr_assert(subwords_are_closed(side->vocabulary));
  side->codec.vocabulary = side->vocabulary;
}

static void free_side(struct side *side) {
  word_table_free(&side->words);
  merges_clear(&side->merges);
  vocabulary_free(side->vocabulary);
}

static const char *const LINES[] = {"the lowest newer tower", "a lower tower, a newer one",
                                    "我们爱学习", "我们学习语言。", "ten (10) towers"};
enum { LINE_COUNT = sizeof LINES / sizeof *LINES };

static void assert_tokens(const struct side *side, const char *text, const char *expected) {
  owned_by(encoding_free) struct encoding encoding = {0};
  cr_assert_eq(encode(&encoding, &side->codec, text_of(text), NULL), ELMAN_OK);
  check_tokens(&encoding.tokens, text, expected);
}

Test(subwords, missing_subwords_are_split_further) {
  owned_by(free_side) struct side side;
  make_side(&side, LINES, LINE_COUNT, 0, 1); /* no merge operations: characters */
  assert_tokens(&side, "we", "w|￭e");
  assert_tokens(&side, "我们 a,", "我|们|▁|a|,");
  assert_tokens(&side, "da",
                "<0x64>|￭|a"); /* d is unseen; no a was joined to the character before it */
  assert_tokens(&side, "a 龘爱", "a|▁|<0xE9>|<0xBE>|<0x98>|爱");
}

/* After marks and bytes come the characters that reach the minimum count, including those with
 * exactly that count. */
Test(subwords, vocabulary_contains_frequent_characters) {
  owned_by(word_table_free) struct word_table words = {0};
  owned_by(tokens_free) struct tokens closure = {0};
  count_word(&words, "ab", 2);
  count_word(&words, "ac", 1);
  cr_assert_eq(subwords_closure(&closure, &words, 2, NULL), ELMAN_OK);
  cr_assert_eq(closure.count, 2 + 256 + 2);
  cr_assert(text_equal(tokens_get(&closure, closure.count - 2), text_of("a")));
  cr_assert(text_equal(tokens_get(&closure, closure.count - 1), text_of("b")));
}

/* The symbol "ab</w>" was first merged from "ab" and an end that no text has. Its parts are then as
 * long as the symbol itself, which is split into characters. */
Test(subwords, impossible_merges_split_into_characters) {
  owned_by(free_side) struct side side;
  make_side(&side, LINES, LINE_COUNT, 0, 1);
  add_merge(&side.merges, "we </w>");
  add_merge(&side.merges, "w e</w>");
  assert_tokens(&side, "we", "w|￭e");
}

/* No id is <unk>, ids decode to the original text, and the tokens' ranges follow each other in the
 * text. */
static void assert_survives(const struct side *side, struct text text) {
  owned_by(encoding_free) struct encoding encoding = {0};
  owned_by(buffer_free) struct buffer normal = {0}, decoded = {0};
  cr_assert_eq(encode(&encoding, &side->codec, text, NULL), ELMAN_OK);
  cr_assert_eq(codec_text(&normal, &side->codec, text, NULL), ELMAN_OK);
  const size_t count = encoding.tokens.count;
  for (size_t i = 0; i < count; i++) cr_assert_neq(encoding.ids[i], TOKEN_UNKNOWN);
  cr_assert_eq(decode(&decoded, &side->codec, encoding.ids, count, NULL), ELMAN_OK);
  cr_assert(text_equal(buffer_text(&normal), buffer_text(&decoded)), "\"%s\" became \"%s\"",
            normal.bytes, decoded.bytes);
  owned size_t *places = calloc(2 * count + 1, sizeof *places);
  const struct spans spans = {places, places + count};
  succeeds(locate_tokens(spans, &encoding.tokens, text, ELMAN_TOKENS_BPE, ELMAN_NFC, &why));
  for (size_t i = 0; i < count; i++) {
    cr_assert(spans.starts[i] <= spans.ends[i] && spans.ends[i] <= text.length);
    cr_assert(i == 0 || spans.starts[i - 1] <= spans.starts[i]);
    const struct text part = {text.bytes + spans.starts[i], spans.ends[i] - spans.starts[i]};
    cr_assert_eq(text_valid_prefix(part), part.length, "part of a character");
  }
  locate_joined(spans, &encoding.tokens, count, ELMAN_TOKENS_BPE, buffer_text(&decoded));
  cr_assert(count == 0 || spans.ends[count - 1] == decoded.length);
}

Test(subwords, any_text_is_preserved, .timeout = 120) {
  static const int odd[] = {0xFFED, 0x2581, 0x301, 0x200D, 0x1F600, '<', '0', 'x', '>', ' ', ' '};
  const struct random_stream stream = {.seed = 9, .purpose = RANDOM_RESAMPLES};
  uint64_t drawn = 0;
  owned_by(buffer_free) struct buffer text = {0};
  for (uint64_t min_count = 1; min_count <= 4; min_count += 3) {
    owned_by(free_side) struct side side;
    make_side(&side, LINES, LINE_COUNT, 20, min_count);
    for (int i = 0; i < LINE_COUNT; i++) assert_survives(&side, text_of(LINES[i]));
    assert_survives(&side, text_of("<0xE4> <unk> </s> </w> ￭ ▁ ￭￭a▁ b龘龖 龘!龘\u0301"));
    for (int i = 0; i < 4000; i++) {
      buffer_clear(&text);
      for (uint64_t n = random_below(stream, drawn++, 16); n > 0; n--) {
        const uint64_t kind = random_below(stream, drawn++, 4);
        int codepoint = odd[random_below(stream, drawn++, sizeof odd / sizeof *odd)];
        if (kind == 1) codepoint = 'a' + (int)random_below(stream, drawn++, 26);
        if (kind == 2) codepoint = 0x4E00 + (int)random_below(stream, drawn++, 0x5000);
        if (kind == 3) codepoint = 1 + (int)random_below(stream, drawn++, 0x10FFFF);
        if (codepoint >= 0xD800 && codepoint <= 0xDFFF) codepoint = '-';
        buffer_append_character(&text, codepoint);
      }
      assert_survives(&side, buffer_text(&text));
    }
  }
}

/* A model may produce bytes that are not valid text. */
Test(subwords, invalid_bytes_are_decoded) {
  static const char *const tokens_said[] = {"a", "<0xE6>", "<0x88>", "<0x91>", "<0xFF>", "<0x0A>",
                                            "￭", "<0x00>", "▁",      "▁",      "<0xE6>"};
  owned_by(tokens_free) struct tokens tokens =
      tokens_of(tokens_said, sizeof tokens_said / sizeof *tokens_said);
  owned_by(buffer_free) struct buffer text = {0};
  cr_assert_eq(tokens_join(&text, &tokens, ELMAN_TOKENS_BPE, NULL), ELMAN_OK);
  cr_assert_str_eq(text.bytes, "a我\uFFFD\uFFFD\uFFFD \uFFFD");
  buffer_clear(&text);
  cr_assert_eq(tokens_join(&text, &tokens, ELMAN_TOKENS_SPACE, NULL), ELMAN_OK);
  cr_assert_not_null(strstr(text.bytes, "<0xE6>")); /* an ordinary word */
}

/* More words than the cache has room for, so that entries are replaced. Each word occurs twice, and
 * subwords are up to twice as long as the cache accepts. */
Test(subwords, repeated_words_are_split_equally) {
  enum { WORDS = 20000, LONGEST = 40 };
  static const char *const pairs[] = {"a b", "ab a", "b b", "aba b", "a a</w>", "b b</w>"};
  owned_by(merges_clear) struct merges merges = {0};
  owned_by(bpe_split_free) struct bpe_split kept = {0};
  struct random_stream stream = {.seed = 5, .purpose = RANDOM_SUBWORDS, .which = 1};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) add_merge(&merges, pairs[i]);
  for (uint64_t n = 0; n < 2 * WORDS; n++) {
    char word[LONGEST];
    uint32_t draw[4];
    random_words(draw, stream, n / 2);
    const struct text text = {word, 1 + draw[0] % LONGEST};
    for (size_t i = 0; i < text.length; i++) word[i] = draw[1 + i / 32] >> i % 32 & 1 ? 'a' : 'b';
    owned_by(bpe_split_free) struct bpe_split fresh = {0};
    cr_assert_eq(bpe_split(&kept, &merges, text, NULL, NULL), ELMAN_OK);
    cr_assert_eq(bpe_split(&fresh, &merges, text, NULL, NULL), ELMAN_OK);
    cr_assert_eq(kept.count, fresh.count);
    for (size_t i = 0; i < fresh.count; i++) {
      cr_assert_eq(kept.parts[i].end, fresh.parts[i].end);
      cr_assert_eq(kept.parts[i].symbol, fresh.parts[i].symbol);
    }
  }
}

/* ---- dropout ---- */

/* A merge that can be applied once is dropped with probability P. */
Test(subwords, dropout_drops_its_fraction) {
  enum { DRAWS = 40000 };
  const double share = 0.3;
  owned_by(merges_clear) struct merges merges = {0};
  owned_by(bpe_split_free) struct bpe_split split = {0};
  struct bpe_dropout dropout = {.share = share,
                                .stream = {.seed = 3, .purpose = RANDOM_SUBWORDS, .which = 1}};
  add_merge(&merges, "a b</w>");
  size_t dropped = 0;
  for (int i = 0; i < DRAWS; i++) {
    cr_assert_eq(bpe_split(&split, &merges, text_of("ab"), &dropout, NULL), ELMAN_OK);
    dropped += split.count == 2;
  }
  cr_assert_eq(dropout.next, DRAWS);
  /* Five standard deviations of a binomial distribution. */
  const double bound = 5 * sqrt(DRAWS * share * (1 - share));
  cr_assert(fabs((double)dropped - DRAWS * share) < bound, "%zu", dropped);
}

/* In "abcx" the merge of "ab" and "c" is decided once: "b c" can no longer be applied and gives it
 * no second chance. "ab|c|x" has one merge kept and one dropped. */
Test(subwords, dropout_applies_to_current_merges_only) {
  enum { DRAWS = 40000 };
  const double share = 0.5, expected = (1 - share) * share;
  owned_by(merges_clear) struct merges merges = {0};
  owned_by(bpe_split_free) struct bpe_split split = {0};
  struct bpe_dropout dropout = {.share = share,
                                .stream = {.seed = 3, .purpose = RANDOM_SUBWORDS, .which = 1}};
  add_merge(&merges, "a b");
  add_merge(&merges, "ab c");
  add_merge(&merges, "b c");
  size_t found = 0;
  for (int i = 0; i < DRAWS; i++) {
    cr_assert_eq(bpe_split(&split, &merges, text_of("abcx"), &dropout, NULL), ELMAN_OK);
    found += split.count == 3 && split.parts[0].end == 2;
  }
  const double bound = 5 * sqrt(DRAWS * expected * (1 - expected));
  cr_assert(fabs((double)found - DRAWS * expected) < bound, "%zu", found);
}

Test(subwords, dropout_preserves_the_text) {
  owned_by(free_side) struct side side;
  owned_by(encoding_free) struct encoding encoding = {0}, again = {0};
  owned_by(buffer_free) struct buffer first = {0}, second = {0};
  bool differed = false;
  make_side(&side, LINES, LINE_COUNT, 40, 1);
  for (int i = 0; i < LINE_COUNT; i++) {
    cr_assert_eq(encode(&encoding, &side.codec, text_of(LINES[i]), NULL), ELMAN_OK);
    buffer_clear(&first);
    cr_assert_eq(decode(&first, &side.codec, encoding.ids, encoding.tokens.count, NULL), ELMAN_OK);
    for (uint32_t epoch = 0; epoch < 20; epoch++) {
      struct bpe_dropout dropout = {
          .share = epoch == 0 ? 0 : 0.5,
          .stream = {.seed = 3, .purpose = RANDOM_SUBWORDS, .which = epoch}};
      succeeds(
          encode_again(&again, &side.codec, encoding.ids, encoding.tokens.count, &dropout, &why));
      const bool same =
          again.tokens.count == encoding.tokens.count &&
          memcmp(again.ids, encoding.ids, again.tokens.count * sizeof *again.ids) == 0;
      cr_assert(epoch > 0 || same);
      differed = differed || !same;
      for (size_t t = 0; t < again.tokens.count; t++) cr_assert_neq(again.ids[t], TOKEN_UNKNOWN);
      buffer_clear(&second);
      cr_assert_eq(decode(&second, &side.codec, again.ids, again.tokens.count, NULL), ELMAN_OK);
      cr_assert_str_eq(first.bytes, second.bytes);
    }
  }
  cr_assert(differed);
}
