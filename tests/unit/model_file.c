/* The model file: what is written comes back, and what is damaged or hostile is refused. */
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "folder.h"
#include "model/model_file.h"
#include "model/safetensors.h"
#include "translate/translator.h"

TestSuite(model_file, .init = enter_folder, .fini = leave_folder);

static const char FILE_NAME[] = "model.safetensors";
enum { LENGTH_BYTES = 8, E = 3, H = 2 };

/* ---- a small model ---- */

static struct vocabulary *vocabulary_of(const char *const *words, size_t count, elman_side side) {
  struct tokens tokens = {0};
  uint64_t counts[16];
  for (size_t i = 0; i < count; i++) {
    counts[i] = i * i;
    cr_assert_eq(tokens_add(&tokens, text_of(words[i]), NULL), ELMAN_OK);
  }
  struct vocabulary *vocabulary;
  cr_assert_eq(vocabulary_from_list(&vocabulary, &tokens, counts, side, NULL), ELMAN_OK);
  tokens_free(&tokens);
  return vocabulary;
}

/* Words that JSON has to escape are among them. */
static struct model *make_model(void) {
  static const char *const source[] = {"<unk>", "我", "爱", "学习"};
  static const char *const target[] = {"<unk>", "<s>",    "</s>",
                                       "love",  "\"\\\t", "\xF0\x9F\x99\x82"};
  struct vocabulary_pair vocabularies = {.source_mode = ELMAN_TOKENS_SPACE,
                                         .target_mode = ELMAN_TOKENS_WORDS,
                                         .target_normalization = ELMAN_NFKC,
                                         .source = vocabulary_of(source, 4, ELMAN_SOURCE),
                                         .target = vocabulary_of(target, 6, ELMAN_TARGET)};
  const struct model_config config = {.embedding_size = E,
                                      .hidden_size = H,
                                      .layers = 1,
                                      .attention_heads = 1,
                                      .attention = "scaled"};
  struct model *model;
  cr_assert_eq(model_create(&model, vocabularies, config, NULL), ELMAN_OK);
  cr_assert_eq(parameters_initialize(model->block, &model->table, INITIAL_PYTORCH, 3, NULL),
               ELMAN_OK);
  return model;
}

static void save_model(const char *path) {
  struct model *model = make_model();
  cr_assert_eq(model_save(model, path, NULL), ELMAN_OK);
  model_free(model);
}

/* ---- writing and reading back ---- */

static void check_same_vocabulary(const struct vocabulary *a, const struct vocabulary *b) {
  cr_assert_eq(vocabulary_size(a), vocabulary_size(b));
  for (size_t id = 0; id < vocabulary_size(a); id++) {
    cr_assert(text_equal(vocabulary_token(a, id), vocabulary_token(b, id)));
    cr_assert_eq(vocabulary_count(a, id), vocabulary_count(b, id));
  }
}

Test(model_file, what_is_saved_comes_back) {
  struct model *model = make_model(), *loaded;
  /* Numbers at the ends of the range, which a detour over text would spoil. */
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
    const real stored = (real)(float)model->block[i]; /* files hold floats */
    cr_assert_eq(memcmp(&loaded->block[i], &stored, sizeof stored), 0);
  }
  model_free(model);
  model_free(loaded);
}

Test(model_file, history) {
  struct model *model = make_model(), *loaded;
  elman_history history;
  double weights = 0;
  cr_assert_eq(model_save(model, FILE_NAME, NULL), ELMAN_OK);
  cr_assert_eq(model_read_history(&history, FILE_NAME, NULL), ELMAN_OK);
  cr_assert(history.epochs == 0 && history.updates == 0 && history.tokens == 0 &&
            history.work == 0);
  model->past.history = (elman_history){3, 70, 5000000000, 0};
  cr_assert_eq(model_save(model, FILE_NAME, NULL), ELMAN_OK);
  cr_assert_eq(model_load(&loaded, FILE_NAME, NULL), ELMAN_OK);
  cr_assert_eq(memcmp(&loaded->past.history, &model->past.history, sizeof history), 0);
  cr_assert_eq(model_read_history(&history, FILE_NAME, NULL), ELMAN_OK);
  for (size_t i = 0; i < model->table.count; i++)
    if (strcmp(model->table.rows[i].name, "encoder.embedding.weight") != 0 &&
        strcmp(model->table.rows[i].name, "decoder.embedding.weight") != 0)
      weights += (double)parameter_size(&model->table.rows[i]);
  cr_assert(history.epochs == 3 && history.updates == 70 && history.tokens == 5000000000);
  cr_assert_eq(history.work, 5e9 * weights);
  model_free(model);
  model_free(loaded);
}

Test(model_file, the_same_model_gives_the_same_bytes) {
  struct model *loaded;
  size_t first_length, second_length, third_length;
  save_model("first");
  save_model("second");
  cr_assert_eq(model_load(&loaded, "first", NULL), ELMAN_OK);
  cr_assert_eq(model_save(loaded, "third", NULL), ELMAN_OK);
  model_free(loaded);
  char *first = get_bytes("first", &first_length);
  char *second = get_bytes("second", &second_length);
  char *third = get_bytes("third", &third_length);
  cr_assert_eq(first_length, second_length);
  cr_assert_eq(first_length, third_length);
  cr_assert_eq(memcmp(first, second, first_length), 0);
  cr_assert_eq(memcmp(first, third, first_length), 0);
  free(first);
  free(second);
  free(third);
}

Test(model_file, what_could_not_be_read_is_not_written) {
  struct model *model = make_model();
  elman_error error;
  save_model(FILE_NAME);
  model->weights.decoder.embedding[1] = (real)INFINITY;
  cr_assert_eq(model_save(model, FILE_NAME, &error), ELMAN_INVALID_ARGUMENT);
  cr_assert_not_null(strstr(error.message, "decoder.embedding.weight"), "%s", error.message);
  model_free(model);
  cr_assert_eq(model_load(&model, FILE_NAME, NULL), ELMAN_OK, "the old file is lost");
  model_free(model);
}

