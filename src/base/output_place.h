/* Where a file that shall be written lies: symbolic links followed, unless somebody may have
 * planted them. rename() would replace a link by a file and leave what it points to as it was. */
#ifndef ELMAN_BASE_OUTPUT_PLACE_H
#define ELMAN_BASE_OUTPUT_PLACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"

struct output_place {
  char *path;     /* owned; no link itself */
  bool exists;    /* then: */
  bool direct;    /* a device, a pipe, or what a descriptor of this process leads to */
  int descriptor; /* the latter, as /dev/stdout and /dev/fd/3 name it; else -1 */
};

/* A link that points nowhere yet is followed as far as it goes. Anything but absence that keeps the
 * name or the end of a link from being looked at is an error; so is a directory, and a link in a
 * folder that everybody may write to, where only owners may remove (as /tmp), if it is neither the
 * caller's nor that of the folder's owner. After an error nothing is owned. */
elman_status output_place_find(struct output_place *place, const char *path,
                               elman_error *error) CHECKED;

/* Opens what lies there itself, for what is written as it comes: a device, a pipe, a log. The end
 * of a file is where writing begins with `append`; without, what it held goes. A file that is not
 * there is made. A link that was put there since is not followed. A descriptor, or -1 and errno. */
int output_place_open(const struct output_place *place, bool append);

void output_place_free(struct output_place *place);

/* "cannot create the file", and why as errno has it. */
elman_status fail_to_create(elman_error *error, const char *path, int number);

/* The folder in which a path lies, to be freed; NULL when memory ran out. */
char *folder_of(const char *path);

/* a + b, to be freed; NULL when memory ran out. */
char *join(const char *a, const char *b);

#endif
