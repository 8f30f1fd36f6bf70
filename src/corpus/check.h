/* Checks of the parts of a corpus before training: leaks between parts, bad lines, and unusual
 * pairs. The checks change no file. */
#ifndef ELMAN_CORPUS_CHECK_H
#define ELMAN_CORPUS_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "corpus/findings.h"
#include "elman/check.h"
#include "elman/model.h"

#define FIRST_LEAK ELMAN_FINDING_SAME_PAIR
#define LEAKS (FINDINGS - FIRST_LEAK)

struct location {
  size_t part, line; /* line number, from 1; 0 = none */
};

struct example {
  elman_finding finding;
  struct location at;
  struct location other;           /* the earlier occurrence, or the line that a target fits */
  char *source, *target;           /* NULL for a bad line */
  char problem[160];               /* the problem of a bad line; else empty */
  size_t source_size, target_size; /* in the unit of the finding, characters or tokens; or 0 */
};

struct part_findings {
  char *name;
  size_t pairs;
  size_t counts[FINDINGS];   /* number of lines with each finding */
  size_t examples[FINDINGS]; /* stored examples */
  size_t leaking;            /* lines with at least one leak */
  size_t (*shared)[LEAKS];   /* (part): number of lines that also occur in that earlier part */
  size_t tokens[2];          /* by side */
  size_t unknown[2];         /* tokens that do not occur in the first part, by side */
};

/* All findings: their counts, and examples of each kind. */
struct elman_check {
  struct part_findings *parts;
  size_t part_count;
  size_t examples_wanted; /* maximum number of examples per kind and part */
  struct example *examples;
  size_t example_count, example_capacity;
  enum script scripts[2]; /* of the first part, by side */
  elman_token_mode modes[2];
  size_t vocabulary[2]; /* distinct tokens of the first part, by side */
};

#endif