static uint64_t header_length(const char *bytes) {
  uint64_t length;
  memcpy(&length, bytes, sizeof length);
  return length;
}

/* What DESIGN promises to PyTorch and to other readers: the whole header, to the byte. */
Test(model_file, header_is_as_documented) {
  static const char expected[] =
      "{\"__metadata__\":{\"format\":\"pt\",\"elman.version\":\"" ELMAN_VERSION "\","
      "\"elman.config\":\"{\\\"attention\\\":\\\"scaled\\\",\\\"attention_heads\\\":1,"
      "\\\"attention_window\\\":0,\\\"attentional_layer\\\":false,"
      "\\\"bidirectional\\\":false,\\\"decoder_self_attention\\\":0,\\\"embedding_size\\\":3,"
      "\\\"encoder_self_attention\\\":0,\\\"hidden_size\\\":2,\\\"input_feeding\\\":false,"
      "\\\"layers\\\":1,\\\"plain_self_attention\\\":false,"
      "\\\"source_normalization\\\":\\\"nfc\\\",\\\"source_tokens\\\":\\\"space\\\","
      "\\\"source_vocabulary\\\":4,\\\"target_normalization\\\":\\\"nfkc\\\","
      "\\\"target_tokens\\\":\\\"words\\\","
      "\\\"target_vocabulary\\\":6,\\\"tie_embeddings\\\":false}\","
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
  char *bytes = get_bytes(FILE_NAME, &length);
  const uint64_t header = header_length(bytes);
  cr_assert_eq(header % 8, 0, "the data is aligned");
  cr_assert_eq(length, LENGTH_BYTES + header + 352);
  cr_assert_geq(header, sizeof expected - 1);
  cr_assert_lt(header, sizeof expected - 1 + 8);
  char *sum = memmem(bytes, length, "xxh64:", 6);
  cr_assert_not_null(sum);
  cr_assert_eq(strspn(sum + 6, "0123456789abcdef"), 16);
  memcpy(sum + 6, "0123456789abcdef", 16); /* the numbers are random, and so is their sum */
  cr_assert_arr_eq(bytes + LENGTH_BYTES, expected, sizeof expected - 1);
  for (size_t i = sizeof expected - 1; i < header; i++) cr_assert_eq(bytes[LENGTH_BYTES + i], ' ');
  free(bytes);
}

