#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "attention/attention_job.h"
#include "attention/trace_text.h"
#include "console/messages.h"
#include "console/terminal.h"
#include "input/model_input.h"
#include "options/option.h"
#include "repl/repl_session.h"

/* ---- translating ---- */

/* Translate a sentence. On failure, print a message and return NULL. */
static elman_translation *translate(const struct side *side, const elman_sentence *sentence,
                                    const elman_translate_options *options) {
  elman_translation *translation;
  elman_error error, own;
  const elman_status status =
      elman_translate_batch(&translation, &own, side->translator, sentence, 1, options, &error);
  if (status == ELMAN_OK) return translation;
  (void)report_error(status == ELMAN_BAD_DATA ? &own : &error);
  return NULL;
}

/* Store the translation as the last one, and its source as the last sentence. */
static void remember(struct session *session, elman_translation *translation) {
  char *sentence = strdup(translation->source);
  if (sentence == NULL) (void)report_no_memory();
  free(session->sentence);
  session->sentence = sentence;
  elman_translation_free(session->last);
  session->last = translation;
}

/* ---- showing ---- */

static void write_probability(FILE *stream, double log_probability) {
  fprintf(stream, "%6.2f %%", 100 * exp(log_probability));
}

/* Write the log-probabilities of a translation and its tokens. */
static void write_tokens(FILE *stream, const elman_translation *translation) {
  const size_t T = translation->target_count;
  fprintf(stream, "log-probability %.4f", translation->log_probability);
  if (T > 0) fprintf(stream, ", %.4f per token", translation->log_probability / (double)T);
  putc('\n', stream);
  for (size_t t = 0; t < T; t++) {
    fprintf(stream, "%4zu  %9.4f  ", t + 1, translation->log_probabilities[t]);
    write_probability(stream, translation->log_probabilities[t]);
    fputs("  ", stream);
    print_visible(stream, translation->target_tokens[t]);
    putc('\n', stream);
  }
}

static void write_attention(const struct session *session, const elman_translation *translation) {
  elman_error error;
  const elman_text_style style = {.color = terminal_has_color(STDOUT_FILENO),
                                  .width = terminal_width(STDOUT_FILENO),
                                  .units = session_units(session)};
  if (elman_attention_write(session->output->stream, translation, "text", &style, &error) !=
      ELMAN_OK)
    report_error(&error);
}

static void show(const struct session *session, const struct side *side,
                 const elman_translation *translation) {
  FILE *stream = session->output->stream;
  const bool ranked = translation->next != NULL;
  size_t rank = 0;
  for (const elman_translation *one = translation; one != NULL; one = one->next) {
    if (ranked) {
      fprintf(stream, "  %zu. ", ++rank);
      print_visible_lines(stream, one->text);
      fprintf(stream, " (%.3g)\n", one->score);
    } else {
      print_data(stream, one->text);
      putc('\n', stream);
    }
  }
  if (translation->forced) write_tokens(stream, translation);
  if (session->show_attention) write_attention(session, translation);
  output_flush(session->output);
  struct unknown_words unknown = {0};
  unknown_words_add(&unknown, translation);
  unknown_words_note(&unknown, side->models.open[0]);
  struct warnings warnings = {0};
  warnings_add(&warnings, side->models.open[0], translation, 1);
  warnings_note(&warnings, NULL);
}

/* Print the effect of the overrides; print nothing if there are none. */
static void print_override_effect(const struct session *session, const elman_sentence *sentence,
                                  const elman_translation *changed) {
  elman_translate_options options = session_options(session, &session->side);
  struct override_effect effect = {0};
  if (options.override_count == 0) return;
  elman_translate_options unmodified = options;
  unmodified.override_count = 0;
  unmodified.seed = elman_translate_options_default().seed; /* of shuffled attention */
  elman_translation *plain = translate(&session->side, sentence, &unmodified);
  if (plain == NULL) return;
  override_effect_add(&effect, &options, changed, plain);
  if (override_effect_note(&effect, &options, ":override") == EX_OK && effect.same == 0)
    print_info("with unmodified attention: %s", plain->text);
  elman_translation_free(plain);
}

static void translate_and_show(struct session *session, const elman_sentence *sentence) {
  const elman_translate_options options = session_options(session, &session->side);
  elman_translation *translation = translate(&session->side, sentence, &options);
  if (translation == NULL) return;
  show(session, &session->side, translation);
  print_override_effect(session, sentence, translation);
  history_add(session, &session->side, translation);
  remember(session, translation);
}

