#include "corpus/corpus.h"

#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "vocab/marks.h"

/* ---- processing pairs in pieces ---- */

struct round {
  piece_function *run;
  void *context;
  size_t first, end; /* range of pairs */
  elman_status *statuses;
  elman_error *errors;
};

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static void run_piece(const void *context, size_t place) {
  const struct round *round = context;
  const size_t first = round->first + place * PAIRS_A_PIECE;
  round->statuses[place] =
      round->run(round->context, place, first, smaller(PAIRS_A_PIECE, round->end - first),
                 &round->errors[place]);
}

elman_status pieces_run(size_t pairs, piece_function *run, piece_collector *collect, void *context,
                        elman_error *error) {
  elman_status statuses[PIECES_AT_ONCE];
  elman_error errors[PIECES_AT_ONCE];
  const size_t at_once = (size_t)PIECES_AT_ONCE * PAIRS_A_PIECE;
  for (size_t first = 0; first < pairs; first += at_once) {
    const struct round round = {run,      context, first, first + smaller(at_once, pairs - first),
                                statuses, errors};
    const size_t count = (round.end - first + PAIRS_A_PIECE - 1) / PAIRS_A_PIECE;
    team_run(run_piece, &round, count);
    for (size_t place = 0; place < count; place++) {
      if (statuses[place] != ELMAN_OK) return fail_again(error, &errors[place]);
      const elman_status status = collect(context, place, error);
      if (status != ELMAN_OK) return status;
    }
  }
  return ELMAN_OK;
}

double pieces_work(size_t pairs) {
  const double of_pair = 1 << 18; /* about 4 µs */
  return pairs <= PAIRS_A_PIECE ? 0 : of_pair * (double)pairs;
}

/* ---- pairs as ids ---- */

elman_status corpus_create(struct corpus *corpus, size_t most, elman_error *error) {
  size_t entries;
  *corpus = (struct corpus){0};
  if (__builtin_add_overflow(most, 1, &entries)) return fail_no_memory(error);
  corpus->source.starts = calloc(entries, sizeof *corpus->source.starts);
  corpus->target.starts = calloc(entries, sizeof *corpus->target.starts);
  return corpus->source.starts == NULL || corpus->target.starts == NULL ? fail_no_memory(error)
                                                                        : ELMAN_OK;
}

elman_status sentences_add(struct sentences *sentences, const uint32_t *ids, size_t length,
                           elman_error *error) {
  const size_t start = sentences->starts[sentences->count];
  size_t end;
  if (__builtin_add_overflow(start, length, &end)) return fail_no_memory(error);
  const elman_status status =
      array_grow(&sentences->ids, &sentences->capacity, end, sizeof *sentences->ids, error);
  if (status != ELMAN_OK) return status;
  if (length > 0) memcpy(sentences->ids + start, ids, length * sizeof *ids);
  sentences->starts[++sentences->count] = end;
  if (length > sentences->longest) sentences->longest = length;
  return ELMAN_OK;
}

elman_status sentences_append(struct sentences *sentences, const struct sentences *more,
                              elman_error *error) {
  const size_t start = sentences->starts[sentences->count], length = more->starts[more->count];
  size_t end;
  if (__builtin_add_overflow(start, length, &end)) return fail_no_memory(error);
  const elman_status status =
      array_grow(&sentences->ids, &sentences->capacity, end, sizeof *sentences->ids, error);
  if (status != ELMAN_OK) return status;
  if (length > 0) memcpy(sentences->ids + start, more->ids, length * sizeof *more->ids);
  for (size_t i = 1; i <= more->count; i++)
    sentences->starts[sentences->count + i] = start + more->starts[i];
  sentences->count += more->count;
  if (more->longest > sentences->longest) sentences->longest = more->longest;
  return ELMAN_OK;
}

void sentences_clear(struct sentences *sentences) {
  sentences->count = sentences->longest = 0;
}

size_t sentences_length(const struct sentences *sentences, size_t index) {
  return sentences->starts[index + 1] - sentences->starts[index];
}

size_t sentences_unknown(const struct sentences *sentences) {
  size_t unknown = 0;
  for (size_t i = 0; i < sentences->starts[sentences->count]; i++)
    unknown += sentences->ids[i] == TOKEN_UNKNOWN;
  return unknown;
}

elman_status corpus_add(struct corpus *corpus, const struct encoding *source,
                        const struct encoding *target, elman_error *error) {
  const elman_status status =
      sentences_add(&corpus->source, source->ids, source->tokens.count, error);
  if (status != ELMAN_OK) return status;
  return sentences_add(&corpus->target, target->ids, target->tokens.count, error);
}

