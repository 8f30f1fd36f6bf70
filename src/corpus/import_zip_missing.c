/* For a library that was built without libzip: zip archives are refused, like other files that are
 * not text. */
#include "corpus/import.h"

bool import_reads_zip(void) {
  return false;
}

elman_status import_unzip(struct importer *importer, struct buffer *bytes) {
  (void)bytes;
  return import_fail(importer, ELMAN_BAD_DATA, 0, "is a zip file; extract its files (unzip)");
}
