/* elman corpus check */
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "commands.h"
#include "console/json_output.h"
#include "console/messages.h"
#include "console/output.h"
#include "input/pairs_input.h"
#include "options/command_line.h"
#include "options/library_options.h"

/* Size limit of a sentence in examples; a longer one is truncated. */
enum { SHOWN_BYTES = 160 };

static size_t bad_lines(const elman_check *check, size_t part) {
  size_t bad = 0;
  for (elman_finding finding = 0; elman_finding_name(finding) != NULL; finding++)
    if (elman_finding_get_kind(finding) == ELMAN_FINDING_KIND_BAD_LINE)
      bad += elman_check_count(check, finding, part);
  return bad;
}

/* ---- for people ---- */

static void print_cut(FILE *stream, const char *text) {
  char start[SHOWN_BYTES + 1];
  const bool cut = strlen(text) > SHOWN_BYTES;
  size_t length = SHOWN_BYTES;
  while (cut && ((unsigned char)text[length] & 0xC0) == 0x80) length--;
  snprintf(start, sizeof start, "%.*s", (int)length, text);
  print_visible(stream, start);
  if (cut) fputs(" ...", stream);
}

static void print_example(FILE *stream, const elman_check *check,
                          const elman_check_example *example) {
  fputs("    ", stream);
  print_visible(stream, elman_check_get_part(check, example->part).name);
  fprintf(stream, ":%zu: ", example->line);
  if (example->source == NULL) {
    print_cut(stream, example->problem);
  } else {
    print_cut(stream, example->source);
    fputs(" | ", stream);
    print_cut(stream, example->target);
  }
  if (example->finding == ELMAN_FINDING_LENGTH_RATIO)
    fprintf(stream, "  (%zu and %zu characters)", example->source_length, example->target_length);
  if (example->other_line > 0) {
    fputs(example->finding == ELMAN_FINDING_SHIFTED ? "  (its target is in " : "  (as in ", stream);
    print_visible(stream, elman_check_get_part(check, example->other_part).name);
    fprintf(stream, ":%zu)", example->other_line);
  }
  putc('\n', stream);
}

static void print_examples(FILE *stream, const elman_check *check, elman_finding finding,
                           size_t part) {
  elman_check_example example;
  for (size_t i = 0; elman_check_get_example(&example, check, i); i++)
    if (example.finding == finding && example.part == part) print_example(stream, check, &example);
}

static void print_count(FILE *stream, const char *what, size_t count) {
  fprintf(stream, "  %-50s %8zu\n", what, count);
}

static void print_tokens(FILE *stream, const char *side, elman_token_mode mode, size_t tokens,
                         size_t part, size_t unknown, size_t vocabulary) {
  char what[64];
  snprintf(what, sizeof what, "%s tokens (%s)", side, elman_token_mode_name(mode));
  fprintf(stream, "  %-50s %8zu", what, tokens);
  if (part == 0)
    fprintf(stream, ", %zu distinct\n", vocabulary);
  else
    fprintf(stream, ", %.2f %% not in the first part\n",
            tokens == 0 ? 0 : 100 * (double)unknown / (double)tokens);
}

static const char *script_or_mixed(const char *name) {
  return name == NULL ? "mixed" : name;
}

static void print_script(FILE *stream, const char *what, const char *name) {
  fprintf(stream, "  %-50s %8s\n", what, script_or_mixed(name));
}

/* Print numbers of shared texts. `counts` contains the numbers of pairs, sources and targets. */
static void print_shared(FILE *stream, const size_t counts[3]) {
  fprintf(stream, "%zu pair%s, %zu source%s, %zu target%s\n", counts[0], plural(counts[0]),
          counts[1], plural(counts[1]), counts[2], plural(counts[2]));
}

