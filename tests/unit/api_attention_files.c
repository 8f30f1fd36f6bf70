/* Attention weights as files and as summaries through the public API. */
#include "api.h"
#include "small_translator.h"

TestSuite(api_attention_files, .init = set_up_in_folder, .fini = tear_down_in_folder);

/* ---- attention as files ---- */

Test(api_attention_files, attention_files) {
  owned_translation *translation = translate(translator, "我 爱 学习", NULL);
  const elman_text_style style = {.title = "a title"};
  for (size_t i = 0; elman_format_name(i) != NULL; i++) {
    owned char *stream_bytes = NULL;
    size_t stream_length, file_length;
    FILE *stream = open_memstream(&stream_bytes, &stream_length);
    succeeds(elman_attention_write(stream, translation, elman_format_name(i), &style, &why));
    fclose(stream);
    succeeds(elman_attention_save("matrix", translation, elman_format_name(i), &style, &why));
    owned char *file_bytes = get_bytes("matrix", &file_length);
    cr_assert_eq(file_length, stream_length);
    cr_assert_arr_eq(file_bytes, stream_bytes, file_length);
  }

  put("matrix", "old");
  check_error(elman_attention_save("matrix", translation, "gif", NULL, &why),
              ELMAN_INVALID_ARGUMENT, "unknown format \"gif\"", "");
  size_t length;
  owned char *bytes = get_bytes("matrix", &length);
  cr_assert_str_eq(bytes, "old");
  cr_assert_eq(each_entry(NULL), 1, "no temporary file is left");
  check_error(elman_attention_write(stderr, translation, "", NULL, &why), ELMAN_INVALID_ARGUMENT,
              "unknown format", "");
  cr_assert_eq(elman_attention_save("matrix", translation, "gif", NULL, NULL),
               ELMAN_INVALID_ARGUMENT);
  check_error(elman_attention_save(".", translation, "json", NULL, &why), ELMAN_CANNOT_CREATE,
              "is a directory", ".");
}

Test(api_attention_files, format_suffixes) {
  for (size_t i = 0; elman_format_name(i) != NULL; i++) {
    char path[64];
    snprintf(path, sizeof path, "a%s", elman_format_suffix(i));
    cr_assert_str_eq(elman_format_of_path(path), elman_format_name(i));
  }
  cr_assert_null(elman_format_suffix(SIZE_MAX));
}

Test(api_attention_files, translation_describes_its_source) {
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
  /* An empty source cannot be forced to a target. */
  translation = force(translator, "", "You  go", &options);
  cr_assert_not(translation->forced);
  cr_assert_not(translation->ended);
  cr_assert_str_eq(translation->source, "");
  elman_translation_free(translation);
  options.max_length = 1;
  translation = translate(translator, "我 爱 学习", &options);
  cr_assert_eq(translation->ended, strcmp(translation->target_tokens[0], "</s>") == 0);
  elman_translation_free(translation);
}

Test(api_attention_files, attention_writer) {
  owned_translation *translation = translate(translator, "我 爱 学习", NULL);
  elman_attention_writer *writer;
  owned char *bytes = NULL;
  size_t length;
  FILE *stream = open_memstream(&bytes, &length);
  cr_assert_eq(elman_attention_writer_create(&writer, stream, "json", NULL, &why), ELMAN_OK);
  for (size_t i = 1; i <= 2; i++)
    succeeds(elman_attention_writer_add(
        writer, translation, (elman_attention_place){.sentence = 7, .hypothesis = i}, &why));
  cr_assert_eq(elman_attention_writer_finish(writer, &why), ELMAN_OK);
  elman_attention_writer_free(writer);
  elman_attention_writer_free(NULL);
  fclose(stream);
  cr_assert_eq(strstr(bytes, "{\"sentence\":7,\"hypothesis\":1,"), bytes);
  cr_assert_not_null(strstr(bytes, "}\n{\"sentence\":7,\"hypothesis\":2,"));

  elman_text_style style = {.threshold = 1.5};
  check_error(elman_attention_writer_create(&writer, stdout, "pharaoh", &style, &why),
              ELMAN_INVALID_ARGUMENT, "the threshold must be between 0 and 1, not 1.5", "");
  cr_assert_null(writer);
  style = (elman_text_style){.units = (elman_alignment_units)9};
  check_error(elman_attention_writer_create(&writer, stdout, "pharaoh", &style, &why),
              ELMAN_INVALID_ARGUMENT, "unknown alignment units 9", "");
  style = (elman_text_style){.alignment = (elman_alignment_rule)9};
  check_error(elman_attention_writer_create(&writer, stdout, "pharaoh", &style, &why),
              ELMAN_INVALID_ARGUMENT, "unknown alignment rule 9", "");
}

Test(api_attention_files, attention_summary) {
  owned_translation *translation = force(translator, "我 爱 学习", "I love studying", NULL);
  elman_attention_summary *summary;
  cr_assert_eq(elman_attention_summary_create(&summary, NULL, &why), ELMAN_OK);
  const elman_attention_measures measures = elman_attention_summary_get(summary);
  cr_assert_eq(measures.translations, 0);
  cr_assert_eq(measures.entropy, 0);
  cr_assert_eq(measures.alignment_error_rate, 0);
  check_error(elman_attention_summary_add(summary, translation, "3-0", &why), ELMAN_BAD_DATA,
              "is out of range", "");
  elman_attention_summary_free(summary);
  elman_attention_summary_free(NULL);
  const elman_text_style wrong = {.threshold = -1};
  cr_assert_eq(elman_attention_summary_create(&summary, &wrong, NULL), ELMAN_INVALID_ARGUMENT);
  cr_assert_null(summary);
}

Test(api_attention_files, write_errors_stay_in_the_stream) {
  FILE *full = fopen("/dev/full", "wb");
  if (full == NULL) SKIP_IN_FOLDER("no /dev/full here");
  owned_translation *translation = translate(translator, "我 爱 学习", NULL);
  cr_assert_eq(elman_attention_write(full, translation, "npy", NULL, NULL), ELMAN_OK);
  cr_assert(fflush(full) != 0 || ferror(full));
  fclose(full);
  check_error(elman_attention_save("/dev/full", translation, "npy", NULL, &why), ELMAN_IO,
              "No space left", "/dev/full");
}
