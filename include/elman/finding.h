/* Findings: defects and unusual properties of a line in a corpus. */
#ifndef ELMAN_FINDING_H
#define ELMAN_FINDING_H

#include "elman/status.h"

ELMAN_BEGIN

/* Findings, most severe first within each group. */
typedef enum elman_finding {
  /* bad lines: no sentence pair can be read */
  ELMAN_FINDING_NOT_UTF8,
  ELMAN_FINDING_LACKS_COLUMN,
  ELMAN_FINDING_EMPTY,           /* the line or one of its sides is empty */
  ELMAN_FINDING_CARRIAGE_RETURN, /* a CR within the line, where it does not end the line */
  ELMAN_FINDING_BAD_ALIGNMENT,
  /* suspicious pairs */
  ELMAN_FINDING_SHIFTED, /* from this pair on, targets fit the sources of other lines */
  ELMAN_FINDING_SWAPPED, /* source and target are probably interchanged */
  ELMAN_FINDING_ID,      /* a side is only a number, an id if most lines have ids, or the text of
                            most lines */
  ELMAN_FINDING_COPY,    /* the target equals the source, which has several words */
  ELMAN_FINDING_WRONG_LANGUAGE, /* a side is in the language of the other side; both languages have
                                   the same script */
  ELMAN_FINDING_MIXED_SCRIPTS,  /* a side has letters of another script than most of the corpus */
  ELMAN_FINDING_WRONG_ENCODING, /* U+FFFD, or text that was read in another encoding */
  ELMAN_FINDING_MARKUP,         /* an HTML tag or entity */
  ELMAN_FINDING_TOKEN_MARKS,    /* marks by which another tool separates tokens */
  ELMAN_FINDING_QUOTED,         /* a field in quotation marks that a spreadsheet added */
  ELMAN_FINDING_INVISIBLE,      /* invisible or control characters */
  ELMAN_FINDING_DUPLICATE,      /* the pair occurs earlier in the same part */
  ELMAN_FINDING_NEAR_DUPLICATE, /* equal to an earlier pair except for case, width, punctuation or
                                   white space */
  ELMAN_FINDING_OTHER_TARGET,   /* the source occurs earlier in the part with another target */
  ELMAN_FINDING_OTHER_SOURCE,
  ELMAN_FINDING_LENGTH_RATIO, /* a side is much longer or shorter than the other side suggests */
  ELMAN_FINDING_TOO_LONG,     /* a side has more tokens than `max_length` */
  /* leaks: the pair or side occurs in an earlier part; LIKE: equal except for case, width,
     punctuation or white space */
  ELMAN_FINDING_SAME_PAIR,
  ELMAN_FINDING_SAME_SOURCE,
  ELMAN_FINDING_SAME_TARGET,
  ELMAN_FINDING_LIKE_PAIR,
  ELMAN_FINDING_LIKE_SOURCE,
  ELMAN_FINDING_LIKE_TARGET
} elman_finding;

/* The groups of findings. */
typedef enum elman_finding_kind {
  ELMAN_FINDING_KIND_BAD_LINE,   /* the line is skipped */
  ELMAN_FINDING_KIND_SUSPICIOUS, /* the pair is used, and reported by a check */
  ELMAN_FINDING_KIND_LEAK
} elman_finding_kind;

/* Return "not_utf8", "lacks_column", ...; NULL for any other value. */
ELMAN_API const char *elman_finding_name(elman_finding finding);
/* Return a description for people, such as "not valid UTF-8"; NULL for any other value. */
ELMAN_API const char *elman_finding_description(elman_finding finding);
/* Return a remedy for people; NULL if there is no general one. */
ELMAN_API const char *elman_finding_advice(elman_finding finding);
/* Return the group of a finding. The value must be one of the enumeration. */
ELMAN_API elman_finding_kind elman_finding_get_kind(elman_finding finding);

ELMAN_END

#endif
