#include "train/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/safe_file.h"
#include "model/model_file.h"
#include "model/safetensors.h"
#include "train/same_training.h"

#define KEY_STATE "elman.state"

/* ---- progress ---- */

static json_t *describe_state(const struct training_state *state) {
  return json_pack(
      "{s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:b, s:I, s:f, s:f, s:I, s:b, s:f, s:I, s:b}", "update",
      (json_int_t)state->update, "epoch", (json_int_t)state->epoch, "position",
      (json_int_t)state->position, "epoch_tokens", (json_int_t)state->epoch_tokens, "epoch_loss",
      state->epoch_loss, "failures", (json_int_t)state->failures, "skipped",
      (json_int_t)state->skipped, "has_best", state->has_best, "validated",
      (json_int_t)state->validated, "best_score", state->best_score, "best_loss", state->best_loss,
      "stale", (json_int_t)state->stale, "finished", state->finished, "rate_factor",
      state->rate_factor, "end_validated", (json_int_t)state->end_validated, "end_best",
      state->end_best);
}

/* Return whether the counts of the state are possible. They are also checked before writing, so
 * that every checkpoint can be read. */
static bool has_possible_counts(const struct training_state *state) {
  const uint64_t counts[] = {state->update,       state->epoch,     state->position,
                             state->epoch_tokens, state->failures,  state->skipped,
                             state->stale,        state->validated, state->end_validated};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    if (counts[i] > MAX_COUNT) return false;
  return state->epoch >= 1 && state->validated <= state->update &&
         state->end_validated <= state->update;
}

/* Read the state of the run. Return true, or false after describing the fault in `fault`. */
static bool parse_state(struct training_state *state, json_t *json, char fault[JSON_FAULT_SIZE]) {
  json_int_t update, epoch, position, tokens, failures, skipped, stale, validated, end;
  const struct json_field fields[] = {{"update", .integer = &update},
                                      {"epoch", .integer = &epoch},
                                      {"position", .integer = &position},
                                      {"epoch_tokens", .integer = &tokens},
                                      {"epoch_loss", .number = &state->epoch_loss},
                                      {"failures", .integer = &failures},
                                      {"skipped", .integer = &skipped},
                                      {"has_best", .truth = &state->has_best},
                                      {"validated", .integer = &validated},
                                      {"best_score", .number = &state->best_score},
                                      {"best_loss", .number = &state->best_loss},
                                      {"stale", .integer = &stale},
                                      {"finished", .truth = &state->finished},
                                      {"rate_factor", .number = &state->rate_factor},
                                      {"end_validated", .integer = &end},
                                      {"end_best", .truth = &state->end_best}};
  if (!read_json_fields(fault, fields, sizeof fields / sizeof *fields, json)) return false;
  state->update = (uint64_t)update;
  state->epoch = (size_t)epoch;
  state->position = (size_t)position;
  state->epoch_tokens = (size_t)tokens;
  state->failures = (size_t)failures;
  state->skipped = (size_t)skipped;
  state->stale = (size_t)stale;
  state->end_validated = (uint64_t)end;
  state->validated = (uint64_t)validated;
  if (state->rate_factor < 0 || state->rate_factor > 1)
    json_fault_of(fault, json, "rate_factor");
  else if (has_possible_counts(state)) /* refuses a negative count, which was read as a huge one */
    return true;
  else
    snprintf(fault, JSON_FAULT_SIZE, "has impossible counts");
  return false;
}

/* ---- writing ---- */

