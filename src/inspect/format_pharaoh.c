/* Hard alignments in the format of Pharaoh, Moses and fast_align: one line per translation, "i-j"
 * for source word i and target word j, from 0. */
#include "inspect/format.h"
#include "inspect/shown.h"

static void write_translation(elman_attention_writer *writing,
                              const elman_translation *translation) {
  struct word_matrix words;
  writing->failed =
      word_matrix_create(&words, translation, writing->style.units, NULL, NULL) != ELMAN_OK;
  if (writing->failed) return;
  if (writing->style.numbered) fprintf(writing->stream, "%zu ||| ", writing->place.sentence - 1);
  const char *space = "";
  for (size_t s = 0; s < words.source_count; s++) {
    for (size_t t = 0; t < words.target_count; t++) {
      if (!words_linked(&words, &writing->style, s, t)) continue;
      fprintf(writing->stream, "%s%zu-%zu", space, s, t);
      space = " ";
    }
  }
  fputc('\n', writing->stream);
  word_matrix_free(&words);
}

const struct format format_pharaoh = {"pharaoh", ".pharaoh", .write = write_translation,
                                      .counts_words = true};
