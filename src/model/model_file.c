#include "model/model_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_file.h"
#include "base/xxh64.h"
#include "elman/version.h"
#include "model/checksum.h"
#include "model/options.h"
#include "model/tensor_sources.h"

/* Keys of a model file's metadata; docs/model-file.md describes them. */
static const char KEY_FORMAT[] = "elman.format", KEY_VERSION[] = "elman.version",
                  KEY_CONFIG[] = "elman.config", KEY_TRAINING[] = "elman.training",
                  KEY_SEARCH[] = "elman.search", KEY_SNAPSHOT[] = "elman.snapshot";

/* The format of model files and checkpoints. Raise the number if this program can no longer read
 * earlier files, or if earlier programs can no longer read new files. */
static const char FORMAT[] = "1";

/* Make the mark of a snapshot: the hash of its file name, because a name may not be valid UTF-8. */
enum { MARK_SIZE = 17 };
static void make_mark(char mark[MARK_SIZE], const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
  struct xxh64 sum;
  xxh64_start(&sum);
  xxh64_add(&sum, name, strlen(name));
  snprintf(mark, MARK_SIZE, "%016" PRIx64, xxh64_value(&sum));
}

/* Metadata keys of each side. `merges` is present only if the side uses BPE. */
static const struct side_keys {
  const char *vocabulary, *counts, *merges;
} SIDE_KEYS[] = {
    [ELMAN_SOURCE] = {"elman.source_vocab", "elman.source_counts", "elman.source_merges"},
    [ELMAN_TARGET] = {"elman.target_vocab", "elman.target_counts", "elman.target_merges"}};

/* ---- reading ---- */

static elman_status bad(const struct safetensors *file, elman_error *error, const char *problem,
                        const char *what) {
  return fail(error, ELMAN_BAD_DATA, file->path, "not a usable elman model: %s %s", what, problem);
}

static elman_status parse_metadata(json_t **value, const struct safetensors *file, const char *key,
                                   elman_error *error) {
  const char *text = safetensors_metadata(file, key);
  *value = NULL;
  if (text == NULL) return bad(file, error, "is missing from its metadata", key);
  const elman_status status = read_json(value, text_of(text), error);
  return status == ELMAN_BAD_DATA ? bad(file, error, "is not valid JSON", key) : status;
}

int format_set(json_t *metadata) {
  return json_object_set_new(metadata, KEY_FORMAT, json_string(FORMAT)) |
         json_object_set_new(metadata, KEY_VERSION, json_string(ELMAN_VERSION));
}

elman_status format_check(const struct safetensors *file, elman_error *error) {
  const char *format = safetensors_metadata(file, KEY_FORMAT);
  const char *version = safetensors_metadata(file, KEY_VERSION);
  if (format != NULL && strcmp(format, FORMAT) == 0) return ELMAN_OK;
  if (format == NULL)
    return fail(error, ELMAN_BAD_DATA, file->path,
                "not a file of elman: %s is missing from its metadata", KEY_FORMAT);
  return fail(error, ELMAN_BAD_DATA, file->path,
              "has format %.20s of elman %.20s; elman " ELMAN_VERSION
              " reads format %s only; use the other version of elman",
              format, version == NULL ? "?" : version, FORMAT);
}

/* Report a fault in the object under the metadata `key`. The message names the remedy. */
static elman_status bad_entry(const struct safetensors *file, elman_error *error, const char *key,
                              const char *fault) {
  const char *version = safetensors_metadata(file, KEY_VERSION);
  char problem[JSON_FAULT_SIZE + 80];
  if (version != NULL && strcmp(version, ELMAN_VERSION) != 0)
    snprintf(problem, sizeof problem, "%s; use elman %.20s, which wrote the file", fault, version);
  else
    snprintf(problem, sizeof problem, "%s; the file was changed, use the original", fault);
  return bad(file, error, problem, key);
}

/* ---- entries of the configuration and of the training ---- */

