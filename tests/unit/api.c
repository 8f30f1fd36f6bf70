/* The public API, as a stranger's program sees it: elman.h and nothing else of the project. */
#include <criterion/criterion.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elman.h"
#include "folder.h"
#include "forced.h"

TestSuite(api, .init = enter_folder, .fini = leave_folder);

static const char MODEL[] = "model.safetensors";

/* ---- shorthands ---- */

static const char *data_file(const char *name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/../data/%s", getenv("TEST_DATA"), name);
  return path;
}

static elman_pairs *read_pairs(const char *file) {
  elman_pairs_options options = elman_pairs_options_default();
  elman_error error = {0};
  elman_pairs *pairs;
  options.files = &file;
  options.file_count = 1;
  cr_assert_eq(elman_pairs_read(&pairs, &options, &error), ELMAN_OK, "%s", error.message);
  return pairs;
}

static elman_pairs *toy(void) {
  return read_pairs(data_file("toy.zh-en.tsv"));
}

static elman_model *create(const elman_pairs *pairs, const elman_model_options *options) {
  elman_error error = {0};
  elman_model *model;
  cr_assert_eq(elman_model_create(&model, pairs, options, &error), ELMAN_OK, "%s", error.message);
  return model;
}

/* A model of toy size with its initial weights. */
static elman_model *small_model(void) {
  elman_pairs *pairs = toy();
  elman_model_options options = elman_model_options_default();
  options.embedding_size = 12;
  options.hidden_size = 16;
  elman_model *model = create(pairs, &options);
  elman_pairs_free(pairs);
  return model;
}

static elman_translator *translator_of(const elman_model *model) {
  elman_translator *translator;
  cr_assert_eq(elman_translator_create(&translator, model, NULL), ELMAN_OK);
  return translator;
}

static elman_translation *translate(elman_translator *translator, const char *text,
                                    const elman_translate_options *options) {
  elman_error error = {0};
  elman_translation *translation;
  cr_assert_eq(elman_translate(&translation, translator, text, strlen(text), options, &error),
               ELMAN_OK, "%s", error.message);
  return translation;
}

static void put(const char *name, const char *content) {
  put_bytes(name, content, strlen(content));
}

/* An error says something, in one line, and has the code that was returned. */
static void check_error(elman_status status, const elman_error *error, elman_status expected,
                        const char *message, const char *where) {
  cr_assert_eq(status, expected, "status %d: %s", status, error->message);
  cr_assert_eq(error->code, expected);
  cr_assert_not_null(strstr(error->message, message), "\"%s\" lacks \"%s\"", error->message,
                     message);
  cr_assert_null(strchr(error->message, '\n'));
  cr_assert_str_eq(error->where, where);
}

/* ---- names and defaults ---- */

Test(api, version) {
  int major, minor, patch, end = 0;
  cr_assert_eq(sscanf(elman_version(), "%d.%d.%d%n", &major, &minor, &patch, &end), 3);
  cr_assert_eq(elman_version()[end], '\0');
}

Test(api, names) {
  cr_assert_str_eq(elman_token_mode_name(ELMAN_TOKENS_SPACE), "space");
  cr_assert_str_eq(elman_token_mode_name(ELMAN_TOKENS_WORDS), "words");
  cr_assert_str_eq(elman_token_mode_name(ELMAN_TOKENS_CHARS), "chars");
  cr_assert_str_eq(elman_token_mode_name(ELMAN_TOKENS_AUTO), "auto");
  cr_assert_null(elman_token_mode_name((elman_token_mode)4));
  cr_assert_null(elman_token_mode_name((elman_token_mode)UINT32_MAX));
  cr_assert_str_eq(elman_attention_name(0), "dot");
  cr_assert_str_eq(elman_attention_name(1), "scaled");
  cr_assert_str_eq(elman_attention_name(6), "local");
  cr_assert_null(elman_attention_name(7));
  cr_assert_null(elman_attention_name((size_t)1 << 32));
  cr_assert_null(elman_attention_name(SIZE_MAX));
  static const char *const formats[] = {"text", "json", "tsv",     "npy",
                                        "svg",  "html", "pharaoh", "softalignments"};
  enum { FORMATS = sizeof formats / sizeof *formats };
  for (size_t i = 0; i < FORMATS; i++) cr_assert_str_eq(elman_format_name(i), formats[i]);
  cr_assert_null(elman_format_name(FORMATS));
  cr_assert_str_eq(elman_format_of_path("a.txt"), "text");
  cr_assert_null(elman_format_of_path("a.gif"));
}

Test(api, defaults) {
  const elman_pairs_options pairs = elman_pairs_options_default();
  cr_assert_eq(pairs.source_column, 1);
  cr_assert_eq(pairs.target_column, 2);
  cr_assert_eq(pairs.alignment_column, 0);
  cr_assert_not(pairs.strict);
  cr_assert_null(pairs.skipped);
  const elman_model_options model = elman_model_options_default();
  cr_assert_eq(model.embedding_size, 128);
  cr_assert_eq(model.hidden_size, 128);
  cr_assert_str_eq(model.attention, "dot");
  cr_assert_eq(model.source_tokens, ELMAN_TOKENS_AUTO);
  cr_assert_eq(model.target_tokens, ELMAN_TOKENS_AUTO);
  cr_assert_eq(model.min_count, 1);
  cr_assert_eq(model.max_vocabulary, 0);
  cr_assert_eq(model.max_length, 0);
  cr_assert_eq(model.normalization, ELMAN_NFKC);
  cr_assert_eq(model.seed, 1);
  const elman_train_options train = elman_train_options_default();
  cr_assert_eq(train.epochs, ELMAN_EPOCHS_AUTO);
  cr_assert_eq(train.batch_size, 32);
  cr_assert_eq(train.learning_rate, 0.001);
  cr_assert_eq(train.clip_norm, 1);
  cr_assert_eq(train.max_length, 200);
  cr_assert_eq(train.seed, 1);
  cr_assert_eq(train.threads, 0);
  cr_assert_null(train.report);
  const elman_translate_options translating = elman_translate_options_default();
  cr_assert_eq(translating.max_length, 0);
  const elman_evaluate_options evaluating = elman_evaluate_options_default();
  cr_assert_eq(evaluating.batch_size, 32);
  cr_assert_eq(evaluating.translate.max_length, 0);
  cr_assert_eq(evaluating.threads, 0);
  cr_assert_null(evaluating.progress);
  /* An evaluation searches as a translation does. */
  cr_assert_eq(evaluating.translate.beam, translating.beam);
  cr_assert_eq(evaluating.translate.length_penalty, translating.length_penalty);
  cr_assert_eq(evaluating.translate.max_ratio, translating.max_ratio);
  cr_assert_eq(evaluating.translate.override_seed, translating.override_seed);
}

Test(api, free_accepts_null) {
  elman_pairs_free(NULL);
  elman_model_free(NULL);
  elman_translator_free(NULL);
  elman_translation_free(NULL);
}