/* Whatever its length, a header is filled up to a multiple of 8 bytes, and no further. */
Test(model_file, headers_have_no_more_padding_than_alignment_asks_for) {
  bool whole = false; /* one needs none */
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

/* ---- reading what is damaged ---- */

static void check_refused(elman_status expected, const char *message, const char *label) {
  struct model *model = (struct model *)&model;
  elman_error error = {0};
  const elman_status status = model_load(&model, FILE_NAME, &error);
  cr_assert_eq(status, expected, "%s: status %d, \"%s\"", label, status, error.message);
  cr_assert_eq(error.code, expected);
  cr_assert_null(model);
  cr_assert_str_eq(error.where, FILE_NAME);
  cr_assert_not_null(strstr(error.message, message), "%s: \"%s\" lacks \"%s\"", label,
                     error.message, message);
  cr_assert_eq(model_load(&model, FILE_NAME, NULL), expected); /* nobody has to listen */
}

/* A changed word, count or number is a model like any other: it must then translate. True if the
 * file was accepted. */
static bool refused_or_usable(const char *what, size_t position) {
  struct model *model;
  elman_error error = {0};
  const elman_status status = model_load(&model, FILE_NAME, &error);
  if (status != ELMAN_OK) {
    cr_assert_eq(status, ELMAN_BAD_DATA, "%s, byte %zu: %s", what, position, error.message);
    cr_assert_str_eq(error.where, FILE_NAME);
    cr_assert_neq(error.message[0], '\0');
    cr_assert_null(model);
    return false;
  }
  cr_assert_eq(model_config_check(&model->config, NULL), ELMAN_OK);
  cr_assert_eq(vocabulary_size(model->source_vocabulary), model->config.source_vocabulary);
  cr_assert_eq(vocabulary_size(model->target_vocabulary), model->config.target_vocabulary);
  for (size_t i = 0; i < model->table.block; i++)
    cr_assert(isfinite(model->block[i]), "%s, byte %zu", what, position);
  struct translator translator;
  translator_create(&translator, model, NULL);
  static const char source[] = "我 爱 你";
  const elman_sentence sentence = {.text = source, .length = strlen(source)};
  elman_translate_options options = translate_options_default();
  options.max_length = 4;
  cr_assert_eq(translator_run(&translator, &sentence, 1, &options, &error), ELMAN_OK,
               "%s, byte %zu", what, position);
  const elman_status run = translator.items[0].status;
  cr_assert(run == ELMAN_OK || run == ELMAN_BAD_DATA, "%s, byte %zu", what, position);
  if (run == ELMAN_OK) cr_assert(isfinite(search_path(&translator.search, 0, 0)->log_probability));
  translator_free(&translator);
  model_free(model);
  return true;
}

Test(model_file, every_truncation_is_refused) {
  save_model(FILE_NAME);
  size_t length;
  char *bytes = get_bytes(FILE_NAME, &length);
  free(bytes);
  while (length-- > 0) {
    cr_assert_eq(truncate(FILE_NAME, (off_t)length), 0);
    check_refused(ELMAN_BAD_DATA, "not a valid safetensors file", "cut short");
  }
}

/* Flips bits of every byte of the file in turn. Gives how many of these files are accepted; all of
 * them differ in a byte of [start, end). */
static size_t flip_every_byte(size_t start, size_t end) {
  static const unsigned char patterns[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xFF};
  size_t length, accepted = 0;
  char *bytes = get_bytes(FILE_NAME, &length);
  const int descriptor = open(FILE_NAME, O_WRONLY);
  cr_assert_geq(descriptor, 0);
  for (size_t i = 0; i < length; i++) {
    for (size_t p = 0; p < sizeof patterns; p++) {
      const char flipped = (char)((unsigned char)bytes[i] ^ patterns[p]);
      cr_assert_eq(pwrite(descriptor, &flipped, 1, (off_t)i), 1);
      const bool usable = refused_or_usable("flipped", i);
      accepted += usable;
      if (i < start || i >= end) cr_assert_not(usable, "byte %zu of %zu was changed", i, length);
    }
    cr_assert_eq(pwrite(descriptor, &bytes[i], 1, (off_t)i), 1);
  }
  close(descriptor);
  free(bytes);
  return accepted;
}

/* But for the name of the checksum itself: under another one nobody looks for it. */
Test(model_file, every_flipped_byte_is_refused, .timeout = 120) {
  static const char key[] = "elman.checksum";
  save_model(FILE_NAME);
  size_t length;
  char *bytes = get_bytes(FILE_NAME, &length);
  const char *found = memmem(bytes, length, key, strlen(key));
  cr_assert_not_null(found);
  flip_every_byte((size_t)(found - bytes), (size_t)(found - bytes) + strlen(key));
  free(bytes);
}

/* ---- files made to harm ---- */

static void put_file(const char *header, uint64_t header_size, const char *data, size_t data_size) {
  FILE *file = fopen(FILE_NAME, "wb");
  cr_assert_not_null(file);
  fwrite(&header_size, sizeof header_size, 1, file);
  fwrite(header, 1, header_size, file);
  fwrite(data, 1, data_size, file);
  cr_assert_eq(fclose(file), 0);
}

struct good_file {
  char *bytes, *header, *data; /* `bytes` is owned; the header ends in a NUL of its own */
  size_t data_size;
};

static void leave_out(char *header, const char *what) {
  char *at = strstr(header, what);
  cr_assert_not_null(at, "the header lacks %s", what);
  memmove(at, at + strlen(what), strlen(at + strlen(what)) + 1);
}

/* As a program that knows of no checksum would write it. */
static void leave_out_checksum(char *header) {
  char *entry = strstr(header, ",\"elman.checksum\":\"xxh64:");
  cr_assert_not_null(entry);
  char *end = strchr(entry, '}');
  memmove(entry, end, strlen(end) + 1);
}

static struct good_file good_file_with_checksum(void) {
  struct good_file good;
  size_t length;
  save_model(FILE_NAME);
  good.bytes = get_bytes(FILE_NAME, &length);
  const uint64_t size = header_length(good.bytes);
  good.header = strndup(good.bytes + LENGTH_BYTES, size);
  good.data = good.bytes + LENGTH_BYTES + size;
  good.data_size = length - LENGTH_BYTES - size;
  return good;
}

static struct good_file good_file(void) {
  struct good_file good = good_file_with_checksum();
  leave_out_checksum(good.header);
  return good;
}

static void free_good(struct good_file *good) {
  free(good->bytes);
  free(good->header);
}

/* The good file with the first `find` in its header replaced. */
static void put_replaced(const struct good_file *good, const char *find, const char *replacement) {
  const char *at = strstr(good->header, find);
  cr_assert_not_null(at, "the header lacks %s", find);
  char *header;
  const int size = asprintf(&header, "%.*s%s%s", (int)(at - good->header), good->header,
                            replacement, at + strlen(find));
  cr_assert_gt(size, 0);
  put_file(header, (uint64_t)size, good->data, good->data_size);
  free(header);
}

Test(model_file, every_flipped_byte_is_refused_or_harmless, .timeout = 120) {
  struct good_file good = good_file();
  put_file(good.header, strlen(good.header), good.data, good.data_size);
  const size_t header_end = LENGTH_BYTES + strlen(good.header);
  const size_t accepted = flip_every_byte(LENGTH_BYTES, SIZE_MAX);
  cr_assert_gt(accepted, 0);
  cr_assert_lt(accepted, good.data_size * 9 + header_end);
  free_good(&good);
}

/* ---- the checksum ---- */

Test(model_file, a_checksum_is_of_what_the_file_holds) {
  struct good_file good = good_file_with_checksum();
  put_replaced(&good, "\"format\":\"pt\",", "\"format\" : \"\\u0070t\" ,\n");
  cr_assert(refused_or_usable("the same, written in another way", 0));
  put_replaced(&good, "\"format\":\"pt\"", "\"format\":\"np\"");
  check_refused(ELMAN_BAD_DATA, "is damaged, or was altered after it was written", "a value");
  put_replaced(&good, "\"format\":\"pt\"", "\"format\":\"pt\",\"more\":\"\"");
  check_refused(ELMAN_BAD_DATA, "its checksum does not fit", "an entry more");
  put_replaced(&good, "love", "hate");
  check_refused(ELMAN_BAD_DATA, "its checksum does not fit", "a word");
  put_replaced(&good, "xxh64:", "xxh32:");
  check_refused(ELMAN_BAD_DATA, "its checksum does not fit", "another sum");
  /* Two tensors of one shape that change places. */
  put_replaced(
      &good,
      "\"encoder.rnn.bias_ih_l0\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[88,96]},"
      "\"encoder.rnn.bias_hh_l0\"",
      "\"encoder.rnn.bias_hh_l0\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[88,96]},"
      "\"encoder.rnn.bias_ih_l0\"");
  check_refused(ELMAN_BAD_DATA, "its checksum does not fit", "names");
  good.data[0] ^= 1;
  put_file(good.header, strlen(good.header), good.data, good.data_size);
  check_refused(ELMAN_BAD_DATA, "leaves out elman.checksum", "a bit");
  leave_out_checksum(good.header);
  put_file(good.header, strlen(good.header), good.data, good.data_size);
  cr_assert(refused_or_usable("without a checksum", 0));
  free_good(&good);
}

/* ---- a file of an earlier version ---- */

Test(model_file, what_came_later_may_be_missing) {
  static const char *const later[] = {",\\\"attention_heads\\\":1",
                                      ",\\\"attention_window\\\":0",
                                      ",\\\"decoder_self_attention\\\":0",
                                      ",\\\"encoder_self_attention\\\":0",
                                      ",\\\"plain_self_attention\\\":false",
                                      ",\\\"source_normalization\\\":\\\"nfc\\\"",
                                      ",\\\"target_normalization\\\":\\\"nfkc\\\""};
  struct good_file good = good_file();
  for (size_t i = 0; i < sizeof later / sizeof *later; i++) leave_out(good.header, later[i]);
  put_file(good.header, strlen(good.header), good.data, good.data_size);
  struct model *model;
  elman_error error;
  cr_assert_eq(model_load(&model, FILE_NAME, &error), ELMAN_OK, "%s", error.message);
  cr_assert_eq(model->config.attention_heads, 1);
  cr_assert_eq(model->config.encoder_self_attention, 0);
  cr_assert_eq(model->config.source_normalization, ELMAN_NFC);
  cr_assert_eq(model->config.target_normalization, ELMAN_NFC);
  model_free(model);
  free_good(&good);
}

/* ---- lists ---- */

/* As other writers of JSON would put it. */
Test(model_file, lists_written_in_another_way_mean_the_same) {
  static const char source[] = "\"[\\\"<unk>\\\",\\\"我\\\",\\\"爱\\\",\\\"学习\\\"]\"";
  static const char spaced[] =
      "\" [ \\\"<unk>\\\" ,\\n\\\"\\\\u6211\\\", \\\"爱\\\", \\\"\\\\u5b66习\\\" ] \"";
  static const struct {
    const char *find, *replacement;
  } ways[] = {{source, spaced}, {"\"[0,1,4,9]\"", "\"[0, 1, 4, 9]\\n\""}};
  struct good_file good = good_file();
  struct model *expected = make_model(), *model;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    put_replaced(&good, ways[i].find, ways[i].replacement);
    elman_error error;
    cr_assert_eq(model_load(&model, FILE_NAME, &error), ELMAN_OK, "%s", error.message);
    check_same_vocabulary(model->source_vocabulary, expected->source_vocabulary);
    model_free(model);
  }
  model_free(expected);
  free_good(&good);
}

