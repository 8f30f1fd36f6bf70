#include "train/preset.h"

#include <string.h>
#include <sysexits.h>

#include "console/messages.h"
#include "options/command_line.h"
#include "options/library_options.h"

static void note_change(void *context, const char *message) {
  char text[MESSAGE_SIZE];
  (void)context;
  note("%s", message_of_library(text, message));
}

/* Set the bits of the augmentation options that were given, in their order. */
static unsigned own_augmentation(const bool given[ELMAN_MAX_OPTIONS]) {
  unsigned bits = 0, bit = 1;
  for (const elman_option *row = elman_option_next(NULL, ELMAN_SCOPES_TRAIN); row != NULL;
       row = elman_option_next(row, ELMAN_SCOPES_TRAIN)) {
    if (strcmp(row->group, "Augmentation") != 0) continue;
    if (given[row->index]) bits |= bit;
    bit <<= 1;
  }
  return bits;
}

int preset_apply(struct train_job *job, const struct usage *usage,
                 const struct operands *operands) {
  elman_error error;
  job->preset.given = library_options_given(job->given, usage, operands);
  job->preset.note = note_change;
  job->augmentation = own_augmentation(job->given);
  if (job->output.tunes_search && job->train.dev_name == NULL) {
    if (option_given(usage, operands, "tune-search"))
      return report_usage(usage->command, "--tune-search needs --dev");
    note("preset %s: without --dev, the search is not tuned", job->preset.name);
    job->output.tunes_search = false;
  }
  return elman_preset_apply(&job->model, &job->train, &job->preset, &error) == ELMAN_OK
             ? EX_OK
             : report_error(&error);
}

int preset_fit(struct train_job *job, const elman_model *model, size_t pairs) {
  elman_error error;
  return elman_preset_fit(&job->train, model, pairs, &job->preset, &error) == ELMAN_OK
             ? EX_OK
             : report_error(&error);
}
