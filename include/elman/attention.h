/* Attention weights as files. */
#ifndef ELMAN_ATTENTION_H
#define ELMAN_ATTENTION_H

#include "elman/translate.h"

ELMAN_BEGIN

/* Return the name of format `index` ("text", "json", ...) or the suffix of its files (".txt",
 * ".json", ...), from index 0; NULL after the last.
 *
 *   text            a heat map for a terminal, with a legend of its shades
 *   json            one object per line, with the keys of elman/json.h
 *   tsv             a table; an apostrophe precedes a cell that starts with = + - @ or a quotation
 *                   mark
 *   npy             float32, (T,S) or, with several heads, (heads,T,S); the arrays follow each
 *                   other
 *   svg             one picture with one heat map below the other
 *   html            one page for a browser, with a script that displays the sentences
 *   pharaoh         one line "i-j i-j ..." per sentence: links between words or tokens, from 0
 *   softalignments  input of the program SoftAlignments, in the format of Nematus
 *
 * If the attention has a sentinel, json has its weights as the array "sentinel", one number per
 * target token. text, tsv, svg and html have them as the last column, "no token". In npy and
 * softalignments the weight of the sentinel is 1 minus the sum of a row. With pharaoh, argmax and
 * intersection do not link a target word whose sentinel has more weight than every source word.
 *
 * If the source has segments, json has two more entries. "segment_ends" contains the number of
 * source tokens up to the end of each segment, and "segments" is the matrix of segment weights.
 * text, tsv, svg and html have additional columns "tokens 1-5" and so on. These numbers count
 * tokens even if the other columns are words.
 *
 * If the translation has self-attention weights, json has them as "source_self_attention" and
 * "target_self_attention". Both contain one matrix per head, with one row per query token and one
 * column per key token. The html page shows them; the other formats do not.
 *
 * A sentence without tokens has a record in every format. In softalignments each side of this
 * record is the single token ∅, because SoftAlignments divides by the number of tokens.
 *
 * If a side is shown in words, json has "source_units" or "target_units" with the value "words".
 *
 * In text and svg, U+2068 and U+2069 isolate tokens and sentences with right-to-left letters.
 *
 * In text and tsv an empty line separates translations, and the average is written after the heads.
 * Unknown source tokens are marked in text by "*" after the token, in tsv by " (unknown)", in json
 * by a flag, in svg and html by a line below the token. Every format escapes tokens so that they
 * cannot harm a terminal, a table, a page or a script. */
ELMAN_API const char *elman_format_name(size_t index);
ELMAN_API const char *elman_format_suffix(size_t index);

/* Return the format that the suffix of `path` selects (".txt" selects "text"); NULL if none
 * does. */
ELMAN_API const char *elman_format_of_path(const char *path);

/* Rules that derive word alignments from weights. The weight between two words is the sum of
 * weights over the tokens of the source word, averaged over the tokens of the target word. */
typedef enum elman_alignment_rule {
  ELMAN_ALIGNMENT_ARGMAX,    /* link each target word to the source word with its largest weight */
  ELMAN_ALIGNMENT_THRESHOLD, /* link two words if their weight reaches a threshold */
  ELMAN_ALIGNMENT_INTERSECTION /* those links of argmax whose target word also has the largest
                                  weight for the source word */
} elman_alignment_rule;

/* Return "argmax", "threshold" or "intersection"; NULL for any other value. */
ELMAN_API const char *elman_alignment_rule_name(elman_alignment_rule rule);

/* Units of alignment links, matrix rows and matrix columns: tokens or words. White space separates
 * the words in `source` and `text`. A matrix shows words as they are written. All weights,
 * including those of heads, sentinel and segments, are computed as described above. "</s>" has a
 * separate row. */
