#include "corpus/noise.h"

#include <string.h>

#include "corpus/modifiers.h"
#include "vocab/characters.h"
#include "vocab/marks.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool one_in(struct draws *draws, size_t count) {
  return draw_below(draws, count) == 0;
}

static void append_string(struct buffer *into, const char *string) {
  buffer_append_text(into, text_of(string));
}

static void append_from(struct buffer *into, struct draws *draws, const char *characters) {
  buffer_append(into, characters + draw_below(draws, strlen(characters)), 1);
}

static void append_many(struct buffer *into, struct draws *draws, const char *characters,
                        size_t count) {
  while (count-- > 0) append_from(into, draws, characters);
}

/* ---- numbers, words, names ---- */

#define DIGITS "0123456789"
#define NONZERO "123456789"
#define SMALL_LETTERS "abcdefghijklmnopqrstuvwxyz"
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* Append a number of `least` to `most` digits. */
static void append_integer(struct buffer *into, struct draws *draws, size_t least, size_t most) {
  append_from(into, draws, NONZERO);
  append_many(into, draws, DIGITS, least - 1 + draw_below(draws, most - least + 1));
}

static void append_number(struct buffer *into, struct draws *draws) {
  switch (draw_below(draws, 8)) {
  case 0: /* 12.5 */
    append_integer(into, draws, 1, 3);
    append_string(into, ".");
    append_many(into, draws, DIGITS, 1 + draw_below(draws, 2));
    break;
  case 1: /* 2024-05-17 */
    append_string(into, one_in(draws, 2) ? "19" : "20");
    append_many(into, draws, DIGITS, 2);
    append_string(into, "-0");
    append_from(into, draws, NONZERO);
    append_string(into, "-");
    append_from(into, draws, "12");
    append_from(into, draws, NONZERO);
    break;
  case 2: /* 14:30 */
    append_string(into, "1");
    append_from(into, draws, DIGITS);
    append_string(into, ":");
    append_from(into, draws, "012345");
    append_from(into, draws, DIGITS);
    break;
  default:
    append_integer(into, draws, 2, 6);
  }
}

static void append_syllable(struct buffer *into, struct draws *draws) {
  static const char *const onsets[] = {"b",  "c",  "d",  "f",  "g",  "h",  "j",  "k",  "l", "m",
                                       "n",  "p",  "r",  "s",  "t",  "v",  "w",  "y",  "z", "qu",
                                       "ch", "sh", "th", "br", "tr", "st", "kl", "fr", ""};
  static const char *const vowels[] = {"a", "e", "i", "o",  "u",  "a",  "e",
                                       "i", "o", "u", "ai", "ee", "ou", "ia"};
  static const char *const codas[] = {"", "", "", "", "n", "r", "s", "l", "m", "x", "ck", "t"};
  append_string(into, onsets[draw_below(draws, COUNT(onsets))]);
  append_string(into, vowels[draw_below(draws, COUNT(vowels))]);
  append_string(into, codas[draw_below(draws, COUNT(codas))]);
}

static void append_word(struct buffer *into, struct draws *draws) {
  for (size_t left = 1 + draw_below(draws, 3); left > 0; left--) append_syllable(into, draws);
}

static void append_capitalized(struct buffer *into, struct draws *draws) {
  const size_t start = into->length;
  append_word(into, draws);
  if (into->failed) return;
  into->bytes[start] = (char)(into->bytes[start] - 'a' + 'A');
}

static void append_name(struct buffer *into, struct draws *draws) {
  switch (draw_below(draws, 12)) {
  case 0: /* an acronym */
    append_many(into, draws, CAPITALS, 2 + draw_below(draws, 4));
    break;
  case 1: /* AB-1234 */
    append_many(into, draws, CAPITALS, 1 + draw_below(draws, 3));
    if (one_in(draws, 2)) append_string(into, "-");
    append_integer(into, draws, 1, 4);
    break;
  case 2: /* k3x9q */
    append_many(into, draws, SMALL_LETTERS DIGITS, 4 + draw_below(draws, 4));
    break;
  case 3:
    append_word(into, draws);
    break;
  case 4: /* two words */
    append_capitalized(into, draws);
    append_string(into, " ");
    append_capitalized(into, draws);
    break;
  default:
    append_capitalized(into, draws);
  }
}

