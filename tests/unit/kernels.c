/* The OpenBLAS kernels chosen for each processor. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/blas_kernels.h"

Test(kernels, capable_processors_get_better_kernels) {
  static const struct {
    const char *family;
    enum vector_level processor;
    const char *better; /* NULL: OpenBLAS's choice is kept */
  } cases[] = {
      /* unknown to OpenBLAS, which assumes Prescott */
      {"Prescott", VECTOR_SSE, NULL},
      {"Prescott", VECTOR_AVX, "Sandybridge"},
      {"Prescott", VECTOR_AVX2, "Haswell"},
      {"Prescott", VECTOR_AVX512, "SkylakeX"},
      /* misidentified by OpenBLAS: AMD's Zen 4 and 5 */
      {"Haswell", VECTOR_AVX512, "SkylakeX"},
      {"Zen", VECTOR_AVX512, "SkylakeX"},
      {"Nehalem", VECTOR_AVX2, "Haswell"},
      {"Sandybridge", VECTOR_AVX2, "Haswell"},
      /* identified correctly */
      {"Haswell", VECTOR_AVX2, NULL},
      {"Zen", VECTOR_AVX2, NULL},
      {"Excavator", VECTOR_AVX2, NULL},
      {"Sandybridge", VECTOR_AVX, NULL},
      {"SkylakeX", VECTOR_AVX512, NULL},
      {"Cooperlake", VECTOR_AVX512, NULL},
      /* a virtual machine that hides instructions of its processor */
      {"Haswell", VECTOR_SSE, NULL},
      /* newer than this program */
      {"SapphireRapids", VECTOR_AVX512, NULL},
      {"Zen9", VECTOR_AVX512, NULL},
      {"neoversen1", VECTOR_SSE, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *better = better_blas_family(cases[i].family, cases[i].processor);
    if (cases[i].better == NULL)
      cr_assert_null(better, "%s, %d: %s", cases[i].family, cases[i].processor, better);
    else
      cr_assert_str_eq(better, cases[i].better, "%s, %d", cases[i].family, cases[i].processor);
  }
}

/* An older family selects the older products, too. */
Test(kernels, families_without_fused_multiply_add) {
  cr_assert_not(blas_family_fuses("Prescott"));
  cr_assert_not(blas_family_fuses("Sandybridge"));
  cr_assert(blas_family_fuses("Haswell"));
  cr_assert(blas_family_fuses("Zen"));
  cr_assert(blas_family_fuses("SkylakeX"));
  cr_assert(blas_family_fuses("neoversen1"));
}

/* The kernels in use are those that the user requested, or no better ones exist. */
Test(kernels, best_kernels_are_in_use) {
  const char *asked = getenv("OPENBLAS_CORETYPE");
  const struct blas_kernels kernels = blas_kernels_in_use();
  if (strstr(kernels.config, "DYNAMIC_ARCH") == NULL)
    cr_skip_test("this OpenBLAS has the kernels of one processor only");
  if (asked != NULL) {
    cr_assert_eq(kernels.choice, ELMAN_KERNELS_BY_USER);
    cr_assert_str_eq(kernels.family, kernels.original_family);
    cr_assert_str_eq(getenv("OPENBLAS_CORETYPE"), asked);
  } else {
    cr_assert_null(getenv("OPENBLAS_CORETYPE"), "it is as it was");
    cr_assert_null(better_blas_family(kernels.family, vector_level_here()), "%s", kernels.family);
  }
}

extern void gotoblas_dynamic_quit(void) __attribute__((weak));
extern void gotoblas_dynamic_init(void) __attribute__((weak));

/* Run OpenBLAS as on a processor that it takes for an older one. */
Test(kernels, wrong_choice_is_corrected) {
  if (getenv("OPENBLAS_CORETYPE") != NULL || gotoblas_dynamic_quit == NULL ||
      gotoblas_dynamic_init == NULL || vector_level_here() == VECTOR_SSE)
    cr_skip_test("there is no choice");
  setenv("OPENBLAS_CORETYPE", "Prescott", 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv("OPENBLAS_CORETYPE");
  const struct blas_kernels kernels = blas_kernels_choose();
  cr_assert_str_eq(kernels.original_family, "Prescott");
  cr_assert_eq(kernels.choice, ELMAN_KERNELS_BY_PROCESSOR);
  cr_assert_null(better_blas_family(kernels.family, vector_level_here()), "%s", kernels.family);
  cr_assert_null(getenv("OPENBLAS_CORETYPE"));
}