/* ---- what is wrong in them ---- */

#define HIDDEN "\\\"hidden_size\\\":2"
#define CONFIG_WITH(hidden) "\\\"hidden_size\\\":" hidden
#define OUT_BIAS "\"decoder.out.bias\":{\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[328,352]}"
#define IH_BIAS                                                                                    \
  "\"encoder.rnn.bias_ih_l0\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[88,96]}"

#define WITH_TRAINING(json) "\"elman.training\":\"" json "\",\"elman.config\":"

static const struct {
  const char *find, *replacement, *message;
} hostile[] = {
    /* the history */
    {"\"elman.config\":", WITH_TRAINING("{}"), "elman.training does not hold what this version"},
    {"\"elman.config\":", WITH_TRAINING("{"), "elman.training is not valid JSON"},
    {"\"elman.config\":", WITH_TRAINING("{\\\"epochs\\\":1,\\\"tokens\\\":-1,\\\"updates\\\":1}"),
     "elman.training does not hold what this version"},
    {"\"elman.config\":", WITH_TRAINING("{\\\"epochs\\\":1,\\\"tokens\\\":1,\\\"updates\\\":1.5}"),
     "elman.training does not hold what this version"},
    /* the configuration */
    {HIDDEN, CONFIG_WITH("0"), "elman.config the hidden size must lie between 1 and"},
    {HIDDEN, CONFIG_WITH("-1"), "elman.config the hidden size must lie between 1 and"},
    {HIDDEN, CONFIG_WITH("1000000000000000000"), "the hidden size must lie between 1 and"},
    {HIDDEN, CONFIG_WITH("-9223372036854775808"), "the hidden size must lie between 1 and"},
    {HIDDEN, CONFIG_WITH("99999999999999999999"), "elman.config is not valid JSON"},
    {HIDDEN, CONFIG_WITH("1e18"), "elman.config does not hold what this version expects"},
    {HIDDEN, CONFIG_WITH("2.0"), "elman.config does not hold what this version expects"},
    {HIDDEN, CONFIG_WITH("\\\"2\\\""), "elman.config does not hold what this version expects"},
    {HIDDEN, CONFIG_WITH("null"), "elman.config does not hold what this version expects"},
    {HIDDEN, CONFIG_WITH("2,\\\"hidden_size\\\":2"), "elman.config is not valid JSON"},
    {HIDDEN, CONFIG_WITH("3"), "does not have the shape"},
    {HIDDEN, CONFIG_WITH("16384"), "does not have the shape"},
    {HIDDEN, CONFIG_WITH("2,\\\"dropout\\\":1"), "does not hold what this version expects"},
    {HIDDEN ",", "", "elman.config does not hold what this version expects"},
    {"embedding_size\\\":3", "embedding_size\\\":0", "the embedding size must lie between 1 and"},
    {"embedding_size\\\":3", "embedding_size\\\":2", "encoder.embedding.weight does not have the"},
    {"source_vocabulary\\\":4", "source_vocabulary\\\":0",
     "the source vocabulary must lie between"},
    {"source_vocabulary\\\":4", "source_vocabulary\\\":5", "does not have the shape"},
    {"target_vocabulary\\\":6", "target_vocabulary\\\":16777217", "the target vocabulary must lie"},
    {"\\\"scaled\\\"", "\\\"Scaled\\\"", "names an unknown \"attention\""},
    {"\\\"scaled\\\"", "1", "does not hold what this version expects"},
    {"\\\"space\\\"", "\\\"auto\\\"", "names an unknown token mode"},
    {"\\\"words\\\"", "\\\"syllables\\\"", "names an unknown \"target_tokens\""},
    {"\\\"nfkc\\\"", "\\\"nfd\\\"", "names an unknown normalization"},
    {"\"elman.config\":\"{", "\"elman.config\":\"[{", "elman.config is not valid JSON"},
    {"\"elman.config\":\"{", "\"elman.config\":\"x{", "elman.config is not valid JSON"},
    {"embeddings\\\":false}", "embeddings\\\":false}}", "elman.config is not valid JSON"},
    {"layers\\\":1", "layers\\\":0", "the layers must lie between 1 and 8"},
    {"layers\\\":1", "layers\\\":9", "the layers must lie between 1 and 8"},
    {"layers\\\":1", "layers\\\":2", "is missing"},
    {"bidirectional\\\":false", "bidirectional\\\":true", "does not have the shape"},
    {"feeding\\\":false", "feeding\\\":true", "input feeding needs the attentional layer"},
    {"embeddings\\\":false", "embeddings\\\":true", "needs the attentional layer"},
    {"heads\\\":1", "heads\\\":0", "the number of heads must lie between 1 and 64, not 0"},
    {"heads\\\":1", "heads\\\":-1", "the attention heads must lie between 0 and 64"},
    {"heads\\\":1", "heads\\\":3", "3 heads do not divide a size of 2: it can have 1, 2 heads"},
    {"heads\\\":1", "heads\\\":2", "scaled attention has one head"},
    {"window\\\":0", "window\\\":1", "scaled attention has no window"},
    {"\\\"scaled\\\"", "\\\"local\\\"", "the attention window must lie between 1 and 1000"},
    {"\\\"scaled\\\"", "\\\"multihead\\\"", "decoder.attention.query.weight is missing"},
    {"decoder_self_attention\\\":0", "decoder_self_attention\\\":3", "3 heads do not divide"},
    {"encoder_self_attention\\\":0", "encoder_self_attention\\\":-2",
     "the encoder self-attention must lie"},
    {"encoder_self_attention\\\":0", "encoder_self_attention\\\":1",
     "encoder.self_attention.query.weight is missing"},
    {"plain_self_attention\\\":false", "plain_self_attention\\\":true",
     "plain self-attention needs self-attention"},
    /* the metadata */
    {"\"elman.config\"", "\"elman.Config\"", "elman.config is missing from its metadata"},
    {"\"elman.source_vocab\"", "\"x\"", "elman.source_vocab is missing from its metadata"},
    {"\"elman.target_counts\"", "\"x\"", "elman.target_counts is missing from its metadata"},
    {"\"__metadata__\"", "\"metadata\"", "lacks dtype, shape or data_offsets"},
    {"\"format\":\"pt\"", "\"format\":1", "__metadata__ holds more than strings"},
    {"\"format\":\"pt\"", "\"format\":null", "__metadata__ holds more than strings"},
    {"\"format\":\"pt\"", "\"format\":[\"pt\"]", "__metadata__ holds more than strings"},
    {"\"format\":\"pt\"", "\"format\":\"pt\",\"format\":\"pt\"", "a name is given twice"},
    {"\"__metadata__\":{", "\"__metadata__\":[],\"y\":{", "__metadata__ is not an object"},
    /* the vocabularies */
    {"\\\"<unk>\\\",", "", "elman.source_vocab does not have as many entries"},
    {",\\\"学习\\\"", "", "elman.source_vocab does not have as many entries"},
    {",\\\"学习\\\"", ",\\\"爱\\\"", "elman.source_vocab token 3 of the vocabulary is there twice"},
    {",\\\"学习\\\"", ",\\\"\\\"", "token 3 of the vocabulary is empty"},
    {",\\\"学习\\\"", ",\\\"</s>\\\"", "token 3 of the vocabulary must not be a special"},
    {",\\\"学习\\\"", ",7", "holds something else than words and counts"},
    {",\\\"学习\\\"", ",\\\"a\\\\u0000b\\\"", "elman.source_vocab is not valid JSON"},
    {",\\\"学习\\\"", ",\\\"a\\u0000b\\\"", "header, byte"},
    {",\\\"学习\\\"", ",\\\"\\\\ud83d\\\"", "elman.source_vocab is not valid JSON"},
    {",\\\"学习\\\"", ",\\\"\xFF\\\"", "header, byte"},
    {",\\\"学习\\\"", ",\\\"\xC0\x80\\\"", "header, byte"},
    {",\\\"学习\\\"", ",\\\"\xED\xA0\x80\\\"", "header, byte"},
    {"\\\"<unk>\\\"", "\\\"<UNK>\\\"", "token 0 of the vocabulary must be <unk>"},
    {"\\\"<s>\\\",\\\"</s>\\\"", "\\\"</s>\\\",\\\"<s>\\\"",
     "elman.target_vocab token 1 of the vocabulary must be <s>"},
    {"\"[0,1,4,9]\"", "\"[0,1,4]\"", "does not have as many entries"},
    {"\"[0,1,4,9]\"", "\"[0,1,4,-9]\"", "holds something else than words and counts"},
    {"\"[0,1,4,9]\"", "\"[0,1,4,0.5]\"", "holds something else than words and counts"},
    {"\"[0,1,4,9]\"", "\"{}\"", "does not have as many entries"},
    {"\"[0,1,4,9]\"", "\"\"", "elman.source_counts is not valid JSON"},
    {"[0,1,4,9]", "[0,-1,4,9]", "something else than words and counts"},
    /* the tensors */
    {OUT_BIAS, OUT_BIAS "," OUT_BIAS, "a name is given twice"},
    {"," OUT_BIAS, "", "there is something after the last tensor"},
    {"decoder.out.bias", "decoder.out.b", "decoder.out.bias is missing"},
    {OUT_BIAS, OUT_BIAS ",\"x\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[352,352]}",
     "it has more tensors than its configuration asks for"},
    {OUT_BIAS, OUT_BIAS ",\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[352,356]}",
     "it is cut short"},
    {OUT_BIAS, OUT_BIAS ",\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}",
     "its tensors overlap or leave a gap"},
    {"[88,96]", "[84,92]", "its tensors overlap or leave a gap"},
    {"[88,96]", "[92,100]", "its tensors overlap or leave a gap"},
    {"[88,96]", "[96,104]", "its tensors overlap or leave a gap"},
    {"[0,48]", "[4,52]", "its tensors overlap or leave a gap"},
    {IH_BIAS ",", "", "its tensors overlap or leave a gap"},
    {"[88,96]", "[96,88]", "shape and data_offsets disagree"},
    {"[88,96]", "[88,95]", "shape and data_offsets disagree"},
    {"[88,96]", "[-8,0]", "shape and data_offsets disagree"},
    {"[88,96]", "[88.0,96.0]", "shape and data_offsets disagree"},
    {"[88,96]", "[88,96,104]", "lacks dtype, shape or data_offsets"},
    {"[88,96]", "[]", "lacks dtype, shape or data_offsets"},
    {"\"shape\":[4,3]", "\"shape\":[3,4]", "encoder.embedding.weight does not have the shape"},
    {"\"shape\":[4,3]", "\"shape\":[12]", "encoder.embedding.weight does not have the shape"},
    {"\"shape\":[4,3]", "\"shape\":[4,3,1]", "encoder.embedding.weight does not have the shape"},
    {"\"shape\":[4,3]", "\"shape\":[1,1,1,4,3]", "more than four dimensions"},
    {"\"shape\":[4,3]", "\"shape\":[-4,-3]", "a shape is impossible"},
    {"\"shape\":[4,3]", "\"shape\":[4.0,3]", "a shape is impossible"},
    {"\"shape\":[4,3]", "\"shape\":[4611686018427387904,4,3]", "a shape is impossible"},
    {"\"shape\":[4,3]", "\"shape\":[4294967296,4294967296,3]", "a shape is impossible"},
    {"\"shape\":[4,3]", "\"shape\":12", "lacks dtype, shape or data_offsets"},
    {OUT_BIAS, OUT_BIAS ",\"x\":{\"dtype\":\"F32\",\"shape\":[0,-1],\"data_offsets\":[352,352]}",
     "a shape is impossible"},
    /* 4 (2^62 - 2) is 344 - 352 in 64 bits. */
    {OUT_BIAS,
     OUT_BIAS ",\"x\":{\"dtype\":\"F32\",\"shape\":[4611686018427387902],"
              "\"data_offsets\":[352,344]}",
     "shape and data_offsets disagree"},
    {IH_BIAS, "\"encoder.rnn.bias_ih_l0\":[]", "lacks dtype, shape or data_offsets"},
    {"\"dtype\":\"F32\",", "", "lacks dtype, shape or data_offsets"},
    {"\"dtype\":\"F32\"", "\"dtype\":32", "lacks dtype, shape or data_offsets"},
    {"\"dtype\":\"F32\"", "\"dtype\":\"F32\",\"order\":\"C\"",
     "lacks dtype, shape or data_offsets"},
    {"\"dtype\":\"F32\"", "\"dtype\":\"F33\"", "a tensor has an unknown dtype"},
    {"\"dtype\":\"F32\"", "\"dtype\":\"F16\"", "shape and data_offsets disagree"},
    {"\"dtype\":\"F32\"", "\"dtype\":\"I32\"", "encoder.embedding.weight is not stored as F32"},
    /* the header as a whole */
    {"{\"__metadata__\"", " {\"__metadata__\"", "its header is not a JSON object"},
    {"{\"__metadata__\"", "[{\"__metadata__\"", "its header is not a JSON object"},
    {OUT_BIAS "}", OUT_BIAS "}x", "header, byte"},
    {OUT_BIAS "}", OUT_BIAS, "header, byte"},
};

