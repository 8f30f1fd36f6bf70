/* Lower case as Unicode's full mapping has it (and Python's str.lower), for scores without case. */
#ifndef ELMAN_METRIC_LOWERCASE_H
#define ELMAN_METRIC_LOWERCASE_H

#include "base/text.h"

/* Replaces the contents of `into`; a failure sticks in it. `text` is valid UTF-8 and lies
 * elsewhere.
 */
void lowercase(struct buffer *into, struct text text);

#endif
