#include "metric/metric.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "elman/version.h"
#include "metric/ter.h"
#include "vocab/characters.h"
#include "vocab/scripts.h"

/* Corpus chrF2 (Popović, "chrF: character n-gram F-score for automatic MT evaluation", WMT 2015):
 * n-grams of 1 to 6 characters without white space; recall has twice the weight of precision. */

enum { CHRF_ORDERS = 6 };

/* Counts of a sentence, to be summed over a corpus: for n = 1 to 6 the n-grams of the hypothesis (0
 * if the reference has none), the n-grams of the reference, and the matches. */
enum {
  CHRF_HYPOTHESIS,
  CHRF_REFERENCE = CHRF_HYPOTHESIS + CHRF_ORDERS,
  CHRF_MATCHED = CHRF_REFERENCE + CHRF_ORDERS,
  CHRF_COUNTS = CHRF_MATCHED + CHRF_ORDERS
};

/* Line i of each set is a reference for hypothesis i. */
struct metric_references {
  const char *const *const *sets;
  size_t set_count; /* at least 1 */
  size_t count;     /* lines in each set, and hypotheses; at least 1 */
};

struct sentence_counts {
  uint32_t bleu[BLEU_COUNTS];
  uint32_t chrf[CHRF_COUNTS];
  uint32_t ter[TER_COUNTS]; /* 0 unless the options request TER */
};

/* ---- lower case ---- */

enum { CAPITAL_SIGMA = 0x3A3, SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2, CAPITAL_I_WITH_DOT = 0x130 };

/* Return whether Unicode's Case_Ignorable applies: marks by category, and word-internal punctuation
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

/* Return whether Unicode's Cased applies to a character that is not case-ignorable. These are
 * letters with case, and the additions of Other_Lowercase and Other_Uppercase (ordinals, Roman
 * numerals, enclosed letters). */
static bool is_cased(int codepoint) {
  static const struct codepoint_range others[] = {
      {0xAA, 0xAA},       {0xBA, 0xBA},       {0x2160, 0x217F},  {0x24B6, 0x24E9},
      {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}};
  const utf8proc_category_t category = utf8proc_category(codepoint);
  return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL ||
         category == UTF8PROC_CATEGORY_LT || IN_RANGES(others, codepoint);
}

/* Return whether the next character that is not case-ignorable is cased. The search stops at a
 * sigma, which is cased, so the time for a line of sigmas is linear. */
static bool cased_follows(struct text text, size_t at) {
  while (at < text.length) {
    const int codepoint = character_at(text, &at);
    if (!is_case_ignorable(codepoint)) return is_cased(codepoint);
  }
  return false;
}

void lowercase(struct buffer *into, struct text text) {
  bool after_cased = false; /* whether the last character that is not case-ignorable is cased */
  buffer_clear(into);
  buffer_append(into, "", 0);
  for (size_t at = 0; at < text.length;) {
    const int codepoint = character_at(text, &at);
    if (codepoint == CAPITAL_SIGMA) {
      buffer_append_character(into, after_cased && !cased_follows(text, at) ? FINAL_SIGMA : SIGMA);
    } else if (codepoint == CAPITAL_I_WITH_DOT) {
      buffer_append(into, "i\u0307", 3); /* the only character that maps to two */
    } else {
      buffer_append_character(into, utf8proc_tolower(codepoint));
    }
    if (!is_case_ignorable(codepoint)) after_cased = is_cased(codepoint);
  }
}

/* ---- chrF ---- */

struct characters {
  uint32_t *codepoints;
  size_t count, capacity;
};

/* Scratch memory for counting. The caller initializes the struct to zero. */
struct chrf_work {
  struct characters hypothesis, reference;
  struct ngrams ngrams;
};

static void chrf_work_free(struct chrf_work *work) {
  free(work->hypothesis.codepoints);
  free(work->reference.codepoints);
  ngrams_free(&work->ngrams);
}

static elman_status read_characters(struct characters *characters, struct text text,
                                    elman_error *error) {
  const elman_status status = array_grow(&characters->codepoints, &characters->capacity,
                                         text.length, sizeof *characters->codepoints, error);
  if (status != ELMAN_OK) return status;
  characters->count = 0;
  for (size_t at = 0; at < text.length;) {
    const int codepoint = character_at(text, &at);
    if (!is_python_space(codepoint))
      characters->codepoints[characters->count++] = (uint32_t)codepoint;
  }
  return ELMAN_OK;
}

