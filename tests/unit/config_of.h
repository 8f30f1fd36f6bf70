/* The shape of a small network: one layer on each side and one head of attention. */
#ifndef ELMAN_TESTS_CONFIG_OF_H
#define ELMAN_TESTS_CONFIG_OF_H

#include "model/model.h"

/* The numbers of words are 0 where model_create() takes them from the vocabularies. */
static inline struct model_config config_of(size_t source_words, size_t target_words,
                                            size_t embedding_size, size_t hidden_size) {
  return (struct model_config){.source_vocabulary = source_words,
                               .target_vocabulary = target_words,
                               .embedding_size = embedding_size,
                               .hidden_size = hidden_size,
                               .layers = 1,
                               .attention_heads = 1,
                               .min_count = 1};
}

#endif