Test(model_file, hostile_headers_are_refused) {
  struct good_file good = good_file();
  put_replaced(&good, "love", "hate"); /* this is how; and this one is harmless */
  cr_assert(refused_or_usable("another word", 0));
  for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
    put_replaced(&good, hostile[i].find, hostile[i].replacement);
    check_refused(ELMAN_BAD_DATA, hostile[i].message, hostile[i].replacement);
  }
  free_good(&good);
}

/* Other writers sort the entries by name; only their places matter. */
Test(model_file, the_order_of_the_header_does_not_matter) {
  struct good_file good = good_file();
  char *first = strdup(good.header);
  free(good.header);
  const char *entry = strstr(first, IH_BIAS ","), *end = strrchr(first, '}');
  const size_t length = strlen(IH_BIAS ",");
  cr_assert_not_null(entry);
  const int size = asprintf(&good.header, "%.*s%.*s," IH_BIAS "}", (int)(entry - first), first,
                            (int)(end - entry - (ptrdiff_t)length), entry + length);
  put_file(good.header, (uint64_t)size, good.data, good.data_size);
  cr_assert(refused_or_usable("another order", 0));
  free(first);
  free_good(&good);
}

Test(model_file, header_without_metadata) {
  struct good_file good = good_file();
  const char *tensors = strstr(good.header, "\"encoder.embedding");
  char *header;
  const int size = asprintf(&header, "{%s", tensors);
  put_file(header, (uint64_t)size, good.data, good.data_size);
  check_refused(ELMAN_BAD_DATA, "elman.config is missing from its metadata", "no metadata");
  free(header);
  free_good(&good);
}

