/* A model file is refused with a message, or loaded with finite parameters. Then it can translate.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "model/model_file.h"
#include "small_model.h"
#include "translate/translator.h"

size_t fuzz_make_seed(uint8_t *into, size_t most, size_t number) {
  static const struct model_config configs[] = {
      {.layers = 1, .attention_heads = 1},
      {.layers = 2, .attention_heads = 1, .bidirectional = true, .attention = "general"},
      {.layers = 2, .attention_heads = 1, .cell = "gru", .layer_norm = true, .residual = true},
      {.layers = 1,
       .attention_heads = 2,
       .attention = "multihead",
       .attentional_layer = true,
       .input_feeding = true,
       .tie_embeddings = true},
      {.layers = 1, .attention_heads = 1, .attention_window = 2, .attention = "local"},
      {.layers = 1, .attention_heads = 1, .attention = "sentinel"},
      {.layers = 1, .attention_heads = 1, .attention = "adaptive"},
      {.layers = 1, .attention_heads = 1, .attention_window = 3, .attention = "hierarchical"},
      {.layers = 1,
       .attention_heads = 1,
       .attention = "additive",
       .encoder_self_attention = 2,
       .decoder_self_attention = 2},
      {.layers = 1,
       .attention_heads = 1,
       .encoder_self_attention = 1,
       .plain_self_attention = true}};
  enum { CONFIGS = sizeof configs / sizeof *configs };
  if (number >= 2 * (size_t)CONFIGS) return 0;
  struct model *model = small_model(configs[number % CONFIGS]);
  const elman_number_type type = number < CONFIGS ? ELMAN_FLOAT32 : ELMAN_INT8;
  REQUIRE(model_save_as(model, fuzz_file("", 0), type, NULL) == ELMAN_OK);
  model_free(model);
  return fuzz_file_content(into, most);
}

static void translate(const struct model *model) {
  elman_translate_options options = elman_translate_options_default();
  const struct screen *screen;
  struct translator translator;
  static const char source[] = "我 新 茶 爱";
  const elman_sentence sentence = {.text = source, .length = sizeof source - 1};
  elman_translation *translation;
  options.max_length = 6;
  if (model_precision(model) == ELMAN_PRECISION_INT8)
    REQUIRE(model_in_eight_bits(&model, model, NULL) == ELMAN_OK);
  REQUIRE(model_screen(&screen, model, &options, NULL) == ELMAN_OK);
  translator_create(&translator, model, screen);
  REQUIRE(translator_run(&translator, &(const elman_sentence *){&sentence}, 1, &options, NULL) ==
          ELMAN_OK);
  if (translator.items[0].status == ELMAN_OK) {
    REQUIRE(translation_create(&translation, &translator, 0, NULL) == ELMAN_OK);
    elman_translation_free(translation);
  } else {
    REQUIRE(translator.items[0].error.message[0] != '\0');
  }
  translator_free(&translator);
}

bool fuzz_one(const uint8_t *bytes, size_t size) {
  elman_error error = {.message = ""};
  struct model *model;
  const elman_status status = model_load(&model, fuzz_file(bytes, size), &error);
  if (status != ELMAN_OK) {
    REQUIRE(status == ELMAN_BAD_DATA && model == NULL && error.message[0] != '\0');
    return false;
  }
  for (size_t i = 0; i < model->table.block; i++) REQUIRE(isfinite(model->block[i]));
  REQUIRE(vocabulary_size(model->source_vocabulary) == model->config.source_vocabulary);
  REQUIRE(vocabulary_size(model->target_vocabulary) == model->config.target_vocabulary);
  if (fuzz_one_in(4, bytes, size)) translate(model);
  model_free(model);
  return true;
}