Test(api, options_may_be_null) {
  elman_pairs *none, *pairs = toy();
  elman_error error = {0};
  check_error(elman_pairs_read(&none, NULL, &error), &error, ELMAN_INVALID_ARGUMENT, "no file", "");
  elman_check *check;
  check_error(elman_check_create(&check, NULL, &error), &error, ELMAN_INVALID_ARGUMENT, "", "");
  elman_split *split;
  if (elman_split_create(&split, pairs, NULL, &error) == ELMAN_OK) elman_split_free(split);

  elman_model *model = create(pairs, NULL), *small = small_model();
  cr_assert_eq(elman_model_get_info(model).hidden_size, 128);
  elman_model_free(model);
  cr_assert_eq(elman_train(small, pairs, NULL, &error), ELMAN_OK, "%s", error.message);
  elman_scores scores;
  cr_assert_eq(elman_evaluate(&scores, small, pairs, NULL, &error), ELMAN_OK, "%s", error.message);
  cr_assert_eq(scores.sentences, 5);
  elman_model_free(small);
  elman_pairs_free(pairs);

  const char *const text[] = {"one two three four"};
  const char *const *const references[] = {text};
  elman_metric_scores metric;
  cr_assert_eq(elman_metrics(&metric, text, references, 1, 1, NULL, &error), ELMAN_OK);
  cr_assert_float_eq(metric.bleu, 100, 1e-9);
  elman_comparison comparison;
  cr_assert_eq(elman_metrics_compare(&comparison, (const char *const *const[2]){text, text},
                                     references, 1, 1, NULL, &error),
               ELMAN_OK);
}

/* ---- the whole way ---- */

struct seen {
  size_t updates, stop_after; /* 0 = never */
  elman_train_report last;
};

static bool look(void *context, const elman_train_report *report) {
  struct seen *seen = context;
  seen->last = *report;
  return ++seen->updates != seen->stop_after;
}

static void check_translation(const elman_translation *translation) {
  for (size_t t = 0; t < translation->target_count; t++) {
    double sum = 0;
    for (size_t s = 0; s < translation->source_count; s++)
      sum += (double)translation->attention[t * translation->source_count + s];
    cr_assert_float_eq(sum, 1, 1e-5);
  }
  cr_assert(isfinite(translation->log_probability));
  cr_assert_leq(translation->log_probability, 0);
}

/* Trains the toy pairs as far as 30 epochs go, and takes everything else along the way. */
static void whole_cycle(void) {
  elman_error error = {0};
  elman_pairs *pairs = toy();
  cr_assert_eq(elman_pairs_count(pairs), 5);
  cr_assert_eq(elman_pairs_skipped(pairs), 0);
  const elman_model_options model_options = elman_model_options_default();
  elman_model *model = create(pairs, &model_options), *loaded;
  struct seen seen = {0};
  elman_train_options train_options = elman_train_options_default();
  train_options.epochs = 30;
  train_options.batch_size = 2;
  train_options.threads = 2;
  train_options.report = look;
  train_options.context = &seen;
  cr_assert_eq(elman_train(model, pairs, &train_options, &error), ELMAN_OK, "%s", error.message);
  cr_assert_eq(seen.updates, 90);
  cr_assert_eq(seen.last.epoch, 30);
  cr_assert_eq(seen.last.epochs, 30);
  cr_assert_eq(seen.last.update, 3);
  cr_assert_eq(seen.last.updates, 3);
  cr_assert_eq(seen.last.tokens, 25);
  cr_assert_eq(seen.last.left_out, 0);
  cr_assert_lt(seen.last.loss, 0.5);

  cr_assert_eq(elman_model_save(model, MODEL, &error), ELMAN_OK, "%s", error.message);
  cr_assert_eq(elman_model_load(&loaded, MODEL, &error), ELMAN_OK, "%s", error.message);
  elman_translator *before = translator_of(model), *after = translator_of(loaded);
  elman_translation *a = translate(before, "我 爱 学习", NULL);
  elman_translation *b = translate(after, "我爱学习", NULL); /* segmented by the vocabulary */
  cr_assert_str_eq(a->text, "I love studying");
  cr_assert_str_eq(b->text, a->text);
  cr_assert_eq(a->log_probability, b->log_probability);
  cr_assert_eq(a->source_count, 3);
  cr_assert_eq(a->target_count, 4);
  cr_assert_str_eq(a->source_tokens[2], "学习");
  cr_assert_str_eq(a->target_tokens[0], "I");
  cr_assert_str_eq(a->target_tokens[3], "</s>");
  cr_assert_str_eq(elman_model_get_token(model, ELMAN_SOURCE, a->source_ids[2], NULL, NULL),
                   "学习");
  cr_assert_str_eq(elman_model_get_token(model, ELMAN_TARGET, a->target_ids[1], NULL, NULL),
                   "love");
  cr_assert_eq(elman_model_get_joint(model, ELMAN_TARGET, a->target_ids[1]), ELMAN_JOINT_EXPECTED);
  cr_assert(a->source_known[0] && a->source_known[1] && a->source_known[2]);
  cr_assert_arr_eq(a->attention, b->attention, 12 * sizeof *a->attention);
  check_translation(a);

  cr_assert_eq(elman_attention_save("a.json", a, "json", &error), ELMAN_OK, "%s", error.message);
  elman_evaluate_options evaluate_options = elman_evaluate_options_default();
  evaluate_options.threads = 2;
  elman_scores scores;
  cr_assert_eq(elman_evaluate(&scores, loaded, pairs, &evaluate_options, &error), ELMAN_OK, "%s",
               error.message);
  cr_assert_eq(scores.tokens, 25);
  cr_assert_eq(scores.sentences, 5);
  cr_assert_float_eq(scores.perplexity, exp(scores.loss), 1e-12);
  cr_assert_lt(scores.loss, 0.5);

  elman_translation_free(a);
  elman_translation_free(b);
  elman_translator_free(before);
  elman_translator_free(after);
  elman_model_free(model);
  elman_model_free(loaded);
  elman_pairs_free(pairs);
}

Test(api, from_pairs_to_translation) {
  whole_cycle();
}

static void check_silent(const char *name) {
  struct stat info;
  cr_assert_eq(stat(name, &info), 0);
  cr_assert_eq(info.st_size, 0, "the library wrote to %s", name);
}

/* How the processor rounds and treats denormals. */
static unsigned floating_point_mode(void) {
  fenv_t all;
  cr_assert_eq(fegetenv(&all), 0);
#if defined(__x86_64__)
  return all.__mxcsr & 0xFFC0; /* without the flags of what happened */
#elif defined(__aarch64__)
  return all.__fpcr;
#else
  return 0;
#endif
}

static int threads_of_process(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  int threads = 0;
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "Threads: %d", &threads) == 1) break;
  if (file != NULL) fclose(file);
  return threads;
}

Test(api, nothing_is_printed_and_nothing_around_is_changed) {
  setlocale(LC_ALL, "C.UTF-8");
  setlocale(LC_NUMERIC, "C");
  char *locale = strdup(setlocale(LC_ALL, NULL));
  const int signals[] = {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ, SIGHUP};
  struct sigaction before[5], after;
  for (size_t i = 0; i < 5; i++) sigaction(signals[i], NULL, &before[i]);
  const unsigned mode = floating_point_mode();
  const int threads = threads_of_process();
  cr_assert_not_null(freopen("stdout", "w", stdout));
  const int old_stderr = dup(STDERR_FILENO);
  cr_assert_not_null(freopen("stderr", "w", stderr));
  whole_cycle();
  fflush(NULL);
  dup2(old_stderr, STDERR_FILENO);
  check_silent("stdout");
  check_silent("stderr");
  cr_assert_leq(threads_of_process(), threads); /* OpenBLAS had some of its own before */
  cr_assert_str_eq(setlocale(LC_ALL, NULL), locale);
  for (size_t i = 0; i < 5; i++) {
    sigaction(signals[i], NULL, &after);
    cr_assert_eq(after.sa_handler, before[i].sa_handler);
  }
  cr_assert_eq(floating_point_mode(), mode);
  free(locale);
}

