/* Models through the public API. */
#include "api.h"

TestSuite(api, .init = enter_folder, .fini = leave_folder);

/* ---- models ---- */

static void check_not_created(elman_model_options options, const char *message) {
  owned_pairs *pairs = toy();
  elman_model *model = (elman_model *)&model;
  check_error(elman_model_create(&model, pairs, &options, NULL, &why), ELMAN_INVALID_ARGUMENT,
              message, "");
  cr_assert_null(model);
  cr_assert_eq(elman_model_create(&model, pairs, &options, NULL, NULL), ELMAN_INVALID_ARGUMENT);
}

Test(api, invalid_models_are_rejected) {
  elman_model_options options = elman_model_options_default();
  options.hidden_size = 0;
  check_not_created(options, "hidden_size must be a whole number from 1 to 16384, not 0");
  options = elman_model_options_default();
  options.attention = "bahdanau";
  check_not_created(options, "attention must be one of dot, scaled, general");
  check_not_created(options, "hierarchical, not 'bahdanau'; did you mean 'additive'?");
  options = elman_model_options_default();
  options.normalization = ELMAN_NFKC_WIDE;
  check_not_created(options,
                    "normalization must be one of nfc, nfkc, none, auto, auto-lower, not 5");
}

Test(api, model_information) {
  owned_model *model = small_model();
  const elman_model_info info = elman_model_get_info(model);
  cr_assert_gt(info.source_counts.spaced, 0);
  cr_assert_eq(info.source_counts.unspaced, 0);
  size_t length;
  uint64_t count;
  cr_assert_str_eq(elman_model_get_token(model, ELMAN_SOURCE, 0, NULL, NULL), "<unk>");
  const char *end = elman_model_get_token(model, ELMAN_TARGET, 2, &length, &count);
  cr_assert_eq(length, 4);
  cr_assert_arr_eq(end, "</s>", 4);
  cr_assert_eq(count, 0);
  const char *frequent = elman_model_get_token(model, ELMAN_TARGET, 3, &length, &count);
  cr_assert_eq(length, 2);
  cr_assert_arr_eq(frequent, "is", 2);
  cr_assert_eq(count, 3);
}

/* Options are used during the call only. The names that they point to may be freed afterwards. */
Test(api, option_names_are_copied) {
  char cell[] = "gru", attention[] = "general", schedule[] = "inverse-sqrt";
  owned_pairs *pairs = toy();
  elman_model_options options = elman_model_options_default();
  elman_train_options training = elman_train_options_default();
  options.embedding_size = options.hidden_size = 8;
  options.cell = cell;
  options.attention = attention;
  training.schedule = schedule;
  training.epochs = 1;
  owned_model *model = create(pairs, &options);
  memset(cell, 'x', sizeof cell - 1);
  memset(attention, 'x', sizeof attention - 1);
  cr_assert_eq(elman_train(model, pairs, &training, NULL), ELMAN_OK);
  memset(schedule, 'x', sizeof schedule - 1);
  const elman_model_info info = elman_model_get_info(model);
  cr_assert_str_eq(info.cell, "gru");
  cr_assert_str_eq(info.attention, "general");
  cr_assert_str_eq(info.training.schedule, "inverse-sqrt");
}

Test(api, heads_and_window_have_defaults) {
  static const struct {
    const char *attention;
    size_t heads, window;
  } expected[] = {{"dot", 1, 0}, {"multihead", 4, 0}, {"local", 1, 5}};
  owned_pairs *pairs = toy();
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    elman_model_options options = elman_model_options_default();
    options.attention = expected[i].attention;
    options.embedding_size = options.hidden_size = 8;
    owned_model *model = create(pairs, &options);
    const elman_model_info info = elman_model_get_info(model);
    cr_assert_eq(info.attention_heads, expected[i].heads, "%s", expected[i].attention);
    cr_assert_eq(info.attention_window, expected[i].window, "%s", expected[i].attention);
  }
}

Test(api, vocabularies_can_be_limited) {
  owned_pairs *pairs = toy();
  elman_model_options options = elman_model_options_default();
  options.embedding_size = options.hidden_size = 4;
  options.min_count = 2;
  owned_model *frequent = create(pairs, &options);
  cr_assert_eq(elman_model_get_info(frequent).source_vocabulary, 2); /* <unk> 我 */
  cr_assert_eq(elman_model_get_info(frequent).target_vocabulary, 4); /* specials and is */
  options.min_count = 1;
  options.max_vocabulary = 7;
  owned_model *few = create(pairs, &options);
  cr_assert_eq(elman_model_get_info(few).source_vocabulary, 8);
  cr_assert_eq(elman_model_get_info(few).target_vocabulary, 10);
}