void session_translate(struct session *session, const char *line) {
  translate_and_show(session,
                     &(elman_sentence){.text = line, .length = strlen(line), .is_text = true});
}

/* ---- commands ---- */

void session_force(struct session *session, char *argument) {
  if (!session_has(session->sentence, ":reference")) return;
  if (argument[0] == '\0') {
    report(":reference", "give a translation, as in ':reference I love you'");
    return;
  }
  translate_and_show(session, &(elman_sentence){.text = session->sentence,
                                                .length = strlen(session->sentence),
                                                .reference = argument,
                                                .reference_length = strlen(argument)});
}

/* Translate with a side and show the result. Return the translation. On failure, print a message
 * and return NULL. */
static elman_translation *show_side(struct session *session, const struct side *side,
                                    const char *text) {
  const elman_translate_options options = session_options(session, side);
  const elman_sentence sentence = {.text = text, .length = strlen(text), .is_text = true};
  char name[MESSAGE_SIZE];
  FILE *stream = session->output->stream;
  elman_translation *translation = translate(side, &sentence, &options);
  if (translation == NULL) return NULL;
  side_name(name, sizeof name, side);
  print_visible(stream, name);
  fprintf(stream, ", log-probability %.4g:\n", translation->log_probability);
  show(session, side, translation);
  history_add(session, side, translation);
  return translation;
}

void session_compare(struct session *session, char *argument) {
  if (session->other.translator == NULL) {
    report(":compare", "only one model is loaded; ':load FILE' loads another one");
    return;
  }
  if (argument[0] == '\0' && !session_has(session->sentence, ":compare")) return;
  const char *text = argument[0] == '\0' ? session->sentence : argument;
  elman_translation *other = show_side(session, &session->other, text);
  elman_translation *translation = other == NULL ? NULL : show_side(session, &session->side, text);
  if (translation != NULL && strcmp(other->text, translation->text) == 0)
    print_info("both models give the same translation");
  if (translation != NULL) remember(session, translation);
  elman_translation_free(other);
}

void session_dump(struct session *session, char *argument) {
  const elman_text_style style = {.units = session_units(session)};
  if (!session_has(session->last, ":dump")) return;
  const char *format =
      session_output_format(":dump", "':dump matrix.json'", &attention_formats, argument);
  if (format != NULL && hypotheses_save(argument, session->last, format, &style) == EX_OK)
    print_info("wrote %s", argument);
}

/* ---- alternatives ---- */

enum { FEW_ALTERNATIVES = 3, USUAL_ALTERNATIVES = 10, MAX_ALTERNATIVES = 100 };

/* Positions in the last translation, and the number of alternatives for each position. */
struct places {
  size_t first, count, most;
  bool listed; /* one line per alternative, not per position */
};

/* Return the sentence of a translation that has target token t. */
static const elman_translated_sentence *sentence_of(const elman_translation *translation,
                                                    size_t t) {
  const elman_translated_sentence *sentence = translation->sentences;
  while (t >= sentence->first_target + sentence->target_count) sentence++;
  return sentence;
}

/* Find alternatives. A beam search extends the translation before each position by one token.
 * found[i] is the list for position first + i. Return an exit code; print a message if it is not
 * 0. */
static int find_alternatives(elman_translation **found, const struct session *session,
                             const struct places *places) {
  const elman_translation *last = session->last;
  elman_translate_options options = session_options(session, &session->side);
  options.beam = options.n_best = places->most;
  options.equal_texts = true;
  options.split_sentences = ELMAN_SPLIT_OFF;
  options.max_length = 1;
  options.max_ratio = options.coverage_penalty = 0;
  elman_sentence *sentences = calloc(places->count, sizeof *sentences);
  if (sentences == NULL) return report_no_memory();
  for (size_t i = 0; i < places->count; i++) {
    const elman_translated_sentence *sentence = sentence_of(last, places->first + i);
    sentences[i] = (elman_sentence){.text = last->source + sentence->source.start,
                                    .length = sentence->source.end - sentence->source.start,
                                    .prefix = last->target_ids + sentence->first_target,
                                    .prefix_count = places->first + i - sentence->first_target};
  }
  elman_error error;
  const elman_status status = elman_translate_batch(found, NULL, session->side.translator,
                                                    sentences, places->count, &options, &error);
  free(sentences);
  if (status == ELMAN_OK) return EX_OK;
  for (size_t i = 0; i < places->count; i++) elman_translation_free(found[i]);
  return report_error(&error);
}