static void count_against(uint32_t counts[CHRF_COUNTS], struct chrf_work *work) {
  const struct characters *reference = &work->reference;
  memset(counts, 0, CHRF_COUNTS * sizeof *counts);
  for (size_t n = 1; n <= CHRF_ORDERS; n++) {
    const size_t in_reference = ngrams_in(reference->count, n);
    const size_t in_hypothesis = in_reference == 0 ? 0 : ngrams_in(work->hypothesis.count, n);
    counts[CHRF_HYPOTHESIS + n - 1] = (uint32_t)in_hypothesis;
    counts[CHRF_REFERENCE + n - 1] = (uint32_t)in_reference;
  }
  ngrams_forget(&work->ngrams);
  ngrams_match(&work->ngrams, reference->codepoints, reference->count, CHRF_ORDERS,
               counts + CHRF_MATCHED);
}

/* Return chrF2, 0 to 100. */
static double chrf_score(const uint64_t sums[CHRF_COUNTS]) {
  const double beta_squared = 2 * 2;
  double precision = 0, recall = 0, orders = 0;
  for (size_t n = 0; n < CHRF_ORDERS; n++) {
    const double hypothesis = (double)sums[CHRF_HYPOTHESIS + n];
    const double reference = (double)sums[CHRF_REFERENCE + n];
    const double matched = (double)sums[CHRF_MATCHED + n];
    if (hypothesis == 0 || reference == 0) continue; /* too short for n-grams of this length */
    precision += matched / hypothesis;
    recall += matched / reference;
    orders++;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  const double score = (1 + beta_squared) * precision * recall;
  return 100 * (score / (beta_squared * precision + recall));
}

static double sentence_score(const uint32_t counts[CHRF_COUNTS]) {
  uint64_t sums[CHRF_COUNTS];
  for (size_t i = 0; i < CHRF_COUNTS; i++) sums[i] = counts[i];
  return chrf_score(sums);
}

/* Compute the counts of one hypothesis against the best of its references. At least one reference
 * is required. All texts must be valid UTF-8. */
static elman_status chrf_count(uint32_t counts[CHRF_COUNTS], struct chrf_work *work,
                               struct text hypothesis, const struct text *references,
                               size_t reference_count, elman_error *error) {
  struct characters *characters = &work->hypothesis;
  elman_status status = read_characters(characters, hypothesis, error);
  if (status == ELMAN_OK)
    status =
        ngrams_count(&work->ngrams, characters->codepoints, characters->count, CHRF_ORDERS, error);
  double best = -1;
  for (size_t r = 0; r < reference_count && status == ELMAN_OK; r++) {
    status = read_characters(&work->reference, references[r], error);
    if (status != ELMAN_OK) break;
    uint32_t found[CHRF_COUNTS];
    count_against(found, work);
    const double score = sentence_score(found);
    if (score <= best) continue;
    best = score;
    memcpy(counts, found, sizeof found);
  }
  return status;
}

/* ---- counting ---- */

struct metric_work {
  enum bleu_tokenizer tokenizer;
  struct bleu_work bleu;
  struct chrf_work chrf;
  struct ter_work ter;
  struct text hypothesis;
  struct text *references; /* (set_count) */
  struct buffer *lowered;  /* (1 + set_count): hypothesis and references in lower case */
};

static void work_free(struct metric_work *work, size_t set_count) {
  bleu_work_free(&work->bleu);
  chrf_work_free(&work->chrf);
  ter_work_free(&work->ter);
  for (size_t r = 0; work->lowered != NULL && r <= set_count; r++) buffer_free(&work->lowered[r]);
  free(work->lowered);
  free(work->references);
}

static elman_status check_line(struct text line, const char *what, size_t set, size_t number,
                               elman_error *error) {
  const size_t valid = text_valid_prefix(line);
  if (valid == line.length && line.length <= METRIC_MAX_BYTES) return ELMAN_OK;
  char where[64];
  if (set > 0)
    snprintf(where, sizeof where, "%s %zu, line %zu", what, set, number);
  else
    snprintf(where, sizeof where, "%s, line %zu", what, number);
  if (valid < line.length)
    return fail(error, ELMAN_BAD_DATA, where, "is not valid UTF-8 at byte %zu of the line",
                valid + 1);
  return fail(error, ELMAN_BAD_DATA, where, "has %zu bytes; the limit for scoring is %zu",
              line.length, METRIC_MAX_BYTES);
}

/* Prepare the texts of a sentence, in lower case if `lower`. They are valid until the next call. */
static elman_status prepare_texts(struct metric_work *work, struct text hypothesis,
                                  const struct metric_references *references, size_t index,
                                  bool lower, elman_error *error) {
  work->hypothesis = hypothesis;
  for (size_t r = 0; r < references->set_count; r++)
    work->references[r] = text_of(references->sets[r][index]);
  if (!lower) return ELMAN_OK;
  lowercase(&work->lowered[0], hypothesis);
  work->hypothesis = buffer_text(&work->lowered[0]);
  bool failed = work->lowered[0].failed;
  for (size_t r = 0; r < references->set_count; r++) {
    struct buffer *buffer = &work->lowered[r + 1];
    lowercase(buffer, work->references[r]);
    work->references[r] = buffer_text(buffer);
    failed = failed || buffer->failed;
  }
  return failed ? fail_no_memory(error) : ELMAN_OK;
}

static elman_status count_sentence(struct sentence_counts *counts, struct metric_work *work,
                                   struct text hypothesis,
                                   const struct metric_references *references, size_t index,
                                   const elman_metric_options *options, elman_error *error) {
  const size_t sets = references->set_count;
  elman_status status = check_line(hypothesis, "hypothesis", 0, index + 1, error);
  for (size_t r = 0; r < sets && status == ELMAN_OK; r++)
    status = check_line(text_of(references->sets[r][index]), "reference", r + 1, index + 1, error);
  if (status == ELMAN_OK)
    status = prepare_texts(work, hypothesis, references, index, options->lowercase, error);
  if (status == ELMAN_OK)
    status = bleu_count(counts->bleu, &work->bleu, work->hypothesis, work->references, sets,
                        work->tokenizer, error);
  if (status == ELMAN_OK)
    status = prepare_texts(work, hypothesis, references, index, options->chrf_lowercase, error);
  if (status == ELMAN_OK)
    status = chrf_count(counts->chrf, &work->chrf, work->hypothesis, work->references, sets, error);
  if (status != ELMAN_OK || !options->ter) return status;
  status = prepare_texts(work, hypothesis, references, index, true, error);
  if (status == ELMAN_OK)
    status = ter_count(counts->ter, &work->ter, work->hypothesis, work->references, sets, error);
  return status;
}

/* Select the requested tokenizer. For `auto`, the script of the first references decides: `zh` for
 * mostly Chinese characters (Han), `char` for other scripts without spaces between words, `13a` for
 * all other text. Lines must be valid UTF-8. */
static elman_status metric_tokenizer(enum bleu_tokenizer *tokenizer,
                                     const elman_metric_options *options,
                                     const struct metric_references *references,
                                     elman_error *error) {
  struct script_counts counts = {.letters = 0};
  if (options->bleu_tokens != NULL) {
    size_t index;
    if (!choice_parse(&index, elman_bleu_tokens_name, options->bleu_tokens))
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "unknown BLEU tokenizer '%s'; use auto, 13a, intl, zh, char or none",
                  options->bleu_tokens);
    *tokenizer = (enum bleu_tokenizer)index;
    if (index != BLEU_AUTO) return ELMAN_OK;
  }
  for (size_t i = 0; i < references->count; i++)
    script_count(&counts, text_of(references->sets[0][i]));
  const enum script script = letters_script(&counts.scripts);
  if (script != SCRIPT_HAN && script_is_unspaced(script))
    *tokenizer = BLEU_CHAR;
  else
    *tokenizer = script_is_han(&counts) ? BLEU_ZH : BLEU_13A;
  return ELMAN_OK;
}

