#include "corpus/augment.h"

#include <stdlib.h>
#include <string.h>

#include "corpus/modifiers.h"
#include "corpus/noise.h"
#include "vocab/marks.h"

/* Scratch memory of one thread. */
struct augmentation_slot {
  struct encoding encodings[2]; /* by side, because an encoding caches the words of one codec */
  struct buffer texts[2], scratch;
  struct noise noise;
  size_t joined;            /* number of pairs that the texts contain */
  bool changed[2];          /* by side: the text differs from that of the pair */
  bool by[MODIFIERS];       /* modifiers that changed the texts */
  size_t counts[MODIFIERS]; /* pairs of the piece that each modifier changed */
  struct side_ids {
    uint32_t *items;
    size_t count, capacity;
  } ids[2]; /* by side: the result */
  struct corpus piece;
};

struct filling {
  struct augmentation *augmentation;
  const struct corpus *corpus;
  size_t epoch;
};

bool augmentation_is_used(const struct augmentation *augmentation) {
  for (size_t i = 0; i < MODIFIERS; i++)
    if (augmentation->shares[i] > 0) return true;
  return false;
}

/* ---- changes of the text ---- */

/* Return the random numbers of a modifier for a pair. Each combination of a modifier and a pair has
 * its own numbers. COPY_NUMBERS has a stream of its own, so that it does not affect the numbers of
 * other modifiers. */
static struct draws draws_for(const struct filling *filling, size_t index, enum modifier modifier) {
  const uint64_t seed = filling->augmentation->seed;
  const uint32_t epoch = (uint32_t)filling->epoch;
  if (modifier == COPY_NUMBERS)
    return (struct draws){{seed, RANDOM_COPIED_NUMBERS, epoch}, (uint64_t)index << 16};
  return (struct draws){{seed, RANDOM_AUGMENTATION, epoch},
                        ((uint64_t)index * COPY_NUMBERS + modifier) << 16};
}

/* Return whether the modifier applies to a pair. */
static bool applies(struct draws *draws, const struct filling *filling, size_t index,
                    enum modifier modifier) {
  const double share = filling->augmentation->shares[modifier];
  *draws = draws_for(filling, index, modifier);
  return share > 0 && draw_true(draws, share);
}

/* Return the maximum tokens of a side, without </s>. */
static size_t longest_side(const struct augmentation *augmentation, elman_side side) {
  size_t longest = augmentation->max_length > 0 ? augmentation->max_length : SIZE_MAX;
  if (augmentation->batch_tokens > 0) {
    const size_t whole = augmentation->batch_tokens - (side == ELMAN_TARGET);
    if (whole < longest) longest = whole;
  }
  return longest;
}

static const struct sentences *sentences_on(const struct corpus *corpus, elman_side side) {
  return side == ELMAN_SOURCE ? &corpus->source : &corpus->target;
}

/* Return whether pair `next` can be joined to [first, next). A separator may add one token. */
static bool fits(const struct filling *filling, size_t first, size_t next) {
  for (int side = 0; side < 2; side++) {
    const struct sentences *sentences = sentences_on(filling->corpus, (elman_side)side);
    const size_t tokens = sentences->starts[next + 1] - sentences->starts[first] + (next - first);
    if (tokens > longest_side(filling->augmentation, (elman_side)side)) return false;
  }
  return true;
}

static void merge_next(struct augmentation_slot *slot, const struct filling *filling, size_t index,
                       struct draws *draws) {
  const struct corpus *corpus = filling->corpus;
  size_t more = 1 + draw_below(draws, 3);
  for (size_t next = index + 1; next < corpus->source.count && more > 0; next++, more--) {
    if (!fits(filling, index, next)) return;
    for (int side = 0; side < 2; side++) {
      const struct text text = corpus_text(corpus, (elman_side)side, next);
      append_space_before(&slot->texts[side], text, filling->augmentation->codecs[side].mode);
      buffer_append_text(&slot->texts[side], text);
      slot->changed[side] = true;
    }
    slot->joined++;
    slot->by[MERGE] = true;
  }
}

static void drop_marks(struct augmentation_slot *slot, bool both) {
  if (!drop_final_marks(&slot->texts[ELMAN_SOURCE])) return;
  slot->changed[ELMAN_SOURCE] = slot->by[both ? DROP_MARKS : DROP_SOURCE_MARK] = true;
  if (both && drop_final_marks(&slot->texts[ELMAN_TARGET])) slot->changed[ELMAN_TARGET] = true;
}

