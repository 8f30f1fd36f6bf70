/* Properties of a line of a corpus that a check finds. */
#ifndef ELMAN_FINDING_H
#define ELMAN_FINDING_H

#include "elman/status.h"

ELMAN_BEGIN

/* What can be said of a line of a corpus, from the bad to the odd. */
typedef enum elman_finding {
  /* bad lines, which are no pairs */
  ELMAN_FINDING_NOT_UTF8,
  ELMAN_FINDING_LACKS_COLUMN,
  ELMAN_FINDING_EMPTY, /* the line or one of its sides */
  ELMAN_FINDING_BAD_ALIGNMENT,
  /* worth a look */
  ELMAN_FINDING_DUPLICATE,      /* the same pair again in the same part */
  ELMAN_FINDING_NEAR_DUPLICATE, /* the same but for case, width, punctuation or white space */
  ELMAN_FINDING_OTHER_TARGET,   /* the same source again in the part, with another target */
  ELMAN_FINDING_OTHER_SOURCE,
  ELMAN_FINDING_LENGTH_RATIO,  /* a side is far longer or shorter than the other one promises */
  ELMAN_FINDING_TOO_LONG,      /* a side has more tokens than `max_length` */
  ELMAN_FINDING_MIXED_SCRIPTS, /* no Han characters on a side of Han, or some on the other */
  ELMAN_FINDING_SWAPPED,       /* source and target seem to have changed places */
  /* leaks: the same stands in an earlier part; LIKE is the same but for case, width, punctuation
     or white space */
  ELMAN_FINDING_SAME_PAIR,
  ELMAN_FINDING_SAME_SOURCE,
  ELMAN_FINDING_SAME_TARGET,
  ELMAN_FINDING_LIKE_PAIR,
  ELMAN_FINDING_LIKE_SOURCE,
  ELMAN_FINDING_LIKE_TARGET
} elman_finding;

/* "not_utf8", "lacks_column", ...; NULL for any other value. */
ELMAN_API const char *elman_finding_name(elman_finding finding);
/* "not valid UTF-8", ...: for people. */
ELMAN_API const char *elman_finding_description(elman_finding finding);

ELMAN_END

#endif
