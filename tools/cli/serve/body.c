#include "serve/body.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "elman.h"

/* ---- refusals ---- */

bool refuse(struct problem *problem, unsigned status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  problem->status = status;
  vsnprintf(problem->message, sizeof problem->message, format, arguments);
  va_end(arguments);
  elman_clean_text(problem->message);
  return false;
}

bool refuse_memory(struct problem *problem) {
  return refuse(problem, UNAVAILABLE, "out of memory; try again later");
}

/* ---- forms ---- */

static int hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

/* Decode a part of a form in place: '+' is a space, %XX a byte. Return the length; SIZE_MAX if a %
 * is not followed by two hexadecimal digits. */
static size_t decode_part(char *part, size_t length) {
  size_t used = 0;
  for (size_t i = 0; i < length; i++) {
    char byte = part[i] == '+' ? ' ' : part[i];
    if (byte == '%') {
      const int high = i + 2 < length ? hex_digit(part[i + 1]) : -1;
      const int low = i + 2 < length ? hex_digit(part[i + 2]) : -1;
      if (high < 0 || low < 0) return SIZE_MAX;
      byte = (char)(high << 4 | low);
      i += 2;
    }
    part[used++] = byte;
  }
  return used;
}

/* Add name=value to the object. Several values of a name become an array. */
static bool add_field(json_t *fields, const char *name, const char *value, size_t length,
                      struct problem *problem) {
  if (memchr(value, '\0', length) != NULL)
    return refuse(problem, BAD_REQUEST, "the form field %.40s contains a NUL character", name);
  json_t *text = json_stringn(value, length), *before = json_object_get(fields, name);
  if (text == NULL)
    return elman_is_text(value, length)
               ? refuse_memory(problem)
               : refuse(problem, BAD_REQUEST, "the form field %.40s is not valid UTF-8 text", name);
  int failed;
  if (before == NULL) {
    failed = json_object_set_new(fields, name, text);
  } else if (json_is_array(before)) {
    failed = json_array_append_new(before, text);
  } else {
    json_t *both = json_array();
    failed = both == NULL || json_array_append(both, before) != 0;
    failed = json_array_append_new(both, text) != 0 || failed;
    failed = json_object_set_new(fields, name, both) != 0 || failed;
  }
  return failed == 0 || refuse_memory(problem);
}

/* Read name=value&name=value… as an object of strings. Return NULL after an error. */
static json_t *read_form(const char *body, size_t size, struct problem *problem) {
  json_t *fields = json_object();
  char *bytes = malloc(size + 1);
  bool good = fields != NULL && bytes != NULL;
  if (!good) (void)refuse_memory(problem);
  if (good && size > 0) memcpy(bytes, body, size);
  for (size_t at = 0, length; good && at < size; at += length + 1) {
    char *field = bytes + at;
    const char *end = memchr(field, '&', size - at);
    length = end == NULL ? size - at : (size_t)(end - field);
    if (length == 0) continue;
    char *equals = memchr(field, '=', length);
    const size_t name_size = equals == NULL ? length : (size_t)(equals - field);
    const size_t name = decode_part(field, name_size);
    const size_t value = equals == NULL ? 0 : decode_part(equals + 1, length - name_size - 1);
    if (name == SIZE_MAX || value == SIZE_MAX)
      good =
          refuse(problem, BAD_REQUEST, "%% in the form is not followed by two hexadecimal digits");
    else if (!elman_is_text(field, name))
      good = refuse(problem, BAD_REQUEST, "the name of a form field is not valid UTF-8 text");
    if (!good) break;
    field[name] = '\0'; /* the byte belongs to the field, or is the '=', '&' or NUL after it */
    good = add_field(fields, field, equals == NULL ? "" : equals + 1, value, problem);
  }
  free(bytes);
  if (good) return fields;
  json_decref(fields);
  return NULL;
}

/* ---- JSON ---- */

static bool begins(const char *bytes, size_t size, const char *start) {
  return size >= strlen(start) && memcmp(bytes, start, strlen(start)) == 0;
}

