#include "train/same_training.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/group.h"
#include "base/table.h"
#include "elman/version.h"
#include "model/options.h"
#include "tensor/blas_kernels.h"
#include "tensor/product.h"

#define KEY_OPTIONS "elman.options"
#define KEY_NAMES "elman.names"
#define KEY_START "elman.start"

/* Keys that describe the machine of a process. */
#define KEY_COMPILER "compiler"
#define KEY_INSTRUCTIONS "instructions"
#define KEY_BLAS "OpenBLAS"
#define KEY_FAMILY "kernels of OpenBLAS"
#define KEY_PACKED "packed matrix products"
#define KEY_BFLOAT16 "bfloat16 instructions"

elman_status checkpoint_bad(const struct safetensors *file, elman_error *error, const char *problem,
                            const char *what) {
  return fail(error, ELMAN_BAD_DATA, file->path,
              "not a usable checkpoint: %s %s; rename or delete it to start over", what, problem);
}

elman_status checkpoint_json(json_t **value, const struct safetensors *file, const char *key,
                             elman_error *error) {
  const char *text = safetensors_metadata(file, key);
  *value = NULL;
  if (text == NULL) return checkpoint_bad(file, error, "is missing", key);
  const elman_status status = read_json(value, text_of(text), error);
  if (status == ELMAN_BAD_DATA || (status == ELMAN_OK && !json_is_object(*value)))
    return checkpoint_bad(file, error, "is not a JSON object", key);
  return status;
}

/* ---- corpus, model and options as JSON ---- */

static uint64_t hash_sentences(uint64_t hash, const struct sentences *sentences) {
  hash = hash_bytes(hash, sentences->starts, (sentences->count + 1) * sizeof *sentences->starts);
  return hash_bytes(hash, sentences->ids,
                    sentences->starts[sentences->count] * sizeof *sentences->ids);
}

/* Extend a hash by texts, which augmentation changes. */
static uint64_t hash_texts(uint64_t hash, const struct sentence_texts *texts, size_t count) {
  if (texts->starts == NULL) return hash;
  hash = hash_bytes(hash, texts->starts, (count + 1) * sizeof *texts->starts);
  return hash_bytes(hash, texts->bytes.bytes, texts->bytes.length);
}

struct corpus_hashes corpus_hashes_of(const struct corpus *corpus) {
  const struct token_links *links = &corpus->links;
  const size_t pairs = corpus->target.count;
  struct corpus_hashes hashes = {
      .ids = hash_sentences(hash_sentences(HASH_START, &corpus->source), &corpus->target)};
  for (int side = 0; side < 2; side++)
    hashes.ids = hash_texts(hashes.ids, &corpus->texts[side], corpus->source.count);
  if (links->starts == NULL) return hashes;
  hashes.guide = hash_bytes(HASH_START, links->starts, (pairs + 1) * sizeof *links->starts);
  hashes.guide =
      hash_bytes(hashes.guide, links->items, links->starts[pairs] * sizeof *links->items);
  return hashes;
}

/* Hash the tokens, and the merge operations if there are any. */
static uint64_t hash_vocabulary(const struct vocabulary *vocabulary, const struct merges *merges) {
  uint64_t hash = HASH_START;
  for (size_t id = 0; id < vocabulary_size(vocabulary); id++) {
    const struct text token = vocabulary_token(vocabulary, id);
    hash = hash_bytes(hash, token.bytes, token.length + 1);
  }
  return merges == NULL ? hash : merges_hash(hash, merges);
}

static json_t *hexadecimal(uint64_t number) {
  char digits[24];
  snprintf(digits, sizeof digits, "%016" PRIx64, number);
  return json_string(digits);
}

/* Keys of hashes. */
#define KEY_SOURCE_WORDS "source vocabulary"
#define KEY_TARGET_WORDS "target vocabulary"
#define KEY_CORPUS "corpus"
#define KEY_DEV "dev file"
#define KEY_GUIDE "guide"

