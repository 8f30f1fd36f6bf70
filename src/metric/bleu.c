#include "metric/bleu.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/portable_math.h"
#include "base/text.h"
#include "base/xxh64.h"
#include "vocab/characters.h"

/* ---- n-grams ---- */

/* A symbol that is not in the counted sequence. */
#define SYMBOL_UNKNOWN TABLE_NONE

void ngrams_free(struct ngrams *ngrams) {
  free(ngrams->items);
  table_free(&ngrams->index);
  *ngrams = (struct ngrams){0};
}

struct key {
  uint32_t parent, symbol;
};

static bool is_ngram(const void *items, size_t item, const void *key) {
  const struct ngram *ngram = (const struct ngram *)items + item;
  const struct key *wanted = key;
  return ngram->symbol == wanted->symbol && ngram->parent == wanted->parent;
}

/* Return the position of an n-gram, or TABLE_NONE. */
static uint32_t find(const struct ngrams *ngrams, struct key key) {
  return table_find(&ngrams->index, xxh64_of(&key, sizeof key), is_ngram, ngrams->items, &key);
}

static elman_status add(uint32_t *number, struct ngrams *ngrams, uint32_t symbol,
                        elman_error *error) {
  const struct key key = {*number, symbol};
  uint32_t found = find(ngrams, key);
  if (found == TABLE_NONE) {
    elman_status status = array_grow(&ngrams->items, &ngrams->capacity, ngrams->count + 1,
                                     sizeof *ngrams->items, error);
    if (status == ELMAN_OK)
      status = table_add(&ngrams->index, xxh64_of(&key, sizeof key), ngrams->count, error);
    if (status != ELMAN_OK) return status;
    found = (uint32_t)ngrams->count++;
    ngrams->items[found] = (struct ngram){.parent = key.parent, .symbol = symbol};
  }
  ngrams->items[found].count++;
  *number = found + 1;
  return ELMAN_OK;
}

/* The initial table size, which suffices for an ordinary sentence. The table grows for a long one,
 * whose n-grams mostly repeat. */
enum { ORDINARY = 2048 };

elman_status ngrams_count(struct ngrams *ngrams, const uint32_t *symbols, size_t length,
                          size_t orders, elman_error *error) {
  size_t most;
  if (__builtin_mul_overflow(length, orders, &most)) return fail_no_memory(error);
  elman_status status = table_reset(&ngrams->index, most < ORDINARY ? most : ORDINARY, error);
  ngrams->count = 0;
  for (size_t i = 0; i < length && status == ELMAN_OK; i++) {
    uint32_t number = 0;
    for (size_t n = 0; n < orders && n < length - i && status == ELMAN_OK; n++)
      status = add(&number, ngrams, symbols[i + n], error);
  }
  return status;
}

void ngrams_match(struct ngrams *ngrams, const uint32_t *symbols, size_t length, size_t orders,
                  uint32_t *matched) {
  for (size_t i = 0; i < ngrams->count; i++) ngrams->items[i].seen = 0;
  for (size_t i = 0; i < length; i++) {
    uint32_t number = 0;
    for (size_t n = 0; n < orders && n < length - i; n++) {
      const uint32_t found = find(ngrams, (struct key){number, symbols[i + n]});
      if (found == TABLE_NONE) break; /* longer n-grams are not in the table either */
      struct ngram *ngram = &ngrams->items[found];
      number = found + 1;
      ngram->seen++;
      if (ngram->seen > ngram->count || ngram->seen <= ngram->matched) continue;
      ngram->matched = ngram->seen;
      matched[n]++;
    }
  }
}

void ngrams_forget(struct ngrams *ngrams) {
  for (size_t i = 0; i < ngrams->count; i++) ngrams->items[i].matched = 0;
}

/* ---- tokens: characters ---- */

bool is_python_space(int codepoint) {
  return (codepoint >= 0x1C && codepoint <= 0x1F) || is_white_space(codepoint);
}

/* ---- tokens: passes, text in, text out ---- */

void bleu_passes_free(struct bleu_passes *passes) {
  buffer_free(&passes->before);
  buffer_free(&passes->after);
}

