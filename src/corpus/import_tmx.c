/* TMX 1.1 to 1.4 (Translation Memory eXchange), read with Expat. No external entity is loaded, and
 * a file that declares entities is refused, so a small file cannot expand to a large one. */
#include <expat.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "corpus/import.h"

enum { LANGUAGE = 64 };

/* Text of a unit in one language. */
struct tmx_variant {
  char language[LANGUAGE];
  struct buffer text;
  bool bad; /* refers to an entity that is not declared */
};

struct tmx {
  struct importer *importer;
  XML_Parser parser;
  elman_status status;
  size_t fed;                   /* bytes passed to the parser */
  char wanted[2][LANGUAGE];     /* languages of source and target; "" = not chosen yet */
  struct tmx_variant *variants; /* (count): variants of the current unit; the memory is reused */
  size_t count, capacity;
  size_t unit_line;
  size_t depth;   /* open elements */
  size_t segment; /* depth within <seg>, whose own depth is 1; 0 = outside */
  size_t code;    /* depth within an element of native codes; 0 = outside */
  bool in_unit, in_variant;
  size_t last_event; /* position of the last event in the file */
};

/* ---- errors ---- */

static void stop(struct tmx *tmx, elman_status status) {
  if (tmx->status == ELMAN_OK) tmx->status = status;
  (void)XML_StopParser(tmx->parser, XML_FALSE);
}

static void note_event(struct tmx *tmx) {
  const XML_Index at = XML_GetCurrentByteIndex(tmx->parser);
  if (at > 0) tmx->last_event = (size_t)at;
}

static size_t current_line(const struct tmx *tmx) {
  return (size_t)XML_GetCurrentLineNumber(tmx->parser);
}

/* ---- languages ---- */

static bool same_language(const char *a, const char *b, size_t length) {
  for (size_t i = 0; i < length; i++) {
    const char x = a[i] == '_' ? '-' : a[i], y = b[i] == '_' ? '-' : b[i];
    if (strncasecmp(&x, &y, 1) != 0) return false;
    if (x == '\0') return true;
  }
  return true;
}

/* Return the first variant in exactly this language. If there is none, return the first variant in
 * a more exact language, such as en-US for en. Return NULL if there is neither. Ignore the variant
 * `other`. */
static struct tmx_variant *find_variant(const struct tmx *tmx, const char *language,
                                        const struct tmx_variant *other) {
  const size_t length = strlen(language);
  struct tmx_variant *found = NULL;
  for (size_t i = 0; i < tmx->count; i++) {
    struct tmx_variant *one = &tmx->variants[i];
    if (one == other) continue;
    if (same_language(one->language, language, LANGUAGE)) return one;
    const char after = strlen(one->language) > length ? one->language[length] : '\0';
    if (found == NULL && (after == '-' || after == '_') &&
        same_language(one->language, language, length))
      found = one;
  }
  return found;
}

static void list_languages(char *list, size_t size, const struct tmx *tmx, size_t first) {
  struct text names[8];
  size_t count = 0;
  for (size_t i = first; i < tmx->count && count < sizeof names / sizeof *names; i++)
    names[count++] =
        text_of(tmx->variants[i].language[0] == '\0' ? "?" : tmx->variants[i].language);
  import_list(list, size, names, count);
}

/* Choose the first two languages of the first unit that has at least two. */
static bool choose_languages(struct tmx *tmx) {
  elman_import_info *info = tmx->importer->info;
  size_t second = 1;
  while (second < tmx->count &&
         same_language(tmx->variants[second].language, tmx->variants[0].language, LANGUAGE))
    second++;
  if (second >= tmx->count || tmx->variants[0].language[0] == '\0') return false;
  snprintf(tmx->wanted[0], LANGUAGE, "%s", tmx->variants[0].language);
  snprintf(tmx->wanted[1], LANGUAGE, "%s", tmx->variants[second].language);
  if (second + 1 < tmx->count) list_languages(info->others, sizeof info->others, tmx, second + 1);
  return true;
}

static elman_status use_options(struct tmx *tmx) {
  const struct importer *importer = tmx->importer;
  struct text words[2];
  if (importer->options->languages == NULL) return ELMAN_OK;
  const elman_status status =
      import_split_option(words, importer, "languages", importer->options->languages);
  for (int side = 0; side < 2 && status == ELMAN_OK; side++) {
    if (words[side].length >= LANGUAGE)
      return import_fail(importer, ELMAN_INVALID_ARGUMENT, 0,
                         "languages: '%s' is no name of a language", importer->options->languages);
    memcpy(tmx->wanted[side], words[side].bytes, words[side].length);
  }
  return status;
}