/* Describe corpus, model and the options of these scopes as JSON. Return NULL when memory runs out.
 * The key of a hyperparameter is its name; the key of any other value is its label in messages. */
static json_t *describe_training(const struct trainer *trainer, unsigned scopes) {
  const struct model *model = trainer->model;
  const struct model_config *config = &model->config;
  const uint64_t guide = trainer->corpus.guide;
  const elman_pairs *dev = trainer_dev(trainer->options);
  json_t *words =
      json_pack("{s:I, s:I, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "source vocabulary size",
                (json_int_t)config->source_vocabulary, "target vocabulary size",
                (json_int_t)config->target_vocabulary, "source normalization",
                elman_normalization_name(config->source_normalization), "target normalization",
                elman_normalization_name(config->target_normalization), KEY_SOURCE_WORDS,
                hexadecimal(hash_vocabulary(model->source_vocabulary, model->merges[ELMAN_SOURCE])),
                KEY_TARGET_WORDS,
                hexadecimal(hash_vocabulary(model->target_vocabulary, model->merges[ELMAN_TARGET])),
                KEY_CORPUS, hexadecimal(trainer->corpus.ids), KEY_DEV,
                dev == NULL ? json_null() : hexadecimal(pairs_hash(dev)), KEY_GUIDE,
                guide == 0 ? json_null() : hexadecimal(guide));
  json_t *json = json_object();
  /* Options come first, so that a message names a changed option rather than its effects. */
  int result = options_to_json(json, ELMAN_SCOPES_MODEL, config);
  result |= options_to_json(json, scopes, trainer->options);
  result |= json_object_update_new(json, words); /* frees `words` also after an error */
  if (result == 0) return json;
  json_decref(json);
  return NULL;
}

/* Return the label that messages use for a key. */
static const char *label_of(const char *key) {
  const elman_option *row = NULL;
  while ((row = elman_option_next(row, ELMAN_SCOPES_MODEL | ELMAN_SCOPES_TRAIN)) != NULL)
    if (strcmp(row->name, key) == 0) return row->label;
  return key;
}

/* Add a name to the object. Omit a name that is not UTF-8. Return false when memory runs out. */
static bool add_name(json_t *names, const char *key, const char *name) {
  if (name == NULL || text_valid_prefix(text_of(name)) < strlen(name)) return true;
  return json_object_set_new(names, key, json_string(name)) == 0;
}

/* Return the names of the files that are compared by hash, for use in messages; NULL when memory
 * runs out. */
static json_t *describe_names(const elman_train_options *options) {
  json_t *names = json_object();
  if (names != NULL && add_name(names, KEY_CORPUS, options->pairs_name) &&
      add_name(names, KEY_DEV, options->dev_name) &&
      add_name(names, KEY_GUIDE, options->guide_name))
    return names;
  json_decref(names);
  return NULL;
}

int training_set_options(json_t *metadata, const struct trainer *trainer) {
  json_t *options = describe_training(trainer, ELMAN_SCOPE_TRAINING);
  const int result = safetensors_set_json(metadata, KEY_OPTIONS, options);
  return result | safetensors_set_json(metadata, KEY_NAMES, describe_names(trainer->options));
}

elman_status training_get_options(elman_train_options *options, const struct safetensors *file,
                                  elman_error *error) {
  json_t *json;
  elman_status status = checkpoint_json(&json, file, KEY_OPTIONS, error);
  if (status != ELMAN_OK) return status;
  char fault[JSON_FAULT_SIZE];
  const elman_option *wrong = options_from_json(options, ELMAN_SCOPE_TRAINING, json);
  if (wrong != NULL) json_fault_of(fault, json, wrong->name);
  json_decref(json);
  if (wrong != NULL) return checkpoint_bad(file, error, fault, KEY_OPTIONS);
  return elman_options_check(ELMAN_SCOPE_TRAINING, options, NULL, ELMAN_NAMES_FIELD, error);
}

/* ---- comparing ---- */

static bool is_among(const char *key, const char *const *keys, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(key, keys[i]) == 0) return true;
  return false;
}