static bool parse_normalization(elman_normalization *form, const json_t *name) {
  size_t index;
  if (!json_is_string(name) ||
      !choice_parse(&index, elman_normalization_name, json_string_value(name)) ||
      index == ELMAN_NORMALIZATION_AUTO || index == ELMAN_NORMALIZATION_AUTO_LOWER)
    return false;
  *form = (elman_normalization)index;
  return true;
}

static bool parse_size(size_t *size, const json_t *number) {
  *size = (size_t)json_integer_value(number);
  return json_is_integer(number);
}

/* Names of the entries that options do not contain; NULL ends the list. */
static const char *const CONFIG_ENTRIES[] = {"source_normalization", "target_normalization",
                                             "source_vocabulary", "target_vocabulary", NULL};
static const char *const PAST_ENTRIES[] = {"epochs", "updates", "tokens", NULL};

/* Read these entries of the configuration. Return the first that is missing or wrong; NULL if there
 * is none. */
static const char *parse_config_entries(struct model_config *config, const json_t *json) {
  const json_t *values[4];
  for (size_t i = 0; CONFIG_ENTRIES[i] != NULL; i++)
    values[i] = json_object_get(json, CONFIG_ENTRIES[i]);
  const bool good[] = {parse_normalization(&config->source_normalization, values[0]),
                       parse_normalization(&config->target_normalization, values[1]),
                       parse_size(&config->source_vocabulary, values[2]),
                       parse_size(&config->target_vocabulary, values[3])};
  size_t i = 0;
  while (CONFIG_ENTRIES[i] != NULL && good[i]) i++;
  return CONFIG_ENTRIES[i];
}

/* Return the first key that is neither a row of these scopes nor one of `others`; NULL if there is
 * none. */
static const char *unknown_entry(json_t *json, unsigned scopes, const char *const *others) {
  const char *key;
  json_t *value;
  json_object_foreach(json, key, value) {
    const char *const *other = others;
    while (*other != NULL && strcmp(*other, key) != 0) other++;
    if (*other == NULL && elman_option_find(scopes, key) == NULL) return key;
  }
  return NULL;
}

/* Report the first entry that is missing or wrong, or else the first unknown one. */
static elman_status check_entries(const struct safetensors *file, const char *key, json_t *json,
                                  const char *wrong, unsigned scopes, const char *const *others,
                                  elman_error *error) {
  char fault[JSON_FAULT_SIZE];
  const char *unknown = wrong == NULL ? unknown_entry(json, scopes, others) : NULL;
  if (wrong == NULL && unknown == NULL) return ELMAN_OK;
  if (wrong != NULL)
    json_fault_of(fault, json, wrong);
  else
    json_fault_unknown(fault, unknown);
  return bad_entry(file, error, key, fault);
}

/* Check that the file is a model of this format. */
static elman_status check_kind(const struct safetensors *file, elman_error *error) {
  if (safetensors_metadata(file, "elman.state") == NULL) return format_check(file, error);
  return fail(error, ELMAN_BAD_DATA, file->path,
              "is the checkpoint of a training run, not its model; name the model file beside it, "
              "without '.checkpoint'");
}

/* Require every key of the configuration and refuse others, because an unknown key would change the
 * arithmetic. */
static elman_status parse_config(struct model_config *config, const struct safetensors *file,
                                 elman_error *error) {
  json_t *json;
  elman_status status = parse_metadata(&json, file, KEY_CONFIG, error);
  if (status != ELMAN_OK) return status;
  elman_error problem;
  *config = model_config_default();
  const elman_option *row = options_from_json(config, ELMAN_SCOPE_MODEL, json);
  status = check_entries(file, KEY_CONFIG, json,
                         row != NULL ? row->name : parse_config_entries(config, json),
                         ELMAN_SCOPE_MODEL, CONFIG_ENTRIES, error);
  const bool automatic = token_mode_is_automatic(config->source_tokens) ||
                         token_mode_is_automatic(config->target_tokens);
  if (status == ELMAN_OK && automatic)
    status = bad(file, error, "names an unknown token mode", KEY_CONFIG);
  if (status == ELMAN_OK && model_config_check(config, &problem) != ELMAN_OK)
    status = bad(file, error, problem.message, KEY_CONFIG);
  json_decref(json);
  return status;
}

