/* elman page */
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "attention/playground.h"
#include "commands.h"
#include "console/messages.h"
#include "console/output.h"
#include "elman.h"
#include "input/model_input.h"
#include "options/command_line.h"

struct page_job {
  const char *model, *output;
  bool empty;
};

/* Largest model file in bytes. A browser decodes the base64 text at once: with a model of this size
 * a page opens in seconds, with one of twice the size it stops responding. */
enum { MOST_MODEL_BYTES = 64 << 20 };

/* ---- the model inside the page ---- */

/* Write `count` bytes in base64; return the number of characters. The bytes may be passed in parts;
 * each part but the last needs a multiple of three bytes. */
static size_t encode(char *text, const unsigned char *bytes, size_t count) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t used = 0;
  for (size_t i = 0; i < count; i += 3) {
    const unsigned second = i + 1 < count ? bytes[i + 1] : 0,
                   third = i + 2 < count ? bytes[i + 2] : 0;
    const unsigned bits = (unsigned)bytes[i] << 16 | second << 8 | third;
    text[used++] = digits[bits >> 18];
    text[used++] = digits[bits >> 12 & 63];
    text[used++] = i + 1 < count ? digits[bits >> 6 & 63] : '=';
    text[used++] = i + 2 < count ? digits[bits & 63] : '=';
  }
  return used;
}

/* Return whether the bytes are written. The output stores a failure. */
static bool put(struct output *output, const void *bytes, size_t count) {
  return fwrite(bytes, 1, count, output->stream) == count || output_flush(output);
}

/* Write the file in base64. Stop at a signal or at the first write error, which output_close
 * reports. Return an exit code; print a message for an error. */
static int write_file(struct output *output, FILE *file, const char *path, size_t size) {
  enum { BLOCK = 3 << 13 };
  unsigned char bytes[BLOCK];
  char text[BLOCK / 3 * 4];
  size_t done = 0, count;
  while ((count = fread(bytes, 1, sizeof bytes, file)) > 0) {
    done += count;
    if (interrupt_signal() != 0) return 128 + interrupt_signal();
    if (!put(output, text, encode(text, bytes, count))) return EX_OK;
  }
  if (ferror(file)) {
    report(path, "cannot read: %m");
    return EX_IOERR;
  }
  if (done == size) return EX_OK;
  report(path, "changed while it was read; run the command again");
  return EX_IOERR;
}

/* ---- the page ---- */

/* Write the page. `file` is the model file, or NULL for a page without a model. */
static int write_page(const struct page_job *job, FILE *file, size_t size, size_t parameters) {
  struct output output;
  int code = output_open(&output, job->output);
  if (code != EX_OK) return code;
  if (output.file != NULL) interrupt_catch_first();
  const bool begun = put(&output, playground_head, playground_head_size);
  if (begun && file != NULL) code = write_file(&output, file, job->model, size);
  if (code == EX_OK && output.problem == 0) put(&output, playground_tail, playground_tail_size);
  code = output_finish(&output, code, code == EX_OK);
  const size_t bytes = playground_head_size + (size + 2) / 3 * 4 + playground_tail_size;
  if (code == EX_OK && file != NULL)
    note("wrote the playground with %s to %s: %zu parameters, %zu bytes", job->model, output.path,
         parameters, bytes);
  else if (code == EX_OK)
    note("wrote the playground without a model to %s: %zu bytes", output.path, bytes);
  return code;
}

static int write_with_model(const struct page_job *job) {
  elman_model *model;
  struct stat info = {0};
  if (stat(job->model, &info) == 0 && info.st_size > MOST_MODEL_BYTES) {
    report(job->model,
           "%zu bytes are too much for a page, which holds a model of at most %d bytes; 'elman "
           "convert' makes the file about half as large",
           (size_t)info.st_size, MOST_MODEL_BYTES);
    return EX_DATAERR;
  }
  /* The page cannot use a damaged model, so load the model first. */
  int code = model_open(&model, job->model);
  if (code != EX_OK) return code;
  const size_t parameters = elman_model_get_info(model).parameters;
  elman_model_free(model);
  FILE *file = fopen(job->model, "rbe");
  if (file == NULL) {
    report(job->model, "cannot open the file: %m");
    return EX_OSERR;
  }
  code = write_page(job, file, (size_t)info.st_size, parameters);
  fclose(file);
  return code;
}

int page_command(int argc, char **argv) {
  struct page_job job = {.model = DEFAULT_MODEL};
  const struct option options[] = {
      MODEL_OPTION(job.model),
      {"empty", 0, NULL, "page without a model", .flag = &job.empty, .group = "Input"},
      OUTPUT_OPTIONS(job.output, "the page"),
      QUIET_OPTION("no messages except errors"),
      {0}};
  const struct rule rules[] = {{"FILE", "", "unexpected '%s'; name the model with -m FILE"},
                               {"empty", "model", "--empty and --model cannot be combined"},
                               {0}};
  const struct usage usage = {
      "page",
      "[options]",
      "Writes the playground with a model inside: one page for a browser, which translates with\n"
      "the model, shows its attention, and trains models. The page needs no server and no\n"
      "network. 'elman convert' makes the model about half as large.",
      options,
      rules,
      .reads_operands = false};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  if (is_standard(job.output) && isatty(STDOUT_FILENO))
    return report_usage(usage.command,
                        "the page is too long for a terminal; name a file with -o FILE");
  if (playground_head_size == 0) {
    report(NULL, "this build has no playground; make it with 'cmake --preset wasm && cmake --build "
                 "--preset wasm', and build elman with -DELMAN_WASM=build/wasm/playground.html");
    return EX_UNAVAILABLE;
  }
  return job.empty ? write_page(&job, NULL, 0, 0) : write_with_model(&job);
}