static void print_leaks(FILE *stream, const elman_check *check, size_t part) {
  for (size_t earlier = 0; earlier < part; earlier++) {
    const char *name = elman_check_get_part(check, earlier).name;
    size_t shared[ELMAN_FINDING_LIKE_TARGET + 1], total = 0;
    for (elman_finding leak = ELMAN_FINDING_SAME_PAIR; leak <= ELMAN_FINDING_LIKE_TARGET; leak++)
      total += shared[leak] = elman_check_shared(check, leak, part, earlier);
    if (total == 0) continue;
    fputs("  leaks from ", stream);
    print_visible(stream, name);
    fputs(", exact: ", stream);
    print_shared(stream, shared + ELMAN_FINDING_SAME_PAIR);
    fputs("    ignoring case, width, punctuation and spaces: ", stream);
    print_shared(stream, shared + ELMAN_FINDING_LIKE_PAIR);
  }
  for (elman_finding leak = ELMAN_FINDING_SAME_PAIR; leak <= ELMAN_FINDING_LIKE_TARGET; leak++)
    print_examples(stream, check, leak, part);
}

static void print_part(FILE *stream, const elman_check *check, size_t part) {
  char advice[MESSAGE_SIZE];
  const elman_check_part info = elman_check_get_part(check, part);
  const elman_check_tokens tokens = elman_check_get_tokens(check);
  print_visible(stream, info.name);
  putc('\n', stream);
  print_count(stream, "pairs", info.pairs);
  print_tokens(stream, "source", tokens.source_tokens, info.source_tokens, part,
               info.unknown_source, tokens.source_vocabulary);
  print_tokens(stream, "target", tokens.target_tokens, info.target_tokens, part,
               info.unknown_target, tokens.target_vocabulary);
  if (part == 0) {
    print_script(stream, "source script", tokens.source_script);
    print_script(stream, "target script", tokens.target_script);
  }
  for (elman_finding finding = 0; elman_finding_name(finding) != NULL; finding++) {
    const size_t count = elman_check_count(check, finding, part);
    if (count == 0 || elman_finding_get_kind(finding) == ELMAN_FINDING_KIND_LEAK) continue;
    print_count(stream, elman_finding_description(finding), count);
    if (elman_finding_advice(finding) != NULL)
      fprintf(stream, "    remedy: %s\n",
              message_of_library(advice, elman_finding_advice(finding)));
    print_examples(stream, check, finding, part);
  }
  if (info.leaking > 0) print_count(stream, "LEAKING PAIRS", info.leaking);
  print_leaks(stream, check, part);
}

static void write_text(FILE *stream, const elman_check *check, size_t part_count) {
  size_t bad = 0, leaking = 0;
  for (size_t part = 0; part < part_count; part++) {
    print_part(stream, check, part);
    putc('\n', stream);
    bad += bad_lines(check, part);
    leaking += elman_check_get_part(check, part).leaking;
  }
  if (part_count > 1) fprintf(stream, "%zu leaking pair%s; ", leaking, plural(leaking));
  fprintf(stream, "%zu bad line%s\n", bad, plural(bad));
}

/* ---- for programs ---- */

static void write_part_json(struct json *json, const elman_check *check, size_t part) {
  const elman_check_part info = elman_check_get_part(check, part);
  json_print(json,
             "\n{name %s pairs %zu bad_lines %zu leaking_pairs %zu source_tokens %zu "
             "target_tokens %zu unknown_source %zu unknown_target %zu lines {",
             info.name, info.pairs, bad_lines(check, part), info.leaking, info.source_tokens,
             info.target_tokens, info.unknown_source, info.unknown_target);
  for (elman_finding finding = 0; elman_finding_name(finding) != NULL; finding++)
    json_count(json, elman_finding_name(finding), elman_check_count(check, finding, part));
  json_print(json, "}}");
}

static void write_shared(struct json *json, const elman_check *check, size_t part, size_t earlier) {
  json_print(json, "\n{part %s with %s", elman_check_get_part(check, part).name,
             elman_check_get_part(check, earlier).name);
  for (elman_finding leak = ELMAN_FINDING_SAME_PAIR; elman_finding_name(leak) != NULL; leak++)
    json_count(json, elman_finding_name(leak), elman_check_shared(check, leak, part, earlier));
  json_print(json, "}");
}

static void write_example(struct json *json, const elman_check *check,
                          const elman_check_example *example) {
  json_print(json, "\n{finding %s part %s line %zu", elman_finding_name(example->finding),
             elman_check_get_part(check, example->part).name, example->line);
  if (example->other_line > 0)
    json_print(json, "with %s with_line %zu", elman_check_get_part(check, example->other_part).name,
               example->other_line);
  if (example->source != NULL)
    json_print(json, "source %s target %s}", example->source, example->target);
  else
    json_print(json, "problem %s}", example->problem);
}