/* ---- placeholders, tags, addresses ---- */

/* Append a template, in which W stands for a word, I for an identifier and N for a digit. */
static void append_template(struct buffer *into, struct draws *draws, const char *template) {
  for (; *template != '\0'; template ++) {
    if (*template == 'W')
      append_word(into, draws);
    else if (*template == 'I')
      append_many(into, draws, SMALL_LETTERS DIGITS, 3 + draw_below(draws, 4));
    else if (*template == 'N')
      append_from(into, draws, DIGITS);
    else
      buffer_append(into, template, 1);
  }
}

static void append_one_of(struct buffer *into, struct draws *draws, const char *const *templates,
                          size_t count) {
  append_template(into, draws, templates[draw_below(draws, count)]);
}

/* Tags and formats. They stand beside other text without a space, so the target contains them as
 * text and not as words to be copied. */
static const char *const tag_texts[] = {"<b>", "</b>", "<br>", "<br/>",
                                        "<W>", "%s",   "%d",   "&nbsp;"};

static const char *const placeholders[] = {
    "{{name}}", "{{W}}", "{name}", "{W}", "{N}",   "%N$s", "${W}", "[W]",
    "@W",       "#W",    "__W__",  "W_W", "%(W)s", ":W:",  "$NN",  "W()",
};

static const char *const urls[] = {
    "https://www.W.com", "https://W.org/W", "http://W.net",         "www.W.com",
    "https://W.io/I",    "W.com",           "https://www.W.cn/W/I",
};

static const char *const mails[] = {"W@W.com", "W.W@W.org", "WNN@W.net"};

/* Append COPIED_WORD for each word of a text. */
static void append_copies(struct buffer *into, struct text text) {
  while (text.length > 0) {
    const size_t before = text.length;
    const struct text word = text_cut(&text, ' ');
    append_string(into, COPIED_WORD);
    if (word.length < before && text.length > 0) append_string(into, " ");
  }
}

static void draw_tags(struct noise *noise, struct draws *draws) {
  static const char *const tags[][2] = {{"<b>", "</b>"},   {"<i>", "</i>"}, {"<p>", "</p>"},
                                        {"<u>", "</u>"},   {"<a>", "</a>"}, {"<em>", "</em>"},
                                        {"<li>", "</li>"}, {"**", "**"},    {"<h1>", "</h1>"}};
  const size_t tag = draw_below(draws, COUNT(tags));
  append_string(&noise->texts[ELMAN_SOURCE], tags[tag][0]);
  append_string(&noise->closing, tags[tag][1]);
  noise->place = NOISE_BEFORE;
}

/* ---- symbols ---- */

static void draw_symbol(struct noise *noise, struct draws *draws) {
  static const struct codepoint_range symbols[] = {
      {0x1F600, 0x1F64F}, {0x1F600, 0x1F64F}, {0x1F300, 0x1F3F0}, {0x1F400, 0x1F4FC},
      {0x1F680, 0x1F6A9}, {0x1F90D, 0x1F93A}, {0x2190, 0x21A8},   {0x25A0, 0x25FC},
      {0x2600, 0x26A0},   {0x2702, 0x2764}};
  const struct codepoint_range range = symbols[draw_below(draws, COUNT(symbols))];
  const int codepoint =
      range.first + (int)draw_below(draws, (size_t)(range.last - range.first) + 1);
  const size_t roll = draw_below(draws, 20), count = one_in(draws, 4) ? 2 : 1;
  noise->place = roll < 3 ? NOISE_ALONE : roll < 6 ? NOISE_BEFORE : NOISE_AFTER;
  for (size_t i = 0; i < count; i++) {
    buffer_append_character(&noise->texts[ELMAN_SOURCE], codepoint);
    append_string(&noise->texts[ELMAN_TARGET], COPIED_WORD);
  }
}

