/* Warnings of translations that are probably wrong. */
#ifndef ELMAN_WARNING_H
#define ELMAN_WARNING_H

#include "elman/translate.h"

ELMAN_BEGIN

/* Reasons, the most severe first. */
typedef enum elman_warning_kind {
  ELMAN_WARNING_NONE,
  ELMAN_WARNING_SCRIPT,    /* less than a third of the letters of the text are of the script of the
                              model's source side; a Han character counts as three letters */
  ELMAN_WARNING_VARIANTS,  /* most unknown source tokens are traditional characters, and the model
                              has their simplified forms, or the reverse */
  ELMAN_WARNING_UNKNOWN,   /* more than a third of the source tokens are unknown */
  ELMAN_WARNING_NUMBER,    /* the translation lacks a number of the text; numbers of one or two
                              digits do not count, nor does a digit followed by zeros */
  ELMAN_WARNING_IMPROBABLE /* the mean log-probability of the target tokens of a sentence is below
                              ELMAN_PROBABLE */
} elman_warning_kind;

/* The bound of ELMAN_WARNING_IMPROBABLE: a geometric mean probability of 37 % per token. With
 * data/everyday.zh-en.safetensors, 5 % of the 1,000 dev sentences are below the bound, and the mean
 * chrF of their translations is 25. Among good translations (chrF 60 or more), 0.2 % are below the
 * bound. */
#define ELMAN_PROBABLE (-1.0)

/* Bytes of a message, with its NUL. */
#define ELMAN_WARNING_SIZE 320

/* A warning. */
typedef struct elman_warning {
  elman_warning_kind kind;
  char message[ELMAN_WARNING_SIZE]; /* one or two sentences: the reason, and what to do; "" without
                                       a warning */
} elman_warning;

/* Return "none", "script", "variants", "unknown", "number" or "improbable" for a kind; NULL for any
 * other value. */
ELMAN_API const char *elman_warning_kind_name(size_t kind);

/* Return the warning of a translation by the model, or by an ensemble whose first model it is. In a
 * given reference, numbers and probability are not checked. In a translation without scores, the
 * probability is not checked. */
ELMAN_API elman_warning elman_translation_warning(const elman_model *model,
                                                  const elman_translation *translation);

ELMAN_END

#endif
