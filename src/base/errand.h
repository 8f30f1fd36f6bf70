/* A job that a thread of its own does while whoever gives it goes on with other work. It begins as
 * soon as all that it waits for has been brought. Where the system gives no thread, or none shall
 * do it, its giver does it when he would wait for its end. */
#ifndef ELMAN_BASE_ERRAND_H
#define ELMAN_BASE_ERRAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct errand;

/* The thread starts with the first job for it, from whose giver it has its floating-point mode. It
 * has no team in use. */
elman_status errand_create(struct errand **errand, elman_error *error) CHECKED;
void errand_free(struct errand *errand);

/* job(context) is done once errand_bring has been called `awaited` times, by any threads; at once
 * if that is 0. `here`: by the giver himself. The job before has ended (errand_end). */
typedef void errand_job(void *context);
void errand_begin(struct errand *errand, size_t awaited, bool here, errand_job *job, void *context);
void errand_bring(struct errand *errand);

/* Returns when the job is done. All that it waits for has been brought, or will be by others. */
void errand_end(struct errand *errand);

#endif
