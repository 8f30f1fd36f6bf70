/* Checks of a corpus: bad lines, duplicates, and leaks between its parts. */
#ifndef ELMAN_CHECK_H
#define ELMAN_CHECK_H

#include "elman/pairs.h"
#include "elman/tokens.h"

ELMAN_BEGIN

typedef struct elman_check_options {
  /* The parts: each is one file, or a source and a target file; the first is the training data.
   * Alignments are not checked and must not be given. */
  const elman_pairs_options *parts;
  size_t part_count;
  elman_token_mode source_tokens, target_tokens; /* default ELMAN_TOKENS_AUTO; no BPE,
                                                    which training learns */
  size_t max_length;                             /* tokens per side; default 200, as in training */
  double max_ratio; /* maximum factor by which a length may exceed or fall below the expected one;
                       above 1; default 3 */
  size_t examples;  /* maximum number of examples per finding and part; default 3 */
  uint64_t reserved[4];
} elman_check_options;

ELMAN_API elman_check_options elman_check_options_default(void);

typedef struct elman_check elman_check; /* results of a check */

/* Check each part, and search for leaks between the parts. Findings are not errors of the call. */
ELMAN_CHECKED elman_status elman_check_create(elman_check **check,
                                              const elman_check_options *options,
                                              elman_error *error);
ELMAN_API void elman_check_free(elman_check *check);

/* Return true if the check found neither leaks nor bad lines. */
ELMAN_API bool elman_check_clean(const elman_check *check);

/* Counts of one part. */
typedef struct elman_check_part {
  const char *name; /* file name; valid as long as `check` */
  size_t pairs;
  size_t leaking;                        /* pairs with any kind of leak */
  size_t source_tokens, target_tokens;   /* numbers of tokens */
  size_t unknown_source, unknown_target; /* tokens that do not occur in the first part */
} elman_check_part;

/* Return the counts of part `part`, from 0. `part` must be less than part_count of the options. */
ELMAN_API elman_check_part elman_check_get_part(const elman_check *check, size_t part);
/* Return the number of lines of a part that have this finding. */
ELMAN_API size_t elman_check_count(const elman_check *check, elman_finding finding, size_t part);
/* Return the number of lines of `part` that have a leak of this kind from the part `earlier`, which
 * must be less than `part`. */
ELMAN_API size_t elman_check_shared(const elman_check *check, elman_finding leak, size_t part,
                                    size_t earlier);

/* Tokenization modes (never ELMAN_TOKENS_AUTO), numbers of distinct tokens, and scripts. */
typedef struct elman_check_tokens {
  elman_token_mode source_tokens, target_tokens;
  size_t source_vocabulary, target_vocabulary;
  /* The script of most lines: "Latin", "Cyrillic", "Han", "Japanese", ...; NULL if there is none.
   * The strings are constant. */
  const char *source_script, *target_script;
} elman_check_tokens;

/* Return the properties of the first part. They apply to the whole check. */
ELMAN_API elman_check_tokens elman_check_get_tokens(const elman_check *check);

/* A line with a finding. */
typedef struct elman_check_example {
  elman_finding finding;
  size_t part, line;             /* index of the part, from 0; line number, from 1 */
  size_t other_part, other_line; /* part and line of the earlier occurrence or, for SHIFTED, of the
                                    target that fits; line 0 = none */
  const char *source, *target;   /* NULL for a bad line */
  const char *problem;           /* the defect of a bad line; else empty */
  size_t source_length, target_length; /* characters (LENGTH_RATIO) or tokens (TOO_LONG); or 0 */
} elman_check_example;

/* Get example `index`, from 0. Return false if there is none. Its text is valid as long as
 * `check`. */
ELMAN_API bool elman_check_get_example(elman_check_example *example, const elman_check *check,
                                       size_t index);

/* ---- before training ---- */

/* Called for a finding that would make a model useless, because many pairs have it. `share` is the
 * proportion of these pairs, up to 1; `place` is "file:line" of the first of them. */
typedef void elman_doubt_function(void *context, elman_finding finding, double share,
                                  const char *place);

/* Check a sample of pairs in a fraction of a second, and call `doubt` with `context` for each
 * finding that ruins a model. If `pairs` is a dev set, `training` are the pairs for training, which
 * determine scripts and languages; NULL = `pairs` itself. */
ELMAN_CHECKED elman_status elman_pairs_doubts(const elman_pairs *pairs, const elman_pairs *training,
                                              elman_doubt_function *doubt, void *context,
                                              elman_error *error);

ELMAN_END

#endif
