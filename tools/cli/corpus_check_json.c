#include "corpus_check.h"
#include "json_output.h"

static void write_string(FILE *stream, const char *key, const char *text) {
  fprintf(stream, ",\"%s\":", key);
  write_json_string(stream, text);
}

static void write_part(FILE *stream, const elman_check *check, size_t part) {
  const elman_check_part info = elman_check_get_part(check, part);
  fputs("{\"name\":", stream);
  write_json_string(stream, info.name);
  fprintf(stream, ",\"pairs\":%zu,\"bad_lines\":%zu,\"leaking_pairs\":%zu", info.pairs,
          check_bad_lines(check, part), info.leaking);
  fprintf(stream, ",\"source_tokens\":%zu,\"target_tokens\":%zu", info.source_tokens,
          info.target_tokens);
  fprintf(stream, ",\"unknown_source\":%zu,\"unknown_target\":%zu,\"lines\":{", info.unknown_source,
          info.unknown_target);
  for (elman_finding finding = 0; elman_finding_name(finding) != NULL; finding++)
    fprintf(stream, "%s\"%s\":%zu", finding == 0 ? "" : ",", elman_finding_name(finding),
            elman_check_count(check, finding, part));
  fputs("}}", stream);
}

static void write_shared(FILE *stream, const elman_check *check, size_t part, size_t earlier) {
  fputs("{\"part\":", stream);
  write_json_string(stream, elman_check_get_part(check, part).name);
  write_string(stream, "with", elman_check_get_part(check, earlier).name);
  for (elman_finding leak = ELMAN_FINDING_SAME_PAIR; elman_finding_name(leak) != NULL; leak++)
    fprintf(stream, ",\"%s\":%zu", elman_finding_name(leak),
            elman_check_shared(check, leak, part, earlier));
  putc('}', stream);
}

static void write_example(FILE *stream, const elman_check *check,
                          const elman_check_example *example) {
  fputs("{\"finding\":", stream);
  write_json_string(stream, elman_finding_name(example->finding));
  write_string(stream, "part", elman_check_get_part(check, example->part).name);
  fprintf(stream, ",\"line\":%zu", example->line);
  if (example->other_line > 0) {
    write_string(stream, "with", elman_check_get_part(check, example->other_part).name);
    fprintf(stream, ",\"with_line\":%zu", example->other_line);
  }
  if (example->source != NULL) {
    write_string(stream, "source", example->source);
    write_string(stream, "target", example->target);
  } else {
    write_string(stream, "problem", example->problem);
  }
  putc('}', stream);
}

void write_check_json(FILE *stream, const elman_check *check, size_t part_count) {
  const elman_check_tokens tokens = elman_check_get_tokens(check);
  fprintf(stream, "{\"clean\":%s", elman_check_clean(check) ? "true" : "false");
  write_string(stream, "source_tokens", elman_token_mode_name(tokens.source_tokens));
  write_string(stream, "target_tokens", elman_token_mode_name(tokens.target_tokens));
  fprintf(stream, ",\"source_vocabulary\":%zu,\"target_vocabulary\":%zu,\"parts\":[",
          tokens.source_vocabulary, tokens.target_vocabulary);
  for (size_t part = 0; part < part_count; part++) {
    fputs(part == 0 ? "\n  " : ",\n  ", stream);
    write_part(stream, check, part);
  }
  fputs("\n],\"shared\":[", stream);
  for (size_t part = 1; part < part_count; part++)
    for (size_t earlier = 0; earlier < part; earlier++) {
      fputs(part == 1 ? "\n  " : ",\n  ", stream);
      write_shared(stream, check, part, earlier);
    }
  fputs("\n],\"examples\":[", stream);
  elman_check_example example;
  for (size_t i = 0; elman_check_get_example(&example, check, i); i++) {
    fputs(i == 0 ? "\n  " : ",\n  ", stream);
    write_example(stream, check, &example);
  }
  fputs("\n]}\n", stream);
}
