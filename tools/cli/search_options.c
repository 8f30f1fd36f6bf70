#include "search_options.h"

#include <sysexits.h>

#include "messages.h"

int search_options_settle(elman_translate_options *search, const struct usage *usage,
                          const struct operands *operands) {
  if (!option_given(usage, operands, "beam") && search->beam < search->n_best)
    search->beam = search->n_best;
  if (search->n_best > search->beam)
    return report_usage(usage->command, "--n-best %zu needs a --beam of at least as many",
                        search->n_best);
  return EX_OK;
}