elman_status corpus_create_guides(struct corpus *corpus, size_t most, elman_error *error) {
  corpus->links.starts = calloc(most + 1, sizeof *corpus->links.starts);
  return corpus->links.starts == NULL ? fail_no_memory(error) : ELMAN_OK;
}

elman_status corpus_create_texts(struct corpus *corpus, size_t most, elman_error *error) {
  for (int side = 0; side < 2; side++) {
    corpus->texts[side].starts = calloc(most + 1, sizeof *corpus->texts[side].starts);
    if (corpus->texts[side].starts == NULL) return fail_no_memory(error);
  }
  return ELMAN_OK;
}

struct text corpus_text(const struct corpus *corpus, elman_side side, size_t index) {
  const struct sentence_texts *texts = &corpus->texts[side];
  const size_t start = texts->starts[index];
  return (struct text){texts->bytes.bytes + start, texts->starts[index + 1] - start};
}

/* Append text number `index`. */
static elman_status add_text(struct sentence_texts *texts, size_t index, struct text text,
                             elman_error *error) {
  buffer_append_text(&texts->bytes, text);
  texts->starts[index + 1] = texts->bytes.length;
  return texts->bytes.failed ? fail_no_memory(error) : ELMAN_OK;
}

size_t corpus_unguided(const struct corpus *corpus) {
  const size_t *starts = corpus->links.starts;
  size_t count = 0;
  for (size_t i = 0; i < corpus->target.count; i++)
    count += starts == NULL || starts[i] == starts[i + 1];
  return count;
}

/* A piece of pairs being encoded. */
struct encoded_piece {
  size_t end; /* index after the last pair */
  struct encoding from, to;
  struct token_linker linker;
  struct corpus corpus;
};

struct encoding_work {
  struct corpus *corpus;
  const elman_pairs *pairs;
  const struct codec *source, *target;
  const struct encoding_options *options;
  struct encoded_piece pieces[PIECES_AT_ONCE];
};

/* Add the links of pair `index`. Set *skipped if the links are bad and the pair is to be
 * skipped. */
static elman_status add_links(bool *skipped, struct encoded_piece *piece,
                              const struct encoding_work *work, size_t index,
                              const struct pair *pair, elman_error *error) {
  struct corpus *corpus = &piece->corpus;
  const struct unit_lines *lines = pairs_unit_lines(work->pairs);
  const struct encoded_side sides[] = {{work->source, &piece->from, pair->source, &lines[0]},
                                       {work->target, &piece->to, pair->target, &lines[1]}};
  elman_error problem = {0};
  const elman_status status = token_links_add(&corpus->links, corpus->source.count, &piece->linker,
                                              sides, pair->alignment, &problem);
  if (status == ELMAN_OK) return ELMAN_OK;
  if (status == ELMAN_BAD_DATA)
    pairs_place(problem.where, sizeof problem.where, work->pairs, index);
  if (status != ELMAN_BAD_DATA || pairs_are_strict(work->pairs)) return fail_again(error, &problem);
  if (corpus->unaligned++ == 0) corpus->first_unaligned = problem;
  *skipped = true;
  return ELMAN_OK;
}

static elman_status encode_pair(struct encoded_piece *piece, const struct encoding_work *work,
                                size_t index, elman_error *error) {
  const struct pair pair = pairs_get(work->pairs, index);
  const size_t max_length = work->options->max_length;
  struct corpus *corpus = &piece->corpus;
  bool skipped = false;
  elman_status status = encode(&piece->from, work->source, pair.source, error);
  if (status == ELMAN_OK) status = encode(&piece->to, work->target, pair.target, error);
  if (status != ELMAN_OK) return status;
  if (max_length > 0 &&
      (piece->from.tokens.count > max_length || piece->to.tokens.count > max_length)) {
    corpus->too_long++;
    return ELMAN_OK;
  }
  if (work->options->guided) status = add_links(&skipped, piece, work, index, &pair, error);
  if (status != ELMAN_OK || skipped) return status;
  const struct encoding *const encodings[] = {&piece->from, &piece->to};
  corpus->marked += ends_with_mark(buffer_text(&piece->from.normalized));
  for (int side = 0; side < 2 && work->options->keeps_texts && status == ELMAN_OK; side++)
    status = add_text(&corpus->texts[side], corpus->source.count,
                      buffer_text(&encodings[side]->normalized), error);
  return status == ELMAN_OK ? corpus_add(corpus, &piece->from, &piece->to, error) : status;
}

