#include "elman/language.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "vocab/scripts.h"

/* ISO 639: the code, codes with three letters of the same language, and the name in English. */
static const struct language {
  const char *code, *longer, *name;
} languages[] = {{"aa", "aar", "Afar"},
                 {"ab", "abk", "Abkhaz"},
                 {"ae", "ave", "Avestan"},
                 {"af", "afr", "Afrikaans"},
                 {"ak", "aka", "Akan"},
                 {"am", "amh", "Amharic"},
                 {"an", "arg", "Aragonese"},
                 {"ar", "ara arb", "Arabic"},
                 {"as", "asm", "Assamese"},
                 {"av", "ava", "Avaric"},
                 {"ay", "aym", "Aymara"},
                 {"az", "aze azj", "Azerbaijani"},
                 {"ba", "bak", "Bashkir"},
                 {"be", "bel", "Belarusian"},
                 {"bg", "bul", "Bulgarian"},
                 {"bi", "bis", "Bislama"},
                 {"bm", "bam", "Bambara"},
                 {"bn", "ben", "Bengali"},
                 {"bo", "bod tib", "Tibetan"},
                 {"br", "bre", "Breton"},
                 {"bs", "bos", "Bosnian"},
                 {"ca", "cat", "Catalan"},
                 {"ce", "che", "Chechen"},
                 {"ch", "cha", "Chamorro"},
                 {"co", "cos", "Corsican"},
                 {"cr", "cre", "Cree"},
                 {"cs", "ces cze", "Czech"},
                 {"cu", "chu", "Church Slavonic"},
                 {"cv", "chv", "Chuvash"},
                 {"cy", "cym wel", "Welsh"},
                 {"da", "dan", "Danish"},
                 {"de", "deu ger", "German"},
                 {"dv", "div", "Dhivehi"},
                 {"dz", "dzo", "Dzongkha"},
                 {"ee", "ewe", "Ewe"},
                 {"el", "ell gre", "Greek"},
                 {"en", "eng", "English"},
                 {"eo", "epo", "Esperanto"},
                 {"es", "spa", "Spanish"},
                 {"et", "est ekk", "Estonian"},
                 {"eu", "eus baq", "Basque"},
                 {"fa", "fas per pes", "Persian"},
                 {"ff", "ful", "Fula"},
                 {"fi", "fin", "Finnish"},
                 {"fj", "fij", "Fijian"},
                 {"fo", "fao", "Faroese"},
                 {"fr", "fra fre", "French"},
                 {"fy", "fry", "West Frisian"},
                 {"ga", "gle", "Irish"},
                 {"gd", "gla", "Scottish Gaelic"},
                 {"gl", "glg", "Galician"},
                 {"gn", "grn", "Guarani"},
                 {"gu", "guj", "Gujarati"},
                 {"gv", "glv", "Manx"},
                 {"ha", "hau", "Hausa"},
                 {"he", "heb", "Hebrew"},
                 {"hi", "hin", "Hindi"},
                 {"ho", "hmo", "Hiri Motu"},
                 {"hr", "hrv", "Croatian"},
                 {"ht", "hat", "Haitian Creole"},
                 {"hu", "hun", "Hungarian"},
                 {"hy", "hye arm", "Armenian"},
                 {"hz", "her", "Herero"},
                 {"ia", "ina", "Interlingua"},
                 {"id", "ind", "Indonesian"},
                 {"ie", "ile", "Interlingue"},
                 {"ig", "ibo", "Igbo"},
                 {"ii", "iii", "Nuosu"},
                 {"ik", "ipk", "Inupiaq"},
                 {"io", "ido", "Ido"},
                 {"is", "isl ice", "Icelandic"},
                 {"it", "ita", "Italian"},
                 {"iu", "iku", "Inuktitut"},
                 {"ja", "jpn", "Japanese"},
                 {"jv", "jav", "Javanese"},
                 {"ka", "kat geo", "Georgian"},
                 {"kg", "kon", "Kongo"},
                 {"ki", "kik", "Kikuyu"},
                 {"kj", "kua", "Kuanyama"},
                 {"kk", "kaz", "Kazakh"},
                 {"kl", "kal", "Greenlandic"},
                 {"km", "khm", "Khmer"},
                 {"kn", "kan", "Kannada"},
                 {"ko", "kor", "Korean"},
                 {"kr", "kau", "Kanuri"},
                 {"ks", "kas", "Kashmiri"},
                 {"ku", "kur kmr", "Kurdish"},
                 {"kv", "kom", "Komi"},
                 {"kw", "cor", "Cornish"},
                 {"ky", "kir", "Kyrgyz"},
                 {"la", "lat", "Latin"},
                 {"lb", "ltz", "Luxembourgish"},
                 {"lg", "lug", "Luganda"},
                 {"li", "lim", "Limburgish"},
                 {"ln", "lin", "Lingala"},
                 {"lo", "lao", "Lao"},
                 {"lt", "lit", "Lithuanian"},
                 {"lu", "lub", "Luba-Katanga"},
                 {"lv", "lav lvs", "Latvian"},
                 {"mg", "mlg plt", "Malagasy"},
                 {"mh", "mah", "Marshallese"},
                 {"mi", "mri mao", "Maori"},
                 {"mk", "mkd mac", "Macedonian"},
                 {"ml", "mal", "Malayalam"},
                 {"mn", "mon khk", "Mongolian"},
                 {"mr", "mar", "Marathi"},
                 {"ms", "msa may zsm", "Malay"},
                 {"mt", "mlt", "Maltese"},
                 {"my", "mya bur", "Burmese"},
                 {"na", "nau", "Nauru"},
                 {"nb", "nob", "Norwegian Bokmål"},
                 {"nd", "nde", "North Ndebele"},
                 {"ne", "nep npi", "Nepali"},
                 {"ng", "ndo", "Ndonga"},
                 {"nl", "nld dut", "Dutch"},
                 {"nn", "nno", "Norwegian Nynorsk"},
                 {"no", "nor", "Norwegian"},
                 {"nr", "nbl", "South Ndebele"},
                 {"nv", "nav", "Navajo"},
                 {"ny", "nya", "Chichewa"},
                 {"oc", "oci", "Occitan"},
                 {"oj", "oji", "Ojibwa"},
                 {"om", "orm", "Oromo"},
                 {"or", "ori ory", "Odia"},
                 {"os", "oss", "Ossetian"},
                 {"pa", "pan", "Punjabi"},
                 {"pi", "pli", "Pali"},
                 {"pl", "pol", "Polish"},
                 {"ps", "pus pbt", "Pashto"},
                 {"pt", "por", "Portuguese"},
                 {"qu", "que quy", "Quechua"},
                 {"rm", "roh", "Romansh"},
                 {"rn", "run", "Kirundi"},
                 {"ro", "ron rum", "Romanian"},
                 {"ru", "rus", "Russian"},
                 {"rw", "kin", "Kinyarwanda"},
                 {"sa", "san", "Sanskrit"},
                 {"sc", "srd", "Sardinian"},
                 {"sd", "snd", "Sindhi"},
                 {"se", "sme", "Northern Sami"},
                 {"sg", "sag", "Sango"},
                 {"sh", "hbs", "Serbo-Croatian"},
                 {"si", "sin", "Sinhala"},
                 {"sk", "slk slo", "Slovak"},
                 {"sl", "slv", "Slovenian"},
                 {"sm", "smo", "Samoan"},
                 {"sn", "sna", "Shona"},
                 {"so", "som", "Somali"},
                 {"sq", "sqi alb als", "Albanian"},
                 {"sr", "srp", "Serbian"},
                 {"ss", "ssw", "Swati"},
                 {"st", "sot", "Sesotho"},
                 {"su", "sun", "Sundanese"},
                 {"sv", "swe", "Swedish"},
                 {"sw", "swa swh", "Swahili"},
                 {"ta", "tam", "Tamil"},
                 {"te", "tel", "Telugu"},
                 {"tg", "tgk", "Tajik"},
                 {"th", "tha", "Thai"},
                 {"ti", "tir", "Tigrinya"},
                 {"tk", "tuk", "Turkmen"},
                 {"tl", "tgl", "Tagalog"},
                 {"tn", "tsn", "Tswana"},
                 {"to", "ton", "Tongan"},
                 {"tr", "tur", "Turkish"},
                 {"ts", "tso", "Tsonga"},
                 {"tt", "tat", "Tatar"},
                 {"tw", "twi", "Twi"},
                 {"ty", "tah", "Tahitian"},
                 {"ug", "uig", "Uyghur"},
                 {"uk", "ukr", "Ukrainian"},
                 {"ur", "urd", "Urdu"},
                 {"uz", "uzb uzn", "Uzbek"},
                 {"ve", "ven", "Venda"},
                 {"vi", "vie", "Vietnamese"},
                 {"vo", "vol", "Volapük"},
                 {"wa", "wln", "Walloon"},
                 {"wo", "wol", "Wolof"},
                 {"xh", "xho", "Xhosa"},
                 {"yi", "yid ydd", "Yiddish"},
                 {"yo", "yor", "Yoruba"},
                 {"za", "zha", "Zhuang"},
                 {"zh", "zho chi cmn", "Chinese"},
                 {"zu", "zul", "Zulu"},
                 {"ast", "", "Asturian"},
                 {"bar", "", "Bavarian"},
                 {"ber", "", "Berber"},
                 {"bho", "", "Bhojpuri"},
                 {"ceb", "", "Cebuano"},
                 {"chr", "", "Cherokee"},
                 {"ckb", "", "Central Kurdish"},
                 {"fil", "", "Filipino"},
                 {"fur", "", "Friulian"},
                 {"gsw", "", "Swiss German"},
                 {"haw", "", "Hawaiian"},
                 {"hil", "", "Hiligaynon"},
                 {"hsb", "", "Upper Sorbian"},
                 {"ilo", "", "Ilocano"},
                 {"jbo", "", "Lojban"},
                 {"kab", "", "Kabyle"},
                 {"lad", "", "Ladino"},
                 {"lzh", "", "Literary Chinese"},
                 {"mai", "", "Maithili"},
                 {"nds", "", "Low German"},
                 {"pam", "", "Kapampangan"},
                 {"sah", "", "Yakut"},
                 {"scn", "", "Sicilian"},
                 {"syr", "", "Syriac"},
                 {"szl", "", "Silesian"},
                 {"tlh", "", "Klingon"},
                 {"tok", "", "Toki Pona"},
                 {"war", "", "Waray"},
                 {"wuu", "", "Wu Chinese"},
                 {"yue", "", "Cantonese"}};

