#include "translate/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "console/json_output.h"
#include "console/messages.h"
#include "group/group.h"
#include "translate/batches.h"

/* ---- output per sentence ---- */

/* Destination of the translations of one process. */
struct lines {
  const struct translate_lines *job;
  FILE *stream;
  bool terminal; /* whether a terminal finally shows the text; process 0 detects this and sends it
                    to the others */
  struct unknown_words unknown;
};

static void write_json(FILE *stream, const elman_translation *best, bool n_best) {
  struct json json = {.stream = stream};
  json_print(&json, "{translation %s log_probability %g", best->text, best->log_probability);
  json_texts(&json, "source_tokens", best->source_tokens, best->source_count);
  json_texts(&json, "target_tokens", best->target_tokens, best->target_count);
  if (n_best) json_print(&json, "n_best [");
  for (const elman_translation *one = best; n_best && one != NULL; one = one->next) {
    json_print(&json, "{translation %s log_probability %g score %g", one->text,
               one->log_probability, one->score);
    json_texts(&json, "target_tokens", one->target_tokens, one->target_count);
    json_print(&json, "}");
  }
  json_print(&json, n_best ? "]}\n" : "}\n");
}

/* Write the n-best list in the format of Moses, which numbers sentences from 0. Numbers have a
 * decimal point, because the program never sets the locale for numbers. */
static void write_moses(const struct lines *lines, const elman_translation *best, size_t number) {
  FILE *stream = lines->stream;
  for (const elman_translation *one = best; one != NULL; one = one->next) {
    fprintf(stream, "%zu ||| ", number - 1);
    print_data_for(stream, one->text, lines->terminal);
    fprintf(stream, " ||| logprob= %.6g ||| %.6g\n", one->log_probability, one->score);
  }
}

/* Write one line per sentence, even for a sentence that could not be translated. */
static int write_line(void *context, const struct translated *translated) {
  struct lines *lines = context;
  const struct translate_lines *job = lines->job;
  const elman_translation *best = translated->translation;
  FILE *stream = lines->stream;
  if (best != NULL) unknown_words_add(&lines->unknown, best);
  if (job->json && best != NULL) {
    write_json(stream, best, job->n_best);
  } else if (job->n_best && !job->json) {
    write_moses(lines, best, translated->sentence->number);
  } else {
    /* Write no tag for an empty translation: a pair with an empty side would be useless. */
    if (job->tag != NULL && best != NULL && best->text[0] != '\0') fprintf(stream, "%s ", job->tag);
    print_data_for(stream, best != NULL ? best->text : job->json ? "null" : "", lines->terminal);
    putc('\n', stream);
  }
  return EX_OK;
}

/* ---- distribution: parcels ---- */

/* A round: process 0 sends a batch to every process, including itself, and collects the output. A
 * process that fails ends, and the others notice this when they wait for it. */
struct round {
  const elman_group *group;
  elman_bytes *send, *receive; /* one element per process */
  /* Parcels exchanged with the other processes. Process 0 has one parcel for every process,
   * including itself; another process has only the parcel for process 0. */
  elman_bytes *parcels;
  size_t *lengths; /* lengths of the parcels being transferred */
};

/* Head of a result: the length of the output text and the number of errors. The text and the errors
 * follow. */
struct outcome {
  size_t text, errors;
  struct unknown_words unknown;
};

struct placed_error {
  size_t number; /* number of the sentence */
  elman_error error;
};

static void parcel_free(elman_bytes *parcel) {
  free(parcel->data);
  *parcel = (elman_bytes){0};
}

static void round_free(struct round *round) {
  for (size_t r = 0; round->parcels != NULL && r < round->group->size; r++)
    parcel_free(&round->parcels[r]);
  free(round->send);
  free(round->receive);
  free(round->parcels);
  free(round->lengths);
}

