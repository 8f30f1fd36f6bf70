/* Numbers as people type them: decimal, without spaces and without what strtod also reads. */
#ifndef ELMAN_CLI_NUMBER_TEXT_H
#define ELMAN_CLI_NUMBER_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* A whole number without sign; false if it is none or does not fit. */
bool parse_whole_number(const char *text, uint64_t *number);

/* A finite number, maybe with sign and exponent; false if it is none. */
bool parse_real(const char *text, double *number);

/* A number at the start of `text`, of digits with at most one point; gives what follows, or NULL.
 */
const char *take_decimal(double *number, const char *text);

#endif