static void put(struct buffer *out, char byte) {
  buffer_append(out, &byte, 1);
}

static bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

static bool is_stop(char byte) {
  return byte == '.' || byte == ',';
}

/* Return whether a byte is an ASCII character other than letters, digits, control characters and '
 * , - . */
static bool is_symbol(char byte) {
  return (byte >= ' ' && byte <= '&') || (byte >= '(' && byte <= '+') || byte == '/' ||
         (byte >= ':' && byte <= '@') || (byte >= '[' && byte <= '`') ||
         (byte >= '{' && byte <= '~');
}

/* A pass implements one of the regular expressions that define the tokenizer. Passes search for
 * ASCII and copy all other bytes, so they can work on bytes. For "no digit", one byte of a longer
 * character represents the character. Matches do not overlap, as with re.sub. */

static bool is_no_digit(char byte) {
  return !is_digit(byte);
}

static bool is_dash(char byte) {
  return byte == '-';
}

/* A pass matches one or two bytes of given kinds. It may insert a space before them and after each
 * of them. */
struct pass {
  bool (*first)(char byte), (*second)(char byte);
  bool in_front, at_end;
};

static const struct pass passes_13a[] = {
    {is_symbol, NULL, true, true},       /* "(symbol)" becomes " \1 " */
    {is_no_digit, is_stop, false, true}, /* "([^0-9])([.,])" becomes "\1 \2 " */
    {is_stop, is_no_digit, true, false}, /* "([.,])([^0-9])" becomes " \1 \2" */
    {is_digit, is_dash, false, true},    /* "([0-9])(-)" becomes "\1 \2 " */
};

static void part(struct buffer *out, struct text in, const struct pass *pass) {
  for (size_t i = 0; i < in.length; i++) {
    const bool match =
        pass->first(in.bytes[i]) &&
        (pass->second == NULL || (i + 1 < in.length && pass->second(in.bytes[i + 1])));
    if (match && pass->in_front) put(out, ' ');
    put(out, in.bytes[i]);
    if (match && pass->second != NULL) {
      put(out, ' ');
      put(out, in.bytes[++i]);
    }
    if (match && pass->at_end) put(out, ' ');
  }
}

/* Make the output of the last pass the input of the next. */
static void swap(struct bleu_passes *passes) {
  const struct buffer swapped = passes->before;
  passes->before = passes->after;
  passes->after = swapped;
}

/* Run a pass. Do nothing if memory is exhausted, because clearing the output buffer would also
 * clear its failure flag. */
static void run(struct bleu_passes *passes, const struct pass *pass) {
  if (passes->before.failed) return;
  buffer_clear(&passes->after);
  part(&passes->after, buffer_text(&passes->before), pass);
  swap(passes);
}

/* ---- tokens: passes over characters ---- */

/* Return the first letter of the character's Unicode category. */
static char category_of(int codepoint) {
  return utf8proc_category_string(codepoint)[0];
}

static bool is_punctuation(int codepoint) {
  return category_of(codepoint) == 'P';
}

static bool is_symbol_character(int codepoint) {
  return category_of(codepoint) == 'S';
}

static bool is_no_number(int codepoint) {
  return category_of(codepoint) != 'N';
}

/* The expressions of `intl`, in the form of struct pass. */
static const struct character_pass {
  bool (*first)(int codepoint), (*second)(int codepoint);
  bool in_front, at_end;
} passes_intl[] = {
    {is_no_number, is_punctuation, false, true}, /* "(\P{N})(\p{P})" becomes "\1 \2 " */
    {is_punctuation, is_no_number, true, false}, /* "(\p{P})(\P{N})" becomes " \1 \2" */
    {is_symbol_character, NULL, true, true},     /* "(\p{S})" becomes " \1 " */
};

static void part_characters(struct buffer *out, struct text in, const struct character_pass *pass) {
  for (size_t at = 0; at < in.length;) {
    const size_t start = at;
    bool match = pass->first(character_at(in, &at));
    size_t next = at;
    if (pass->second != NULL)
      match = match && at < in.length && pass->second(character_at(in, &next));
    if (match && pass->in_front) put(out, ' ');
    buffer_append(out, in.bytes + start, at - start);
    if (match && pass->second != NULL) {
      put(out, ' ');
      buffer_append(out, in.bytes + at, next - at);
      at = next;
    }
    if (match && pass->at_end) put(out, ' ');
  }
}

