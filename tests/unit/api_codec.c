/* Conversion of text to ids and back through the public API. */
#include "api.h"

static elman_model *model_of(elman_token_mode source, elman_token_mode target) {
  owned_pairs *pairs = read_pairs(data_file("daily.test.zh-en.tsv"));
  elman_model_options options = elman_model_options_default();
  options.embedding_size = options.hidden_size = 8;
  options.source_tokens = source;
  options.target_tokens = target;
  options.subwords = target == ELMAN_TOKENS_BPE ? 50 : 0;
  return create(pairs, &options);
}

static elman_encoding *encoded(const elman_model *model, elman_side side, const char *text) {
  elman_encoding *coded;
  succeeds(elman_encode(&coded, model, side, text, strlen(text), &why));
  return coded;
}

static elman_encoding *decoded(const elman_model *model, elman_side side, const uint32_t *ids,
                               size_t count) {
  elman_encoding *coded;
  succeeds(elman_decode(&coded, model, side, ids, count, &why));
  return coded;
}

/* Check that decoding the ids of a text returns the normalized text. */
static void check_back(const elman_model *model, elman_side side, const char *text,
                       const char *expected) {
  owned_encoding *there = encoded(model, side, text);
  owned_encoding *back = decoded(model, side, there->ids, there->count);
  cr_assert_str_eq(back->text, expected);
  cr_assert_eq(back->count, there->count);
  char shown[256] = "";
  for (size_t i = 0; i < there->count; i++)
    snprintf(shown + strlen(shown), sizeof shown - strlen(shown), "%s%s",
             i == 0 || there->joined[i] ? "" : " ", there->tokens[i]);
  cr_assert_str_eq(shown, expected);
}

Test(api_codec, encoding_round_trips, .init = enter_folder, .fini = leave_folder) {
  const elman_token_mode modes[] = {ELMAN_TOKENS_WORDS, ELMAN_TOKENS_CHARS, ELMAN_TOKENS_BPE};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    owned_model *model = model_of(modes[i], modes[i]);
    check_back(model, ELMAN_TARGET, "  We like   the cat ", "We like the cat");
    check_back(model, ELMAN_SOURCE, "我们喜欢猫", "我们喜欢猫");
    check_back(model, ELMAN_SOURCE, "", "");
  }
}

/* The codec and the translator use equal ids, for source and reference. */
Test(api_codec, ids_match_the_translator, .init = enter_folder, .fini = leave_folder) {
  owned_model *model = model_of(ELMAN_TOKENS_AUTO, ELMAN_TOKENS_BPE);
  owned_translator *translator = translator_of(model);
  const char *text = "我们喜欢她妈妈的猫", *reference = "We like zebras";
  const elman_sentence sentence = {.text = text,
                                   .length = strlen(text),
                                   .reference = reference,
                                   .reference_length = strlen(reference)};
  owned_translation *translation;
  succeeds(elman_translate_batch(&translation, NULL, translator, &sentence, 1, NULL, &why));
  owned_encoding *source = encoded(model, ELMAN_SOURCE, text);
  owned_encoding *target = encoded(model, ELMAN_TARGET, reference);
  cr_assert_eq(source->count, translation->source_count);
  cr_assert_arr_eq(source->ids, translation->source_ids, source->count * sizeof *source->ids);
  cr_assert_eq(target->count + 1, translation->target_count);
  cr_assert_arr_eq(target->ids, translation->target_ids, target->count * sizeof *target->ids);
  owned_encoding *said =
      decoded(model, ELMAN_TARGET, translation->target_ids, translation->target_count);
  cr_assert_str_eq(said->text, translation->text, "</s> says nothing");
}

Test(api_codec, text_is_normalized_before_encoding, .init = enter_folder, .fini = leave_folder) {
  owned_model *model = model_of(ELMAN_TOKENS_WORDS, ELMAN_TOKENS_WORDS);
  owned_encoding *coded = encoded(model, ELMAN_TARGET, "We  ze\u0301bra");
  cr_assert_str_eq(coded->text, "We z\u00E9bra");
  cr_assert_eq(coded->count, 2);
  cr_assert_neq(coded->ids[0], 0);
  cr_assert_eq(coded->ids[1], 0);
  owned_encoding *kept = encoded(model, ELMAN_TARGET, "Ｗe „zebra“");
  cr_assert_str_eq(kept->text, "Ｗe „zebra“", "the target is written as its users write it");
  owned_encoding *unified = encoded(model, ELMAN_SOURCE, "Ｗe?");
  cr_assert_str_eq(unified->text, "We？", "the source is unified");
  elman_encoding_free(NULL);
}

/* Both sides have merge operations, which the model file stores. */
Test(api_codec, saved_model_splits_like_the_original, .init = enter_folder, .fini = leave_folder) {
  static const char *const texts[] = {"我们的老师是他的老师", "their teacher is the other teacher"};
  owned_model *model = model_of(ELMAN_TOKENS_BPE, ELMAN_TOKENS_BPE), *loaded;
  cr_assert_eq(elman_model_save(model, MODEL, NULL), ELMAN_OK);
  succeeds(elman_model_load(&loaded, MODEL, &why));
  for (size_t i = 0; i < 4; i++) {
    const elman_side side = i % 2 == 0 ? ELMAN_SOURCE : ELMAN_TARGET;
    owned_encoding *now = encoded(model, side, texts[i / 2]);
    owned_encoding *then = encoded(loaded, side, texts[i / 2]);
    cr_assert_eq(now->count, then->count);
    cr_assert_arr_eq(now->ids, then->ids, now->count * sizeof *now->ids);
  }
  /* There are fewer tokens than letters, so merge operations were applied. */
  owned_encoding *english = encoded(loaded, ELMAN_TARGET, texts[1]);
  cr_assert_lt(english->count, 29);
}

Test(api_codec, invalid_input_is_rejected, .init = enter_folder, .fini = leave_folder) {
  owned_model *model = model_of(ELMAN_TOKENS_WORDS, ELMAN_TOKENS_WORDS);
  elman_encoding *coded = (elman_encoding *)&coded;
  check_error(elman_encode(&coded, model, ELMAN_SOURCE, "a\xFF", 2, &why), ELMAN_BAD_DATA,
              "byte 2 is not valid UTF-8", "");
  cr_assert_null(coded);
  const uint32_t ids[] = {0, UINT32_MAX};
  coded = (elman_encoding *)&coded;
  check_error(elman_decode(&coded, model, ELMAN_TARGET, ids, 2, &why), ELMAN_INVALID_ARGUMENT,
              "id 4294967295 of token 2 is not below", "");
  cr_assert_null(coded);
  cr_assert_eq(elman_decode(&coded, model, ELMAN_TARGET, ids, 2, NULL), ELMAN_INVALID_ARGUMENT);
}
