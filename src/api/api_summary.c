#include <stdlib.h>

#include "api/call.h"
#include "inspect/summary.h"

elman_status elman_attention_summary_create(elman_attention_summary **summary,
                                            const elman_text_style *style, elman_error *error) {
  *summary = NULL;
  elman_text_style settled;
  const elman_status status = text_style_settle(&settled, style, error);
  if (status != ELMAN_OK) return status;
  *summary = calloc(1, sizeof **summary);
  if (*summary == NULL) return fail_no_memory(error);
  (*summary)->style = settled;
  return ELMAN_OK;
}

elman_status elman_attention_summary_add(elman_attention_summary *summary,
                                         const elman_translation *translation,
                                         const char *alignment, elman_error *error) {
  return summary_add(summary, translation, text_of(alignment == NULL ? "" : alignment), error);
}

void elman_attention_summary_free(elman_attention_summary *summary) {
  free(summary);
}

static double mean(double sum, size_t count) {
  return count == 0 ? 0 : sum / (double)count;
}

elman_attention_measures elman_attention_summary_get(const elman_attention_summary *sums) {
  const size_t words = sums->rows - sums->end_rows, shown = sums->translations - sums->empty;
  return (elman_attention_measures){
      .translations = sums->translations,
      .empty = sums->empty,
      .source_words = sums->source_words > 0,
      .target_words = sums->target_words > 0,
      .source_mixed = sums->source_words > 0 &&
                      sums->source_words<shown, .target_mixed = sums->target_words> 0 &&
                      sums->target_words < shown,
      .source_tokens = sums->columns,
      .target_tokens = sums->rows,
      .entropy = mean(sums->entropy, sums->rows),
      .entropy_share = mean(sums->entropy_share, sums->chosen_rows),
      .covered = mean((double)sums->covered, sums->columns),
      .coverage_distance = mean(sums->coverage_distance, sums->columns),
      .sentinel = mean(sums->sentinel, sums->rows),
      .end_on_last = mean(sums->end_on_last, sums->end_rows),
      .words_on_last = mean(sums->words_on_last, words),
      .diagonality = words == 0 ? 0 : 1 - mean(sums->off_diagonal, words),
      .aligned = sums->aligned,
      .links = sums->links,
      .gold_links = sums->gold,
      .shared_links = sums->both,
      .alignment_error_rate = sums->links + sums->gold == 0
                                  ? 0
                                  : 1 - mean(2 * (double)sums->both, sums->links + sums->gold)};
}
