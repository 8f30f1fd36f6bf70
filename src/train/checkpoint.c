#include "train/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/fnv.h"
#include "base/safe_file.h"
#include "model/hyperparameter_json.h"
#include "model/safetensors.h"

static const char KEY_OPTIONS[] = "elman.options", KEY_STATE[] = "elman.state",
                  KEY_NAMES[] = "elman.names", KEY_START[] = "elman.start",
                  KEY_VERSION[] = "elman.version";

/* The blocks of a trainer, by the prefix of their tensors' names. */
enum { BLOCKS = 5 };
struct named_block {
  const char *prefix;
  real *block; /* NULL = not in use */
};

static void list_blocks(struct named_block blocks[BLOCKS], const struct trainer *trainer) {
  const struct named_block all[BLOCKS] = {{"weights", trainer->model->block},
                                          {"m", trainer->m},
                                          {"v", trainer->v},
                                          {"average", trainer->average},
                                          {"best", trainer->best}};
  memcpy(blocks, all, sizeof all);
}

static uint64_t hash_sentences(uint64_t hash, const struct sentences *sentences) {
  hash = hash_bytes(hash, sentences->starts, (sentences->count + 1) * sizeof *sentences->starts);
  return hash_bytes(hash, sentences->ids,
                    sentences->starts[sentences->count] * sizeof *sentences->ids);
}

