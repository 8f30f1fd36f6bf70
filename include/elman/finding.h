/* Findings: defects and unusual properties of a line in a corpus. */
#ifndef ELMAN_FINDING_H
#define ELMAN_FINDING_H

#include "elman/status.h"

ELMAN_BEGIN

/* Kinds of findings, most severe first within each group. */
typedef enum elman_finding {
  /* bad lines: no sentence pair can be read */
  ELMAN_FINDING_NOT_UTF8,
  ELMAN_FINDING_LACKS_COLUMN,
  ELMAN_FINDING_EMPTY,           /* the line or one of its sides is empty */
  ELMAN_FINDING_CARRIAGE_RETURN, /* a CR within the line, which ends no line */
  ELMAN_FINDING_BAD_ALIGNMENT,
  /* suspicious pairs */
  ELMAN_FINDING_DUPLICATE,      /* the pair occurs earlier in the same part */
  ELMAN_FINDING_NEAR_DUPLICATE, /* equal to an earlier pair except for case, width, punctuation or
                                   white space */
  ELMAN_FINDING_OTHER_TARGET,   /* the source occurs earlier in the part with another target */
  ELMAN_FINDING_OTHER_SOURCE,
  ELMAN_FINDING_LENGTH_RATIO,  /* a side is much longer or shorter than the other side suggests */
  ELMAN_FINDING_TOO_LONG,      /* a side has more tokens than `max_length` */
  ELMAN_FINDING_MIXED_SCRIPTS, /* a Chinese side has no Chinese characters, or another side has some
                                */
  ELMAN_FINDING_SWAPPED,       /* source and target are probably interchanged */
  /* leaks: the pair or side occurs in an earlier part; LIKE: equal except for case, width,
     punctuation or white space */
  ELMAN_FINDING_SAME_PAIR,
  ELMAN_FINDING_SAME_SOURCE,
  ELMAN_FINDING_SAME_TARGET,
  ELMAN_FINDING_LIKE_PAIR,
  ELMAN_FINDING_LIKE_SOURCE,
  ELMAN_FINDING_LIKE_TARGET
} elman_finding;

/* Return "not_utf8", "lacks_column", ...; NULL for any other value. */
ELMAN_API const char *elman_finding_name(elman_finding finding);
/* Return a description for people, such as "not valid UTF-8". */
ELMAN_API const char *elman_finding_description(elman_finding finding);

ELMAN_END

#endif
