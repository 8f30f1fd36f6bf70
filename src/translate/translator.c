#include "translate/translator.h"

#include <stdlib.h>

elman_translate_options translate_options_default(void) {
  return (elman_translate_options){.max_bytes = ELMAN_DEFAULT_MAX_BYTES,
                                   .beam = 1,
                                   .n_best = 1,
                                   .length_penalty = 1,
                                   .temperature = 1,
                                   .sample_seed = 1,
                                   .override_seed = 1};
}

void translator_create(struct translator *translator, const struct model *model,
                       const struct screen *screen) {
  *translator = (struct translator){.model = model, .screen = screen};
}

void translator_free(struct translator *translator) {
  search_free(&translator->search);
  self_weights_free(&translator->self);
  renderings_free(&translator->renderings);
  for (size_t i = 0; i < translator->item_capacity; i++) {
    encoding_free(&translator->items[i].source);
    encoding_free(&translator->items[i].reference);
  }
  free(translator->items);
  free(translator->requests);
  *translator = (struct translator){0};
}

static elman_status fit(struct translator *translator, size_t count, elman_error *error) {
  elman_status status = array_grow_zeroed(&translator->items, &translator->item_capacity, count,
                                          sizeof *translator->items, error);
  if (status == ELMAN_OK)
    status = array_grow(&translator->requests, &translator->request_capacity, count,
                        sizeof *translator->requests, error);
  return status;
}

/* Bad data fails its sentence; anything else fails the batch. */
static elman_status add_request(struct translator *translator, struct translator_item *item,
                                size_t *requests, const elman_sentence *sentence,
                                const elman_translate_options *options, elman_error *error) {
  const struct model *model = translator->model;
  const elman_status status =
      translator_item_encode(item, model, sentence, options->max_bytes, error);
  if (status != ELMAN_OK || item->status != ELMAN_OK || item->source.tokens.count == 0)
    return status;
  item->request = (*requests)++;
  return translator_item_request(&translator->requests[item->request], item, model, sentence,
                                 options, error);
}

size_t translator_hypotheses(const struct translator *translator, size_t i) {
  const size_t request = translator->items[i].request;
  return request == SIZE_MAX ? 0 : search_count(&translator->search, request);
}

static void note_overflows(struct translator *translator) {
  for (size_t i = 0; i < translator->count; i++) {
    struct translator_item *item = &translator->items[i];
    if (item->request == SIZE_MAX || translator_hypotheses(translator, i) > 0) continue;
    item->status = fail(&item->error, ELMAN_BAD_DATA, NULL,
                        "the model's weights are so large that its numbers overflow; train it "
                        "again with a lower learning rate");
  }
}

elman_status translator_run(struct translator *translator, const elman_sentence *sentences,
                            size_t count, const elman_translate_options *options,
                            elman_error *error) {
  elman_translate_options search = *options;
  size_t requests = 0;
  translator->count = 0;
  translator->replace_unknown = options->replace_unknown;
  translator->self_attention = options->self_attention;
  translator->heads = ensemble_heads(translator->model, options);
  translator->cuts = ensemble_cuts(translator->model, options);
  translator->has_sentinel = ensemble_has_sentinel(translator->model, options);
  translator->forced = count > 0 && sentences[0].reference != NULL;
  if (translator->forced) search.beam = search.n_best = 1; /* there is nothing to choose */
  elman_status status = fit(translator, count, error);
  for (size_t i = 0; i < count && status == ELMAN_OK; i++)
    status =
        add_request(translator, &translator->items[i], &requests, &sentences[i], options, error);
  if (status == ELMAN_OK && requests > 0)
    status = search_run(&translator->search, translator->model, translator->requests, requests,
                        &search, translator->screen, error);
  if (status != ELMAN_OK) return status;
  translator->count = count;
  note_overflows(translator);
  return ELMAN_OK;
}

elman_status translator_render(struct translator *translator, size_t i, size_t count,
                               elman_error *error) {
  const struct rendered rendered = {.model = translator->model,
                                    .search = &translator->search,
                                    .item = &translator->items[i],
                                    .forced = translator->forced,
                                    .replace_unknown = translator->replace_unknown};
  return render(&translator->renderings, &rendered, count, error);
}

elman_status translator_text(struct text *text, struct translator *translator, size_t i,
                             elman_error *error) {
  const elman_status status = translator_render(translator, i, 1, error);
  if (status == ELMAN_OK) *text = buffer_text(&translator->renderings.rows[0].text);
  return status;
}
