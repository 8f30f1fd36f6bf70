#include "base/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 100, LONGEST_NUMBER = 255 };

struct parser {
  const char *start, *at, *end;
  struct buffer unescaped; /* the last string that contained escapes */
  json_receive *receive;   /* called for each item of a list */
  void *context;
  size_t count; /* items received */
  elman_error *error;
};

static elman_status malformed(const struct parser *parser, const char *problem) {
  return fail(parser->error, ELMAN_BAD_DATA, NULL, "byte %zu: %s",
              (size_t)(parser->at - parser->start) + 1, problem);
}

/* ---- characters ---- */

static void skip_space(struct parser *parser) {
  while (parser->at < parser->end &&
         (*parser->at == ' ' || *parser->at == '\t' || *parser->at == '\n' || *parser->at == '\r'))
    parser->at++;
}

/* Return the next character without consuming it; NUL at the end, which is valid nowhere else. */
static char peek(const struct parser *parser) {
  return parser->at < parser->end ? *parser->at : '\0';
}

static bool accept(struct parser *parser, char wanted) {
  if (peek(parser) != wanted) return false;
  parser->at++;
  return true;
}

static bool accept_word(struct parser *parser, const char *word) {
  const size_t length = strlen(word);
  if ((size_t)(parser->end - parser->at) < length || memcmp(parser->at, word, length) != 0)
    return false;
  parser->at += length;
  return true;
}

/* ---- strings ---- */

/* Return the value of four hexadecimal digits, or -1. */
static int read_unit(struct parser *parser) {
  int unit = 0;
  for (int i = 0; i < 4; i++) {
    const char digit = peek(parser);
    if (digit >= '0' && digit <= '9')
      unit = unit * 16 + digit - '0';
    else if ((digit | 0x20) >= 'a' && (digit | 0x20) <= 'f')
      unit = unit * 16 + (digit | 0x20) - 'a' + 10;
    else
      return -1;
    parser->at++;
  }
  return unit;
}

static const char invalid_escape[] = "invalid escape";

/* Append the character that one or two \u escapes encode. The first \u has been read. Return the
 * problem of an invalid escape; NULL = none. */
static const char *unescape_character(struct parser *parser) {
  static const char half[] = "half of a surrogate pair";
  int character = read_unit(parser);
  if (character < 0) return invalid_escape;
  if (character == 0) return "the character NUL";
  if (character >= 0xDC00 && character <= 0xDFFF) return half;
  if (character >= 0xD800 && character <= 0xDBFF) {
    const int low = accept_word(parser, "\\u") ? read_unit(parser) : -1;
    if (low < 0xDC00 || low > 0xDFFF) return half;
    character = 0x10000 + ((character - 0xD800) << 10) + (low - 0xDC00);
  }
  buffer_append_character(&parser->unescaped, character);
  return NULL;
}

/* Append the character that an escape encodes. The backslash has been read. Return the problem of
 * an invalid escape; NULL = none. */
static const char *unescape(struct parser *parser) {
  static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  if (accept(parser, 'u')) return unescape_character(parser);
  const char letter = peek(parser);
  const char *found = letter == '\0' ? NULL : strchr(escapes, letter);
  if (found == NULL) return invalid_escape;
  buffer_append(&parser->unescaped, &meanings[found - escapes], 1);
  parser->at++;
  return NULL;
}

/* Return the end of the characters at the current position that need no unescaping. */
static const char *plain_end(const struct parser *parser) {
  const char *at = parser->at;
  while (at < parser->end && *at != '"' && *at != '\\' && (unsigned char)*at >= ' ') at++;
  return at;
}

/* Parse the content of a string. Its opening quote has been read. The content is valid until the
 * next call. */
static elman_status parse_content(struct text *content, struct parser *parser) {
  const char *start = parser->at;
  parser->at = plain_end(parser);
  *content = (struct text){start, (size_t)(parser->at - start)};
  if (accept(parser, '"')) return ELMAN_OK;
  buffer_clear(&parser->unescaped);
  buffer_append_text(&parser->unescaped, *content);
  while (!accept(parser, '"')) {
    if (!accept(parser, '\\')) return malformed(parser, "unterminated string");
    const char *problem = unescape(parser);
    if (problem != NULL) return malformed(parser, problem);
    start = parser->at;
    parser->at = plain_end(parser);
    buffer_append(&parser->unescaped, start, (size_t)(parser->at - start));
  }
  *content = buffer_text(&parser->unescaped);
  return parser->unescaped.failed ? fail_no_memory(parser->error) : ELMAN_OK;
}

static elman_status check_allocated(const struct parser *parser, const json_t *value) {
  return value == NULL ? fail_no_memory(parser->error) : ELMAN_OK;
}

static elman_status parse_string(json_t **value, struct parser *parser) {
  struct text content;
  if (!accept(parser, '"')) return malformed(parser, "expected a string");
  const elman_status status = parse_content(&content, parser);
  if (status != ELMAN_OK) return status;
  *value = json_stringn_nocheck(content.bytes, content.length);
  return check_allocated(parser, *value);
}

