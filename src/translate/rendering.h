/* Hypotheses as text. */
#ifndef ELMAN_TRANSLATE_RENDERING_H
#define ELMAN_TRANSLATE_RENDERING_H

#include "translate/search.h"
#include "translate/translator_item.h"

struct rendering {
  uint32_t *ids;        /* (T), what the decoder said */
  struct tokens tokens; /* (T), with "</s>" at the end if it ended by itself */
  struct buffer text;   /* the tokens joined; of a reference as it was given */
  size_t id_capacity;
  bool ended;
};

/* Scratch for one item after the other. Start from all zero; memory is reused. */
struct renderings {
  struct rendering *rows; /* (capacity) */
  size_t capacity;
};
void renderings_free(struct renderings *renderings);

/* Whose hypotheses are rendered, and how. */
struct rendered {
  const struct model *model;
  const struct search *search;
  const struct translator_item *item;
  bool forced;          /* to say the item's reference */
  bool replace_unknown; /* by the source word that was looked at most */
};

/* Its `count` best hypotheses, at least one; of an item without any the only rendering is empty. */
elman_status render(struct renderings *renderings, const struct rendered *rendered, size_t count,
                    elman_error *error) CHECKED;

#endif