/* Compute the counts of each line; `counts` has references->count elements. `where` of an error
 * names the line ("hypothesis, line 3"). */
static elman_status metric_count(struct sentence_counts *counts, const char *const *hypotheses,
                                 const struct metric_references *references,
                                 const elman_metric_options *options, elman_error *error) {
  struct metric_work work = {.lowered = calloc(references->set_count + 1, sizeof *work.lowered),
                             .references = calloc(references->set_count, sizeof *work.references)};
  elman_status status = ELMAN_OK;
  if (work.lowered == NULL || work.references == NULL) status = fail_no_memory(error);
  if (status == ELMAN_OK) status = metric_tokenizer(&work.tokenizer, options, references, error);
  for (size_t i = 0; i < references->count && status == ELMAN_OK; i++)
    status =
        count_sentence(&counts[i], &work, text_of(hypotheses[i]), references, i, options, error);
  work_free(&work, references->set_count);
  return status;
}

/* ---- scores ---- */

struct corpus_counts {
  uint64_t bleu[BLEU_COUNTS];
  uint64_t chrf[CHRF_COUNTS];
  uint64_t ter[TER_COUNTS];
};

static void metric_add(struct corpus_counts *sums, const struct sentence_counts *counts) {
  for (size_t i = 0; i < BLEU_COUNTS; i++) sums->bleu[i] += counts->bleu[i];
  for (size_t i = 0; i < CHRF_COUNTS; i++) sums->chrf[i] += counts->chrf[i];
  for (size_t i = 0; i < TER_COUNTS; i++) sums->ter[i] += counts->ter[i];
}

