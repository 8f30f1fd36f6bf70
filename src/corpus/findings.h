/* The table of findings of a corpus check, and the findings that a single pair shows. */
#ifndef ELMAN_CORPUS_FINDINGS_H
#define ELMAN_CORPUS_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "corpus/pairs.h"
#include "corpus/side_words.h"
#include "elman/finding.h"
#include "elman/model.h"
#include "vocab/scripts.h"

#define FINDINGS (ELMAN_FINDING_LIKE_TARGET + 1)

struct line_properties;

/* A kind of finding. */
struct finding_row {
  const char *name, *description; /* name for programs; description for people */
  elman_finding_kind kind;
  /* NULL if a single pair cannot show the finding. */
  bool (*holds)(const struct line_properties *line);
  /* The smallest proportion of pairs at which the finding ruins a model; 0 = it never does. */
  double ruins_from;
  const char *advice; /* a remedy; may be NULL */
};

/* Return the row of a finding; NULL for an unknown one. */
const struct finding_row *finding_row(elman_finding finding);

/* ---- typical properties of a corpus ---- */

/* The arrays are indexed by elman_side. The caller initializes the struct to zero. */
struct typical {
  enum script script[2];
  double ratio;            /* target characters per source character */
  bool ids[2];             /* most texts are numbers or ids */
  uint64_t same[2];        /* hash of a text that most lines have; 0 = none */
  bool enclosed;           /* many pairs have both sides in double quotation marks */
  struct side_words words; /* empty unless both sides have the same script */
};

/* Determine the properties from at most about `sample` pairs, spread over the corpus. */
elman_status typical_find(struct typical *typical, const elman_pairs *pairs, size_t sample,
                          elman_error *error) CHECKED;
void typical_free(struct typical *typical);

/* ---- a pair ---- */

struct line_properties {
  const struct typical *typical;
  double max_ratio;
  struct text sides[2]; /* without white space at both ends */
  struct letter_counts letters[2];
  size_t characters[2];                 /* all characters except white space */
  struct language_evidence language[2]; /* zero unless both sides have the same script */
  bool copy;                            /* the sides are equal and have several words */
};

/* Measure a pair for the functions `holds`. */
void line_measure(struct line_properties *line, const struct pair *pair,
                  const struct typical *typical, double max_ratio);

#endif
