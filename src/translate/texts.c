#include "translate/texts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "translate/combinations.h"
#include "vocab/sentences.h"

/* ---- splitting ---- */

void texts_free(struct split_texts *split) {
  if (split->any) free(split->sentences);
  free(split->firsts);
  *split = (struct split_texts){0};
}

static bool names_places(const elman_translate_options *options) {
  for (size_t i = 0; i < options->override_count; i++)
    if (options->overrides[i].kind == ELMAN_OVERRIDE_POSITION ||
        options->overrides[i].kind == ELMAN_OVERRIDE_CELL)
      return true;
  return false;
}

static bool is_split(const elman_sentence *text, const elman_translate_options *options) {
  if (options->split_sentences == ELMAN_SPLIT_ON) return true;
  return options->split_sentences == ELMAN_SPLIT_AUTO && text->is_text && text->reference == NULL &&
         !names_places(options);
}

/* Set *count to the number of sentences of a text. Set it to 1 if the text cannot be translated, so
 * that the translation of the whole text states the reason. */
static elman_status count_sentences(size_t *count, struct encoding *encoding,
                                    const struct model *model, const elman_sentence *text,
                                    const elman_translate_options *options, elman_error *error) {
  const struct codec codec = model_source_codec(model);
  elman_error own;
  *count = 1;
  const struct text whole = {text->text, text->length};
  if (text_valid_prefix(whole) < whole.length ||
      (options->max_bytes > 0 && text->length > options->max_bytes))
    return ELMAN_OK;
  const size_t found = elman_find_sentences(NULL, 0, text->text, text->length);
  if (found < 2) return ELMAN_OK;
  const size_t most = options->without_attention ? ELMAN_MAX_TOKENS : options->max_tokens;
  const elman_status status = encode_checked(encoding, &codec, whole, most, &own);
  if (status == ELMAN_OK) *count = found;
  return status == ELMAN_OK || status == ELMAN_BAD_DATA ? ELMAN_OK : fail_again(error, &own);
}

static elman_status count_all(struct split_texts *split, const struct model *model,
                              const elman_sentence *texts, const elman_translate_options *options,
                              elman_error *error) {
  struct encoding encoding = {0};
  elman_status status = ELMAN_OK;
  for (size_t i = 0; i < split->texts && status == ELMAN_OK; i++) {
    const elman_sentence *text = &texts[i];
    size_t count = 1;
    if (is_split(text, options) && text->reference != NULL)
      status = fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                    "a reference is the translation of one sentence, but the text is to be split");
    else if (is_split(text, options))
      status = count_sentences(&count, &encoding, model, text, options, error);
    split->firsts[i + 1] = split->firsts[i] + count;
    split->any = split->any || count > 1;
  }
  encoding_free(&encoding);
  return status;
}

/* Divide the prefix of a text among its sentences. */
static elman_status divide_prefix(elman_sentence *sentences, size_t count,
                                  const elman_sentence *text, elman_error *error) {
  size_t sentence = 0, start = 0;
  for (size_t t = 0; t <= text->prefix_count; t++) {
    const bool is_last = t == text->prefix_count;
    if (!is_last && text->prefix[t] != TOKEN_END) continue;
    sentences[sentence].prefix = text->prefix + start;
    sentences[sentence].prefix_count = t - start;
    sentences[sentence].whole_prefix = !is_last || text->whole_prefix;
    start = t + 1;
    if (is_last || ++sentence < count) continue;
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the prefix contains </s> %zu time%s; the text has only %zu sentence%s", sentence,
                plural_ending(sentence), count, plural_ending(count));
  }
  return ELMAN_OK;
}

static elman_status cut(elman_sentence *sentences, size_t count, const elman_sentence *text,
                        elman_error *error) {
  elman_span *spans = calloc(count, sizeof *spans);
  if (spans == NULL) return fail_no_memory(error);
  (void)elman_find_sentences(spans, count, text->text, text->length);
  for (size_t k = 0; k < count; k++)
    sentences[k] = (elman_sentence){.text = text->text + spans[k].start,
                                    .length = spans[k].end - spans[k].start,
                                    .number = text->number,
                                    .part = k};
  free(spans);
  return text->prefix_count > 0 ? divide_prefix(sentences, count, text, error) : ELMAN_OK;
}

