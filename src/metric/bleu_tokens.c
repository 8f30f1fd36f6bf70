#include "metric/bleu_tokens.h"

#include <string.h>

#include "vocab/characters.h"

bool is_python_space(int codepoint) {
  return (codepoint >= 0x1C && codepoint <= 0x1F) || is_white_space(codepoint);
}

/* ---- passes: text in, text out ---- */

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

/* ASCII that is neither letter nor digit nor control character, save ' , - and . */
static bool is_symbol(char byte) {
  return (byte >= ' ' && byte <= '&') || (byte >= '(' && byte <= '+') || byte == '/' ||
         (byte >= ':' && byte <= '@') || (byte >= '[' && byte <= '`') ||
         (byte >= '{' && byte <= '~');
}

/* Passes stand for the regular expressions that define the tokeniser. They look for ASCII and copy
 * what they do not know, so bytes do as well as characters: where an expression asks for "no
 * digit", the last or first byte of a longer character answers for the whole. As with re.sub, a
 * match begins behind the end of the one before. */

static bool is_no_digit(char byte) {
  return !is_digit(byte);
}

static bool is_dash(char byte) {
  return byte == '-';
}

/* One or two bytes of some kind; a space goes in front of them or not, and after each or not. */
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

/* The next pass reads what this one wrote. */
static void swap(struct bleu_passes *passes) {
  const struct buffer swapped = passes->before;
  passes->before = passes->after;
  passes->after = swapped;
}

/* A text that lacks something since memory ran out goes through no further pass: clearing the
 * buffer that it would be written to must not make it pass for whole. */
static void run(struct bleu_passes *passes, const struct pass *pass) {
  if (passes->before.failed) return;
  buffer_clear(&passes->after);
  part(&passes->after, buffer_text(&passes->before), pass);
  swap(passes);
}

/* ---- the tokenisers ---- */

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

/* Of mteval-v13a, in this order; nothing becomes longer. */
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
  /* The spaces around are part of the definition: they part a full stop from the line's ends. None
   * of the replacements can see them. */
  buffer_append(&passes->before, " ", 1);
  buffer_append_text(&passes->before, line);
  buffer_append(&passes->before, " ", 1);
  if (passes->before.failed) return fail_no_memory(error);
  for (size_t i = 0; i < sizeof replacements / sizeof *replacements; i++)
    replace(&passes->before, replacements[i]);
  return split_passed(tokens, passes, error);
}

/* The characters that stand apart in `zh`. sacreBLEU writes its ranges U+20000 to U+2A6D6 and
 * U+2F800 to U+2FA1D with escapes of four digits, which Python reads as U+2001 to U+2A6D and U+2F81
 * to U+2FA1: dashes, quotes, arrows and mathematical signs instead of the rare ideographs. Scores
 * that agree need the same. */
static bool stands_apart(int codepoint) {
  static const struct codepoint_range apart[] = {
      {0x2001, 0x2A6D}, {0x2E80, 0x2FDF}, {0x2FF0, 0x303F}, {0x3100, 0x312F}, {0x31A0, 0x31EF},
      {0x3200, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9},
      {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF}};
  return IN_RANGES(apart, codepoint);
}

static elman_status split_zh(struct tokens *tokens, struct bleu_passes *passes, struct text line,
                             elman_error *error) {
  /* No spaces are put around the line here, so a full stop behind a last digit stays with it. */
  for (size_t at = run_end(line, 0, is_python_space, true); at < line.length;) {
    const size_t start = at;
    const bool apart = stands_apart(character_at(line, &at));
    if (apart) put(&passes->before, ' ');
    buffer_append(&passes->before, line.bytes + start, at - start);
    if (apart) put(&passes->before, ' ');
  }
  return split_passed(tokens, passes, error);
}

static const struct {
  const char *name;
  elman_status (*split)(struct tokens *tokens, struct bleu_passes *passes, struct text line,
                        elman_error *error);
} tokenizers[] = {
    [BLEU_13A] = {"13a", split_13a},
    [BLEU_ZH] = {"zh", split_zh},
    [BLEU_CHAR] = {"char", split_characters},
    [BLEU_NONE] = {"none", split_at_space},
};

const char *bleu_tokenizer_name(size_t tokenizer) {
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
