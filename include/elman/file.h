/* Output files that are replaced at once, and claims to them; input that gzip may have packed. */
#ifndef ELMAN_FILE_H
#define ELMAN_FILE_H

#include "elman/status.h"

ELMAN_BEGIN

/* A file that takes the place of the one at its path at once, when all of it is safely stored. */
typedef struct elman_file elman_file;

/* Whether the output at `path` is written directly: a device, a pipe, or what an open descriptor
 * leads to (/dev/stdout). Nothing can stand beside it. */
ELMAN_API bool elman_file_is_direct(const char *path);

/* The file that an output at `path` is written to, links followed, into the `size` bytes at
 * `resolved`. It need not exist. What belongs to it, such as a checkpoint, lies beside this file
 * and not beside a link to it, so that it is found by any of its names. */
ELMAN_CHECKED elman_status elman_file_resolve(char *resolved, size_t size, const char *path,
                                              elman_error *error);

/* Opens the output at `path` to be written as it grows, such as a log, whose reader sees every line
 * at once: what was there goes, or stays with `append`. Links are followed as for other outputs.
 * *descriptor is the caller's to close; -1 after an error. */
ELMAN_CHECKED elman_status elman_file_open_direct(int *descriptor, const char *path, bool append,
                                                  elman_error *error);

/* Opens a temporary file beside `path`, or what is written directly itself. *stream has no
 * descriptor. */
ELMAN_CHECKED elman_status elman_file_create(elman_file **file, const char *path, FILE **stream,
                                             elman_error *error);
/* Stores what was written so far: then only putting it in place can fail. */
ELMAN_CHECKED elman_status elman_file_store(elman_file *file, elman_error *error);
/* Puts the file in place, or removes every trace of it and says why. `file` is gone either way. */
ELMAN_CHECKED elman_status elman_file_commit(elman_file *file, elman_error *error);
/* Removes the temporary file; what was at the path stays. */
ELMAN_API void elman_file_discard(elman_file *file);

/* A claim to an output that takes long, as a model does: two trainings that write to one file would
 * spoil each other's work. It is a file beside the output, named as that and ".lock", and ends with
 * the process if it is not released. */
typedef struct elman_lock elman_lock;

/* Claims the output at `path`. ELMAN_CANNOT_CREATE, with the number of the process, when another
 * one has it. Where the file cannot be made or the file system has no locks, nothing is claimed and
 * elman_lock_problem says why. A device or a pipe needs no claim. */
ELMAN_CHECKED elman_status elman_lock_acquire(elman_lock **lock, const char *path,
                                              elman_error *error);
/* NULL if there is none; else it lives as long as the lock. */
ELMAN_API const char *elman_lock_problem(const elman_lock *lock);
ELMAN_API void elman_lock_release(elman_lock *lock);

/* Input that comes piece by piece, and is unpacked if it begins as what gzip packs does. Functions
 * of this library that read text, pairs and matrices from files do this by themselves. */
typedef struct elman_decompressor elman_decompressor;

/* For one input, from its first byte. */
ELMAN_CHECKED elman_status elman_decompressor_create(elman_decompressor **decompressor,
                                                     elman_error *error);
ELMAN_API void elman_decompressor_free(elman_decompressor *decompressor);
/* Takes *size bytes at *input, of which those that are left stay there, and fills the *room bytes,
 * at least 1, at `into`; *room is then how many it gave. If these are fewer than were asked for,
 * nothing is left, and more input is needed. */
ELMAN_CHECKED elman_status elman_decompress(elman_decompressor *decompressor, const char **input,
                                            size_t *size, char *into, size_t *room,
                                            elman_error *error);
/* At the end of the input: ELMAN_BAD_DATA if it ends too early. */
ELMAN_CHECKED elman_status elman_decompress_end(const elman_decompressor *decompressor,
                                                elman_error *error);

ELMAN_END

#endif