static elman_status encode_piece(void *context, size_t place, size_t first, size_t count,
                                 elman_error *error) {
  struct encoding_work *work = context;
  struct encoded_piece *piece = &work->pieces[place];
  struct corpus *corpus = &piece->corpus;
  elman_status status = ELMAN_OK;
  if (corpus->source.starts == NULL) status = corpus_create(corpus, PAIRS_A_PIECE, error);
  if (status == ELMAN_OK && work->options->guided && corpus->links.starts == NULL)
    status = corpus_create_guides(corpus, PAIRS_A_PIECE, error);
  if (status == ELMAN_OK && work->options->keeps_texts && corpus->texts[0].starts == NULL)
    status = corpus_create_texts(corpus, PAIRS_A_PIECE, error);
  for (int side = 0; side < 2; side++) buffer_clear(&corpus->texts[side].bytes);
  sentences_clear(&corpus->source);
  sentences_clear(&corpus->target);
  corpus->marked = corpus->too_long = corpus->unaligned = 0;
  piece->end = first + count;
  for (size_t i = first; status == ELMAN_OK && i < first + count; i++) {
    status = encode_pair(piece, work, i, error);
  }
  return status;
}

static elman_status texts_append(struct sentence_texts *texts, size_t pairs,
                                 const struct sentence_texts *more, size_t more_pairs,
                                 elman_error *error) {
  const size_t start = texts->starts[pairs];
  buffer_append_text(&texts->bytes, buffer_text(&more->bytes));
  for (size_t i = 1; i <= more_pairs; i++) texts->starts[pairs + i] = start + more->starts[i];
  return texts->bytes.failed ? fail_no_memory(error) : ELMAN_OK;
}

static elman_status links_append(struct token_links *links, size_t pairs,
                                 const struct token_links *more, size_t more_pairs,
                                 elman_error *error) {
  const size_t start = links->starts[pairs], count = more->starts[more_pairs];
  size_t end;
  if (__builtin_add_overflow(start, count, &end)) return fail_no_memory(error);
  const elman_status status =
      array_grow(&links->items, &links->capacity, end, sizeof *links->items, error);
  if (status != ELMAN_OK) return status;
  if (count > 0) memcpy(links->items + start, more->items, count * sizeof *more->items);
  for (size_t i = 1; i <= more_pairs; i++) links->starts[pairs + i] = start + more->starts[i];
  return ELMAN_OK;
}

/* Append a piece to the corpus and free its text. No thread reads this text, because all pieces of
 * the round are already encoded. */
static elman_status append_piece(void *context, size_t place, elman_error *error) {
  struct encoding_work *work = context;
  const struct corpus *piece = &work->pieces[place].corpus;
  if (work->options->consumed != NULL)
    pairs_release(work->options->consumed, work->pieces[place].end);
  work->corpus->marked += piece->marked;
  work->corpus->too_long += piece->too_long;
  if (work->corpus->unaligned == 0 && piece->unaligned > 0)
    work->corpus->first_unaligned = piece->first_unaligned;
  work->corpus->unaligned += piece->unaligned;
  elman_status status = ELMAN_OK;
  if (work->options->guided)
    status = links_append(&work->corpus->links, work->corpus->source.count, &piece->links,
                          piece->source.count, error);
  for (int side = 0; side < 2 && work->options->keeps_texts && status == ELMAN_OK; side++)
    status = texts_append(&work->corpus->texts[side], work->corpus->source.count,
                          &piece->texts[side], piece->source.count, error);
  if (status == ELMAN_OK) status = sentences_append(&work->corpus->source, &piece->source, error);
  return status == ELMAN_OK ? sentences_append(&work->corpus->target, &piece->target, error)
                            : status;
}

elman_status corpus_encode(struct corpus *corpus, const elman_pairs *pairs,
                           const struct codec *source, const struct codec *target,
                           const struct encoding_options *options, elman_error *error) {
  const size_t count = elman_pairs_count(pairs);
  struct encoding_work work = {
      .corpus = corpus, .pairs = pairs, .source = source, .target = target, .options = options};
  elman_status status = corpus_create(corpus, count, error);
  if (status == ELMAN_OK && options->guided) status = corpus_create_guides(corpus, count, error);
  if (status == ELMAN_OK && options->keeps_texts)
    status = corpus_create_texts(corpus, count, error);
  if (status == ELMAN_OK) status = pieces_run(count, encode_piece, append_piece, &work, error);
  if (status == ELMAN_OK && corpus->unaligned > count / 2)
    status =
        fail(error, ELMAN_BAD_DATA, corpus->first_unaligned.where,
             "%.300s; %zu of %zu alignment%s %s: i-j must link word i of the source to word j of "
             "the target, counted from 0",
             corpus->first_unaligned.message, corpus->unaligned, count, plural_ending(count),
             alignment_mismatch(corpus->unaligned));
  for (size_t i = 0; i < PIECES_AT_ONCE; i++) {
    encoding_free(&work.pieces[i].from);
    encoding_free(&work.pieces[i].to);
    token_linker_free(&work.pieces[i].linker);
    corpus_free(&work.pieces[i].corpus);
  }
  corpus->source_words = source->vocabulary;
  if (status != ELMAN_OK) corpus_free(corpus);
  return status;
}