static elman_status write_tensors(FILE *stream, json_t *metadata, const struct trainer *trainer,
                                  elman_error *error) {
  enum { NAME = 80 };
  const struct parameter_table *table = &trainer->model->table;
  struct named_block blocks[TRAINER_BLOCKS];
  trainer_list_blocks(blocks, trainer);
  struct tensor_source *tensors = calloc(TRAINER_BLOCKS * table->count, sizeof *tensors);
  char(*names)[NAME] = calloc(TRAINER_BLOCKS * table->count, sizeof *names);
  elman_status status = ELMAN_OK;
  size_t count = 0;
  if (tensors == NULL || names == NULL) status = fail_no_memory(error);
  for (size_t b = 0; status == ELMAN_OK && b < TRAINER_BLOCKS; b++) {
    for (size_t i = 0; blocks[b].block != NULL && i < table->count; i++) {
      const struct parameter *row = &table->rows[i];
      if (row->alias) continue;
      snprintf(names[count], NAME, "%s.%s", blocks[b].name, row->name);
      tensors[count] = (struct tensor_source){.name = names[count],
                                              .values = blocks[b].block + row->offset,
                                              .shape = {row->rows, row->columns},
                                              .dimensions = row->dimensions};
      count++;
    }
  }
  if (status == ELMAN_OK) status = safetensors_write(stream, metadata, tensors, count, error);
  free(tensors);
  free(names);
  return status;
}

