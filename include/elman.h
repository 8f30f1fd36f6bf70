/* elman: a recurrent sequence-to-sequence translator with encoder–decoder attention.
 *
 *   elman_pairs *pairs;  elman_model *model;  elman_translator *translator;
 *   elman_pairs_read(&pairs, &pairs_options, &error);         sentence pairs from files
 *   elman_model_create(&model, pairs, &model_options, &train_options, &error);   initial weights
 *   elman_train(model, pairs, &train_options, &error);
 *   elman_model_save(model, "model.safetensors", &error);
 *   elman_translator_create(&translator, model, &error);
 *   elman_translate(&translation, translator, "我 爱 学习", strlen(...), NULL, &error);
 *
 * Errors. A function that can fail returns an elman_status, which the caller must check, and fills
 * `error` unless that is NULL. After an error its output is NULL or unchanged. The library prints
 * nothing, never exits, and does not change the locale or signals.
 *
 * Versions. A struct of options comes from its `_default` function. Its reserved fields make room
 * for options of later versions; leave them as they are. elman/version.h states and checks
 * versions.
 *
 * Ownership. An object from `_create`, `_read` or `_load` is freed by the matching `_free`, which
 * accepts NULL. Pointers in `options` structs are borrowed for the call, unless the function says
 * otherwise. `options` may be NULL for the defaults; no other pointer may be NULL unless its
 * comment permits that.
 *
 * Threads. Several threads may use a `const` argument at the same time; any other argument may be
 * used by one thread at a time.
 *
 * OpenBLAS. The first call that loads a model or computes sets up OpenBLAS for the whole process.
 * It limits OpenBLAS to one thread, because elman runs its own threads. OpenBLAS recognizes
 * processors by a list of processor models. If OpenBLAS chose slower kernels than the processor
 * supports, the call selects those for AVX-512, AVX2 or AVX. The variable OPENBLAS_CORETYPE
 * overrides that selection; if the variable is not set, the call sets it and then removes it.
 * During this first call no other thread may use OpenBLAS or read the environment.
 *
 * OpenBLAS reserves 128 MB of address space for each thread that multiplies matrices, and for each
 * thread that OpenBLAS starts when it is loaded. If the system refuses this address space, the
 * threads of OpenBLAS hang. Calls of this library check for the space first and fail with
 * ELMAN_NO_MEMORY. If address space is limited (ulimit -v), start the program with
 * OPENBLAS_NUM_THREADS=1, as the `elman` command does.
 *
 * Text is UTF-8. Matrices are row-major. S and T are the numbers of source and target tokens. */
#ifndef ELMAN_H
#define ELMAN_H

/* clang-format off: order of use */
#include "elman/attention.h"
#include "elman/evaluate.h"
#include "elman/model.h"
#include "elman/pairs.h"
#include "elman/precision.h"
#include "elman/status.h"
#include "elman/tokens.h"
#include "elman/train.h"
#include "elman/translate.h"
#include "elman/version.h"

/* further subjects */
#include "elman/check.h"
#include "elman/codec.h"
#include "elman/file.h"
#include "elman/finding.h"
#include "elman/gradients.h"
#include "elman/group.h"
#include "elman/import.h"
#include "elman/json.h"
#include "elman/language.h"
#include "elman/machine.h"
#include "elman/matrix.h"
#include "elman/mechanisms.h"
#include "elman/metric.h"
#include "elman/options.h"
#include "elman/plot.h"
#include "elman/preset.h"
#include "elman/sentences.h"
#include "elman/split.h"
#include "elman/subwords.h"
#include "elman/suggestion.h"
#include "elman/summary.h"
#include "elman/table.h"
#include "elman/warning.h"

#endif