/* ---- tokens: the tokenizers ---- */

static size_t without_end_space(struct text line) {
  size_t end = 0;
  for (size_t at = 0; at < line.length;)
    if (!is_python_space(character_at(line, &at))) end = at;
  return end;
}

static elman_status split_at_space(struct tokens *tokens, struct bleu_passes *passes,
                                   struct text line, elman_error *error) {
  (void)passes;
  elman_status status = ELMAN_OK;
  for (size_t at = 0, start, end; status == ELMAN_OK; at = end) {
    start = run_end(line, at, is_python_space, true);
    end = run_end(line, start, is_python_space, false);
    if (start == end) break;
    status = tokens_add(tokens, (struct text){line.bytes + start, end - start}, error);
  }
  return status;
}

static elman_status split_characters(struct tokens *tokens, struct bleu_passes *passes,
                                     struct text line, elman_error *error) {
  (void)passes;
  elman_status status = ELMAN_OK;
  for (size_t at = 0; at < line.length && status == ELMAN_OK;) {
    const size_t start = at;
    if (!is_python_space(character_at(line, &at)))
      status = tokens_add(tokens, (struct text){line.bytes + start, at - start}, error);
  }
  return status;
}

/* The replacements of mteval-v13a, in its order. None of them makes the text longer. */
static const struct replacement {
  const char *old, *new;
} replacements[] = {{"<skipped>", ""}, {"-\n", ""},   {"\n", " "},  {"&quot;", "\""},
                    {"&amp;", "&"},    {"&lt;", "<"}, {"&gt;", ">"}};

static void replace(struct buffer *text, struct replacement how) {
  const size_t old = strlen(how.old), new = strlen(how.new);
  size_t length = 0;
  struct text rest = buffer_text(text);
  for (const char *found; (found = memmem(rest.bytes, rest.length, how.old, old)) != NULL;) {
    const size_t before = (size_t)(found - rest.bytes);
    memmove(text->bytes + length, rest.bytes, before);
    memcpy(text->bytes + length + before, how.new, new);
    length += before + new;
    text_drop(&rest, before + old);
  }
  memmove(text->bytes + length, rest.bytes, rest.length);
  buffer_cut(text, length + rest.length);
}

static elman_status split_passed(struct tokens *tokens, struct bleu_passes *passes,
                                 elman_error *error) {
  for (size_t i = 0; i < sizeof passes_13a / sizeof *passes_13a; i++) run(passes, &passes_13a[i]);
  if (passes->before.failed) return fail_no_memory(error);
  return split_at_space(tokens, passes, buffer_text(&passes->before), error);
}

static elman_status split_13a(struct tokens *tokens, struct bleu_passes *passes, struct text line,
                              elman_error *error) {
  /* Surround the line with spaces, as the definition does, so that no full stop is at an end of the
   * line. None of the replacements affects these spaces. */
  buffer_append(&passes->before, " ", 1);
  buffer_append_text(&passes->before, line);
  buffer_append(&passes->before, " ", 1);
  if (passes->before.failed) return fail_no_memory(error);
  for (size_t i = 0; i < sizeof replacements / sizeof *replacements; i++)
    replace(&passes->before, replacements[i]);
  return split_passed(tokens, passes, error);
}

static elman_status split_intl(struct tokens *tokens, struct bleu_passes *passes, struct text line,
                               elman_error *error) {
  buffer_append_text(&passes->before, line);
  for (size_t i = 0; i < sizeof passes_intl / sizeof *passes_intl && !passes->before.failed; i++) {
    buffer_clear(&passes->after);
    part_characters(&passes->after, buffer_text(&passes->before), &passes_intl[i]);
    swap(passes);
  }
  if (passes->before.failed) return fail_no_memory(error);
  return split_at_space(tokens, passes, buffer_text(&passes->before), error);
}

