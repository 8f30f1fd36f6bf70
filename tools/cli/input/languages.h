/* The languages that names of files state. */
#ifndef ELMAN_CLI_LANGUAGES_H
#define ELMAN_CLI_LANGUAGES_H

#include "elman.h"

/* Read two codes with a hyphen between them, such as "zh-en" or "pt-BR-en", into `pair`, by
 * elman_side. Return false for any other text. All functions may change `pair` even then. */
bool languages_of_pair(elman_language pair[2], const char *text);

/* Do the same, but accept only codes that the library lists, and therefore not "my-own". */
bool languages_of_known_pair(elman_language pair[2], const char *text);

/* Find such a pair between the dots of a file name: everyday.zh-en.safetensors. */
bool languages_of_file(elman_language pair[2], const char *path);

/* Read the codes of listed languages at the ends of the names of two files, which are otherwise
 * equal: train.de and train.en. ".gz" may follow. */
bool languages_of_two_files(elman_language pair[2], const char *source, const char *target);

#endif
