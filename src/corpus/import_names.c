/* Names of columns, keys and languages. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "corpus/import.h"

/* ISO 639-1, the codes of three letters that corpora of sentence pairs use, and names of languages.
 */
static const char languages[] =
    " aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy "
    "da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu "
    "hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb "
    "lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om "
    "or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw "
    "ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu "
    "ara ben bul cat ces cmn dan deu ell eng est fas fin fra fre ger heb hin hrv hun ind isl ita "
    "jpn "
    "kat khm kor lao lat lav lit mar mkd mya nld nor nob pes pol por ron rus slk slv spa sqi srp "
    "swe "
    "swh tam tel tgl tha tur ukr urd vie yue zho "
    "albanian arabic armenian basque belarusian bengali bosnian bulgarian burmese catalan chinese "
    "croatian czech danish dutch english esperanto estonian finnish french galician georgian "
    "german "
    "greek hebrew hindi hungarian icelandic indonesian irish italian japanese kazakh khmer korean "
    "kurdish lao latin latvian lithuanian macedonian malay mandarin marathi mongolian nepali "
    "norwegian persian polish portuguese punjabi romanian russian serbian slovak slovenian spanish "
    "swahili swedish tagalog tamil telugu thai tibetan turkish ukrainian urdu uyghur uzbek "
    "vietnamese welsh "
    "deutsch español français italiano nederlands polski português română svenska türkçe čeština "
    "русский Русский українська Українська ελληνικά Ελληνικά العربية עברית فارسی हिन्दी বাংলা ไทย "
    "中文 汉语 漢語 英文 英语 英語 法文 法语 德文 德语 日文 日语 日本語 韩文 韩语 俄文 俄语 "
    "西班牙语 "
    "한국어 영어 ";

/* Pairs of names, most common first. */
static const char *const sides[][2] = {
    {"source", "target"},
    {"src", "tgt"},
    {"src", "trg"},
    {"source_text", "target_text"},
    {"sourcetext", "targettext"},
    {"src_text", "tgt_text"},
    {"source text", "target text"},
    {"source sentence", "target sentence"},
    {"sentence1", "sentence2"},
    {"source_sentence", "target_sentence"},
    {"text", "translation"},
    {"sentence", "translation"},
    {"original", "translation"},
    {"original", "translated"},
    {"source", "translation"},
    {"input", "output"},
    {"prompt", "completion"},
    {"question", "answer"},
};

static struct text trimmed(struct text name) {
  while (name.length > 0 && memchr(" \t\r\n", name.bytes[0], 4) != NULL) text_drop(&name, 1);
  while (name.length > 0 && memchr(" \t\r\n", name.bytes[name.length - 1], 4) != NULL)
    name.length--;
  return name;
}

bool import_same_name(struct text a, struct text b) {
  a = trimmed(a);
  b = trimmed(b);
  return a.length == b.length && strncasecmp(a.bytes, b.bytes, a.length) == 0;
}

/* Return whether the name is a language, such as "en", "zh-CN", "pt_BR" or "French". */
static bool is_language(struct text name) {
  enum { LONGEST = 24 };
  name = trimmed(name);
  size_t length = 0;
  while (length < name.length && name.bytes[length] != '-' && name.bytes[length] != '_') length++;
  if (length < 2 || length > LONGEST || name.length > length + 1 + 8) return false;
  if (length > 3 && length < name.length) return false;
  char word[LONGEST + 3];
  snprintf(word, sizeof word, " %.*s ", (int)length, name.bytes);
  return memchr(word + 1, ' ', length) == NULL && strcasestr(languages, word) != NULL;
}

bool import_choose(size_t chosen[2], const struct text *names, size_t count) {
  for (size_t row = 0; row < sizeof sides / sizeof *sides; row++) {
    size_t found = 0;
    for (int side = 0; side < 2; side++)
      for (size_t i = 0; i < count; i++) {
        if (!import_same_name(names[i], text_of(sides[row][side]))) continue;
        chosen[side] = i;
        found++;
        break;
      }
    if (found == 2) return true;
  }
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    /* "id" beside two other languages is probably a column of identifiers, not Indonesian. */
    if (!is_language(names[i]) || (count > 2 && import_same_name(names[i], text_of("id"))))
      continue;
    if (found < 2) chosen[found] = i;
    found++;
  }
  return found == 2 && !import_same_name(names[chosen[0]], names[chosen[1]]);
}

bool import_are_languages(const struct text *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!is_language(names[i])) return false;
  return true;
}

void import_set_name(struct importer *importer, int side, struct text name) {
  char *into = importer->info->names[side];
  const size_t room = sizeof importer->info->names[side] - 1;
  name = trimmed(name);
  if (name.length > room) name.length = room;
  name.length = text_valid_prefix(name);
  memcpy(into, name.bytes, name.length);
  into[name.length] = '\0';
}

void import_list(char *list, size_t size, const struct text *names, size_t count) {
  enum { SHOWN = 40, REST = 8 };
  size_t used = 0;
  list[0] = '\0';
  for (size_t i = 0; i < count; i++) {
    struct text name = trimmed(names[i]);
    if (name.length > SHOWN) name.length = SHOWN;
    name.length = text_valid_prefix(name);
    if (used + name.length + REST > size) {
      snprintf(list + used, size - used, ", ...");
      return;
    }
    used += (size_t)snprintf(list + used, size - used, "%s%.*s", i == 0 ? "" : ", ",
                             (int)name.length, name.bytes);
  }
}

elman_status import_split_option(struct text words[2], const struct importer *importer,
                                 const char *option, const char *value) {
  words[1] = text_of(value);
  words[0] = trimmed(text_cut(&words[1], ','));
  words[1] = trimmed(words[1]);
  if (words[0].length > 0 && words[1].length > 0 &&
      memchr(words[1].bytes, ',', words[1].length) == NULL && !import_same_name(words[0], words[1]))
    return ELMAN_OK;
  return fail(importer->error, ELMAN_INVALID_ARGUMENT, NULL,
              "%s: '%s' is not two different names or numbers with a comma between them", option,
              value);
}
