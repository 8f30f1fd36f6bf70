#include "translate/hypothesis_score.h"

#include <float.h>
#include <math.h>

const char *length_norm_name(size_t index) {
  static const char *const names[] = {[ELMAN_LENGTH_POWER] = "power", [ELMAN_LENGTH_WU] = "wu"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

double score_of_length(double log_probability, size_t count,
                       const elman_translate_options *options) {
  const double length =
      options->length_norm == ELMAN_LENGTH_WU ? (5 + (double)count) / 6 : (double)count;
  return log_probability / pow(length, options->length_penalty);
}

/* In real numbers: let L <= 0 be the logarithm so far, L' that of the whole, n <= limit its tokens,
 * and f(n) > 0 what it is divided by. A probability is at most 1, so L' <= L; f never falls, as
 * A >= 0; and min(c, 1) <= 1, so that with B >= 0 no source token adds more than 0. Hence
 *
 *   score = L' / f(n) + B sum log min(c, 1) <= L' / f(n) <= L / f(n) <= L / f(limit).         (58)
 *
 * In floating point beam.c keeps L' <= L. The two quotients and the two powers in them err by a few
 * units in the last place, for which the bound is raised. */
double score_bound(double log_probability, size_t limit, const elman_translate_options *options) {
  return score_of_length(log_probability, limit, options) * (1 - 8 * DBL_EPSILON);
}

/* What attention never saw counts as the smallest weight of a softmax in float, so that a score
 * stays a number. */
double score_of_coverage(double coverage) {
  return log(fmin(fmax(coverage, (double)FLT_MIN), 1));
}
