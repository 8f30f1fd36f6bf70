/* Output files that are replaced atomically, locks for output files, gzip decompression, and
 * recognition of files that are not text. */
#ifndef ELMAN_FILE_H
#define ELMAN_FILE_H

#include "elman/status.h"

ELMAN_BEGIN

/* An output file. It replaces the file at its path atomically after all of it is on disk. */
typedef struct elman_file elman_file;

/* Return whether the output at `path` is written directly, without a temporary file. This is so for
 * a device, a pipe, and a link to an open descriptor such as /dev/stdout. */
ELMAN_API bool elman_file_is_direct(const char *path);

/* Resolve the symbolic links of `path`. Write the resulting file name into the `size` bytes at
 * `resolved`. The file need not exist. Companion files, such as a checkpoint, are stored beside
 * that file and not beside a link. They are then found under every name of the output. */
ELMAN_CHECKED elman_status elman_file_resolve(char *resolved, size_t size, const char *path,
                                              elman_error *error);

/* Open the output at `path` for writing in place. Logs are written in place, so that readers see
 * each line as soon as it is written. The old content is kept if `append` is set and deleted
 * otherwise. Symbolic links are followed. The caller closes *descriptor, which is -1 after an
 * error. */
ELMAN_CHECKED elman_status elman_file_open_direct(int *descriptor, const char *path, bool append,
                                                  elman_error *error);

/* Open a temporary file beside `path`, or the output itself if it is written directly. *stream has
 * no file descriptor. */
ELMAN_CHECKED elman_status elman_file_create(elman_file **file, const char *path, FILE **stream,
                                             elman_error *error);
/* Allocate room for `size` bytes before anything is written. Return ELMAN_IO if the disk, a quota
 * or a limit of the process is too small. Outputs that are written directly always succeed. */
ELMAN_CHECKED elman_status elman_file_reserve(elman_file *file, uint64_t size, elman_error *error);
/* Write everything to disk. After this call only the replacement can fail. */
ELMAN_CHECKED elman_status elman_file_store(elman_file *file, elman_error *error);
/* Replace the file at the path. After an error the temporary file is deleted and the old file is
 * unchanged. `file` is freed in both cases. */
ELMAN_CHECKED elman_status elman_file_commit(elman_file *file, elman_error *error);
/* Delete the temporary file and free `file`. The file at the path is unchanged. */
ELMAN_API void elman_file_discard(elman_file *file);

/* A lock for an output that takes long to produce. Without it, two training runs could write the
 * same model and overwrite each other's results. The lock is a file beside the output, with the
 * suffix ".lock". It is released at the latest when the process ends. */
typedef struct elman_lock elman_lock;

/* Lock the output at `path`. If another process has the lock, return ELMAN_CANNOT_CREATE; the
 * message contains its process ID. If the lock file cannot be created or the file system does not
 * support locks, the call succeeds without a lock; elman_lock_problem returns the reason. Devices
 * and pipes are not locked. */
ELMAN_CHECKED elman_status elman_lock_acquire(elman_lock **lock, const char *path,
                                              elman_error *error);
/* Return the reason why nothing is locked, or NULL. The string is valid as long as the lock. */
ELMAN_API const char *elman_lock_problem(const elman_lock *lock);
ELMAN_API void elman_lock_release(elman_lock *lock);

/* Streaming decompression of input that may be gzip-compressed. Other input is copied unchanged.
 * The functions that read text, pairs and matrices from files decompress their input themselves. */
typedef struct elman_decompressor elman_decompressor;

/* Create a decompressor for one input. The caller must pass this input from its first byte. */
ELMAN_CHECKED elman_status elman_decompressor_create(elman_decompressor **decompressor,
                                                     elman_error *error);
ELMAN_API void elman_decompressor_free(elman_decompressor *decompressor);
/* Decompress from the *size bytes at *input into the *room bytes (at least 1) at `into`. Advance
 * *input and *size over the input consumed, and set *room to the number of bytes written. If fewer
 * bytes are written than *room allowed, all input is consumed, and the caller must pass more. */
ELMAN_CHECKED elman_status elman_decompress(elman_decompressor *decompressor, const char **input,
                                            size_t *size, char *into, size_t *room,
                                            elman_error *error);
/* Check the end of the input. Return ELMAN_BAD_DATA if compressed data are truncated. */
ELMAN_CHECKED elman_status elman_decompress_end(const elman_decompressor *decompressor,
                                                elman_error *error);

/* Check the start of a text file, after decompression. Return ELMAN_BAD_DATA if it has the
 * signature of another kind of file; the message states the kind and the remedy. Examples are
 * UTF-16 text, compressed files, web pages, PDF documents and Git LFS pointers. `complete` states
 * that `length` is the size of the file or at least 65536. Only if it is true does the function
 * also detect other binary files, and text whose lines end with CR. The functions that read text,
 * pairs and matrices from files call this function themselves. */
ELMAN_CHECKED elman_status elman_file_check_text(const char *start, size_t length, bool complete,
                                                 elman_error *error);

ELMAN_END

#endif
