/* Helpers for the tests of the model file: a small model, and modified copies of its file. */
#ifndef ELMAN_TESTS_MODEL_FILE_H
#define ELMAN_TESTS_MODEL_FILE_H

#include <stdint.h>
#include <string.h>

#include "check.h"
#include "config_of.h"
#include "folder.h"
#include "model/model_file.h"
#include "model/safetensors.h"
#include "translate/translator.h"
#include "words_of.h"

TestSuite(model_file, .init = enter_folder, .fini = leave_folder);

static const char FILE_NAME[] = "model.safetensors";
enum { LENGTH_BYTES = 8, E = 3, H = 2 };

/* ---- a small model ---- */

static const uint64_t squares[] = {0, 1, 4, 9, 16, 25}; /* counts of words */

/* Some words need escaping in JSON. */
static inline struct model *make_model(void) {
  static const char *const source[] = {"<unk>", "我", "爱", "学习"};
  static const char *const target[] = {"<unk>", "<s>",    "</s>",
                                       "love",  "\"\\\t", "\xF0\x9F\x99\x82"};
  struct vocabulary_pair vocabularies = {.source_mode = ELMAN_TOKENS_SPACE,
                                         .target_mode = ELMAN_TOKENS_WORDS,
                                         .target_normalization = ELMAN_NFKC,
                                         .source = vocabulary_of(source, squares, 4, ELMAN_SOURCE),
                                         .target = vocabulary_of(target, squares, 6, ELMAN_TARGET)};
  struct model_config config = config_of(0, 0, E, H);
  config.attention = "scaled";
  struct model *model;
  cr_assert_eq(model_create(&model, vocabularies, config, NULL), ELMAN_OK);
  succeeds(parameters_initialize(model->block, &model->table, INITIAL_PYTORCH, 3, &why));
  return model;
}

static inline void save_model(const char *path) {
  owned_model *model = make_model();
  cr_assert_eq(model_save(model, path, NULL), ELMAN_OK);
}

static inline void check_equal_files(const char *a, const char *b) {
  size_t a_length, b_length;
  owned char *a_bytes = get_bytes(a, &a_length), *b_bytes = get_bytes(b, &b_length);
  cr_assert_eq(a_length, b_length);
  cr_assert_eq(memcmp(a_bytes, b_bytes, a_length), 0, "%s and %s differ", a, b);
}

static inline uint64_t header_length(const char *bytes) {
  uint64_t length;
  memcpy(&length, bytes, sizeof length);
  return length;
}

static inline void check_refused(elman_status expected, const char *message, const char *label) {
  struct model *model = (struct model *)&model;
  const elman_status status = model_load(&model, FILE_NAME, &why);
  cr_assert_eq(status, expected, "%s: status %d, \"%s\"", label, status, why.message);
  cr_assert_eq(why.code, expected);
  cr_assert_null(model);
  cr_assert_str_eq(why.where, FILE_NAME);
  cr_assert_not_null(strstr(why.message, message), "%s: \"%s\" lacks \"%s\"", label, why.message,
                     message);
  cr_assert_eq(model_load(&model, FILE_NAME, NULL), expected); /* the error argument is optional */
}

/* A changed word, count or weight still makes a valid model, which must be able to translate.
 * Return true if the file was accepted. */
static inline bool refused_or_usable(const char *what, size_t position) {
  struct model *model;
  const elman_status status = model_load(&model, FILE_NAME, &why);
  if (status != ELMAN_OK) {
    cr_assert_eq(status, ELMAN_BAD_DATA, "%s, byte %zu: %s", what, position, why.message);
    cr_assert_str_eq(why.where, FILE_NAME);
    cr_assert_neq(why.message[0], '\0');
    cr_assert_null(model);
    return false;
  }
  cr_assert_eq(model_config_check(&model->config, NULL), ELMAN_OK);
  cr_assert_eq(vocabulary_size(model->source_vocabulary), model->config.source_vocabulary);
  cr_assert_eq(vocabulary_size(model->target_vocabulary), model->config.target_vocabulary);
  for (size_t i = 0; i < model->table.block; i++)
    cr_assert(isfinite(model->block[i]), "%s, byte %zu", what, position);
  owned_by(translator_free) struct translator translator;
  translator_create(&translator, model, NULL);
  static const char source[] = "我 爱 你";
  const elman_sentence sentence = {.text = source, .length = strlen(source)};
  elman_translate_options options = elman_translate_options_default();
  options.max_length = 4;
  cr_assert_eq(translator_run(&translator, &(const elman_sentence *){&sentence}, 1, &options, &why),
               ELMAN_OK, "%s, byte %zu", what, position);
  const elman_status run = translator.items[0].status;
  cr_assert(run == ELMAN_OK || run == ELMAN_BAD_DATA, "%s, byte %zu", what, position);
  if (run == ELMAN_OK) cr_assert(isfinite(translator.items[0].beam->ended[0].log_probability));
  model_free(model);
  return true;
}

static inline void put_file(const char *header, uint64_t header_size, const char *data,
                            size_t data_size) {
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

/* Make the file of a writer that does not support checksums. */
static inline void remove_checksum(char *header) {
  char *entry = strstr(header, ",\"elman.checksum\":\"xxh64:");
  cr_assert_not_null(entry);
  char *end = strchr(entry, '}');
  memmove(entry, end, strlen(end) + 1);
}

static inline struct good_file good_file_with_checksum(void) {
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

static inline struct good_file good_file(void) {
  struct good_file good = good_file_with_checksum();
  remove_checksum(good.header);
  return good;
}

static inline void free_good(struct good_file *good) {
  free(good->bytes);
  free(good->header);
}

/* Write the good file with the first `find` in its header replaced. */
static inline void put_replaced(const struct good_file *good, const char *find,
                                const char *replacement) {
  const char *at = strstr(good->header, find);
  cr_assert_not_null(at, "the header lacks %s", find);
  owned char *header;
  const int size = asprintf(&header, "%.*s%s%s", (int)(at - good->header), good->header,
                            replacement, at + strlen(find));
  cr_assert_gt(size, 0);
  put_file(header, (uint64_t)size, good->data, good->data_size);
}

#endif
