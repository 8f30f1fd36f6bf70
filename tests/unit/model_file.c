/* The model file: saved data is read back unchanged, and a failed save keeps the old file. */
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "config_of.h"
#include "model_file.h"

#include "elman/version.h"

/* ---- writing and reading back ---- */

static void check_same_vocabulary(const struct vocabulary *a, const struct vocabulary *b) {
  cr_assert_eq(vocabulary_size(a), vocabulary_size(b));
  for (size_t id = 0; id < vocabulary_size(a); id++) {
    cr_assert(text_equal(vocabulary_token(a, id), vocabulary_token(b, id)));
    cr_assert_eq(vocabulary_count(a, id), vocabulary_count(b, id));
  }
}

Test(model_file, saved_model_is_read_back) {
  owned_model *model = make_model(), *loaded;
  /* Values at the ends of the range, which a conversion to text could change. */
  const float extremes[] = {-0.0f, 1e-45f, 3.4028234e38f, -3.4028234e38f, 1.1754944e-38f};
  for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++)
    model->weights.encoder.embedding[i] = (real)extremes[i];
  cr_assert_eq(model_save(model, FILE_NAME, NULL), ELMAN_OK);
  cr_assert_eq(model_load(&loaded, FILE_NAME, NULL), ELMAN_OK);
  cr_assert_eq(loaded->config.embedding_size, E);
  cr_assert_eq(loaded->config.hidden_size, H);
  cr_assert_eq(loaded->config.source_vocabulary, 4);
  cr_assert_eq(loaded->config.target_vocabulary, 6);
  cr_assert_str_eq(loaded->config.attention, "scaled");
  cr_assert_eq(loaded->config.source_tokens, ELMAN_TOKENS_SPACE);
  cr_assert_eq(loaded->config.target_tokens, ELMAN_TOKENS_WORDS);
  cr_assert_eq(loaded->config.source_normalization, ELMAN_NFC);
  cr_assert_eq(loaded->config.target_normalization, ELMAN_NFKC);
  check_same_vocabulary(loaded->source_vocabulary, model->source_vocabulary);
  check_same_vocabulary(loaded->target_vocabulary, model->target_vocabulary);
  cr_assert_eq(loaded->table.block, model->table.block);
  for (size_t i = 0; i < model->table.block; i++) {
    const real stored = (real)(float)model->block[i]; /* files contain floats */
    cr_assert_eq(memcmp(&loaded->block[i], &stored, sizeof stored), 0);
  }
}

Test(model_file, history) {
  owned_model *model = make_model(), *loaded;
  elman_history history;
  double weights = 0;
  struct good_file other = good_file();
  put_file(other.header, strlen(other.header), other.data, other.data_size);
  free_good(&other);
  cr_assert_eq(elman_model_read_history(&history, FILE_NAME, NULL), ELMAN_OK);
  cr_assert(isinf(history.work), "another program wrote the file");
  cr_assert_eq(model_save(model, FILE_NAME, NULL), ELMAN_OK);
  cr_assert_eq(elman_model_read_history(&history, FILE_NAME, NULL), ELMAN_OK);
  cr_assert(history.epochs == 0 && history.updates == 0 && history.tokens == 0);
  cr_assert_eq(history.work, 0);
  model->past.history = (elman_history){3, 70, 5000000000, 0};
  cr_assert_eq(model_save(model, FILE_NAME, NULL), ELMAN_OK);
  cr_assert_eq(model_load(&loaded, FILE_NAME, NULL), ELMAN_OK);
  cr_assert_eq(memcmp(&loaded->past.history, &model->past.history, sizeof history), 0);
  cr_assert_eq(elman_model_read_history(&history, FILE_NAME, NULL), ELMAN_OK);
  for (size_t i = 0; i < model->table.count; i++)
    if (strcmp(model->table.rows[i].name, "encoder.embedding.weight") != 0 &&
        strcmp(model->table.rows[i].name, "decoder.embedding.weight") != 0)
      weights += (double)parameter_size(&model->table.rows[i]);
  cr_assert(history.epochs == 3 && history.updates == 70 && history.tokens == 5000000000);
  cr_assert_eq(history.work, 5e9 * weights);
}

