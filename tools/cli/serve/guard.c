#include "serve/guard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "console/messages.h"
#include "elman.h"

/* ---- Host and Origin ---- */

enum { HOST_NAME = 256 };

/* Return whether the text is empty, or a colon and a port. */
static bool is_port(const char *text) {
  const size_t digits = text[0] == ':' ? strspn(text + 1, "0123456789") : 0;
  return text[0] == '\0' || (digits >= 1 && digits <= 5 && text[1 + digits] == '\0');
}

/* Copy the host without the port. Return false if the value has another form. */
static bool split_host(char name[HOST_NAME], const char *host, bool *is_ipv6) {
  *is_ipv6 = host[0] == '[';
  const char *start = *is_ipv6 ? host + 1 : host;
  const size_t length = strcspn(start, *is_ipv6 ? "]" : ":");
  const char *rest = start + length;
  if (length == 0 || length >= HOST_NAME || (*is_ipv6 && *rest++ != ']') || !is_port(rest))
    return false;
  memcpy(name, start, length);
  name[length] = '\0';
  return true;
}

static bool ends_with(const char *name, const char *suffix) {
  const size_t length = strlen(name), size = strlen(suffix);
  return length > size && strcasecmp(name + length - size, suffix) == 0;
}

bool host_is_allowed(const char *host, const struct serve_settings *settings) {
  char name[HOST_NAME];
  struct in6_addr address;
  bool is_ipv6;
  if (host == NULL || !split_host(name, host, &is_ipv6)) return false;
  if (is_ipv6) return inet_pton(AF_INET6, name, &address) == 1;
  if (inet_pton(AF_INET, name, &address) == 1) return true;
  if (strcasecmp(name, "localhost") == 0 || ends_with(name, ".localhost")) return true;
  for (size_t i = 0; i < settings->host_count; i++)
    if (strcasecmp(settings->hosts[i], name) == 0) return true;
  return false;
}

enum origin origin_of(const char *origin, const char *host, const struct serve_settings *settings) {
  const char *scheme_end = strstr(origin, "://");
  for (size_t i = 0; i < settings->origin_count; i++)
    if (strcasecmp(settings->origins[i], origin) == 0) return ORIGIN_LISTED;
  if (scheme_end == NULL || host == NULL) return ORIGIN_FOREIGN;
  const size_t length = (size_t)(scheme_end - origin);
  const bool is_web = (length == 4 && strncasecmp(origin, "http", length) == 0) ||
                      (length == 5 && strncasecmp(origin, "https", length) == 0);
  return is_web && strcasecmp(scheme_end + 3, host) == 0 ? ORIGIN_OWN : ORIGIN_FOREIGN;
}

/* Return the length of a host name, address or bracketed IPv6 address at the start of `text`. */
static size_t host_length(const char *text) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
  if (text[0] != '[') return strspn(text, allowed);
  const size_t length = strspn(text + 1, "0123456789abcdefABCDEF:.");
  return length > 0 && text[1 + length] == ']' ? length + 2 : 0;
}

bool host_is_name(const char *text) {
  const size_t length = host_length(text);
  return length > 0 && length < HOST_NAME && text[length] == '\0';
}

bool host_is_address(const char *text) {
  struct in6_addr address;
  char name[HOST_NAME];
  bool is_ipv6;
  return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1 ||
         (split_host(name, text, &is_ipv6) && is_ipv6 && inet_pton(AF_INET6, name, &address) == 1);
}

bool origin_is_complete(const char *text) {
  const size_t scheme = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-");
  if (scheme == 0 || strncmp(text + scheme, "://", 3) != 0) return false;
  const char *host = text + scheme + 3;
  const size_t length = host_length(host);
  return length > 0 && is_port(host + length);
}

/* ---- tokens ---- */

static bool is_printable(const char *word) {
  for (; *word != '\0'; word++)
    if (*word <= ' ' || *word > '~') return false;
  return true;
}

/* Add the token on this line, without the line end, to `tokens`. Return an exit code. */
static int add_token(struct client_tokens *tokens, const char *path, size_t number, char *line) {
  char where[64];
  snprintf(where, sizeof where, "line %zu", number);
  size_t length = strcspn(line, "\n");
  if (length > 0 && line[length - 1] == '\r') length--;
  line[length] = '\0';
  if (length == 0 || line[0] == '#') return EX_OK;
  if (length < LEAST_TOKEN || length > MAX_TOKEN || !is_printable(line)) {
    report(path, "%s: a token has %d to %d printable ASCII characters without spaces", where,
           LEAST_TOKEN, MAX_TOKEN);
    return EX_DATAERR;
  }
  if (tokens->count == MAX_TOKENS) {
    report(path, "%s: there are more than %d tokens", where, MAX_TOKENS);
    return EX_DATAERR;
  }
  memcpy(tokens->words[tokens->count], line, length + 1);
  tokens->numbers[tokens->count++] = ++tokens->last;
  return EX_OK;
}

/* Check that a file is text, and skip its byte order mark. Return an exit code; print a message if
 * it is not 0. */
static int check_text(FILE *file, const char *path) {
  static const char mark[] = "\xEF\xBB\xBF";
  char start[4096];
  elman_error error;
  if (fseek(file, 0, SEEK_SET) != 0) return EX_OK; /* not a regular file */
  const size_t size = fread(start, 1, sizeof start, file);
  if (elman_file_check_text(start, size, size < sizeof start, &error) != ELMAN_OK) {
    report(path, "%s", error.message);
    return EX_DATAERR;
  }
  const bool marked = size >= strlen(mark) && memcmp(start, mark, strlen(mark)) == 0;
  (void)fseek(file, marked ? (long)strlen(mark) : 0, SEEK_SET);
  return EX_OK;
}