static void write_alternative(FILE *stream, const elman_translation *one, size_t t, bool chosen) {
  fputs(chosen ? "  * " : "    ", stream);
  write_probability(stream, one->log_probabilities[t]);
  fprintf(stream, "  %9.4f  ", one->log_probabilities[t]);
  print_visible(stream, one->target_tokens[t]);
  putc('\n', stream);
}

/* Write one line per alternative. Mark the token that the translation contains. */
static void write_list(FILE *stream, const elman_translation *last, size_t t,
                       const elman_translation *found) {
  const size_t place = t - sentence_of(last, t)->first_target;
  bool listed = false;
  fprintf(stream, "token %zu of %zu, ", t + 1, last->target_count);
  print_visible(stream, last->target_tokens[t]);
  putc('\n', stream);
  for (const elman_translation *one = found; one != NULL; one = one->next) {
    const bool chosen = one->target_ids[place] == last->target_ids[t];
    write_alternative(stream, one, place, chosen);
    listed = listed || chosen;
  }
  if (!listed) write_alternative(stream, last, t, true);
}

/* Write the token and a few alternatives on one line. */
static void write_few(FILE *stream, const elman_translation *last, size_t t,
                      const elman_translation *found) {
  const size_t place = t - sentence_of(last, t)->first_target;
  size_t others = 0;
  fprintf(stream, "%4zu  ", t + 1);
  write_probability(stream, last->log_probabilities[t]);
  fputs("  ", stream);
  print_visible(stream, last->target_tokens[t]);
  for (const elman_translation *one = found; one != NULL && others < FEW_ALTERNATIVES;
       one = one->next) {
    if (one->target_ids[place] == last->target_ids[t]) continue;
    fputs(others++ == 0 ? "; or " : ", ", stream);
    print_visible(stream, one->target_tokens[place]);
    fputc(' ', stream);
    fprintf(stream, "%.2f %%", 100 * exp(one->log_probabilities[place]));
  }
  putc('\n', stream);
}

static void write_alternatives(struct session *session, const struct places *places) {
  FILE *stream = session->output->stream;
  elman_translation **found = calloc(places->count, sizeof *found);
  if (found == NULL) {
    (void)report_no_memory();
    return;
  }
  if (find_alternatives(found, session, places) == EX_OK) {
    for (size_t i = 0; i < places->count; i++) {
      (places->listed ? write_list : write_few)(stream, session->last, places->first + i, found[i]);
      elman_translation_free(found[i]);
    }
    output_flush(session->output);
  }
  free(found);
}

/* Parse a whole number from 1 to `most`; report anything else. */
static bool read_number(size_t *number, const char *text, const char *what, size_t most) {
  uint64_t value;
  if (parse_whole_number(text, &value) && value >= 1 && value <= most) {
    *number = (size_t)value;
    return true;
  }
  report(":alternatives", "'%s' is not a %s from 1 to %zu", text, what, most);
  return false;
}

void session_alternatives(struct session *session, char *argument) {
  if (!session_has(session->last, ":alternatives")) return;
  const size_t T = session->last->target_count;
  if (T == 0) {
    report(":alternatives", "the translation is empty");
    return;
  }
  struct places places = {.count = T, .most = FEW_ALTERNATIVES + 1};
  if (argument[0] != '\0') {
    const char *most = session_split_word(argument);
    size_t token;
    if (!read_number(&token, argument, "token", T)) return;
    places = (struct places){token - 1, 1, USUAL_ALTERNATIVES, true};
    if (most[0] != '\0' &&
        !read_number(&places.most, most, "number of alternatives", MAX_ALTERNATIVES))
      return;
  }
  write_alternatives(session, &places);
}

/* ---- gradients ---- */

void session_trace(struct session *session, char *argument) {
  if (!session_has(session->sentence, ":trace")) return;
  if (argument[0] == '\0' && !session_has(session->last, ":trace")) return;
  const char *target = argument[0] == '\0' ? session->last->text : argument;
  elman_error error;
  elman_gradient_trace *trace;
  if (session->side.models.count > 1)
    note("only the first model is traced: %s", session->side.models.paths.words[0]);
  if (argument[0] == '\0' && session->last->sentence_count > 1)
    print_info("':trace' uses the text as one sentence");
  if (session->override_words != NULL)
    print_info("':trace' uses unmodified attention; ':override' does not apply");
  if (elman_trace(&trace, session->side.models.open[0], session->sentence, target, 0, &error) !=
      ELMAN_OK) {
    report_error(&error);
    return;
  }
  trace_write_text(session->output->stream, trace, 0);
  output_flush(session->output);
  elman_trace_free(trace);
}