elman_status texts_split(struct split_texts *split, const struct model *model,
                         const elman_sentence *texts, size_t count,
                         const elman_translate_options *options, elman_error *error) {
  *split = (struct split_texts){.sentences = (elman_sentence *)texts, .texts = count};
  split->firsts = calloc(count + 1, sizeof *split->firsts);
  if (split->firsts == NULL) return fail_no_memory(error);
  elman_status status = count_all(split, model, texts, options, error);
  if (status != ELMAN_OK || !split->any) {
    split->any = false;
    return status;
  }
  split->sentences = calloc(split->firsts[count], sizeof *split->sentences);
  if (split->sentences == NULL) return fail_no_memory(error);
  for (size_t i = 0; i < count && status == ELMAN_OK; i++) {
    const size_t first = split->firsts[i], sentences = split->firsts[i + 1] - first;
    if (sentences == 1)
      split->sentences[first] = texts[i];
    else
      status = cut(&split->sentences[first], sentences, &texts[i], error);
  }
  return status;
}

/* ---- one combination ---- */

/* A text with one translation of each of its sentences. */
struct whole {
  const elman_sentence *text, *sentences;
  const elman_translation *const *parts; /* (count) */
  size_t count;
  struct buffer joined; /* text of the translation */
  elman_span *spans;    /* (count): place of each sentence in `joined` */
};

static size_t source_start(const struct whole *whole, size_t k) {
  return (size_t)(whole->sentences[k].text - whole->text->text);
}

/* Join the texts of the translations. */
static elman_status join_texts(struct whole *whole, elman_error *error) {
  struct text left = {"", 0};
  buffer_clear(&whole->joined);
  for (size_t k = 0; k < whole->count; k++) {
    const struct text right = text_of(whole->parts[k]->text);
    if (k > 0) {
      const elman_sentence *previous = &whole->sentences[k - 1];
      const char *end = previous->text + previous->length;
      const struct text gap = {end, (size_t)(whole->sentences[k].text - end)};
      append_separator(&whole->joined, left, gap, right);
    }
    whole->spans[k].start = whole->joined.length;
    buffer_append_text(&whole->joined, right);
    whole->spans[k].end = whole->joined.length;
    if (right.length > 0) left = right;
  }
  return whole->joined.failed ? fail_no_memory(error) : ELMAN_OK;
}

#define SUM(whole, field) sum_of(whole, offsetof(elman_translation, field))

static size_t count_of(const elman_translation *part, size_t field) {
  return *(const size_t *)(const void *)((const char *)part + field);
}

static size_t sum_of(const struct whole *whole, size_t field) {
  size_t sum = 0;
  for (size_t k = 0; k < whole->count; k++) sum += count_of(whole->parts[k], field);
  return sum;
}

/* An array of a translation: (heads,rows,columns) elements. Each size is a field of the
 * translation; if its offset is 0, the size is 1. In an array with columns, the blocks of sentences
 * lie on the diagonal. */
struct array_field {
  size_t field, element;
  size_t heads, rows, columns; /* offsets of the fields with these sizes */
};

static const void *array_of(const elman_translation *part, const struct array_field *array) {
  const void *values;
  memcpy(&values, (const char *)part + array->field, sizeof values);
  return values;
}

static size_t size_of(const elman_translation *part, size_t field) {
  return field == 0 ? 1 : count_of(part, field);
}

/* Copy the rows of a part into the array of the whole. */
static void copy_block(unsigned char *to, const struct array_field *array, size_t row,
                       size_t column, const elman_translation *view,
                       const elman_translation *part) {
  const size_t heads = size_of(view, array->heads), R = size_of(view, array->rows);
  const size_t C = size_of(view, array->columns), rows = size_of(part, array->rows);
  const size_t columns = size_of(part, array->columns), element = array->element;
  const unsigned char *from = array_of(part, array);
  for (size_t k = 0; k < heads && columns > 0; k++)
    for (size_t r = 0; r < rows; r++)
      memcpy(to + ((k * R + row + r) * C + column) * element,
             from + (k * rows + r) * columns * element, columns * element);
}