/* Compute the scores without the signatures: metric_score takes sums; metric_score_sum takes the
 * counts of the sentences and adds them up. */
static void metric_score(elman_metric_scores *scores, const struct corpus_counts *sums,
                         size_t set_count) {
  bleu_score(scores, sums->bleu, false);
  scores->chrf = chrf_score(sums->chrf);
  scores->ter = ter_score(sums->ter, set_count);
}

static void metric_score_sum(elman_metric_scores *scores, const struct sentence_counts *counts,
                             const struct metric_references *references) {
  struct corpus_counts sums = {0};
  for (size_t i = 0; i < references->count; i++) metric_add(&sums, &counts[i]);
  metric_score(scores, &sums, references->set_count);
}

/* ---- signatures ---- */

/* Add the signatures that sacreBLEU prints beside a score, for reproducibility. The version in them
 * is "elman-" followed by the version of the library. If `resamples` is 0, the signatures mention
 * no resampling. */
static elman_status metric_sign(elman_metric_scores *scores, const elman_metric_options *options,
                                const struct metric_references *references, size_t resamples,
                                elman_error *error) {
  const char *bleu_case = options->lowercase ? "lc" : "mixed";
  const char *chrf_case = options->chrf_lowercase ? "lc" : "mixed";
  enum bleu_tokenizer tokenizer = BLEU_13A;
  const elman_status status = metric_tokenizer(&tokenizer, options, references, error);
  if (status != ELMAN_OK) return status;
  char drawn[64] = "";
  if (resamples > 0)
    snprintf(drawn, sizeof drawn, "bs:%zu|seed:%" PRIu64 "|", resamples, options->seed);
  snprintf(scores->bleu_signature, sizeof scores->bleu_signature,
           "nrefs:%zu|%scase:%s|eff:no|tok:%s|smooth:exp|version:elman-" ELMAN_VERSION,
           references->set_count, drawn, bleu_case, elman_bleu_tokens_name(tokenizer));
  snprintf(scores->chrf_signature, sizeof scores->chrf_signature,
           "nrefs:%zu|%scase:%s|eff:yes|nc:%d|nw:0|space:no|version:elman-" ELMAN_VERSION,
           references->set_count, drawn, chrf_case, CHRF_ORDERS);
  scores->ter_signature[0] = '\0';
  if (options->ter)
    snprintf(
        scores->ter_signature, sizeof scores->ter_signature,
        "nrefs:%zu|%scase:lc|tok:tercom|norm:no|punct:yes|asian:no|version:elman-" ELMAN_VERSION,
        references->set_count, drawn);
  return ELMAN_OK;
}

/* ---- scores of one output ---- */

elman_metric_options elman_metric_options_default(void) {
  return (elman_metric_options){.resamples = 1000, .seed = 1};
}

static elman_status check_arguments(const struct metric_references *references,
                                    elman_error *error) {
  if (references->set_count == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "no references were given");
  if (references->count == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "no sentences were given");
  return references->count > SIZE_MAX / 2 ? fail_no_memory(error) : ELMAN_OK;
}

elman_status elman_metrics(elman_metric_scores *scores, const char *const *hypotheses,
                           const char *const *const *references, size_t sets, size_t count,
                           const elman_metric_options *options, elman_error *error) {
  const elman_metric_options defaults = elman_metric_options_default();
  const struct metric_references all = {references, sets, count};
  elman_metric_scores found = {0};
  if (options == NULL) options = &defaults;
  elman_status status = check_arguments(&all, error);
  if (status != ELMAN_OK) return status;
  struct sentence_counts *counts = calloc(count, sizeof *counts);
  if (counts == NULL) return fail_no_memory(error);
  status = metric_count(counts, hypotheses, &all, options, error);
  if (status == ELMAN_OK) metric_score_sum(&found, counts, &all);
  free(counts);
  if (status == ELMAN_OK) status = metric_sign(&found, options, &all, 0, error);
  if (status == ELMAN_OK) *scores = found;
  return status;
}

