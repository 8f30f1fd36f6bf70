/* Test: text. */
/* The gradients of a sentence pair as an image and as an HTML page. */
#include "elman/gradients.h"
#include "formats.h"

enum { STEPS = 3 };

static double falling[STEPS] = {1e-4, 1e-2, 1}, quiet[STEPS] = {0, 1e-3, 0};
static double none[STEPS] = {0, 0, 0}, shares[STEPS] = {0, 0.25, 1};
static const double losses[STEPS] = {2, 1, 0.5};

static elman_traced_layer layer(elman_side side, double *states, double *inputs) {
  return (elman_traced_layer){.side = side,
                              .steps = STEPS,
                              .units = 6,
                              .states = states,
                              .inputs = inputs,
                              .saturated = shares};
}

static elman_gradient_trace trace_of(const elman_traced_layer *layers, size_t count) {
  return (elman_gradient_trace){.loss = 1.5,
                                .target_step = 3,
                                .source_count = STEPS,
                                .target_count = STEPS,
                                .source_tokens = source_tokens,
                                .source_known = source_known,
                                .target_tokens = target_tokens,
                                .target_known = source_known,
                                .losses = losses,
                                .layer_count = count,
                                .layers = layers};
}

static char *drawn(const elman_gradient_trace *trace, const char *format) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  cr_assert_eq(elman_trace_draw(stream, trace, format, &why), ELMAN_OK);
  cr_assert_eq(fclose(stream), 0);
  return text;
}

/* The scale goes from 1 down to 1e-4 over 160 pixels; the plot starts 110 pixels below the top. */
Test(trace_picture, norms_use_a_logarithmic_scale) {
  const elman_traced_layer layers[] = {layer(ELMAN_SOURCE, falling, quiet)};
  const elman_gradient_trace trace = trace_of(layers, 1);
  owned char *text = drawn(&trace, "svg");
  check_xml(text);
  cr_assert_not_null(strstr(text, "<path class=\"state\" d=\"M97 270.0L131 190.0L165 110.0\"/>"));
  cr_assert_not_null(strstr(text, ">1e0<"));
  cr_assert_not_null(strstr(text, ">1e-4<"));
  cr_assert_null(strstr(text, ">1e-5<"));
  /* A norm of 0 has no position on a logarithmic scale. */
  cr_assert_not_null(strstr(text, "<path class=\"input\" d=\"M131 230.0\"/>"));
  cr_assert_eq(occurrences(text, "<circle class=\"input\""), 1 + 1, "a step and the legend");
  cr_assert_eq(occurrences(text, "<circle class=\"state\""), STEPS + 1);
  /* Fractions are drawn over 40 pixels. */
  cr_assert_eq(occurrences(text, "height=\"0.0\"/>"), 1);
  cr_assert_eq(occurrences(text, "height=\"10.0\"/>"), 1);
  cr_assert_eq(occurrences(text, "height=\"40.0\"/>"), 1);
}

Test(trace_picture, panels_are_labeled) {
  const elman_traced_layer layers[] = {layer(ELMAN_SOURCE, falling, quiet),
                                       layer(ELMAN_TARGET, falling, falling)};
  const elman_gradient_trace trace = trace_of(layers, 2);
  owned char *text = drawn(&trace, "svg");
  check_xml(text);
  cr_assert_eq(occurrences(text, "<g role=\"img\">\n<title>"), 2);
  cr_assert_eq(occurrences(text, "<desc>"), 2);
  cr_assert_eq(occurrences(text, "prefers-color-scheme"), 0, "a paper is white");
  cr_assert_not_null(strstr(text, ">gradients of the loss 1.500 of target token 3, 茶<"));
  cr_assert_not_null(strstr(text, "<title>step 2, 喜欢: state 1.00e-02, pre-activation "
                                  "1.00e-03, saturated 25.0 %</title>"));
  cr_assert_eq(occurrences(text, "<title>not in the vocabulary</title>"), 2);
}

/* All norms are 0, as after the traced token, or all are the same power of ten. */
Test(trace_picture, scales_handle_zero_and_constant_norms) {
  static double same[STEPS] = {1e-3, 1e-3, 1e-3};
  const elman_traced_layer empty[] = {layer(ELMAN_SOURCE, none, none)};
  const elman_traced_layer flat[] = {layer(ELMAN_SOURCE, same, same)};
  const elman_gradient_trace nothing = trace_of(empty, 1), one = trace_of(flat, 1);
  char *text = drawn(&nothing, "svg");
  check_xml(text);
  cr_assert_null(strstr(text, "nan"));
  cr_assert_null(strstr(text, "inf"));
  free(text);
  text = drawn(&one, "svg");
  check_xml(text);
  cr_assert_not_null(strstr(text, ">1e-3<"));
  cr_assert_null(strstr(text, "nan"));
  free(text);
}

Test(trace_picture, page_lists_values_in_tables) {
  static const char *const hostile[] = {"<script>", "\"&", "a\xE2\x80\xAE"};
  const elman_traced_layer layers[] = {layer(ELMAN_SOURCE, falling, quiet),
                                       layer(ELMAN_TARGET, falling, falling)};
  elman_gradient_trace trace = trace_of(layers, 2);
  trace.source_tokens = hostile;
  owned char *text = drawn(&trace, "html");
  cr_assert_eq(occurrences(text, "<script"), 0);
  cr_assert_eq(occurrences(text, "<table>"), 2);
  cr_assert_eq(occurrences(text, "<th scope=\"row\">"), 2 * STEPS);
  cr_assert_eq(occurrences(text, "<th scope=\"col\">loss</th>"), 1);
  cr_assert_not_null(strstr(text, "a\\u{202E}"));
  cr_assert_not_null(strstr(text, "default-src 'none'"));
  owned char *svg = drawn(&trace, "svg");
  check_xml(svg);
  cr_assert_eq(occurrences(text, "prefers-color-scheme: dark"), 2, "the page and its picture");
  cr_assert_not_null(strstr(text, strstr(svg, "<rect class=\"page\"")),
                     "not the picture of the other format");
}

Test(trace_picture, other_formats_are_rejected) {
  const elman_traced_layer layers[] = {layer(ELMAN_SOURCE, falling, quiet)};
  const elman_gradient_trace trace = trace_of(layers, 1);
  cr_assert_eq(elman_trace_draw(stdout, &trace, "gif", &why), ELMAN_INVALID_ARGUMENT);
}