/* Join an array of the parts, which all have it. */
static void *join_array(elman_translation *view, struct arena *arena, const struct whole *whole,
                        const struct array_field *array) {
  const size_t heads = size_of(view, array->heads), rows = size_of(view, array->rows);
  const size_t columns = size_of(view, array->columns);
  unsigned char *to = arena_allocate(arena, array->element, heads, rows, columns);
  memcpy((char *)view + array->field, &to, sizeof to);
  if (to == NULL) return NULL;
  if (array->columns != 0) memset(to, 0, heads * rows * columns * array->element);
  for (size_t k = 0, row = 0, column = 0; k < whole->count; k++) {
    const elman_translation *part = whole->parts[k];
    copy_block(to, array, row, column, view, part);
    row += size_of(part, array->rows);
    if (array->columns != 0) column += size_of(part, array->columns);
  }
  return to;
}

#define AT(field) offsetof(elman_translation, field)
#define ARRAY(name, heads, rows, columns)                                                          \
  { AT(name), sizeof *((elman_translation *)NULL)->name, heads, rows, columns }

/* Convert positions within parts to positions in the whole: add the start of their part. */
static void shift(size_t *positions, const struct whole *whole, size_t counts,
                  size_t (*start)(const struct whole *, size_t)) {
  if (positions == NULL) return;
  for (size_t k = 0, i = 0; k < whole->count; k++)
    for (size_t n = count_of(whole->parts[k], counts); n > 0; n--)
      positions[i++] += start(whole, k);
}

static size_t text_start(const struct whole *whole, size_t k) {
  return whole->spans[k].start;
}

static size_t sources_before(const struct whole *whole, size_t k) {
  const struct whole before = {.parts = whole->parts, .count = k};
  return SUM(&before, source_count);
}

static const char *copy_string(struct arena *arena, struct text text) {
  char *to = arena_allocate(arena, 1, text.length + 1, 1, 1);
  if (to == NULL) return NULL; /* the arena only measures */
  if (text.length > 0) memcpy(to, text.bytes, text.length);
  to[text.length] = '\0';
  return to;
}

/* Copy the texts of tokens, to which the array points. */
static void copy_strings(const char **strings, struct arena *arena, const struct whole *whole,
                         const struct array_field *array) {
  for (size_t k = 0, i = 0; k < whole->count; k++) {
    const char *const *from = array_of(whole->parts[k], array);
    for (size_t n = 0; n < count_of(whole->parts[k], array->rows); n++) {
      const char *string = copy_string(arena, text_of(from[n]));
      if (strings != NULL) strings[i++] = string;
    }
  }
}

static void join_tokens(elman_translation *view, struct arena *arena, const struct whole *whole) {
  static const struct array_field source_tokens = ARRAY(source_tokens, 0, AT(source_count), 0),
                                  target_tokens = ARRAY(target_tokens, 0, AT(target_count), 0),
                                  source_starts = ARRAY(source_starts, 0, AT(source_count), 0),
                                  source_ends = ARRAY(source_ends, 0, AT(source_count), 0),
                                  target_starts = ARRAY(target_starts, 0, AT(target_count), 0),
                                  target_ends = ARRAY(target_ends, 0, AT(target_count), 0);
  static const struct array_field plain[] = {
      ARRAY(source_ids, 0, AT(source_count), 0), ARRAY(source_known, 0, AT(source_count), 0),
      ARRAY(target_ids, 0, AT(target_count), 0), ARRAY(log_probabilities, 0, AT(target_count), 0)};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    (void)join_array(view, arena, whole, &plain[i]);
  copy_strings(join_array(view, arena, whole, &source_tokens), arena, whole, &source_tokens);
  copy_strings(join_array(view, arena, whole, &target_tokens), arena, whole, &target_tokens);
  shift(join_array(view, arena, whole, &source_starts), whole, AT(source_count), source_start);
  shift(join_array(view, arena, whole, &source_ends), whole, AT(source_count), source_start);
  shift(join_array(view, arena, whole, &target_starts), whole, AT(target_count), text_start);
  shift(join_array(view, arena, whole, &target_ends), whole, AT(target_count), text_start);
}

