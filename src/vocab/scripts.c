#include "vocab/scripts.h"

#include <stddef.h>
#include <utf8proc.h>

static const char *const names[SCRIPTS] = {
#define SCRIPT_NAME(constant, name) [SCRIPT_##constant] = (name),
    SCRIPT_ROWS(SCRIPT_NAME)};

const char *script_name(enum script script) {
  return (unsigned)script < SCRIPTS ? names[script] : NULL;
}

/* ---- characters ---- */

struct script_range {
  int first, last;
  enum script script;
};

/* The blocks of Unicode 15 that have letters of the scripts in SCRIPT_ROWS, in ascending order. */
static const struct script_range ranges[] = {
    {0x41, 0x5A, SCRIPT_LATIN},          {0x61, 0x7A, SCRIPT_LATIN},
    {0xAA, 0xAA, SCRIPT_LATIN},          {0xBA, 0xBA, SCRIPT_LATIN},
    {0xC0, 0x2B8, SCRIPT_LATIN},         {0x2E0, 0x2E4, SCRIPT_LATIN},
    {0x370, 0x3FF, SCRIPT_GREEK},        {0x400, 0x52F, SCRIPT_CYRILLIC},
    {0x531, 0x58F, SCRIPT_ARMENIAN},     {0x591, 0x5F4, SCRIPT_HEBREW},
    {0x600, 0x6FF, SCRIPT_ARABIC},       {0x700, 0x74F, SCRIPT_SYRIAC},
    {0x750, 0x77F, SCRIPT_ARABIC},       {0x780, 0x7BF, SCRIPT_THAANA},
    {0x7C0, 0x7FF, SCRIPT_NKO},          {0x860, 0x86F, SCRIPT_SYRIAC},
    {0x870, 0x8FF, SCRIPT_ARABIC},       {0x900, 0x97F, SCRIPT_DEVANAGARI},
    {0x980, 0x9FF, SCRIPT_BENGALI},      {0xA00, 0xA7F, SCRIPT_GURMUKHI},
    {0xA80, 0xAFF, SCRIPT_GUJARATI},     {0xB00, 0xB7F, SCRIPT_ODIA},
    {0xB80, 0xBFF, SCRIPT_TAMIL},        {0xC00, 0xC7F, SCRIPT_TELUGU},
    {0xC80, 0xCFF, SCRIPT_KANNADA},      {0xD00, 0xD7F, SCRIPT_MALAYALAM},
    {0xD80, 0xDFF, SCRIPT_SINHALA},      {0xE00, 0xE7F, SCRIPT_THAI},
    {0xE80, 0xEFF, SCRIPT_LAO},          {0xF00, 0xFFF, SCRIPT_TIBETAN},
    {0x1000, 0x109F, SCRIPT_MYANMAR},    {0x10A0, 0x10FF, SCRIPT_GEORGIAN},
    {0x1100, 0x11FF, SCRIPT_HANGUL},     {0x1200, 0x139F, SCRIPT_ETHIOPIC},
    {0x13A0, 0x13FF, SCRIPT_CHEROKEE},   {0x1400, 0x167F, SCRIPT_CANADIAN},
    {0x1780, 0x17FF, SCRIPT_KHMER},      {0x1800, 0x18AF, SCRIPT_MONGOLIAN},
    {0x18B0, 0x18FF, SCRIPT_CANADIAN},   {0x19E0, 0x19FF, SCRIPT_KHMER},
    {0x1C80, 0x1C8F, SCRIPT_CYRILLIC},   {0x1C90, 0x1CBF, SCRIPT_GEORGIAN},
    {0x1D00, 0x1D25, SCRIPT_LATIN},      {0x1D2C, 0x1D5C, SCRIPT_LATIN},
    {0x1D62, 0x1D65, SCRIPT_LATIN},      {0x1D6B, 0x1DBE, SCRIPT_LATIN},
    {0x1E00, 0x1EFF, SCRIPT_LATIN},      {0x1F00, 0x1FFF, SCRIPT_GREEK},
    {0x2071, 0x2071, SCRIPT_LATIN},      {0x207F, 0x207F, SCRIPT_LATIN},
    {0x2090, 0x209C, SCRIPT_LATIN},      {0x212A, 0x212B, SCRIPT_LATIN},
    {0x2160, 0x2188, SCRIPT_LATIN},      {0x2C60, 0x2C7F, SCRIPT_LATIN},
    {0x2D00, 0x2D2F, SCRIPT_GEORGIAN},   {0x2D30, 0x2D7F, SCRIPT_TIFINAGH},
    {0x2D80, 0x2DDF, SCRIPT_ETHIOPIC},   {0x2DE0, 0x2DFF, SCRIPT_CYRILLIC},
    {0x2E80, 0x2FDF, SCRIPT_HAN}, /* radicals */
    {0x3005, 0x3005, SCRIPT_HAN}, /* 々 */
    {0x3007, 0x3007, SCRIPT_HAN}, /* 〇 */
    {0x3021, 0x3029, SCRIPT_HAN},        {0x3038, 0x303B, SCRIPT_HAN},
    {0x3041, 0x30FF, SCRIPT_JAPANESE},   {0x3105, 0x312F, SCRIPT_BOPOMOFO},
    {0x3131, 0x318E, SCRIPT_HANGUL},     {0x31A0, 0x31BF, SCRIPT_BOPOMOFO},
    {0x31F0, 0x31FF, SCRIPT_JAPANESE},   {0x3400, 0x4DBF, SCRIPT_HAN},
    {0x4E00, 0x9FFF, SCRIPT_HAN},        {0xA000, 0xA4CF, SCRIPT_YI},
    {0xA640, 0xA69F, SCRIPT_CYRILLIC},   {0xA720, 0xA7FF, SCRIPT_LATIN},
    {0xA8E0, 0xA8FF, SCRIPT_DEVANAGARI}, {0xA960, 0xA97F, SCRIPT_HANGUL},
    {0xA980, 0xA9DF, SCRIPT_JAVANESE},   {0xA9E0, 0xA9FF, SCRIPT_MYANMAR},
    {0xAA60, 0xAA7F, SCRIPT_MYANMAR},    {0xAB01, 0xAB2F, SCRIPT_ETHIOPIC},
    {0xAB30, 0xAB64, SCRIPT_LATIN},      {0xAB70, 0xABBF, SCRIPT_CHEROKEE},
    {0xAC00, 0xD7FF, SCRIPT_HANGUL},     {0xF900, 0xFAFF, SCRIPT_HAN},
    {0xFB00, 0xFB06, SCRIPT_LATIN},      {0xFB13, 0xFB17, SCRIPT_ARMENIAN},
    {0xFB1D, 0xFB4F, SCRIPT_HEBREW},     {0xFB50, 0xFDFF, SCRIPT_ARABIC},
    {0xFE70, 0xFEFC, SCRIPT_ARABIC},     {0xFF21, 0xFF3A, SCRIPT_LATIN},
    {0xFF41, 0xFF5A, SCRIPT_LATIN},      {0xFF66, 0xFF9F, SCRIPT_JAPANESE},
    {0xFFA0, 0xFFDC, SCRIPT_HANGUL},     {0x1B000, 0x1B16F, SCRIPT_JAPANESE},
    {0x20000, 0x323AF, SCRIPT_HAN},
};

