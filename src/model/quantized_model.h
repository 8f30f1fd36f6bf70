/* Models whose products use weights in eight bits. Everything else is that of the float model. */
#ifndef ELMAN_MODEL_QUANTIZED_MODEL_H
#define ELMAN_MODEL_QUANTIZED_MODEL_H

#include "model/ensemble.h"
#include "tensor/eight_bits.h"

/* A model with another view of its weights. */
struct quantized_model {
  struct model view;        /* borrows everything from `from`; its weights refer to the set */
  const struct model *from; /* borrowed */
  size_t trainings;         /* value of from->trainings when the set was made */
  struct eight_bits set;
};

/* The models of a search in eight bits. The caller initializes the struct with zeros. */
struct quantized_models {
  struct quantized_model **made; /* (made_count): each model once, the first one first */
  const elman_model **ensemble;  /* (count - 1): views of the members after the first */
  size_t made_count, made_capacity, ensemble_capacity;
};

/* Quantize the model, unless it is already quantized and has not been trained since, and the other
 * members of the ensemble in `options`. The model must outlive the struct, and the members must not
 * change before the next call. Set *view to the view of the model, and make the options refer to
 * the views of the other members. If the precision of the options is float32, only set *view to the
 * model. */
elman_status quantized_models_fit(struct quantized_models *models, const struct model **view,
                                  const struct model *model, elman_translate_options *options,
                                  elman_error *error) CHECKED;
void quantized_models_free(struct quantized_models *models);

#endif
