/* Test: double. */
/* Compare the whole network with central differences, in double precision, with one or a few of its
 * optional parts. network_shapes.c tests all combinations. */
#include "network_case.h"

Test(network_gradients, gradients_of_one_sentence_match) {
  struct model_config config = small_config();
  for (unsigned kind = 0; elman_attention_name(kind) != NULL; kind++) {
    choose_attention(&config, (enum attention_kind)kind);
    for (size_t s = 1; s <= 7; s++) {
      for (size_t t = 0; t <= 6; t++) { /* T = t + 1, including </s> */
        const size_t lengths[1][2] = {{s, t}};
        check_network(config, plain, lengths, 1);
      }
    }
  }
}

/* Options that every layer supports. Layer normalization of two units leaves little but a sign, so
 * each direction has three units. */
Test(network_gradients, gradients_with_layer_normalization_match) {
  for (unsigned cell = 0; elman_cell_name(cell) != NULL; cell++) {
    for (unsigned parts = 0; parts < 8; parts++) {
      struct model_config config = small_config();
      config.cell = elman_cell_name(cell);
      config.hidden_size = 6;
      config.layer_norm = true;
      config.layers = parts & 1 ? 2 : 1;
      config.bidirectional = parts & 2;
      config.attentional_layer = config.input_feeding = parts & 4;
      check_network(config, plain, mixed_lengths, 4);
    }
  }
}

Test(network_gradients, gradients_with_residual_connections_match) {
  for (unsigned cell = 0; elman_cell_name(cell) != NULL; cell++) {
    for (unsigned parts = 0; parts < 16; parts++) {
      struct model_config config = small_config();
      const struct regularization regularization = {
          .dropouts = {.units = {parts & 8 ? 0.3 : 0, {5, RANDOM_DROPOUT, 7}}}};
      config.cell = elman_cell_name(cell);
      config.residual = true;
      config.layers = parts & 8 ? 3 : 2;
      config.bidirectional = parts & 1;
      config.attentional_layer = config.input_feeding = parts & 2;
      config.encoder_self_attention = config.decoder_self_attention = parts & 4 ? 2 : 0;
      check_network(config, regularization, mixed_lengths, 4);
    }
  }
}

/* More tokens than the output layer keeps logits for at a time. */
Test(network_gradients, gradients_of_many_tokens_match) {
  const size_t lengths[1][2] = {{2, 900}};
  check_network(small_config(), (struct regularization){.label_smoothing = 0.1}, lengths, 1);
}

/* Dropout is a fixed mask within one update, so its gradient can be checked like any other. */
Test(network_gradients, gradients_with_regularization_match) {
  const struct regularization regularization = {
      .dropouts = {{0.3, {5, RANDOM_DROPOUT, 7}}, {0.2, {5, RANDOM_DROPOUT, 7}}},
      .label_smoothing = 0.1};
  for (unsigned i = 0; elman_cell_name(i / 2) != NULL; i++) {
    const bool feeding = i % 2;
    struct model_config config = small_config();
    config.cell = elman_cell_name(i / 2);
    config.layers = 2;
    config.attentional_layer = config.input_feeding = feeding;
    config.encoder_self_attention = config.decoder_self_attention = 2;
    check_network(config, regularization, mixed_lengths, 4);
  }
}

/* The masks of the two passes differ, because they depend on the position in the batch. */
Test(network_gradients, gradients_with_r_drop_match) {
  const struct regularization regularization = {
      .dropouts = {{0.3, {5, RANDOM_DROPOUT, 7}}, {0.2, {5, RANDOM_DROPOUT, 7}}},
      .label_smoothing = 0.1,
      .r_drop = 3,
      .guide = 0.2};
  for (unsigned i = 0; elman_cell_name(i / 2) != NULL; i++) {
    struct model_config config = small_config();
    config.cell = elman_cell_name(i / 2);
    config.bidirectional = config.attentional_layer = i % 2;
    check_network(config, regularization, mixed_lengths, 4);
  }
}

/* Guided alignment with every option of attention, and with dropout, which the guide ignores. */
Test(network_gradients, gradients_with_guide_match) {
  for (unsigned kind = 0; elman_attention_name(kind) != NULL; kind++) {
    for (unsigned parts = 0; parts < 8; parts++) {
      struct model_config config = small_config();
      const struct regularization regularization = {
          .dropouts = {.attention = {parts & 4 ? 0.3 : 0, {5, RANDOM_DROPOUT, 7}}}, .guide = 0.2};
      choose_attention(&config, (enum attention_kind)kind);
      config.bidirectional = parts & 1;
      config.attentional_layer = config.input_feeding = parts & 2;
      config.decoder_self_attention = parts & 2 ? 2 : 0;
      check_network(config, regularization, mixed_lengths, 4);
    }
  }
}

Test(network_gradients, gradients_with_clauses_match) {
  for (unsigned parts = 0; parts < 8; parts++) {
    struct model_config config = small_config();
    const struct regularization regularization = {.guide = parts & 4 ? 0.2 : 0};
    config.attention = elman_attention_name(ATTENTION_HIERARCHICAL);
    config.clause_segments = true;
    config.bidirectional = parts & 1;
    config.attentional_layer = config.input_feeding = parts & 2;
    check_network(config, regularization, mixed_lengths, 4);
  }
}
