/* For a library that was built without Expat: TMX files are refused. */
#include "corpus/import.h"

elman_status import_tmx(struct importer *importer) {
  return import_fail(importer, ELMAN_BAD_DATA, 0,
                     "is TMX, which this build cannot read, because it was built without Expat "
                     "(Debian package libexpat1-dev)");
}
