/* Test: double, slow. */
/* Compare the whole network with central differences, in double precision, for every combination of
 * its options. */
#include "network_case.h"

/* Check every cell and mechanism with every optional part of the network, on mixed lengths. */
static void check_every_shape(enum cell_kind cell) {
  for (unsigned kind = 0; elman_attention_name(kind) != NULL; kind++) {
    for (unsigned parts = 0; parts < 32; parts++) {
      struct model_config config = small_config();
      choose_attention(&config, (enum attention_kind)kind);
      config.cell = elman_cell_name(cell);
      config.layers = parts & 1 ? 2 : 1;
      config.bidirectional = parts & 2;
      config.attentional_layer = parts & 4;
      config.input_feeding = parts & 8;
      config.tie_embeddings = parts & 16;
      if (!config.attentional_layer && (config.input_feeding || config.tie_embeddings)) continue;
      check_network(config, plain, mixed_lengths, 4);
    }
  }
}

#define EVERY_SHAPE(KIND, name)                                                                    \
  Test(network_shapes, gradients_match_with_##name) {                                              \
    check_every_shape(CELL_##KIND);                                                                \
  }
RNN_CELLS(EVERY_SHAPE)

Test(network_shapes, gradients_with_self_attention_match) {
  for (unsigned cell = 0; elman_cell_name(cell) != NULL; cell++) {
    for (unsigned parts = 0; parts < 64; parts++) {
      struct model_config config = small_config();
      config.cell = elman_cell_name(cell);
      choose_attention(&config, parts & 1 ? ATTENTION_MULTIHEAD : ATTENTION_DOT);
      config.encoder_self_attention = parts & 2 ? 2 : 0;
      config.decoder_self_attention = parts & 4 ? 2 : 0;
      config.plain_self_attention = parts & 8;
      config.attentional_layer = config.input_feeding = parts & 16;
      config.bidirectional = parts & 32;
      config.layers = parts & 32 ? 2 : 1;
      if (config.encoder_self_attention + config.decoder_self_attention == 0) continue;
      check_network(config, plain, mixed_lengths, 4);
    }
  }
}