/* ---- a noise ---- */

void noise_draw(struct noise *noise, struct draws *draws) {
  enum { NUMBER = 5, NAME = 11, PLACEHOLDER = 13, TAG = 14, TAGS = 15, URL = 16, MAIL = 17 };
  enum { KINDS = 20 };
  const size_t kind = draw_below(draws, KINDS), roll = draw_below(draws, 10);
  struct buffer *text = &noise->texts[ELMAN_SOURCE], *copy = &noise->texts[ELMAN_TARGET];
  buffer_clear(text);
  buffer_clear(copy);
  buffer_clear(&noise->closing);
  noise->place = roll < 1   ? NOISE_ALONE
                 : roll < 3 ? NOISE_BEFORE
                 : roll < 8 ? NOISE_WITHIN
                            : NOISE_AFTER;
  if (kind < NUMBER)
    append_number(text, draws);
  else if (kind < NAME)
    append_name(text, draws);
  else if (kind < PLACEHOLDER)
    append_one_of(text, draws, placeholders, COUNT(placeholders));
  else if (kind < TAG)
    append_one_of(text, draws, tag_texts, COUNT(tag_texts));
  else if (kind < TAGS)
    draw_tags(noise, draws);
  else if (kind < URL)
    append_one_of(text, draws, urls, COUNT(urls));
  else if (kind < MAIL)
    append_one_of(text, draws, mails, COUNT(mails));
  else
    draw_symbol(noise, draws);
  if (kind >= PLACEHOLDER && kind < TAGS)
    buffer_append_text(copy, buffer_text(text));
  else if (kind < MAIL)
    append_copies(copy, buffer_text(text));
}

/* ---- in a text ---- */

/* Return whether copying treats the character as part of the word beside it (translate/copied.h).
 */
static bool is_glued(int codepoint) {
  return codepoint > ' ' && codepoint < 0x7F;
}

/* Return whether the word stands alone: beside space, other text or a final mark. */
static bool stands_alone(struct text text, struct text word) {
  size_t at = (size_t)(word.bytes - text.bytes) + word.length;
  if (word.bytes > text.bytes && is_glued((unsigned char)word.bytes[-1])) return false;
  if (at < text.length && is_one_of(".,!?", (unsigned char)text.bytes[at])) at++;
  return at == text.length || !is_glued((unsigned char)text.bytes[at]);
}

/* The words that both sides of a pair may share. */
enum shared_kind {
  SHARED_DIGITS, /* a run of digits */
  SHARED_NAMES,
  SHARED_NUMBERS /* 365, 3,500, 12.5, 14:30, $20, 50% */
};

static bool is_digit_at(struct text text, size_t at) {
  return at < text.length && text.bytes[at] >= '0' && text.bytes[at] <= '9';
}

/* Return the next number at or after *at with its signs, and advance *at to its end. Return an
 * empty text if there is none. */
static struct text next_number(struct text text, size_t *at) {
  struct text number = next_word(text, at, true);
  if (number.length == 0) return number;
  while (is_digit_at(text, *at + 1) && is_one_of(".,:", (unsigned char)text.bytes[*at])) {
    ++*at;
    (void)next_word(text, at, true);
  }
  if (number.bytes > text.bytes && number.bytes[-1] == '$') number.bytes--;
  if (*at < text.length && text.bytes[*at] == '%') ++*at;
  number.length = (size_t)(text.bytes + *at - number.bytes);
  return number;
}

static struct text next_shared(struct text text, size_t *at, enum shared_kind kind) {
  return kind == SHARED_NUMBERS ? next_number(text, at)
                                : next_word(text, at, kind == SHARED_DIGITS);
}

/* Return whether the text contains the word, and only where it stands alone. */
static bool can_be_replaced(struct text text, struct text word, enum shared_kind kind) {
  bool found = false;
  for (size_t at = 0; at < text.length;) {
    const struct text one = next_shared(text, &at, kind);
    if (!text_equal(one, word)) continue;
    if (!stands_alone(text, one)) return false;
    found = true;
  }
  return found;
}