/* ---- pairs ---- */

static void check_read(const elman_pairs_options *options, elman_status expected,
                       const char *message, const char *where) {
  elman_pairs *pairs = (elman_pairs *)&pairs;
  elman_error error = {0};
  check_error(elman_pairs_read(&pairs, options, &error), &error, expected, message, where);
  cr_assert_null(pairs);
  cr_assert_eq(elman_pairs_read(&pairs, options, NULL), expected);
}

Test(api, pairs_that_cannot_be_read) {
  const char *file = "missing";
  elman_pairs_options options = elman_pairs_options_default();
  check_read(&options, ELMAN_INVALID_ARGUMENT, "no file", "");
  options.source_file = file;
  check_read(&options, ELMAN_INVALID_ARGUMENT, "only read together", "");
  options.source_file = NULL;
  options.files = &file;
  options.file_count = 1;
  check_read(&options, ELMAN_NO_INPUT, "No such file", "missing");
  file = ".";
  check_read(&options, ELMAN_NO_INPUT, "is a directory", ".");
  file = "empty";
  put(file, "");
  check_read(&options, ELMAN_BAD_DATA, "no usable sentence pair", "empty");
  file = "binary";
  put_bytes(file, "a\0b\tc\n", 6);
  check_read(&options, ELMAN_BAD_DATA, "is a binary file", "binary");
  options.target_column = 0;
  check_read(&options, ELMAN_INVALID_ARGUMENT, "columns are counted from 1", "");
}

static void note(void *context, const char *file, size_t line, elman_finding fault,
                 const char *problem) {
  cr_assert_leq(fault, ELMAN_FINDING_EMPTY);
  size_t *lines = context;
  cr_assert_str_eq(file, "pairs");
  cr_assert_neq(problem[0], '\0');
  *lines = *lines * 10 + line;
}

Test(api, bad_lines_are_skipped_or_an_error) {
  const char *file = "pairs";
  put(file, "a\tb\nno column\n\tempty\n\xFF\tb\nc\td\n");
  size_t lines = 0;
  elman_pairs_options options = elman_pairs_options_default();
  options.files = &file;
  options.file_count = 1;
  options.skipped = note;
  options.context = &lines;
  elman_pairs *pairs;
  cr_assert_eq(elman_pairs_read(&pairs, &options, NULL), ELMAN_OK);
  cr_assert_eq(elman_pairs_count(pairs), 2);
  cr_assert_eq(elman_pairs_skipped(pairs), 3);
  cr_assert_eq(lines, 234);
  elman_pairs_free(pairs);
  options.strict = true;
  check_read(&options, ELMAN_BAD_DATA, "column", "pairs:2");
}

/* ---- models ---- */

static void check_not_created(elman_model_options options, const char *message) {
  elman_pairs *pairs = toy();
  elman_model *model = (elman_model *)&model;
  elman_error error = {0};
  check_error(elman_model_create(&model, pairs, &options, &error), &error, ELMAN_INVALID_ARGUMENT,
              message, "");
  cr_assert_null(model);
  cr_assert_eq(elman_model_create(&model, pairs, &options, NULL), ELMAN_INVALID_ARGUMENT);
  elman_pairs_free(pairs);
}

Test(api, models_that_cannot_be) {
  const size_t sizes[] = {0, 16385, (size_t)1 << 60, SIZE_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    elman_model_options options = elman_model_options_default();
    options.hidden_size = sizes[i];
    check_not_created(options, "the hidden size must lie between 1 and");
    options = elman_model_options_default();
    options.embedding_size = sizes[i];
    check_not_created(options, "the embedding size must lie between 1 and");
  }
  elman_model_options options = elman_model_options_default();
  options.attention = "bahdanau";
  check_not_created(options, "attention: there is no \"bahdanau\"");
  options = elman_model_options_default();
  options.source_tokens = (elman_token_mode)4;
  check_not_created(options, ": there is no choice number");
  options = elman_model_options_default();
  options.target_tokens = (elman_token_mode)-1;
  check_not_created(options, ": there is no choice number");
  options = elman_model_options_default();
  options.normalization = ELMAN_NFKC_WIDE;
  check_not_created(options, "normalization: there is no choice number");
}

Test(api, model_information) {
  elman_model *model = small_model();
  const elman_model_info info = elman_model_get_info(model);
  cr_assert_eq(info.embedding_size, 12);
  cr_assert_eq(info.hidden_size, 16);
  cr_assert_eq(info.source_vocabulary, 19);
  cr_assert_eq(info.target_vocabulary, 21);
  cr_assert_str_eq(info.attention, "dot");
  cr_assert_eq(info.source_tokens, ELMAN_TOKENS_SPACE);
  cr_assert_eq(info.target_tokens, ELMAN_TOKENS_WORDS);
  cr_assert_eq(info.source_normalization, ELMAN_NFKC_WIDE);
  cr_assert_eq(info.target_normalization, ELMAN_NFKC);
  cr_assert_gt(info.source_spacing.spaced, 0);
  cr_assert_eq(info.source_spacing.unspaced, 0);
  cr_assert_eq(info.tensors, 12);
  size_t parameters = 0;
  for (size_t i = 0; i < info.tensors; i++) {
    const elman_tensor_info tensor = elman_model_get_tensor(model, i);
    parameters += tensor.rows * tensor.columns;
    cr_assert_leq(tensor.minimum, tensor.mean);
    cr_assert_leq(tensor.mean, tensor.maximum);
    cr_assert_gt(tensor.deviation, 0);
    cr_assert_eq(tensor.dimensions == 1, strstr(tensor.name, "bias") != NULL);
    if (tensor.dimensions == 1) cr_assert_eq(tensor.columns, 1);
  }
  cr_assert_eq(parameters, info.parameters);
  cr_assert_str_eq(elman_model_get_tensor(model, 0).name, "encoder.embedding.weight");
  size_t length;
  uint64_t count;
  cr_assert_str_eq(elman_model_get_token(model, ELMAN_SOURCE, 0, NULL, NULL), "<unk>");
  const char *end = elman_model_get_token(model, ELMAN_TARGET, 2, &length, &count);
  cr_assert_eq(length, 4);
  cr_assert_arr_eq(end, "</s>", 4);
  cr_assert_eq(count, 0);
  const char *frequent = elman_model_get_token(model, ELMAN_TARGET, 3, &length, &count);
  cr_assert_eq(length, 2);
  cr_assert_arr_eq(frequent, "is", 2);
  cr_assert_eq(count, 3);
  elman_model_free(model);
}

