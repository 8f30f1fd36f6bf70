/* BLEU, chrF and TER: scores of text against references, without a model. */
#ifndef ELMAN_METRIC_H
#define ELMAN_METRIC_H

#include "elman/status.h"

ELMAN_BEGIN

/* The lines of a file, without line ends. */
typedef struct elman_lines elman_lines;

/* Read the file at `path`, UTF-8 text with one sentence per line; "-" is standard input. Empty
 * lines count. Lines end with LF or CRLF; byte order marks at the start of lines are removed.
 * Return ELMAN_BAD_DATA for a line that is not valid UTF-8 or contains a CR, for a file that is not
 * text, and for an empty file. */
ELMAN_CHECKED elman_status elman_lines_read(elman_lines **lines, const char *path,
                                            elman_error *error);
ELMAN_API void elman_lines_free(elman_lines *lines);
ELMAN_API size_t elman_lines_count(const elman_lines *lines);
/* Return all lines; they are valid as long as the object. */
ELMAN_API const char *const *elman_lines_get(const elman_lines *lines);

/* Return the name of a tokenizer of BLEU ("auto", "13a", "intl", "zh", "char", "none"), from index
 * 0; NULL after the last. "auto" stands for the tokenizer that suits the script of the first
 * references: "zh" for mostly Chinese characters, "char" for other scripts without spaces, such as
 * Japanese and Thai, and "13a" for all others. */
ELMAN_API const char *elman_bleu_tokens_name(size_t index);

typedef struct elman_metric_options {
  const char *bleu_tokens; /* a name from elman_bleu_tokens_name; NULL (default) = "auto" */
  bool lowercase;          /* compare in lower case, for BLEU */
  bool chrf_lowercase;     /* compare in lower case, for chrF */
  bool ter;         /* also compute TER, whose search for shifts takes longer; default false */
  size_t resamples; /* resamples for elman_metrics_compare; default 1000 */
  uint64_t seed;    /* seed of the resampling; default 1 */
  uint64_t reserved[8];
} elman_metric_options;

ELMAN_API elman_metric_options elman_metric_options_default(void);

/* Scores as sacreBLEU 2 computes them: BLEU with n-grams of 1 to 4 words and exponential smoothing;
 * chrF2 with n-grams of 1 to 6 characters; TER, the number of edits per word of the reference, in
 * lower case; spaces separate words. The signature states all settings of a score, as in
 * "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:elman-0.1.0". */
typedef struct elman_metric_scores {
  double bleu;                                /* 0 to 100 */
  double precisions[4];                       /* n-gram precisions for 1 to 4 words; 0 to 100 */
  double brevity_penalty;                     /* 0 to 1 */
  size_t hypothesis_length, reference_length; /* words, as the tokenizer counts them */
  size_t short_references; /* sentences whose first reference has fewer than 4 words. If these are
                              the majority, compare by chrF2, because BLEU says little */
  double chrf;             /* 0 to 100 */
  double ter;              /* percent, may exceed 100; smaller is better; 0 without options->ter */
  char bleu_signature[160], chrf_signature[160];
  char ter_signature[160]; /* empty without options->ter */
  uint64_t reserved[8];
} elman_metric_scores;

/* Score hypotheses[i] against sentence i of each of the `sets` references. All arrays have `count`
 * strings; `sets` and `count` are at least 1. Return ELMAN_BAD_DATA for a sentence that is not
 * valid UTF-8 or has more than 16 MiB. `options` may be NULL for the defaults, here and in the
 * functions below. */
ELMAN_CHECKED elman_status elman_metrics(elman_metric_scores *scores, const char *const *hypotheses,
                                         const char *const *const *references, size_t sets,
                                         size_t count, const elman_metric_options *options,
                                         elman_error *error);

/* Scores of one sentence, as sacreBLEU's sentence_score computes them: BLEU leaves out the orders
 * of n-grams for which the sentence is too short. */
typedef struct elman_sentence_metrics {
  double bleu, chrf; /* 0 to 100 */
  double ter;        /* 0 without options->ter */
} elman_sentence_metrics;

/* Score each of the `hypotheses` against its references in `sets` arrays, as elman_metrics does;
 * `sentences` receives `count` results. After an error, some results are set. */
ELMAN_CHECKED elman_status elman_metrics_sentences(elman_sentence_metrics *sentences,
                                                   const char *const *hypotheses,
                                                   const char *const *const *references,
                                                   size_t sets, size_t count,
                                                   const elman_metric_options *options,
                                                   elman_error *error);

/* Mean of a score over the resamples, and half the width of its 95 % confidence interval. */
typedef struct elman_estimate {
  double mean, interval;
} elman_estimate;

/* The largest number of outputs that are compared. */
#define ELMAN_MAX_SYSTEMS 64

/* An output of a comparison. */
typedef struct elman_compared {
  elman_metric_scores scores;
  elman_estimate bleu, chrf, ter;
} elman_compared;

/* Probabilities, under the null hypothesis, of a difference between two outputs at least as large
 * as the measured one. For two equal outputs the probability is 1; in sacreBLEU it is the smallest
 * possible value, 1 / (resamples + 1). */
typedef struct elman_p_values {
  double bleu, chrf;
  double ter; /* meaningless without options->ter */
} elman_p_values;

/* Compare 2 to ELMAN_MAX_SYSTEMS outputs for the same references by paired bootstrap resampling,
 * with the statistics of sacreBLEU's --paired-bs. Each output is an array of `count` strings; the
 * references are `sets` such arrays. `compared` receives a result for each of the `systems`
 * outputs. `p_values` receives a symmetric matrix of (systems, systems), whose first row compares
 * the first output with each output; the entry of an output with itself is 1. Equal seeds give
 * equal results. */
ELMAN_CHECKED elman_status elman_metrics_compare(elman_compared *compared, elman_p_values *p_values,
                                                 const char *const *const *outputs, size_t systems,
                                                 const char *const *const *references, size_t sets,
                                                 size_t count, const elman_metric_options *options,
                                                 elman_error *error);

ELMAN_END

#endif
