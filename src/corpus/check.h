/* Looking at the parts of a corpus before training on it: leaks between them, bad lines, and what
 * else is worth a look. Read-only. */
#ifndef ELMAN_CORPUS_CHECK_H
#define ELMAN_CORPUS_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "corpus/pairs.h"
#include "elman/check.h"
#include "elman/model.h"

#define FINDINGS (ELMAN_FINDING_LIKE_TARGET + 1)
#define FIRST_LEAK ELMAN_FINDING_SAME_PAIR
#define LEAKS (FINDINGS - FIRST_LEAK)

/* A pair of sentences with what is usual in the corpus, by which a finding is decided. */
struct line_look;

/* A finding is a row of the table in check.c. */
struct finding_row {
  const char *name, *description;              /* for programs; for people */
  bool (*holds)(const struct line_look *line); /* NULL if it needs more than the line */
};

/* NULL if there is no such finding. */
const struct finding_row *finding_row(elman_finding finding);

struct location {
  size_t part, line; /* line from 1; 0 = nowhere */
};

struct example {
  elman_finding finding;
  struct location at;
  struct location other;           /* where the same stood before */
  char *source, *target;           /* NULL for a bad line */
  char problem[160];               /* for a bad line; else empty */
  size_t source_size, target_size; /* as counted for the finding: characters or tokens; or 0 */
};

struct part_findings {
  char *name;
  size_t pairs;
  size_t counts[FINDINGS];   /* lines */
  size_t examples[FINDINGS]; /* kept */
  size_t leaking;            /* lines with a leak of any kind */
  size_t (*shared)[LEAKS];   /* (part): lines that are also in that earlier part */
  size_t tokens[2];          /* by side */
  size_t unknown[2];         /* of them, those that the first part lacks */
};

/* Counts, and examples of each kind. */
struct findings {
  struct part_findings *parts;
  size_t part_count;
  size_t examples_wanted; /* of each kind in each part */
  struct example *examples;
  size_t example_count, example_capacity;
  elman_token_mode modes[2];
  size_t vocabulary[2]; /* different tokens of the first part, by side */
};

void findings_free(struct findings *findings);

/* Whether there are neither leaks nor bad lines. */
bool findings_clean(const struct findings *findings);

/* Token modes, scripts, the usual ratio of lengths and the vocabulary come from the first part.
 * `skipped`, `strict` and `whole_lines` of a part are not looked at. */
elman_status check_corpus(struct findings **findings, const elman_check_options *options,
                          elman_error *error) CHECKED;

#endif