Test(api, heads_and_window_have_their_defaults_where_they_apply) {
  static const struct {
    const char *attention;
    size_t heads, window;
  } expected[] = {{"dot", 1, 0}, {"multihead", 4, 0}, {"local", 1, 5}};
  elman_pairs *pairs = toy();
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    elman_model_options options = elman_model_options_default();
    options.attention = expected[i].attention;
    options.embedding_size = options.hidden_size = 8;
    elman_model *model = create(pairs, &options);
    const elman_model_info info = elman_model_get_info(model);
    cr_assert_eq(info.attention_heads, expected[i].heads, "%s", expected[i].attention);
    cr_assert_eq(info.attention_window, expected[i].window, "%s", expected[i].attention);
    elman_model_free(model);
  }
  elman_pairs_free(pairs);
}

Test(api, vocabularies_can_be_limited) {
  elman_pairs *pairs = toy();
  elman_model_options options = elman_model_options_default();
  options.embedding_size = options.hidden_size = 4;
  options.min_count = 2;
  elman_model *frequent = create(pairs, &options);
  cr_assert_eq(elman_model_get_info(frequent).source_vocabulary, 2); /* <unk> 我 */
  cr_assert_eq(elman_model_get_info(frequent).target_vocabulary, 4); /* specials and is */
  options.min_count = 1;
  options.max_vocabulary = 7;
  elman_model *few = create(pairs, &options);
  cr_assert_eq(elman_model_get_info(few).source_vocabulary, 8);
  cr_assert_eq(elman_model_get_info(few).target_vocabulary, 10);
  elman_model_free(frequent);
  elman_model_free(few);
  elman_pairs_free(pairs);
}

Test(api, model_files_that_fail) {
  elman_model *model = (elman_model *)&model;
  elman_error error = {0};
  check_error(elman_model_load(&model, "missing", &error), &error, ELMAN_NO_INPUT, "No such file",
              "missing");
  cr_assert_null(model);
  put(MODEL, "not a model");
  check_error(elman_model_load(&model, MODEL, &error), &error, ELMAN_BAD_DATA,
              "not a valid safetensors file", MODEL);
  cr_assert_null(model);
  cr_assert_eq(elman_model_load(&model, MODEL, NULL), ELMAN_BAD_DATA);
  model = small_model();
  check_error(elman_model_save(model, ".", &error), &error, ELMAN_CANNOT_CREATE, "is a directory",
              ".");
  check_error(elman_model_save(model, "", &error), &error, ELMAN_CANNOT_CREATE, "is empty", "");
  cr_assert_eq(elman_model_save(model, "missing/model", NULL), ELMAN_CANNOT_CREATE);
  elman_model_free(model);
}

/* ---- training ---- */

/* All numbers of a model, by way of its file; free() them. */
static char *bytes_of(const elman_model *model, size_t *length) {
  cr_assert_eq(elman_model_save(model, "bytes", NULL), ELMAN_OK);
  return get_bytes("bytes", length);
}

static bool same_models(const elman_model *a, const elman_model *b) {
  size_t length_a, length_b;
  char *bytes_a = bytes_of(a, &length_a), *bytes_b = bytes_of(b, &length_b);
  const bool same = length_a == length_b && memcmp(bytes_a, bytes_b, length_a) == 0;
  free(bytes_a);
  free(bytes_b);
  return same;
}

static void check_not_trained(elman_train_options options, elman_status expected,
                              const char *message) {
  elman_pairs *pairs = toy();
  elman_model *model = small_model(), *untouched = small_model();
  elman_error error = {0};
  check_error(elman_train(model, pairs, &options, &error), &error, expected, message, "");
  cr_assert_eq(elman_train(model, pairs, &options, NULL), expected);
  cr_assert(same_models(model, untouched));
  elman_model_free(model);
  elman_model_free(untouched);
  elman_pairs_free(pairs);
}

Test(api, training_that_cannot_be) {
  elman_train_options options = elman_train_options_default();
  options.batch_size = 0;
  check_not_trained(options, ELMAN_INVALID_ARGUMENT, "the batch size must lie between 1 and");
  const double rates[] = {0, -0.001, NAN, INFINITY, -INFINITY, 1.1e30, 1e39, 1e300};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    options = elman_train_options_default();
    options.learning_rate = rates[i];
    check_not_trained(options, ELMAN_INVALID_ARGUMENT, "the learning rate must");
  }
  const double norms[] = {-1, NAN, -INFINITY};
  for (size_t i = 0; i < sizeof norms / sizeof *norms; i++) {
    options = elman_train_options_default();
    options.clip_norm = norms[i];
    check_not_trained(options, ELMAN_INVALID_ARGUMENT, "the clipping norm must lie between 0 and");
  }
  options = elman_train_options_default();
  options.max_length = 2;
  check_not_trained(options, ELMAN_BAD_DATA, "no pair is left to train on");
}

/* Whatever the rate, a model that was trained can be saved and loaded. */
Test(api, absurd_learning_rates_leave_a_model) {
  elman_pairs *pairs = toy();
  for (double rate = 1; rate < 1e31; rate *= 1e3) {
    elman_model *model = small_model(), *loaded;
    elman_error error = {0};
    elman_train_options options = elman_train_options_default();
    options.learning_rate = rate;
    options.epochs = 20;
    const elman_status status = elman_train(model, pairs, &options, &error);
    cr_assert(status == ELMAN_OK || status == ELMAN_INVALID_ARGUMENT);
    cr_assert_eq(elman_model_save(model, MODEL, NULL), ELMAN_OK);
    cr_assert_eq(elman_model_load(&loaded, MODEL, &error), ELMAN_OK, "rate %g: %s", rate,
                 error.message);
    elman_model_free(loaded);
    elman_model_free(model);
  }
  elman_pairs_free(pairs);
}

Test(api, pairs_that_are_too_long_are_left_out) {
  elman_pairs *pairs = toy();
  elman_model *model = small_model();
  struct seen seen = {0};
  elman_train_options options = elman_train_options_default();
  options.epochs = 1;
  options.max_length = 4;
  options.report = look;
  options.context = &seen;
  cr_assert_eq(elman_train(model, pairs, &options, NULL), ELMAN_OK);
  cr_assert_eq(seen.last.left_out, 2); /* 她 是 我 的 老师, The weather is nice today */
  cr_assert_eq(seen.last.tokens, 14);
  options.max_length = 0;
  cr_assert_eq(elman_train(model, pairs, &options, NULL), ELMAN_OK);
  cr_assert_eq(seen.last.left_out, 0);
  elman_model_free(model);
  elman_pairs_free(pairs);
}

Test(api, training_can_be_stopped) {
  elman_pairs *pairs = toy();
  elman_model *stopped = small_model(), *whole = small_model(), *untouched = small_model();
  struct seen seen = {.stop_after = 7};
  elman_error error = {0};
  elman_train_options options = elman_train_options_default();
  options.report = look;
  options.context = &seen;
  check_error(elman_train(stopped, pairs, &options, &error), &error, ELMAN_INTERRUPTED, "stopped",
              "");
  cr_assert_eq(seen.updates, 7);
  options.report = NULL;
  options.epochs = 7; /* the toy is one batch */
  cr_assert_eq(elman_train(whole, pairs, &options, NULL), ELMAN_OK);
  cr_assert(same_models(stopped, whole));
  cr_assert_not(same_models(stopped, untouched));
  elman_model_free(stopped);
  elman_model_free(whole);
  elman_model_free(untouched);
  elman_pairs_free(pairs);
}