/* Return whether `zh` separates the character. sacreBLEU writes its ranges U+20000 to U+2A6D6 and
 * U+2F800 to U+2FA1D with four-digit escapes. Python reads these as U+2001 to U+2A6D and U+2F81 to
 * U+2FA1: dashes, quotes, arrows and mathematical signs instead of rare ideographs. The same ranges
 * are needed here for equal scores. */
static bool is_separate(int codepoint) {
  static const struct codepoint_range separate[] = {
      {0x2001, 0x2A6D}, {0x2E80, 0x2FDF}, {0x2FF0, 0x303F}, {0x3100, 0x312F}, {0x31A0, 0x31EF},
      {0x3200, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9},
      {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF}};
  return IN_RANGES(separate, codepoint);
}

static elman_status split_zh(struct tokens *tokens, struct bleu_passes *passes, struct text line,
                             elman_error *error) {
  /* Unlike in 13a, no spaces surround the line, so a full stop after a final digit is not
   * separated. */
  for (size_t at = run_end(line, 0, is_python_space, true); at < line.length;) {
    const size_t start = at;
    const bool separate = is_separate(character_at(line, &at));
    if (separate) put(&passes->before, ' ');
    buffer_append(&passes->before, line.bytes + start, at - start);
    if (separate) put(&passes->before, ' ');
  }
  return split_passed(tokens, passes, error);
}

static const struct {
  const char *name;
  elman_status (*split)(struct tokens *tokens, struct bleu_passes *passes, struct text line,
                        elman_error *error);
} tokenizers[] = {
    [BLEU_AUTO] = {"auto", NULL},
    [BLEU_13A] = {"13a", split_13a},
    [BLEU_INTL] = {"intl", split_intl},
    [BLEU_ZH] = {"zh", split_zh},
    [BLEU_CHAR] = {"char", split_characters},
    [BLEU_NONE] = {"none", split_at_space},
};

const char *elman_bleu_tokens_name(size_t tokenizer) {
  return tokenizer < sizeof tokenizers / sizeof *tokenizers ? tokenizers[tokenizer].name : NULL;
}

elman_status bleu_tokenize(struct tokens *tokens, struct bleu_passes *passes, struct text line,
                           enum bleu_tokenizer tokenizer, elman_error *error) {
  tokens_clear(tokens);
  buffer_clear(&passes->before);
  buffer_clear(&passes->after);
  line.length = without_end_space(line);
  return tokenizers[tokenizer].split(tokens, passes, line, error);
}

/* ---- scores ---- */

void bleu_words_free(struct bleu_words *sentence) {
  tokens_free(&sentence->words);
  free(sentence->numbers);
}

void bleu_work_free(struct bleu_work *work) {
  bleu_passes_free(&work->passes);
  bleu_words_free(&work->hypothesis);
  bleu_words_free(&work->reference);
  table_free(&work->index);
  ngrams_free(&work->ngrams);
}

static bool is_word(const void *words, size_t position, const void *word) {
  return text_equal(tokens_get(words, position), *(const struct text *)word);
}

elman_status bleu_number_words(struct bleu_words *sentence, const struct bleu_words *known,
                               struct table *index, elman_error *error) {
  const struct tokens *words = &sentence->words;
  elman_status status = array_grow(&sentence->numbers, &sentence->capacity, words->count,
                                   sizeof *sentence->numbers, error);
  if (status == ELMAN_OK && known == sentence) status = table_reset(index, words->count, error);
  for (size_t i = 0; status == ELMAN_OK && i < words->count; i++) {
    const struct text word = tokens_get(words, i);
    const uint64_t hash = text_hash(word);
    uint32_t *number = &sentence->numbers[i];
    *number = table_find(index, hash, is_word, &known->words, &word);
    if (*number != TABLE_NONE || known != sentence) continue;
    *number = (uint32_t)i;
    status = table_add(index, hash, i, error);
  }
  return status;
}