static bool round_create(struct round *round, const elman_group *group) {
  const size_t P = group->size;
  *round = (struct round){group, calloc(P, sizeof(elman_bytes)), calloc(P, sizeof(elman_bytes)),
                          calloc(P, sizeof(elman_bytes)), calloc(P, sizeof(size_t))};
  return round->send != NULL && round->receive != NULL && round->parcels != NULL &&
         round->lengths != NULL;
}

static int exchange(const struct round *round) {
  elman_error error;
  const elman_status status =
      round->group->exchange(round->group->context, round->send, round->receive, &error);
  return status == ELMAN_OK ? EX_OK : report_error(&error);
}

static void put(struct round *round, size_t r, bool gives, elman_bytes bytes) {
  round->send[r] = gives ? bytes : (elman_bytes){0};
  round->receive[r] = gives ? (elman_bytes){0} : bytes;
}

/* Transfer the parcels from process 0 to the others (`outward`) or back. Transfer their lengths
 * first. */
static int pass_parcels(struct round *round, bool outward) {
  const bool leads = round->group->rank == 0, gives = outward == leads;
  const size_t first = leads ? 1 : 0, end = leads ? round->group->size : 1;
  for (size_t r = first; r < end; r++) {
    round->lengths[r] = round->parcels[r].count;
    put(round, r, gives, (elman_bytes){&round->lengths[r], sizeof round->lengths[r]});
  }
  const int code = exchange(round);
  if (code != EX_OK) return code;
  for (size_t r = first; r < end; r++) {
    elman_bytes *parcel = &round->parcels[r];
    if (!gives) {
      parcel_free(parcel);
      *parcel = (elman_bytes){malloc(round->lengths[r] + 1), round->lengths[r]};
      if (parcel->data == NULL) return report_no_memory();
    }
    put(round, r, gives, *parcel);
  }
  return exchange(round);
}

/* Close a stream that open_memstream opened, and store its bytes in the parcel. */
static int close_parcel(elman_bytes *parcel, FILE *stream, char **bytes, size_t *length) {
  const bool failed = ferror(stream) != 0;
  if (fclose(stream) != 0 || failed) {
    free(*bytes);
    return report_no_memory();
  }
  parcel_free(parcel);
  *parcel = (elman_bytes){*bytes, *length};
  return EX_OK;
}

/* ---- distribution: batches ---- */

struct work {
  const struct batch_job *job;
  struct lines *lines;
  elman_translator *translator;
  struct text_batch *batch;
};

struct batch_head {
  size_t count; /* number of sentences; may be 0 */
  size_t terminal;
};

static int pack_batch(elman_bytes *parcel, const struct text_batch *batch, bool terminal) {
  char *bytes = NULL;
  size_t length;
  FILE *stream = open_memstream(&bytes, &length);
  if (stream == NULL) return report_no_memory();
  const struct batch_head head = {batch->count, terminal};
  fwrite(&head, sizeof head, 1, stream);
  for (size_t i = 0; i < batch->count; i++) {
    const elman_sentence *sentence = &batch->sentences[i];
    fwrite(&sentence->number, sizeof sentence->number, 1, stream);
    fwrite(&sentence->length, sizeof sentence->length, 1, stream);
    fwrite(sentence->text, 1, sentence->length, stream);
  }
  return close_parcel(parcel, stream, &bytes, &length);
}

/* Fill a parcel for each process with a batch. Wait for sentences only for the first batch. Later
 * batches are empty if no sentences have arrived. */
static int fill_parcels(struct round *round, const struct work *work, struct sentences *sentences,
                        bool *more, int *stopped) {
  struct text_batch *batch = work->batch;
  int code = EX_OK;
  for (size_t r = 0; r < round->group->size && code == EX_OK; r++) {
    if (*more && (r == 0 || sentences_ready(sentences)))
      *more = text_batch_fill(batch, sentences, stopped);
    code = pack_batch(&round->parcels[r], batch, work->lines->terminal);
    text_batch_clear(batch);
  }
  return code;
}

