/* Import pairs in every format. */
#include <string.h>

#include "corpus/pairs.h"
#include "elman/import.h"
#include "fuzz.h"

static void note_skipped(void *context, const char *file, size_t line, elman_finding fault,
                         const char *problem) {
  size_t *count = context;
  (void)fault;
  REQUIRE(file[0] != '\0' && line > 0 && problem[0] != '\0');
  ++*count;
}

/* Require lines with two columns that are valid text, as every reader of pairs accepts them. */
static void look_at(const elman_pairs *pairs) {
  for (size_t i = 0; i < elman_pairs_count(pairs); i++) {
    size_t length;
    const char *const bytes = elman_pairs_line(pairs, i, &length);
    const struct text line = {bytes, length};
    REQUIRE(text_valid_prefix(line) == length);
    REQUIRE(strpbrk(bytes, "\r\n") == NULL);
    const char *const tab = strchr(bytes, '\t');
    REQUIRE(tab != NULL && tab > bytes && tab[1] != '\0' && tab[1] != '\t');
    REQUIRE(bytes[0] != ' ' && tab[-1] != ' ' && tab[1] != ' ');
  }
}

bool fuzz_one(const uint8_t *bytes, size_t size) {
  const uint8_t choice = fuzz_take_byte(&bytes, &size), more = fuzz_take_byte(&bytes, &size);
  static const char *const columns[] = {NULL, "2,1", "source,target", "a.b,c"};
  size_t skipped = 0;
  elman_import_options options = elman_import_options_default();
  options.file = fuzz_file(bytes, size);
  options.format = elman_import_format_name(choice & 15); /* NULL for most values: by content */
  options.header = (elman_import_header)((choice >> 4) % 3);
  options.strict = choice & 128;
  options.columns = columns[more & 3];
  if ((more & 12) == 12) options.separator = elman_import_separator_name(more >> 4 & 1);
  if ((more & 12) == 8) options.languages = "en,de";
  if (more & 32) options.max_bytes = 16;
  if (more & 64) options.target_file = options.file;
  options.skipped = note_skipped;
  options.context = &skipped;
  elman_error error = {.message = ""};
  elman_import_info info;
  elman_pairs *pairs;
  const elman_status status = elman_pairs_import(&pairs, &info, &options, &error);
  if (status != ELMAN_OK) {
    REQUIRE(status == ELMAN_BAD_DATA || status == ELMAN_INVALID_ARGUMENT);
    REQUIRE(error.message[0] != '\0');
    return false;
  }
  REQUIRE(info.format != NULL);
  REQUIRE(elman_pairs_count(pairs) > 0 && elman_pairs_skipped(pairs) == skipped);
  look_at(pairs);
  elman_pairs_free(pairs);
  return true;
}
