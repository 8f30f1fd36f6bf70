#include "translate/rendering.h"

#include <stdlib.h>

#include "vocab/token_modes.h"

void renderings_free(struct renderings *renderings) {
  for (size_t n = 0; n < renderings->capacity; n++) {
    free(renderings->rows[n].ids);
    tokens_free(&renderings->rows[n].tokens);
    buffer_free(&renderings->rows[n].text);
  }
  free(renderings->rows);
  *renderings = (struct renderings){0};
}

/* A source word among target words: without its mark, unless it would then be taken to have one. */
static struct text as_target_token(struct text source) {
  const struct text surface = token_surface(source);
  return token_has_mark(surface) ? source : surface;
}

static bool is_replaced(const struct rendered *rendered, size_t t, uint32_t id) {
  return rendered->replace_unknown && id == TOKEN_UNKNOWN &&
         !(rendered->forced && t < rendered->item->reference.tokens.count);
}

/* Token t of hypothesis n, which has this id. */
static struct text target_token(const struct rendered *rendered, size_t n, size_t t, uint32_t id) {
  const struct translator_item *item = rendered->item;
  /* Words of the reference that the vocabulary lacks stay as they were written. */
  if (rendered->forced && t < item->reference.tokens.count)
    return tokens_get(&item->reference.tokens, t);
  if (is_replaced(rendered, t, id))
    return as_target_token(
        tokens_get(&item->source.tokens, search_looked_at(rendered->search, item->request, n, t)));
  return vocabulary_token(rendered->model->target_vocabulary, id);
}

/* The mark of token t, which has none of its own: a source word keeps apart from target words. */
static const char *mark_of(const struct rendering *rendering, const struct rendered *rendered,
                           size_t t, struct text token) {
  if (t == 0 || rendering->ids[t] == TOKEN_END || token_has_mark(token)) return "";
  const elman_token_mode source = model_source_codec(rendered->model).mode;
  const elman_token_mode target = model_target_codec(rendered->model).mode;
  const struct meeting meeting = {.left = token_surface(tokens_get(&rendering->tokens, t - 1)),
                                  .right = token,
                                  .left_foreign =
                                      is_replaced(rendered, t - 1, rendering->ids[t - 1]),
                                  .right_foreign = is_replaced(rendered, t, rendering->ids[t]),
                                  .foreign_characters = source == ELMAN_TOKENS_CHARS};
  if (!meeting.left_foreign && !meeting.right_foreign) return "";
  return space_beside_foreign(target, &meeting) &&
                 !token_mode_row(target)->space_expected(meeting.left, meeting.right)
             ? MARK_SPACED
             : "";
}

static elman_status render_one(struct rendering *rendering, const struct rendered *rendered,
                               size_t n, elman_error *error) {
  const size_t request = rendered->item->request;
  tokens_clear(&rendering->tokens);
  buffer_clear(&rendering->text);
  rendering->ended = false;
  if (request == SIZE_MAX) {
    buffer_append(&rendering->text, "", 0);
    return rendering->text.failed ? fail_no_memory(error) : ELMAN_OK;
  }
  const size_t T = search_path(rendered->search, request, n)->count;
  elman_status status =
      array_grow(&rendering->ids, &rendering->id_capacity, T, sizeof *rendering->ids, error);
  if (status != ELMAN_OK) return status;
  search_ids(rendering->ids, rendered->search, request, n);
  for (size_t t = 0; t < T && status == ELMAN_OK; t++) {
    const struct text token = target_token(rendered, n, t, rendering->ids[t]);
    const char *mark = mark_of(rendering, rendered, t, token);
    status = tokens_add_marked(&rendering->tokens, mark, token, error);
  }
  if (status != ELMAN_OK) return status;
  rendering->ended = rendering->ids[T - 1] == TOKEN_END;
  if (rendered->forced) {
    buffer_append_text(&rendering->text, rendered->item->given_reference);
    return rendering->text.failed ? fail_no_memory(error) : ELMAN_OK;
  }
  struct tokens words = rendering->tokens; /* borrowed */
  words.count -= rendering->ended;
  return tokens_join(&rendering->text, &words, model_target_codec(rendered->model).mode, error);
}

elman_status render(struct renderings *renderings, const struct rendered *rendered, size_t count,
                    elman_error *error) {
  elman_status status = array_grow_zeroed(&renderings->rows, &renderings->capacity, count,
                                          sizeof *renderings->rows, error);
  for (size_t n = 0; n < count && status == ELMAN_OK; n++)
    status = render_one(&renderings->rows[n], rendered, n, error);
  return status;
}
