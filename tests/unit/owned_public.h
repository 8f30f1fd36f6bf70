/* Objects of the public library that are released at the end of the block that declares them. */
#ifndef ELMAN_TESTS_OWNED_PUBLIC_H
#define ELMAN_TESTS_OWNED_PUBLIC_H

#include "elman.h"
#include "owned.h"

RELEASE(model, elman_model, elman_model_free);
RELEASE(pairs, elman_pairs, elman_pairs_free);
RELEASE(translator, elman_translator, elman_translator_free);
RELEASE(translation, elman_translation, elman_translation_free);
RELEASE(training, elman_training, elman_training_free);
RELEASE(output, elman_attention_output, elman_attention_output_free);
RELEASE(report, elman_gradient_report, elman_gradient_report_free);
RELEASE(trace, elman_gradient_trace, elman_trace_free);
RELEASE(encoding, elman_encoding, elman_encoding_free);
RELEASE(matrix, elman_matrix, elman_matrix_free);

#define owned_model owned_by(release_model) elman_model
#define owned_pairs owned_by(release_pairs) elman_pairs
#define owned_translator owned_by(release_translator) elman_translator
#define owned_translation owned_by(release_translation) elman_translation
#define owned_training owned_by(release_training) elman_training
#define owned_output owned_by(release_output) elman_attention_output
#define owned_report owned_by(release_report) elman_gradient_report
#define owned_trace owned_by(release_trace) elman_gradient_trace
#define owned_encoding owned_by(release_encoding) elman_encoding
#define owned_matrix owned_by(release_matrix) elman_matrix

#endif
