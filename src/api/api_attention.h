/* What writing and summing up attention have in common. */
#ifndef ELMAN_API_ATTENTION_H
#define ELMAN_API_ATTENTION_H

#include "elman.h"
#include "inspect/hard_alignment.h"

/* A view of the same memory. */
struct translation inner_translation(const elman_translation *outer);

/* What the style says about links, checked. NULL is all zero. */
elman_status inner_rule(struct alignment_rule *inner, const elman_text_style *style,
                        elman_error *error) CHECKED;

#endif