/* Do nothing if the source is read in lower case: such a source does not show whether the target
 * has capital letters. */
static void set_case(struct augmentation_slot *slot, const struct filling *filling,
                     enum letter_case letter_case) {
  const struct codec *source = &filling->augmentation->codecs[ELMAN_SOURCE];
  if (source->normalization == ELMAN_NFKC_LOWER) return;
  if (change_case(slot->texts, letter_case, &slot->scratch))
    slot->changed[ELMAN_SOURCE] = slot->changed[ELMAN_TARGET] =
        slot->by[letter_case == UPPER_CASE ? UPPER : TITLE] = true;
}

/* Apply all modifiers except noise. On entry the texts of the slot are the texts of the pair. */
static void modify(struct augmentation_slot *slot, const struct filling *filling, size_t index) {
  struct draws draws;
  if (applies(&draws, filling, index, MERGE)) merge_next(slot, filling, index, &draws);
  if (applies(&draws, filling, index, DROP_MARKS))
    drop_marks(slot, true);
  else if (applies(&draws, filling, index, DROP_SOURCE_MARK))
    drop_marks(slot, false);
  if (applies(&draws, filling, index, UPPER))
    set_case(slot, filling, UPPER_CASE);
  else if (applies(&draws, filling, index, TITLE))
    set_case(slot, filling, TITLE_CASE);
  if (applies(&draws, filling, index, TYPOS) &&
      add_typos(&slot->texts[ELMAN_SOURCE], &draws, &slot->scratch))
    slot->changed[ELMAN_SOURCE] = slot->by[TYPOS] = true;
}

/* Return whether any modifier applies. This is rare, so checking it first saves copies of nearly
 * all texts. */
static bool is_chosen(const struct filling *filling, size_t index) {
  struct draws draws;
  for (enum modifier modifier = 0; modifier < MODIFIERS; modifier++)
    if (applies(&draws, filling, index, modifier)) return true;
  return false;
}

/* ---- ids ---- */

static elman_status set_ids(struct side_ids *to, const uint32_t *ids, size_t count,
                            elman_error *error) {
  const elman_status status =
      array_grow(&to->items, &to->capacity, count, sizeof *to->items, error);
  if (status != ELMAN_OK) return status;
  if (count > 0) memcpy(to->items, ids, count * sizeof *ids);
  to->count = count;
  return ELMAN_OK;
}

/* Report exhausted memory, even in a text that no modifier changed. */
static elman_status check_texts(const struct augmentation_slot *slot, elman_error *error) {
  return slot->texts[0].failed || slot->texts[1].failed ? fail_no_memory(error) : ELMAN_OK;
}

/* Set the ids of a side to those of its text. */
static elman_status encode_side(struct augmentation_slot *slot, const struct filling *filling,
                                elman_side side, elman_error *error) {
  struct encoding *encoding = &slot->encodings[side];
  const elman_status status = encode_copies(encoding, &filling->augmentation->codecs[side],
                                            buffer_text(&slot->texts[side]), error);
  if (status != ELMAN_OK) return status;
  return set_ids(&slot->ids[side], encoding->ids, encoding->count, error);
}

/* Set the ids of both sides to those of their texts. */
static elman_status encode_sides(struct augmentation_slot *slot, const struct filling *filling,
                                 elman_error *error) {
  elman_status status = check_texts(slot, error);
  for (elman_side side = 0; side < 2 && status == ELMAN_OK; side++)
    status = encode_side(slot, filling, side, error);
  return status;
}

/* Set the texts and ids to those of a pair. */
static elman_status begin_pair(struct augmentation_slot *slot, const struct filling *filling,
                               size_t index, elman_error *error) {
  elman_status status = ELMAN_OK;
  slot->joined = 1;
  memset(slot->by, 0, sizeof slot->by);
  for (elman_side side = 0; side < 2 && status == ELMAN_OK; side++) {
    const struct sentences *from = sentences_on(filling->corpus, side);
    slot->changed[side] = false;
    buffer_clear(&slot->texts[side]);
    buffer_append_text(&slot->texts[side], corpus_text(filling->corpus, side, index));
    status = set_ids(&slot->ids[side], from->ids + from->starts[index],
                     sentences_length(from, index), error);
  }
  return status;
}