/* Return whether all parts have the array. A part without tokens may lack it. */
static bool have(const struct whole *whole, const struct array_field *array) {
  bool found = false;
  for (size_t k = 0; k < whole->count; k++) {
    const elman_translation *part = whole->parts[k];
    const bool has = array_of(part, array) != NULL;
    if (!has && part->target_count > 0) return false;
    found = found || has;
  }
  return found;
}

static void join_weights(elman_translation *view, struct arena *arena, const struct whole *whole) {
  static const struct array_field attention =
                                      ARRAY(attention, 0, AT(target_count), AT(source_count)),
                                  heads = ARRAY(head_attention, AT(heads), AT(target_count),
                                                AT(source_count)),
                                  sentinel = ARRAY(sentinel, 0, AT(target_count), 0),
                                  ends = ARRAY(segment_ends, 0, AT(segment_count), 0),
                                  segments =
                                      ARRAY(segments, 0, AT(target_count), AT(segment_count)),
                                  source = ARRAY(source_self_attention, AT(source_self_heads),
                                                 AT(source_count), AT(source_count)),
                                  target = ARRAY(target_self_attention, AT(target_self_heads),
                                                 AT(target_count), AT(target_count));
  view->attention = view->head_attention = join_array(view, arena, whole, &attention);
  if (view->heads > 1) (void)join_array(view, arena, whole, &heads);
  if (have(whole, &sentinel)) (void)join_array(view, arena, whole, &sentinel);
  if (view->segment_count > 0) {
    shift(join_array(view, arena, whole, &ends), whole, AT(segment_count), sources_before);
    (void)join_array(view, arena, whole, &segments);
  }
  if (view->source_self_heads > 0) (void)join_array(view, arena, whole, &source);
  if (view->target_self_heads > 0) (void)join_array(view, arena, whole, &target);
}

static void list_sentences(elman_translation *view, struct arena *arena,
                           const struct whole *whole) {
  elman_translated_sentence *sentences =
      arena_allocate(arena, sizeof *sentences, whole->count, 1, 1);
  view->sentence_count = whole->count;
  view->sentences = sentences;
  for (size_t k = 0, source = 0, target = 0; k < whole->count && sentences != NULL; k++) {
    const elman_translation *part = whole->parts[k];
    const size_t start = source_start(whole, k);
    sentences[k] =
        (elman_translated_sentence){.source = {start, start + whole->sentences[k].length},
                                    .text = whole->spans[k],
                                    .first_source = source,
                                    .source_count = part->source_count,
                                    .first_target = target,
                                    .target_count = part->target_count,
                                    .log_probability = part->log_probability,
                                    .score = part->score,
                                    .ended = part->ended};
    source += part->source_count;
    target += part->target_count;
  }
}

/* Set the numbers of a translation: counts of tokens, and sums of scores. */
static void set_numbers(elman_translation *view, const struct whole *whole) {
  *view = (elman_translation){.heads = 1};
  view->source_count = SUM(whole, source_count);
  view->target_count = SUM(whole, target_count);
  for (size_t k = 0; k < whole->count; k++) {
    const elman_translation *part = whole->parts[k];
    view->log_probability += part->log_probability;
    view->score += part->score;
    if (part->target_count > 0) view->ended = part->ended;
  }
  view->source_subwords = whole->parts[0]->source_subwords;
  view->target_subwords = whole->parts[0]->target_subwords;
}

/* Set the sizes of the matrices. */
static void set_sizes(elman_translation *view, const struct whole *whole) {
  view->segment_count = SUM(whole, segment_count);
  for (size_t k = 0; k < whole->count; k++) {
    const elman_translation *part = whole->parts[k];
    if (part->heads > view->heads) view->heads = part->heads;
    if (part->source_self_heads > 0) view->source_self_heads = part->source_self_heads;
    if (part->target_self_heads > 0) view->target_self_heads = part->target_self_heads;
  }
}

static bool has_room(const elman_translation *view) {
  const size_t S = view->source_count, T = view->target_count;
  const bool fits = S == 0 || T <= ELMAN_MAX_CELLS / S;
  return fits && (view->target_self_heads == 0 || T == 0 || T <= ELMAN_MAX_CELLS / T) &&
         (view->source_self_heads == 0 || S == 0 || S <= ELMAN_MAX_CELLS / S);
}