Test(api, no_epoch_keeps_the_initial_model) {
  elman_pairs *pairs = toy();
  elman_model *model = small_model(), *untouched = small_model();
  elman_train_options options = elman_train_options_default();
  options.epochs = 0;
  cr_assert_eq(elman_train(model, pairs, &options, NULL), ELMAN_OK);
  cr_assert(same_models(model, untouched));
  elman_model_free(model);
  elman_model_free(untouched);
  elman_pairs_free(pairs);
}

/* Large enough for the parallel paths. */
static elman_model *trained(const elman_pairs *pairs, size_t threads, uint64_t model_seed,
                            uint64_t train_seed) {
  elman_model_options model_options = elman_model_options_default();
  model_options.attention = "scaled";
  model_options.seed = model_seed;
  elman_train_options train_options = elman_train_options_default();
  train_options.epochs = 2;
  train_options.threads = threads;
  train_options.seed = train_seed;
  elman_model *model = create(pairs, &model_options);
  cr_assert_eq(elman_train(model, pairs, &train_options, NULL), ELMAN_OK);
  return model;
}

Test(api, the_same_seed_gives_the_same_file_with_any_number_of_threads, .timeout = 300) {
  elman_pairs *pairs = read_pairs(data_file("daily.test.zh-en.tsv"));
  elman_model *first = trained(pairs, 1, 1, 1);
  for (size_t threads = 1; threads <= 3; threads++) {
    elman_model *again = trained(pairs, threads, 1, 1);
    cr_assert(same_models(first, again), "%zu threads", threads);
    elman_model_free(again);
  }
  elman_model *other_weights = trained(pairs, 2, 2, 1), *other_order = trained(pairs, 2, 1, 2);
  cr_assert_not(same_models(first, other_weights));
  cr_assert_not(same_models(first, other_order));
  elman_model_free(first);
  elman_model_free(other_weights);
  elman_model_free(other_order);
  elman_pairs_free(pairs);
}

/* ---- translating ---- */

static void check_not_translated(elman_translator *translator, const char *text, size_t length,
                                 const elman_translate_options *options, const char *message) {
  elman_translation *translation = (elman_translation *)&translation;
  elman_error error = {0};
  check_error(elman_translate(&translation, translator, text, length, options, &error), &error,
              ELMAN_BAD_DATA, message, "");
  cr_assert_null(translation);
  cr_assert_eq(elman_translate(&translation, translator, text, length, options, NULL),
               ELMAN_BAD_DATA);
}

static void check_not_forced(elman_translator *translator, const char *reference,
                             const char *message) {
  const elman_sentence sentence = {"我", 3, reference, strlen(reference)};
  elman_translation *translation = (elman_translation *)&translation;
  elman_error error = {0}, own;
  check_error(elman_translate_batch(&translation, &own, translator, &sentence, 1, NULL, &error),
              &error, ELMAN_BAD_DATA, message, "");
  cr_assert_null(translation);
  cr_assert_eq(own.code, ELMAN_BAD_DATA);
}

Test(api, text_that_cannot_be_translated) {
  elman_model *model = small_model();
  elman_translator *translator = translator_of(model);
  check_not_translated(translator, "\xFF", 1, NULL, "byte 1 is not valid UTF-8");
  check_not_translated(translator, "我 \xE6\x88", 6, NULL, "byte 5 is not valid UTF-8");
  check_not_translated(translator, "a\0b", 3, NULL, "byte 2 is NUL");
  check_not_forced(translator, "", "the reference is empty");
  check_not_forced(translator, " \t", "the reference is empty");
  check_not_forced(translator, "\xC0\xAF", "byte 1 is not valid UTF-8");

  /* 5,000 tokens are translated, one more is refused, and the translator is as good as new. */
  enum { LIMIT = 5000, STRIDE = 4 };
  char *text = malloc((LIMIT + 1) * STRIDE);
  for (size_t i = 0; i <= LIMIT; i++) memcpy(text + i * STRIDE, "我 ", STRIDE);
  check_not_translated(translator, text, (LIMIT + 1) * STRIDE, NULL, "5001 tokens");
  elman_translation *translation;
  elman_translate_options options = elman_translate_options_default();
  options.max_length = 2;
  cr_assert_eq(elman_translate(&translation, translator, text, LIMIT * STRIDE, &options, NULL),
               ELMAN_OK);
  cr_assert_eq(translation->source_count, LIMIT);
  cr_assert_leq(translation->target_count, 2);
  check_translation(translation);
  elman_translation_free(translation);
  free(text);
  elman_translator_free(translator);
  elman_model_free(model);
}

static void check_empty(const elman_translation *translation) {
  cr_assert_str_eq(translation->text, "");
  cr_assert_eq(translation->source_count, 0);
  cr_assert_eq(translation->target_count, 0);
  cr_assert_eq(translation->log_probability, 0);
}

Test(api, empty_text) {
  elman_model *model = small_model();
  elman_translator *translator = translator_of(model);
  static const char *const texts[] = {"", " ", "\t\r\n", "\xE3\x80\x80"}; /* ideographic space */
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    elman_translation *translation = translate(translator, texts[i], NULL);
    check_empty(translation);
    for (size_t format = 0; elman_format_name(format) != NULL; format++)
      cr_assert_eq(elman_attention_save("empty", translation, elman_format_name(format), NULL),
                   ELMAN_OK);
    elman_translation_free(translation);
  }
  elman_translation *translation;
  cr_assert_eq(elman_translate(&translation, translator, NULL, 0, NULL, NULL), ELMAN_OK);
  check_empty(translation);
  elman_translation_free(translation);
  elman_translator_free(translator);
  elman_model_free(model);
}

Test(api, only_length_bytes_are_read) {
  elman_model *model = small_model();
  elman_translator *translator = translator_of(model);
  char *exact = malloc(3); /* no NUL behind it: a sanitizer sees any step too far */
  memcpy(exact, "我", 3);
  elman_translation *translation;
  cr_assert_eq(elman_translate(&translation, translator, exact, 3, NULL, NULL), ELMAN_OK);
  cr_assert_eq(translation->source_count, 1);
  cr_assert_str_eq(translation->source_tokens[0], "我");
  elman_translation_free(translation);
  free(exact);
  elman_translator_free(translator);
  elman_model_free(model);
}

Test(api, unknown_words_are_kept_and_named) {
  elman_model *model = small_model();
  elman_translator *translator = translator_of(model);
  elman_translation *translation = translate(translator, "我 爱 Schmetterlinge <unk>", NULL);
  static const char *const tokens[] = {"我", "爱", "Schmetterlinge", "<unk>"};
  cr_assert_eq(translation->source_count, 4);
  for (size_t s = 0; s < 4; s++) {
    cr_assert_str_eq(translation->source_tokens[s], tokens[s]);
    cr_assert_eq(translation->source_known[s], s < 2);
    cr_assert_eq(translation->source_ids[s] > 0, s < 2);
  }
  check_translation(translation);
  elman_translation_free(translation);
  elman_translator_free(translator);
  elman_model_free(model);
}

