/* Sentence pairs that a command reads, and the options for them. */
#ifndef ELMAN_CLI_PAIRS_INPUT_H
#define ELMAN_CLI_PAIRS_INPUT_H

#include <stdbool.h>

#include "elman.h"
#include "options/command_line.h"

struct pairs_input {
  const char *source, *target;    /* two files that replace PAIRS, or NULL */
  const char *columns;            /* value of --columns: "A,B" */
  size_t alignment_column;        /* 0 = none */
  const char *alignment_file;     /* replaces the column, or NULL */
  bool check_alignments;          /* the meaning is that of elman_pairs_options */
  size_t max_bytes, max_unpacked; /* 0 = the default */
  bool strict;
  bool whole_lines; /* the meaning is that of elman_pairs_options */
};

#define DEFAULT_COLUMNS "1,2"
#define MAX_COLUMNS 1000

/* Parse the value "A,B" of --columns. Return an exit code; print a message if it is not 0. */
int columns_parse(size_t *source, size_t *target, const char *columns, const char *command);

/* Rows of an option table. `input` is a struct pairs_input. */
#define PAIRS_COLUMNS_OPTION(input)                                                                \
  OPTION("columns", 0, "A,B", "source and target columns of PAIRS, counted from 1",                \
         .group = "Input", .text = &(input).columns)
#define PAIRS_STRICT_OPTION(input)                                                                 \
  OPTION("strict", 0, NULL, "error on a bad line instead of skipping it", .group = "Input",        \
         .flag = &(input).strict)
#define PAIRS_FILES_OPTIONS(input)                                                                 \
  OPTION("source", 0, "FILE", "source sentences, one per line, in place of PAIRS",                 \
         .also = "source-file", .group = "Input", .text = &(input).source, .use = FILE_IS_READ),   \
      OPTION("target", 0, "FILE", "target sentences, one per line; needs --source",                \
             .also = "target-file", .group = "Input", .text = &(input).target,                     \
             .use = FILE_IS_READ),                                                                 \
      PAIRS_COLUMNS_OPTION(input)
#define PAIRS_LIMITS_OPTIONS(input)                                                                \
  OPTION("max-bytes", 0, "BYTES", "maximum bytes of a line; a longer line is an error",            \
         "16777216", .group = "Input", .count = &(input).max_bytes, .least = 1,                    \
         .most = 1000000000),                                                                      \
      OPTION("max-unpacked", 0, "BYTES", "maximum size of a decompressed gzip file", "4294967296", \
             .group = "Input", .count = &(input).max_unpacked, .least = 1,                         \
             .most = 1000000000000000)
#define PAIRS_OPTIONS(input)                                                                       \
  PAIRS_FILES_OPTIONS(input), PAIRS_STRICT_OPTION(input), PAIRS_LIMITS_OPTIONS(input)

/* Rules for commands with these options. TWO_FILES_RULES are for commands with --source and
 * --target. */
#define TWO_FILES_RULES                                                                            \
  {"source", "!target", "--source needs --target"},                                                \
      {"target", "!source", "--target needs --source"},                                            \
      {"source", "PAIRS", "PAIRS and --source cannot be combined"}, {                              \
    "columns", "source", "--columns applies to PAIRS, not to --source and --target"                \
  }
#define NO_PAIRS "no PAIRS given; name a file, or '-' for standard input"
#define PAIRS_RULES TWO_FILES_RULES, OPTION("!source", "!PAIRS", NO_PAIRS)

/* Set the options of elman_pairs_read, except its callback. Return an exit code; print a message if
 * it is not 0. */
int pairs_input_options(elman_pairs_options *options, const struct pairs_input *input,
                        const char *command, const struct operands *operands);

/* Read the pairs of `operands`, or of --source and --target. Print their number and the skipped
 * lines. Return an exit code; print a message if it is not 0. */
int pairs_input_read(elman_pairs **pairs, const struct pairs_input *input, const char *command,
                     const struct operands *operands);

/* Print the first skipped lines, as elman_skipped_function; `context` is a size_t, which counts
 * them. pairs_note_more_skipped then prints the number of the others. */
void pairs_note_skipped(void *context, const char *file, size_t line, elman_finding fault,
                        const char *problem);
void pairs_note_more_skipped(size_t skipped);

/* Return the names of the files that contain the pairs. The caller frees the text. Return NULL if
 * memory ran out. */
char *pairs_input_name(const struct pairs_input *input, const struct operands *operands);

/* Check that standard input is not read twice, and not by one of several processes. Return EX_OK,
 * or print a message and return EX_USAGE. */
int check_standard_input(const char *command, bool read, bool twice);

/* Check that at most one file, including `dev` (NULL = none), is standard input. If one is, check
 * that there is only one process. Return an exit code; print a message if it is not 0. */
int pairs_input_check_standard(const struct pairs_input *input, const char *dev,
                               const char *command, const struct operands *operands);

/* Return whether `path` names one of the files that pairs and alignments are read from. The file
 * may have several names. */
bool pairs_input_includes(const struct pairs_input *input, const struct operands *operands,
                          const char *path);

#endif
