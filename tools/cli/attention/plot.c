/* elman plot */
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "commands.h"
#include "console/messages.h"
#include "console/output.h"
#include "elman.h"
#include "options/command_line.h"

/* ---- formats: SVG, and those that are drawn from it ---- */

static const char *format_choice(size_t index) {
  return index == 0 ? "svg" : drawn_format_name(index - 1);
}

static const char *format_suffix(size_t index) {
  return index == 0 ? ".svg" : drawn_format_suffix(index - 1);
}

static const struct formats formats = {format_choice, format_suffix};

/* ---- the command ---- */

struct plot_job {
  elman_plot_options options;
  struct option_list panels, labels;
  const char *format, *output;
  elman_run_log *logs[MAX_LISTED];
};

static int read_logs(struct plot_job *job, const struct operands *operands) {
  for (size_t i = 0; i < operands->count; i++) {
    elman_error error;
    if (elman_run_log_read(&job->logs[i], operands->words[i], &error) != ELMAN_OK)
      return report_error(&error);
    const size_t skipped = elman_run_log_skipped(job->logs[i]);
    if (skipped > 0)
      note("%s: skipped %zu line%s without an event", input_name(operands->words[i]), skipped,
           plural(skipped));
  }
  return EX_OK;
}

static int draw_logs(struct plot_job *job, size_t count) {
  struct output output;
  elman_error error;
  int code = output_open_as(&output, job->output, job->format);
  if (code != EX_OK) return code;
  const elman_status status = elman_plot_draw(
      output.stream, (const elman_run_log *const *)job->logs, count, &job->options, &error);
  if (status != ELMAN_OK) code = report_error(&error);
  return output_finish(&output, code, code == EX_OK);
}

static int check_plot(struct plot_job *job, const struct usage *usage,
                      const struct operands *operands) {
  if (operands->count > MAX_LISTED)
    return report_usage(usage->command, "%zu logs are too many for one picture; name up to %d",
                        operands->count, MAX_LISTED);
  if (job->labels.count > 0 && job->labels.count != operands->count)
    return report_usage(usage->command, "--label: %zu label%s for %zu log%s; give one for each",
                        job->labels.count, plural(job->labels.count), operands->count,
                        plural(operands->count));
  const int code = format_choose(&job->format, &formats, job->output);
  if (code != EX_OK) return code;
  if (job->format == NULL) job->format = "svg";
  if (is_standard(job->output) && isatty(STDOUT_FILENO))
    return report_usage(usage->command,
                        "a picture cannot be shown on a terminal; name a file with -o FILE");
  if (job->labels.count > 0) job->options.labels = job->labels.words;
  job->options.panels = job->panels.words;
  job->options.panel_count = job->panels.count;
  return EX_OK;
}

int plot_command(int argc, char **argv) {
  struct plot_job job = {.options = elman_plot_options_default()};
  const struct option options[] = {
      OUTPUT_OPTIONS(job.output, "the picture"),
      {"format", 0, "FORMAT", "output format", "by the suffix of --output, or svg",
       .group = "Output", .text = &job.format, .choice = format_choice},
      {"panel", 0, "KEY",
       "quantity of the log to draw, such as loss, bleu, chrf or learning_rate; repeat for more "
       "panels",
       .group = "Output", .list = &job.panels, .most = 16},
      {"x-axis", 0, "KEY", "quantity of the log on the horizontal axis, such as update or epoch",
       .group = "Output", .text = &job.options.x_axis},
      {"log-x", 0, NULL, "logarithmic horizontal axis", .group = "Output",
       .flag = &job.options.log_x},
      {"log-y", 0, NULL, "logarithmic vertical axes", .group = "Output",
       .flag = &job.options.log_y},
      {"title", 0, "TEXT", "text above the panels", "none", .group = "Output",
       .text = &job.options.title},
      {"label", 0, "TEXT", "name of a log in the legend; repeat for each LOG", .group = "Output",
       .list = &job.labels, .most = MAX_LISTED},
      QUIET_OPTION("no messages except errors"),
      {0}};
  const struct rule rules[] = {{"", "!LOG", "no LOG given; `elman train --log FILE` writes one"},
                               {0}};
  const struct usage usage = {
      "plot",
      "[options] LOG...",
      "Draws the curves of training runs from their logs: by default the loss of updates and\n"
      "validations, and BLEU. Several logs are compared in one picture.",
      options,
      rules,
      .reads_operands = true};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  code = check_plot(&job, &usage, &operands);
  if (code == EX_OK) code = read_logs(&job, &operands);
  if (code == EX_OK) code = draw_logs(&job, operands.count);
  for (size_t i = 0; i < MAX_LISTED; i++) elman_run_log_free(job.logs[i]);
  return code;
}