Test(model_file, saving_is_deterministic) {
  owned_model *loaded;
  save_model("first");
  save_model("second");
  cr_assert_eq(model_load(&loaded, "first", NULL), ELMAN_OK);
  cr_assert_eq(model_save(loaded, "third", NULL), ELMAN_OK);
  check_equal_files("first", "second");
  check_equal_files("first", "third");
}

Test(model_file, unreadable_models_are_not_written) {
  struct model *model = make_model();
  save_model(FILE_NAME);
  model->weights.decoder.embedding[1] = (real)INFINITY;
  fails(model_save(model, FILE_NAME, &why), ELMAN_INVALID_ARGUMENT, "decoder.embedding.weight");
  model_free(model);
  cr_assert_eq(model_load(&model, FILE_NAME, NULL), ELMAN_OK, "the old file is lost");
  model_free(model);
}

/* The settings of an untrained model. */
#define TRAINING                                                                                   \
  "\\\"attention_dropout\\\":0.0,\\\"average\\\":0.0,\\\"batch_size\\\":32,\\\"batch_tokens\\\":"  \
  "0,\\\"bleu_tokens\\\":\\\"auto\\\","                                                            \
  "\\\"clip_norm\\\":1.0,\\\"copy_noise\\\":0.0,\\\"copy_numbers\\\":0.0,\\\"drop_marks\\\":0.0,"  \
  "\\\"drop_source_mark\\\":0.0,\\\"dropout\\\":0.0,\\\"epochs\\\":0,\\\"guide_weight\\\":0.0,"    \
  "\\\"joint_subwords\\\":false,\\\"label_smoothing\\\":0.0,\\\"learning_rate\\\":0.001,"          \
  "\\\"max_length\\\":200,\\\"max_vocabulary\\\":0,\\\"merge\\\":0.0,\\\"min_count\\\":1,"         \
  "\\\"normalization\\\":\\\"nfc\\\",\\\"optimizer\\\":\\\"adam\\\","                              \
  "\\\"orthogonal\\\":false,\\\"patience\\\":0,\\\"precision\\\":\\\"float32\\\","                 \
  "\\\"r_drop\\\":0.0,"                                                                            \
  "\\\"schedule\\\":\\\"constant\\\",\\\"seed\\\":1,\\\"shards\\\":1,\\\"source_subwords\\\":0,"   \
  "\\\"subword_dropout\\\":0.0,\\\"subwords\\\":0,\\\"title_case\\\":0.0,\\\"tokens\\\":0,"        \
  "\\\"typos\\\":0.0,\\\"updates\\\":0,\\\"upper_case\\\":0.0,"                                    \
  "\\\"validate_by\\\":\\\"auto\\\",\\\"validate_every\\\":0,\\\"warm_up\\\":0"

/* Compare the whole header with the documented one, byte by byte; PyTorch and other readers rely on
 * it. */
