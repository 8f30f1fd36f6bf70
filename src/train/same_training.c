#include "train/same_training.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"
#include "model/hyperparameter_json.h"
#include "train/checkpoint_json.h"

static uint64_t hash_sentences(uint64_t hash, const struct sentences *sentences) {
  hash = hash_bytes(hash, sentences->starts, (sentences->count + 1) * sizeof *sentences->starts);
  return hash_bytes(hash, sentences->ids,
                    sentences->starts[sentences->count] * sizeof *sentences->ids);
}

struct corpus_hashes corpus_hashes_of(const struct corpus *corpus) {
  const struct token_links *links = &corpus->links;
  const size_t pairs = corpus->target.count;
  struct corpus_hashes hashes = {
      .ids = hash_sentences(hash_sentences(HASH_START, &corpus->source), &corpus->target)};
  if (links->starts == NULL) return hashes;
  hashes.guide = hash_bytes(HASH_START, links->starts, (pairs + 1) * sizeof *links->starts);
  hashes.guide =
      hash_bytes(hashes.guide, links->items, links->starts[pairs] * sizeof *links->items);
  return hashes;
}

/* ---- what must agree ---- */

/* And of the merges, where there are any, by which text becomes its words. */
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

static int describe_rows(json_t *object, unsigned scopes, const void *fields) {
  const elman_hyperparameter *row = NULL;
  int result = 0;
  while ((row = hyperparameter_next(row, scopes)) != NULL)
    result |= json_object_set_new(object, row->label, hyperparameter_to_json(row, fields));
  return result;
}

/* What corpus and options together made of the words. */
static json_t *describe_words(const struct model *model, const struct pairs *dev,
                              struct corpus_hashes hashes) {
  const struct model_config *config = &model->config;
  return json_pack(
      "{s:I, s:I, s:s, s:s, s:o, s:o, s:o, s:o}", "source vocabulary",
      (json_int_t)config->source_vocabulary, "target vocabulary",
      (json_int_t)config->target_vocabulary, "normalization of the source",
      normalization_name(config->source_normalization), "normalization of the target",
      normalization_name(config->target_normalization), "words of the source",
      hexadecimal(hash_vocabulary(model->source_vocabulary, model->merges[ELMAN_SOURCE])),
      "words of the target",
      hexadecimal(hash_vocabulary(model->target_vocabulary, model->merges[ELMAN_TARGET])), "corpus",
      hexadecimal(hashes.ids), "dev pairs", hexadecimal(pairs_hash(dev)));
}

json_t *training_describe(const struct trainer *trainer, const elman_train_options *options,
                          unsigned scopes, struct corpus_hashes hashes) {
  const struct model *model = trainer->model;
  json_t *json = json_object();
  /* First what was asked for, so that a message names it rather than what came of it. */
  if (json != NULL &&
      describe_rows(json, ELMAN_SCOPE_MODEL | ELMAN_SCOPE_START, &model->config) == 0 &&
      describe_rows(json, scopes, options) == 0 &&
      json_object_update_new(json, describe_words(model, trainer_dev(options), hashes)) == 0 &&
      (hashes.guide == 0 || json_object_set_new(json, "guide", hexadecimal(hashes.guide)) == 0))
    return json;
  json_decref(json);
  return NULL;
}

/* False when memory runs out; a name that is not UTF-8 is left out. */
static bool add_name(json_t *names, const char *key, const char *name) {
  if (name == NULL || text_valid_prefix(text_of(name)) < strlen(name)) return true;
  return json_object_set_new(names, key, json_string(name)) == 0;
}

json_t *training_names(const elman_train_options *options) {
  json_t *names = json_object();
  if (names != NULL && add_name(names, "corpus", options->pairs_name) &&
      add_name(names, "dev pairs", options->dev_name) &&
      add_name(names, "guide", options->guide_name))
    return names;
  json_decref(names);
  return NULL;
}

/* ---- what it began from ---- */

json_t *training_start_to_json(const struct training_start *start) {
  return json_pack("{s:o, s:o, s:I, s:I, s:I}", "weights", hexadecimal(start->weights), "written",
                   hexadecimal(start->written), "epochs", (json_int_t)start->history.epochs,
                   "updates", (json_int_t)start->history.updates, "tokens",
                   (json_int_t)start->history.tokens);
}

static bool parse_hexadecimal(uint64_t *number, const char *digits) {
  if (strlen(digits) != 16 || strspn(digits, "0123456789abcdef") != 16) return false;
  *number = strtoull(digits, NULL, 16);
  return true;
}

static bool parse_start(struct training_start *start, const json_t *json) {
  const char *weights, *written;
  const json_int_t most = (json_int_t)MOST_COUNT;
  json_int_t epochs, updates, tokens;
  const struct json_field fields[] = {{"weights", .string = &weights},
                                      {"written", .string = &written},
                                      {"epochs", .integer = &epochs},
                                      {"updates", .integer = &updates},
                                      {"tokens", .integer = &tokens}};
  if (!read_json_fields(fields, sizeof fields / sizeof *fields, json) || epochs < 0 ||
      updates < 0 || tokens < 0 || epochs > most || updates > most || tokens > most)
    return false;
  start->history = (elman_history){
      .epochs = (uint64_t)epochs, .updates = (uint64_t)updates, .tokens = (uint64_t)tokens};
  return parse_hexadecimal(&start->weights, weights) && parse_hexadecimal(&start->written, written);
}

