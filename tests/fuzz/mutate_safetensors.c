/* A mutator for safetensors files: most results have a header of the right length with one defect,
 * or an invalid number in a tensor. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "fuzz.h"

enum { PREFIX = 8 };

struct draft {
  uint8_t *bytes;
  size_t size, most;
  size_t header; /* end of the header */
  uint64_t length, random;
  bool wrong_length; /* `length` is not corrected */
};

static size_t draw(struct draft *draft, size_t below) {
  draft->random = draft->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return below == 0 ? 0 : (size_t)(draft->random >> 33) % below;
}

/* Replace `removed` bytes of the header by others; without enough room, do nothing. */
static void replace(struct draft *draft, size_t at, size_t removed, const void *bytes,
                    size_t length) {
  char copy[512];
  if (length > sizeof copy || draft->size - removed + length > draft->most) return;
  memcpy(copy, bytes, length); /* they may be in the part that moves */
  memmove(&draft->bytes[at + length], &draft->bytes[at + removed], draft->size - at - removed);
  memcpy(&draft->bytes[at], copy, length);
  draft->size += length - removed;
  draft->header += length - removed;
}

/* Return the first place in the header, from `from`, of a character of `wanted`, or the end. */
static size_t find(struct draft *draft, size_t from, const char *wanted) {
  while (from < draft->header && strchr(wanted, draft->bytes[from]) == NULL) from++;
  return from < draft->header ? from : draft->header;
}

static size_t any_place(struct draft *draft) {
  return PREFIX + draw(draft, draft->header - PREFIX);
}

/* ---- single changes ---- */

static void change_length(struct draft *draft) {
  const uint64_t lengths[] = {0,
                              1,
                              draft->size,
                              draft->size - PREFIX,
                              draft->size - PREFIX + 1,
                              draft->header - PREFIX + 1,
                              draft->header - PREFIX - 1,
                              100000000,
                              100000001,
                              UINT64_C(1) << 63,
                              UINT64_MAX};
  draft->length = lengths[draw(draft, sizeof lengths / sizeof *lengths)];
  draft->wrong_length = true;
}

static void change_number(struct draft *draft) {
  static const char *const numbers[] = {"0",          "-1",         "1",
                                        "2",          "3",          "4",
                                        "8",          "1.5",        "1e308",
                                        "2147483647", "4294967296", "9223372036854775807",
                                        "-0",         "1e999",      "18446744073709551616",
                                        "16385",      "00",         "\"1\""};
  const size_t at = find(draft, any_place(draft), "0123456789");
  size_t end = at;
  while (end < draft->header && strchr("0123456789.", draft->bytes[end]) != NULL) end++;
  const char *number = numbers[draw(draft, sizeof numbers / sizeof *numbers)];
  replace(draft, at, end - at, number, strlen(number));
}

/* Return the place and length of a random entry of an object or array, with the comma before it. */
static size_t entry_at(struct draft *draft, size_t *length) {
  const size_t at = find(draft, any_place(draft), ",");
  const size_t end = find(draft, at + 1, ",]}");
  *length = end > at ? end - at : 0;
  return at;
}

static void remove_entry(struct draft *draft) {
  size_t length;
  const size_t at = entry_at(draft, &length);
  replace(draft, at, length, "", 0);
}

static void repeat_entry(struct draft *draft) {
  size_t length;
  const size_t from = entry_at(draft, &length);
  const size_t to = draw(draft, 2) == 0 ? from : find(draft, any_place(draft), ",]}");
  replace(draft, to, 0, &draft->bytes[from], length);
}

/* Replace one string of the header by another one. */
static void exchange_names(struct draft *draft) {
  const size_t from = find(draft, any_place(draft), "\""), end = find(draft, from + 1, "\"");
  const size_t to = find(draft, any_place(draft), "\""), over = find(draft, to + 1, "\"");
  if (end < draft->header && over < draft->header)
    replace(draft, to, over - to, &draft->bytes[from], end - from);
}