static bool read_count(uint64_t *count, const json_t *json, const char *key) {
  const json_t *value = json_object_get(json, key);
  *count = (uint64_t)json_integer_value(value);
  return json_is_integer(value) &&
         *count <= MAX_COUNT; /* a negative count becomes larger than MAX_COUNT */
}

/* Return the first total that is missing or wrong; NULL if there is none. */
static const char *read_totals(elman_history *history, const json_t *json) {
  uint64_t *const totals[] = {&history->epochs, &history->updates, &history->tokens};
  size_t i = 0;
  while (PAST_ENTRIES[i] != NULL && read_count(totals[i], json, PAST_ENTRIES[i])) i++;
  return PAST_ENTRIES[i];
}

static elman_status read_past(struct model_past *past, struct model_config *config, json_t *json,
                              const struct safetensors *file, elman_error *error) {
  const unsigned training = ELMAN_SCOPE_TRAINING | ELMAN_SCOPE_END;
  elman_error problem;
  const elman_option *row = options_from_json(config, ELMAN_SCOPE_START, json);
  if (row == NULL) row = options_from_json(&past->training, training, json);
  const elman_status status = check_entries(
      file, KEY_TRAINING, json, row != NULL ? row->name : read_totals(&past->history, json),
      ELMAN_SCOPE_START | training, PAST_ENTRIES, error);
  if (status != ELMAN_OK) return status;
  if (options_check_values(ELMAN_SCOPE_START, config, ELMAN_NAMES_FIELD, &problem) != ELMAN_OK ||
      options_check_values(training, &past->training, ELMAN_NAMES_FIELD, &problem) != ELMAN_OK)
    return bad(file, error, problem.message, KEY_TRAINING);
  return ELMAN_OK;
}

/* Read the training history and settings. */
static elman_status parse_past(struct model_past *past, struct model_config *config,
                               const struct safetensors *file, elman_error *error) {
  json_t *json;
  *past = (struct model_past){.history = {0}};
  elman_status status = parse_metadata(&json, file, KEY_TRAINING, error);
  if (status == ELMAN_OK) status = read_past(past, config, json, file, error);
  json_decref(json);
  return status;
}

/* Read the search that the model stores, if any. */
static elman_status parse_search(elman_search *search, const struct safetensors *file,
                                 elman_error *error) {
  json_t *json;
  elman_error problem;
  *search = (elman_search){0};
  if (safetensors_metadata(file, KEY_SEARCH) == NULL) return ELMAN_OK;
  elman_status status = parse_metadata(&json, file, KEY_SEARCH, error);
  if (status != ELMAN_OK) return status;
  json_int_t beam;
  double penalty;
  char fault[JSON_FAULT_SIZE];
  const struct json_field fields[] = {{"beam", .integer = &beam},
                                      {"length_penalty", .number = &penalty}};
  if (!read_json_fields(fault, fields, sizeof fields / sizeof *fields, json)) {
    status = bad_entry(file, error, KEY_SEARCH, fault);
  } else {
    /* A negative beam becomes too large. */
    *search = (elman_search){(size_t)beam, penalty};
    if (search_check(*search, &problem) != ELMAN_OK)
      status = bad(file, error, problem.message, KEY_SEARCH);
  }
  json_decref(json);
  return status;
}

/* The tokens of one side and their counts, before their order has been checked. */
struct side_lists {
  struct tokens tokens;
  uint64_t *counts; /* (size) */
  size_t size;
  bool wrong; /* whether an entry has the wrong type */
};

static elman_status add_word(void *context, size_t index, const struct json_item *item,
                             elman_error *error) {
  struct side_lists *lists = context;
  lists->wrong = lists->wrong || item->string.bytes == NULL;
  if (lists->wrong || index >= lists->size) return ELMAN_OK;
  return tokens_add(&lists->tokens, item->string, error);
}

static elman_status add_count(void *context, size_t index, const struct json_item *item,
                              elman_error *error) {
  struct side_lists *lists = context;
  (void)error;
  lists->wrong = lists->wrong || !item->whole || (uint64_t)item->number > MAX_COUNT;
  if (index < lists->size) lists->counts[index] = (uint64_t)item->number;
  return ELMAN_OK;
}