/* Return whether the word can be copied. "1" cannot be copied, because it determines the
 * grammatical number of the noun. */
static bool is_of_kind(struct text word, enum shared_kind kind) {
  switch (kind) {
  case SHARED_DIGITS:
    return word.length > 0 && !text_equal(word, text_of("1"));
  case SHARED_NUMBERS:
    return word.length >= 2;
  default:
    return word.length >= 3 && word.bytes[0] >= 'A' && word.bytes[0] <= 'Z';
  }
}

static void replace_word(struct buffer *text, struct text word, struct text by,
                         enum shared_kind kind, struct buffer *scratch) {
  const struct text all = buffer_text(text);
  size_t done = 0;
  buffer_clear(scratch);
  for (size_t at = 0; at < all.length;) {
    const struct text found = next_shared(all, &at, kind);
    if (!text_equal(found, word)) continue;
    const size_t start = (size_t)(found.bytes - all.bytes);
    buffer_append(scratch, all.bytes + done, start - done);
    buffer_append_text(scratch, by);
    done = at;
  }
  buffer_append(scratch, all.bytes + done, all.length - done);
  buffer_replace(text, scratch);
}

/* Return the shared word with index `wanted`, or an empty text if there is none. Set *count to the
 * number of shared words. */
static struct text shared_word(size_t *count, const struct buffer texts[2], size_t wanted,
                               enum shared_kind kind) {
  const struct text source = buffer_text(&texts[0]), target = buffer_text(&texts[1]);
  struct text found = {"", 0};
  *count = 0;
  for (size_t at = 0; at < source.length;) {
    const struct text word = next_shared(source, &at, kind);
    if (!is_of_kind(word, kind) || !can_be_replaced(source, word, kind) ||
        !can_be_replaced(target, word, kind))
      continue;
    if (*count == wanted) found = word;
    ++*count;
  }
  return found;
}

/* Replace a shared word by `by` in the source and by COPIED_WORD in the target. */
static void replace_shared(struct buffer texts[2], const struct buffer *word,
                           const struct buffer *by, enum shared_kind kind, struct buffer *scratch) {
  replace_word(&texts[ELMAN_SOURCE], buffer_text(word), buffer_text(by), kind, scratch);
  replace_word(&texts[ELMAN_TARGET], buffer_text(word), text_of(COPIED_WORD), kind, scratch);
  texts[0].failed = texts[0].failed || word->failed || by->failed;
}

bool noise_replace_shared(struct buffer texts[2], struct draws *draws, struct buffer *scratch) {
  size_t count, others;
  struct buffer word = {0}, by = {0};
  enum shared_kind kind = SHARED_DIGITS;
  (void)shared_word(&count, texts, 0, kind);
  if (count == 0) (void)shared_word(&count, texts, 0, kind = SHARED_NAMES);
  if (count == 0) return false;
  buffer_append_text(&word, shared_word(&others, texts, draw_below(draws, count), kind));
  if (kind == SHARED_DIGITS)
    append_integer(&by, draws, 1, 5);
  else
    append_capitalized(&by, draws);
  replace_shared(texts, &word, &by, kind, scratch);
  buffer_free(&word);
  buffer_free(&by);
  return true;
}

/* Append a random number of the form of `number`: replace each digit at random, but do not begin a
 * run of digits with 0. */
static void append_like(struct buffer *into, struct draws *draws, struct text number) {
  for (size_t i = 0; i < number.length; i++)
    if (!is_digit_at(number, i))
      buffer_append(into, number.bytes + i, 1);
    else
      append_from(into, draws, i > 0 && is_digit_at(number, i - 1) ? DIGITS : NONZERO);
}