Test(model_file, header_is_as_documented) {
  static const char expected[] =
      "{\"__metadata__\":{\"format\":\"pt\",\"elman.format\":\"1\","
      "\"elman.version\":\"" ELMAN_VERSION "\","
      "\"elman.config\":\"{\\\"arithmetic\\\":\\\"fast\\\",\\\"attention\\\":\\\"scaled\\\","
      "\\\"attention_heads\\\":1,"
      "\\\"attention_window\\\":0,\\\"attentional_layer\\\":false,"
      "\\\"bidirectional\\\":false,\\\"cell\\\":\\\"elman\\\",\\\"clause_segments\\\":false,"
      "\\\"decoder_self_attention\\\":0,"
      "\\\"embedding_size\\\":3,"
      "\\\"encoder_self_attention\\\":0,\\\"hidden_size\\\":2,\\\"input_feeding\\\":false,"
      "\\\"layer_norm\\\":false,\\\"layers\\\":1,\\\"plain_self_attention\\\":false,"
      "\\\"residual\\\":false,"
      "\\\"source_language\\\":\\\"\\\","
      "\\\"source_normalization\\\":\\\"nfc\\\",\\\"source_tokens\\\":\\\"space\\\","
      "\\\"source_vocabulary\\\":4,\\\"target_language\\\":\\\"\\\","
      "\\\"target_normalization\\\":\\\"nfkc\\\","
      "\\\"target_tokens\\\":\\\"words\\\","
      "\\\"target_vocabulary\\\":6,\\\"tie_embeddings\\\":false}\","
      "\"elman.training\":\"{" TRAINING "}\","
      "\"elman.source_vocab\":\"[\\\"<unk>\\\",\\\"我\\\",\\\"爱\\\",\\\"学习\\\"]\","
      "\"elman.source_counts\":\"[0,1,4,9]\","
      "\"elman.target_vocab\":\"[\\\"<unk>\\\",\\\"<s>\\\",\\\"</s>\\\",\\\"love\\\","
      "\\\"\\\\\\\"\\\\\\\\\\\\t\\\",\\\"\xF0\x9F\x99\x82\\\"]\","
      "\"elman.target_counts\":\"[0,0,0,9,16,25]\","
      "\"elman.checksum\":\"xxh64:0123456789abcdef\"},"
      "\"encoder.embedding.weight\":{\"dtype\":\"F32\",\"shape\":[4,3],\"data_offsets\":[0,48]},"
      "\"encoder.rnn.weight_ih_l0\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[48,72]},"
      "\"encoder.rnn.weight_hh_l0\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[72,88]},"
      "\"encoder.rnn.bias_ih_l0\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[88,96]},"
      "\"encoder.rnn.bias_hh_l0\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[96,104]},"
      "\"decoder.embedding.weight\":{\"dtype\":\"F32\",\"shape\":[6,3],\"data_offsets\":[104,176]},"
      "\"decoder.rnn.weight_ih_l0\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[176,200]},"
      "\"decoder.rnn.weight_hh_l0\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[200,216]},"
      "\"decoder.rnn.bias_ih_l0\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[216,224]},"
      "\"decoder.rnn.bias_hh_l0\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[224,232]},"
      "\"decoder.out.weight\":{\"dtype\":\"F32\",\"shape\":[6,4],\"data_offsets\":[232,328]},"
      "\"decoder.out.bias\":{\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[328,352]}}";
  save_model(FILE_NAME);
  size_t length;
  owned char *bytes = get_bytes(FILE_NAME, &length);
  const uint64_t header = header_length(bytes);
  cr_assert_eq(header % 8, 0, "the data is aligned");
  cr_assert_eq(length, LENGTH_BYTES + header + 352);
  cr_assert_geq(header, sizeof expected - 1);
  cr_assert_lt(header, sizeof expected - 1 + 8);
  char *sum = memmem(bytes, length, "xxh64:", 6);
  cr_assert_not_null(sum);
  cr_assert_eq(strspn(sum + 6, "0123456789abcdef"), 16);
  memcpy(sum + 6, "0123456789abcdef", 16); /* the weights are random, and so is their checksum */
  cr_assert_arr_eq(bytes + LENGTH_BYTES, expected, sizeof expected - 1);
  for (size_t i = sizeof expected - 1; i < header; i++) cr_assert_eq(bytes[LENGTH_BYTES + i], ' ');
}