static elman_status parse_list(struct side_lists *lists, size_t *count,
                               const struct safetensors *file, const char *key,
                               json_receive *receive, elman_error *error) {
  const char *text = safetensors_metadata(file, key);
  if (text == NULL) return bad(file, error, "is missing from its metadata", key);
  const elman_status status = read_json_list(count, text_of(text), receive, lists, error);
  return status == ELMAN_BAD_DATA ? bad(file, error, "is not valid JSON", key) : status;
}

static elman_status parse_lists(struct side_lists *lists, const struct safetensors *file,
                                struct side_keys keys, elman_error *error) {
  size_t words = 0, counts = 0;
  elman_status status = parse_list(lists, &words, file, keys.vocabulary, add_word, error);
  if (status == ELMAN_OK) status = parse_list(lists, &counts, file, keys.counts, add_count, error);
  if (status != ELMAN_OK) return status;
  if (words != lists->size || counts != lists->size)
    return bad(file, error, "does not have as many entries as the embedding has rows",
               keys.vocabulary);
  if (lists->wrong)
    return bad(file, error, "contains something other than words and counts", keys.vocabulary);
  return ELMAN_OK;
}

static elman_status parse_vocabulary(struct vocabulary **vocabulary, const struct safetensors *file,
                                     elman_side side, size_t size, elman_error *error) {
  const struct side_keys keys = SIDE_KEYS[side];
  struct side_lists lists = {.counts = malloc(size * sizeof *lists.counts), .size = size};
  if (lists.counts == NULL) return fail_no_memory(error);
  elman_status status = parse_lists(&lists, file, keys, error);
  if (status == ELMAN_OK) {
    elman_error problem;
    status = vocabulary_from_list(vocabulary, &lists.tokens, lists.counts, side, &problem);
    /* Prefix the message of the vocabulary with the name of the file. */
    if (status == ELMAN_BAD_DATA)
      status = bad(file, error, problem.message, keys.vocabulary);
    else if (status != ELMAN_OK)
      status = fail_again(error, &problem);
  }
  tokens_free(&lists.tokens);
  free(lists.counts);
  return status;
}

static elman_status add_merge(void *context, size_t index, const struct json_item *item,
                              elman_error *error) {
  (void)index;
  if (item->string.bytes == NULL)
    return fail(error, ELMAN_BAD_DATA, NULL, "is not a merge operation");
  return merges_add_line(context, item->string, error);
}

/* Read the merge operations of a side that uses BPE. Also check that its vocabulary contains all
 * bytes and marks. */
static elman_status parse_merges(struct vocabulary_pair *vocabularies,
                                 const struct safetensors *file, elman_side side,
                                 elman_error *error) {
  const bool source = side == ELMAN_SOURCE;
  const char *key = SIDE_KEYS[side].merges, *text = safetensors_metadata(file, key);
  if ((source ? vocabularies->source_mode : vocabularies->target_mode) != ELMAN_TOKENS_BPE)
    return text == NULL ? ELMAN_OK : bad(file, error, "contradicts the token mode", key);
  if (text == NULL) return bad(file, error, "is missing from its metadata", key);
  if (text[strspn(text, " \t\r\n")] != '[') return bad(file, error, "is not a list", key);
  struct merges *merges = vocabularies->merges[side] = calloc(1, sizeof *merges);
  if (merges == NULL) return fail_no_memory(error);
  size_t count;
  elman_error problem;
  const elman_status status = read_json_list(&count, text_of(text), add_merge, merges, &problem);
  if (status == ELMAN_BAD_DATA) return bad(file, error, problem.message, key);
  if (status != ELMAN_OK) return fail_again(error, &problem);
  if (!subwords_are_closed(source ? vocabularies->source : vocabularies->target))
    return bad(file, error, "lacks bytes or marks that BPE needs", SIDE_KEYS[side].vocabulary);
  return ELMAN_OK;
}