elman_status elman_metrics_sentences(elman_sentence_metrics *sentences,
                                     const char *const *hypotheses,
                                     const char *const *const *references, size_t sets,
                                     size_t count, const elman_metric_options *options,
                                     elman_error *error) {
  const elman_metric_options defaults = elman_metric_options_default();
  const struct metric_references all = {references, sets, count};
  if (options == NULL) options = &defaults;
  elman_status status = check_arguments(&all, error);
  if (status != ELMAN_OK) return status;
  struct sentence_counts *counts = calloc(count, sizeof *counts);
  if (counts == NULL) return fail_no_memory(error);
  status = metric_count(counts, hypotheses, &all, options, error);
  for (size_t i = 0; i < count && status == ELMAN_OK; i++) {
    struct corpus_counts sums = {0};
    elman_metric_scores scores;
    metric_add(&sums, &counts[i]);
    bleu_score(&scores, sums.bleu, true);
    sentences[i] = (elman_sentence_metrics){
        .bleu = scores.bleu, .chrf = chrf_score(sums.chrf), .ter = ter_score(sums.ter, sets)};
  }
  free(counts);
  return status;
}

/* ---- confidence by resampling ---- */

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double mean_of(const double *values, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += values[i];
  return sum / (double)count;
}

static elman_estimate estimate(const double *values, double *sorted, size_t count) {
  memcpy(sorted, values, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare);
  const size_t low = count / 40; /* 1/40 at each end leaves 95 % */
  return (elman_estimate){.mean = mean_of(values, count),
                          .interval = 0.5 * (sorted[count - low - 1] - sorted[low])};
}

/* Return the proportion of resamples whose difference exceeds the mean difference by at least the
 * measured `difference`. One is added to numerator and denominator, so that the result is never 0.
 * The result is 1 for equal outputs. For them sacreBLEU, which counts only larger differences,
 * returns the smallest possible value.
 *
 * a, b: the scores of two outputs in `count` resamples. */
static double p_value(const double *a, const double *b, double difference, size_t count) {
  double mean = 0;
  for (size_t i = 0; i < count; i++) mean += fabs(b[i] - a[i]);
  mean /= (double)count;
  size_t larger = 0;
  for (size_t i = 0; i < count; i++) larger += fabs(b[i] - a[i]) - mean >= difference;
  return (double)(larger + 1) / (double)(count + 1);
}

/* Outputs to compare, and their scores in the resamples. */
struct output_comparison {
  const struct metric_references *references;
  const elman_metric_options *options;
  size_t systems;
  const struct sentence_counts *counts; /* (systems, references->count) */
  size_t *chosen;                       /* (references->count): the sentences of a resample */
  double *sorted;                       /* (resamples) */
  double *bleu, *chrf, *ter;            /* (systems, resamples) */
};

/* Draw the resamples and score all outputs on the same sentences. */
static void draw(const struct output_comparison *comparison) {
  const size_t count = comparison->references->count, n = comparison->options->resamples;
  elman_metric_scores scores;
  for (size_t r = 0; r < n; r++) {
    const struct random_stream stream = {comparison->options->seed, RANDOM_RESAMPLES, (uint32_t)r};
    for (size_t i = 0; i < count; i++)
      comparison->chosen[i] = (size_t)random_below(stream, i, count);
    for (size_t o = 0; o < comparison->systems; o++) {
      struct corpus_counts sums = {0};
      for (size_t i = 0; i < count; i++)
        metric_add(&sums, &comparison->counts[o * count + comparison->chosen[i]]);
      metric_score(&scores, &sums, comparison->references->set_count);
      comparison->bleu[o * n + r] = scores.bleu;
      comparison->chrf[o * n + r] = scores.chrf;
      comparison->ter[o * n + r] = scores.ter;
    }
  }
}

