/* Texts of several sentences: the sentences to translate, and the translation of a text, joined
 * from the translations of its sentences. */
#ifndef ELMAN_TRANSLATE_TEXTS_H
#define ELMAN_TRANSLATE_TEXTS_H

#include "model/model.h"
#include "translate/translator.h"

/* The sentences of texts, in order. The caller initializes the struct with zeros. */
struct split_texts {
  elman_sentence *sentences; /* (firsts[texts]): they borrow from the texts */
  size_t *firsts;            /* (texts + 1): text i has the sentences from firsts[i] on */
  size_t texts;
  bool any; /* a text has several sentences; otherwise the sentences are the texts */
};

/* Split texts as the options require. A text that is too long or not valid stays whole. Return
 * ELMAN_INVALID_ARGUMENT if the options split a text with a reference, or if the prefix of a text
 * ends more sentences than the text has. */
elman_status texts_split(struct split_texts *split, const struct model *model,
                         const elman_sentence *texts, size_t count,
                         const elman_translate_options *options, elman_error *error) CHECKED;
void texts_free(struct split_texts *split);

/* Create the translation of a text from the translations of its `count` sentences, with the n_best
 * best combinations of these translations. Return ELMAN_BAD_DATA if a matrix would have more than
 * ELMAN_MAX_CELLS weights. With `without_attention` there is no matrix, so this error does not
 * occur. */
elman_status texts_join(elman_translation **whole, const elman_sentence *text,
                        const elman_sentence *sentences, elman_translation *const *translations,
                        size_t count, const elman_translate_options *options,
                        elman_error *error) CHECKED;

#endif