struct corpus_hashes checkpoint_corpus_hashes(const struct corpus *corpus) {
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

json_t *checkpoint_describe(const struct trainer *trainer, const elman_train_options *options,
                            unsigned scopes, struct corpus_hashes hashes) {
  const struct model *model = trainer->model;
  const struct model_config *config = &model->config;
  json_t *json = json_pack(
      "{s:I, s:I, s:s, s:s, s:o, s:o, s:o, s:o}", "source vocabulary",
      (json_int_t)config->source_vocabulary, "target vocabulary",
      (json_int_t)config->target_vocabulary, "normalization of the source",
      normalization_name(config->source_normalization), "normalization of the target",
      normalization_name(config->target_normalization), "words of the source",
      hexadecimal(hash_vocabulary(model->source_vocabulary, model->merges[ELMAN_SOURCE])),
      "words of the target",
      hexadecimal(hash_vocabulary(model->target_vocabulary, model->merges[ELMAN_TARGET])), "corpus",
      hexadecimal(hashes.ids), "dev pairs", hexadecimal(pairs_hash(trainer_dev(options))));
  if (describe_rows(json, ELMAN_SCOPE_MODEL, config) == 0 &&
      describe_rows(json, scopes, options) == 0 &&
      (hashes.guide == 0 || json_object_set_new(json, "guide", hexadecimal(hashes.guide)) == 0))
    return json;
  json_decref(json);
  return NULL;
}

/* Everything that changes the result. */
static json_t *describe_options(const struct trainer *trainer, const elman_train_options *options,
                                struct corpus_hashes hashes) {
  return checkpoint_describe(trainer, options, ELMAN_SCOPE_TRAINING, hashes);
}

/* False when memory runs out; a name that is not UTF-8 is left out. */
static bool add_name(json_t *names, const char *key, const char *name) {
  if (name == NULL || text_valid_prefix(text_of(name)) < strlen(name)) return true;
  return json_object_set_new(names, key, json_string(name)) == 0;
}

/* Of what is compared by its hash; only for messages. */
static json_t *describe_names(const elman_train_options *options) {
  json_t *names = json_object();
  if (names != NULL && add_name(names, "corpus", options->pairs_name) &&
      add_name(names, "dev pairs", options->dev_name) &&
      add_name(names, "guide", options->guide_name))
    return names;
  json_decref(names);
  return NULL;
}

/* ---- where it stands ---- */

static json_t *describe_state(const struct training_state *state) {
  return json_pack("{s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:b, s:f, s:f, s:I, s:b, s:f}", "update",
                   (json_int_t)state->update, "epoch", (json_int_t)state->epoch, "position",
                   (json_int_t)state->position, "epoch_tokens", (json_int_t)state->epoch_tokens,
                   "epoch_loss", state->epoch_loss, "failures", (json_int_t)state->failures,
                   "skipped", (json_int_t)state->skipped, "has_best", state->has_best, "best_score",
                   state->best_score, "best_loss", state->best_loss, "stale",
                   (json_int_t)state->stale, "finished", state->finished, "rate_factor",
                   state->rate_factor);
}

static bool parse_state(struct training_state *state, const json_t *json) {
  json_int_t update, epoch, position, tokens, failures, skipped, stale;
  const struct json_field fields[] = {{"update", .integer = &update},
                                      {"epoch", .integer = &epoch},
                                      {"position", .integer = &position},
                                      {"epoch_tokens", .integer = &tokens},
                                      {"epoch_loss", .number = &state->epoch_loss},
                                      {"failures", .integer = &failures},
                                      {"skipped", .integer = &skipped},
                                      {"has_best", .truth = &state->has_best},
                                      {"best_score", .number = &state->best_score},
                                      {"best_loss", .number = &state->best_loss},
                                      {"stale", .integer = &stale},
                                      {"finished", .truth = &state->finished},
                                      {"rate_factor", .number = &state->rate_factor}};
  if (!read_json_fields(fields, sizeof fields / sizeof *fields, json)) return false;
  if (update < 0 || epoch < 1 || position < 0 || tokens < 0 || failures < 0 || skipped < 0 ||
      stale < 0 || state->rate_factor < 0 || state->rate_factor > 1)
    return false;
  state->update = (uint64_t)update;
  state->epoch = (size_t)epoch;
  state->position = (size_t)position;
  state->epoch_tokens = (size_t)tokens;
  state->failures = (size_t)failures;
  state->skipped = (size_t)skipped;
  state->stale = (size_t)stale;
  return true;
}

/* ---- what it began from ---- */

static json_t *describe_start(const struct training_start *start) {
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
  json_int_t epochs, updates, tokens;
  const struct json_field fields[] = {{"weights", .string = &weights},
                                      {"written", .string = &written},
                                      {"epochs", .integer = &epochs},
                                      {"updates", .integer = &updates},
                                      {"tokens", .integer = &tokens}};
  if (!read_json_fields(fields, sizeof fields / sizeof *fields, json) || epochs < 0 ||
      updates < 0 || tokens < 0)
    return false;
  start->history = (elman_history){
      .epochs = (uint64_t)epochs, .updates = (uint64_t)updates, .tokens = (uint64_t)tokens};
  return parse_hexadecimal(&start->weights, weights) && parse_hexadecimal(&start->written, written);
}

/* ---- writing ---- */

static elman_status write_tensors(FILE *stream, json_t *metadata, const struct trainer *trainer,
                                  elman_error *error) {
  enum { NAME = 80 };
  const struct parameter_table *table = &trainer->model->table;
  struct named_block blocks[BLOCKS];
  list_blocks(blocks, trainer);
  struct tensor_source *tensors = calloc(BLOCKS * table->count, sizeof *tensors);
  char(*names)[NAME] = calloc(BLOCKS * table->count, sizeof *names);
  elman_status status = ELMAN_OK;
  size_t count = 0;
  if (tensors == NULL || names == NULL) status = fail_no_memory(error);
  for (size_t b = 0; status == ELMAN_OK && b < BLOCKS; b++) {
    for (size_t i = 0; blocks[b].block != NULL && i < table->count; i++) {
      const struct parameter *row = &table->rows[i];
      if (row->alias) continue;
      snprintf(names[count], NAME, "%s.%s", blocks[b].prefix, row->name);
      tensors[count] = (struct tensor_source){
          names[count], blocks[b].block + row->offset, {row->rows, row->columns}, row->dimensions};
      count++;
    }
  }
  if (status == ELMAN_OK) status = safetensors_write(stream, metadata, tensors, count, error);
  free(tensors);
  free(names);
  return status;
}

elman_status checkpoint_save(const struct trainer *trainer, const elman_train_options *options,
                             struct corpus_hashes hashes, elman_error *error) {
  json_t *metadata = json_object();
  int result = json_object_set_new(metadata, KEY_VERSION, json_string(ELMAN_VERSION));
  result |= safetensors_set_json(metadata, KEY_OPTIONS, describe_options(trainer, options, hashes));
  result |= safetensors_set_json(metadata, KEY_NAMES, describe_names(options));
  result |= safetensors_set_json(metadata, KEY_STATE, describe_state(&trainer->state));
  result |= safetensors_set_json(metadata, KEY_START, describe_start(&trainer->start));
  struct safe_file file;
  elman_status status = result == 0
                            ? safe_file_open(&file, options->checkpoint, options->output, error)
                            : fail_no_memory(error);
  if (status == ELMAN_OK) {
    status = write_tensors(file.stream, metadata, trainer, error);
    status = safe_file_end(&file, status, error);
  }
  json_decref(metadata);
  return status;
}

/* ---- reading ---- */

static elman_status bad(const struct safetensors *file, elman_error *error, const char *problem,
                        const char *what) {
  return fail(error, ELMAN_BAD_DATA, file->path,
              "not a usable checkpoint: %s %s; remove it to start anew", what, problem);
}

/* The file's own readers do not know that it can be done without. */
static elman_status advise(elman_status status, elman_error *error) {
  if (status == ELMAN_BAD_DATA && error != NULL) {
    const size_t used = strlen(error->message);
    snprintf(error->message + used, sizeof error->message - used, "; remove it to start anew");
  }
  return status;
}

/* An object; anything else is ELMAN_BAD_DATA. */
static elman_status metadata_json(json_t **value, const struct safetensors *file, const char *key,
                                  elman_error *error) {
  const char *text = safetensors_metadata(file, key);
  *value = NULL;
  if (text == NULL) return bad(file, error, "is missing", key);
  const elman_status status = read_json(value, text_of(text), error);
  if (status == ELMAN_BAD_DATA || (status == ELMAN_OK && !json_is_object(*value)))
    return bad(file, error, "is not a JSON object", key);
  return status;
}

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
  json_t *then = NULL, *now = describe_names(options);
  const char *text = safetensors_metadata(file, KEY_NAMES);
  elman_status status = text == NULL ? ELMAN_OK : metadata_json(&then, file, KEY_NAMES, error);
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

static elman_status check_options(const struct safetensors *file, const struct trainer *trainer,
                                  const elman_train_options *options, struct corpus_hashes hashes,
                                  elman_error *error) {
  /* A file of an earlier version lacks options that it did not know, and trained as if they had
   * their defaults. */
  const elman_train_options defaults = {ELMAN_TRAIN_HYPERPARAMETERS(FIELD_DEFAULT)};
  const struct model_config model_defaults = model_config_default();
  json_t *then, *now = describe_options(trainer, options, hashes);
  elman_status status = metadata_json(&then, file, KEY_OPTIONS, error);
  const char *key;
  json_t *value, *unset = json_object();
  if (now == NULL || unset == NULL || describe_rows(unset, ELMAN_SCOPE_TRAINING, &defaults) != 0 ||
      describe_rows(unset, ELMAN_SCOPE_MODEL, &model_defaults) != 0)
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

/* A file of an earlier version does not tell, and is taken at the user's word. */
static elman_status read_start(struct trainer *trainer, const struct safetensors *file,
                               elman_error *error) {
  struct training_start start;
  json_t *json;
  if (safetensors_metadata(file, KEY_START) == NULL) return ELMAN_OK;
  elman_status status = metadata_json(&json, file, KEY_START, error);
  if (status == ELMAN_OK && !parse_start(&start, json))
    status = bad(file, error, "does not hold what this version expects", KEY_START);
  if (status == ELMAN_OK) status = check_start(&start, &trainer->start, file, error);
  json_decref(json);
  if (status != ELMAN_OK) return status;
  trainer->start = start;
  trainer->model->past.history = start.history;
  return ELMAN_OK;
}

static elman_status read_state(struct training_state *state, const struct safetensors *file,
                               elman_error *error) {
  json_t *json;
  elman_status status = metadata_json(&json, file, KEY_STATE, error);
  if (status == ELMAN_OK && !parse_state(state, json))
    status = bad(file, error, "does not hold what this version expects", KEY_STATE);
  json_decref(json);
  return status;
}

static elman_status read_block(const struct safetensors *file, const struct named_block *block,
                               const struct parameter_table *table, elman_error *error) {
  for (size_t i = 0; i < table->count; i++) {
    const struct parameter *row = &table->rows[i];
    if (row->alias) continue;
    char name[96];
    snprintf(name, sizeof name, "%s.%s", block->prefix, row->name);
    const struct stored_tensor *tensor = safetensors_find(file, name);
    if (tensor == NULL) return bad(file, error, "is missing", name);
    if (!safetensors_has_shape(tensor, row->dimensions, row->rows, row->columns))
      return bad(file, error, "has the wrong shape", name);
    const elman_status status =
        advise(safetensors_read(block->block + row->offset, file, tensor, error), error);
    if (status != ELMAN_OK) return status;
  }
  return ELMAN_OK;
}

static elman_status load(struct trainer *trainer, const struct safetensors *file,
                         const elman_train_options *options, struct corpus_hashes hashes,
                         elman_error *error) {
  elman_status status = advise(safetensors_verify(file, error), error);
  if (status == ELMAN_OK) status = check_options(file, trainer, options, hashes, error);
  if (status == ELMAN_OK) status = read_start(trainer, file, error);
  if (status != ELMAN_OK) return status;
  struct training_state state;
  status = read_state(&state, file, error);
  struct named_block blocks[BLOCKS];
  list_blocks(blocks, trainer);
  for (size_t b = 0; status == ELMAN_OK && b < BLOCKS; b++) {
    if (blocks[b].block != NULL)
      status = read_block(file, &blocks[b], &trainer->model->table, error);
  }
  if (status == ELMAN_OK) trainer->state = state;
  return status;
}

elman_status checkpoint_load(struct trainer *trainer, const elman_train_options *options,
                             struct corpus_hashes hashes, bool *found, elman_error *error) {
  elman_status status = file_exists(found, options->checkpoint, error);
  if (status != ELMAN_OK || !*found) return status;
  struct safetensors file;
  status = advise(safetensors_open(&file, options->checkpoint, error), error);
  if (status != ELMAN_OK) return status;
  status = load(trainer, &file, options, hashes, error);
  safetensors_close(&file);
  return status;
}

elman_status checkpoint_look(elman_checkpoint *checkpoint, const char *path, elman_error *error) {
  bool found;
  elman_status status = file_exists(&found, path, error);
  *checkpoint = ELMAN_CHECKPOINT_NONE;
  if (status != ELMAN_OK || !found) return status;
  struct safetensors file;
  status = advise(safetensors_open(&file, path, error), error);
  if (status != ELMAN_OK) return status;
  struct training_state state;
  status = read_state(&state, &file, error);
  if (status == ELMAN_OK)
    *checkpoint = state.finished ? ELMAN_CHECKPOINT_FINISHED : ELMAN_CHECKPOINT_UNFINISHED;
  safetensors_close(&file);
  return status;
}