typedef enum elman_alignment_units {
  ELMAN_UNITS_AUTO, /* tokens on a side that is mostly Chinese characters, without a space between
                       two of them. Training and evaluation make this choice once for all pairs, by
                       the majority of the lines that are mostly Chinese characters. On other sides,
                       links use words; matrices use words if the tokens are subwords (token mode
                       "bpe"), and tokens if they are not */
  ELMAN_UNITS_WORDS,
  ELMAN_UNITS_TOKENS,
  ELMAN_UNITS_SUBWORDS /* tokens, for a model with subwords on a side; ELMAN_INVALID_ARGUMENT for
                          other translations */
} elman_alignment_units;

/* Return "auto", "words", "tokens" or "subwords"; NULL for any other value. */
ELMAN_API const char *elman_alignment_units_name(elman_alignment_units units);

#define ELMAN_DEFAULT_THRESHOLD 0.25 /* allows up to four source words per target word */

/* Style of the output; all zero is the default. */
typedef struct elman_text_style {
  bool color; /* text: print · ░ ▒ ▓ █ in a color that is visible on light and dark terminals */
  bool numbers; /* text: print the weights with two decimals instead of shades */
  size_t width; /* text: columns of the terminal; wider matrices continue below; 0 = unlimited */
  elman_alignment_rule alignment; /* pharaoh */
  double threshold;               /* pharaoh: minimum weight of a link for rule THRESHOLD; 0 =
                                     ELMAN_DEFAULT_THRESHOLD */
  elman_alignment_units units;
  bool numbered; /* for n-best lists. pharaoh: print "sentence - 1 ||| " before the links. text and
                    tsv: print a line "sentence.hypothesis" before each translation */
  const char *title; /* svg: text above each picture; "" for none; NULL = "1.1: sentence →
                        translation". Must stay valid until the end of the writer */
} elman_text_style;

/* Writes several translations in one format to one stream. */
typedef struct elman_attention_writer elman_attention_writer;

/* Create a writer and write the header of the format. The stream must outlive the writer, which
 * does not close it. `style` may be NULL. In this function and the following ones, a write error
 * sets the stream's error flag. */
ELMAN_CHECKED elman_status elman_attention_writer_create(elman_attention_writer **writer,
                                                         FILE *stream, const char *format,
                                                         const elman_text_style *style,
                                                         elman_error *error);

/* Position of a translation, from 1. */
typedef struct elman_attention_place {
  size_t sentence;   /* line in the input */
  size_t hypothesis; /* 1 is the best of the sentence */
  const char *model; /* name of the model if several are compared, else NULL. json writes it as
                        "model", and the html page groups by it; other formats ignore it */
} elman_attention_place;

/* Write one translation in the units of the style. Ignore the translations linked by `next`. */
ELMAN_CHECKED elman_status elman_attention_writer_add(elman_attention_writer *writer,
                                                      const elman_translation *translation,
                                                      elman_attention_place place,
                                                      elman_error *error);

/* Write a record for a sentence that has no translation because of `reason`, so that the numbering
 * of later sentences stays correct. The record is an empty translation; in npy it is an array of
 * shape (0,0). json contains the reason as "error"; svg and html show it. */
ELMAN_CHECKED elman_status elman_attention_writer_add_refused(elman_attention_writer *writer,
                                                              elman_attention_place place,
                                                              const elman_error *reason,
                                                              elman_error *error);

/* Write the end of the format; nothing can be added afterwards. */
ELMAN_CHECKED elman_status elman_attention_writer_finish(elman_attention_writer *writer,
                                                         elman_error *error);
ELMAN_API void elman_attention_writer_free(elman_attention_writer *writer);

/* Write one translation as a complete file in the format named `format`. The caller owns
 * `stream`. */
ELMAN_CHECKED elman_status elman_attention_write(FILE *stream, const elman_translation *translation,
                                                 const char *format, const elman_text_style *style,
                                                 elman_error *error);

/* Write a translation to the file at `path` in the format named `format`, as elman_attention_write
 * does. The file is replaced atomically, as by elman_model_save. */
ELMAN_CHECKED elman_status elman_attention_save(const char *path,
                                                const elman_translation *translation,
                                                const char *format, const elman_text_style *style,
                                                elman_error *error);

ELMAN_END

#endif