Test(api, unreadable_model_files_are_reported) {
  owned_model *model = (elman_model *)&model;
  check_error(elman_model_load(&model, "missing", &why), ELMAN_NO_INPUT, "No such file", "missing");
  cr_assert_null(model);
  model = small_model();
  check_error(elman_model_save(model, "", &why), ELMAN_CANNOT_CREATE, "is empty", "");
}

/* ---- the search that a model stores ---- */

Test(api, models_keep_their_search) {
  owned_model *model = small_model(), *loaded;
  elman_translate_options options = elman_model_translate_options(model);
  cr_assert_eq(elman_model_get_info(model).search.beam, 0);
  cr_assert_eq(options.beam, 1);
  cr_assert_eq(options.length_penalty, 1);
  cr_assert_eq(elman_model_set_search(model, (elman_search){7, 0.6}, NULL), ELMAN_OK);
  cr_assert_eq(elman_model_save_as(model, MODEL, ELMAN_BFLOAT16, NULL), ELMAN_OK);
  cr_assert_eq(elman_model_load(&loaded, MODEL, NULL), ELMAN_OK);
  options = elman_model_translate_options(loaded);
  cr_assert_eq(options.beam, 7);
  cr_assert_eq(options.length_penalty, 0.6);
  cr_assert_eq(elman_model_get_info(loaded).search.beam, 7);

  const elman_search bad[] = {{1025, 1}, {5, -0.1}, {5, 10.5}, {5, NAN}, {SIZE_MAX, 1}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    cr_assert_eq(elman_model_set_search(model, bad[i], NULL), ELMAN_INVALID_ARGUMENT);
  cr_assert_eq(elman_model_get_info(model).search.beam, 7, "a refused search changed the model");

  /* The search was chosen for other parameters. */
  owned_pairs *pairs = toy();
  train_epochs(model, pairs, 1);
  cr_assert_eq(elman_model_get_info(model).search.beam, 0);
}

/* auto-bpe splits English into subwords, and Chinese as auto does. */
Test(api, automatic_subwords) {
  put("pairs", "我爱茶\tI love tea\n他喝茶\tHe drinks tea\n");
  owned_pairs *pairs = read_pairs("pairs");
  elman_model *model;
  elman_model_options options = elman_model_options_default();
  options.source_tokens = options.target_tokens = ELMAN_TOKENS_AUTO_BPE;
  options.subwords = 4;
  cr_assert_eq(elman_model_create(&model, pairs, &options, NULL, NULL), ELMAN_OK);
  const elman_model_info info = elman_model_get_info(model);
  cr_assert_eq(info.source_tokens, ELMAN_TOKENS_CHARS);
  cr_assert_eq(info.target_tokens, ELMAN_TOKENS_BPE);
  cr_assert_eq(info.source_merges, 0);
  cr_assert_gt(info.target_merges, 0);
  elman_model_free(model);
  options.joint_subwords = true;
  cr_assert_eq(elman_model_create(&model, pairs, &options, NULL, NULL), ELMAN_OK);
  const elman_model_info joint = elman_model_get_info(model);
  cr_assert_eq(joint.source_tokens, ELMAN_TOKENS_BPE);
  cr_assert_eq(joint.source_merges, joint.target_merges);
  elman_model_free(model);
  options.source_tokens = ELMAN_TOKENS_CHARS;
  check_error(elman_model_create(&model, pairs, &options, NULL, &why), ELMAN_INVALID_ARGUMENT,
              "joint merge operations (`joint_subwords`) need the token mode bpe on both sides",
              "");
}

/* ---- models in memory ---- */

Test(api, bytes_in_memory_are_those_of_the_file) {
  owned_model *model = small_model();
  for (int type = ELMAN_FLOAT32; type <= ELMAN_INT8; type++) {
    char *bytes = NULL, *again = NULL;
    size_t size = 0, again_size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    cr_assert_eq(elman_model_write(stream, model, (elman_number_type)type, &why), ELMAN_OK);
    cr_assert_eq(fclose(stream), 0);
    cr_assert_eq(elman_model_save_as(model, MODEL, (elman_number_type)type, &why), ELMAN_OK);
    size_t length;
    char *stored = get_bytes(MODEL, &length);
    cr_assert_eq(length, size);
    cr_assert_arr_eq(stored, bytes, size);
    free(stored);

    owned_model *read = NULL;
    cr_assert_eq(elman_model_read(&read, bytes, size, &why), ELMAN_OK, "%s", why.message);
    stream = open_memstream(&again, &again_size);
    cr_assert_eq(elman_model_write(stream, read, (elman_number_type)type, &why), ELMAN_OK);
    cr_assert_eq(fclose(stream), 0);
    cr_assert_eq(again_size, size);
    cr_assert_arr_eq(again, bytes, size);

    elman_model *none = (elman_model *)&none;
    check_error(elman_model_read(&none, bytes, size - 1, &why), ELMAN_BAD_DATA, "truncated", "");
    cr_assert_null(none);
    bytes[size - 1] ^= 1;
    check_error(elman_model_read(&none, bytes, size, &why), ELMAN_BAD_DATA, "checksum", "");
    free(bytes);
    free(again);
  }
  elman_model *none = NULL;
  check_error(elman_model_read(&none, "", 0, &why), ELMAN_BAD_DATA, "it is empty", "");
  check_error(elman_model_read(&none, "a\tb\n", 4, &why), ELMAN_BAD_DATA, "shorter", "");
  check_error(elman_model_write(stdout, model, (elman_number_type)9, &why), ELMAN_INVALID_ARGUMENT,
              "number type 9", "");
}

/* ---- pairs from memory ---- */

static void count_skipped(void *context, const char *file, size_t line, elman_finding fault,
                          const char *problem) {
  size_t *places = context;
  cr_assert_str_eq(file, "pair");
  cr_assert_eq(fault, line == 2 ? ELMAN_FINDING_EMPTY : ELMAN_FINDING_NOT_UTF8);
  cr_assert_str_eq(problem,
                   line == 2 ? "the target is empty" : "the source is not valid UTF-8 at byte 2");
  *places = *places * 10 + line;
}

Test(api, pairs_from_memory) {
  const char *sources[] = {"我\t爱\n你", "爱", "x\xff", "学习"};
  const char *targets[] = {"I love you", " ", "y", "to study"};
  const char *links[] = {"0-0", "0-0", "0-0", "0-0 0-1"};
  size_t places = 0;
  elman_pairs_options options = elman_pairs_options_default();
  options.skipped = count_skipped;
  options.context = &places;
  owned_pairs *pairs = NULL;
  cr_assert_eq(elman_pairs_create(&pairs, sources, targets, links, 4, &options, &why), ELMAN_OK);
  cr_assert_eq(places, 23);
  cr_assert_eq(elman_pairs_count(pairs), 2);
  cr_assert_eq(elman_pairs_skipped(pairs), 2);
  const elman_pair pair = elman_pairs_get(pairs, 1);
  cr_assert_eq(pair.source_length, strlen(sources[3]));
  cr_assert_arr_eq(pair.source, sources[3], pair.source_length);
  cr_assert_eq(pair.target_length, strlen(targets[3]));
  cr_assert_arr_eq(pair.target, targets[3], pair.target_length);
  cr_assert_eq(pair.alignment_length, strlen(links[3]));
  cr_assert_arr_eq(pair.alignment, links[3], pair.alignment_length);
  cr_assert_eq(pair.line, 4);
  cr_assert_str_eq(pair.file, "pair");

  elman_pairs *none = NULL;
  options.strict = true;
  check_error(elman_pairs_create(&none, sources, targets, NULL, 4, &options, &why), ELMAN_BAD_DATA,
              "the target is empty", "pair:2");
  check_error(elman_pairs_create(&none, sources + 1, targets + 1, NULL, 2, NULL, &why),
              ELMAN_BAD_DATA, "no usable sentence pair; 2 skipped; the first, pair:1, the target",
              "");
  check_error(elman_pairs_create(&none, sources, targets, NULL, 0, NULL, &why), ELMAN_BAD_DATA,
              "at least one", "");
  options.strict = false;
  options.skipped = NULL;
  options.check_alignments = true;
  links[0] = "7-0";
  links[3] = "0-9";
  check_error(elman_pairs_create(&none, sources, targets, links, 1, &options, &why), ELMAN_BAD_DATA,
              "must link word i of the source to word j of the target", "pair:1");
  options = elman_pairs_options_default();
  options.source_column = 2;
  check_error(elman_pairs_create(&none, sources, targets, NULL, 4, &options, &why),
              ELMAN_INVALID_ARGUMENT, "columns", "");
  cr_assert_null(none);
}

Test(api, pairs_of_a_file_have_their_lines) {
  put("pairs.tsv", "一\t\n我\tI\tx\n爱\tlove\n");
  const char *const files[] = {"pairs.tsv"};
  elman_pairs_options options = elman_pairs_options_default();
  options.files = files;
  options.file_count = 1;
  for (int whole = 0; whole < 2; whole++) {
    options.whole_lines = whole == 1;
    owned_pairs *pairs = NULL;
    cr_assert_eq(elman_pairs_read(&pairs, &options, &why), ELMAN_OK);
    const elman_pair pair = elman_pairs_get(pairs, 0);
    cr_assert_eq(pair.target_length, 1);
    cr_assert_arr_eq(pair.target, "I", 1);
    cr_assert_str_eq(pair.file, "pairs.tsv");
    cr_assert_eq(pair.line, 2);
    cr_assert_eq(elman_pairs_get(pairs, 1).line, 3);
  }
}
