/* A build without the playground. */
#include "attention/playground.h"

const unsigned char playground_head[1], playground_tail[1];
const size_t playground_head_size, playground_tail_size;
