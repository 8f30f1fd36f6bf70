/* Translation, and the attention weights of translations. */
#ifndef ELMAN_TRANSLATE_H
#define ELMAN_TRANSLATE_H

#include "elman/model.h"
#include "elman/precision.h"
#include "elman/sentences.h"

ELMAN_BEGIN

/* Memory that is reused from one translation to the next. The model must outlive it. */
typedef struct elman_translator elman_translator;

/* Create a translator of one model; `ensemble` of the options adds others. */
ELMAN_CHECKED elman_status elman_translator_create(elman_translator **translator,
                                                   const elman_model *model, elman_error *error);
ELMAN_API void elman_translator_free(elman_translator *translator);

/* A sentence of a translated text. */
typedef struct elman_translated_sentence {
  elman_span source;                 /* bytes of the source text */
  elman_span text;                   /* bytes of the translation */
  size_t first_source, source_count; /* range of its source tokens */
  size_t first_target, target_count; /* range of its target tokens, with "</s>" */
  double log_probability, score;     /* as in elman_translation */
  bool ended;                        /* the last target token of the sentence is "</s>" */
} elman_translated_sentence;

/* A translation. It is read-only and owned by the caller.
 *
 * The translation of a text that was split has the tokens of all its sentences. Its log-probability
 * and score are the sums of those of the sentences. Attention weights between different sentences
 * are 0.
 *
 * Rows of attention weights, of each head and of the average, sum to 1 (up to rounding) with every
 * mechanism except "local" and "sentinel". With "local" a Gaussian around the predicted center
 * scales the weights after the softmax. A row then sums to at most 1 and at least exp(-2) = 0.135.
 * With "sentinel" the weight of the sentinel, which represents no source token, completes the sum
 * to 1. Overrides produce rows that sum to 1, with two exceptions: ELMAN_OVERRIDE_SHUFFLE keeps the
 * sum, and ELMAN_OVERRIDE_CELL changes only one row. Dropout of weights is not applied. */
typedef struct elman_translation {
  const char *text;       /* the translation as plain text; a given reference unchanged */
  const char *source;     /* the source text as given */
  double log_probability; /* natural logarithm, summed over the target tokens; NaN with
                             without_scores */
  double score;           /* search score according to the options; larger is better */
  size_t source_count;    /* S; 0 if the text is empty or white space */
  size_t target_count;    /* T */
  size_t heads; /* number of matrices of attention weights, at least 1; 1 for an ensemble */
  const char *const *source_tokens; /* (S): text of each token, unknown ones included */
  const uint32_t *source_ids;       /* (S): see elman_model_get_token; 0 = unknown */
  const bool *source_known;         /* (S): false for unknown tokens */
  const size_t *source_starts;      /* (S): byte of `source` at which token s starts */
  const size_t *source_ends;        /* (S): byte of `source` after the end of token s */
  const char *const *target_tokens; /* (T); the last is "</s>" if the decoder produced it */
  const uint32_t *target_ids;       /* (T): 0 for an unknown word */
  const double *log_probabilities; /* (T): log-probability of each token; NaN with without_scores */
  const size_t *target_starts;     /* (T): positions in `text`; "</s>" has no bytes */
  const size_t *target_ends;
  bool ended;                  /* the last target token is "</s>" */
  bool forced;                 /* forced decoding: the target is the given reference */
  const float *attention;      /* (T,S): attention weights, averaged over the heads */
  const float *head_attention; /* (heads,T,S): attention weights of each head */
  const float *sentinel; /* (T): weights of the sentinel; NULL if there is none; for an ensemble,
                            NULL unless all its models have one */
  size_t segment_count;  /* G: source segments of "hierarchical" attention; 0 without segments, and
                            for an ensemble whose models have different segments */
  const size_t *segment_ends; /* (G): source tokens up to the end of each segment; NULL without
                                 segments. These are tokens of the model, even if words are shown */
  const float *segments;      /* (T,G): sum of the weights in each segment; NULL without segments */
  /* Self-attention weights of each head: queries and keys are tokens of the same side. A target row
   * belongs to the decoder step that produces its token, and attends to no later step. The fields
   * are 0 and NULL if the model has no self-attention or the options do not request the weights. */
  size_t source_self_heads, target_self_heads;
  const float *source_self_attention; /* (source_self_heads,S,S) */
  const float *target_self_attention; /* (target_self_heads,T,T) */
  /* The sentences that were translated by themselves; one unless the text was split. */
  size_t sentence_count;
  const elman_translated_sentence *sentences; /* (sentence_count) */
  bool source_subwords;                       /* tokens are subwords: token mode "bpe" */
  bool target_subwords;
  const struct elman_translation
      *next; /* next best translation of the text, freed with the first; NULL after the last */
} elman_translation;

/* Maximum number of attention weights of each matrix of a text that is split. */
#define ELMAN_MAX_CELLS ((size_t)1 << 26)