void corpus_free(struct corpus *corpus) {
  if (corpus == NULL) return;
  free(corpus->source.ids);
  free(corpus->source.starts);
  free(corpus->target.ids);
  free(corpus->target.starts);
  for (int side = 0; side < 2; side++) {
    buffer_free(&corpus->texts[side].bytes);
    free(corpus->texts[side].starts);
  }
  free(corpus->links.items);
  free(corpus->links.starts);
  *corpus = (struct corpus){0};
}

/* ---- BPE dropout ---- */

static elman_status make_room(struct resplit *resplit, size_t count, elman_error *error) {
  if (count > resplit->room) {
    resplit->room = 0;
    corpus_free(&resplit->pairs);
    free(resplit->indices);
    resplit->indices = reallocarray(NULL, count, sizeof *resplit->indices);
    if (resplit->indices == NULL) return fail_no_memory(error);
    for (size_t i = 0; i < count; i++) resplit->indices[i] = i;
    const elman_status status = corpus_create(&resplit->pairs, count, error);
    if (status != ELMAN_OK) return status;
    resplit->room = count;
  }
  resplit->pairs.source.count = resplit->pairs.target.count = 0;
  return ELMAN_OK;
}

/* Append one side of a pair. The random numbers depend on pair and side, so that no two sentences
 * share them. */
static elman_status add_side(struct resplit *resplit, const struct corpus *corpus, size_t index,
                             elman_side side, size_t epoch, size_t longest, elman_error *error) {
  const struct codec *codec = &resplit->codecs[side];
  const struct sentences *from = side == ELMAN_SOURCE ? &corpus->source : &corpus->target;
  struct sentences *to = side == ELMAN_SOURCE ? &resplit->pairs.source : &resplit->pairs.target;
  const uint32_t *ids = from->ids + from->starts[index];
  const size_t length = sentences_length(from, index);
  struct encoding *again = &resplit->encodings[side];
  struct bpe_dropout dropout = {.share = resplit->share,
                                .stream = {resplit->seed, RANDOM_SUBWORDS, (uint32_t)epoch},
                                .next = (2 * (uint64_t)index + side) << 32};
  if (codec->merges == NULL) return sentences_add(to, ids, length, error);
  const elman_status status = encode_again(again, codec, ids, length, &dropout, error);
  if (status != ELMAN_OK) return status;
  return again->count > longest ? sentences_add(to, ids, length, error)
                                : sentences_add(to, again->ids, again->count, error);
}

/* Return the maximum length of a side, without </s>, in a batch of `count` pairs. */
static size_t longest_side(const struct resplit *resplit, size_t count, elman_side side) {
  size_t longest = resplit->max_length > 0 ? resplit->max_length : SIZE_MAX;
  if (resplit->batch_tokens > 0) {
    const size_t padded = resplit->batch_tokens / count - (side == ELMAN_TARGET);
    if (padded < longest) longest = padded;
  }
  return longest;
}

elman_status resplit_pairs(struct resplit *resplit, const struct corpus *corpus,
                           const size_t *indices, size_t count, size_t epoch, elman_error *error) {
  elman_status status = make_room(resplit, count, error);
  resplit->pairs.source_words = corpus->source_words;
  for (size_t i = 0; status == ELMAN_OK && i < count; i++) {
    for (int side = 0; status == ELMAN_OK && side < 2; side++)
      status = add_side(resplit, corpus, indices[i], (elman_side)side, epoch,
                        longest_side(resplit, count, (elman_side)side), error);
  }
  return status;
}

void resplit_free(struct resplit *resplit) {
  for (size_t side = 0; side < 2; side++) encoding_free(&resplit->encodings[side]);
  corpus_free(&resplit->pairs);
  free(resplit->indices);
  *resplit = (struct resplit){0};
}