/* A header of any length is padded to the next multiple of 8 bytes. */
Test(model_file, headers_have_minimal_padding) {
  bool whole = false; /* one length needs no padding */
  for (int length = 1; length <= 8; length++) {
    char *bytes = NULL, word[16];
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    snprintf(word, sizeof word, "%0*d", length, 0);
    json_t *metadata = json_pack("{s:s}", "key", word);
    cr_assert_eq(safetensors_write(stream, metadata, NULL, 0, NULL), ELMAN_OK);
    cr_assert_eq(fclose(stream), 0);
    const uint64_t header = header_length(bytes);
    cr_assert_eq(header % 8, 0);
    cr_assert_eq(size, LENGTH_BYTES + header);
    size_t spaces = 0;
    while (bytes[size - 1 - spaces] == ' ') spaces++;
    cr_assert_lt(spaces, 8);
    whole = whole || spaces == 0;
    json_decref(metadata);
    free(bytes);
  }
  cr_assert(whole);
}

/* ---- numbers of half the size ---- */

static size_t file_size(const char *path) {
  struct stat info;
  cr_assert_eq(stat(path, &info), 0);
  return (size_t)info.st_size;
}

Test(model_file, half_size_files_contain_the_rounded_values) {
  static const struct {
    elman_number_type type;
    double error; /* half the distance of neighbors, relative to the value */
  } halves[] = {{ELMAN_BFLOAT16, 0x1p-8}, {ELMAN_FLOAT16, 0x1p-11}};
  owned_model *model = make_model();
  cr_assert_eq(model_save(model, FILE_NAME, NULL), ELMAN_OK);
  const size_t whole = file_size(FILE_NAME);
  for (size_t t = 0; t < 2; t++) {
    owned_model *half, *again;
    cr_assert_eq(model_save_as(model, "half", halves[t].type, NULL), ELMAN_OK);
    cr_assert_lt(file_size("half"), whole);
    cr_assert_eq(model_load(&half, "half", NULL), ELMAN_OK);
    for (size_t i = 0; i < model->table.count; i++) {
      const struct parameter *row = &half->table.rows[i];
      cr_assert_eq(row->stored, halves[t].type);
      for (size_t k = 0; k < parameter_size(row); k++) {
        const double exact = (double)model->block[row->offset + k];
        const double error = fabs((double)half->block[row->offset + k] - exact);
        /* Below 2^-14, neighbors of float16 are 2^-24 apart. */
        cr_assert_leq(error, fmax(halves[t].error * fabs(exact), 0x1p-25), "%s[%zu]", row->name, k);
      }
    }
    /* Values that a type can represent stay the same. */
    cr_assert_eq(model_save(half, "wide", NULL), ELMAN_OK);
    cr_assert_eq(model_load(&again, "wide", NULL), ELMAN_OK);
    cr_assert_arr_eq(again->block, half->block, half->table.block * sizeof(real));
    cr_assert_eq(model_save_as(again, "again", halves[t].type, NULL), ELMAN_OK);
    check_equal_files("half", "again");
  }
}

Test(model_file, values_too_large_for_the_type_are_not_written) {
  owned_model *model = make_model();
  model->block[0] = (real)65520;
  fails(model_save_as(model, "half", ELMAN_FLOAT16, &why), ELMAN_INVALID_ARGUMENT,
        "contains 65520, which is too large for float16");
  cr_assert_eq(access("half", F_OK), -1);
  cr_assert_eq(model_save_as(model, "half", ELMAN_BFLOAT16, &why), ELMAN_OK);
}

/* ---- lists ---- */

/* The JSON as other writers may format it. */
Test(model_file, list_formatting_does_not_matter) {
  static const char source[] = "\"[\\\"<unk>\\\",\\\"我\\\",\\\"爱\\\",\\\"学习\\\"]\"";
  static const char spaced[] =
      "\" [ \\\"<unk>\\\" ,\\n\\\"\\\\u6211\\\", \\\"爱\\\", \\\"\\\\u5b66习\\\" ] \"";
  static const struct {
    const char *find, *replacement;
  } ways[] = {{source, spaced}, {"\"[0,1,4,9]\"", "\"[0, 1, 4, 9]\\n\""}};
  owned_by(free_good) struct good_file good = good_file();
  struct model *expected = make_model(), *model;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    put_replaced(&good, ways[i].find, ways[i].replacement);
    succeeds(model_load(&model, FILE_NAME, &why));
    check_same_vocabulary(model->source_vocabulary, expected->source_vocabulary);
    model_free(model);
  }
  model_free(expected);
}

