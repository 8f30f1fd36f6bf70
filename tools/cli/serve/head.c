#include "serve/head.h"

#include <string.h>

enum state { START, FIRST_LINE, FIRST_END, LINE, NAME, VALUE, VALUE_END, LAST_END, BODY, OVER };

static bool is_letter_or_digit(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9');
}

/* Return whether the byte may occur in a method or the name of a header (RFC 9110, "tchar"). */
static bool is_token_byte(char byte) {
  return is_letter_or_digit(byte) || (byte != '\0' && strchr("!#$%&'*+-.^_`|~", byte) != NULL);
}

static bool is_control(char byte) {
  return (unsigned char)byte < ' ' || byte == 0x7F;
}

static void fail(struct request_head *head, const char *fault) {
  head->fault = fault;
  head->state = OVER;
}

static void end_head(struct request_head *head) {
  head->count++;
  head->state = head->chunked ? OVER : head->length > 0 ? BODY : START;
}

/* Begin with a header or end the head. */
static void begin_line(struct request_head *head, char byte) {
  head->line = 0;
  head->digits = 0;
  memset(head->name, 0, sizeof head->name);
  if (byte == '\r') {
    head->state = LAST_END;
  } else if (byte == ' ' || byte == '\t') {
    fail(head, "a header is continued on a second line");
  } else {
    head->state = NAME;
  }
}

static void read_first_line(struct request_head *head, char byte) {
  if (byte == '\r')
    head->state = FIRST_END;
  else if (is_control(byte))
    fail(head, "the first line contains a control character");
  else if (byte == ' ')
    head->spaces++;
  else if (head->spaces == 0 && !is_token_byte(byte))
    fail(head, "the method is not valid");
  if (head->spaces > 2) fail(head, "the first line has more than two spaces");
}

static void read_name(struct request_head *head, char byte) {
  if (byte == ':' && head->line > 0) {
    head->state = VALUE;
    head->chunked = head->chunked || strcmp(head->name, "transfer-encoding") == 0;
    if (strcmp(head->name, "content-length") == 0) head->length = 0;
    return;
  }
  if (byte == ' ' || byte == '\t') {
    fail(head, "the name of a header contains white space");
    return;
  }
  if (!is_token_byte(byte)) {
    fail(head, "the name of a header is not valid");
    return;
  }
  if (head->line < sizeof head->name - 1)
    head->name[head->line] = (char)(byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte);
  head->line++;
}

/* Read a byte of Content-Length: digits, with spaces before and after. */
static void read_length(struct request_head *head, char byte) {
  const bool space = byte == ' ' || byte == '\t', digit = byte >= '0' && byte <= '9';
  const uint64_t value = digit ? (uint64_t)(byte - '0') : 0;
  if (space) {
    if (head->digits == 1) head->digits = 2;
  } else if (!digit || head->digits == 2 || head->length > (UINT64_MAX - value) / 10) {
    fail(head, "the Content-Length is not a number");
  } else {
    head->digits = 1;
    head->length = 10 * head->length + value;
  }
}

static void read_value(struct request_head *head, char byte) {
  const bool is_length = strcmp(head->name, "content-length") == 0;
  if (byte == '\r' && is_length && head->digits == 0)
    fail(head, "the Content-Length is not a number");
  else if (byte == '\r')
    head->state = VALUE_END;
  else if (is_control(byte) && byte != '\t')
    fail(head, "a header contains a control character");
  else if (is_length)
    read_length(head, byte);
}

static void read_byte(struct request_head *head, char byte) {
  switch ((enum state)head->state) {
  case START: /* empty lines may precede a request */
    head->spaces = 0;
    head->length = 0;
    head->chunked = false;
    if (byte == '\r' || byte == '\n') return;
    head->state = FIRST_LINE;
    read_first_line(head, byte);
    return;
  case FIRST_LINE:
    read_first_line(head, byte);
    return;
  case LINE:
    begin_line(head, byte);
    if (head->state == NAME) read_name(head, byte);
    return;
  case NAME:
    read_name(head, byte);
    return;
  case VALUE:
    read_value(head, byte);
    return;
  case FIRST_END:
  case VALUE_END:
    head->state = LINE;
    if (byte != '\n') fail(head, "CR does not end a line");
    return;
  case LAST_END:
    if (byte == '\n')
      end_head(head);
    else
      fail(head, "CR does not end a line");
    return;
  case BODY:
    if (--head->length == 0) head->state = START;
    return;
  case OVER:
    return;
  }
}

void head_scan(struct request_head *head, const char *bytes, size_t size) {
  for (size_t i = 0; i < size && head->state != OVER; i++) {
    if (head->state == BODY) { /* skip all but the last byte */
      const size_t rest = size - i - 1;
      const size_t skipped = head->length - 1 < rest ? (size_t)head->length - 1 : rest;
      head->length -= skipped;
      i += skipped;
    }
    read_byte(head, bytes[i]);
  }
}