static size_t count_unknown(const uint32_t *ids, size_t count) {
  size_t unknown = 0;
  for (size_t i = 0; i < count; i++) unknown += ids[i] == TOKEN_UNKNOWN;
  return unknown;
}

/* Return whether the target has more unknown words than the targets that it was made from. */
static bool has_new_unknown(const struct augmentation_slot *slot, const struct filling *filling,
                            size_t index) {
  const struct sentences *target = &filling->corpus->target;
  const struct side_ids *ids = &slot->ids[ELMAN_TARGET];
  const size_t unknown = count_unknown(ids->items, ids->count), first = target->starts[index];
  return unknown > 0 &&
         unknown > count_unknown(target->ids + first, target->starts[index + slot->joined] - first);
}

/* Apply all modifiers except noise, unless they make a word of the target unknown. */
static elman_status change_pair(struct augmentation_slot *slot, const struct filling *filling,
                                size_t index, elman_error *error) {
  modify(slot, filling, index);
  elman_status status = check_texts(slot, error);
  for (elman_side side = 0; side < 2 && status == ELMAN_OK; side++)
    if (slot->changed[side]) status = encode_side(slot, filling, side, error);
  if (status == ELMAN_OK && slot->changed[ELMAN_TARGET] && has_new_unknown(slot, filling, index))
    status = begin_pair(slot, filling, index, error);
  return status;
}

/* ---- noise ---- */

/* The target has <unk> for each word of the noise. In a translation, <unk> is replaced by the
 * source text with the largest attention weight. */
static elman_status add_noise(struct augmentation_slot *slot, const struct filling *filling,
                              struct draws *draws, elman_error *error) {
  struct noise *noise = &slot->noise;
  const bool replaces = draw_below(draws, 2) == 0;
  const bool replaced = replaces && noise_replace_shared(slot->texts, draws, &slot->scratch);
  const bool marked = ends_with_mark(buffer_text(&slot->texts[ELMAN_SOURCE])) &&
                      ends_with_mark(buffer_text(&slot->texts[ELMAN_TARGET]));
  slot->by[COPY_NOISE] = true;
  if (!replaced) noise_draw(noise, draws);
  if (noise->texts[0].failed || noise->texts[1].failed || noise->closing.failed)
    return fail_no_memory(error);
  for (elman_side side = 0; side < 2 && !replaced; side++)
    noise_insert(&slot->texts[side], noise, side, marked, filling->augmentation->codecs[side].mode,
                 &slot->scratch);
  return encode_sides(slot, filling, error);
}

/* Change the pair so that it teaches the model to copy the numbers that both sides contain. */
static elman_status copy_numbers(struct augmentation_slot *slot, const struct filling *filling,
                                 struct draws *draws, elman_error *error) {
  slot->by[COPY_NUMBERS] = noise_copy_numbers(slot->texts, draws, &slot->scratch);
  return slot->by[COPY_NUMBERS] ? encode_sides(slot, filling, error) : check_texts(slot, error);
}

/* ---- the pairs of an epoch ---- */

/* Return whether the pair is within the limits, and neither side is empty. */
static bool is_usable(const struct augmentation_slot *slot, const struct filling *filling) {
  for (elman_side side = 0; side < 2; side++) {
    const size_t count = slot->ids[side].count;
    if (count == 0 || count > longest_side(filling->augmentation, side)) return false;
  }
  return true;
}

/* Append a pair to the piece of the slot. */
static elman_status augment_pair(struct augmentation_slot *slot, const struct filling *filling,
                                 size_t index, elman_error *error) {
  struct draws draws;
  struct sentences *const to[] = {&slot->piece.source, &slot->piece.target};
  elman_status status = begin_pair(slot, filling, index, error);
  if (status == ELMAN_OK) status = change_pair(slot, filling, index, error);
  if (status == ELMAN_OK && applies(&draws, filling, index, COPY_NOISE))
    status = add_noise(slot, filling, &draws, error);
  if (status == ELMAN_OK && applies(&draws, filling, index, COPY_NUMBERS))
    status = copy_numbers(slot, filling, &draws, error);
  if (status == ELMAN_OK && !is_usable(slot, filling))
    status = begin_pair(slot, filling, index, error);
  for (enum modifier modifier = 0; modifier < MODIFIERS; modifier++)
    slot->counts[modifier] += slot->by[modifier];
  for (int side = 0; side < 2 && status == ELMAN_OK; side++)
    status = sentences_add(to[side], slot->ids[side].items, slot->ids[side].count, error);
  return status;
}

