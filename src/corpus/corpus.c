#include "corpus/corpus.h"

#include <stdlib.h>
#include <string.h>

#include "corpus/pieces.h"

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

size_t corpus_unguided(const struct corpus *corpus) {
  const size_t *starts = corpus->links.starts;
  size_t count = 0;
  for (size_t i = 0; i < corpus->target.count; i++)
    count += starts == NULL || starts[i] == starts[i + 1];
  return count;
}

/* A piece of the pairs on its way. */
struct encoded_piece {
  size_t end; /* behind its last pair */
  struct encoding from, to;
  struct token_linker linker;
  struct corpus corpus;
};

struct encoding_work {
  struct corpus *corpus;
  const struct pairs *pairs;
  const struct codec *source, *target;
  const struct encoding_options *options;
  struct encoded_piece pieces[PIECES_AT_ONCE];
};

static void sentences_clear(struct sentences *sentences) {
  sentences->count = sentences->longest = 0;
}

static elman_status encode_pair(struct encoded_piece *piece, const struct encoding_work *work,
                                const struct pair *pair, elman_error *error) {
  const size_t max_length = work->options->max_length;
  struct corpus *corpus = &piece->corpus;
  elman_status status = encode(&piece->from, work->source, pair->source, error);
  if (status == ELMAN_OK) status = encode(&piece->to, work->target, pair->target, error);
  if (status != ELMAN_OK) return status;
  if (max_length > 0 &&
      (piece->from.tokens.count > max_length || piece->to.tokens.count > max_length)) {
    corpus->too_long++;
    return ELMAN_OK;
  }
  if (work->options->guided) {
    const struct encoded_side sides[] = {{work->source, &piece->from, pair->source},
                                         {work->target, &piece->to, pair->target}};
    status = token_links_add(&corpus->links, corpus->source.count, &piece->linker, sides,
                             pair->alignment, error);
  }
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
  sentences_clear(&corpus->source);
  sentences_clear(&corpus->target);
  corpus->too_long = 0;
  piece->end = first + count;
  for (size_t i = first; status == ELMAN_OK && i < first + count; i++) {
    const struct pair pair = pairs_get(work->pairs, i);
    elman_error problem = {0};
    status = encode_pair(piece, work, &pair, &problem);
    if (status == ELMAN_BAD_DATA) pairs_place(problem.where, sizeof problem.where, work->pairs, i);
    if (status != ELMAN_OK) status = fail_again(error, &problem);
  }
  return status;
}

static elman_status sentences_append(struct sentences *sentences, const struct sentences *more,
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

/* All pieces of its round are encoded by then: nothing reads the text of this one any more. */
static elman_status append_piece(void *context, size_t place, elman_error *error) {
  struct encoding_work *work = context;
  const struct corpus *piece = &work->pieces[place].corpus;
  if (work->options->consumed != NULL)
    pairs_give_back(work->options->consumed, work->pieces[place].end);
  work->corpus->too_long += piece->too_long;
  elman_status status = ELMAN_OK;
  if (work->options->guided)
    status = links_append(&work->corpus->links, work->corpus->source.count, &piece->links,
                          piece->source.count, error);
  if (status == ELMAN_OK) status = sentences_append(&work->corpus->source, &piece->source, error);
  return status == ELMAN_OK ? sentences_append(&work->corpus->target, &piece->target, error)
                            : status;
}

elman_status corpus_encode(struct corpus *corpus, const struct pairs *pairs,
                           const struct codec *source, const struct codec *target,
                           const struct encoding_options *options, elman_error *error) {
  const size_t count = pairs_count(pairs);
  struct encoding_work work = {
      .corpus = corpus, .pairs = pairs, .source = source, .target = target, .options = options};
  elman_status status = corpus_create(corpus, count, error);
  if (status == ELMAN_OK && options->guided) status = corpus_create_guides(corpus, count, error);
  if (status == ELMAN_OK) status = pieces_run(count, encode_piece, append_piece, &work, error);
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
  free(corpus->links.items);
  free(corpus->links.starts);
  *corpus = (struct corpus){0};
}