Test(api, a_reference_is_forced) {
  elman_model *model = small_model();
  elman_translator *translator = translator_of(model);
  elman_translate_options options = elman_translate_options_default();
  options.max_length = 1; /* of no account here */
  elman_translation *translation =
      force(translator, "我 爱 学习", "  I  love butterflies", &options);
  cr_assert_str_eq(translation->text, "I love butterflies");
  static const char *const tokens[] = {"I", "love", "butterflies", "</s>"};
  cr_assert_eq(translation->target_count, 4);
  for (size_t t = 0; t < 4; t++) cr_assert_str_eq(translation->target_tokens[t], tokens[t]);
  check_translation(translation);
  elman_translation_free(translation);

  /* Forced to what it would say itself, it gives the same probability. */
  elman_translation *free_choice = translate(translator, "他 在 喝 茶", NULL);
  const bool ended = strcmp(free_choice->target_tokens[free_choice->target_count - 1], "</s>") == 0;
  cr_assert_eq(free_choice->target_count, ended ? free_choice->target_count : 18);
  if (ended && free_choice->text[0] != '\0') {
    translation = force(translator, "他 在 喝 茶", free_choice->text, &options);
    cr_assert_eq(translation->target_count, free_choice->target_count);
    cr_assert_float_eq(translation->log_probability, free_choice->log_probability, 1e-6);
    elman_translation_free(translation);
  }
  elman_translation_free(free_choice);
  elman_translator_free(translator);
  elman_model_free(model);
}

Test(api, length_of_a_translation) {
  elman_model *model = small_model();
  elman_translator *translator = translator_of(model);
  elman_translate_options options = elman_translate_options_default();
  for (options.max_length = 1; options.max_length <= 4; options.max_length++) {
    elman_translation *translation = translate(translator, "我们 去 学校", &options);
    cr_assert_geq(translation->target_count, 1);
    cr_assert_leq(translation->target_count, options.max_length);
    elman_translation_free(translation);
  }
  elman_translation *standard = translate(translator, "我们 去 学校", NULL);
  cr_assert_leq(standard->target_count, 16); /* 2 S + 10 */
  elman_translation_free(standard);
  elman_translator_free(translator);
  elman_model_free(model);
}

Test(api, a_token_of_ten_megabytes, .timeout = 120) {
  enum { SIZE = 10000000 };
  elman_model *model = small_model();
  elman_translator *translator = translator_of(model);
  char *token = malloc(SIZE + 1);
  memset(token, 'a', SIZE);
  token[SIZE] = '\0';
  elman_translate_options unlimited = elman_translate_options_default();
  unlimited.max_bytes = 0;
  elman_translation *translation = translate(translator, token, &unlimited);
  cr_assert_eq(translation->source_count, 1);
  cr_assert_eq(strlen(translation->source_tokens[0]), SIZE);
  cr_assert_not(translation->source_known[0]);
  check_translation(translation);
  cr_assert_eq(elman_attention_save("long.json", translation, "json", NULL), ELMAN_OK);
  elman_translation_free(translation);

  /* In a corpus it is a word like any other. */
  FILE *file = fopen("long.tsv", "wb");
  fprintf(file, "%s x\ty %s\n", token, token);
  fclose(file);
  elman_pairs *pairs = read_pairs("long.tsv");
  elman_model_options options = elman_model_options_default();
  options.embedding_size = options.hidden_size = 4;
  elman_model *with_long_word = create(pairs, &options);
  cr_assert_eq(elman_model_get_info(with_long_word).source_vocabulary, 3);
  elman_pairs_free(pairs);
  elman_model_free(with_long_word);
  free(token);
  elman_translator_free(translator);
  elman_model_free(model);
}

/* A second translation neither needs nor harms the first. */
Test(api, translations_are_the_callers) {
  elman_model *model = small_model();
  elman_translator *translator = translator_of(model);
  elman_translation *first = translate(translator, "我 爱 学习", NULL);
  char *text = strdup(first->text);
  elman_translation *second = translate(translator, "今天 天气 很 好 今天 天气 很 好", NULL);
  elman_translator_free(translator);
  cr_assert_str_eq(first->text, text);
  cr_assert_str_eq(first->source_tokens[2], "学习");
  check_translation(first);
  elman_translation_free(first);
  check_translation(second);
  elman_translation_free(second);
  free(text);
  elman_model_free(model);
}

/* ---- one model, several threads ---- */

enum { WORKERS = 4, ROUNDS = 25, SENTENCES = 3 };
static const char *const sentences[SENTENCES] = {"我 爱 学习", "他 在 喝 茶 在 学校", "今天 很 好"};

struct worker {
  const elman_model *model;
  pthread_t thread;
  double log_probabilities[SENTENCES];
  bool steady;
};

static void *work(void *context) {
  struct worker *worker = context;
  elman_translator *translator;
  worker->steady = elman_translator_create(&translator, worker->model, NULL) == ELMAN_OK;
  for (size_t round = 0; worker->steady && round < ROUNDS; round++) {
    for (size_t i = 0; worker->steady && i < SENTENCES; i++) {
      elman_translation *translation;
      worker->steady = elman_translate(&translation, translator, sentences[i], strlen(sentences[i]),
                                       NULL, NULL) == ELMAN_OK;
      if (!worker->steady) break;
      if (round > 0) worker->steady = translation->log_probability == worker->log_probabilities[i];
      worker->log_probabilities[i] = translation->log_probability;
      elman_translation_free(translation);
    }
  }
  elman_translator_free(translator);
  return NULL;
}

Test(api, several_threads_translate_with_one_model, .timeout = 120) {
  elman_model *model = small_model();
  struct worker alone = {.model = model};
  work(&alone);
  cr_assert(alone.steady);
  struct worker workers[WORKERS];
  for (size_t i = 0; i < WORKERS; i++) {
    workers[i] = (struct worker){.model = model};
    cr_assert_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
  }
  for (size_t i = 0; i < WORKERS; i++) cr_assert_eq(pthread_join(workers[i].thread, NULL), 0);
  for (size_t i = 0; i < WORKERS; i++) {
    cr_assert(workers[i].steady);
    for (size_t s = 0; s < SENTENCES; s++)
      cr_assert_eq(workers[i].log_probabilities[s], alone.log_probabilities[s]);
  }
  elman_model_free(model);
}

/* ---- attention as files ---- */

Test(api, attention_files) {
  elman_model *model = small_model();
  elman_translator *translator = translator_of(model);
  elman_translation *translation = translate(translator, "我 爱 学习", NULL);
  elman_error error = {0};
  for (size_t i = 0; elman_format_name(i) != NULL; i++) {
    char *stream_bytes = NULL;
    size_t stream_length, file_length;
    FILE *stream = open_memstream(&stream_bytes, &stream_length);
    cr_assert_eq(elman_attention_write(stream, translation, elman_format_name(i), NULL, &error),
                 ELMAN_OK);
    fclose(stream);
    cr_assert_eq(elman_attention_save("matrix", translation, elman_format_name(i), &error),
                 ELMAN_OK);
    char *file_bytes = get_bytes("matrix", &file_length);
    cr_assert_eq(file_length, stream_length);
    cr_assert_arr_eq(file_bytes, stream_bytes, file_length);
    free(file_bytes);
    free(stream_bytes);
  }

  put("matrix", "old");
  check_error(elman_attention_save("matrix", translation, "gif", &error), &error,
              ELMAN_INVALID_ARGUMENT, "there is no format \"gif\"", "");
  size_t length;
  char *bytes = get_bytes("matrix", &length);
  cr_assert_str_eq(bytes, "old");
  free(bytes);
  cr_assert_eq(each_entry(NULL), 1, "no temporary file is left");
  check_error(elman_attention_write(stderr, translation, "", NULL, &error), &error,
              ELMAN_INVALID_ARGUMENT, "there is no format", "");
  cr_assert_eq(elman_attention_save("matrix", translation, "gif", NULL), ELMAN_INVALID_ARGUMENT);
  check_error(elman_attention_save(".", translation, "json", &error), &error, ELMAN_CANNOT_CREATE,
              "is a directory", ".");
  elman_translation_free(translation);
  elman_translator_free(translator);
  elman_model_free(model);
}