/* Check names and shapes against the configuration before memory is allocated for them. */
static elman_status check_tensors(const struct safetensors *file, const struct model_config *config,
                                  elman_error *error) {
  struct parameter_table table;
  size_t expected = 0;
  elman_status status = parameter_table_create(&table, config, error);
  for (size_t i = 0; status == ELMAN_OK && i < table.count; i++) {
    const struct parameter *row = &table.rows[i];
    const struct stored_tensor *tensor = safetensors_find(file, row->name);
    if (tensor == NULL && row->alias) continue;
    if (tensor == NULL) return bad(file, error, "is missing", row->name);
    if (!safetensors_has_shape(tensor, row->dimensions, row->rows, row->columns))
      return bad(file, error, "does not have the shape that its configuration requires", row->name);
    if (tensor->type > NUMBER_I8)
      return bad(file, error, "is not stored as F32, BF16, F16 or I8", row->name);
    if (tensor->type == NUMBER_I8) status = safetensors_check_scales(file, tensor, error);
    expected += tensor->type == NUMBER_I8 ? 2 : 1;
  }
  if (status != ELMAN_OK) return status;
  if (file->count != expected)
    return bad(file, error, "more tensors than its configuration requires", "it has");
  return ELMAN_OK;
}

/* Check the second name of a tied matrix: its elements must equal those under the first name. */
static elman_status check_alias(const struct model *model, const struct parameter *row,
                                const struct safetensors *file, elman_error *error) {
  const size_t bytes = parameter_size(row) * sizeof(real);
  real *again = malloc(bytes);
  if (again == NULL) return fail_no_memory(error);
  elman_status status = safetensors_read(again, file, safetensors_find(file, row->name), error);
  if (status == ELMAN_OK && memcmp(again, model->block + row->offset, bytes) != 0)
    status = bad(file, error, "differs from the matrix that it is tied to", row->name);
  free(again);
  return status;
}

/* Return the size of a string in a list that is JSON within a JSON string: \"word\" and a comma
 * take five bytes besides the word. A quote or a backslash in the word takes four bytes. */
static size_t listed_size(struct text text) {
  enum { AROUND = 5, QUOTED = 4, CONTROL = 7 };
  size_t size = AROUND;
  for (size_t i = 0; i < text.length; i++) {
    const unsigned char byte = (unsigned char)text.bytes[i];
    size += byte == '"' || byte == '\\' ? QUOTED : byte < ' ' ? CONTROL : 1;
  }
  return size;
}

/* Upper bounds for the vocabularies and merge operations in the header of a model, in bytes. */
struct header_size {
  size_t words, merges, merge_count;
};

static struct header_size measure_header(const struct model *model) {
  const struct vocabulary *const sides[] = {model->source_vocabulary, model->target_vocabulary};
  struct header_size size = {0};
  for (int s = 0; s < 2; s++) {
    for (size_t id = 0; id < vocabulary_size(sides[s]); id++)
      size.words += listed_size(vocabulary_token(sides[s], id)) +
                    (size_t)snprintf(NULL, 0, "%" PRIu64 ",", vocabulary_count(sides[s], id));
    const struct merges *of_side = model->merges[s];
    size.merge_count += of_side == NULL ? 0 : of_side->count;
    for (size_t rank = 0; of_side != NULL && rank < of_side->count; rank++)
      size.merges += listed_size(merges_text(of_side, of_side->items[rank].left)) +
                     listed_size(merges_text(of_side, of_side->items[rank].right));
  }
  return size;
}

uint64_t model_file_size(const struct model *model) {
  const struct header_size header = measure_header(model);
  uint64_t size = header.words + header.merges;
  for (size_t i = 0; i < model->table.count; i++)
    size += parameter_size(&model->table.rows[i]) * number_type_size(NUMBER_F32);
  return size;
}