static void insert_text(struct draft *draft) {
  static const char *const texts[] = {
      "{",      "}",     "[",    "]",       "\"",       ",",        ":",         "\\",
      "null",   "true",  "\\u0", "\\u0000", "\\ud800",  "\xFF",     "\xE4\xB8",  "\xF0\x9F\x99\x82",
      "[[[[[[", "\n",    "\t",   "\x01",    "\"F64\"",  "\"BF16\"", "\"x\":{}",  "__metadata__",
      "-",      "e9",    ".",    "\\\"",    "\\\\\\\"", "local",    "multihead", "chars",
      "\"I8\"", "_scale"};
  const char *text = texts[draw(draft, sizeof texts / sizeof *texts)];
  const size_t at = any_place(draft);
  replace(draft, at, draw(draft, 2) == 0 ? 0 : 1, text, strlen(text));
}

static void change_weight(struct draft *draft) {
  static const float weights[] = {NAN,    INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, FLT_MIN,
                                  1e-45f, -0.0f,    1e20f,     -1.0f,   1e9f};
  const size_t count = (draft->size - draft->header) / sizeof *weights;
  if (count == 0) return;
  memcpy(&draft->bytes[draft->header + draw(draft, count) * sizeof *weights],
         &weights[draw(draft, sizeof weights / sizeof *weights)], sizeof *weights);
}

static void change_size(struct draft *draft) {
  const size_t by = draw(draft, 2) == 0 ? 1 + draw(draft, 8) : draw(draft, draft->size);
  if (draw(draft, 2) == 0) {
    draft->size -= by < draft->size ? by : draft->size;
    if (draft->size < draft->header) draft->header = draft->size < PREFIX ? PREFIX : draft->size;
    draft->wrong_length = true;
  } else if (draft->size + by <= draft->most) {
    memset(&draft->bytes[draft->size], 0, by);
    draft->size += by;
  }
}

static void change_bytes_of_header(struct draft *draft) {
  const size_t at = any_place(draft);
  LLVMFuzzerMutate(&draft->bytes[at], draft->header - at, draft->header - at);
}

static void change_bytes_of_tensors(struct draft *draft) {
  const size_t length = draft->size - draft->header;
  if (length > 0) LLVMFuzzerMutate(&draft->bytes[draft->header], length, length);
}

typedef void change(struct draft *draft);

static change *const changes[] = {change_length,
                                  change_number,
                                  change_number,
                                  change_number,
                                  change_number,
                                  remove_entry,
                                  repeat_entry,
                                  insert_text,
                                  insert_text,
                                  exchange_names,
                                  change_weight,
                                  change_weight,
                                  change_weight,
                                  change_bytes_of_header,
                                  change_bytes_of_tensors,
                                  change_size};

/* ---- the mutator ---- */

/* With a checksum, almost every change would be refused; readers do not require one. */
static void remove_checksum(struct draft *draft) {
  static const char key[] = ",\"elman.checksum\"";
  const uint8_t *found = memmem(&draft->bytes[PREFIX], draft->header - PREFIX, key, strlen(key));
  if (found == NULL) return;
  const size_t at = (size_t)(found - draft->bytes);
  const size_t end = find(draft, at + strlen(key), ",}");
  replace(draft, at, end - at, "", 0);
}

static size_t start_anew(uint8_t *bytes, unsigned int seed) {
  const size_t size = fuzz_seed(bytes, seed % FUZZ_SEEDS);
  return size > 0 ? size : fuzz_seed(bytes, 0);
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned int seed) {
  struct draft draft = {.bytes = bytes, .size = size, .most = most, .random = seed};
  if (most >= FUZZ_MOST && (size < PREFIX || draw(&draft, 1000) == 0))
    return start_anew(bytes, seed);
  if (size < PREFIX) return size;
  memcpy(&draft.length, bytes, PREFIX);
  draft.wrong_length = draft.length > size - PREFIX;
  draft.header = draft.wrong_length ? size : PREFIX + (size_t)draft.length;
  if (draw(&draft, 16) != 0) remove_checksum(&draft);
  for (size_t left = 1 + draw(&draft, 2) * draw(&draft, 4); left > 0 && draft.header > PREFIX;
       left--)
    changes[draw(&draft, sizeof changes / sizeof *changes)](&draft);
  if (!draft.wrong_length) draft.length = draft.header - PREFIX;
  memcpy(bytes, &draft.length, draft.size < PREFIX ? draft.size : PREFIX);
  return draft.size;
}