/* Maximum numbers of overrides and of models. */
#define ELMAN_MAX_OVERRIDES 64
#define ELMAN_MAX_ENSEMBLE 64

/* Interventions: attention weights are replaced in every head during decoding, to test whether the
 * decoder depends on them. */
typedef enum elman_override_kind {
  ELMAN_OVERRIDE_UNIFORM,  /* all source tokens have equal weights */
  ELMAN_OVERRIDE_SHUFFLE,  /* the weights of a target token are permuted at random */
  ELMAN_OVERRIDE_POSITION, /* source token `column` has weight 1 */
  ELMAN_OVERRIDE_CELL      /* for target token `row`, source token `column` has `weight`; the other
                              weights are scaled to complete the sum */
} elman_override_kind;

/* One intervention. */
typedef struct elman_override {
  elman_override_kind kind;
  size_t row, column; /* from 0; if the sentence is shorter, `column` means its last token */
  double weight;      /* 0 to 1 */
} elman_override;

/* Divisor of the log-probability of a translation with T tokens, </s> included; A is the length
 * penalty. */
typedef enum elman_length_norm {
  ELMAN_LENGTH_POWER, /* T^A */
  ELMAN_LENGTH_WU     /* ((5 + T) / 6)^A; Wu et al. 2016, equation 14 */
} elman_length_norm;

/* Return "power" for index 0, "wu" for 1, NULL for any other index. */
ELMAN_API const char *elman_length_norm_name(size_t index);

/* The translation of a sentence during the search: the most probable open hypothesis. With a
 * beam size above 1, a later step may continue another hypothesis. `count` is 0 before the search,
 * and while a second search completes an n-best list with further texts. */
typedef struct elman_partial {
  uint64_t number;     /* `number` of the elman_sentence; 1 from elman_translate */
  size_t part;         /* index of the sentence within a text that was split */
  size_t count;        /* number of tokens */
  const uint32_t *ids; /* (count): valid during the call; see elman_decode */
} elman_partial;

/* Options of translation; elman/options.h describes the rows. Details:
 *
 * - Memory grows with max_bytes. Splitting a text into tokens stops at the first token beyond
 *   max_tokens. A text beyond a limit is ELMAN_BAD_DATA.
 * - If neither max_length nor max_ratio is set, the maximum is 2 S + 10 tokens; if both are set,
 *   the smaller one applies. max_output bounds the maximum in each of these cases. A longer
 *   reference, or a prefix that leaves no room for a token, is ELMAN_BAD_DATA.
 * - The first of n_best translations, which are linked by `next`, does not depend on n_best. All
 *   have different texts, and only the first may be empty. With equal_texts they are the hypotheses
 *   of one search; some of these hypotheses may have equal texts, or be empty. See
 *   docs/decoding.md.
 * - length_norm replaces T in the score log p / T^A. coverage_penalty B adds B sum_s log min(sum_t
 *   a_ts, 1) to the score (Wu et al. 2016), which penalizes untranslated source tokens.
 * - replace_unknown is ELMAN_INVALID_ARGUMENT if translations cannot contain unknown words
 *   (elman_model_info.writes_unknown). self_attention requires an additional pass through the
 *   network.
 * - temperature divides the logits. Samples depend on seed, `number` and `part` of elman_sentence.
 * - max_bytes and max_tokens apply to a whole text; max_length, max_ratio and max_output apply to
 *   each sentence. If `without_attention` is set, max_tokens applies to each sentence instead. If a
 *   text is split, its n best translations are the combinations of translations of its sentences
 *   with the largest sums of scores. Its matrices have at most ELMAN_MAX_CELLS weights; with more
 *   weights, the result is ELMAN_BAD_DATA.
 * - Results do not depend on threads; elman_evaluate_options has a field `threads` of its own.
 * - ELMAN_PRECISION_INT8 rounds the matrices of the model, embeddings included, and the numbers
 *   that they multiply to eight bits; all results are then those of the rounded model. ELMAN_INT8
 *   stores the same rounded matrices in a file. The first call makes the rounded weights of a
 *   model, which remain in memory as long as the model. */
typedef struct elman_translate_options {
  ELMAN_TRANSLATE_OPTIONS(ELMAN_FIELD)
  uint64_t reserved_rows[16];
  bool without_scores; /* allow NaN as log_probability and score. Greedy search then computes only
                          the most probable token, which is several times faster; translation and
                          attention stay equal */
  bool without_attention; /* allow NULL as weights of a text that is split: attention,
                             head_attention, sentinel, segments, self-attention */
  /* Further models of an ensemble. At each step their log-probabilities are averaged with those of
   * the translator's model. Attention is one matrix: the mean of the matrices of the models, each
   * averaged over the heads of its model. If the models differ in stated languages, tokenization,
   * normalization or vocabularies, the result is ELMAN_INVALID_ARGUMENT, and the message names the
   * difference. Everything else may differ. A model may occur twice. Default none; maximum
   * ELMAN_MAX_ENSEMBLE. */
  const elman_model *const *ensemble;
  size_t ensemble_count;
  const elman_override *overrides; /* applied in order, in every model; default none */
  size_t override_count;
  /* Called after a sentence is split into tokens, and after each decoder step for each sentence
   * that the step did not end; NULL (default) = none. With several threads, calls for different
   * sentences may come from several threads at once. If it returns false, the translation stops
   * with ELMAN_INTERRUPTED. */
  bool (*partial)(void *context, const elman_partial *partial);
  void *partial_context; /* passed to `partial` */
  uint64_t reserved[8];
} elman_translate_options;