static int unpack_batch(struct work *work, const elman_bytes *parcel) {
  const char *at = parcel->data;
  struct batch_head head;
  memcpy(&head, at, sizeof head);
  at += sizeof head;
  work->lines->terminal = head.terminal;
  for (size_t i = 0; i < head.count; i++) {
    elman_sentence sentence = {0};
    memcpy(&sentence.number, at, sizeof sentence.number);
    at += sizeof sentence.number;
    memcpy(&sentence.length, at, sizeof sentence.length);
    at += sizeof sentence.length;
    char *text = malloc(sentence.length + 1);
    if (text == NULL) return report_no_memory();
    memcpy(text, at, sentence.length);
    text[sentence.length] = '\0';
    sentence.text = text;
    at += sentence.length;
    text_batch_add(work->batch, &sentence, NULL);
  }
  return EX_OK;
}

/* ---- distribution: results ---- */

/* Write space for the outcome, then the translations and the errors. Set `outcome`; the caller
 * copies it to the start, because its fields are complete only at the end. */
static int write_outcome(struct work *work, FILE *stream, struct outcome *outcome) {
  const struct text_batch *batch = work->batch;
  int code = EX_OK;
  FILE *const before = work->lines->stream;
  work->lines->unknown = (struct unknown_words){0};
  fwrite(outcome, sizeof *outcome, 1, stream);
  work->lines->stream = stream;
  for (size_t i = 0; i < batch->count && code == EX_OK; i++) {
    const struct translated translated = text_batch_get(batch, i);
    code = write_line(work->lines, &translated);
  }
  work->lines->stream = before;
  outcome->text = (size_t)ftello(stream) - sizeof *outcome;
  outcome->unknown = work->lines->unknown;
  for (size_t i = 0; i < batch->count; i++) {
    if (batch->translations[i] != NULL) continue;
    const struct placed_error problem = {batch->sentences[i].number, batch->errors[i]};
    fwrite(&problem, sizeof problem, 1, stream);
    outcome->errors++;
  }
  return code;
}

/* Translate the batch in the parcel and replace it with the result. */
static int translate_parcel(struct work *work, elman_bytes *parcel) {
  struct outcome outcome = {0};
  char *bytes = NULL;
  size_t length;
  int code = unpack_batch(work, parcel);
  if (code == EX_OK && work->batch->count > 0)
    code = text_batch_translate(work->batch, work->translator, work->job->options);
  if (code != EX_OK) return code;
  FILE *stream = open_memstream(&bytes, &length);
  if (stream == NULL) return report_no_memory();
  code = write_outcome(work, stream, &outcome);
  const int closed = close_parcel(parcel, stream, &bytes, &length);
  text_batch_clear(work->batch);
  if (closed == EX_OK) memcpy(parcel->data, &outcome, sizeof outcome);
  return code != EX_OK ? code : closed;
}

/* Print a result and report its errors. Return EX_OK, or EX_DATAERR if there are errors. */
static int hand_over(const elman_bytes *parcel, struct unknown_words *unknown,
                     struct sentences *sentences, struct output *output) {
  struct outcome outcome;
  struct placed_error problem;
  int code = EX_OK;
  const char *at = parcel->data;
  memcpy(&outcome, at, sizeof outcome);
  at += sizeof outcome;
  const char *text = at;
  at += outcome.text;
  for (size_t i = 0; i < outcome.errors; i++, at += sizeof problem) {
    memcpy(&problem, at, sizeof problem);
    code = sentences_report(sentences, problem.number, &problem.error);
  }
  fwrite(text, 1, outcome.text, output->stream);
  unknown_words_merge(unknown, &outcome.unknown);
  return code;
}

/* ---- distribution: rounds ---- */

