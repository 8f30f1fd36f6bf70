#include "vocab/sentences.h"

#include <string.h>

#include "vocab/characters.h"
#include "vocab/marks.h"
#include "vocab/scripts.h"

/* Limits that keep time linear: bytes within brackets; brackets of a sentence that do not close
 * within this number of bytes; bytes of a word. */
enum { MOST_BRACKET = 512, MOST_UNCLOSED = 4, LONGEST_WORD = 64 };

/* ---- characters ---- */

static bool is_line_break(int codepoint) {
  return (codepoint >= '\n' && codepoint <= '\r') || codepoint == 0x85 || codepoint == 0x2028 ||
         codepoint == 0x2029;
}

static bool is_upper(int codepoint) {
  const utf8proc_category_t category = utf8proc_category(codepoint);
  return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LT;
}

static bool is_lower(int codepoint) {
  return utf8proc_category(codepoint) == UTF8PROC_CATEGORY_LL;
}

static bool is_digit(int codepoint) {
  return decimal_value(codepoint) >= 0;
}

/* Return whether the mark ends a sentence only before white space: the marks of Latin, Greek and
 * Cyrillic, and ellipses. */
static bool needs_space(int codepoint) {
  return codepoint < 0x80 || (codepoint >= 0x2000 && codepoint <= 0x22FF) || codepoint == 0xFF0E;
}

static bool is_full_stop(int codepoint) {
  return codepoint == '.' || codepoint == 0xFF0E;
}

static bool is_ellipsis(int codepoint) {
  return codepoint == 0x2025 || codepoint == 0x2026 || codepoint == 0x22EF;
}

/* Return whether the character belongs to an emoji or another symbol. */
static bool is_pictograph(int codepoint) {
  if (codepoint < 0x2000) return false;
  const utf8proc_category_t category = utf8proc_category(codepoint);
  return category == UTF8PROC_CATEGORY_SO || codepoint == 0x200D || codepoint == 0xFE0F ||
         (codepoint >= 0x1F3FB && codepoint <= 0x1F3FF);
}

static bool is_opening(int codepoint) {
  const utf8proc_category_t category = utf8proc_category(codepoint);
  return codepoint == '"' || codepoint == '\'' || codepoint == 0xBF || codepoint == 0xA1 ||
         category == UTF8PROC_CATEGORY_PS || category == UTF8PROC_CATEGORY_PI ||
         category == UTF8PROC_CATEGORY_PD || codepoint == 0x2022 || codepoint == '*';
}

