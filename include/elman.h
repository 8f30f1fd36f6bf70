/* elman: a recurrent sequence-to-sequence translator with encoder–decoder attention.
 *
 *   elman_pairs *pairs;  elman_model *model;  elman_translator *translator;
 *   elman_pairs_read(&pairs, &pairs_options, &error);         sentence pairs from files
 *   elman_model_create(&model, pairs, &model_options, &error);   vocabularies, initial weights
 *   elman_train(model, pairs, &train_options, &error);
 *   elman_model_save(model, "model.safetensors", &error);
 *   elman_translator_create(&translator, model, &error);
 *   elman_translate(&translation, translator, "我 爱 学习", strlen(...), NULL, &error);
 *
 * Conventions. Text is UTF-8. A function that can fail returns an elman_status, which must be
 * looked at, and fills `error` unless that is NULL; its output is then NULL or unchanged. What a
 * `_create`, `_read` or `_load` gave is returned to the matching `_free`, which accepts NULL. A
 * `const` argument may be used by several threads at once; any other argument by one at a time.
 * `options` may be NULL for the defaults; no other pointer may be NULL where it is not said here.
 * Pointers in `options` structs are borrowed for the call. The library prints nothing, never exits,
 * and leaves the locale and signals as they were.
 *
 * OpenBLAS is set up for the whole process by the first call that loads a model or computes: one
 * thread (elman runs its own), and, where OpenBLAS chose kernels for less than the processor can do
 * (it goes by a list of models), those for AVX-512, AVX2 or AVX. The variable OPENBLAS_CORETYPE, if
 * it is set, decides instead; if not, it is set and removed again in that call. A program that uses
 * OpenBLAS itself, or reads its environment in another thread, makes that first call while no other
 * thread does either.
 *
 * OpenBLAS wants 128 MB of address space for each thread that multiplies, and for each that it
 * starts when it is loaded; those wait for ever if it is refused. Calls of this library look for it
 * first, and fail with ELMAN_NO_MEMORY; but where address space is limited (ulimit -v), a program
 * that is to end at all is started with OPENBLAS_NUM_THREADS=1, as `elman` starts itself.
 *
 * Matrices are row-major. S and T are the numbers of source and target tokens. */
#ifndef ELMAN_H
#define ELMAN_H

/* clang-format off: in the order of use */
#include "elman/attention.h"
#include "elman/evaluate.h"
#include "elman/model.h"
#include "elman/pairs.h"
#include "elman/status.h"
#include "elman/tokens.h"
#include "elman/train.h"
#include "elman/translate.h"

/* beside this core */
#include "elman/check.h"
#include "elman/codec.h"
#include "elman/file.h"
#include "elman/finding.h"
#include "elman/gradients.h"
#include "elman/group.h"
#include "elman/hyperparameters.h"
#include "elman/machine.h"
#include "elman/matrix.h"
#include "elman/mechanisms.h"
#include "elman/metric.h"
#include "elman/split.h"
#include "elman/subwords.h"
#include "elman/summary.h"
#include "elman/table.h"

#endif