static bool is_machine(const char *key) {
  static const char *const keys[] = {KEY_COMPILER, KEY_INSTRUCTIONS, KEY_BLAS,
                                     KEY_FAMILY,   KEY_PACKED,       KEY_BFLOAT16};
  return is_among(key, keys, sizeof keys / sizeof *keys);
}

/* Report that the checkpoint `path` belongs to another run, with a difference in printf format. */
static elman_status fail_other_run(elman_error *error, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static elman_status fail_other_run(elman_error *error, const char *path, const char *format, ...) {
  char difference[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(difference, sizeof difference, format, arguments);
  va_end(arguments);
  return fail(error, ELMAN_INVALID_ARGUMENT, path,
              "the checkpoint belongs to another run: %s; use the original files and options, or "
              "delete the checkpoint to start over",
              difference);
}

/* Report that two values differ. `there` is the value in the checkpoint `path`, or in process 0 if
 * `path` is NULL; `there` may be NULL. */
static elman_status fail_different(const char *key, const json_t *here, const json_t *there,
                                   const char *path, elman_error *error) {
  const size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(9);
  elman_status status;
  char *is = write_json(here, flags);
  char *other = there == NULL ? strdup("unknown") : write_json(there, flags);
  if (is == NULL || other == NULL)
    status = fail_no_memory(error);
  else if (path == NULL)
    status = fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s: %s here, but %s in process 0; %s",
                  label_of(key), is, other,
                  is_machine(key) ? "processors and compilers may differ only with portable "
                                    "arithmetic (`arithmetic` portable)"
                                  : "all processes of a run need the same program, files and "
                                    "options");
  else
    status = fail_other_run(error, path, "%s was %s and is now %s", label_of(key), other, is);
  free(is);
  free(other);
  return status;
}

static bool is_hashed(const char *key) {
  static const char *const keys[] = {KEY_SOURCE_WORDS, KEY_TARGET_WORDS, KEY_CORPUS, KEY_DEV,
                                     KEY_GUIDE};
  return is_among(key, keys, sizeof keys / sizeof *keys);
}

/* Report that the texts differ. `here` and `there` are their hashes. Name the files, if known,
 * instead of their hashes. */
static elman_status fail_other_text(const char *key, const json_t *here, const json_t *there,
                                    const elman_train_options *options,
                                    const struct safetensors *file, elman_error *error) {
  json_t *then, *now = describe_names(options);
  elman_status status = checkpoint_json(&then, file, KEY_NAMES, error);
  const char *was = json_string_value(json_object_get(then, key));
  const char *is = json_string_value(json_object_get(now, key));
  if (json_is_null(here)) is = "none";
  if (json_is_null(there)) was = "none";
  if (status == ELMAN_OK && was != NULL && is != NULL && strcmp(was, is) != 0)
    status = fail_other_run(error, file->path, "%s was %s and is now %s", label_of(key), was, is);
  else if (status == ELMAN_OK)
    status = fail_other_run(error, file->path, "%s%s%s%s changed", label_of(key),
                            is == NULL ? "" : " (", is == NULL ? "" : is, is == NULL ? "" : ")");
  json_decref(then);
  json_decref(now);
  return status;
}

/* Compare `here` with `there`, which comes from a checkpoint, or from process 0 if `file` is
 * NULL. */
static elman_status compare(const json_t *here, const json_t *there, const struct safetensors *file,
                            const elman_train_options *options, elman_error *error) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)here, key, value) {
    const json_t *other = json_object_get(there, key);
    if (json_equal(value, other)) continue;
    return file != NULL && is_hashed(key)
               ? fail_other_text(key, value, other, options, file, error)
               : fail_different(key, value, other, file == NULL ? NULL : file->path, error);
  }
  return ELMAN_OK;
}

/* ---- resuming from a checkpoint ---- */