static int closing_bracket(int codepoint) {
  static const int pairs[][2] = {{'(', ')'},       {'[', ']'},       {'{', '}'},
                                 {0xFF08, 0xFF09}, {0x3010, 0x3011}, {0x3014, 0x3015},
                                 {0xFF3B, 0xFF3D}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (pairs[i][0] == codepoint) return pairs[i][1];
  return 0;
}

static int peek(struct text text, size_t at) {
  return at < text.length ? character_at(text, &at) : 0;
}

/* ---- words ---- */

/* Words in lower case, each between spaces. A full stop after these does not end a sentence. */
static const char abbreviations[] =
    " mr mrs ms dr prof st mt rev fr gen col capt cpt lt sgt cmdr hon gov sen rep pres messrs vs "
    "cf al"
    " approx dept est fig figs no nos vol vols pp p ch sec ed eds e.g i.e viz ca art pt"
    " jan feb mar apr aug sept sep oct nov dec"
    " hr frau nr bd abs vgl bzw z.b d.h u.a o.ä s.o s.u z.t i.d.r ggf evtl inkl zzgl tel str geb"
    " mm mme mmes mlle mlles av boul p.ex n° env"
    " sra srta ud uds d dña pág págs núm p.ej av avda gral"
    " sig sig.ra sig.na dott dott.ssa avv ing pag es"
    " dhr mevr mw bijv t.a.v m.b.t o.a d.w.z t.ex bl.a d.v.s f.eks kl"
    " np tj tzn ul zob tzw mgr inż prof.dr örn çev yy"
    " г гг ул им см ср стр тыс руб коп млн млрд проф т.е т.н напр рис гл пр"
    " κ κα κος αρ σελ π.χ δηλ βλ ";

/* A full stop after these words ends a sentence if an upper-case letter follows. */
static const char ending_abbreviations[] =
    " etc inc ltd co corp jr sr bros llc plc usw ect enz m.fl osv itp itd т.д т.п др vb ";

/* Words that often begin sentences, in lower case. */
static const char beginnings[] =
    " a an the he she it i we you they this that these those there here but and so then now"
    " what who why how where when which if in on at as my our your his her its their is are do does"
    " did can will would let please no yes not all some many most after before"
    " der die das ein eine er sie es ich wir ihr und aber dann was wer wie wo warum"
    " le la les un une il elle ils elles je nous vous on et mais ce cette"
    " el los las él ella yo nosotros ellos y pero esto"
    " он она оно они я мы вы это но и как что ";

/* After a number and before these, a full stop marks an ordinal. */
static const char ordinals[] =
    " januar jänner februar märz april mai juni juli august september oktober november dezember"
    " jahrhundert jahrhunderts weltkrieg klasse stock ";

/* Return whether the list has the word, in upper or lower case. */
static bool is_listed(const char *list, struct text word) {
  char key[LONGEST_WORD + 8] = " ";
  size_t length = 1;
  if (word.length == 0 || word.length > LONGEST_WORD) return false;
  for (size_t at = 0; at < word.length && length < LONGEST_WORD;) {
    const int codepoint = character_at(word, &at);
    length +=
        (size_t)utf8proc_encode_char(utf8proc_tolower(codepoint), (utf8proc_uint8_t *)key + length);
  }
  key[length] = ' ';
  key[length + 1] = '\0';
  return strstr(list, key) != NULL;
}

static size_t before(struct text text, size_t at) {
  do at--;
  while (at > 0 && continues_character(text.bytes[at]));
  return at;
}

/* Return the word that ends at byte `end`, with the full stops within it. */
static struct text word_before(struct text text, size_t first, size_t end) {
  size_t start = end;
  while (start > first && end - start <= LONGEST_WORD) {
    const size_t previous = before(text, start);
    const int codepoint = peek(text, previous);
    if (!is_word_character(codepoint) && codepoint != '.' && codepoint != 0xB0) break;
    start = previous;
  }
  return (struct text){text.bytes + start, end - start};
}

static struct text word_after(struct text text, size_t at) {
  size_t end = at;
  while (end < text.length && end - at <= LONGEST_WORD && is_word_character(peek(text, end)))
    (void)character_at(text, &end);
  return (struct text){text.bytes + at, end - at};
}

/* Return whether the word consists of single letters, with full stops between them: an initial, or
 * an acronym such as U.S */
static bool is_initials(struct text word) {
  bool expects_letter = true;
  for (size_t at = 0; at < word.length;) {
    const int codepoint = character_at(word, &at);
    if (expects_letter ? !is_upper(codepoint) && !is_lower(codepoint) : codepoint != '.')
      return false;
    expects_letter = !expects_letter;
  }
  return !expects_letter;
}

static bool consists_of_digits(struct text word) {
  for (size_t at = 0; at < word.length;)
    if (!is_digit(character_at(word, &at))) return false;
  return word.length > 0;
}

/* Return whether the text has a letter or a digit in [at, end). */
static bool has_word(struct text text, size_t at, size_t end) {
  while (at < end)
    if (is_word_character(character_at(text, &at))) return true;
  return false;
}

/* ---- full stops ---- */

/* A place where a sentence may end. */
struct sentence_end {
  size_t start;         /* start of the sentence */
  size_t mark;          /* its first final mark */
  size_t end;           /* the place after the marks and the closing characters */
  size_t next;          /* the first letter or digit of what follows */
  bool is_stop;         /* the mark is a single full stop */
  bool is_ellipsis;     /* several full stops, or an ellipsis */
  bool closes_quoted;   /* a closing quotation mark or bracket follows the mark */
  bool opens_guillemet; /* the sentence has a left guillemet */
  size_t quotes;        /* straight quotation marks of the sentence before its end */
};

/* Return whether a full stop after this word ends a sentence, if white space and the word `next`
 * follow. */
static bool stop_ends(struct text text, const struct sentence_end *at, struct text next) {
  const struct text word = word_before(text, at->start, at->mark);
  const bool first = !has_word(text, at->start, (size_t)(word.bytes - text.bytes));
  const int following = peek(next, 0);
  if (word.length == 0) return true;
  if (first && (consists_of_digits(word) || is_initials(word))) return false; /* an item: 1. a. */
  if (is_listed(abbreviations, word)) return false;
  if (is_listed(ending_abbreviations, word)) return is_upper(following);
  if (consists_of_digits(word)) return !is_listed(ordinals, next);
  const bool is_pronoun = word.length == 1 && *word.bytes == 'I';
  if (!is_pronoun && is_initials(word) &&
      (is_upper(peek(word, 0)) || memchr(word.bytes, '.', word.length) != NULL))
    return is_listed(beginnings, next);
  return true;
}

/* ---- boundaries ---- */

/* Return the place after a French quotation mark that closes the sentence after a space; `at` if
 * there is none. */
static size_t skip_spaced_quote(size_t at, struct text text, struct sentence_end *place) {
  size_t next = run_end(text, at, is_white_space, true);
  if (next == at || peek(text, next) != 0xBB || !place->opens_guillemet) return at;
  (void)character_at(text, &next);
  place->closes_quoted = true;
  return next;
}

/* Move *at past closing quotation marks, brackets, further marks and emoji. A straight quotation
 * mark before a word closes only what was opened in the sentence. */
static void skip_closing(size_t *at, struct text text, struct sentence_end *place) {
  *at = skip_spaced_quote(*at, text, place);
  while (*at < text.length) {
    size_t next = *at;
    const int codepoint = character_at(text, &next), following = peek(text, next);
    const bool is_straight = codepoint == '"' || codepoint == '\'';
    const bool opens = utf8proc_category(codepoint) == UTF8PROC_CATEGORY_PI ||
                       (is_straight && is_word_character(following) && place->quotes % 2 == 0);
    if (opens ||
        !(is_final_mark(codepoint) || closes_sentence(codepoint) || is_pictograph(codepoint)))
      return;
    place->quotes += codepoint == '"';
    place->closes_quoted = place->closes_quoted || closes_sentence(codepoint);
    place->is_stop = place->is_stop && !is_final_mark(codepoint);
    *at = next;
  }
}

/* Return the place of the first letter or digit at or after `at` that only white space and opening
 * characters precede; text.length if there is none. */
static size_t find_next(struct text text, size_t at) {
  while (at < text.length) {
    size_t next = at;
    const int codepoint = character_at(text, &next);
    if (!is_white_space(codepoint) && !is_opening(codepoint)) return at;
    at = next;
  }
  return at;
}

/* Return whether the mark lies within a URL such as http://a.b/?q=… */
static bool is_in_address(struct text text, const struct sentence_end *at) {
  size_t start = at->mark;
  while (start > at->start && at->mark - start < MOST_BRACKET &&
         !is_white_space(peek(text, before(text, start))))
    start = before(text, start);
  for (; start + 3 <= at->mark; start++)
    if (memcmp(text.bytes + start, "://", 3) == 0) return true;
  return false;
}

/* Return whether a sentence ends at this place, which is not at the end of a line. */
static bool ends_at(const struct sentence_reader *reader, const struct sentence_end *at) {
  const struct text text = {reader->text.bytes, reader->line_end};
  const int mark = peek(text, at->mark), after = peek(text, at->end);
  const bool spaced = is_white_space(after);
  const int following = peek(text, at->next);
  if (!spaced) {
    if (is_one_of(",;:，；：、", after) || at->is_ellipsis) return false;
    if (at->closes_quoted && is_word_character(after)) return false; /* “…！”他说。 */
    if (!needs_space(mark)) return true;
    if (at->mark == 0 || !is_unspaced(after) || is_in_address(text, at)) return false;
    const int previous = peek(text, before(text, at->mark));
    return !is_full_stop(mark) || (is_unspaced(previous) && !is_digit(previous));
  }
  if (!needs_space(mark)) return true;
  const bool continues = is_lower(following) && reader->has_upper;
  if (is_full_stop(mark) || at->is_ellipsis) {
    if (continues || is_one_of(",;:", following)) return false;
    return !at->is_stop || stop_ends(text, at, word_after(text, at->next));
  }
  return !(at->closes_quoted && is_lower(following));
}

/* Return the place after the bracket that opens at `at`; `at` if it does not close soon. */
static size_t skip_bracket(struct text text, size_t at) {
  size_t end = at;
  const int opened = character_at(text, &end), closing = closing_bracket(opened);
  size_t depth = 1;
  while (end < text.length && end - at < MOST_BRACKET) {
    const int codepoint = character_at(text, &end);
    if (is_line_break(codepoint)) break;
    depth += codepoint == opened;
    depth -= codepoint == closing;
    if (depth == 0) return end;
  }
  return at;
}

/* Return whether the character before `at` is a Greek letter, after which ";" is a question mark.
 */
static bool follows_greek(struct text text, size_t at) {
  return at > 0 && script_of(peek(text, before(text, at))) == SCRIPT_GREEK;
}

/* Return the end of the sentence that starts at `start`. */
static size_t find_end(const struct sentence_reader *reader, size_t start) {
  const struct text line = {reader->text.bytes, reader->line_end};
  struct sentence_end found = {.start = start};
  size_t unclosed = 0;
  bool begun = false; /* a letter or digit of the sentence was read */
  for (size_t at = start; at < reader->last_word;) {
    const size_t here = at;
    const int codepoint = character_at(line, &at);
    if (begun && unclosed < MOST_UNCLOSED && closing_bracket(codepoint) != 0) {
      const size_t closed = skip_bracket(line, here);
      if (closed > here)
        at = closed;
      else
        unclosed++;
      continue;
    }
    begun = begun || is_word_character(codepoint);
    found.quotes += codepoint == '"';
    found.opens_guillemet = found.opens_guillemet || codepoint == 0xAB;
    if (!is_final_mark(codepoint) && !(codepoint == ';' && follows_greek(line, here))) continue;
    found.mark = here;
    found.is_stop = is_full_stop(codepoint);
    found.is_ellipsis =
        is_ellipsis(codepoint) || (codepoint == '.' && at < line.length && line.bytes[at] == '.');
    found.closes_quoted = false;
    skip_closing(&at, line, &found);
    found.end = at;
    found.next = find_next(line, at);
    if (at >= reader->last_word) break;
    if (begun && ends_at(reader, &found)) return at;
  }
  return reader->line_end;
}

void sentence_reader_start(struct sentence_reader *reader, struct text text) {
  *reader = (struct sentence_reader){.text = text};
  for (size_t at = 0; at < text.length && !reader->has_upper;)
    reader->has_upper = is_upper(character_at(text, &at));
}

/* Find the end of the line at reader->at, and its last letter or digit. */
static void start_line(struct sentence_reader *reader) {
  const struct text text = reader->text;
  reader->line_end = run_end(text, reader->at, is_line_break, false);
  reader->last_word = reader->line_end;
  while (reader->last_word > reader->at &&
         !is_word_character(peek(text, before(text, reader->last_word))))
    reader->last_word = before(text, reader->last_word);
}

bool sentence_next(size_t *start, size_t *end, struct sentence_reader *reader) {
  const struct text text = reader->text;
  reader->at = run_end(text, reader->at, is_white_space, true);
  if (reader->at == text.length) return false;
  if (reader->at >= reader->line_end) start_line(reader);
  *start = reader->at;
  *end = reader->at = find_end(reader, *start);
  while (*end > *start && is_white_space(peek(text, before(text, *end)))) *end = before(text, *end);
  return true;
}

size_t elman_find_sentences(elman_span *sentences, size_t most, const char *text, size_t length) {
  struct sentence_reader reader;
  elman_span found;
  size_t count = 0;
  sentence_reader_start(&reader, (struct text){text, length});
  for (; sentence_next(&found.start, &found.end, &reader); count++)
    if (count < most) sentences[count] = found;
  return count;
}

const char *elman_split_sentences_name(size_t index) {
  static const char *const names[] = {"auto", "on", "off"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

/* ---- joining ---- */

static bool joins_without_space(struct text left, struct text right) {
  struct letter_counts letters = {{0}};
  letters_count(&letters, left);
  letters_count(&letters, right);
  if (letters_found(&letters)) {
    const enum script script = letters_script(&letters);
    return script == SCRIPT_HAN || script == SCRIPT_JAPANESE || script == SCRIPT_YI ||
           script == SCRIPT_BOPOMOFO;
  }
  return is_unspaced(peek(left, before(left, left.length))) || is_unspaced(peek(right, 0));
}

void append_separator(struct buffer *into, struct text left, struct text gap, struct text right) {
  bool broken = false;
  for (size_t at = 0; at < gap.length;) {
    const int codepoint = character_at(gap, &at);
    if (is_line_break(codepoint)) buffer_append_character(into, codepoint);
    broken = broken || is_line_break(codepoint);
  }
  if (!broken && left.length > 0 && right.length > 0 && !joins_without_space(left, right))
    buffer_append(into, " ", 1);
}