/* ---- numbers ---- */

struct number {
  bool whole;
  long long integer; /* the value, if it is whole; if not, it is in `real` */
  double real;
};

static bool accept_digits(struct parser *parser) {
  const char *start = parser->at;
  while (peek(parser) >= '0' && peek(parser) <= '9') parser->at++;
  return parser->at > start;
}

static bool accept_number(struct parser *parser, bool *whole) {
  accept(parser, '-');
  if (!accept(parser, '0') && !accept_digits(parser)) return false;
  const char *end = parser->at;
  if (accept(parser, '.') && !accept_digits(parser)) return false;
  if (accept(parser, 'e') || accept(parser, 'E')) {
    if (!accept(parser, '-')) accept(parser, '+');
    if (!accept_digits(parser)) return false;
  }
  *whole = parser->at == end;
  return true;
}

static elman_status convert_real(double *number, const struct parser *parser, const char *digits) {
  if (real_parse(number, digits) == NULL) return fail_no_memory(parser->error);
  return isfinite(*number) ? ELMAN_OK : malformed(parser, "number out of range");
}

static elman_status parse_number(struct number *number, struct parser *parser) {
  const char *start = parser->at;
  *number = (struct number){0};
  if (!accept_number(parser, &number->whole)) return malformed(parser, "expected a value");
  const size_t length = (size_t)(parser->at - start);
  char digits[LONGEST_NUMBER + 1];
  if (length > LONGEST_NUMBER) return malformed(parser, "number of more than 255 characters");
  memcpy(digits, start, length);
  digits[length] = '\0';
  if (!number->whole) return convert_real(&number->real, parser, digits);
  errno = 0;
  number->integer = strtoll(digits, NULL, 10);
  number->whole = errno != ERANGE;
  return number->whole ? ELMAN_OK : convert_real(&number->real, parser, digits);
}

/* ---- objects, lists and values ---- */

static elman_status parse_value(json_t **value, struct parser *parser, size_t depth);

static elman_status parse_entry(json_t *object, struct parser *parser, size_t depth) {
  json_t *key = NULL, *value = NULL;
  skip_space(parser);
  elman_status status = parse_string(&key, parser);
  if (status == ELMAN_OK && json_object_get(object, json_string_value(key)) != NULL)
    status = malformed(parser, "duplicate key");
  skip_space(parser);
  if (status == ELMAN_OK && !accept(parser, ':')) status = malformed(parser, "expected a colon");
  if (status == ELMAN_OK) status = parse_value(&value, parser, depth);
  /* The object owns the value from here on, even if the call fails. */
  if (status == ELMAN_OK && json_object_set_new_nocheck(object, json_string_value(key), value) != 0)
    status = fail_no_memory(parser->error);
  json_decref(key);
  return status;
}

static elman_status parse_item(json_t *array, struct parser *parser, size_t depth) {
  json_t *value = NULL;
  const elman_status status = parse_value(&value, parser, depth);
  if (status != ELMAN_OK) return status;
  return json_array_append_new(array, value) == 0 ? ELMAN_OK : fail_no_memory(parser->error);
}

typedef elman_status part_function(json_t *whole, struct parser *parser, size_t depth);

/* Parse comma-separated parts up to and including the closing bracket. The opening bracket has been
 * read. */
static elman_status parse_parts(json_t *whole, struct parser *parser, char bracket,
                                part_function *parse_part, size_t depth) {
  elman_status status = check_allocated(parser, whole);
  skip_space(parser);
  if (status != ELMAN_OK || accept(parser, bracket)) return status;
  do {
    status = parse_part(whole, parser, depth);
    skip_space(parser);
  } while (status == ELMAN_OK && accept(parser, ','));
  if (status == ELMAN_OK && !accept(parser, bracket))
    status = malformed(parser, "expected a comma or a closing bracket");
  return status;
}

/* Parse any value. *value is NULL after a failure. */
static elman_status parse_value(json_t **value, struct parser *parser, size_t depth) {
  elman_status status = ELMAN_OK;
  skip_space(parser);
  if (depth == MAX_DEPTH) return malformed(parser, "more than 100 nested values");
  if (accept(parser, '{')) {
    *value = json_object();
    status = parse_parts(*value, parser, '}', parse_entry, depth + 1);
  } else if (accept(parser, '[')) {
    *value = json_array();
    status = parse_parts(*value, parser, ']', parse_item, depth + 1);
  } else if (peek(parser) == '"') {
    status = parse_string(value, parser);
  } else if (accept_word(parser, "true")) {
    *value = json_true();
  } else if (accept_word(parser, "false")) {
    *value = json_false();
  } else if (accept_word(parser, "null")) {
    *value = json_null();
  } else {
    struct number number;
    status = parse_number(&number, parser);
    if (status != ELMAN_OK) return status;
    *value = number.whole ? json_integer(number.integer) : json_real(number.real);
    status = check_allocated(parser, *value);
  }
  if (status == ELMAN_OK) return ELMAN_OK;
  json_decref(*value);
  *value = NULL;
  return status;
}