static elman_status copy_pair(struct augmentation_slot *slot, const struct corpus *corpus,
                              size_t index, elman_error *error) {
  struct sentences *const to[] = {&slot->piece.source, &slot->piece.target};
  elman_status status = ELMAN_OK;
  for (elman_side side = 0; side < 2 && status == ELMAN_OK; side++) {
    const struct sentences *from = sentences_on(corpus, side);
    status = sentences_add(to[side], from->ids + from->starts[index], sentences_length(from, index),
                           error);
  }
  return status;
}

static elman_status augment_piece(void *context, size_t place, size_t first, size_t count,
                                  elman_error *error) {
  const struct filling *filling = context;
  struct augmentation_slot *slot = &filling->augmentation->slots[place];
  elman_status status = ELMAN_OK;
  if (slot->piece.source.starts == NULL) status = corpus_create(&slot->piece, PAIRS_A_PIECE, error);
  sentences_clear(&slot->piece.source);
  sentences_clear(&slot->piece.target);
  memset(slot->counts, 0, sizeof slot->counts);
  for (size_t i = first; status == ELMAN_OK && i < first + count; i++)
    status = is_chosen(filling, i) ? augment_pair(slot, filling, i, error)
                                   : copy_pair(slot, filling->corpus, i, error);
  return status;
}

static elman_status append_piece(void *context, size_t place, elman_error *error) {
  const struct filling *filling = context;
  struct corpus *pairs = &filling->augmentation->pairs;
  const struct augmentation_slot *slot = &filling->augmentation->slots[place];
  const struct corpus *piece = &slot->piece;
  for (enum modifier modifier = 0; modifier < MODIFIERS; modifier++)
    filling->augmentation->changed[modifier] += slot->counts[modifier];
  const elman_status status = sentences_append(&pairs->source, &piece->source, error);
  return status == ELMAN_OK ? sentences_append(&pairs->target, &piece->target, error) : status;
}

elman_status augmentation_fill(struct augmentation *augmentation, const struct corpus *corpus,
                               size_t epoch, elman_error *error) {
  struct filling filling = {augmentation, corpus, epoch};
  elman_status status = ELMAN_OK;
  if (augmentation->epoch == epoch) return ELMAN_OK;
  augmentation->epoch = 0;
  if (augmentation->slots == NULL) {
    augmentation->slots = calloc(PIECES_AT_ONCE, sizeof *augmentation->slots);
    if (augmentation->slots == NULL) return fail_no_memory(error);
  }
  if (augmentation->pairs.source.starts == NULL)
    status = corpus_create(&augmentation->pairs, corpus->source.count, error);
  sentences_clear(&augmentation->pairs.source);
  sentences_clear(&augmentation->pairs.target);
  memset(augmentation->changed, 0, sizeof augmentation->changed);
  augmentation->pairs.source_words = corpus->source_words;
  if (status == ELMAN_OK)
    status = pieces_run(corpus->source.count, augment_piece, append_piece, &filling, error);
  if (status == ELMAN_OK) augmentation->epoch = epoch;
  return status;
}

static void slot_free(struct augmentation_slot *slot) {
  for (int side = 0; side < 2; side++) {
    encoding_free(&slot->encodings[side]);
    buffer_free(&slot->texts[side]);
    free(slot->ids[side].items);
  }
  buffer_free(&slot->scratch);
  buffer_free(&slot->noise.texts[0]);
  buffer_free(&slot->noise.texts[1]);
  buffer_free(&slot->noise.closing);
  corpus_free(&slot->piece);
}

void augmentation_free(struct augmentation *augmentation) {
  for (size_t i = 0; augmentation->slots != NULL && i < PIECES_AT_ONCE; i++)
    slot_free(&augmentation->slots[i]);
  free(augmentation->slots);
  corpus_free(&augmentation->pairs);
  *augmentation = (struct augmentation){0};
}