static void fill_results(elman_compared *compared, elman_p_values *p_values,
                         const struct output_comparison *comparison) {
  const size_t n = comparison->options->resamples, systems = comparison->systems;
  const double *bleu = comparison->bleu, *chrf = comparison->chrf, *ter = comparison->ter;
  for (size_t o = 0; o < systems; o++) {
    compared[o].bleu = estimate(bleu + o * n, comparison->sorted, n);
    compared[o].chrf = estimate(chrf + o * n, comparison->sorted, n);
    compared[o].ter = estimate(ter + o * n, comparison->sorted, n);
  }
  for (size_t a = 0; a < systems; a++)
    for (size_t b = 0; b < systems; b++) {
      const elman_metric_scores *one = &compared[a].scores, *other = &compared[b].scores;
      p_values[a * systems + b] =
          a == b ? (elman_p_values){1, 1, 1}
                 : (elman_p_values){
                       p_value(bleu + a * n, bleu + b * n, fabs(other->bleu - one->bleu), n),
                       p_value(chrf + a * n, chrf + b * n, fabs(other->chrf - one->chrf), n),
                       p_value(ter + a * n, ter + b * n, fabs(other->ter - one->ter), n)};
    }
}

/* Test whether outputs differ by more than the choice of sentences explains. The method is paired
 * bootstrap resampling: Koehn, "Statistical significance tests for machine translation evaluation",
 * EMNLP 2004. The statistics are those of sacreBLEU's --paired-bs; the random numbers differ. The
 * scores of the whole outputs are in `compared`. */
static elman_status bootstrap(elman_compared *compared, elman_p_values *p_values,
                              struct output_comparison *comparison, elman_error *error) {
  const size_t n = comparison->options->resamples, systems = comparison->systems;
  if (n > UINT32_MAX || n > SIZE_MAX / sizeof(double) / (3 * systems + 1))
    return fail_no_memory(error);
  double *memory = malloc((3 * systems + 1) * n * sizeof *memory);
  comparison->chosen = calloc(comparison->references->count, sizeof *comparison->chosen);
  const bool failed = memory == NULL || comparison->chosen == NULL;
  if (!failed) {
    comparison->sorted = memory;
    comparison->bleu = memory + n;
    comparison->chrf = comparison->bleu + systems * n;
    comparison->ter = comparison->chrf + systems * n;
    draw(comparison);
    fill_results(compared, p_values, comparison);
  }
  free(comparison->chosen);
  free(memory);
  return failed ? fail_no_memory(error) : ELMAN_OK;
}

static elman_status compare_outputs(elman_compared *compared, elman_p_values *p_values,
                                    const char *const *const *outputs,
                                    struct output_comparison *comparison, elman_error *error) {
  const struct metric_references *references = comparison->references;
  const elman_metric_options *options = comparison->options;
  const size_t count = references->count;
  struct sentence_counts *counts = calloc(comparison->systems * count, sizeof *counts);
  if (counts == NULL) return fail_no_memory(error);
  comparison->counts = counts;
  elman_status status = ELMAN_OK;
  for (size_t o = 0; o < comparison->systems && status == ELMAN_OK; o++) {
    status = metric_count(counts + o * count, outputs[o], references, options, error);
    if (status == ELMAN_OK)
      status = metric_sign(&compared[o].scores, options, references, options->resamples, error);
    if (status == ELMAN_OK) metric_score_sum(&compared[o].scores, counts + o * count, references);
  }
  if (status == ELMAN_OK) status = bootstrap(compared, p_values, comparison, error);
  free(counts);
  return status;
}

elman_status elman_metrics_compare(elman_compared *compared, elman_p_values *p_values,
                                   const char *const *const *outputs, size_t systems,
                                   const char *const *const *references, size_t sets, size_t count,
                                   const elman_metric_options *options, elman_error *error) {
  const elman_metric_options defaults = elman_metric_options_default();
  const struct metric_references all = {references, sets, count};
  if (options == NULL) options = &defaults;
  if (options->resamples == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the number of resamples must be at least 1, not 0");
  if (systems < 2 || systems > ELMAN_MAX_SYSTEMS)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the number of outputs to compare must be from 2 to %d, not %zu", ELMAN_MAX_SYSTEMS,
                systems);
  elman_status status = check_arguments(&all, error);
  if (status != ELMAN_OK) return status;
  struct output_comparison comparison = {
      .references = &all, .options = options, .systems = systems};
  elman_compared *found = calloc(systems, sizeof *found);
  elman_p_values *values = calloc(systems * systems, sizeof *values);
  status = found == NULL || values == NULL
               ? fail_no_memory(error)
               : compare_outputs(found, values, outputs, &comparison, error);
  if (status == ELMAN_OK) memcpy(compared, found, systems * sizeof *found);
  if (status == ELMAN_OK) memcpy(p_values, values, systems * systems * sizeof *values);
  free(found);
  free(values);
  return status;
}