Test(model_file, impossible_header_lengths) {
  struct good_file good = good_file();
  const uint64_t whole = strlen(good.header) + good.data_size;
  const uint64_t lengths[] = {whole + 8,         100000001,  UINT64_C(1) << 32,
                              UINT64_C(1) << 63, UINT64_MAX, UINT64_MAX - 7};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    memcpy(good.bytes, &lengths[i], sizeof *lengths);
    put_bytes(FILE_NAME, good.bytes, LENGTH_BYTES + whole);
    check_refused(ELMAN_BAD_DATA, "the length of its header is impossible", "length");
  }
  /* The limit holds for a file that is large enough, too; a sparse one costs nothing. */
  memcpy(good.bytes, &lengths[1], sizeof *lengths);
  put_bytes(FILE_NAME, good.bytes, LENGTH_BYTES + whole);
  cr_assert_eq(truncate(FILE_NAME, 300000000), 0);
  check_refused(ELMAN_BAD_DATA, "the length of its header is impossible", "over the limit");
  /* A header of nothing, and one that takes the data in. */
  const uint64_t short_lengths[] = {0, 1, whole};
  for (size_t i = 0; i < sizeof short_lengths / sizeof *short_lengths; i++) {
    memcpy(good.bytes, &short_lengths[i], sizeof *short_lengths);
    put_bytes(FILE_NAME, good.bytes, LENGTH_BYTES + whole);
    check_refused(ELMAN_BAD_DATA, "header", "length");
  }
  free_good(&good);
}

