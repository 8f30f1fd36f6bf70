/* Languages: codes in the form of BCP 47, their names, and the scripts that only one language
 * uses. */
#ifndef ELMAN_LANGUAGE_H
#define ELMAN_LANGUAGE_H

#include <stdbool.h>

#include "elman/status.h"

ELMAN_BEGIN

/* Size of the longest code, with its NUL. BCP 47 requires at least 35 characters. */
#define ELMAN_LANGUAGE_SIZE 36

/* The code of a language, such as "de", "pt-BR" or "zh-Hans"; "" = not stated. The bytes after its
 * end are 0. */
typedef struct elman_language {
  char code[ELMAN_LANGUAGE_SIZE];
} elman_language;

/* A language that is not stated. */
#define ELMAN_NO_LANGUAGE ((elman_language){""})

/* Set *language to the code in `text`: two or three letters, then optional parts of one to eight
 * letters and digits after hyphens. Write it as BCP 47 recommends: "PT-br" becomes "pt-BR", and
 * "deu" becomes "de", because a code with two letters replaces one with three. The empty text is
 * also valid: it means "not stated". Return false for any other text. */
ELMAN_API bool elman_language_parse(elman_language *language, const char *text);

/* Return the English name of the language of a code, "German" for "de" and for "de-AT"; NULL for a
 * code that the library does not list. It lists the codes of ISO 639-1, and some codes with three
 * letters. */
ELMAN_API const char *elman_language_name(const char *code);

/* Return the code of a language by its English name in any case; NULL if there is none. */
ELMAN_API const char *elman_language_named(const char *name);

/* Return the code of the language of a script that only one language uses, "he" for "Hebrew"; NULL
 * if several languages use the script. `script` is a name as in elman_model_info, or NULL. */
ELMAN_API const char *elman_language_of_script(const char *script);

/* Return the script that most of a text is written in, named as in elman_model_info: "Latin",
 * "Han", "Japanese", ...; NULL for a text without letters, and for a text in a script without a
 * name. A Han character counts as three letters, and a Hangul syllable as two. */
ELMAN_API const char *elman_text_script(const char *text);

ELMAN_END

#endif
