/* The few JSON values that the command writes itself. */
#ifndef ELMAN_CLI_JSON_OUTPUT_H
#define ELMAN_CLI_JSON_OUTPUT_H

#include <stdio.h>

/* What could steer a terminal is escaped. */
void write_json_string(FILE *stream, const char *text);

/* Nine digits, which give a float back exactly; null for what JSON has no number for. */
void write_json_number(FILE *stream, double number);

#endif
