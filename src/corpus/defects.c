#include "corpus/defects.h"

#include <string.h>

#include "vocab/characters.h"
#include "vocab/scripts.h"

static bool is_ascii_letter(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

/* Return the next occurrence of `byte` at or after `at`; NULL if there is none. */
static const char *find_byte(struct text text, const char *at, char byte) {
  return memchr(at, byte, text.length - (size_t)(at - text.bytes));
}

static bool contains(struct text text, const char *wanted) {
  const size_t length = strlen(wanted);
  for (const char *at = text.bytes; (at = find_byte(text, at, wanted[0])) != NULL; at++) {
    if ((size_t)(text.bytes + text.length - at) < length) return false;
    if (memcmp(at, wanted, length) == 0) return true;
  }
  return false;
}

bool text_is_id(struct text text) {
  bool digit = false;
  for (size_t i = 0; i < text.length; i++) {
    if (text.bytes[i] <= ' ') return false; /* includes bytes from 0x80 if char is signed */
    digit = digit || is_digit(text.bytes[i]);
  }
  return digit;
}

/* ---- markup ---- */

static bool is_name_byte(char byte) {
  return is_ascii_letter(byte) || is_digit(byte) || byte == '-' || byte == '_' || byte == ':';
}

/* Return whether a tag starts at `at`, which is '<': a name, and then the end of the tag or white
 * space and an attribute with '='. */
static bool is_tag(const char *at, const char *end) {
  at++;
  if (end - at >= 3 && memcmp(at, "!--", 3) == 0) return true;
  if (at < end && *at == '/') at++;
  if (at == end || !is_ascii_letter(*at)) return false;
  while (at < end && is_name_byte(*at)) at++;
  bool attribute = false, space = false;
  for (; at < end && *at != '<'; at++) {
    if (*at == '>') return attribute || !space;
    if (*at == '=' && space) attribute = true;
    if (*at == ' ')
      space = space || (at + 1 < end && at[1] != '/' && at[1] != '>');
    else if (!space && *at != '/')
      return false;
  }
  return false;
}

static const char *skip_space(const char *at, const char *end) {
  return at < end && *at == ' ' ? at + 1 : at;
}

/* Return whether an entity starts at `at`, which is '&'. If the name is a common one, spaces may
 * separate the parts of the entity, as a tokenizer leaves them. */
static bool is_entity(const char *at, const char *end) {
  static const char *const common[] = {"amp", "apos", "quot", "lt", "gt", "nbsp", "bar", NULL};
  enum { LONGEST_NAME = 31 }; /* of the names of HTML's entities */
  const char *name = skip_space(at + 1, end), *after = name;
  if (name < end && *name == '#') after++;
  while (after < end && (is_ascii_letter(*after) || is_digit(*after))) after++;
  const char *last = skip_space(after, end);
  const size_t length = (size_t)(after - name);
  if (last == end || *last != ';' || length < 2 || length > LONGEST_NAME) return false;
  if (*name == '#') return is_digit(name[1]) || name[1] == 'x' || name[1] == 'X';
  for (size_t i = 0; common[i] != NULL; i++)
    if (length == strlen(common[i]) && memcmp(name, common[i], length) == 0) return true;
  return name == at + 1 && last == after && is_ascii_letter(*name);
}

bool text_has_markup(struct text text) {
  const char *end = text.bytes + text.length;
  for (const char *at = text.bytes; (at = find_byte(text, at, '<')) != NULL; at++)
    if (is_tag(at, end)) return true;
  for (const char *at = text.bytes; (at = find_byte(text, at, '&')) != NULL; at++)
    if (is_entity(at, end)) return true;
  return false;
}

/* ---- marks of other tools ---- */

/* Return whether a word ends in @@, or is a sign between two @, such as @-@ or @,@. */
static bool is_at_mark(struct text text, const char *at) {
  const char *end = text.bytes + text.length;
  const bool starts = at == text.bytes || at[-1] == ' ';
  if (end - at >= 2 && at[1] == '@' && !starts) return end - at == 2 || at[2] == ' ';
  return starts && end - at >= 3 && at[2] == '@' && !is_ascii_letter(at[1]) && !is_digit(at[1]) &&
         at[1] > ' ' && (end - at == 3 || at[3] == ' ');
}

bool text_has_token_marks(struct text text) {
  for (const char *at = text.bytes; (at = find_byte(text, at, '@')) != NULL; at++)
    if (is_at_mark(text, at)) return true;
  return contains(text, "\xE2\x96\x81") || contains(text, "\xEF\xBF\xAD");
}

/* ---- encodings ---- */

/* Windows-1252: the characters of bytes 0x80 to 0x9F; 0 = the control character itself. */
static const int windows_1252[32] = {0x20AC, 0,      0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                     0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0,      0x17D,  0,
                                     0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                     0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0,      0x17E,  0x178};

/* Windows-1251: the characters of bytes 0x80 to 0xBF; the bytes from 0xC0 are А to я. */
static const int windows_1251[64] = {
    0x402,  0x403,  0x201A, 0x453,  0x201E, 0x2026, 0x2020, 0x2021, 0x20AC, 0x2030, 0x409,
    0x2039, 0x40A,  0x40C,  0x40B,  0x40F,  0x452,  0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x98,   0x2122, 0x459,  0x203A, 0x45A,  0x45C,  0x45B,  0x45F,  0xA0,
    0x40E,  0x45E,  0x408,  0xA4,   0x490,  0xA6,   0xA7,   0x401,  0xA9,   0x404,  0xAB,
    0xAC,   0xAD,   0xAE,   0x407,  0xB0,   0xB1,   0x406,  0x456,  0x491,  0xB5,   0xB6,
    0xB7,   0x451,  0x2116, 0x454,  0xBB,   0x458,  0x405,  0x455,  0x457};

static int find_code(const int *table, int count, int codepoint) {
  for (int i = 0; i < count; i++)
    if (table[i] == codepoint) return 0x80 + i;
  return 0;
}

/* Return the byte that Windows-1252 reads as the character; 0 if there is no such byte, and for
 * ASCII characters. */
static int byte_in_1252(int codepoint) {
  if (codepoint >= 0x80 && codepoint <= 0xFF) return codepoint;
  return codepoint > 0xFF ? find_code(windows_1252, 32, codepoint) : 0;
}

static int byte_in_1251(int codepoint) {
  if (codepoint >= 0x410 && codepoint <= 0x44F) return codepoint - 0x410 + 0xC0;
  return codepoint >= 0x80 ? find_code(windows_1251, 64, codepoint) : 0;
}

/* Return whether the character of a continuation byte may directly follow a letter in ordinary
 * text: quotation marks, dashes, an ellipsis, a no-break space. */
static bool follows_letters(int codepoint) {
  return codepoint == 0xA0 || is_one_of("«»‘’‚“”„‹›–—•…", codepoint);
}

/* UTF-8 sequences that were read as single bytes. */
struct misread {
  size_t sequences;
  size_t odd;        /* sequences with a sign that does not follow letters in ordinary text */
  size_t characters; /* characters of these sequences */
  size_t others;     /* other characters that are not ASCII */
  bool sure;         /* a sequence is odd and frequent in Western European text */
};

static size_t sequence_length(int lead) {
  return lead >= 0xC2 && lead <= 0xDF   ? 2
         : lead >= 0xE0 && lead <= 0xEF ? 3
         : lead >= 0xF0 && lead <= 0xF4 ? 4
                                        : 0;
}

/* Return the end of the misread sequence at byte `start`, or 0. Set *odd if it has a sign that does
 * not follow letters in ordinary text. */
static size_t misread_end(bool *odd, struct text text, size_t start, int lead,
                          int (*byte_of)(int codepoint)) {
  const size_t length = sequence_length(lead);
  size_t at = start;
  *odd = false;
  (void)character_at(text, &at);
  if (length == 0) return 0;
  for (size_t i = 1; i < length; i++) {
    if (at == text.length) return 0;
    const int codepoint = character_at(text, &at), byte = byte_of(codepoint);
    if (byte < 0x80 || byte > 0xBF) return 0;
    *odd = *odd || !follows_letters(codepoint);
  }
  return at;
}

static struct misread find_misread(struct text text, int (*byte_of)(int codepoint)) {
  struct misread found = {0};
  for (size_t at = 0; at < text.length;) {
    const size_t start = at;
    const int codepoint = character_at(text, &at);
    if (codepoint < 0x80) continue;
    bool odd;
    const int lead = byte_of(codepoint);
    const size_t end = misread_end(&odd, text, start, lead, byte_of);
    if (end == 0) {
      found.others++;
      continue;
    }
    found.sequences++;
    found.odd += odd;
    found.characters += sequence_length(lead);
    found.sure =
        found.sure || (odd && (lead == 0xC2 || lead == 0xC3 || lead == 0xE2 || lead == 0xEF));
    at = end;
  }
  return found;
}

bool text_lost_letters(struct text text) {
  struct letter_counts letters = {0};
  if (!contains(text, "???") && !contains(text, "?? ")) return false;
  letters_count(&letters, text);
  return !letters_found(&letters);
}

static bool is_ascii(struct text text) {
  unsigned char all = 0;
  for (size_t i = 0; i < text.length; i++) all |= (unsigned char)text.bytes[i];
  return all < 0x80;
}

bool text_is_garbled(struct text text) {
  enum { ENOUGH = 3 };
  if (is_ascii(text)) return false;
  if (contains(text, "\xEF\xBF\xBD")) return true;
  const struct misread western = find_misread(text, byte_in_1252);
  if (western.sure || (western.sequences >= 2 && western.odd > 0)) return true;
  const struct misread cyrillic = find_misread(text, byte_in_1251);
  return cyrillic.sequences >= ENOUGH && cyrillic.odd > 0 &&
         cyrillic.characters > 2 * cyrillic.others;
}

/* ---- quotation marks ---- */

enum quoting text_quoting(struct text text) {
  if (text.length < 3 || text.bytes[0] != '"' || text.bytes[text.length - 1] != '"')
    return NOT_QUOTED;
  const struct text inner = {text.bytes + 1, text.length - 2};
  size_t doubled = 0;
  for (size_t i = 0; i < inner.length; i++) {
    if (inner.bytes[i] != '"') continue;
    if (i + 1 == inner.length || inner.bytes[i + 1] != '"') return NOT_QUOTED;
    doubled++;
    i++;
  }
  /* With an odd number, a doubled mark is the end of one quotation and the start of the next:
   * "What?""Nothing." */
  return doubled == 0 ? ENCLOSED : doubled % 2 == 0 ? DOUBLED_QUOTES : NOT_QUOTED;
}

bool text_has_quotation_marks(struct text text) {
  for (size_t at = 0; at < text.length;)
    if (is_one_of("\"'«»“”„‟‘’‚‹›「」『』〝〞〟＂", character_at(text, &at))) return true;
  return false;
}