/* ---- writing that fails ---- */

static void check_not_saved(const char *path, elman_status expected, const char *message) {
  owned_model *model = make_model();
  cr_assert_eq(model_save(model, path, &why), expected, "%s", why.message);
  cr_assert_not_null(strstr(why.where, path), "\"%s\" does not name %s", why.where, path);
  cr_assert_not_null(strstr(why.message, message), "%s", why.message);
}

Test(model_file, failed_save_keeps_the_old_file) {
  size_t whole;
  save_model(FILE_NAME);
  free(get_bytes(FILE_NAME, &whole));
  put_bytes(FILE_NAME, "old", 3);
  signal(SIGXFSZ, SIG_IGN);
  /* Fail in the middle of the header, and in the middle of the weights. */
  const rlim_t limits[] = {100, whole - 10};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct rlimit before;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {limits[i], before.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    check_not_saved(FILE_NAME, ELMAN_IO, "File too large");
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    size_t length;
    owned char *bytes = get_bytes(FILE_NAME, &length);
    cr_assert_str_eq(bytes, "old");
    cr_assert_eq(each_entry(NULL), 1, "the temporary file is gone");
  }
}

/* Each quote takes four bytes, because it is escaped in the list of words and again in the
 * header. */
Test(model_file, too_large_vocabularies_are_rejected) {
  enum { QUOTES = 26000000 };
  owned char *word = malloc(QUOTES + 1);
  cr_assert_not_null(word);
  memset(word, '"', QUOTES);
  word[QUOTES] = '\0';
  const char *const source[] = {"<unk>", word}, *const target[] = {"<unk>", "<s>", "</s>"};
  struct vocabulary_pair vocabularies = {.source_mode = ELMAN_TOKENS_SPACE,
                                         .target_mode = ELMAN_TOKENS_SPACE,
                                         .source = vocabulary_of(source, squares, 2, ELMAN_SOURCE),
                                         .target = vocabulary_of(target, squares, 3, ELMAN_TARGET)};
  const struct model_config config = config_of(0, 0, E, H);
  owned_model *model;
  cr_assert_eq(model_create(&model, vocabularies, config, NULL), ELMAN_OK);
  fails(model_save(model, FILE_NAME, &why), ELMAN_INVALID_ARGUMENT,
        "the vocabularies are too large");
  cr_assert_eq(each_entry(NULL), 0, "no file remains");
}

Test(model_file, unwritable_paths_are_reported) {
  cr_assert_eq(mkdir("directory", 0700), 0);
  check_not_saved("directory", ELMAN_CANNOT_CREATE, "is a directory");
  check_not_saved("missing/model", ELMAN_CANNOT_CREATE, "No such file or directory");
  if (access("/dev/full", W_OK) == 0) check_not_saved("/dev/full", ELMAN_IO, "No space left");
  cr_assert_eq(each_entry(NULL), 1);
}

Test(model_file, read_only_directory_is_reported) {
  if (geteuid() == 0) SKIP_IN_FOLDER("root writes everywhere");
  put_bytes(FILE_NAME, "old", 3);
  cr_assert_eq(chmod(".", 0500), 0);
  check_not_saved(FILE_NAME, ELMAN_CANNOT_CREATE, "Permission denied");
  cr_assert_eq(chmod(".", 0700), 0);
  size_t length;
  owned char *bytes = get_bytes(FILE_NAME, &length);
  cr_assert_str_eq(bytes, "old");
}
