/* BLEU and chrF: scores of text against text, without a model. */
#ifndef ELMAN_METRIC_H
#define ELMAN_METRIC_H

#include "elman/status.h"

ELMAN_BEGIN

/* The lines of a file, without their ends. */
typedef struct elman_lines elman_lines;

/* Reads the file at `path`, UTF-8 text with a sentence a line, empty lines included; "-" is
 * standard input. LF or CRLF; a byte order mark is dropped. A line that is not UTF-8, and an empty
 * file, are ELMAN_BAD_DATA. */
ELMAN_CHECKED elman_status elman_lines_read(elman_lines **lines, const char *path,
                                            elman_error *error);
ELMAN_API void elman_lines_free(elman_lines *lines);
ELMAN_API size_t elman_lines_count(const elman_lines *lines);
/* All lines; they live as long as the handle. */
ELMAN_API const char *const *elman_lines_get(const elman_lines *lines);

/* BLEU's tokenisers, from index 0 up ("13a", "zh", "char", "none"); NULL past the last. */
ELMAN_API const char *elman_bleu_tokens_name(size_t index);

typedef struct elman_metric_options {
  const char *bleu_tokens; /* a name from elman_bleu_tokens_name; NULL (default) = "zh" when the
                              first references are mostly Han, else "13a" */
  bool lowercase;          /* for BLEU: compare in lower case */
  bool chrf_lowercase;     /* the same for chrF */
  size_t resamples;        /* of elman_metrics_compare; default 1000 */
  uint64_t seed;           /* of the resamples; default 1 */
} elman_metric_options;

ELMAN_API elman_metric_options elman_metric_options_default(void);

/* As sacreBLEU 2 gives them: BLEU with n-grams of 1 to 4 words and exponential smoothing; chrF2
 * with n-grams of 1 to 6 characters. A signature tells how to get the same score again, as in
 * "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:elman-0.1.0". */
typedef struct elman_metric_scores {
  double bleu;                                /* 0 to 100 */
  double precisions[4];                       /* of the n-grams of 1 to 4 words; 0 to 100 */
  double brevity_penalty;                     /* 0 to 1 */
  size_t hypothesis_length, reference_length; /* words, as the tokeniser counts them */
  double chrf;                                /* 0 to 100 */
  char bleu_signature[160], chrf_signature[160];
} elman_metric_scores;

/* Scores hypotheses[i] against sentence i of each of the `sets` references, all arrays of `count`
 * strings; both at least 1. A sentence that is not valid UTF-8 or has more than 16 MiB is
 * ELMAN_BAD_DATA. `options` may be NULL for the defaults, here and below. */
ELMAN_CHECKED elman_status elman_metrics(elman_metric_scores *scores, const char *const *hypotheses,
                                         const char *const *const *references, size_t sets,
                                         size_t count, const elman_metric_options *options,
                                         elman_error *error);

/* A score's mean over the resamples, and half the width of what holds 95 % of them. */
typedef struct elman_estimate {
  double mean, interval;
} elman_estimate;

/* Two outputs for the same references. */
typedef struct elman_comparison {
  elman_metric_scores scores[2]; /* of the first and the second output */
  elman_estimate bleu[2], chrf[2];
  /* How likely a difference as large as the one measured would be by chance alone. As in sacreBLEU,
   * two equal outputs have the smallest possible value, 1 / (resamples + 1). */
  double bleu_p_value, chrf_p_value;
} elman_comparison;

/* Paired bootstrap resampling of two outputs for the same references, `sets` arrays of `count`
 * strings, as are both outputs, with the statistics of sacreBLEU's --paired-bs. The same seed gives
 * the same result. */
ELMAN_CHECKED elman_status elman_metrics_compare(elman_comparison *comparison,
                                                 const char *const *const outputs[2],
                                                 const char *const *const *references, size_t sets,
                                                 size_t count, const elman_metric_options *options,
                                                 elman_error *error);

ELMAN_END

#endif