static json_t *read_object(const char *body, size_t size, struct problem *problem) {
  json_t *document;
  elman_error error;
  const size_t mark = begins(body, size, "\xEF\xBB\xBF") ? 3 : 0; /* byte order mark */
  if (size == mark) {
    (void)refuse(problem, BAD_REQUEST, "the body is empty; send a JSON object");
    return NULL;
  }
  const elman_status status = elman_json_read(&document, body + mark, size - mark, &error);
  if (status == ELMAN_OK && json_is_object(document)) return document;
  if (status == ELMAN_OK)
    (void)refuse(problem, BAD_REQUEST, "the body must be a JSON object");
  else if (status == ELMAN_NO_MEMORY)
    (void)refuse_memory(problem);
  else
    (void)refuse(problem, BAD_REQUEST, "the body is not valid JSON: %s", error.message);
  json_decref(document);
  return NULL;
}

/* ---- types ---- */

/* Return whether the parameters of a Content-Type, from the first semicolon, name a charset whose
 * texts are not all UTF-8. */
static bool has_other_charset(const char *parameters) {
  static const char name[] = "charset=";
  static const char *const good[] = {"utf-8", "utf8", "us-ascii", "ascii"};
  for (const char *at = strchr(parameters, ';'); at != NULL; at = strchr(at, ';')) {
    at += 1 + strspn(at + 1, " \t");
    if (strncasecmp(at, name, sizeof name - 1) != 0) continue;
    at += sizeof name - 1;
    at += *at == '"';
    const size_t length = strcspn(at, "\"; \t");
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
      if (strlen(good[i]) == length && strncasecmp(good[i], at, length) == 0) return false;
    return true;
  }
  return false;
}

enum body_type body_type_of(const char *content_type) {
  static const char *const names[] = {
      [BODY_JSON] = "application/json", [BODY_FORM] = "application/x-www-form-urlencoded"};
  if (content_type == NULL) return BODY_OTHER;
  const size_t length = strcspn(content_type, "; \t");
  if (has_other_charset(content_type)) return BODY_NOT_UTF8;
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == length && strncasecmp(names[i], content_type, length) == 0)
      return (enum body_type)i;
  return BODY_OTHER;
}

/* Refuse a body whose type is not permitted, or whose first bytes show that it is of another type
 * than its Content-Type. */
static bool check_type(enum body_type type, bool forms, const char *bytes, size_t size,
                       struct problem *problem) {
  size_t at = 0;
  while (at < size && strchr(" \t\r\n", bytes[at]) != NULL && bytes[at] != '\0') at++;
  if (begins(bytes, size, "\x1F\x8B"))
    return refuse(problem, BAD_TYPE, "the body is compressed (gzip); send it uncompressed");
  if (begins(bytes, size, "\xFF\xFE") || begins(bytes, size, "\xFE\xFF"))
    return refuse(problem, BAD_REQUEST, "the body is UTF-16 text; send UTF-8");
  if (type == BODY_NOT_UTF8)
    return refuse(problem, BAD_TYPE,
                  "the Content-Type states another charset than UTF-8; send UTF-8");
  if (type != BODY_JSON && at < size && (bytes[at] == '{' || bytes[at] == '['))
    return refuse(problem, BAD_TYPE,
                  "the body is JSON, but its Content-Type is not; send the header 'Content-Type: "
                  "application/json'");
  return type == BODY_JSON || (type == BODY_FORM && forms) ||
         refuse(problem, BAD_TYPE, "the Content-Type must be application/json%s",
                forms ? " or application/x-www-form-urlencoded" : "");
}

json_t *body_read(enum body_type type, bool forms, const char *bytes, size_t size,
                  struct problem *problem) {
  if (size == 0) bytes = "";
  if (!check_type(type, forms, bytes, size, problem)) return NULL;
  return type == BODY_FORM ? read_form(bytes, size, problem) : read_object(bytes, size, problem);
}
