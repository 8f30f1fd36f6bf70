/* Test: text. */
/* Suggestions for unknown names. */
#include "elman/suggestion.h"

#include <criterion/criterion.h>
#include <string.h>

/* Names of options, choices and operands, as a command would offer them. */
static const char *const known[] = {
    "learning-rate", "schedule",       "layers",     "epochs",       "embedding-size",
    "hidden-size",   "dropout",        "batch-size", "beam",         "length-penalty",
    "max-length",    "listen",         "host",       "output",       "save-every",
    "input-feeding", "attention",      "cell",       "elman",        "gru",
    "additive",      "general",        "bfloat16",   "inverse-sqrt", "quit",
    "optimizer",     "max-vocabulary", "top-k",      "zsh",          "int8"};

static const char *best_for(const char *typed) {
  elman_suggestion suggestion = {0};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    elman_suggestion_offer(&suggestion, typed, known[i]);
  return suggestion.best;
}

Test(suggestion, names_that_users_type) {
  static const struct {
    const char *typed, *meant;
  } cases[] = {
      /* typing errors and abbreviations */
      {"epoch", "epochs"},
      {"eopchs", "epochs"},
      {"attn", "attention"},
      {"hidden", "hidden-size"},
      {"emb-size", "embedding-size"},
      {"len-pen", "length-penalty"},
      /* case, '_' and missing hyphens */
      {"GRU", "gru"},
      {"Hidden_Size", "hidden-size"},
      {"batchsize", "batch-size"},
      /* a word more */
      {"num-layers", "layers"},
      {"n_layers", "layers"},
      {"rnn-layers", "layers"},
      {"max-epochs", "epochs"},
      {"train-epochs", "epochs"},
      {"dropout-rate", "dropout"},
      {"lstm-hidden-size", "hidden-size"},
      {"enc_dropout", "dropout"},
      {"max-legnth", "max-length"},
      {"output-file", "output"},
      /* names of other programs */
      {"learning-rate-decay", "schedule"},
      {"embed-dim", "embedding-size"},
      {"beam-size", "beam"},
      {"beamsize", "beam"},
      {"num_beams", "beam"},
      {"vocab-size", "max-vocabulary"},
      {"port", "listen"},
      {"save", "output"},
      {"rnn-type", "cell"},
      {"vanilla", "elman"},
      {"Bahdanau", "additive"},
      {"luong", "general"},
      {"bf16", "bfloat16"},
      {"noam", "inverse-sqrt"},
      {"optim", "optimizer"},
      {"exit", "quit"},
      {"ALPHA", "length-penalty"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *best = best_for(cases[i].typed);
    cr_assert(best != NULL && strcmp(best, cases[i].meant) == 0, "%s for %s",
              best == NULL ? "nothing" : best, cases[i].typed);
  }
}

Test(suggestion, no_suggestion_is_better_than_a_wrong_one) {
  static const char *const typed[] = {
      "",      "x",    "l",        "lt",           "frob",
      "ksh",   "post", "no-cell",  "no-attention", "no_layers",
      "top-p", "min",  "language", "verbose",      "test",
      "decay", "size", "int4",     "int16",        "a-name-of-more-than-32-characters"};
  for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
    cr_assert_null(best_for(typed[i]), "%s for %s", best_for(typed[i]), typed[i]);
}

Test(suggestion, the_most_similar_candidate_is_kept) {
  elman_suggestion suggestion = {0};
  elman_suggestion_offer(&suggestion, "beta", "betas");
  cr_assert_eq(suggestion.distance, 1);
  elman_suggestion_offer(&suggestion, "beta", "coverage-penalty");
  cr_assert_str_eq(suggestion.best, "coverage-penalty");
  cr_assert_eq(suggestion.distance, 0);
  elman_suggestion_offer(&suggestion, "beta", "betb");
  cr_assert_str_eq(suggestion.best, "coverage-penalty");
}

Test(suggestion, reasons) {
  cr_assert_str_eq(elman_suggestion_reason("AdamW"), "the optimizers are adam and muon");
  cr_assert_str_eq(elman_suggestion_reason("use_CUDA"), "elman computes on the processor");
  cr_assert_str_eq(elman_suggestion_reason("top-p"), "samples are limited by top-k only");
  cr_assert_null(elman_suggestion_reason("learning-rate"));
  cr_assert_null(elman_suggestion_reason(""));
}