static int lead(struct round *round, struct work *work, struct sentences *sentences,
                struct output *output) {
  struct unknown_words unknown = {0};
  int code = EX_OK, stopped = EX_OK;
  for (bool more = true; more;) {
    int result = fill_parcels(round, work, sentences, &more, &stopped);
    if (result == EX_OK) result = pass_parcels(round, true);
    if (result == EX_OK) result = translate_parcel(work, &round->parcels[0]);
    if (result == EX_OK) result = pass_parcels(round, false);
    if (result != EX_OK) return result;
    for (size_t r = 0; r < round->group->size; r++)
      if (hand_over(&round->parcels[r], &unknown, sentences, output) != EX_OK) code = EX_DATAERR;
    if (!output_flush(output)) more = false;
  }
  work->lines->unknown = unknown;
  /* Send empty parcels, after which the other processes end. */
  for (size_t r = 0; r < round->group->size; r++) parcel_free(&round->parcels[r]);
  const int ended = pass_parcels(round, true);
  return ended != EX_OK ? ended : stopped != EX_OK ? stopped : code;
}

/* Translate the batches that process 0 sends, until an empty parcel arrives. Set no timeout,
 * because process 0 may wait for its input for any length of time. */
static int follow(struct round *round, struct work *work) {
  *group_timeout() = INFINITY;
  int code = pass_parcels(round, true);
  while (code == EX_OK && round->parcels[0].count > 0) {
    code = translate_parcel(work, &round->parcels[0]);
    if (code == EX_OK) code = pass_parcels(round, false);
    if (code == EX_OK) code = pass_parcels(round, true);
  }
  return code;
}

/* Translate as batches_run does, with several processes. Only process 0 reads sentences and writes
 * the output. It forms the same batches as batches_run, so the output is identical. */
static int batches_run_together(const struct batch_job *job, struct lines *lines,
                                struct sentences *sentences, struct output *output) {
  struct round round;
  struct work work = {job, lines, NULL, calloc(1, sizeof *work.batch)};
  elman_error error;
  int code = EX_OK;
  if (!round_create(&round, group_joined()) || work.batch == NULL) code = report_no_memory();
  if (code == EX_OK && elman_translator_create(&work.translator, job->model, &error) != ELMAN_OK)
    code = report_error(&error);
  if (code == EX_OK &&
      elman_group_same_model(group_joined(), job->model, job->options, &error) != ELMAN_OK)
    code = report_error(&error);
  if (code == EX_OK)
    code = group_leads() ? lead(&round, &work, sentences, output) : follow(&round, &work);
  if (work.batch != NULL) text_batch_clear(work.batch);
  free(work.batch);
  elman_translator_free(work.translator);
  round_free(&round);
  return code;
}

/* ---- all batches ---- */

static int translate_all(const struct translate_lines *job, const elman_model *model,
                         struct sentences *sentences, struct output *output) {
  struct lines lines = {job, output->stream, stream_is_terminal(output->stream), {0}};
  const struct batch_job batches = {model, &job->options, write_line, &lines};
  const int code = group_joined() == NULL
                       ? batches_run(&batches, sentences, output)
                       : batches_run_together(&batches, &lines, sentences, output);
  unknown_words_note(&lines.unknown, model, ELMAN_SOURCE);
  if (sentences_usable(sentences, code)) return output_close(output, code);
  output_abandon(output);
  return code;
}

static int run(const struct translate_lines *job, const elman_model *model,
               struct sentences *sentences, const char *output_path) {
  struct output output;
  const int code = output_open(&output, output_path);
  if (code != EX_OK) return code;
  /* Catch signals, because a signal must not leave the temporary file behind. It must also not kill
   * another process before its farewell, because process 0 would wait for that process. */
  if (output.file != NULL || !group_leads()) interrupt_catch_first();
  if (sentences->texts.count == 0 && isatty(sentences->lines.file))
    note("one sentence per line; Ctrl-D ends the input");
  return translate_all(job, model, sentences, &output);
}

int translate_lines(struct translate_lines *job, struct models *models, struct sentences *sentences,
                    const char *output_path) {
  job->options.without_scores = !job->n_best && !job->json; /* scores are not printed */
  int code = models_open(models, &job->options);
  if (code == EX_OK) code = run(job, models->open[0], sentences, output_path);
  models_close(models);
  return code;
}
