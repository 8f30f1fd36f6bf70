/* A sentence of a batch: its text as ids, and what the search is asked of it. */
#ifndef ELMAN_TRANSLATE_TRANSLATOR_ITEM_H
#define ELMAN_TRANSLATE_TRANSLATOR_ITEM_H

#include "model/model.h"
#include "translate/search.h"

/* Time and memory grow with the square of a sentence's length; beyond this it is refused. */
enum { MAX_SENTENCE_TOKENS = 5000 };

/* `encode` for any text: ELMAN_BAD_DATA if it is not valid UTF-8 or has too many tokens. */
elman_status encode_checked(struct encoding *encoding, const struct codec *codec, struct text text,
                            elman_error *error) CHECKED;

/* Starts from all zero; memory is reused. */
struct translator_item {
  struct text given, given_reference; /* borrowed from the caller of translator_run */
  struct encoding source, reference;
  size_t request; /* its number among the search's requests; SIZE_MAX = none */
  elman_status status;
  elman_error error;
};

/* Takes the sentence, as yet without a request, and its reference if it has one. Bad data is the
 * status of the item, and fails no other. */
elman_status translator_item_encode(struct translator_item *item, const struct model *model,
                                    const elman_sentence *sentence, size_t max_bytes,
                                    elman_error *error) CHECKED;

/* Of an item with tokens; the request borrows them. */
elman_status translator_item_request(struct search_request *request,
                                     const struct translator_item *item, const struct model *model,
                                     const elman_sentence *sentence,
                                     const elman_translate_options *options,
                                     elman_error *error) CHECKED;

#endif
