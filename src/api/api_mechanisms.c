#include "api/call.h"
#include "model/matrix_attention.h"

bool elman_attention_parameter(elman_tensor *weight, const char *mechanism, size_t width,
                               size_t index) {
  enum attention_kind kind;
  struct attention_parameters parameters = {0};
  struct attention_part part;
  if (!attention_parse(&kind, mechanism) ||
      !attention_part_at(&part, &parameters, kind, width, index))
    return false;
  *weight = (elman_tensor){.name = part.name, .rows = part.rows, .columns = part.columns};
  return true;
}

elman_status elman_attention_parameters_load(elman_tensor **weights, size_t *count,
                                             const char *path, const char *mechanism, size_t width,
                                             elman_error *error) {
  enum attention_kind kind;
  *weights = NULL;
  *count = 0;
  if (!attention_parse(&kind, mechanism))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "unknown attention mechanism \"%s\"",
                mechanism);
  return attention_parameters_load(weights, count, path, kind, width, error);
}

elman_attention_options elman_attention_options_default(void) {
  return (elman_attention_options){
      .mechanism = elman_attention_name(ATTENTION_DOT), .heads = 1, .key_length = ELMAN_ALL_KEYS};
}

/* Run the attention. Set *output unless it is NULL. */
static elman_status run(elman_attention_output **output, const elman_attention_input *input,
                        const elman_attention_options *options,
                        const elman_attention_gradients *gradients, const float *dcontext,
                        elman_error *error) {
  const elman_attention_options defaults = elman_attention_options_default();
  struct matrix_attention a;
  struct surroundings before;
  elman_status status = matrix_attention_start(&a, input, options == NULL ? &defaults : options,
                                               gradients, dcontext, error);
  if (status == ELMAN_OK)
    status =
        enter(&before, 0,
              (double)input->query_count * (double)input->key_count * (double)input->width, error);
  if (status == ELMAN_OK) {
    status = matrix_attention_run(&a, error);
    leave(before);
  }
  if (status == ELMAN_OK && output != NULL) status = matrix_attention_output(output, &a, error);
  matrix_attention_free(&a);
  return status;
}

elman_status elman_attention_forward(elman_attention_output **output,
                                     const elman_attention_input *input,
                                     const elman_attention_options *options, elman_error *error) {
  *output = NULL;
  return run(output, input, options, NULL, NULL, error);
}

elman_status elman_attention_backward(const elman_attention_gradients *gradients,
                                      const float *dcontext, const elman_attention_input *input,
                                      const elman_attention_options *options, elman_error *error) {
  return run(NULL, input, options, gradients, dcontext, error);
}
