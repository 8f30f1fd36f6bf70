#include "tensor/blas_kernels.h"

#ifdef ELMAN_OPENBLAS
#include <cblas.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#endif
#include <string.h>

/* ---- the processor, and which kernels suit it ---- */

const char *compiled_instructions(void) {
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
  return "AVX-512";
#elif defined(__AVX2__) && defined(__FMA__)
  return "AVX2 with FMA";
#elif defined(__x86_64__)
  return "SSE2";
#elif defined(__aarch64__)
  return "NEON";
#elif defined(__wasm_simd128__)
  return "SIMD128";
#else
  return "baseline";
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

/* The families of OpenBLAS 0.3 below AVX-512. */
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

bool blas_family_fuses(const char *family) {
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if (strcmp(families[i].name, family) == 0) return families[i].level >= VECTOR_AVX2;
  return true;
}

#ifdef ELMAN_OPENBLAS

/* Builds of OpenBLAS for a single processor lack these functions. */
extern void gotoblas_dynamic_quit(void) __attribute__((weak));
extern void gotoblas_dynamic_init(void) __attribute__((weak));

#define VARIABLE "OPENBLAS_CORETYPE"

/* Make OpenBLAS select its kernels again, with only this variable in the environment. Do not use
 * setenv: it allocates memory, and a failure would change the results. */
static void reselect(const char *family) {
  char entry[64];
  char *only[] = {entry, NULL}, **all = environ;
  snprintf(entry, sizeof entry, "%s=%s", VARIABLE, family);
  environ = only;
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  environ = all;
}

/* Let OpenBLAS use a better family if there is one. If OpenBLAS was built without that family, it
 * keeps its own selection. */
static elman_kernel_choice choose(const char *family) {
  if (getenv(VARIABLE) != NULL) return ELMAN_KERNELS_BY_USER;
  if (gotoblas_dynamic_quit == NULL || gotoblas_dynamic_init == NULL) return ELMAN_KERNELS_BY_BLAS;
  const char *better = better_blas_family(family, vector_level_here());
  if (better == NULL) return ELMAN_KERNELS_BY_BLAS;
  reselect(better);
  return strcmp(openblas_get_corename(), better) == 0 ? ELMAN_KERNELS_BY_PROCESSOR
                                                      : ELMAN_KERNELS_BY_BLAS;
}

struct blas_kernels blas_kernels_choose(void) {
  struct blas_kernels kernels = {.original_family = openblas_get_corename()};
  kernels.choice = choose(kernels.original_family);
  kernels.family = openblas_get_corename();
  kernels.config = openblas_get_config(); /* this string contains the name of the family */
  return kernels;
}

/* ---- memory: a buffer for each thread that multiplies, and for each thread of OpenBLAS ---- */

/* The largest size of an OpenBLAS buffer, plus a margin. OpenBLAS supports at least 50 buffers and
 * reuses them. */
static const size_t BUFFER_BYTES = ((size_t)128 + 1) << 20;

enum { MAX_BUFFERS = 48 };

static bool can_map(size_t buffers) {
  void *mapped[MAX_BUFFERS];
  size_t count = 0;
  for (; count < buffers && count < MAX_BUFFERS; count++) {
    mapped[count] =
        mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped[count] == MAP_FAILED) break;
  }
  const bool all = count == buffers || count == MAX_BUFFERS;
  while (count > 0) munmap(mapped[--count], BUFFER_BYTES);
  return all;
}

/* The header does not declare these functions, and some builds lack them. */
extern void *blas_memory_alloc(int unused) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));

/* Make OpenBLAS allocate this number of buffers, which it then keeps. */
static void allocate_buffers(size_t buffers) {
  void *held[MAX_BUFFERS];
  if (blas_memory_alloc == NULL || blas_memory_free == NULL) return;
  for (size_t i = 0; i < buffers; i++) held[i] = blas_memory_alloc(0);
  for (size_t i = 0; i < buffers; i++) blas_memory_free(held[i]);
}

/* ---- setting up ---- */

/* OpenBLAS starts its threads when it is loaded; each keeps a core busy for about 30 ms, waiting
 * for work. This function, which some builds lack, stops them. OpenBLAS also stops them before
 * every fork, and restarts them when more than one is requested. */
extern int blas_thread_shutdown_(void) __attribute__((weak));

static struct blas_kernels kernels;

/* Select the kernels and limit OpenBLAS to one thread. Stop its other threads only if their buffers
 * fit into memory. A thread of OpenBLAS that cannot allocate its buffer never ends, and joining it
 * would block forever. */
static void set_up_once(void) {
  const int threads = openblas_get_num_threads();
  kernels = blas_kernels_choose();
  openblas_set_num_threads(1);
  if (blas_thread_shutdown_ != NULL && threads > 1 && can_map((size_t)threads - 1))
    blas_thread_shutdown_();
}

void blas_set_up(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, set_up_once);
}

elman_status blas_reserve(size_t threads, elman_error *error) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static size_t reserved;
  blas_set_up();
  if (threads > MAX_BUFFERS) threads = MAX_BUFFERS;
  elman_status status = ELMAN_OK;
  pthread_mutex_lock(&lock);
  if (threads > reserved && can_map(threads - reserved)) {
    allocate_buffers(threads);
    reserved = threads;
  } else if (threads > reserved) {
    status = fail(error, ELMAN_NO_MEMORY, NULL,
                  "out of memory: matrix products need %zu MB of address space per thread, "
                  "too much for %zu thread%s; %sraise the limit (ulimit -v)",
                  BUFFER_BYTES >> 20, threads, plural_ending(threads),
                  threads > 1 ? "use fewer threads, or " : "");
  }
  pthread_mutex_unlock(&lock);
  return status;
}

struct blas_kernels blas_kernels_in_use(void) {
  blas_set_up();
  return kernels;
}

#else

/* ---- without OpenBLAS ---- */

void blas_set_up(void) {}

elman_status blas_reserve(size_t threads, elman_error *error) {
  (void)threads, (void)error;
  return ELMAN_OK;
}

struct blas_kernels blas_kernels_choose(void) {
  return (struct blas_kernels){.config = "none",
                               .family = "none",
                               .original_family = "none",
                               .choice = ELMAN_KERNELS_BY_BLAS};
}

struct blas_kernels blas_kernels_in_use(void) {
  return blas_kernels_choose();
}

#endif

/* ---- subnormal numbers ---- */

/* The floating-point control register, and its bits for subnormal numbers. */
#if defined(__SSE2__)
#include <immintrin.h>

enum { TO_ZERO = 0x8000 | 0x0040 }; /* MXCSR: flush results, treat operands as zero */

static unsigned mode_of_thread(void) {
  return _mm_getcsr();
}

static void set_mode(unsigned mode) {
  _mm_setcsr(mode);
}
#elif defined(__aarch64__)
#include <stdint.h>

enum { TO_ZERO = 1 << 24 }; /* FPCR: flush results and operands */

static unsigned mode_of_thread(void) {
  uint64_t mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode)::"memory");
  return (unsigned)mode;
}

static void set_mode(unsigned mode) {
  __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)mode) : "memory");
}
#else
/* Other processors compute with subnormal numbers, which is slower; the results differ only by
 * rounding. */
enum { TO_ZERO = 0 };

static unsigned mode_of_thread(void) {
  return 0;
}

static void set_mode(unsigned mode) {
  (void)mode;
}
#endif

unsigned denormals_to_zero(void) {
  const unsigned before = mode_of_thread();
  set_mode(before | TO_ZERO);
  return before;
}

void denormals_restore(unsigned state) {
  set_mode(state);
}