enum { MAX_LINE = 2 * MAX_TOKEN };

/* Read a line as fgets does. Return false at the end of the file. */
static bool read_line(char line[MAX_LINE], size_t *length, FILE *file) {
  memset(line, '\n', MAX_LINE); /* fgets then writes the last NUL of the buffer */
  if (fgets(line, MAX_LINE, file) == NULL) return false;
  *length = (size_t)((char *)memrchr(line, '\0', MAX_LINE) - line);
  return true;
}

static int read_lines(struct client_tokens *tokens, FILE *file, const char *path) {
  char line[MAX_LINE];
  size_t length;
  int code = check_text(file, path);
  for (size_t number = 1; code == EX_OK && read_line(line, &length, file); number++) {
    const bool has_nul = strlen(line) < length;
    if (has_nul || (length == MAX_LINE - 1 && line[length - 1] != '\n')) {
      report(path,
             has_nul ? "line %zu: the line contains a NUL character; save the file as text"
                     : "line %zu: the line has more than %d bytes",
             number, MAX_LINE - 2);
      return EX_DATAERR;
    }
    code = add_token(tokens, path, number, line);
  }
  if (code == EX_OK && ferror(file)) {
    report(path, "cannot read: %m");
    return EX_IOERR;
  }
  if (code == EX_OK && tokens->count == 0) {
    report(path, "the file has no token");
    return EX_DATAERR;
  }
  return code;
}

/* Open a regular file. Other files, such as pipes, can block the service. Return an exit code;
 * print a message if it is not 0. */
static int open_regular(FILE **file, const char *path) {
  struct stat info;
  const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const bool known = descriptor >= 0 && fstat(descriptor, &info) == 0;
  *file = known && S_ISREG(info.st_mode) ? fdopen(descriptor, "r") : NULL;
  const int problem = errno;
  if (*file == NULL && known && !S_ISREG(info.st_mode))
    report(path, "is not a regular file; save the tokens in a regular file and name that file");
  else if (*file == NULL)
    report(path, "cannot open the file: %m");
  if (*file == NULL && descriptor >= 0) close(descriptor);
  if (*file == NULL) return !known && problem == ENOMEM ? EX_OSERR : EX_NOINPUT;
  if ((info.st_mode & S_IROTH) != 0)
    note("%s: every user can read the tokens; 'chmod o= %s' changes that", path, path);
  return EX_OK;
}

int tokens_read(struct client_tokens *tokens, const char *path) {
  FILE *file;
  tokens->count = tokens->last = 0;
  int code = open_regular(&file, path);
  if (code != EX_OK) return code;
  code = read_lines(tokens, file, path);
  fclose(file);
  return code;
}

void tokens_replace(struct client_tokens *tokens, const struct client_tokens *others) {
  const struct client_tokens before = *tokens;
  memcpy(tokens->words, others->words, sizeof tokens->words);
  tokens->count = others->count;
  for (size_t i = 0; i < tokens->count; i++) {
    const size_t number = tokens_find(&before, tokens->words[i]);
    tokens->numbers[i] = number > 0 ? number : ++tokens->last;
  }
}

size_t tokens_find(const struct client_tokens *tokens, const char *word) {
  size_t found = 0;
  char padded[MAX_TOKEN + 1] = {0};
  if (word == NULL || strlen(word) > MAX_TOKEN) return 0;
  memcpy(padded, word, strlen(word));
  for (size_t i = 0; i < tokens->count; i++) {
    unsigned difference = 0;
    char one[MAX_TOKEN + 1] = {0};
    memcpy(one, tokens->words[i], strlen(tokens->words[i]));
    for (size_t at = 0; at <= MAX_TOKEN; at++)
      difference |= (unsigned)(unsigned char)one[at] ^ (unsigned)(unsigned char)padded[at];
    if (difference == 0) found = tokens->numbers[i];
  }
  return found;
}

const char *bearer_token(const char *authorization) {
  static const char scheme[] = "Bearer ";
  if (authorization == NULL || strncasecmp(authorization, scheme, sizeof scheme - 1) != 0)
    return NULL;
  const char *token = authorization + sizeof scheme - 1;
  return token + strspn(token, " ");
}

/* ---- clients ---- */

struct client client_at(const struct sockaddr *address) {
  struct client client = {.family = AF_UNIX};
  if (address != NULL && address->sa_family == AF_INET)
    memcpy(client.address, &((const struct sockaddr_in *)address)->sin_addr,
           sizeof(struct in_addr));
  else if (address != NULL && address->sa_family == AF_INET6)
    memcpy(client.address, &((const struct sockaddr_in6 *)address)->sin6_addr,
           sizeof(struct in6_addr));
  else
    return client;
  client.family = address->sa_family;
  return client;
}

bool clients_equal(const struct client *a, const struct client *b) {
  if (a->token > 0 || b->token > 0) return a->token == b->token;
  return a->family == b->family && memcmp(a->address, b->address, sizeof a->address) == 0;
}

void client_name(char name[CLIENT_NAME], const struct client *client) {
  if (client->token > 0)
    snprintf(name, CLIENT_NAME, "token %zu", client->token);
  else if (client->family == AF_UNIX ||
           inet_ntop(client->family, client->address, name, CLIENT_NAME) == NULL)
    snprintf(name, CLIENT_NAME, "local");
}
