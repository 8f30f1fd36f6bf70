/* Scripts: the script of a character, and the letters of a text by script. The table in scripts.c
 * is the only list of these ranges. */
#ifndef ELMAN_VOCAB_SCRIPTS_H
#define ELMAN_VOCAB_SCRIPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* A row per script: ROW(constant, name). Japanese stands for kana, and in a text with kana also for
 * Han. Scripts that are not listed count as SCRIPT_NONE. */
#define SCRIPT_ROWS(ROW)                                                                           \
  ROW(LATIN, "Latin")                                                                              \
  ROW(GREEK, "Greek")                                                                              \
  ROW(CYRILLIC, "Cyrillic")                                                                        \
  ROW(ARMENIAN, "Armenian")                                                                        \
  ROW(GEORGIAN, "Georgian")                                                                        \
  ROW(HEBREW, "Hebrew")                                                                            \
  ROW(ARABIC, "Arabic")                                                                            \
  ROW(SYRIAC, "Syriac")                                                                            \
  ROW(THAANA, "Thaana")                                                                            \
  ROW(NKO, "N'Ko")                                                                                 \
  ROW(ETHIOPIC, "Ethiopic")                                                                        \
  ROW(TIFINAGH, "Tifinagh")                                                                        \
  ROW(CHEROKEE, "Cherokee")                                                                        \
  ROW(CANADIAN, "Canadian syllabics")                                                              \
  ROW(MONGOLIAN, "Mongolian")                                                                      \
  ROW(DEVANAGARI, "Devanagari")                                                                    \
  ROW(BENGALI, "Bengali")                                                                          \
  ROW(GURMUKHI, "Gurmukhi")                                                                        \
  ROW(GUJARATI, "Gujarati")                                                                        \
  ROW(ODIA, "Odia")                                                                                \
  ROW(TAMIL, "Tamil")                                                                              \
  ROW(TELUGU, "Telugu")                                                                            \
  ROW(KANNADA, "Kannada")                                                                          \
  ROW(MALAYALAM, "Malayalam")                                                                      \
  ROW(SINHALA, "Sinhala")                                                                          \
  ROW(TIBETAN, "Tibetan")                                                                          \
  ROW(THAI, "Thai")                                                                                \
  ROW(LAO, "Lao")                                                                                  \
  ROW(KHMER, "Khmer")                                                                              \
  ROW(MYANMAR, "Myanmar")                                                                          \
  ROW(JAVANESE, "Javanese")                                                                        \
  ROW(HANGUL, "Hangul")                                                                            \
  ROW(BOPOMOFO, "Bopomofo")                                                                        \
  ROW(YI, "Yi")                                                                                    \
  ROW(HAN, "Han")                                                                                  \
  ROW(JAPANESE, "Japanese")

#define SCRIPT_CONSTANT(constant, name) SCRIPT_##constant,

enum script { SCRIPT_NONE, SCRIPT_ROWS(SCRIPT_CONSTANT) SCRIPTS };

/* Return "Latin", "Han", ...; NULL for SCRIPT_NONE. */
const char *script_name(enum script script);

/* Return the script of a character; kana are SCRIPT_JAPANESE. Punctuation, digits and signs within
 * the block of a script also have that script. */
enum script script_of(int codepoint);

/* Return whether the script is written without spaces between words. */
bool script_is_unspaced(enum script script);

/* Numbers of letters by script, without digits, punctuation and combining marks. The caller
 * initializes the struct to zero. */
struct letter_counts {
  uint32_t of[SCRIPTS];
};

void letters_count(struct letter_counts *counts, struct text text);

/* Return whether the text has any letters, also of unlisted scripts. */
bool letters_found(const struct letter_counts *counts);

/* Return the script that most of the text is written in; SCRIPT_NONE without letters. Count a Han
 * character as three letters and a Hangul syllable as two, because each stands for as much text as
 * that many letters. A text is Japanese if at least a fifth of its kana and Han are kana. */
enum script letters_script(const struct letter_counts *counts);

/* Return whether the letters do not suit a side in this script. A side may contain letters that
 * other languages borrow: Latin, Greek and, in Korean, Han. But it must not consist of only, or
 * nearly only, these letters. */
bool letters_are_foreign(const struct letter_counts *counts, enum script side);

/* Votes of texts for the script of their corpus. The caller initializes the struct to zero. */
struct script_votes {
  uint32_t of[SCRIPTS];
};

void script_vote(struct script_votes *votes, const struct letter_counts *text);

/* Return the script of more than half of the texts with letters; SCRIPT_NONE if there is none. A
 * corpus is Japanese if at least a fifth of its Japanese and Han texts have kana. */
enum script script_elected(const struct script_votes *votes);

#endif
