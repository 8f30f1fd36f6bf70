/* Common Chinese characters that have a simplified and a traditional form. */
#ifndef ELMAN_VOCAB_VARIANTS_H
#define ELMAN_VOCAB_VARIANTS_H

/* Return the simplified form of a traditional character; 0 for other characters. */
int simplified_form(int codepoint);

/* Return the traditional form of a simplified character; 0 for other characters. */
int traditional_form(int codepoint);

#endif