/* Scripts in which nearly all of today's texts in one language, and few texts in other languages,
 * are written. */
static const struct {
  enum script script;
  const char *code;
} of_scripts[] = {{SCRIPT_HAN, "zh"},      {SCRIPT_JAPANESE, "ja"},  {SCRIPT_HANGUL, "ko"},
                  {SCRIPT_THAI, "th"},     {SCRIPT_LAO, "lo"},       {SCRIPT_KHMER, "km"},
                  {SCRIPT_MYANMAR, "my"},  {SCRIPT_TIBETAN, "bo"},   {SCRIPT_HEBREW, "he"},
                  {SCRIPT_GREEK, "el"},    {SCRIPT_ARMENIAN, "hy"},  {SCRIPT_GEORGIAN, "ka"},
                  {SCRIPT_THAANA, "dv"},   {SCRIPT_MONGOLIAN, "mn"}, {SCRIPT_GURMUKHI, "pa"},
                  {SCRIPT_GUJARATI, "gu"}, {SCRIPT_ODIA, "or"},      {SCRIPT_TAMIL, "ta"},
                  {SCRIPT_TELUGU, "te"},   {SCRIPT_KANNADA, "kn"},   {SCRIPT_MALAYALAM, "ml"},
                  {SCRIPT_SINHALA, "si"},  {SCRIPT_JAVANESE, "jv"},  {SCRIPT_YI, "ii"},
                  {SCRIPT_CHEROKEE, "chr"}};