static elman_status join_one(elman_translation *view, struct arena *arena, struct whole *whole,
                             bool has_weights, elman_error *error) {
  const elman_status status = join_texts(whole, error);
  if (status != ELMAN_OK) return status;
  set_numbers(view, whole);
  if (has_weights) set_sizes(view, whole);
  if (has_weights && !has_room(view))
    return fail(error, ELMAN_BAD_DATA, NULL,
                "the text is too long for one matrix of attention weights; translate it in parts");
  view->text = copy_string(arena, buffer_text(&whole->joined));
  view->source = copy_string(arena, (struct text){whole->text->text, whole->text->length});
  join_tokens(view, arena, whole);
  if (has_weights) join_weights(view, arena, whole);
  list_sentences(view, arena, whole);
  return ELMAN_OK;
}

/* ---- the best combinations ---- */

/* The translations of sentences in the chosen combinations, (found, count). */
struct chosen {
  const elman_translation **parts;
  size_t found;
};

/* Return whether an earlier combination has the same text; `keys` are the hashes of their texts. */
static bool repeats(const uint64_t *keys, size_t found, uint64_t key) {
  for (size_t n = 0; n < found; n++)
    if (keys[n] == key) return true;
  return false;
}

static elman_status choose(struct chosen *chosen, struct whole *whole,
                           elman_translation *const *translations,
                           const elman_translate_options *options, elman_error *error) {
  struct combinations all = {0};
  uint64_t *keys = calloc(options->n_best, sizeof *keys);
  chosen->parts = calloc(options->n_best * whole->count, sizeof *chosen->parts);
  elman_status status = keys == NULL || chosen->parts == NULL
                            ? fail_no_memory(error)
                            : combinations_start(&all, translations, whole->count, error);
  for (bool more = true; status == ELMAN_OK && chosen->found < options->n_best;) {
    whole->parts = chosen->parts + chosen->found * whole->count;
    status = combinations_next(chosen->parts + chosen->found * whole->count, &more, &all, error);
    if (status != ELMAN_OK || !more) break;
    if (options->n_best > 1 && !options->equal_texts) {
      status = join_texts(whole, error);
      keys[chosen->found] = text_hash(buffer_text(&whole->joined));
      if (repeats(keys, chosen->found, keys[chosen->found])) continue;
    }
    chosen->found++;
  }
  combinations_free(&all);
  free(keys);
  return status;
}

static elman_status copy_all(struct owned_translation **owned, struct arena *arena,
                             struct whole *whole, const struct chosen *chosen, bool has_weights,
                             elman_error *error) {
  elman_translation view;
  elman_status status = ELMAN_OK;
  *owned = arena_allocate(arena, sizeof **owned, 1, 1, 1);
  elman_translation *others = arena_allocate(arena, sizeof *others, chosen->found - 1, 1, 1);
  for (size_t n = 0; n < chosen->found && status == ELMAN_OK; n++) {
    whole->parts = chosen->parts + n * whole->count;
    status = join_one(&view, arena, whole, has_weights, error);
    view.next = n + 1 < chosen->found ? &others[n] : NULL;
    if (arena->base != NULL) *(n == 0 ? &(*owned)->view : &others[n - 1]) = view;
  }
  return status;
}

elman_status texts_join(elman_translation **translation, const elman_sentence *text,
                        const elman_sentence *sentences, elman_translation *const *translations,
                        size_t count, const elman_translate_options *options, elman_error *error) {
  struct whole whole = {.text = text, .sentences = sentences, .count = count};
  struct chosen chosen = {0};
  struct owned_translation *owned = NULL;
  struct arena arena = {0};
  struct arena_fit fit = {0};
  whole.spans = calloc(count, sizeof *whole.spans);
  elman_status status = whole.spans == NULL ? fail_no_memory(error)
                                            : choose(&chosen, &whole, translations, options, error);
  while (status == ELMAN_OK && arena_fit(&fit, &arena, error))
    status = copy_all(&owned, fit.now, &whole, &chosen, !options->without_attention, error);
  if (status == ELMAN_OK) status = fit.status;
  buffer_free(&whole.joined);
  free(whole.spans);
  free(chosen.parts);
  if (status != ELMAN_OK) {
    arena_free(&arena);
    return status;
  }
  owned->arena = arena;
  *translation = &owned->view;
  return ELMAN_OK;
}
