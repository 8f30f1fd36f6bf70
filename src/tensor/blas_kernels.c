#include "tensor/blas_kernels.h"

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *compiled_instructions(void) {
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
  return "AVX-512";
#elif defined(__AVX2__) && defined(__FMA__)
  return "AVX2 with FMA";
#elif defined(__x86_64__)
  return "SSE2";
#elif defined(__aarch64__)
  return "NEON";
#else
  return "those of every processor of its kind";
#endif
}

enum vector_level vector_level_here(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return VECTOR_AVX512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return VECTOR_AVX2;
  if (__builtin_cpu_supports("avx")) return VECTOR_AVX;
#endif
  return VECTOR_SSE;
}

/* The families of OpenBLAS 0.3 that use less than AVX-512. */
static const struct {
  const char *name;
  enum vector_level level;
} families[] = {
    {"Katmai", VECTOR_SSE},       {"Coppermine", VECTOR_SSE},  {"Northwood", VECTOR_SSE},
    {"Prescott", VECTOR_SSE},     {"Banias", VECTOR_SSE},      {"Atom", VECTOR_SSE},
    {"Core2", VECTOR_SSE},        {"Penryn", VECTOR_SSE},      {"Dunnington", VECTOR_SSE},
    {"Nehalem", VECTOR_SSE},      {"Athlon", VECTOR_SSE},      {"Opteron", VECTOR_SSE},
    {"Opteron_SSE3", VECTOR_SSE}, {"Barcelona", VECTOR_SSE},   {"Bobcat", VECTOR_SSE},
    {"Nano", VECTOR_SSE},         {"Sandybridge", VECTOR_AVX}, {"Bulldozer", VECTOR_AVX},
    {"Piledriver", VECTOR_AVX},   {"Steamroller", VECTOR_AVX}, {"Excavator", VECTOR_AVX2},
    {"Haswell", VECTOR_AVX2},     {"Zen", VECTOR_AVX2},
};

const char *better_blas_family(const char *family, enum vector_level processor) {
  static const char *const best[] = {NULL, "Sandybridge", "Haswell", "SkylakeX"};
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    if (strcmp(families[i].name, family) == 0)
      return families[i].level < processor ? best[processor] : NULL;
  }
  return NULL;
}

/* Missing in builds of OpenBLAS that hold the kernels of one processor only. */
extern void gotoblas_dynamic_quit(void) __attribute__((weak));
extern void gotoblas_dynamic_init(void) __attribute__((weak));

#define VARIABLE "OPENBLAS_CORETYPE"

/* OpenBLAS chooses again, in an environment that holds this only. setenv would need memory, and
 * without it the numbers would be others. */
static void choose_again(const char *family) {
  char entry[64];
  char *only[] = {entry, NULL}, **all = environ;
  snprintf(entry, sizeof entry, "%s=%s", VARIABLE, family);
  environ = only;
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  environ = all;
}

/* A family that the build lacks leaves OpenBLAS with its own choice. */
static elman_kernel_choice choose(const char *family) {
  if (getenv(VARIABLE) != NULL) return ELMAN_KERNELS_BY_USER;
  if (gotoblas_dynamic_quit == NULL || gotoblas_dynamic_init == NULL) return ELMAN_KERNELS_BY_BLAS;
  const char *better = better_blas_family(family, vector_level_here());
  if (better == NULL) return ELMAN_KERNELS_BY_BLAS;
  choose_again(better);
  return strcmp(openblas_get_corename(), better) == 0 ? ELMAN_KERNELS_BY_PROCESSOR
                                                      : ELMAN_KERNELS_BY_BLAS;
}

struct blas_kernels blas_kernels_choose(void) {
  struct blas_kernels kernels = {.original_family = openblas_get_corename()};
  kernels.choice = choose(kernels.original_family);
  kernels.family = openblas_get_corename();
  kernels.config = openblas_get_config(); /* which names the family, too */
  return kernels;
}
