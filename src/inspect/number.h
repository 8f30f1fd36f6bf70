/* Numbers with a decimal point, whatever the program's locale puts there. */
#ifndef ELMAN_INSPECT_NUMBER_H
#define ELMAN_INSPECT_NUMBER_H

#include <stdio.h>

/* With that many digits behind the point, at most 9. */
void write_fixed(FILE *stream, double value, int decimals);

/* As "1.20e-03", with that many digits behind the point, at most 9. */
void write_scientific(FILE *stream, double value, int decimals);

/* For JSON: nine significant digits, which give a float back exactly, and never a whole number's
 * form; null for what JSON has no number for. */
void write_json_real(FILE *stream, double value);

#endif