static elman_status count_hypothesis(uint32_t counts[BLEU_COUNTS], struct bleu_work *work,
                                     struct text text, enum bleu_tokenizer tokenizer,
                                     elman_error *error) {
  struct bleu_words *hypothesis = &work->hypothesis;
  elman_status status = bleu_tokenize(&hypothesis->words, &work->passes, text, tokenizer, error);
  const size_t length = hypothesis->words.count;
  if (status == ELMAN_OK) status = bleu_number_words(hypothesis, hypothesis, &work->index, error);
  if (status == ELMAN_OK)
    status = ngrams_count(&work->ngrams, hypothesis->numbers, length, BLEU_ORDERS, error);
  if (status != ELMAN_OK) return status;
  counts[BLEU_HYPOTHESIS_LENGTH] = (uint32_t)length;
  for (size_t n = 1; n <= BLEU_ORDERS; n++)
    counts[BLEU_TOTAL + n - 1] = (uint32_t)ngrams_in(length, n);
  return ELMAN_OK;
}

static size_t distance(size_t a, size_t b) {
  return a < b ? b - a : a - b;
}

static bool is_closer(size_t length, size_t than, size_t to) {
  const size_t near = distance(length, to), far = distance(than, to);
  return near < far || (near == far && length < than);
}

elman_status bleu_count(uint32_t counts[BLEU_COUNTS], struct bleu_work *work,
                        struct text hypothesis, const struct text *references,
                        size_t reference_count, enum bleu_tokenizer tokenizer, elman_error *error) {
  struct bleu_words *reference = &work->reference;
  memset(counts, 0, BLEU_COUNTS * sizeof *counts);
  elman_status status = count_hypothesis(counts, work, hypothesis, tokenizer, error);
  for (size_t r = 0; r < reference_count && status == ELMAN_OK; r++) {
    status = bleu_tokenize(&reference->words, &work->passes, references[r], tokenizer, error);
    if (status == ELMAN_OK)
      status = bleu_number_words(reference, &work->hypothesis, &work->index, error);
    if (status != ELMAN_OK) break;
    const size_t length = reference->words.count;
    ngrams_match(&work->ngrams, reference->numbers, length, BLEU_ORDERS, counts + BLEU_MATCHED);
    if (r == 0) counts[BLEU_SHORT] = length < BLEU_ORDERS;
    if (r == 0 || is_closer(length, counts[BLEU_REFERENCE_LENGTH], counts[BLEU_HYPOTHESIS_LENGTH]))
      counts[BLEU_REFERENCE_LENGTH] = (uint32_t)length;
  }
  return status;
}

static double brevity_penalty(double hypothesis_length, double reference_length) {
  if (hypothesis_length >= reference_length) return 1;
  return hypothesis_length > 0 ? portable_exp(1 - reference_length / hypothesis_length) : 0;
}

static bool matched_any(const uint64_t sums[BLEU_COUNTS]) {
  for (size_t n = 0; n < BLEU_ORDERS; n++)
    if (sums[BLEU_MATCHED + n] > 0) return true;
  return false;
}

void bleu_score(elman_metric_scores *scores, const uint64_t sums[BLEU_COUNTS],
                bool effective_order) {
  scores->bleu = 0;
  memset(scores->precisions, 0, sizeof scores->precisions);
  scores->hypothesis_length = (size_t)sums[BLEU_HYPOTHESIS_LENGTH];
  scores->reference_length = (size_t)sums[BLEU_REFERENCE_LENGTH];
  scores->short_references = (size_t)sums[BLEU_SHORT];
  scores->brevity_penalty =
      brevity_penalty((double)scores->hypothesis_length, (double)scores->reference_length);
  if (!matched_any(sums)) return;
  double halving = 1, log_sum = 0;
  size_t orders = 0; /* number of orders with n-grams; the next order makes the score zero */
  for (size_t n = 0; n < BLEU_ORDERS; n++) {
    const double matched = (double)sums[BLEU_MATCHED + n], total = (double)sums[BLEU_TOTAL + n];
    if (total == 0) break;
    orders++;
    /* The first order without a match counts as 1/2 match, the second one as 1/4, and so on. */
    if (matched == 0) halving *= 2;
    scores->precisions[n] = matched == 0 ? 100 / (halving * total) : 100 * matched / total;
    log_sum += portable_log(scores->precisions[n]);
  }
  if (orders == BLEU_ORDERS || effective_order)
    scores->bleu = scores->brevity_penalty * portable_exp(log_sum / (double)orders);
}
