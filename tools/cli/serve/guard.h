/* Checks of who may use the service: the headers Host and Origin, and tokens. A web page that a
 * user of this machine visits must not reach the service: neither directly (Origin) nor by a host
 * name that resolves to this machine (Host; DNS rebinding). */
#ifndef ELMAN_CLI_GUARD_H
#define ELMAN_CLI_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "serve/serve_settings.h"

/* Return whether the value of Host is acceptable: an address, localhost or a name below it, or a
 * host of the settings, each with or without a port. An address cannot be rebound by DNS. */
bool host_is_allowed(const char *host, const struct serve_settings *settings);

enum origin { ORIGIN_OWN, ORIGIN_LISTED, ORIGIN_FOREIGN };

/* Compare an Origin with the Host of the same request and with the origins of the settings. */
enum origin origin_of(const char *origin, const char *host, const struct serve_settings *settings);

/* Return whether the text can be a host of the settings: a name without a port. */
bool host_is_name(const char *text);

/* Return whether the text is an IP address, with or without brackets. */
bool host_is_address(const char *text);

/* Return whether the text can be an origin of the settings: a scheme, "://" and a host, which may
 * have a port. Nothing follows, because an Origin has no path. */
bool origin_is_complete(const char *text);

/* ---- tokens ---- */

enum { MAX_TOKENS = 256, MAX_TOKEN = 256, LEAST_TOKEN = 16 };

struct client_tokens {
  char words[MAX_TOKENS][MAX_TOKEN + 1];
  size_t numbers[MAX_TOKENS]; /* identity of each token, from 1 */
  size_t last;                /* largest number so far */
  size_t count;               /* 0 = everybody may use the service */
};

/* Read one token per line; skip empty lines and lines that begin with '#'. Return an exit code;
 * print a message if it is not 0. */
int tokens_read(struct client_tokens *tokens, const char *path);

/* Replace the tokens by `others`, which were read again. A token that stays keeps its number;
 * another one gets a new number. */
void tokens_replace(struct client_tokens *tokens, const struct client_tokens *others);

/* Return the number of the token; 0 if the text is not a token. The time does not depend on how
 * many bytes at the start of the text are those of a token. */
size_t tokens_find(const struct client_tokens *tokens, const char *word);

/* Return the token of "Bearer TOKEN", or NULL. */
const char *bearer_token(const char *authorization);

/* ---- clients ---- */

/* A client: the number of its token, or without a token its address. */
struct client {
  size_t token; /* 0 = none */
  int family;   /* of the address; AF_UNIX without bytes */
  unsigned char address[16];
};

struct sockaddr;

/* Return the client at an address; NULL is a local client. */
struct client client_at(const struct sockaddr *address);
bool clients_equal(const struct client *a, const struct client *b);

/* Write the client for people: "token 2", "127.0.0.1" or "local". */
enum { CLIENT_NAME = 64 };
void client_name(char name[CLIENT_NAME], const struct client *client);

#endif