static void write_json(FILE *stream, const elman_check *check, size_t part_count) {
  const elman_check_tokens tokens = elman_check_get_tokens(check);
  struct json json = {.stream = stream};
  json_print(&json,
             "{clean %d source_tokens %s target_tokens %s source_vocabulary %zu "
             "target_vocabulary %zu source_script %s target_script %s parts [",
             elman_check_clean(check), elman_token_mode_name(tokens.source_tokens),
             elman_token_mode_name(tokens.target_tokens), tokens.source_vocabulary,
             tokens.target_vocabulary, script_or_mixed(tokens.source_script),
             script_or_mixed(tokens.target_script));
  for (size_t part = 0; part < part_count; part++) write_part_json(&json, check, part);
  json_print(&json, "\n] shared [");
  for (size_t part = 1; part < part_count; part++)
    for (size_t earlier = 0; earlier < part; earlier++) write_shared(&json, check, part, earlier);
  json_print(&json, "\n] examples [");
  elman_check_example example;
  for (size_t i = 0; elman_check_get_example(&example, check, i); i++)
    write_example(&json, check, &example);
  json_print(&json, "\n]}\n");
}

/* ---- the command ---- */

struct check_job {
  struct pairs_input input;
  elman_check_options options;
  bool json;
};

/* Run the check. Each file is one part. A source file and a target file together also form one
 * part. */
static int run(struct check_job *job, const char *command, const struct operands *operands) {
  elman_pairs_options all;
  int code = pairs_input_options(&all, &job->input, command, operands);
  if (code != EX_OK) return code;
  const size_t count = all.file_count > 0 ? all.file_count : 1;
  elman_pairs_options *parts = calloc(count, sizeof *parts);
  if (parts == NULL) return report_no_memory();
  for (size_t i = 0; i < count; i++) {
    parts[i] = all;
    if (all.file_count == 0) continue;
    parts[i].files = all.files + i;
    parts[i].file_count = 1;
  }
  job->options.parts = parts;
  job->options.part_count = count;
  elman_error error;
  elman_check *check = NULL;
  if (elman_check_create(&check, &job->options, &error) == ELMAN_OK) {
    (job->json ? write_json : write_text)(stdout, check, count);
    code = output_end(elman_check_clean(check) ? EX_OK : EX_DATAERR);
  } else {
    code = report_error(&error);
  }
  elman_check_free(check);
  free(parts);
  return code;
}

/* Return the token modes except those with BPE, whose subwords only training learns. */
static const char *mode_choice(size_t index) {
  return index <= ELMAN_TOKENS_AUTO ? elman_token_mode_name(index) : NULL;
}

static struct option mode_option(const char *name, elman_token_mode *mode) {
  struct option option = library_option(ELMAN_SCOPES_MODEL, name, mode);
  option.choice = mode_choice;
  return option;
}

int corpus_check_command(int argc, char **argv) {
  struct check_job job = {.input = {.columns = DEFAULT_COLUMNS},
                          .options = elman_check_options_default()};
  const struct option options[] = {
      PAIRS_FILES_OPTIONS(job.input),
      PAIRS_LIMITS_OPTIONS(job.input),
      mode_option("source_tokens", &job.options.source_tokens),
      mode_option("target_tokens", &job.options.target_tokens),
      {"max-length", 0, "N", "maximum tokens per side", .count = &job.options.max_length,
       .least = 1, .most = 1000000},
      {"max-ratio", 0, "X", "maximum ratio of the length of a side to its expected length",
       .real = &job.options.max_ratio, .lowest = 1.01, .highest = 1000},
      {"examples", 0, "N", "number of lines shown per finding and file",
       .count = &job.options.examples, .most = 1000000},
      JSON_OPTION(job.json),
      {0}};
  const struct rule rules[] = {PAIRS_RULES, {0}};
  const struct usage usage = {
      "corpus check",
      "[options] PAIRS...",
      "Finds bad lines, repeated pairs and unusual pairs. With several files, also finds\n"
      "leaks. A leak is a sentence that occurs in an earlier file, too. Name the training file\n"
      "first. The exit code is 65 if there are leaks or bad lines.",
      options,
      rules,
      .reads_operands = true};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  return run(&job, usage.command, &operands);
}