elman_status model_check_header(const struct model *model, elman_error *error) {
  /* Upper bound for the rest of the header of a model or checkpoint, such as tensor names and
   * options. */
  enum { OTHERS = 1 << 20 };
  const struct header_size size = measure_header(model);
  if (size.words + size.merges + OTHERS <= SAFETENSORS_MAX_HEADER) return ELMAN_OK;
  if (size.merges > size.words)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the %zu merge operations take %zu bytes, too much for the header of a model file "
                "(100 MB); use a smaller number of `subwords`",
                size.merge_count, size.merges);
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
              "the vocabularies of %zu and %zu words are too large for the header of a model file "
              "(100 MB); limit them with `max_vocabulary`, `min_count` or `subwords`",
              vocabulary_size(model->source_vocabulary), vocabulary_size(model->target_vocabulary));
}

/* Read the version. Accept only printable text, because the version is displayed and copied to
 * other files. */
static elman_status parse_version(char version[MODEL_VERSION_SIZE], const struct safetensors *file,
                                  elman_error *error) {
  const char *text = safetensors_metadata(file, KEY_VERSION);
  if (text == NULL) return bad(file, error, "is missing from its metadata", KEY_VERSION);
  const size_t length = strlen(text);
  bool usable = length < MODEL_VERSION_SIZE;
  for (size_t i = 0; i < length; i++) usable = usable && text[i] > ' ' && text[i] < 0x7F;
  if (!usable) return bad(file, error, "is not a version number", KEY_VERSION);
  memcpy(version, text, length + 1);
  return ELMAN_OK;
}

/* Return the tensor of a row. A tied matrix may be in the file under its first name only. */
static const struct stored_tensor *find_row(const struct safetensors *file,
                                            const struct parameter_table *table,
                                            const struct parameter *row) {
  const struct stored_tensor *tensor = safetensors_find(file, row->name);
  for (size_t i = 0; tensor == NULL && i < table->count; i++)
    if (table->rows[i].offset == row->offset) tensor = safetensors_find(file, table->rows[i].name);
  return tensor;
}

static elman_status load(struct model **model, const struct safetensors *file, elman_error *error) {
  struct model_config config;
  struct model_past past;
  elman_search search;
  char version[MODEL_VERSION_SIZE];
  elman_status status = check_kind(file, error);
  if (status == ELMAN_OK) status = parse_config(&config, file, error);
  if (status == ELMAN_OK) status = parse_version(version, file, error);
  if (status == ELMAN_OK) status = parse_past(&past, &config, file, error);
  if (status == ELMAN_OK) status = parse_search(&search, file, error);
  if (status == ELMAN_OK) status = check_tensors(file, &config, error);
  struct vocabulary_pair vocabularies = {.source_mode = config.source_tokens,
                                         .target_mode = config.target_tokens,
                                         .source_normalization = config.source_normalization,
                                         .target_normalization = config.target_normalization};
  if (status == ELMAN_OK)
    status =
        parse_vocabulary(&vocabularies.source, file, ELMAN_SOURCE, config.source_vocabulary, error);
  if (status == ELMAN_OK)
    status =
        parse_vocabulary(&vocabularies.target, file, ELMAN_TARGET, config.target_vocabulary, error);
  for (int s = 0; s < 2 && status == ELMAN_OK; s++)
    status = parse_merges(&vocabularies, file, (elman_side)s, error);
  if (status != ELMAN_OK) {
    vocabulary_pair_free(&vocabularies);
    return status;
  }
  status = model_create(model, vocabularies, config, error);
  if (status == ELMAN_OK) {
    memcpy((*model)->version, version, sizeof version);
    (*model)->past = past;
    (*model)->search = search;
    (*model)->loaded = true;
  }
  for (size_t i = 0; status == ELMAN_OK && i < (*model)->table.count; i++) {
    struct parameter *row = &(*model)->table.rows[i];
    const struct stored_tensor *tensor = find_row(file, &(*model)->table, row);
    row->stored = tensor->type;
    if (row->alias && strcmp(tensor->name, row->name) != 0) continue;
    status = row->alias ? check_alias(*model, row, file, error)
                        : safetensors_read((*model)->block + row->offset, file, tensor, error);
  }
  if (status == ELMAN_OK) status = safetensors_verify(file, error);
  return status;
}

/* Load the model of an open file, and close the file. */
static elman_status load_and_close(struct model **model, struct safetensors *file,
                                   elman_error *error) {
  const elman_status status = load(model, file, error);
  if (status != ELMAN_OK) {
    model_free(*model);
    *model = NULL;
  }
  safetensors_close(file);
  return status;
}

