#include "vocab/clauses.h"

#include "vocab/characters.h"

static bool is_digit(int codepoint) {
  return codepoint >= '0' && codepoint <= '9';
}

static bool is_end(int codepoint) {
  return is_one_of(".,:;?!…‥、。，：；？！．｡､", codepoint);
}

static bool closes(int codepoint) {
  const utf8proc_category_t category = utf8proc_category(codepoint);
  return category == UTF8PROC_CATEGORY_PE || category == UTF8PROC_CATEGORY_PF;
}

static struct text surface_of(uint32_t id, const struct vocabulary *vocabulary) {
  if (id < vocabulary_specials(vocabulary)) return (struct text){0};
  return token_surface(vocabulary_token(vocabulary, id));
}

/* Return whether the text is not empty and is_kind() is true for all of its characters. */
static bool consists_of(struct text text, bool (*is_kind)(int codepoint)) {
  size_t at = 0;
  while (at < text.length)
    if (!is_kind(character_at(text, &at))) return false;
  return text.length > 0;
}

/* Return whether the token is between digits, such as "." in 3.5 if each character is a token. */
static bool is_between_digits(const uint32_t *ids, size_t count, size_t i,
                              const struct vocabulary *vocabulary) {
  if (i == 0 || i + 1 >= count) return false;
  const struct text before = surface_of(ids[i - 1], vocabulary);
  const struct text after = surface_of(ids[i + 1], vocabulary);
  return before.length > 0 && after.length > 0 && is_digit(before.bytes[before.length - 1]) &&
         is_digit(after.bytes[0]);
}

static bool ends_clause(const uint32_t *ids, size_t count, size_t i,
                        const struct vocabulary *vocabulary) {
  const struct text sign = surface_of(ids[i], vocabulary);
  if (!consists_of(sign, is_end)) return false;
  return !(sign.length == 1 && is_between_digits(ids, count, i, vocabulary));
}

size_t clause_end(const uint32_t *ids, size_t count, size_t first,
                  const struct vocabulary *vocabulary) {
  size_t i = first;
  if (vocabulary == NULL) return count;
  while (i < count && !ends_clause(ids, count, i, vocabulary)) i++;
  while (i < count && (ends_clause(ids, count, i, vocabulary) ||
                       consists_of(surface_of(ids[i], vocabulary), closes)))
    i++;
  return i;
}

size_t clauses_of(size_t *ends, const uint32_t *ids, size_t count,
                  const struct vocabulary *vocabulary) {
  size_t clauses = 0;
  for (size_t i = 0; i < count; clauses++) {
    i = clause_end(ids, count, i, vocabulary);
    if (ends != NULL) ends[clauses] = i;
  }
  return clauses;
}