enum script script_of(int codepoint) {
  if (codepoint >= 0x4E00 && codepoint <= 0x9FFF) return SCRIPT_HAN;
  size_t first = 0, end = sizeof ranges / sizeof *ranges;
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    if (codepoint > ranges[middle].last)
      first = middle + 1;
    else if (codepoint < ranges[middle].first)
      end = middle;
    else
      return ranges[middle].script;
  }
  return SCRIPT_NONE;
}

bool script_is_unspaced(enum script script) {
  return script == SCRIPT_HAN || script == SCRIPT_JAPANESE || script == SCRIPT_THAI ||
         script == SCRIPT_LAO || script == SCRIPT_KHMER || script == SCRIPT_MYANMAR ||
         script == SCRIPT_JAVANESE || script == SCRIPT_YI || script == SCRIPT_TIBETAN;
}

/* ---- texts ---- */

/* Return whether the character, which is not ASCII, is a letter. Han includes numerals such as 〇,
 * which have another category. */
static bool is_letter(int codepoint, enum script script) {
  if (script == SCRIPT_HAN) return true;
  const utf8proc_category_t category = utf8proc_category(codepoint);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

static bool is_ascii_letter(unsigned char byte) {
  return (unsigned char)((byte | 0x20) - 'a') <= 'z' - 'a';
}

void letters_count(struct letter_counts *counts, struct text text) {
  for (size_t left = text.length; left > 0;) {
    const char *at = text.bytes + (text.length - left);
    if ((unsigned char)*at < 0x80) {
      counts->of[SCRIPT_LATIN] += is_ascii_letter((unsigned char)*at);
      left--;
      continue;
    }
    int codepoint;
    const size_t size = character_read(&codepoint, (struct text){at, left});
    left -= size > 0 ? size : 1; /* callers pass valid text */
    const enum script script = script_of(codepoint);
    counts->of[script] += is_letter(codepoint, script);
  }
}

bool letters_found(const struct letter_counts *counts) {
  for (int script = 0; script < SCRIPTS; script++)
    if (counts->of[script] > 0) return true;
  return false;
}

static uint32_t weight(enum script script) {
  return script == SCRIPT_HAN ? 3 : script == SCRIPT_HANGUL ? 2 : 1;
}

static bool is_japanese(const uint32_t of[SCRIPTS]) {
  return of[SCRIPT_JAPANESE] > 0 && of[SCRIPT_JAPANESE] >= (of[SCRIPT_HAN] + 3) / 4;
}

enum script letters_script(const struct letter_counts *counts) {
  const uint32_t *of = counts->of;
  const bool japanese = is_japanese(of);
  enum script most = SCRIPT_NONE;
  uint32_t letters = 0;
  for (enum script script = SCRIPT_NONE; script < SCRIPTS; script++) {
    uint32_t found = weight(script) * of[script];
    if (script == SCRIPT_JAPANESE && japanese) found += weight(SCRIPT_HAN) * of[SCRIPT_HAN];
    if (found == 0 || found < letters) continue;
    letters = found;
    most = script;
  }
  return most;
}

static bool is_borrowed(enum script script, enum script side) {
  return script == SCRIPT_LATIN || script == SCRIPT_GREEK ||
         (script == SCRIPT_HAN && side == SCRIPT_HANGUL);
}

bool letters_are_foreign(const struct letter_counts *counts, enum script side) {
  enum { SMALL_PART = 8 }; /* an eighth of the letters */
  if (side == SCRIPT_NONE) return false;
  uint32_t own = 0, borrowed = 0;
  for (enum script script = SCRIPT_NONE; script < SCRIPTS; script++) {
    const uint32_t letters = weight(script) * counts->of[script];
    if (script == side || (script == SCRIPT_HAN && side == SCRIPT_JAPANESE))
      own += letters;
    else if (letters > 0 && script != SCRIPT_NONE && !is_borrowed(script, side))
      return true;
    else
      borrowed += letters;
  }
  return borrowed > 0 && own < (own + borrowed) / SMALL_PART + (own == 0);
}

void script_vote(struct script_votes *votes, const struct letter_counts *text) {
  if (letters_found(text)) votes->of[letters_script(text)]++;
}

enum script script_elected(const struct script_votes *votes) {
  uint32_t all = 0, of[SCRIPTS];
  for (int script = 0; script < SCRIPTS; script++) all += of[script] = votes->of[script];
  if (is_japanese(of)) {
    of[SCRIPT_JAPANESE] += of[SCRIPT_HAN];
    of[SCRIPT_HAN] = 0;
  }
  for (enum script script = SCRIPT_NONE + 1; script < SCRIPTS; script++)
    if (of[script] > all / 2) return script;
  return SCRIPT_NONE;
}
