/* Sentence pairs from files of other formats: CSV, TMX, JSON and exports of tatoeba.org. */
#ifndef ELMAN_IMPORT_H
#define ELMAN_IMPORT_H

#include "elman/pairs.h"

ELMAN_BEGIN

/* Return the name of a format, from index 0: "csv", "tmx", ...; NULL past the last. */
ELMAN_API const char *elman_import_format_name(size_t index);
/* Return the name of a separator of columns, from index 0: "comma", ...; NULL past the last. */
ELMAN_API const char *elman_import_separator_name(size_t index);

/* Whether the first record names the columns. */
typedef enum elman_import_header {
  ELMAN_IMPORT_HEADER_AUTO, /* the first record is a header if it names languages or sides */
  ELMAN_IMPORT_HEADER_YES,
  ELMAN_IMPORT_HEADER_NO
} elman_import_header;
/* Return "auto", "yes" or "no"; NULL for any other value. */
ELMAN_API const char *elman_import_header_name(size_t header);

typedef struct elman_import_options {
  const char *file; /* "-" is standard input; gzip input is decompressed, and a zip archive with one
                       text is unpacked if libzip is installed */
  const char *target_file; /* NULL, or a second file: line n of `file` is the source of line n of
                              this file. The options below then have no effect, except those that
                              elman_pairs_options has, too */
  const char *format;      /* name of the format; NULL = chosen by the name and the content of the
                              file */
  const char *separator;   /* name of the separator of the format "csv"; NULL = chosen by the
                              content */
  elman_import_header header; /* for files with columns */
  const char *columns;        /* "A,B", source and target: column numbers from 1, names of a header,
                                 or keys of JSON objects ("a.b" is the key b within a); NULL =
                                 chosen by the names, or the first two columns */
  const char *languages; /* "A,B", of source and target: codes in TMX, names of a header, or keys;
                            NULL = in TMX, the first two languages of the first unit that has two */
  bool strict;           /* treat a bad record as an error instead of skipping it */
  size_t max_bytes, max_unpacked;  /* as in elman_pairs_options; max_bytes limits a record */
  elman_skipped_function *skipped; /* may be NULL; receives the line where the record starts */
  void *context;
  uint64_t reserved[4];
} elman_import_options;

ELMAN_API elman_import_options elman_import_options_default(void);

/* Facts about an imported file. Texts are truncated. */
typedef struct elman_import_info {
  const char *format;    /* name of the format */
  const char *separator; /* name of the separator; NULL = the format has none */
  bool has_header;
  size_t columns[2]; /* numbers of source and target column, from 1; 0 = the format has none */
  char names[2][64]; /* names of source and target: column, language or key; "" = none */
  char others[256];  /* further languages of the first TMX unit, separated by commas */
} elman_import_info;

/* Read the pairs of a file of another format. elman_pairs_line returns each pair as source, tab,
 * target, and a tab with each further column of the file. In each text, a space replaces each tab,
 * and each line break with the white space around it. Spaces at the ends are dropped. All other
 * characters are unchanged.
 *
 * A record is bad if it is not valid UTF-8, lacks a side, or has an empty side. Return
 * ELMAN_BAD_DATA if the format is unknown or was not built in, if the file contradicts its format,
 * if more than a tenth of the records is not valid UTF-8, or if no pair remains. */
ELMAN_CHECKED elman_status elman_pairs_import(elman_pairs **pairs, elman_import_info *info,
                                              const elman_import_options *options,
                                              elman_error *error);

ELMAN_END

#endif