elman_status model_load(struct model **model, const char *path, elman_error *error) {
  *model = NULL;
  struct safetensors file;
  const elman_status status = safetensors_open(&file, path, error);
  return status == ELMAN_OK ? load_and_close(model, &file, error) : status;
}

elman_status model_read(struct model **model, const void *bytes, size_t size, elman_error *error) {
  *model = NULL;
  struct safetensors file;
  const elman_status status = safetensors_open_bytes(&file, bytes, size, error);
  return status == ELMAN_OK ? load_and_close(model, &file, error) : status;
}

elman_status elman_model_read_history(elman_history *history, const char *path,
                                      elman_error *error) {
  bool own;
  return model_read_snapshot(&own, history, path, error);
}

elman_status model_read_snapshot(bool *own, elman_history *history, const char *path,
                                 elman_error *error) {
  struct safetensors file;
  char mark[MARK_SIZE];
  *own = false;
  struct model_past past;
  struct model_config config;
  struct parameter_table table;
  elman_status status = safetensors_open(&file, path, error);
  if (status != ELMAN_OK) return status;
  status = check_kind(&file, error);
  if (status == ELMAN_OK) status = parse_config(&config, &file, error);
  if (status == ELMAN_OK) status = parse_past(&past, &config, &file, error);
  if (status == ELMAN_OK) status = parameter_table_create(&table, &config, error);
  for (size_t i = 0; status == ELMAN_OK && i < table.count; i++)
    if (strstr(table.rows[i].name, ".embedding.") == NULL)
      past.history.work += (double)parameter_size(&table.rows[i]) * (double)past.history.tokens;
  if (safetensors_metadata(&file, CHECKSUM_KEY) == NULL) past.history.work = INFINITY;
  if (status == ELMAN_OK) {
    const char *found = safetensors_metadata(&file, KEY_SNAPSHOT);
    make_mark(mark, path);
    *own = found != NULL && strcmp(found, mark) == 0;
    *history = past.history;
  }
  safetensors_close(&file);
  return status;
}

/* ---- writing ---- */

static json_t *config_to_json(const struct model_config *config) {
  json_t *json =
      json_pack("{s:s, s:I, s:s, s:I}", "source_normalization",
                elman_normalization_name(config->source_normalization), "source_vocabulary",
                (json_int_t)config->source_vocabulary, "target_normalization",
                elman_normalization_name(config->target_normalization), "target_vocabulary",
                (json_int_t)config->target_vocabulary);
  if (options_to_json(json, ELMAN_SCOPE_MODEL, config) == 0) return json;
  json_decref(json);
  return NULL;
}

static int set_vocabulary(json_t *metadata, struct side_keys keys,
                          const struct vocabulary *vocabulary) {
  json_t *tokens = json_array(), *counts = json_array();
  int result = 0;
  for (size_t id = 0; id < vocabulary_size(vocabulary); id++) {
    const struct text token = vocabulary_token(vocabulary, id);
    result |= json_array_append_new(tokens, json_stringn(token.bytes, token.length));
    result |=
        json_array_append_new(counts, json_integer((json_int_t)vocabulary_count(vocabulary, id)));
  }
  result |= safetensors_set_json(metadata, keys.vocabulary, tokens);
  result |= safetensors_set_json(metadata, keys.counts, counts);
  return result;
}

static int set_merges(json_t *metadata, const char *key, const struct merges *merges) {
  struct buffer line = {0};
  json_t *lines = json_array();
  int result = 0;
  if (merges == NULL) {
    json_decref(lines);
    return 0;
  }
  for (size_t rank = 0; rank < merges->count; rank++) {
    buffer_clear(&line);
    merges_append_line(&line, merges, rank);
    if (line.failed) result = -1;
    result |= json_array_append_new(lines, json_stringn(line.bytes, line.length));
  }
  buffer_free(&line);
  return result | safetensors_set_json(metadata, key, lines);
}

