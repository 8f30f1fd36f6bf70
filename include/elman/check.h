/* Looking at a corpus: bad lines, repeats, leaks between its parts. */
#ifndef ELMAN_CHECK_H
#define ELMAN_CHECK_H

#include "elman/pairs.h"
#include "elman/tokens.h"

ELMAN_BEGIN

typedef struct elman_check_options {
  const elman_pairs_options *parts; /* each one file, or a source and a target file; the first is
                                       the one to train on. Their alignments are not looked at, and
                                       must not be named */
  size_t part_count;
  elman_token_mode source_tokens, target_tokens; /* not ELMAN_TOKENS_BPE, whose merges a training
                                                    learns; default ELMAN_TOKENS_AUTO */
  size_t max_length;                             /* tokens on a side; default 200, as in training */
  double max_ratio; /* times longer or shorter than expected, above 1; default 3 */
  size_t examples;  /* kept of each finding in each part; default 3 */
} elman_check_options;

ELMAN_API elman_check_options elman_check_options_default(void);

typedef struct elman_check elman_check; /* what was found */

/* Looks at the parts one by one and for leaks between them. That something is found is no error. */
ELMAN_CHECKED elman_status elman_check_create(elman_check **check,
                                              const elman_check_options *options,
                                              elman_error *error);
ELMAN_API void elman_check_free(elman_check *check);

/* Neither leaks nor bad lines. */
ELMAN_API bool elman_check_clean(const elman_check *check);

/* What was counted in one part. */
typedef struct elman_check_part {
  const char *name; /* of its file; lives as long as `check` */
  size_t pairs;
  size_t leaking;                        /* pairs with a leak of any kind */
  size_t source_tokens, target_tokens;   /* how many */
  size_t unknown_source, unknown_target; /* of them, those that the first part lacks */
} elman_check_part;

/* part < part_count of the options */
ELMAN_API elman_check_part elman_check_get_part(const elman_check *check, size_t part);
/* The lines of a part that a finding holds for. */
ELMAN_API size_t elman_check_count(const elman_check *check, elman_finding finding, size_t part);
/* The lines of a part that have a leak of this kind from the part `earlier` < `part`. */
ELMAN_API size_t elman_check_shared(const elman_check *check, elman_finding leak, size_t part,
                                    size_t earlier);

/* How the first part's sides are split (never ELMAN_TOKENS_AUTO), and its different tokens. */
typedef struct elman_check_tokens {
  elman_token_mode source_tokens, target_tokens;
  size_t source_vocabulary, target_vocabulary;
} elman_check_tokens;

/* Those of the first part. */
ELMAN_API elman_check_tokens elman_check_get_tokens(const elman_check *check);

/* A line that a finding holds for. */
typedef struct elman_check_example {
  elman_finding finding;
  size_t part, line;                   /* line from 1 */
  size_t other_part, other_line;       /* where the same stood before; line 0 = nowhere */
  const char *source, *target;         /* NULL for a bad line */
  const char *problem;                 /* what is wrong with a bad line; else empty */
  size_t source_length, target_length; /* characters (LENGTH_RATIO) or tokens (TOO_LONG); or 0 */
} elman_check_example;

/* False when there is no example `index` (from 0). The text lives as long as `check`. */
ELMAN_API bool elman_check_get_example(elman_check_example *example, const elman_check *check,
                                       size_t index);

ELMAN_END

#endif
