#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "attention/attention_job.h"
#include "console/messages.h"
#include "console/terminal.h"
#include "input/model_input.h"
#include "repl/repl_session.h"

/* ---- what there is ---- */

bool session_has_last(const struct session *session, const char *command) {
  if (session->last == NULL) report(command, "nothing is translated yet");
  return session->last != NULL;
}

bool session_has_sentence(const struct session *session, const char *command) {
  if (session->sentence == NULL) report(command, "nothing is translated yet");
  return session->sentence != NULL;
}

elman_translate_options session_options(const struct session *session, const struct side *side) {
  elman_translate_options options = session->options;
  options.ensemble = (const elman_model *const *)side->models.open + 1;
  options.ensemble_count = side->models.count - 1;
  return options;
}

/* ---- translating ---- */

/* NULL after a message. */
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

/* Keeps what `side` made of the sentence. */
static void keep(struct session *session, elman_translation *translation) {
  char *sentence = strdup(translation->source);
  if (sentence == NULL) (void)report_no_memory();
  free(session->sentence);
  session->sentence = sentence;
  elman_translation_free(session->last);
  session->last = translation;
}

/* ---- showing ---- */

static void write_attention(const struct session *session, const elman_translation *translation) {
  elman_error error;
  const elman_text_style style = {.color = terminal_has_color(STDOUT_FILENO),
                                  .width = terminal_width(STDOUT_FILENO),
                                  .units = session_units(session)};
  if (elman_attention_write(session->output->stream, translation, "text", &style, &error) !=
      ELMAN_OK)
    report_error(&error);
}

static void note_unknown(const struct side *side, const elman_translation *translation) {
  struct unknown_words source = {0}, target = {0};
  unknown_words_add(&source, translation);
  if (translation->forced) unknown_words_add_target(&target, translation);
  unknown_words_note(&source, side->models.open[0], ELMAN_SOURCE);
  unknown_words_note(&target, side->models.open[0], ELMAN_TARGET);
}

static void show(const struct session *session, const struct side *side,
                 const elman_translation *translation) {
  FILE *stream = session->output->stream;
  const bool ranked = translation->next != NULL;
  size_t rank = 0;
  for (const elman_translation *one = translation; one != NULL; one = one->next) {
    if (ranked) fprintf(stream, "  %zu. ", ++rank);
    print_data(stream, one->text);
    if (ranked) fprintf(stream, " (%.3g)", one->score);
    putc('\n', stream);
  }
  if (translation->forced) session_write_tokens(stream, translation);
  if (session->show_attention) write_attention(session, translation);
  output_flush(session->output);
  note_unknown(side, translation);
}

/* What the overrides changed, if there are any. */
static void tell_effect(const struct session *session, const elman_sentence *sentence,
                        const elman_translation *changed) {
  elman_translate_options options = session_options(session, &session->side);
  struct override_effect effect = {0};
  if (options.override_count == 0) return;
  elman_translate_options as_it_is = options;
  as_it_is.override_count = 0;
  elman_translation *plain = translate(&session->side, sentence, &as_it_is);
  if (plain == NULL) return;
  override_effect_add(&effect, &options, changed, plain);
  if (override_effect_note(&effect, &options, ":override") == EX_OK && effect.same == 0)
    tell("with the attention as it is: %s", plain->text);
  elman_translation_free(plain);
}

static void translate_and_show(struct session *session, const elman_sentence *sentence) {
  const elman_translate_options options = session_options(session, &session->side);
  elman_translation *translation = translate(&session->side, sentence, &options);
  if (translation == NULL) return;
  show(session, &session->side, translation);
  tell_effect(session, sentence, translation);
  history_add(session, &session->side, translation);
  keep(session, translation);
}

void session_translate(struct session *session, const char *line) {
  translate_and_show(session, &(elman_sentence){.text = line, .length = strlen(line)});
}

/* ---- commands ---- */

void session_force(struct session *session, char *argument) {
  if (!session_has_sentence(session, ":reference")) return;
  if (argument[0] == '\0') {
    report(":reference", "write the translation behind it, as in ':reference I love you'");
    return;
  }
  translate_and_show(session, &(elman_sentence){.text = session->sentence,
                                                .length = strlen(session->sentence),
                                                .reference = argument,
                                                .reference_length = strlen(argument)});
}

/* Gives the translation, NULL after a message. */
static elman_translation *show_side(struct session *session, const struct side *side,
                                    const char *text) {
  const elman_translate_options options = session_options(session, side);
  const elman_sentence sentence = {.text = text, .length = strlen(text)};
  char name[MESSAGE_SIZE];
  FILE *stream = session->output->stream;
  elman_translation *translation = translate(side, &sentence, &options);
  if (translation == NULL) return NULL;
  session_name_side(name, sizeof name, side);
  print_visible(stream, name);
  fprintf(stream, ", log-probability %.4g:\n", translation->log_probability);
  show(session, side, translation);
  history_add(session, side, translation);
  return translation;
}

void session_compare(struct session *session, char *argument) {
  if (session->other.translator == NULL) {
    report(":compare", "there is one model only; ':load FILE' sets another beside it");
    return;
  }
  if (argument[0] == '\0' && !session_has_sentence(session, ":compare")) return;
  const char *text = argument[0] == '\0' ? session->sentence : argument;
  elman_translation *other = show_side(session, &session->other, text);
  elman_translation *translation = other == NULL ? NULL : show_side(session, &session->side, text);
  if (translation != NULL && strcmp(other->text, translation->text) == 0)
    tell("both translate it in the same way");
  if (translation != NULL) keep(session, translation);
  elman_translation_free(other);
}

void session_dump(struct session *session, char *argument) {
  const elman_text_style style = {.units = session_units(session)};
  const char *format = NULL;
  if (!session_has_last(session, ":dump")) return;
  if (argument[0] == '\0' || strcmp(argument, "-") == 0)
    report(":dump", "name a file, as in ':dump matrix.json'");
  else if (format_choose(&format, &attention_formats, argument) != EX_OK)
    return;
  else if (format == NULL)
    (void)report_suffix(argument, &attention_formats);
  else if (session_may_write(session, ":dump", argument) &&
           hypotheses_save(argument, session->last, format, &style) == EX_OK)
    tell("%s is written", argument);
}