/* ---- units ---- */

static elman_status add_unit(struct tmx *tmx) {
  struct importer *importer = tmx->importer;
  char problem[IMPORT_PROBLEM], list[64];
  if (tmx->wanted[0][0] == '\0' && !choose_languages(tmx))
    return import_skip(importer, tmx->unit_line, ELMAN_FINDING_LACKS_COLUMN,
                       "has no texts in two languages");
  struct text fields[2];
  struct tmx_variant *found = NULL;
  for (int side = 0; side < 2; side++) import_set_name(importer, side, text_of(tmx->wanted[side]));
  for (int side = 0; side < 2; side++) {
    found = find_variant(tmx, tmx->wanted[side], found);
    if (found == NULL) {
      list_languages(list, sizeof list, tmx, 0);
      snprintf(problem, sizeof problem, "has no text in %.40s; it has: %s", tmx->wanted[side],
               list);
      return import_skip(importer, tmx->unit_line, ELMAN_FINDING_LACKS_COLUMN, problem);
    }
    if (found->bad)
      return import_skip(importer, tmx->unit_line, ELMAN_FINDING_LACKS_COLUMN,
                         "refers to an entity that the file does not declare");
    fields[side] = buffer_text(&found->text);
  }
  return import_add(importer, tmx->unit_line, fields, 2);
}

static elman_status begin_variant(struct tmx *tmx, const XML_Char **attributes) {
  const elman_status status = array_grow_zeroed(&tmx->variants, &tmx->capacity, tmx->count + 1,
                                                sizeof *tmx->variants, tmx->importer->error);
  if (status != ELMAN_OK) return status;
  struct tmx_variant *variant = &tmx->variants[tmx->count++];
  buffer_clear(&variant->text);
  buffer_append(&variant->text, "", 0);
  variant->bad = false;
  variant->language[0] = '\0';
  for (; attributes[0] != NULL; attributes += 2)
    if (strcmp(attributes[0], "xml:lang") == 0 ||
        (strcmp(attributes[0], "lang") == 0 && variant->language[0] == '\0')) {
      struct text language = {attributes[1], strlen(attributes[1])};
      if (language.length >= LANGUAGE) language.length = LANGUAGE - 1;
      language.length = text_valid_prefix(language);
      memcpy(variant->language, language.bytes, language.length);
      variant->language[language.length] = '\0';
    }
  return ELMAN_OK;
}

/* ---- events ---- */

/* Return whether the element contains codes of another format instead of text. */
static bool has_codes(const XML_Char *name) {
  static const char *const names[] = {"bpt", "ept", "it", "ph", "ut", NULL};
  for (const char *const *one = names; *one != NULL; one++)
    if (strcmp(*one, name) == 0) return true;
  return false;
}

static void XMLCALL on_start(void *context, const XML_Char *name, const XML_Char **attributes) {
  struct tmx *tmx = context;
  note_event(tmx);
  if (tmx->depth++ == 0 && strcmp(name, "tmx") != 0) {
    stop(tmx, import_fail(tmx->importer, ELMAN_BAD_DATA, current_line(tmx),
                          "is XML but not TMX: its root element is <%.40s>", name));
  } else if (tmx->segment > 0) {
    tmx->segment++;
    if (tmx->code > 0 || has_codes(name)) tmx->code++;
  } else if (tmx->in_variant) {
    if (strcmp(name, "seg") == 0) tmx->segment = 1;
  } else if (tmx->in_unit) {
    if (strcmp(name, "tuv") != 0) return;
    tmx->in_variant = true;
    const elman_status status = begin_variant(tmx, attributes);
    if (status != ELMAN_OK) stop(tmx, status);
  } else if (strcmp(name, "tu") == 0) {
    tmx->in_unit = true;
    tmx->count = 0;
    tmx->unit_line = current_line(tmx);
  }
}

static void XMLCALL on_end(void *context, const XML_Char *name) {
  struct tmx *tmx = context;
  note_event(tmx);
  tmx->depth--;
  if (tmx->code > 0) tmx->code--;
  if (tmx->segment > 0) {
    tmx->segment--;
  } else if (strcmp(name, "tuv") == 0) {
    tmx->in_variant = false;
  } else if (strcmp(name, "tu") == 0 && tmx->in_unit) {
    tmx->in_unit = tmx->in_variant = false;
    const elman_status status = add_unit(tmx);
    if (status != ELMAN_OK) stop(tmx, status);
  }
}