/* ---- comparing ---- */

/* `before` may be NULL. */
static elman_status differs(const char *key, const json_t *before, const json_t *now,
                            const struct safetensors *file, elman_error *error) {
  char *was = before == NULL ? strdup("not set")
                             : write_json(before, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
  char *is = write_json(now, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
  const elman_status status =
      was == NULL || is == NULL
          ? fail_no_memory(error)
          : fail(error, ELMAN_INVALID_ARGUMENT, file->path,
                 "the checkpoint belongs to another training: %s was %s and is now %s; use what it "
                 "was trained with, or remove the file to start anew",
                 key, was, is);
  free(was);
  free(is);
  return status;
}

static bool is_hashed(const char *key) {
  static const char *const keys[] = {"words of the source", "words of the target", "corpus",
                                     "dev pairs", "guide"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(key, keys[i]) == 0) return true;
  return false;
}

/* Hashes tell nobody anything; names do, where there are any. */
static elman_status text_differs(const char *key, const elman_train_options *options,
                                 const struct safetensors *file, elman_error *error) {
  static const char advice[] = "use what it was trained with, or remove the file to start anew";
  json_t *then = NULL, *now = training_names(options);
  const char *text = safetensors_metadata(file, KEY_NAMES);
  elman_status status = text == NULL ? ELMAN_OK : checkpoint_json(&then, file, KEY_NAMES, error);
  const char *was = json_string_value(json_object_get(then, key));
  const char *is = json_string_value(json_object_get(now, key));
  if (status == ELMAN_OK && was != NULL && is != NULL && strcmp(was, is) != 0)
    status = fail(error, ELMAN_INVALID_ARGUMENT, file->path,
                  "the checkpoint belongs to another training: %s was %s and is now %s; %s", key,
                  was, is, advice);
  else if (status == ELMAN_OK)
    status = fail(error, ELMAN_INVALID_ARGUMENT, file->path,
                  "the checkpoint belongs to another training: %s%s%s%s changed; %s", key,
                  is == NULL ? "" : " (", is == NULL ? "" : is, is == NULL ? "" : ")", advice);
  json_decref(then);
  json_decref(now);
  return status;
}

elman_status training_check_options(const struct safetensors *file, const struct trainer *trainer,
                                    const elman_train_options *options, struct corpus_hashes hashes,
                                    elman_error *error) {
  /* A file of an earlier version lacks options that it did not know, and trained as if they had
   * their defaults. How its model was made it did not tell, and is taken at the user's word. */
  const elman_train_options defaults = {ELMAN_TRAIN_HYPERPARAMETERS(FIELD_DEFAULT)};
  const struct model_config model_defaults = model_config_default();
  json_t *then, *now = training_describe(trainer, options, ELMAN_SCOPE_TRAINING, hashes);
  elman_status status = checkpoint_json(&then, file, KEY_OPTIONS, error);
  const char *key;
  json_t *value, *unset = json_object();
  if (now == NULL || unset == NULL || describe_rows(unset, ELMAN_SCOPE_TRAINING, &defaults) != 0 ||
      describe_rows(unset, ELMAN_SCOPE_MODEL, &model_defaults) != 0 ||
      describe_rows(unset, ELMAN_SCOPE_START, &trainer->model->config) != 0)
    status = fail_no_memory(error);
  json_object_foreach(now, key, value) {
    const json_t *before = json_object_get(then, key);
    if (before == NULL) before = json_object_get(unset, key);
    if (status == ELMAN_OK && !json_equal(before, value))
      status = is_hashed(key) ? text_differs(key, options, file, error)
                              : differs(key, before, value, file, error);
  }
  json_decref(then);
  json_decref(now);
  json_decref(unset);
  return status;
}

/* Training went on from weights of which nothing else tells. */
static elman_status check_start(const struct training_start *then, const struct training_start *now,
                                const struct safetensors *file, elman_error *error) {
  if (now->weights == then->weights || (now->weights != 0 && now->weights == then->written))
    return ELMAN_OK;
  return fail(error, ELMAN_INVALID_ARGUMENT, file->path,
              "the checkpoint belongs to another training, which began from %s, and not from %s; "
              "use what it was trained with, or remove the file to start anew",
              then->weights == 0 ? "new weights" : "the weights of a model (--init-from)",
              now->weights == 0    ? "new ones"
              : then->weights == 0 ? "those of a model (--init-from)"
                                   : "those of this one");
}

elman_status training_read_start(struct trainer *trainer, const struct safetensors *file,
                                 elman_error *error) {
  struct training_start start;
  json_t *json;
  if (safetensors_metadata(file, KEY_START) == NULL) return ELMAN_OK;
  elman_status status = checkpoint_json(&json, file, KEY_START, error);
  if (status == ELMAN_OK && !parse_start(&start, json))
    status = checkpoint_bad(file, error, "does not hold what this version expects", KEY_START);
  if (status == ELMAN_OK) status = check_start(&start, &trainer->start, file, error);
  json_decref(json);
  if (status != ELMAN_OK) return status;
  trainer->start = start;
  return ELMAN_OK;
}
