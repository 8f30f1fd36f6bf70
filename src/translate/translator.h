/* Sentences of text to their translations as text, with what attention saw: a batch at a time. */
#ifndef ELMAN_TRANSLATE_TRANSLATOR_H
#define ELMAN_TRANSLATE_TRANSLATOR_H

#include "inspect/translation.h"
#include "translate/search.h"

/* Time and memory grow with the square of a sentence's length; beyond this it is refused. */
enum { MAX_SENTENCE_TOKENS = 5000 };

/* `encode` for text of which nothing is known: ELMAN_BAD_DATA if it is not valid UTF-8 or has too
 * many tokens. */
elman_status encode_checked(struct encoding *encoding, const struct codec *codec, struct text text,
                            elman_error *error) CHECKED;

enum { MOST_OVERRIDES = 64 };

struct translate_options {
  struct beam_options beam;
  size_t max_bytes;     /* of a source; 0 = no limit */
  size_t limit;         /* target tokens; 0 = none */
  double ratio;         /* of target to source tokens; 0 = none; without either 2 S + 10 */
  bool replace_unknown; /* <unk> becomes the source token with the largest weight */
  bool without_scores;  /* of greedy search: the probability and the score may be NaN */
  elman_override override_list[MOST_OVERRIDES]; /* of attention */
  size_t override_count;
  uint64_t override_seed;
};

struct translate_options translate_options_default(void); /* greedy search */

/* One sentence of a batch. */
struct translator_item {
  struct text given; /* borrowed from the caller of translator_run */
  struct encoding source;
  size_t result; /* its number among the search's results; SIZE_MAX = none */
  elman_status status;
  elman_error error;
};

/* A hypothesis as text. */
struct rendering {
  struct tokens tokens; /* (T), with "</s>" at the end if the decoder ended by itself */
  struct buffer text;
};

/* Scratch for one batch after the other, and the parts of the last one. */
struct translator {
  const struct model *model;   /* borrowed */
  const struct screen *screen; /* as in search_run; borrowed */
  struct search search;
  struct translator_item *items;
  struct search_request *requests;
  struct rendering *renderings; /* of the item that was rendered last, one a hypothesis */
  size_t count, item_capacity, request_capacity, rendering_capacity;
  struct encoding reference;
  bool replace_unknown, has_reference;
};

/* Makes the screen for greedy search in `model`, which must not change while it is used. NULL for a
 * wider beam. */
elman_status model_screen_create(struct screen **screen, const struct model *model,
                                 const struct translate_options *options,
                                 elman_error *error) CHECKED;
void model_screen_free(struct screen *screen);

/* Allocates nothing yet. */
void translator_create(struct translator *translator, const struct model *model,
                       const struct screen *screen);
void translator_free(struct translator *translator);

/* Translates `count` sources; what came out stays in the translator until the next call. With
 * `reference` (bytes not NULL), the decoder is forced to give that, for one source only. A sentence
 * with invalid UTF-8, one that is too long in bytes or tokens, and one whose numbers overflow have
 * ELMAN_BAD_DATA in their item, which fails no other. A sentence without tokens has no hypothesis.
 */
elman_status translator_run(struct translator *translator, const struct text *sources, size_t count,
                            struct text reference, const struct translate_options *options,
                            elman_error *error) CHECKED;

/* The hypotheses of item i, the best first. */
struct search_result translator_result(const struct translator *translator, size_t i);

/* Fills renderings[0] up to the number of hypotheses of item i, of which there is at least one:
 * without any, the first rendering is empty. */
elman_status translator_render(struct translator *translator, size_t i, elman_error *error) CHECKED;

/* An item's translations, the best first, and the memory that they own. */
struct kept_translation {
  struct translation *views; /* (count) */
  size_t count;              /* at least 1 */
  struct arena arena;
};

/* Copies item i, whose status is ELMAN_OK; the source that it was given as must still be there. */
elman_status translator_keep(struct kept_translation *kept, struct translator *translator, size_t i,
                             elman_error *error) CHECKED;

#endif