enum { LANGUAGES = sizeof languages / sizeof *languages, MOST_LETTERS = 3 };

/* ---- search ---- */

static bool is_word(const char *word, const char *code, size_t length) {
  return strlen(word) == length && strncasecmp(word, code, length) == 0;
}

/* Return whether the code is one of the words, which are separated by spaces. */
static bool lists(const char *words, const char *code, size_t length) {
  for (const char *word = words; *word != '\0'; word += strspn(word, " ")) {
    const size_t end = strcspn(word, " ");
    if (end == length && strncasecmp(word, code, length) == 0) return true;
    word += end;
  }
  return false;
}

/* Return the language whose code is `code` up to the first hyphen; NULL if it is not listed. */
static const struct language *find(const char *code) {
  const size_t length = strcspn(code, "-");
  for (size_t i = 0; i < LANGUAGES; i++)
    if (is_word(languages[i].code, code, length) || lists(languages[i].longer, code, length))
      return &languages[i];
  return NULL;
}

const char *elman_language_name(const char *code) {
  const struct language *found = find(code);
  return found == NULL ? NULL : found->name;
}

const char *elman_language_named(const char *name) {
  for (size_t i = 0; i < LANGUAGES; i++)
    if (strcasecmp(languages[i].name, name) == 0) return languages[i].code;
  return NULL;
}