Test(model_file, data_that_does_not_fit) {
  struct good_file good = good_file();
  const uint64_t header = strlen(good.header);
  char *longer = calloc(1, good.data_size + 1);
  memcpy(longer, good.data, good.data_size);
  put_file(good.header, header, longer, good.data_size + 1);
  check_refused(ELMAN_BAD_DATA, "there is something after the last tensor", "trailing byte");
  put_file(good.header, header, longer, 0);
  check_refused(ELMAN_BAD_DATA, "it is cut short", "no data");
  free(longer);
  free_good(&good);
}

Test(model_file, weights_must_be_float) {
  struct good_file good = good_file();
  char *wider = calloc(1, good.data_size + 6 * sizeof(float));
  memcpy(wider, good.data, good.data_size);
  good.data = wider; /* the last tensor's six numbers are now doubles */
  good.data_size += 6 * sizeof(float);
  put_replaced(&good, OUT_BIAS,
               "\"decoder.out.bias\":{\"dtype\":\"F64\",\"shape\":[6],\"data_offsets\":[328,376]}");
  check_refused(ELMAN_BAD_DATA, "decoder.out.bias is not stored as F32", "double");
  free(wider);
  free_good(&good);
}

Test(model_file, weights_must_be_finite) {
  struct good_file good = good_file();
  const float bad[] = {NAN, -NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    for (size_t at = 0; at < good.data_size; at += good.data_size / sizeof bad[0] - 1) {
      float kept;
      at -= at % sizeof kept;
      memcpy(&kept, good.data + at, sizeof kept);
      memcpy(good.data + at, &bad[i], sizeof kept);
      put_file(good.header, strlen(good.header), good.data, good.data_size);
      check_refused(ELMAN_BAD_DATA, "holds a number that is not finite", "weights");
      memcpy(good.data + at, &kept, sizeof kept);
    }
  }
  /* The last number of all. */
  memcpy(good.data + good.data_size - sizeof *bad, &bad[0], sizeof *bad);
  put_file(good.header, strlen(good.header), good.data, good.data_size);
  check_refused(ELMAN_BAD_DATA, "decoder.out.bias holds a number that is not finite", "last");
  free_good(&good);
}

/* A tensor is read in pieces: it must not matter in which of them, and where, the number lies. */
Test(model_file, each_number_of_a_large_tensor_must_be_finite) {
  enum { COUNT = 200001 };
  static const size_t places[] = {0, 4095, 4096, 65535, 65536, 131071, 131072, COUNT - 1};
  real *values = calloc(COUNT, sizeof *values), *found = calloc(COUNT, sizeof *found);
  json_t *metadata = json_object();
  cr_assert(values != NULL && found != NULL && metadata != NULL);
  for (size_t i = 0; i < COUNT; i++) values[i] = (real)i;
  const struct tensor_source source = {"x", values, {COUNT}, 1};
  for (size_t i = 0; i <= sizeof places / sizeof *places; i++) {
    const bool good = i == sizeof places / sizeof *places;
    const float bad = i % 2 == 0 ? NAN : -INFINITY;
    FILE *stream = fopen(FILE_NAME, "wb");
    cr_assert_not_null(stream);
    cr_assert_eq(safetensors_write(stream, metadata, &source, 1, NULL), ELMAN_OK);
    if (!good) { /* from the end: the tensor is the last of the file */
      cr_assert_eq(fseek(stream, -(long)((COUNT - places[i]) * sizeof bad), SEEK_CUR), 0);
      cr_assert_eq(fwrite(&bad, sizeof bad, 1, stream), 1);
    }
    cr_assert_eq(fclose(stream), 0);
    struct safetensors file;
    elman_error error = {0};
    cr_assert_eq(safetensors_open(&file, FILE_NAME, NULL), ELMAN_OK);
    const elman_status status =
        safetensors_read(found, &file, safetensors_find(&file, "x"), &error);
    cr_assert_eq(status, good ? ELMAN_OK : ELMAN_BAD_DATA, "place %zu: %s", i, error.message);
    safetensors_close(&file);
  }
  cr_assert_arr_eq(found, values, COUNT * sizeof *values);
  json_decref(metadata);
  free(values);
  free(found);
}

/* Somebody writes the file anew while it is read. */
Test(model_file, a_file_that_is_cut_while_it_is_read) {
  static const char name[] = "decoder.out.weight";
  for (uint64_t kept = 0; kept < 96; kept += 5) {
    struct safetensors file;
    real values[24];
    elman_error error;
    save_model(FILE_NAME);
    cr_assert_eq(safetensors_open(&file, FILE_NAME, NULL), ELMAN_OK);
    const struct stored_tensor *tensor = safetensors_find(&file, name);
    cr_assert_not_null(tensor);
    cr_assert_eq(truncate(FILE_NAME, (off_t)(file.data_start + tensor->begin + kept)), 0);
    cr_assert_eq(safetensors_read(values, &file, tensor, &error), ELMAN_IO);
    cr_assert_not_null(strstr(error.message, "cannot read all of decoder.out.weight"));
    cr_assert_str_eq(error.where, FILE_NAME);
    safetensors_close(&file);
  }
}

/* Finite weights can still overflow when they are multiplied. */
Test(model_file, weights_that_overflow_are_an_error) {
  struct model *model = make_model();
  for (size_t i = 0; i < model->table.block; i++) model->block[i] = (real)3e38;
  cr_assert_eq(model_save(model, FILE_NAME, NULL), ELMAN_OK);
  model_free(model);
  cr_assert(refused_or_usable("huge weights", 0));
}

