/* Attention matrices as files. */
#ifndef ELMAN_ATTENTION_H
#define ELMAN_ATTENTION_H

#include "elman/translate.h"

ELMAN_BEGIN

/* The names of the formats, from index 0 up ("text", "json", ...), and the suffixes of their files
 * (".txt", ".json", ...); NULL past the last.
 *
 *   text            a heat map for a terminal, and what its shades mean
 *   json            an object a line: tokens, places, probability, weights, entropy of each target
 *                   token's weights (in nats) and coverage, the sum of each source token's weights
 *   tsv             a table; a cell that begins with = + - @ or a quotation mark gets an apostrophe
 *                   in front
 *   npy             float32, (T,S) or, with several heads, (heads,T,S); one array after the other
 *   svg             one picture, a heat map below the other
 *   html            one page for a browser, with a script that shows the sentences
 *   pharaoh         a line "i-j i-j ..." of links between words or tokens, from 0
 *   softalignments  what the program SoftAlignments reads as the output of Nematus
 *
 * What a sentinel got is in json the array "sentinel", a number for each target token, which json
 * has only then; in text, tsv, svg and html a last column "no token"; in npy and softalignments
 * what a row of weights lacks to 1; and pharaoh links no source word by argmax or intersection to a
 * target word whose sentinel has more than any of them.
 *
 * Weights of segments of the source are in json "segment_ends", the number of source tokens up to
 * the end of each, and the matrix "segments", which json has only then; in text, tsv, svg and html
 * further columns "tokens 1-5" and so on. They count tokens, also where the other columns are
 * words.
 *
 * Self-attention is in json "source_self_attention" and "target_self_attention", which json has
 * only then: a matrix for each head, a row for each token that looked, a column for each that it
 * looked at. The page of html shows it, too; the other formats do not.
 *
 * A sentence without tokens has a record in every format. In softalignments one token ∅ stands on
 * each side of it, because SoftAlignments divides by their number.
 *
 * Where a side is shown in words json has "source_units" or "target_units", which is "words".
 *
 * text and tsv have an empty line between translations, and show each head and then the average. A
 * source token that the vocabulary lacks is marked: in text by "*" behind it, in tsv by "
 * (unknown)", in json by a flag, in svg and html by a line below it. In none can a token do harm to
 * a terminal, a table, a page or a script. */
ELMAN_API const char *elman_format_name(size_t index);
ELMAN_API const char *elman_format_suffix(size_t index);

/* The format that the name of a file at `path` asks for by its suffix (".txt" is "text"); NULL if
 * none does. */
ELMAN_API const char *elman_format_of_path(const char *path);

/* Which words belong together. The weight between two words is the sum over the source word's
 * tokens, and the mean over the target word's. */
typedef enum elman_alignment_rule {
  ELMAN_ALIGNMENT_ARGMAX,      /* a target word and the source word of its largest weight */
  ELMAN_ALIGNMENT_THRESHOLD,   /* two words with at least a certain weight */
  ELMAN_ALIGNMENT_INTERSECTION /* argmax, where it is also the source word's largest weight */
} elman_alignment_rule;

/* "argmax", "threshold", "intersection"; NULL for any other value. */
ELMAN_API const char *elman_alignment_rule_name(elman_alignment_rule rule);

/* What is linked, and what a matrix has across and down: words, which white space separates in
 * `source` and `text`, or tokens. A word in a matrix is written as it stands there; its weights are
 * as above, those of each head, of a sentinel and of segments too; "</s>" has a row of its own. */
typedef enum elman_alignment_units {
  ELMAN_UNITS_AUTO, /* tokens on a side that is mostly Han without spaces. Elsewhere links are
                       between words, and matrices have words where tokens are parts of them
                       (token mode "bpe"), and else tokens */
  ELMAN_UNITS_WORDS,
  ELMAN_UNITS_TOKENS,
  ELMAN_UNITS_SUBWORDS /* tokens, of a model that has subwords on a side; with any other
                          translation they are ELMAN_INVALID_ARGUMENT */
} elman_alignment_units;

/* "auto", "words", "tokens", "subwords"; NULL for any other value. */
ELMAN_API const char *elman_alignment_units_name(elman_alignment_units units);

#define ELMAN_DEFAULT_THRESHOLD 0.25 /* at most four source words for a target word */

/* All zero is the default. */
typedef struct elman_text_style {
  bool color;   /* text: · ░ ▒ ▓ █ in a colour that light and dark terminals show */
  bool numbers; /* text: the weights with two decimals in place of these shades */
  size_t width; /* text: columns of the terminal; what is wider goes on below. 0 = any number */
  elman_alignment_rule alignment; /* pharaoh */
  double threshold;               /* pharaoh: of that rule; 0 stands for ELMAN_DEFAULT_THRESHOLD */
  elman_alignment_units units;
  bool numbered; /* pharaoh: "sentence - 1 ||| " in front of the links; text and tsv: a line
                    "sentence.hypothesis" before each translation. For n-best lists */
} elman_text_style;

/* Several translations in one format and one stream. */
typedef struct elman_attention_writer elman_attention_writer;

/* Writes the format's head. The stream must outlive the writer, which does not close it. `style`
 * may be NULL. Here and below write errors stay in the stream's error flag. */
ELMAN_CHECKED elman_status elman_attention_writer_create(elman_attention_writer **writer,
                                                         FILE *stream, const char *format,
                                                         const elman_text_style *style,
                                                         elman_error *error);

/* Which translation it is, from 1. */
typedef struct elman_attention_place {
  size_t sentence;   /* its line in the input */
  size_t hypothesis; /* 1 is the best of the sentence */
  const char *model; /* whose it is, where several are compared; NULL = of the only one. json has it
                        as "model", and the page goes through the models; the others do not */
} elman_attention_place;

/* Writes one translation (not those behind it in `next`), in the units of the style. */
ELMAN_CHECKED elman_status elman_attention_writer_add(elman_attention_writer *writer,
                                                      const elman_translation *translation,
                                                      elman_attention_place place,
                                                      elman_error *error);

/* Keeps the place of a sentence that has no translation because of `reason`, so that no later one
 * takes it: an empty translation, as a sentence without words has, and an array (0,0) in npy. json
 * has the reason as "error", and svg and the page show it. */
ELMAN_CHECKED elman_status elman_attention_writer_add_refused(elman_attention_writer *writer,
                                                              elman_attention_place place,
                                                              const elman_error *reason,
                                                              elman_error *error);

/* Writes the format's tail; nothing can be added after it. */
ELMAN_CHECKED elman_status elman_attention_writer_finish(elman_attention_writer *writer,
                                                         elman_error *error);
ELMAN_API void elman_attention_writer_free(elman_attention_writer *writer);

/* One translation alone, from head to tail, in a format by its name; `stream` is the caller's. */
ELMAN_CHECKED elman_status elman_attention_write(FILE *stream, const elman_translation *translation,
                                                 const char *format, const elman_text_style *style,
                                                 elman_error *error);

/* The same, `format` in the default style, into the file at `path`, which is replaced at once as by
 * elman_model_save. */
ELMAN_CHECKED elman_status elman_attention_save(const char *path,
                                                const elman_translation *translation,
                                                const char *format, elman_error *error);

ELMAN_END

#endif
