/* Test: text. */
/* Marks that end sentences. */
#include "vocab/marks.h"

#include <criterion/criterion.h>

/* Each text has its final marks between the bars. */
static void check(const char *marked) {
  char plain[256];
  size_t bars[2], count = 0, length = 0;
  for (const char *at = marked; *at != '\0'; at++) {
    if (*at == '|')
      bars[count++] = length;
    else
      plain[length++] = *at;
  }
  cr_assert_eq(count, 2);
  const struct marks_range range = final_marks((struct text){plain, length});
  if (bars[0] == bars[1]) {
    cr_assert_eq(range.start, range.end, "%s: [%zu, %zu)", marked, range.start, range.end);
    cr_assert(!ends_with_mark((struct text){plain, length}));
    return;
  }
  cr_assert(range.start == bars[0] && range.end == bars[1], "%s: [%zu, %zu)", marked, range.start,
            range.end);
  cr_assert(ends_with_mark((struct text){plain, length}));
}

Test(marks, final_marks_of_all_scripts_are_found) {
  static const char *const texts[] = {
      "I am here|.|", "Why|?!|",       "Well|...|", "Qui| ?|",       "我在这里|。|",
      "什么|？！|",   "等等|……|",      "نعم|.|",    "لماذا|؟|",      "یہ ہے|۔|",
      "यह है|।|",      "နေကောင်းလား|။|", "ጤና|።|",     "Այո|։|",        "ខ្ញុំ|។|",
      "Τι είναι|;|",  "Это он|!|",     "བོད|།|",     "Das ist es|‽|", "我在这里|．|"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check(texts[i]);
}

Test(marks, closing_marks_follow_final_marks) {
  check("He said: \"Hello|.|\"");
  check("他说：“你好|。|”");
  check("他说：「好|！|」 ");
  check("(It is late|.|)");
  check("Il dit : « Oui| .|»");
  check("‘Yes|?|’”");
}

Test(marks, other_texts_have_no_final_marks) {
  check("I am here||");
  check("我在这里||");
  check("Hello, I said;||");
  check("你好，||");
  check("3.5||");
  check("...||");
  check("||");
  check("“||");
  check("ฉันชอบ||");
}
