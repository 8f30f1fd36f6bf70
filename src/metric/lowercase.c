#include "metric/lowercase.h"

#include "vocab/characters.h"

enum { CAPITAL_SIGMA = 0x3A3, SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2, CAPITAL_I_WITH_DOT = 0x130 };

/* Unicode's Case_Ignorable: the word-internal marks by category, and the word-internal punctuation
 * (Word_Break = MidLetter, MidNumLet, Single_Quote). */
static bool is_case_ignorable(int codepoint) {
  static const char punctuation[] = "'.:\u00B7\u0387\u055F\u05F4\u2018\u2019\u2024\u2027"
                                    "\uFE13\uFE52\uFE55\uFF07\uFF0E\uFF1A";
  if (is_one_of(punctuation, codepoint)) return true;
  const utf8proc_category_t category = utf8proc_category(codepoint);
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_ME ||
         category == UTF8PROC_CATEGORY_CF || category == UTF8PROC_CATEGORY_LM ||
         category == UTF8PROC_CATEGORY_SK;
}

/* Unicode's Cased, for characters that are not case-ignorable: letters with case, and what
 * Other_Lowercase and Other_Uppercase add (ordinals, Roman numerals, enclosed letters). */
static bool is_cased(int codepoint) {
  static const struct codepoint_range others[] = {{0xAA, 0xAA},      {0xBA, 0xBA},       {0x2160, 0x217F},
                                        {0x24B6, 0x24E9},  {0x1F130, 0x1F149}, {0x1F150, 0x1F169},
                                        {0x1F170, 0x1F189}};
  const utf8proc_category_t category = utf8proc_category(codepoint);
  return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL ||
         category == UTF8PROC_CATEGORY_LT || IN_RANGES(others, codepoint);
}

/* Stops at the next sigma at the latest: a line of sigmas takes linear time. */
static bool cased_follows(struct text text, size_t at) {
  while (at < text.length) {
    const int codepoint = character_at(text, &at);
    if (!is_case_ignorable(codepoint)) return is_cased(codepoint);
  }
  return false;
}

void lowercase(struct buffer *into, struct text text) {
  bool after_cased = false; /* of the last character that is not case-ignorable */
  buffer_clear(into);
  buffer_append(into, "", 0);
  for (size_t at = 0; at < text.length;) {
    const int codepoint = character_at(text, &at);
    if (codepoint == CAPITAL_SIGMA) {
      buffer_append_character(into, after_cased && !cased_follows(text, at) ? FINAL_SIGMA : SIGMA);
    } else if (codepoint == CAPITAL_I_WITH_DOT) {
      buffer_append(into, "i\u0307", 3); /* the only character that becomes two */
    } else {
      buffer_append_character(into, utf8proc_tolower(codepoint));
    }
    if (!is_case_ignorable(codepoint)) after_cased = is_cased(codepoint);
  }
}