/* Return the training history and the settings of the last run. */
static json_t *training_to_json(const struct model *model) {
  const struct model_past *past = &model->past;
  json_t *json =
      json_pack("{s:I, s:I, s:I}", "epochs", (json_int_t)past->history.epochs, "tokens",
                (json_int_t)past->history.tokens, "updates", (json_int_t)past->history.updates);
  if (options_to_json(json, ELMAN_SCOPE_START, &model->config) == 0 &&
      options_to_json(json, ELMAN_SCOPE_TRAINING | ELMAN_SCOPE_END, &past->training) == 0)
    return json;
  json_decref(json);
  return NULL;
}

static json_t *compose_metadata(const struct model *model) {
  json_t *metadata = json_object();
  int result = json_object_set_new(metadata, "format", json_string("pt"));
  result |= format_set(metadata);
  result |= safetensors_set_json(metadata, KEY_CONFIG, config_to_json(&model->config));
  result |= safetensors_set_json(metadata, KEY_TRAINING, training_to_json(model));
  if (model->search.beam > 0)
    result |= safetensors_set_json(metadata, KEY_SEARCH,
                                   json_pack("{s:I, s:f}", "beam", (json_int_t)model->search.beam,
                                             "length_penalty", model->search.length_penalty));
  result |= set_vocabulary(metadata, SIDE_KEYS[ELMAN_SOURCE], model->source_vocabulary);
  result |= set_vocabulary(metadata, SIDE_KEYS[ELMAN_TARGET], model->target_vocabulary);
  for (int s = 0; s < 2; s++) result |= set_merges(metadata, SIDE_KEYS[s].merges, model->merges[s]);
  if (result == 0) return metadata;
  json_decref(metadata);
  return NULL;
}

/* Contents of a model file. */
struct model_parts {
  json_t *metadata;
  struct tensor_sources tensors;
};

static elman_status parts_list(struct model_parts *parts, const struct model *model,
                               elman_number_type type, elman_error *error) {
  *parts = (struct model_parts){.metadata = compose_metadata(model)};
  if (parts->metadata == NULL) return fail_no_memory(error);
  return tensor_sources_list(&parts->tensors, model->block, &model->table, type, error);
}

static elman_status parts_write(FILE *stream, struct model_parts *parts, elman_error *error) {
  return safetensors_write(stream, parts->metadata, parts->tensors.list, parts->tensors.count,
                           error);
}

static void parts_free(struct model_parts *parts) {
  tensor_sources_free(&parts->tensors);
  json_decref(parts->metadata);
}

/* Save the model; with a `mark`, as a snapshot. */
static elman_status save(const struct model *model, const char *path, const char *like,
                         elman_number_type type, const char *mark, elman_error *error) {
  elman_file file;
  struct model_parts parts;
  elman_status status = parts_list(&parts, model, type, error);
  if (status == ELMAN_OK && mark != NULL &&
      json_object_set_new(parts.metadata, KEY_SNAPSHOT, json_string(mark)) != 0)
    status = fail_no_memory(error);
  if (status == ELMAN_OK) status = safe_file_open(&file, path, like, error);
  if (status == ELMAN_OK) {
    status = parts_write(file.stream, &parts, error);
    status = safe_file_end(&file, status, error);
  }
  parts_free(&parts);
  return status;
}

elman_status model_write(FILE *stream, const struct model *model, elman_number_type type,
                         elman_error *error) {
  struct model_parts parts;
  elman_status status = parts_list(&parts, model, type, error);
  if (status == ELMAN_OK) status = parts_write(stream, &parts, error);
  parts_free(&parts);
  return status;
}

elman_status model_save(const struct model *model, const char *path, elman_error *error) {
  return save(model, path, NULL, ELMAN_FLOAT32, NULL, error);
}

elman_status model_save_as(const struct model *model, const char *path, elman_number_type type,
                           elman_error *error) {
  return save(model, path, NULL, type, NULL, error);
}

elman_status model_save_snapshot(const struct model *model, const char *path, const char *like,
                                 elman_error *error) {
  char mark[MARK_SIZE];
  make_mark(mark, path);
  return save(model, path, like, ELMAN_FLOAT32, mark, error);
}