Test(api, format_suffixes) {
  for (size_t i = 0; elman_format_name(i) != NULL; i++) {
    char path[64];
    snprintf(path, sizeof path, "a%s", elman_format_suffix(i));
    cr_assert_str_eq(elman_format_of_path(path), elman_format_name(i));
  }
  cr_assert_null(elman_format_suffix(SIZE_MAX));
}

Test(api, what_a_translation_says_of_its_source) {
  elman_model *model = small_model();
  elman_translator *translator = translator_of(model);
  static const char text[] = " 我\t爱  学习\r\n";
  elman_translation *translation = translate(translator, text, NULL);
  cr_assert_str_eq(translation->source, text);
  cr_assert_eq(translation->source_count, 3);
  for (size_t s = 0; s < 3; s++) {
    const size_t start = translation->source_starts[s], end = translation->source_ends[s];
    cr_assert_eq(end - start, strlen(translation->source_tokens[s]));
    cr_assert_arr_eq(text + start, translation->source_tokens[s], end - start);
  }
  cr_assert_eq(translation->heads, 1);
  cr_assert_arr_eq(translation->head_attention, translation->attention,
                   3 * translation->target_count * sizeof(float));
  cr_assert_not(translation->forced);
  elman_translation_free(translation);

  elman_translate_options options = elman_translate_options_default();
  translation = force(translator, text, "You  go", &options);
  cr_assert(translation->forced);
  cr_assert(translation->ended);
  cr_assert_str_eq(translation->text, "You go");
  cr_assert_eq(translation->target_count, 3);
  cr_assert_eq(translation->target_starts[1], 4);
  cr_assert_eq(translation->target_ends[1], 6);
  cr_assert_eq(translation->target_starts[2], translation->target_ends[2]);
  elman_translation_free(translation);

  /* There is nothing to force without a source. */
  translation = force(translator, "", "You  go", &options);
  cr_assert_not(translation->forced);
  cr_assert_not(translation->ended);
  cr_assert_str_eq(translation->source, "");
  elman_translation_free(translation);
  options.max_length = 1;
  translation = translate(translator, "我 爱 学习", &options);
  cr_assert_eq(translation->ended, strcmp(translation->target_tokens[0], "</s>") == 0);
  elman_translation_free(translation);
  elman_translator_free(translator);
  elman_model_free(model);
}

Test(api, attention_writer) {
  elman_model *model = small_model();
  elman_translator *translator = translator_of(model);
  elman_translation *translation = translate(translator, "我 爱 学习", NULL);
  elman_attention_writer *writer;
  elman_error error = {0};
  char *bytes = NULL;
  size_t length;
  FILE *stream = open_memstream(&bytes, &length);
  cr_assert_eq(elman_attention_writer_create(&writer, stream, "json", NULL, &error), ELMAN_OK);
  for (size_t i = 1; i <= 2; i++)
    cr_assert_eq(elman_attention_writer_add(writer, translation,
                                            (elman_attention_place){.sentence = 7, .hypothesis = i},
                                            &error),
                 ELMAN_OK);
  cr_assert_eq(elman_attention_writer_finish(writer, &error), ELMAN_OK);
  elman_attention_writer_free(writer);
  elman_attention_writer_free(NULL);
  fclose(stream);
  cr_assert_eq(strstr(bytes, "{\"sentence\":7,\"hypothesis\":1,"), bytes);
  cr_assert_not_null(strstr(bytes, "}\n{\"sentence\":7,\"hypothesis\":2,"));
  free(bytes);

  check_error(elman_attention_writer_create(&writer, stdout, "gif", NULL, &error), &error,
              ELMAN_INVALID_ARGUMENT, "there is no format \"gif\"", "");
  cr_assert_null(writer);
  elman_text_style style = {.threshold = 1.5};
  check_error(elman_attention_writer_create(&writer, stdout, "pharaoh", &style, &error), &error,
              ELMAN_INVALID_ARGUMENT, "the threshold must lie from 0 to 1", "");
  style = (elman_text_style){.units = (elman_alignment_units)9};
  check_error(elman_attention_writer_create(&writer, stdout, "pharaoh", &style, &error), &error,
              ELMAN_INVALID_ARGUMENT, "there are no alignment units 9", "");
  style = (elman_text_style){.alignment = (elman_alignment_rule)9};
  check_error(elman_attention_writer_create(&writer, stdout, "pharaoh", &style, &error), &error,
              ELMAN_INVALID_ARGUMENT, "there is no alignment rule 9", "");
  elman_translation_free(translation);
  elman_translator_free(translator);
  elman_model_free(model);
}