bool noise_copy_numbers(struct buffer texts[2], struct draws *draws, struct buffer *scratch) {
  size_t count;
  bool found = false;
  struct buffer word = {0}, by = {0};
  while (!texts[0].failed && !texts[1].failed) {
    const struct text number = shared_word(&count, texts, 0, SHARED_NUMBERS);
    if (count == 0) break;
    buffer_clear(&word);
    buffer_clear(&by);
    buffer_append_text(&word, number);
    if (one_in(draws, 2))
      append_like(&by, draws, number);
    else
      buffer_append_text(&by, number);
    replace_shared(texts, &word, &by, SHARED_NUMBERS, scratch);
    found = true;
  }
  buffer_free(&word);
  buffer_free(&by);
  return found;
}

void noise_insert(struct buffer *text, const struct noise *noise, elman_side side, bool marked,
                  elman_token_mode mode, struct buffer *scratch) {
  const struct text all = buffer_text(text), added = buffer_text(&noise->texts[side]);
  const bool tags = noise->closing.length > 0, alone = noise->place == NOISE_ALONE;
  size_t split = all.length;
  if (noise->place == NOISE_BEFORE) split = 0;
  if (noise->place == NOISE_WITHIN && marked) split = final_marks(all).start;
  const struct text before = {all.bytes, alone ? 0 : split};
  const struct text after = {all.bytes + split, alone ? 0 : all.length - split};
  buffer_clear(scratch);
  buffer_append_text(scratch, before);
  append_space_before(scratch, added, mode);
  buffer_append_text(scratch, added);
  if (noise->place == NOISE_BEFORE && (!tags || mode == ELMAN_TOKENS_SPACE))
    append_space_before(scratch, after, mode);
  buffer_append_text(scratch, after);
  if (tags && mode == ELMAN_TOKENS_SPACE) buffer_append(scratch, " ", 1);
  buffer_append_text(scratch, buffer_text(&noise->closing));
  buffer_replace(text, scratch);
}

/* ---- vocabularies ---- */

/* Append the tokens of `text`. In mode `words`, append only tokens that are not words. In mode
 * `bpe`, append all tokens without their marks. In mode `chars`, append each token three times:
 * with its own mark, without a mark, and with the mark of a space. */
static elman_status add_tokens(struct tokens *tokens, struct encoding *encoding,
                               const struct codec *codec, const char *text, elman_token_mode mode,
                               elman_error *error) {
  elman_status status = encode_tokens(encoding, codec, text_of(text), error);
  for (size_t i = 0; status == ELMAN_OK && i < encoding->tokens.count; i++) {
    const struct text token = tokens_get(&encoding->tokens, i), surface = token_surface(token);
    int first;
    (void)character_read(&first, surface);
    if (mode == ELMAN_TOKENS_WORDS && is_word_character(first)) continue;
    if (mode != ELMAN_TOKENS_BPE) status = tokens_add(tokens, token, error);
    if (status == ELMAN_OK && mode != ELMAN_TOKENS_WORDS)
      status = tokens_add(tokens, surface, error);
    if (status == ELMAN_OK && mode == ELMAN_TOKENS_CHARS)
      status = tokens_add_marked(tokens, MARK_SPACED, surface, error);
  }
  return status;
}

elman_status noise_alphabet(struct tokens *tokens, const struct codec *codec, elman_error *error) {
  static const char alphabet[] = DIGITS SMALL_LETTERS CAPITALS "{}<>%$@#/_-.:*[]()&;";
  const elman_token_mode mode = codec->mode;
  const struct codec plain = {.mode = mode == ELMAN_TOKENS_BPE ? ELMAN_TOKENS_CHARS : mode,
                              .normalization = codec->normalization};
  struct encoding encoding = {0};
  elman_status status = ELMAN_OK;
  if (mode == ELMAN_TOKENS_SPACE) return ELMAN_OK;
  for (const char *at = alphabet; status == ELMAN_OK && *at != '\0'; at++) {
    const char alone[] = {*at, '\0'}, within[] = {'a', *at, 'a', '\0'};
    status = add_tokens(tokens, &encoding, &plain, alone, mode, error);
    if (status == ELMAN_OK) status = add_tokens(tokens, &encoding, &plain, within, mode, error);
  }
  encoding_free(&encoding);
  return status;
}
