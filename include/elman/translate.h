/* Translating, and the attention weights of a translation. */
#ifndef ELMAN_TRANSLATE_H
#define ELMAN_TRANSLATE_H

#include "elman/model.h"

ELMAN_BEGIN

/* Scratch memory for one translation after the other. The model must outlive it. */
typedef struct elman_translator elman_translator;

/* For this model alone; several models are `ensemble` of the options. */
ELMAN_CHECKED elman_status elman_translator_create(elman_translator **translator,
                                                   const elman_model *model, elman_error *error);
ELMAN_API void elman_translator_free(elman_translator *translator);

/* Read only; owned by the caller, freed whole.
 *
 * Rows of attention weights, of each head as of their average, sum to 1 (to rounding) with every
 * mechanism but "local" and "sentinel". With "local" a Gaussian around the predicted centre takes a
 * part of what a softmax has shared out, and a row sums to 1 at most and to exp(-2) = 0.135 at
 * least. With "sentinel" what a row lacks to 1 is the weight of the sentinel, with which a target
 * token looks at no source token. Overrides make rows of sum 1 in any case, but for
 * ELMAN_OVERRIDE_SHUFFLE, which leaves the sum as it is, and ELMAN_OVERRIDE_CELL, which changes one
 * row only. Dropout of weights is for training alone. */
typedef struct elman_translation {
  const char *text;       /* the translation as plain text; a reference as it was given */
  const char *source;     /* what was translated, as it was given */
  double log_probability; /* natural logarithm, summed over the target tokens; NaN where
                             the options ask for no scores */
  double score;           /* of the translation, as the options say: larger is better */
  size_t source_count;    /* S; 0 when the text was empty or white space only */
  size_t target_count;    /* T */
  size_t heads;           /* matrices of attention weights, at least 1; of an ensemble 1 */
  const char *const *source_tokens; /* (S); also words that are unknown */
  const uint32_t *source_ids;       /* (S): see elman_model_get_token; 0 = unknown */
  const bool *source_known;         /* (S): false where the vocabulary lacks the word */
  const size_t *source_starts;      /* (S): token s is the bytes from source_starts[s] up to, */
  const size_t *source_ends;        /* but not including, source_ends[s] of `source` */
  const char *const *target_tokens; /* (T); the last is "</s>" if the decoder ended by itself */
  const uint32_t *target_ids;       /* (T): what the decoder said, 0 for an unknown word */
  const double *log_probabilities;  /* (T): of each, after those before it; NaN as above */
  const size_t *target_starts;      /* (T): the same in `text`; "</s>" has no byte */
  const size_t *target_ends;
  bool ended;                  /* the last target token is "</s>" */
  bool forced;                 /* it is the reference, which was forced */
  const float *attention;      /* (T,S): attention weights, the average of the heads */
  const float *head_attention; /* (heads,T,S): those of each head */
  const float *sentinel;       /* (T): weight of the sentinel; NULL if there is none, and
                                  of an ensemble unless all its models have one */
  size_t segment_count;        /* G: segments of the source, of "hierarchical" attention; 0 without
                                  them, and of an ensemble unless all its models cut alike */
  const size_t *segment_ends;  /* (G): the source tokens up to the end of each, rising; NULL
                                  without segments. Tokens of the model, also where words are
                                  shown */
  const float *segments;       /* (T,G): the sum of the weights of a segment's tokens, which is
                                  the segment's weight; NULL without segments */
  /* Self-attention, of each head: what each token's state looked at among those of its own side.
   * Those of the target stand for the decoder's steps that say the tokens, and see no later ones. 0
   * and NULL where the model has none, and unless the options ask for it. */
  size_t source_self_heads, target_self_heads;
  const float *source_self_attention; /* (source_self_heads,S,S) */
  const float *target_self_attention; /* (target_self_heads,T,T) */
  bool source_subwords;               /* the tokens are parts of words: token mode "bpe" */
  bool target_subwords;
  const struct elman_translation *next; /* the next best translation of the same sentence, which
                                           goes with the first; NULL past the last */
} elman_translation;

/* The largest values of options; ELMAN_DEFAULT_MAX_BYTES is a default. */
#define ELMAN_MAX_BEAM 1024
#define ELMAN_DEFAULT_MAX_BYTES ((size_t)1 << 22)
#define ELMAN_MAX_OVERRIDES 64
#define ELMAN_MAX_ENSEMBLE 64
#define ELMAN_MAX_TOP_K 1024

/* An intervention: attention weights are changed, in every head, while the model decodes, and what
 * the decoder then does shows whether it needs them as they are. */
typedef enum elman_override_kind {
  ELMAN_OVERRIDE_UNIFORM,  /* all source tokens have the same weight */
  ELMAN_OVERRIDE_SHUFFLE,  /* the weights of a target token change places at random */
  ELMAN_OVERRIDE_POSITION, /* source token `column` has all the weight */
  ELMAN_OVERRIDE_CELL /* for target token `row` source token `column` has `weight`, and the others
                         share what is left in the proportions they had */
} elman_override_kind;

/* A change of attention, of one of the kinds above. */
typedef struct elman_override {
  elman_override_kind kind;
  size_t row, column; /* from 0; in a shorter sentence `column` is the last token */
  double weight;      /* 0 to 1 */
} elman_override;

/* What the score divides the log-probability of T tokens by, </s> included. */
typedef enum elman_length_norm {
  ELMAN_LENGTH_POWER, /* T^A */
  ELMAN_LENGTH_WU     /* ((5 + T) / 6)^A; Wu et al. 2016, equation 14 */
} elman_length_norm;