static elman_status check_options(const struct safetensors *file, const struct trainer *trainer,
                                  elman_error *error) {
  json_t *then, *now = describe_training(trainer, ELMAN_SCOPE_TRAINING);
  elman_status status = checkpoint_json(&then, file, KEY_OPTIONS, error);
  if (status == ELMAN_OK && now == NULL) status = fail_no_memory(error);
  if (status == ELMAN_OK) status = compare(now, then, file, trainer->options, error);
  json_decref(then);
  json_decref(now);
  return status;
}

int training_set_start(json_t *metadata, const struct training_start *start) {
  json_t *json =
      json_pack("{s:o, s:o, s:I, s:I, s:I}", "weights", hexadecimal(start->weights), "written",
                hexadecimal(start->written), "epochs", (json_int_t)start->history.epochs, "updates",
                (json_int_t)start->history.updates, "tokens", (json_int_t)start->history.tokens);
  return safetensors_set_json(metadata, KEY_START, json);
}

static bool parse_hexadecimal(uint64_t *number, const char *digits) {
  if (strlen(digits) != 16 || strspn(digits, "0123456789abcdef") != 16) return false;
  *number = strtoull(digits, NULL, 16);
  return true;
}

/* Read the start of the run. Return true, or false after describing the fault in `fault`. */
static bool parse_start(struct training_start *start, json_t *json, char fault[JSON_FAULT_SIZE]) {
  const char *weights, *written;
  const json_int_t most = (json_int_t)MAX_COUNT;
  json_int_t epochs, updates, tokens;
  const struct json_field fields[] = {{"weights", .string = &weights},
                                      {"written", .string = &written},
                                      {"epochs", .integer = &epochs},
                                      {"updates", .integer = &updates},
                                      {"tokens", .integer = &tokens}};
  if (!read_json_fields(fault, fields, sizeof fields / sizeof *fields, json)) return false;
  snprintf(fault, JSON_FAULT_SIZE, "has impossible counts or hashes");
  if (epochs < 0 || updates < 0 || tokens < 0 || epochs > most || updates > most || tokens > most)
    return false;
  start->history = (elman_history){
      .epochs = (uint64_t)epochs, .updates = (uint64_t)updates, .tokens = (uint64_t)tokens};
  return parse_hexadecimal(&start->weights, weights) && parse_hexadecimal(&start->written, written);
}

/* Compare the initial weights by hash. Random initial weights have hash 0, because the compared
 * options determine them. */
static elman_status check_start(const struct training_start *then, const struct training_start *now,
                                const struct safetensors *file, elman_error *error) {
  if (now->weights == then->weights || (now->weights != 0 && now->weights == then->written))
    return ELMAN_OK;
  return fail_other_run(error, file->path,
                        "it was initialized from %s, and this run is initialized from %s",
                        then->weights == 0 ? "random weights" : "a trained model",
                        now->weights == 0    ? "random weights"
                        : then->weights == 0 ? "a trained model"
                                             : "another model");
}

/* Copy the start recorded in the file to the trainer. */
static elman_status read_start(struct trainer *trainer, const struct safetensors *file,
                               elman_error *error) {
  struct training_start start;
  json_t *json;
  elman_status status = checkpoint_json(&json, file, KEY_START, error);
  char fault[JSON_FAULT_SIZE];
  if (status == ELMAN_OK && !parse_start(&start, json, fault))
    status = checkpoint_bad(file, error, fault, KEY_START);
  if (status == ELMAN_OK) status = check_start(&start, &trainer->start, file, error);
  json_decref(json);
  if (status == ELMAN_OK) trainer->start = start;
  return status;
}

elman_status training_check(struct trainer *trainer, const struct safetensors *file,
                            elman_error *error) {
  const elman_status status = check_options(file, trainer, error);
  return status == ELMAN_OK ? read_start(trainer, file, error) : status;
}

/* ---- processes of one run ---- */

