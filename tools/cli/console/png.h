/* Pictures as PNG: the program rsvg-convert draws them from SVG, with the system's fonts, Chinese
 * ones included. It is a process of its own, asked for only when a PNG is wanted, since its library
 * brings some thirty others to every start and ends the program when memory runs out. */
#ifndef ELMAN_CLI_PNG_H
#define ELMAN_CLI_PNG_H

#include <stdio.h>

/* The name of the format. */
#define PNG "png"
#define PNG_SUFFIX ".png"

/* Whether the program is there. Gives an exit code, after a message if that is not 0. */
int png_check(void);

/* A file that goes when it is closed; NULL after a message. */
FILE *png_temporary(void);

/* From the SVG that `svg`, such a file, holds. Gives an exit code, after a message if that is not
 * 0; what could not be written is in the error flag of `png`. */
int png_convert(FILE *svg, FILE *png);

#endif
