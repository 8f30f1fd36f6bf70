/* Objects of the library's modules that are released at the end of the block that declares them. */
#ifndef ELMAN_TESTS_OWNED_VALUES_H
#define ELMAN_TESTS_OWNED_VALUES_H

#include "corpus/check.h"
#include "corpus/pairs.h"
#include "model/model.h"
#include "owned.h"
#include "vocab/vocabulary.h"

RELEASE(model, struct model, model_free);
RELEASE(pairs, elman_pairs, elman_pairs_free);
RELEASE(vocabulary, struct vocabulary, vocabulary_free);
RELEASE(findings, elman_check, elman_check_free);
RELEASE(token_counter, struct token_counter, token_counter_free);

#define owned_model owned_by(release_model) struct model
#define owned_pairs owned_by(release_pairs) elman_pairs
#define owned_vocabulary owned_by(release_vocabulary) struct vocabulary
#define owned_findings owned_by(release_findings) elman_check
#define owned_token_counter owned_by(release_token_counter) struct token_counter

#endif
