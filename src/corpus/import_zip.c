/* Files in zip archives, such as fra-eng.zip of manythings.org, unpacked with libzip. libzip is
 * loaded only for a zip archive, because it loads further libraries that other calls do not need.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <zip.h>

#include "corpus/import.h"

/* The names of the functions in use, without the prefix zip_. */
#define ZIP_FUNCTIONS(ROW)                                                                         \
  ROW(source_buffer_create)                                                                        \
  ROW(source_free)                                                                                 \
  ROW(open_from_source)                                                                            \
  ROW(discard)                                                                                     \
  ROW(get_num_entries)                                                                             \
  ROW(get_name)                                                                                    \
  ROW(fopen_index)                                                                                 \
  ROW(fread)                                                                                       \
  ROW(fclose)

struct zip_library {
  void *handle;
#define FIELD(name) __typeof__(zip_##name) *name;
  ZIP_FUNCTIONS(FIELD)
#undef FIELD
};

/* The file name of the library that fits the headers of libzip 1.x. */
static const char library_name[] = "libzip.so." ELMAN_ZIP_SOVERSION;

/* Write the address of a function, which C cannot convert from void *. */
static bool find_function(void *place, void *handle, const char *name) {
  void *found = dlsym(handle, name);
  memcpy(place, &found, sizeof found);
  return found != NULL;
}

static elman_status load(struct zip_library *zip, const struct importer *importer) {
  zip->handle = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  bool good = zip->handle != NULL;
#define FIND(name) good = good && find_function(&zip->name, zip->handle, "zip_" #name);
  ZIP_FUNCTIONS(FIND)
#undef FIND
  if (good) return ELMAN_OK;
  if (zip->handle != NULL) dlclose(zip->handle);
  return import_fail(importer, ELMAN_BAD_DATA, 0,
                     "is a zip file, and %s cannot be loaded to unpack it; install it (Debian: "
                     "libzip4), or extract the file (unzip)",
                     library_name);
}

/* Return whether an entry may contain pairs: a text that is no description, such as _about.txt. */
static bool is_wanted(const char *name) {
  static const char *const suffixes[] = {".txt", ".tsv", ".csv", ".tmx", ".json", ".jsonl"};
  const char *slash = strrchr(name, '/'), *base = slash == NULL ? name : slash + 1;
  const size_t length = strlen(base);
  if (base[0] == '_' || base[0] == '.' || strncasecmp(base, "readme", 6) == 0 ||
      strncasecmp(base, "license", 7) == 0)
    return false;
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    const size_t size = strlen(suffixes[i]);
    if (length > size && strcasecmp(base + length - size, suffixes[i]) == 0) return true;
  }
  return false;
}

/* Find the only entry with pairs. The name is valid as long as the archive is open. */
static elman_status choose_entry(zip_uint64_t *chosen, const char **name,
                                 const struct importer *importer, const struct zip_library *zip,
                                 zip_t *archive) {
  const zip_int64_t count = zip->get_num_entries(archive, 0);
  *name = NULL;
  for (zip_int64_t i = 0; i < count; i++) {
    const char *entry = zip->get_name(archive, (zip_uint64_t)i, 0);
    if (entry == NULL || !is_wanted(entry)) continue;
    if (*name != NULL)
      return import_fail(importer, ELMAN_BAD_DATA, 0,
                         "contains several texts, such as %.80s and %.80s; extract them (unzip), "
                         "and name one",
                         *name, entry);
    *name = entry;
    *chosen = (zip_uint64_t)i;
  }
  if (*name != NULL) return ELMAN_OK;
  return import_fail(importer, ELMAN_BAD_DATA, 0,
                     "is a zip file without a text of pairs (.txt, .tsv, .csv, .tmx, .json, "
                     ".jsonl); save a document of a word processor or spreadsheet as UTF-8 text");
}

static elman_status read_entry(struct buffer *into, const struct importer *importer,
                               const struct zip_library *zip, zip_file_t *entry) {
  char chunk[1 << 14];
  const size_t limit = importer->options->max_unpacked;
  for (;;) {
    const zip_int64_t size = zip->fread(entry, chunk, sizeof chunk);
    if (size < 0)
      return import_fail(importer, ELMAN_BAD_DATA, 0, "is a damaged or encrypted zip file");
    if (size == 0) return into->failed ? fail_no_memory(importer->error) : ELMAN_OK;
    buffer_append(into, chunk, (size_t)size);
    if (limit > 0 && into->length > limit)
      return import_fail(importer, ELMAN_BAD_DATA, 0,
                         "unpacks to more than %zu bytes; `max_unpacked` sets the limit", limit);
    if (into->failed) return fail_no_memory(importer->error);
  }
}

static elman_status unpack(struct buffer *into, struct importer *importer,
                           const struct zip_library *zip, zip_t *archive) {
  zip_uint64_t chosen = 0;
  const char *name;
  const elman_status status = choose_entry(&chosen, &name, importer, zip, archive);
  if (status != ELMAN_OK) return status;
  zip_file_t *entry = zip->fopen_index(archive, chosen, 0);
  if (entry == NULL)
    return import_fail(importer, ELMAN_BAD_DATA, 0,
                       "%.80s in the zip file cannot be read; it may be encrypted", name);
  snprintf(importer->entry, sizeof importer->entry, "%s", name);
  const elman_status read = read_entry(into, importer, zip, entry);
  (void)zip->fclose(entry);
  return read;
}

bool import_reads_zip(void) {
  return true;
}

elman_status import_unzip(struct importer *importer, struct buffer *bytes) {
  struct zip_library zip;
  struct buffer content = {0};
  zip_error_t problem = {0};
  elman_status status = load(&zip, importer);
  if (status != ELMAN_OK) return status;
  zip_source_t *source = zip.source_buffer_create(bytes->bytes, bytes->length, 0, &problem);
  zip_t *archive = source == NULL ? NULL : zip.open_from_source(source, ZIP_RDONLY, &problem);
  if (archive != NULL) {
    status = unpack(&content, importer, &zip, archive);
    zip.discard(archive);
  } else {
    if (source != NULL) zip.source_free(source);
    status = import_fail(importer, ELMAN_BAD_DATA, 0, "is a damaged zip file");
  }
  (void)dlclose(zip.handle);
  if (status == ELMAN_OK) buffer_replace(bytes, &content);
  buffer_free(&content);
  return status;
}
