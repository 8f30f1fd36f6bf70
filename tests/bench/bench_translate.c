/* Measure translation through the public API:
 *
 *   bench_translate MODEL SENTENCES OUTPUT BEAM MAX_LENGTH single|batch float32|int8
 *
 * SENTENCES has one sentence per line. Print the seconds for all sentences, without loading the
 * model and a first sentence. Greedy decoding computes no scores, like the PyTorch program. OUTPUT
 * gets one line per sentence: the ids of its tokens, a tab, and the ids of its translation.
 * MAX_LENGTH 0 is the default limit. */
#include <inttypes.h>
#include <string.h>

#include "bench_training.h"

struct work {
  elman_sentence *sentences;
  size_t count;
  elman_translation **translations;
};

static double run(const struct work *work, elman_translator *translator,
                  const elman_translate_options *options, bool batch) {
  elman_error error = {0};
  for (size_t i = 0; i < work->count; i++) {
    elman_translation_free(work->translations[i]);
    work->translations[i] = NULL;
  }
  const double start = bench_seconds();
  if (batch) {
    bench_check(elman_translate_batch(work->translations, NULL, translator, work->sentences,
                                      work->count, options, &error),
                &error);
  } else {
    for (size_t i = 0; i < work->count; i++)
      bench_check(elman_translate(&work->translations[i], translator, work->sentences[i].text,
                                  work->sentences[i].length, options, &error),
                  &error);
  }
  return bench_seconds() - start;
}

static void write_ids(FILE *file, const uint32_t *ids, size_t count) {
  for (size_t i = 0; i < count; i++) fprintf(file, "%s%" PRIu32, i > 0 ? " " : "", ids[i]);
}

static void write_line(FILE *file, const elman_translation *translation) {
  write_ids(file, translation->source_ids, translation->source_count);
  fputc('\t', file);
  write_ids(file, translation->target_ids, translation->target_count);
  fputc('\n', file);
}

int main(int argc, char **argv) {
  if (argc != 8)
    bench_fail("usage: bench_translate MODEL SENTENCES OUTPUT BEAM MAX_LENGTH single|batch "
               "float32|int8");
  elman_error error = {0};
  elman_model *model;
  elman_translator *translator;
  elman_lines *lines;
  bench_check(elman_model_load(&model, argv[1], &error), &error);
  bench_check(elman_translator_create(&translator, model, &error), &error);
  bench_check(elman_lines_read(&lines, argv[2], &error), &error);

  const char *const *texts = elman_lines_get(lines);
  struct work work = {.count = elman_lines_count(lines)};
  work.sentences = bench_allocate(work.count, sizeof *work.sentences);
  work.translations = bench_allocate(work.count, sizeof(elman_translation *));
  for (size_t i = 0; i < work.count; i++)
    work.sentences[i] = (elman_sentence){.text = texts[i], .length = strlen(texts[i])};

  elman_translate_options options = elman_translate_options_default();
  options.without_scores = true;
  options.beam = bench_size(argv[4]);
  options.max_length = bench_size(argv[5]);
  options.precision = strcmp(argv[7], "int8") == 0 ? ELMAN_PRECISION_INT8 : ELMAN_PRECISION_FLOAT32;
  const bool batch = strcmp(argv[6], "batch") == 0;
  const size_t count = work.count;
  work.count = 1;
  run(&work, translator, &options, batch);
  work.count = count;
  const double seconds = run(&work, translator, &options, batch);

  FILE *output = fopen(argv[3], "w");
  if (output == NULL) bench_fail("cannot write the output");
  for (size_t i = 0; i < work.count; i++) {
    write_line(output, work.translations[i]);
    elman_translation_free(work.translations[i]);
  }
  if (fclose(output) != 0) bench_fail("cannot write the output");
  printf("{\"peak_kib\": %ld, ", bench_peak_kib());
  bench_print_seconds(&seconds, 1);
  printf("}\n");
  free(work.translations);
  free(work.sentences);
  elman_lines_free(lines);
  elman_translator_free(translator);
  elman_model_free(model);
  return 0;
}
