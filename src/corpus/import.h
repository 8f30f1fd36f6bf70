/* Parts of elman_pairs_import: each format has a reader that passes its records to import_add. */
#ifndef ELMAN_CORPUS_IMPORT_H
#define ELMAN_CORPUS_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "elman/import.h"

enum { IMPORT_PROBLEM = 160 };

struct importer {
  const elman_import_options *options;
  elman_import_info *info;
  elman_pairs *pairs;
  const char *name;         /* name of the file, for messages */
  char entry[256];          /* name of the file in a zip archive; "" = the file is no zip archive */
  struct text content;      /* UTF-8 without a byte order mark; readers may modify the bytes */
  bool was_utf16;           /* the content was converted */
  struct buffer line;       /* line of the current pair */
  size_t records;           /* records found, good or bad */
  size_t not_utf8;          /* records that are not valid UTF-8 */
  struct elman_error first; /* problem of the first skipped record */
  elman_error *error;
};

/* Add the pair of the record that starts at line `number`: source, target and further columns. Skip
 * a bad record. */
elman_status import_add(struct importer *importer, size_t number, const struct text *fields,
                        size_t count) CHECKED;

/* Report and skip a record, or fail if bad records are errors. */
elman_status import_skip(struct importer *importer, size_t number, elman_finding fault,
                         const char *problem) CHECKED;

/* Fail for the whole file; `number` is the line of the problem, 0 = none. */
elman_status import_fail(const struct importer *importer, elman_status code, size_t number,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Check the size of a record in bytes against the limit. */
elman_status import_check_size(const struct importer *importer, size_t number, size_t size) CHECKED;

/* ---- zip archives ---- */

/* Return whether this build reads zip archives. */
bool import_reads_zip(void);

/* Replace the bytes of a zip archive by the bytes of the only text in the archive, and set
 * importer->entry. */
elman_status import_unzip(struct importer *importer, struct buffer *bytes) CHECKED;

/* ---- names of sides ---- */

/* Split the value "A,B" of an option named `option`. */
elman_status import_split_option(struct text words[2], const struct importer *importer,
                                 const char *option, const char *value) CHECKED;

/* Choose source and target among names of columns or keys: names of sides such as "source" and
 * "target", or two languages. Return false if the choice is not clear. */
bool import_choose(size_t chosen[2], const struct text *names, size_t count);

/* Return whether all names are languages. */
bool import_are_languages(const struct text *names, size_t count);

/* Return whether two names are equal, ignoring the case of ASCII letters. */
bool import_same_name(struct text a, struct text b);

/* Set the name of a side in the information about the file. */
void import_set_name(struct importer *importer, int side, struct text name);

/* Print names into `list`, separated by commas; long lists end in "...". */
void import_list(char *list, size_t size, const struct text *names, size_t count);

/* ---- formats ---- */

/* Formats with columns. */
enum import_columns { COLUMNS_CSV, COLUMNS_TATOEBA, COLUMNS_BARS, COLUMNS_PAIRS };

/* Find the format of text with columns. *found is false if none fits. `csv` states that the name of
 * the file ends in ".csv". */
elman_status import_detect_columns(bool *found, enum import_columns *kind, struct text content,
                                   bool csv, elman_error *error) CHECKED;

elman_status import_columns(struct importer *importer, enum import_columns kind) CHECKED;

/* JSON Lines, or one JSON array of all records. */
elman_status import_json_lines(struct importer *importer) CHECKED;
elman_status import_json_array(struct importer *importer) CHECKED;

elman_status import_tmx(struct importer *importer) CHECKED;

#endif
