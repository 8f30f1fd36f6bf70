/* Tiles (AMX): registers of 16 rows of 64 bytes, and instructions that multiply them. */
#ifndef ELMAN_TENSOR_TILES_H
#define ELMAN_TENSOR_TILES_H

#include <stdbool.h>

/* The types of the numbers in tiles. */
enum tile_numbers { TILES_OF_BFLOAT16, TILES_OF_BYTES };

/* Return whether the processor has tiles and multiplies numbers of this type. */
bool tiles_in_processor(enum tile_numbers numbers);

/* Return whether Linux lets this process use tiles. If so, threads of the process need more memory
 * for their state. The first call requests this permission. */
bool tiles_permitted(void);

#endif
