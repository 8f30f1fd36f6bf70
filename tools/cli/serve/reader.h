/* A thread that reads the bodies of requests. The time to read a body grows with its size, so the
 * main thread must not read bodies. Small bodies come first. */
#ifndef ELMAN_CLI_READER_H
#define ELMAN_CLI_READER_H

#include "serve/job.h"

struct reader;

/* Start the thread. It writes to `wake`, an eventfd, when a body is read. Return NULL if this
 * fails; errno is set. */
struct reader *reader_start(const struct serve_settings *settings, int wake);

/* End the thread and free the reader with the jobs in it. */
void reader_end(struct reader *reader);

/* Let the thread read the body of a job. */
void reader_submit(struct reader *reader, struct job *job);

/* Take the jobs that are read, as a list. */
struct job *reader_collect(struct reader *reader);

#endif
