#include "input/languages.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 2 * ELMAN_LANGUAGE_SIZE };

static bool is_lower(char letter) {
  return letter >= 'a' && letter <= 'z';
}

/* Read the codes before and after the hyphen at `hyphen`. They begin with lower-case letters, so
 * that "pt-BR-en" is no pair of "pt" and "BR-en". */
static bool split_at(elman_language pair[2], const char *text, size_t hyphen) {
  char source[LONGEST];
  snprintf(source, sizeof source, "%.*s", (int)hyphen, text);
  return is_lower(text[0]) && is_lower(text[hyphen + 1]) &&
         elman_language_parse(&pair[ELMAN_SOURCE], source) &&
         elman_language_parse(&pair[ELMAN_TARGET], text + hyphen + 1);
}

static bool are_listed(const elman_language pair[2]) {
  return elman_language_name(pair[ELMAN_SOURCE].code) != NULL &&
         elman_language_name(pair[ELMAN_TARGET].code) != NULL;
}

/* "pt-br-en" can be divided in two ways, and is no pair. */
bool languages_of_pair(elman_language pair[2], const char *text) {
  elman_language found[2];
  size_t ways = 0;
  if (strlen(text) >= LONGEST) return false;
  for (size_t i = 0; text[i] != '\0'; i++) {
    if (text[i] != '-' || !split_at(found, text, i)) continue;
    memcpy(pair, found, sizeof found);
    ways++;
  }
  return ways == 1;
}

bool languages_of_known_pair(elman_language pair[2], const char *text) {
  return languages_of_pair(pair, text) && are_listed(pair);
}

/* Return the name of a file without its folder. */
static const char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

bool languages_of_file(elman_language pair[2], const char *path) {
  char part[LONGEST];
  for (const char *rest = name_of(path); rest != NULL;) {
    const size_t length = strcspn(rest, ".");
    if (length < sizeof part) {
      snprintf(part, sizeof part, "%.*s", (int)length, rest);
      if (languages_of_known_pair(pair, part)) return true;
    }
    rest = rest[length] == '.' ? rest + length + 1 : NULL;
  }
  return false;
}

/* Read the code after the last dot of a name, and set `start` to the length of the name before
 * it. */
static bool language_at_end(elman_language *language, size_t *start, const char *path) {
  static const char packed[] = ".gz";
  const char *name = name_of(path);
  size_t end = strlen(name);
  char code[LONGEST];
  if (end >= strlen(packed) && strcmp(name + end - strlen(packed), packed) == 0)
    end -= strlen(packed);
  size_t start_of_code = end;
  while (start_of_code > 0 && name[start_of_code - 1] != '.') start_of_code--;
  if (start_of_code == 0 || end - start_of_code >= sizeof code) return false;
  snprintf(code, sizeof code, "%.*s", (int)(end - start_of_code), name + start_of_code);
  *start = start_of_code;
  return code[0] != '\0' && elman_language_parse(language, code);
}

bool languages_of_two_files(elman_language pair[2], const char *source, const char *target) {
  size_t starts[2];
  return language_at_end(&pair[ELMAN_SOURCE], &starts[ELMAN_SOURCE], source) &&
         language_at_end(&pair[ELMAN_TARGET], &starts[ELMAN_TARGET], target) &&
         starts[ELMAN_SOURCE] == starts[ELMAN_TARGET] &&
         strncmp(name_of(source), name_of(target), starts[ELMAN_SOURCE]) == 0 && are_listed(pair);
}