/* "power", "wu", from index 0 up; NULL past the last. */
ELMAN_API const char *elman_length_norm_name(size_t index);

typedef struct elman_translate_options {
  size_t max_bytes;  /* of a text; a longer one is ELMAN_BAD_DATA, and is not looked at; 0 = no
                        limit; default ELMAN_DEFAULT_MAX_BYTES. Memory grows with the longest */
  size_t max_length; /* target tokens; 0 (default) = none, but see max_ratio */
  double max_ratio;  /* target tokens for each source token; 0 (default) = none; where neither is
                        set the limit is 2 S + 10, where both are it is the smaller */
  size_t beam;       /* translations that are followed at once, 1 to ELMAN_MAX_BEAM; 1 (default)
                        is greedy search: at each step the likeliest token */
  size_t n_best;     /* how many of them are given, as `next`; 1 (default) to beam */
  double length_penalty;         /* A in the score log p / T^A, which chooses among translations of
                                    different lengths; 0 favours short ones; default 1; at most 10 */
  elman_length_norm length_norm; /* what the score has for T^A; default ELMAN_LENGTH_POWER */
  double coverage_penalty; /* B: the score has B times the sum, over source tokens, of the logarithm
                              of the attention weights that each got in all, or 1 if that is less;
                              0 (default) to 10. It favours translations that leave nothing out */
  bool replace_unknown;    /* an unknown word becomes the source word with the largest weight;
                              ELMAN_INVALID_ARGUMENT with a target that is split by bpe, which has
                              none */
  bool without_scores; /* log_probability and score may be NaN: greedy search then needs to know the
                          likeliest token only, which is several times faster; the translation and
                          its attention are the same */
  bool self_attention; /* give the weights of self-attention, which takes a pass through the network
                          for each translation; ELMAN_INVALID_ARGUMENT with an ensemble or with
                          overrides, of which each would show others. Default false */
  bool sample; /* draw each token at random, by its probability; the beam is then 1, and the score
                  is that of what was drawn */
  double temperature; /* of sampling: divides the logits; smaller than 1 makes likely tokens
                         likelier; more than 0, default 1 */
  size_t top_k; /* of sampling: so many tokens, the likeliest, may be drawn; 0 (default) = all; at
                   most ELMAN_MAX_TOP_K */
  uint64_t sample_seed; /* default 1; see also `number` of elman_sentence */
  /* Models that translate together with the translator's own (an ensemble): at each step the
   * logarithms of their probabilities are averaged, and the attention is the mean of all heads of
   * all of them, one matrix. They may differ in all but splitting, normalization and vocabularies;
   * one that does not know the same words is ELMAN_INVALID_ARGUMENT, and what differs is named. The
   * same model may stand there twice. Default none; ELMAN_MAX_ENSEMBLE at most. */
  const elman_model *const *ensemble;
  size_t ensemble_count;
  const elman_override *overrides; /* applied in turn, in every model; default none */
  size_t override_count;
  uint64_t override_seed; /* of ELMAN_OVERRIDE_SHUFFLE; default 1 */
  size_t threads; /* 0 (default) = one a core; the result does not depend on it. elman_evaluate has
                     a number of its own */
} elman_translate_options;

ELMAN_API elman_translate_options elman_translate_options_default(void);

/* Whether `other` may stand in the ensemble of a translator of `model`. If not, the message says in
 * what they differ: "the splitting of the source is words there and chars here", where `model` is
 * there and `other` here. */
ELMAN_CHECKED elman_status elman_ensemble_check(const elman_model *model, const elman_model *other,
                                                elman_error *error);

/* Translates one sentence, `text` of `length` bytes. Text that is not valid UTF-8, or has more than
 * 5,000 tokens or more than `max_bytes`, is ELMAN_BAD_DATA. */
ELMAN_CHECKED elman_status elman_translate(elman_translation **translation,
                                           elman_translator *translator, const char *text,
                                           size_t length, const elman_translate_options *options,
                                           elman_error *error);
ELMAN_API void elman_translation_free(elman_translation *translation);

/* One of the sentences that are translated at once. */
typedef struct elman_sentence {
  const char *text;      /* what is to be translated */
  size_t length;         /* bytes */
  const char *reference; /* not NULL: force this translation instead of searching for one */
  size_t reference_length;
  uint64_t number; /* what is drawn for it depends on this and the seed, not on its batch. The
                      command and elman.py number the sentences of a call from 1;
                      elman_translate takes 1 */
  const uint32_t *prefix; /* ids of the target that the translation begins with, without <s> and
                             </s>, such as `target_ids` of another; the search goes on from there,
                             by at least one token. Not beside a reference */
  size_t prefix_count;    /* 0 = none. The prefix counts for the limit of the length */
} elman_sentence;

/* Translates `count` sentences at once, which is much faster than one by one; sentences of like
 * length are best. The translation of sentences[i] goes to translations[i]. A sentence that cannot
 * be translated makes the result ELMAN_BAD_DATA: its translation is NULL, errors[i] says why
 * (`errors` has `count` elements, or is NULL; the code of the others is ELMAN_OK, and `where` is
 * "reference" where not the sentence is at fault but its reference), and the others
 * are translated as ever. With any other error there are no translations. A prefix with an id
 * that no translation can have is ELMAN_INVALID_ARGUMENT. The result of a sentence does not depend
 * on the others, to rounding. */
ELMAN_CHECKED elman_status elman_translate_batch(elman_translation **translations,
                                                 elman_error *errors, elman_translator *translator,
                                                 const elman_sentence *sentences, size_t count,
                                                 const elman_translate_options *options,
                                                 elman_error *error);

ELMAN_END

#endif
