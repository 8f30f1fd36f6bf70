/* Findings of a check of a corpus: counts, and examples of each kind. */
#ifndef ELMAN_CORPUS_FINDINGS_H
#define ELMAN_CORPUS_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "corpus/pairs.h"
#include "elman/check.h"
#include "vocab/tokens.h"
#include "vocab/vocabulary.h"

#define FINDINGS (ELMAN_FINDING_LIKE_TARGET + 1)
#define FIRST_LEAK ELMAN_FINDING_SAME_PAIR
#define LEAKS (FINDINGS - FIRST_LEAK)

/* A pair of sentences with what is usual in the corpus, by which a finding is decided. */
struct line_look;

struct finding_row {
  const char *name, *description;              /* for programs; for people */
  bool (*holds)(const struct line_look *line); /* NULL if it takes more than the line */
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

struct findings {
  struct part_findings *parts;
  size_t part_count;
  size_t examples_wanted; /* of each kind in each part */
  struct example *examples;
  size_t example_count, example_capacity;
  elman_token_mode modes[2];
  size_t vocabulary[2]; /* different tokens of the first part, by side */
};

elman_status findings_create(struct findings **findings, size_t parts, size_t examples_wanted,
                             elman_error *error) CHECKED;
void findings_free(struct findings *findings);

/* Whether there are neither leaks nor bad lines. */
bool findings_clean(const struct findings *findings);

/* Keeps `example` if its part wants more of the kind, with the pair's text unless it is NULL. */
elman_status findings_example(struct findings *findings, struct example example,
                              const struct pair *pair, elman_error *error) CHECKED;

/* Counts, and keeps the example. */
elman_status findings_add(struct findings *findings, struct example example,
                          const struct pair *pair, elman_error *error) CHECKED;

#endif