/* Check that only white space follows the value. */
static elman_status parse_end(struct parser *parser, elman_status status) {
  skip_space(parser);
  buffer_free(&parser->unescaped);
  if (status == ELMAN_OK && parser->at < parser->end)
    return malformed(parser, "unexpected text after the value");
  return status;
}

static struct parser parser_of(struct text text, elman_error *error) {
  return (struct parser){
      .start = text.bytes, .at = text.bytes, .end = text.bytes + text.length, .error = error};
}

elman_status read_json(json_t **value, struct text text, elman_error *error) {
  struct parser parser = parser_of(text, error);
  *value = NULL;
  parser.at += text_valid_prefix(text);
  if (parser.at < parser.end) return malformed(&parser, "invalid UTF-8");
  parser.at = parser.start;
  const elman_status status = parse_end(&parser, parse_value(value, &parser, 0));
  if (status == ELMAN_OK) return ELMAN_OK;
  json_decref(*value);
  *value = NULL;
  return status;
}

/* ---- lists ---- */

static elman_status receive_item(json_t *list, struct parser *parser, size_t depth) {
  struct json_item item = {.whole = false};
  struct number number = {.whole = false};
  json_t *value = NULL;
  elman_status status;
  (void)list;
  skip_space(parser);
  const char first = peek(parser);
  if (accept(parser, '"')) {
    status = parse_content(&item.string, parser);
  } else if (first == '-' || (first >= '0' && first <= '9')) {
    status = parse_number(&number, parser);
    item.whole = number.whole;
    item.number = number.integer;
  } else {
    status = parse_value(&value, parser, depth);
    json_decref(value);
  }
  if (status != ELMAN_OK) return status;
  return parser->receive(parser->context, parser->count++, &item, parser->error);
}

elman_status read_json_list(size_t *count, struct text text, json_receive *receive, void *context,
                            elman_error *error) {
  struct parser parser = parser_of(text, error);
  json_t *other = NULL;
  parser.receive = receive;
  parser.context = context;
  skip_space(&parser);
  elman_status status = accept(&parser, '[')
                            ? parse_parts(json_null(), &parser, ']', receive_item, 1)
                            : parse_value(&other, &parser, 0);
  json_decref(other);
  status = parse_end(&parser, status);
  *count = parser.count;
  return status;
}

/* ---- back to text ---- */

static int append_dumped(const char *bytes, size_t size, void *buffer) {
  buffer_append(buffer, bytes, size);
  return 0; /* report success: the buffer stores failures, and Jansson would ignore some of them */
}

char *write_json(const json_t *value, size_t flags) {
  struct buffer text = {0};
  if (json_dump_callback(value, append_dumped, &text, flags) == 0 && !text.failed)
    return text.bytes;
  buffer_free(&text);
  return NULL;
}

/* ---- entries of an object ---- */

static bool read_field(const struct json_field *field, const json_t *value) {
  if (field->integer != NULL && json_is_integer(value)) {
    *field->integer = json_integer_value(value);
  } else if (field->number != NULL && json_is_number(value)) {
    *field->number = json_number_value(value);
  } else if (field->truth != NULL && json_is_boolean(value)) {
    *field->truth = json_is_true(value);
  } else if (field->string != NULL && json_is_string(value)) {
    *field->string = json_string_value(value);
  } else {
    return false;
  }
  return true;
}

void json_fault_of(char fault[JSON_FAULT_SIZE], const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  char *text = value == NULL ? NULL : write_json(value, JSON_ENCODE_ANY);
  if (value == NULL)
    snprintf(fault, JSON_FAULT_SIZE, "lacks \"%.40s\"", key);
  else
    snprintf(fault, JSON_FAULT_SIZE, "has a wrong value of \"%.40s\": %.40s", key,
             text == NULL ? "?" : text);
  free(text);
}

void json_fault_unknown(char fault[JSON_FAULT_SIZE], const char *key) {
  snprintf(fault, JSON_FAULT_SIZE, "has the unknown entry \"%.40s\"", key);
}

bool read_json_fields(char fault[JSON_FAULT_SIZE], const struct json_field *fields, size_t count,
                      json_t *object) {
  const char *key;
  json_t *value;
  for (size_t i = 0; i < count; i++)
    if (!read_field(&fields[i], json_object_get(object, fields[i].key))) {
      json_fault_of(fault, object, fields[i].key);
      return false;
    }
  json_object_foreach(object, key, value) {
    size_t i = 0;
    while (i < count && strcmp(fields[i].key, key) != 0) i++;
    if (i < count) continue;
    json_fault_unknown(fault, key);
    return false;
  }
  return true;
}
