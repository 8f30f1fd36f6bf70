/* Lower case as Unicode's full mapping has it (and Python's str.lower), for scores without case. */
#ifndef ELMAN_METRIC_LOWERCASE_H
#define ELMAN_METRIC_LOWERCASE_H

#include "base/text.h"

/* Replaces the contents of `into`, in which a failure sticks. `text` is valid, and elsewhere. */
void lowercase(struct buffer *into, struct text text);

#endif