static char *repeated(const char *piece, size_t times, const char *before, const char *after) {
  const size_t length = strlen(piece);
  char *text = malloc(strlen(before) + length * times + strlen(after) + 1);
  cr_assert_not_null(text);
  char *at = stpcpy(text, before);
  for (size_t i = 0; i < times; i++) at = stpcpy(at, piece);
  strcpy(at, after);
  return text;
}

/* A parser that recurses would run out of stack. */
Test(model_file, nesting_bombs) {
  struct good_file good = good_file();
  char *open = repeated("[", 1000000, "{\"x\":", "");
  put_file(open, strlen(open), good.data, good.data_size);
  check_refused(ELMAN_BAD_DATA, "header, byte", "arrays");
  free(open);
  char *objects = repeated("{\"x\":", 1000000, "", "");
  put_file(objects, strlen(objects), good.data, good.data_size);
  check_refused(ELMAN_BAD_DATA, "header, byte", "objects");
  free(objects);
  char *vocabulary = repeated("[", 1000000, "\"elman.source_vocab\":\"", "\"");
  put_replaced(&good,
               "\"elman.source_vocab\":\"[\\\"<unk>\\\",\\\"我\\\",\\\"爱\\\",\\\"学习\\\"]\"",
               vocabulary);
  check_refused(ELMAN_BAD_DATA, "elman.source_vocab is not valid JSON", "metadata");
  free(vocabulary);
  free_good(&good);
}

static void check_no_input(const char *path, const char *message) {
  struct model *model;
  elman_error error;
  cr_assert_eq(model_load(&model, path, &error), ELMAN_NO_INPUT, "%s", path);
  cr_assert_null(model);
  cr_assert_str_eq(error.where, path);
  cr_assert_not_null(strstr(error.message, message), "%s", error.message);
}

Test(model_file, what_is_no_file) {
  check_no_input("missing", "No such file");
  check_no_input(".", "is not a regular file");
  check_no_input("/dev/null", "is not a regular file");
  check_no_input("", "No such file");
  /* Must not wait for somebody to write. */
  cr_assert_eq(mkfifo("pipe", 0600), 0);
  const int held = open("pipe", O_RDWR);
  check_no_input("pipe", "is not a regular file");
  close(held);
}

Test(model_file, unreadable_file) {
  if (geteuid() == 0) SKIP_IN_FOLDER("root reads everything");
  save_model(FILE_NAME);
  cr_assert_eq(chmod(FILE_NAME, 0), 0);
  check_no_input(FILE_NAME, "Permission denied");
}

/* ---- writing that fails ---- */

static void check_not_saved(const char *path, elman_status expected, const char *message) {
  struct model *model = make_model();
  elman_error error = {0};
  cr_assert_eq(model_save(model, path, &error), expected, "%s", error.message);
  cr_assert_not_null(strstr(error.where, path), "\"%s\" does not name %s", error.where, path);
  cr_assert_not_null(strstr(error.message, message), "%s", error.message);
  model_free(model);
}

Test(model_file, a_failed_save_leaves_the_old_file) {
  size_t whole;
  save_model(FILE_NAME);
  free(get_bytes(FILE_NAME, &whole));
  put_bytes(FILE_NAME, "old", 3);
  signal(SIGXFSZ, SIG_IGN);
  /* In the middle of the header, and in the middle of the numbers. */
  const rlim_t limits[] = {100, whole - 10};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct rlimit before;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {limits[i], before.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    check_not_saved(FILE_NAME, ELMAN_IO, "File too large");
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    size_t length;
    char *bytes = get_bytes(FILE_NAME, &length);
    cr_assert_str_eq(bytes, "old");
    free(bytes);
    cr_assert_eq(each_entry(NULL), 1, "the temporary file is gone");
  }
}

/* Each quote takes four bytes: it is escaped in the list of words, and again in the header. */
Test(model_file, vocabularies_beyond_the_limit_of_a_header) {
  enum { QUOTES = 26000000 };
  char *word = malloc(QUOTES + 1);
  cr_assert_not_null(word);
  memset(word, '"', QUOTES);
  word[QUOTES] = '\0';
  const char *const source[] = {"<unk>", word}, *const target[] = {"<unk>", "<s>", "</s>"};
  struct vocabulary_pair vocabularies = {.source_mode = ELMAN_TOKENS_SPACE,
                                         .target_mode = ELMAN_TOKENS_SPACE,
                                         .source = vocabulary_of(source, 2, ELMAN_SOURCE),
                                         .target = vocabulary_of(target, 3, ELMAN_TARGET)};
  const struct model_config config = {
      .embedding_size = E, .hidden_size = H, .layers = 1, .attention_heads = 1};
  struct model *model;
  elman_error error;
  cr_assert_eq(model_create(&model, vocabularies, config, NULL), ELMAN_OK);
  cr_assert_eq(model_save(model, FILE_NAME, &error), ELMAN_INVALID_ARGUMENT);
  cr_assert_not_null(strstr(error.message, "the vocabularies are too large"));
  cr_assert_eq(each_entry(NULL), 0, "nothing is left behind");
  model_free(model);
  free(word);
}

Test(model_file, places_that_cannot_be_written) {
  cr_assert_eq(mkdir("directory", 0700), 0);
  check_not_saved("directory", ELMAN_CANNOT_CREATE, "is a directory");
  check_not_saved("missing/model", ELMAN_CANNOT_CREATE, "No such file or directory");
  if (access("/dev/full", W_OK) == 0) check_not_saved("/dev/full", ELMAN_IO, "No space left");
  cr_assert_eq(each_entry(NULL), 1);
}

Test(model_file, directory_that_is_read_only) {
  if (geteuid() == 0) SKIP_IN_FOLDER("root writes everywhere");
  put_bytes(FILE_NAME, "old", 3);
  cr_assert_eq(chmod(".", 0500), 0);
  check_not_saved(FILE_NAME, ELMAN_CANNOT_CREATE, "Permission denied");
  cr_assert_eq(chmod(".", 0700), 0);
  size_t length;
  char *bytes = get_bytes(FILE_NAME, &length);
  cr_assert_str_eq(bytes, "old");
  free(bytes);
}