/* Add everything that, besides the program, determines the bits of fast arithmetic. */
static int describe_machine(json_t *json, elman_precision precision) {
  const struct blas_kernels kernels = blas_kernels_in_use();
  int result = json_object_set_new(json, KEY_COMPILER, json_string(__VERSION__));
  result |= json_object_set_new(json, KEY_INSTRUCTIONS, json_string(compiled_instructions()));
  result |= json_object_set_new(json, KEY_BLAS, json_string(kernels.config));
  result |= json_object_set_new(json, KEY_FAMILY, json_string(kernels.family));
  result |= json_object_set_new(json, KEY_PACKED,
                                json_boolean(packed_size(ARITHMETIC_FAST, 1, 1, 1) > 0));
  if (precision == ELMAN_PRECISION_BFLOAT16) {
    const struct pair_kernel *pairs = pair_kernel_in_use(ARITHMETIC_FAST);
    result |= json_object_set_new(json, KEY_BFLOAT16,
                                  json_string(pairs == NULL ? "none" : pairs->instructions));
  }
  return result;
}

/* Describe the program. Its version comes first, because another version may have other options. In
 * portable arithmetic the machines may differ. */
static json_t *describe_program(const struct trainer *trainer) {
  json_t *work = describe_training(trainer, ELMAN_SCOPE_TRAINING | ELMAN_SCOPE_END);
  json_t *json = json_object();
  int result = json_object_set_new(json, "version", json_string(ELMAN_VERSION));
  if (trainer->model->weights.numerics->arithmetic == ARITHMETIC_FAST)
    result |= describe_machine(json, trainer->options->precision);
  result |= json_object_set_new(json, "epochs", json_integer((json_int_t)trainer->options->epochs));
  if (work == NULL) result = -1;
  if (result == 0) result = json_object_update(json, work);
  json_decref(work);
  if (result == 0) return json;
  json_decref(json);
  return NULL;
}

/* Copy the text of process 0 to all processes. */
static elman_status broadcast_text(char **text, const elman_group *group, elman_error *error) {
  uint64_t length = group_rank(group) == 0 ? strlen(*text) + 1 : 0;
  elman_status status = elman_group_broadcast(group, &length, sizeof length, error);
  if (status != ELMAN_OK) return status;
  if (group_rank(group) != 0) {
    free(*text);
    *text = malloc((size_t)length);
  }
  status = elman_group_agree(group, *text == NULL ? fail_no_memory(error) : ELMAN_OK, error);
  return status == ELMAN_OK ? elman_group_broadcast(group, *text, (size_t)length, error) : status;
}

elman_status training_compare(const struct trainer *trainer, elman_error *error) {
  const elman_group *group = trainer->options->group;
  json_t *here = describe_program(trainer), *there = NULL;
  char *text = here == NULL ? NULL : write_json(here, JSON_COMPACT);
  elman_status status = text == NULL ? fail_no_memory(error) : ELMAN_OK;
  status = elman_group_agree(group, status, error);
  if (status == ELMAN_OK) status = broadcast_text(&text, group, error);
  if (status == ELMAN_OK) {
    status = read_json(&there, text_of(text), error);
    if (status == ELMAN_OK) status = compare(here, there, NULL, trainer->options, error);
    status = elman_group_agree(group, status, error);
  }
  free(text);
  json_decref(here);
  json_decref(there);
  return status;
}

elman_status training_broadcast(struct trainer *trainer, const elman_group *group,
                                elman_error *error) {
  struct named_block blocks[TRAINER_BLOCKS];
  const size_t bytes = trainer_block_bytes(trainer);
  elman_status status = elman_group_broadcast(group, &trainer->state, sizeof trainer->state, error);
  if (status == ELMAN_OK)
    status = elman_group_broadcast(group, &trainer->start, sizeof trainer->start, error);
  if (status == ELMAN_OK) trainer->model->past.history = trainer->start.history;
  trainer_list_blocks(blocks, trainer);
  for (size_t i = 0; i < TRAINER_BLOCKS && status == ELMAN_OK; i++)
    if (blocks[i].block != NULL)
      status = elman_group_broadcast(group, blocks[i].block, bytes, error);
  return status;
}