static void XMLCALL on_text(void *context, const XML_Char *text, int length) {
  struct tmx *tmx = context;
  note_event(tmx);
  if (tmx->segment == 0 || tmx->code > 0 || tmx->count == 0) return;
  struct buffer *into = &tmx->variants[tmx->count - 1].text;
  buffer_append(into, text, (size_t)length);
  const elman_status status = into->failed
                                  ? fail_no_memory(tmx->importer->error)
                                  : import_check_size(tmx->importer, tmx->unit_line, into->length);
  if (status != ELMAN_OK) stop(tmx, status);
}

/* An external DTD is not read, so the entities that it declares are unknown. */
static void XMLCALL on_skipped_entity(void *context, const XML_Char *name, int is_parameter) {
  struct tmx *tmx = context;
  (void)name;
  if (!is_parameter && tmx->segment > 0 && tmx->code == 0 && tmx->count > 0)
    tmx->variants[tmx->count - 1].bad = true;
}

static void XMLCALL on_entity(void *context, const XML_Char *name, int is_parameter,
                              const XML_Char *value, int length, const XML_Char *base,
                              const XML_Char *system, const XML_Char *public,
                              const XML_Char *notation) {
  struct tmx *tmx = context;
  (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public,
      (void)notation;
  stop(tmx, import_fail(tmx->importer, ELMAN_BAD_DATA, current_line(tmx),
                        "declares the entity '%.40s', which is refused for safety; replace it by "
                        "its text",
                        name));
}

static void XMLCALL on_comment(void *context, const XML_Char *text) {
  (void)text;
  note_event(context);
}

static void XMLCALL on_instruction(void *context, const XML_Char *target, const XML_Char *text) {
  (void)target, (void)text;
  note_event(context);
}

/* ---- the file ---- */

static elman_status report_xml(const struct tmx *tmx) {
  const enum XML_Error code = XML_GetErrorCode(tmx->parser);
  if (code == XML_ERROR_NO_MEMORY) return fail_no_memory(tmx->importer->error);
  if (code == XML_ERROR_UNKNOWN_ENCODING)
    return import_fail(tmx->importer, ELMAN_BAD_DATA, current_line(tmx),
                       "its XML declaration names an encoding that is not supported; convert the "
                       "file with iconv, and remove encoding=\"...\" from its first line");
  return import_fail(tmx->importer, ELMAN_BAD_DATA, current_line(tmx), "is not valid XML: %s",
                     XML_ErrorString(code));
}

/* Pass the content in pieces. With each piece, the parser reads an incomplete tag or comment again
 * from its start, so the size of a tag or comment is limited. */
static elman_status parse(struct tmx *tmx, struct text content) {
  enum { PIECE = 1 << 20 };
  const size_t most = tmx->importer->options->max_bytes;
  for (bool last = false; !last;) {
    const size_t size = content.length < PIECE ? content.length : PIECE;
    last = size == content.length;
    const enum XML_Status status = XML_Parse(tmx->parser, content.bytes, (int)size, last);
    if (tmx->status != ELMAN_OK) return tmx->status;
    if (status != XML_STATUS_OK) return report_xml(tmx);
    text_drop(&content, size);
    tmx->fed += size;
    if (most > 0 && tmx->fed - tmx->last_event > most + PIECE)
      return import_check_size(tmx->importer, current_line(tmx), tmx->fed - tmx->last_event);
  }
  return ELMAN_OK;
}

static void set_handlers(struct tmx *tmx) {
  XML_SetUserData(tmx->parser, tmx);
  XML_SetElementHandler(tmx->parser, on_start, on_end);
  XML_SetCharacterDataHandler(tmx->parser, on_text);
  XML_SetCommentHandler(tmx->parser, on_comment);
  XML_SetProcessingInstructionHandler(tmx->parser, on_instruction);
  XML_SetEntityDeclHandler(tmx->parser, on_entity);
  XML_SetSkippedEntityHandler(tmx->parser, on_skipped_entity);
}

elman_status import_tmx(struct importer *importer) {
  struct tmx tmx = {.importer = importer};
  elman_status status = use_options(&tmx);
  if (status != ELMAN_OK) return status;
  tmx.parser = XML_ParserCreate(importer->was_utf16 ? "UTF-8" : NULL);
  if (tmx.parser == NULL) return fail_no_memory(importer->error);
  set_handlers(&tmx);
  status = parse(&tmx, importer->content);
  XML_ParserFree(tmx.parser);
  for (size_t i = 0; i < tmx.capacity; i++) buffer_free(&tmx.variants[i].text);
  free(tmx.variants);
  return status;
}