const char *elman_language_of_script(const char *script) {
  for (size_t i = 0; i < sizeof of_scripts / sizeof *of_scripts && script != NULL; i++)
    if (strcmp(script_name(of_scripts[i].script), script) == 0) return of_scripts[i].code;
  return NULL;
}

const char *elman_text_script(const char *text) {
  struct letter_counts letters = {{0}};
  letters_count(&letters, text_of(text));
  return script_name(letters_script(&letters));
}

/* ---- codes ---- */

static bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

static bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

/* Return the length of the part of a code at the start of `text`; 0 if there is no valid part. */
static size_t part_length(const char *text, bool is_first) {
  size_t length = 0;
  while (is_letter(text[length]) || (!is_first && is_digit(text[length]))) length++;
  const bool ends = text[length] == '\0' || text[length] == '-';
  const bool fits = is_first ? length == 2 || length == MOST_LETTERS : length >= 1 && length <= 8;
  return ends && fits ? length : 0;
}

/* Write a part in the case that BCP 47 recommends: "pt-BR", "zh-Hans". After a part of one
 * character, which starts an extension, all is in lower case. */
static void append_part(char *code, size_t *used, const char *part, size_t length, bool is_first,
                        bool extends) {
  if (!is_first) code[(*used)++] = '-';
  for (size_t i = 0; i < length; i++) {
    const bool is_capital = !is_first && !extends && (length == 2 || (length == 4 && i == 0));
    const int letter = (unsigned char)part[i];
    code[(*used)++] = (char)(is_capital ? toupper(letter) : tolower(letter));
  }
}

bool elman_language_parse(elman_language *language, const char *text) {
  elman_language parsed = ELMAN_NO_LANGUAGE;
  size_t used = 0;
  bool extends = false;
  if (strlen(text) >= sizeof parsed.code) return false;
  for (const char *part = text; text[0] != '\0'; part++) {
    const bool is_first = part == text;
    const size_t length = part_length(part, is_first);
    if (length == 0) return false;
    const struct language *known = is_first ? find(part) : NULL;
    if (known != NULL)
      append_part(parsed.code, &used, known->code, strlen(known->code), true, false);
    else
      append_part(parsed.code, &used, part, length, is_first, extends);
    extends = extends || length == 1;
    part += length;
    if (*part == '\0') break;
  }
  *language = parsed;
  return true;
}