Test(api, threshold_of_links) {
  static const size_t starts[] = {0, 2}, ends[] = {1, 3};
  static const float weights[] = {0.2f, 0.8f};
  const elman_translation translation = {.text = "x",
                                         .source = "a b",
                                         .source_count = 2,
                                         .target_count = 1,
                                         .heads = 1,
                                         .source_starts = starts,
                                         .source_ends = ends,
                                         .target_starts = starts,
                                         .target_ends = ends,
                                         .attention = weights,
                                         .head_attention = weights};
  static const struct {
    double threshold;
    const char *links;
  } cases[] = {{0, "1-0\n"}, {0.1, "0-0 1-0\n"}, {0.9, "\n"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const elman_text_style style = {.alignment = ELMAN_ALIGNMENT_THRESHOLD,
                                    .threshold = cases[i].threshold};
    char *bytes = NULL;
    size_t length;
    FILE *stream = open_memstream(&bytes, &length);
    cr_assert_eq(elman_attention_write(stream, &translation, "pharaoh", &style, NULL), ELMAN_OK);
    fclose(stream);
    cr_assert_str_eq(bytes, cases[i].links);
    free(bytes);
  }
}

Test(api, attention_summary) {
  elman_model *model = small_model();
  elman_translator *translator = translator_of(model);
  elman_translation *translation = force(translator, "我 爱 学习", "I love studying", NULL);
  elman_attention_summary *summary;
  elman_error error = {0};
  cr_assert_eq(elman_attention_summary_create(&summary, NULL, &error), ELMAN_OK);
  elman_attention_measures measures = elman_attention_summary_get(summary);
  cr_assert_eq(measures.translations, 0);
  cr_assert_eq(measures.entropy, 0);
  cr_assert_eq(measures.alignment_error_rate, 0);
  cr_assert_eq(elman_attention_summary_add(summary, translation, NULL, &error), ELMAN_OK);
  cr_assert_eq(elman_attention_summary_add(summary, translation, "0-0 1-1 2-2", &error), ELMAN_OK);
  check_error(elman_attention_summary_add(summary, translation, "3-0", &error), &error,
              ELMAN_BAD_DATA, "names a word that is not there", "");
  measures = elman_attention_summary_get(summary);
  cr_assert_eq(measures.translations, 2);
  cr_assert_eq(measures.source_tokens, 6);
  cr_assert_eq(measures.target_tokens, 8);
  cr_assert_eq(measures.aligned, 1);
  cr_assert_eq(measures.links, 3, "one for each target word");
  cr_assert_eq(measures.gold_links, 3);
  cr_assert_float_eq(measures.alignment_error_rate, 1 - (double)measures.shared_links / 3, 1e-12);
  cr_assert_float_eq(measures.entropy_share, measures.entropy / log(3), 1e-12);
  cr_assert(measures.diagonality > 0 && measures.diagonality <= 1);
  elman_attention_summary_free(summary);
  elman_attention_summary_free(NULL);
  const elman_text_style wrong = {.threshold = -1};
  cr_assert_eq(elman_attention_summary_create(&summary, &wrong, NULL), ELMAN_INVALID_ARGUMENT);
  cr_assert_null(summary);
  elman_translation_free(translation);
  elman_translator_free(translator);
  elman_model_free(model);
}

Test(api, write_errors_stay_in_the_stream) {
  FILE *full = fopen("/dev/full", "wb");
  if (full == NULL) SKIP_IN_FOLDER("no /dev/full here");
  elman_model *model = small_model();
  elman_translator *translator = translator_of(model);
  elman_translation *translation = translate(translator, "我 爱 学习", NULL);
  cr_assert_eq(elman_attention_write(full, translation, "npy", NULL, NULL), ELMAN_OK);
  cr_assert(fflush(full) != 0 || ferror(full));
  fclose(full);
  elman_error error = {0};
  check_error(elman_attention_save("/dev/full", translation, "npy", &error), &error, ELMAN_IO,
              "No space left", "/dev/full");
  elman_translation_free(translation);
  elman_translator_free(translator);
  elman_model_free(model);
}

/* ---- evaluating ---- */

struct progress {
  size_t calls, stop_after, total;
};

static bool count_calls(void *context, size_t done, size_t total) {
  struct progress *progress = context;
  progress->calls++;
  progress->total = total;
  cr_assert_leq(done, total);
  return progress->calls != progress->stop_after;
}

Test(api, evaluation_that_cannot_be) {
  elman_model *model = small_model();
  elman_pairs *pairs = toy();
  elman_evaluate_options options = elman_evaluate_options_default();
  elman_scores scores = {.tokens = 77};
  elman_error error = {0};
  options.batch_size = 0;
  check_error(elman_evaluate(&scores, model, pairs, &options, &error), &error,
              ELMAN_INVALID_ARGUMENT, "the batch size must be at least 1", "");
  cr_assert_eq(elman_evaluate(&scores, model, pairs, &options, NULL), ELMAN_INVALID_ARGUMENT);

  struct progress progress = {.stop_after = 2};
  options = elman_evaluate_options_default();
  options.progress = count_calls;
  options.context = &progress;
  check_error(elman_evaluate(&scores, model, pairs, &options, &error), &error, ELMAN_INTERRUPTED,
              "stopped", "");
  cr_assert_eq(progress.calls, 2, "nobody is asked again who wants to stop");
  cr_assert_eq(progress.total, 5);
  cr_assert_eq(scores.tokens, 77, "the scores stay as they were");
  elman_pairs_free(pairs);
  elman_model_free(model);
}

Test(api, scores_depend_on_neither_batches_nor_threads) {
  elman_model *model = small_model();
  elman_pairs *pairs = toy();
  struct progress progress = {0};
  elman_evaluate_options options = elman_evaluate_options_default();
  options.progress = count_calls;
  options.context = &progress;
  elman_scores scores, again;
  cr_assert_eq(elman_evaluate(&scores, model, pairs, &options, NULL), ELMAN_OK);
  cr_assert_eq(progress.calls, 5);
  const size_t sizes[] = {1, 2, 5, 6, SIZE_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    for (options.threads = 1; options.threads <= 3; options.threads++) {
      options.batch_size = sizes[i];
      cr_assert_eq(elman_evaluate(&again, model, pairs, &options, NULL), ELMAN_OK);
      cr_assert_float_eq(again.loss, scores.loss, 1e-5);
      cr_assert_eq(again.tokens, scores.tokens);
      cr_assert_eq(again.exact_match, scores.exact_match);
    }
  }
  elman_pairs_free(pairs);
  elman_model_free(model);
}

Test(api, what_is_counted_in_an_evaluation) {
  FILE *file = fopen("pairs", "wb");
  fputs("我 爱 蝴蝶\tI love butterflies\n我\t", file);
  for (size_t i = 0; i < 5001; i++) fputs("I ", file);
  fputs("\n", file);
  for (size_t i = 0; i < 5001; i++) fputs("我 ", file);
  fputs("\tI\n", file);
  fclose(file);
  elman_model *model = small_model();
  elman_pairs *pairs = read_pairs("pairs");
  const elman_evaluate_options options = elman_evaluate_options_default();
  elman_scores scores;
  elman_error error = {0};
  cr_assert_eq(elman_evaluate(&scores, model, pairs, &options, &error), ELMAN_OK, "%s",
               error.message);
  cr_assert_eq(scores.sentences, 1);
  cr_assert_eq(scores.left_out, 2);
  cr_assert_eq(scores.tokens, 4);
  cr_assert_eq(scores.unknown_source, 1);
  cr_assert_eq(scores.unknown_target, 1);
  cr_assert_eq(scores.exact_match, 0);
  cr_assert_eq(scores.aligned_words, 0);
  elman_pairs_free(pairs);
  elman_model_free(model);
}

Test(api, alignments_are_scored_and_checked) {
  static const char *const lines[] = {"我 爱 学习\tI love studying\t0-0 2-2 1-2\n",
                                      "我 爱 学习\tI love studying\t0-3\n",
                                      "我 爱 学习\tI love studying\t0_0\n"};
  static const char *const problems[] = {NULL, "names a word that is not there",
                                         "is not an alignment of the form i-j"};
  const char *name = "aligned";
  elman_model *model = small_model();
  elman_pairs_options pairs_options = elman_pairs_options_default();
  pairs_options.files = &name;
  pairs_options.file_count = 1;
  pairs_options.alignment_column = 3;
  for (size_t i = 0; i < 3; i++) {
    put(name, lines[i]);
    elman_pairs *pairs;
    cr_assert_eq(elman_pairs_read(&pairs, &pairs_options, NULL), ELMAN_OK);
    const elman_evaluate_options options = elman_evaluate_options_default();
    elman_scores scores;
    elman_error error = {0};
    const elman_status status = elman_evaluate(&scores, model, pairs, &options, &error);
    if (problems[i] != NULL) {
      check_error(status, &error, ELMAN_BAD_DATA, problems[i], "aligned:1");
    } else {
      cr_assert_eq(status, ELMAN_OK, "%s", error.message);
      cr_assert_eq(scores.aligned_words, 2);
      const double doubled = scores.alignment_agreement * 2;
      cr_assert(doubled == 0 || doubled == 1 || doubled == 2);
    }
    elman_pairs_free(pairs);
  }
  elman_model_free(model);
}
