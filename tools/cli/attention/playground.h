/* The playground, a web page that the build may embed (cmake/embed_playground.cmake): the parts
 * before and after the model. In a build without it, both sizes are 0. */
#ifndef ELMAN_CLI_PLAYGROUND_H
#define ELMAN_CLI_PLAYGROUND_H

#include <stddef.h>

extern const unsigned char playground_head[], playground_tail[];
extern const size_t playground_head_size, playground_tail_size;

#endif
