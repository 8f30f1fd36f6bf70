#include "api/call.h"
#include "model/matrix_attention.h"

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