ELMAN_API elman_translate_options elman_translate_options_default(void);

/* Return the defaults with these changes: the search that the model stores
 * (elman_model_info.search), if it stores one; the precision of its file
 * (elman_model_info.translate_precision); and `replace_unknown`, if the model was trained with
 * `copy_noise` or `copy_numbers`. The commands of elman use these options. */
ELMAN_API elman_translate_options elman_model_translate_options(const elman_model *model);

/* Check whether `other` can join an ensemble with `model`. If not, the message names the first
 * difference. */
ELMAN_CHECKED elman_status elman_ensemble_check(const elman_model *model, const elman_model *other,
                                                elman_error *error);

/* Translate a text of `length` bytes: one sentence, or several unless split_sentences is off.
 * Return ELMAN_BAD_DATA for text that is not valid UTF-8, or has more than 5,000 tokens or more
 * than `max_bytes`. */
ELMAN_CHECKED elman_status elman_translate(elman_translation **translation,
                                           elman_translator *translator, const char *text,
                                           size_t length, const elman_translate_options *options,
                                           elman_error *error);
ELMAN_API void elman_translation_free(elman_translation *translation);

/* The overrides of kind ELMAN_OVERRIDE_CELL that lie inside the attention matrix of a translation.
 * The caller initializes the struct with zeros. */
typedef struct elman_override_reach {
  bool any;                          /* a translation was added */
  uint64_t reached;                  /* bit i: the cell of override i lies inside a matrix */
  size_t most_targets, most_sources; /* largest number of target or source tokens */
} elman_override_reach;

/* Add a translation with these options, and the translations that follow it (`next`). */
ELMAN_API void elman_override_reach_add(elman_override_reach *reach,
                                        const elman_translate_options *options,
                                        const elman_translation *translation);

/* Return ELMAN_INVALID_ARGUMENT if translations were added, and an override of kind
 * ELMAN_OVERRIDE_CELL lies outside all of them: it had no effect. */
ELMAN_CHECKED elman_status elman_override_reach_check(const elman_override_reach *reach,
                                                      const elman_translate_options *options,
                                                      elman_error *error);

/* A sentence of a batch, or a text of several sentences. */
typedef struct elman_sentence {
  const char *text;      /* source text */
  size_t length;         /* bytes */
  const char *reference; /* if not NULL, decode this reference instead of searching */
  size_t reference_length;
  uint64_t number; /* number of the random sequence: samples depend on it and the seed, not on the
                      batch. The command and the Python module number the sentences of a call
                      from 1; elman_translate uses 1 */
  const uint32_t *prefix; /* ids of target tokens with which the translation starts, without <s> and
                             </s>, such as `target_ids` of another translation; the search adds at
                             least one token. Not permitted with a reference */
  size_t prefix_count;    /* 0 = none; the prefix counts toward the length limit, which is at least
                             one token more than the prefix. In the prefix of a text that is split,
                             </s> ends the translation of each sentence but the last */
  bool is_text;      /* the text may have several sentences, which split_sentences "auto" splits.
                        elman_translate sets it */
  size_t part;       /* index of the sentence within its text, 0 if it is a whole text. Samples
                        depend on it */
  bool whole_prefix; /* the prefix is the whole translation, without </s> */
} elman_sentence;

/* Translate `count` sentences at once, which is much faster than one by one, especially for
 * sentences of similar length. translations[i] is the translation of sentences[i]. If a sentence
 * cannot be translated, its translation is NULL, errors[i] contains the reason, and the other
 * sentences are translated; the result is ELMAN_BAD_DATA. `errors` has `count` elements or is NULL;
 * successful sentences have the code ELMAN_OK; errors[i].where is "reference" if the reference is
 * at fault. After any other error there are no translations. A prefix with an id that a translation
 * cannot contain is ELMAN_INVALID_ARGUMENT. Results of a sentence do not depend on the other
 * sentences (up to rounding). */
ELMAN_CHECKED elman_status elman_translate_batch(elman_translation **translations,
                                                 elman_error *errors, elman_translator *translator,
                                                 const elman_sentence *sentences, size_t count,
                                                 const elman_translate_options *options,
                                                 elman_error *error);

ELMAN_END

#endif