elman_status checkpoint_save(const struct trainer *trainer, elman_error *error) {
  const elman_train_options *options = trainer->options;
  if (!has_possible_counts(&trainer->state))
    return fail(error, ELMAN_INVALID_ARGUMENT, options->checkpoint,
                "a count of this run is too large for a checkpoint");
  json_t *metadata = json_object();
  int result = format_set(metadata);
  result |= training_set_options(metadata, trainer);
  result |= safetensors_set_json(metadata, KEY_STATE, describe_state(&trainer->state));
  result |= training_set_start(metadata, &trainer->start);
  elman_file file;
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

/* Return about the number of bytes of the checkpoint. */
static uint64_t checkpoint_size(const struct trainer *trainer) {
  const struct parameter_table *table = &trainer->model->table;
  struct named_block blocks[TRAINER_BLOCKS];
  uint64_t size = 0;
  trainer_list_blocks(blocks, trainer);
  for (size_t b = 0; b < TRAINER_BLOCKS; b++)
    for (size_t i = 0; blocks[b].block != NULL && i < table->count; i++)
      if (!table->rows[i].alias)
        size += parameter_size(&table->rows[i]) * number_type_size(NUMBER_F32);
  return size;
}

elman_status checkpoint_try(const struct trainer *trainer, elman_error *error) {
  enum { MODEL, CHECKPOINT, NEXT, FILES };
  const elman_train_options *options = trainer->options;
  elman_file files[FILES];
  bool found = false;
  if (options->output == NULL) return ELMAN_OK;
  elman_status status = ELMAN_OK;
  if (options->checkpoint != NULL) status = file_exists(&found, options->checkpoint, error);
  /* Every later checkpoint is written while the model and the previous checkpoint exist. */
  const bool repeats = !found && (options->save_every > 0 || options->save_best);
  const int count = options->checkpoint == NULL ? CHECKPOINT : repeats ? FILES : NEXT;
  int open = 0;
  while (status == ELMAN_OK && open < count) {
    const bool model = open == MODEL;
    status = safe_file_open(&files[open], model ? options->output : options->checkpoint,
                            model ? NULL : options->output, error);
    if (status != ELMAN_OK) break;
    status = elman_file_reserve(
        &files[open++], model ? model_file_size(trainer->model) : checkpoint_size(trainer), error);
  }
  while (open > 0) safe_file_abandon(&files[--open]);
  return status;
}

/* ---- reading ---- */

/* Append the remedy to the message of the safetensors reader. */
static elman_status advise(elman_status status, elman_error *error) {
  if (status == ELMAN_BAD_DATA && error != NULL) {
    const size_t used = strlen(error->message);
    snprintf(error->message + used, sizeof error->message - used,
             "; rename or delete it to start over");
  }
  return status;
}

static elman_status read_state(struct training_state *state, const struct safetensors *file,
                               elman_error *error) {
  json_t *json;
  elman_status status = checkpoint_json(&json, file, KEY_STATE, error);
  char fault[JSON_FAULT_SIZE];
  if (status == ELMAN_OK && !parse_state(state, json, fault))
    status = checkpoint_bad(file, error, fault, KEY_STATE);
  json_decref(json);
  return status;
}

static elman_status read_block(const struct safetensors *file, const struct named_block *block,
                               const struct parameter_table *table, elman_error *error) {
  for (size_t i = 0; i < table->count; i++) {
    const struct parameter *row = &table->rows[i];
    if (row->alias) continue;
    char name[96];
    snprintf(name, sizeof name, "%s.%s", block->name, row->name);
    const struct stored_tensor *tensor = safetensors_find(file, name);
    if (tensor == NULL) return checkpoint_bad(file, error, "is missing", name);
    if (!safetensors_has_shape(tensor, row->dimensions, row->rows, row->columns))
      return checkpoint_bad(file, error, "has the wrong shape", name);
    if (tensor->type != NUMBER_F32)
      return checkpoint_bad(file, error, "is not stored as F32", name);
    const elman_status status =
        advise(safetensors_read(block->block + row->offset, file, tensor, error), error);
    if (status != ELMAN_OK) return status;
  }
  return ELMAN_OK;
}

static elman_status load(struct trainer *trainer, const struct safetensors *file,
                         elman_error *error) {
  elman_status status = advise(format_check(file, error), error);
  if (status == ELMAN_OK) status = advise(safetensors_verify(file, error), error);
  if (status == ELMAN_OK) status = training_check(trainer, file, error);
  if (status != ELMAN_OK) return status;
  struct training_state state;
  status = read_state(&state, file, error);
  struct named_block blocks[TRAINER_BLOCKS];
  trainer_list_blocks(blocks, trainer);
  for (size_t b = 0; status == ELMAN_OK && b < TRAINER_BLOCKS; b++) {
    if (blocks[b].block != NULL)
      status = read_block(file, &blocks[b], &trainer->model->table, error);
  }
  if (status == ELMAN_OK) trainer->state = state;
  return status;
}

elman_status checkpoint_load(struct trainer *trainer, bool *found, elman_error *error) {
  const char *path = trainer->options->checkpoint;
  elman_status status = file_exists(found, path, error);
  if (status != ELMAN_OK || !*found) return status;
  struct safetensors file;
  status = advise(safetensors_open(&file, path, error), error);
  if (status != ELMAN_OK) return status;
  status = load(trainer, &file, error);
  safetensors_close(&file);
  return status;
}

elman_status elman_checkpoint_get_state(elman_checkpoint_state *checkpoint, const char *path,
                                        elman_error *error) {
  bool found;
  elman_status status = file_exists(&found, path, error);
  if (status != ELMAN_OK) return status;
  if (!found) {
    *checkpoint = ELMAN_CHECKPOINT_NONE;
    return ELMAN_OK;
  }
  struct safetensors file;
  status = advise(safetensors_open(&file, path, error), error);
  if (status != ELMAN_OK) return status;
  struct training_state state;
  status = advise(format_check(&file, error), error);
  if (status == ELMAN_OK) status = read_state(&state, &file, error);
  if (status == ELMAN_OK)
    *checkpoint = state.finished ? ELMAN_CHECKPOINT_FINISHED : ELMAN_CHECKPOINT_UNFINISHED;
  safetensors_close(&file);
  return status;
}

elman_status elman_checkpoint_get_options(elman_train_options *options, const char *path,
                                          elman_error *error) {
  struct safetensors file;
  elman_status status = advise(safetensors_open(&file, path, error), error);
  if (status != ELMAN_OK) return status;
  elman_train_options read = *options;
  status = advise(format_check(&file, error), error);
  if (status == ELMAN_OK) status = training_get_options(&read, &file, error);
  if (status == ELMAN_OK) *options = read;
  safetensors_close(&file);
  return status;
}
