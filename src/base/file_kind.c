#include "base/file_kind.h"

#include <string.h>
#include <strings.h>
#include <utf8proc.h>

/* ---- signatures ---- */

struct signature {
  size_t at;
  const char *bytes;
  size_t length;
  const char *kind; /* what the file is, and the remedy */
};

#define SIGNATURE(at, bytes, kind)                                                                 \
  { at, bytes, sizeof bytes - 1, kind }

#define UTF_REMEDY "save it as UTF-8, or convert it: iconv -f "

static const struct signature signatures[] = {
    /* UTF-32 comes before UTF-16, because its mark begins with the mark of UTF-16 */
    SIGNATURE(0, "\xFF\xFE\0\0", "is UTF-32 text; " UTF_REMEDY "UTF-32 -t UTF-8"),
    SIGNATURE(0, "\0\0\xFE\xFF", "is UTF-32 text; " UTF_REMEDY "UTF-32 -t UTF-8"),
    SIGNATURE(0, "\xFF\xFE", "is UTF-16 text; " UTF_REMEDY "UTF-16 -t UTF-8"),
    SIGNATURE(0, "\xFE\xFF", "is UTF-16 text; " UTF_REMEDY "UTF-16 -t UTF-8"),
    SIGNATURE(0, "\x1F\x8B", "is compressed by gzip; decompress it: gzip -d"),
    SIGNATURE(0, "\xFD\x37zXZ\0", "is compressed by xz; decompress it: xz -d"),
    SIGNATURE(0, "\x28\xB5\x2F\xFD", "is compressed by zstd; decompress it: zstd -d"),
    SIGNATURE(0, "\x04\x22\x4D\x18", "is compressed by lz4; decompress it: lz4 -d"),
    SIGNATURE(0, "PK\3\4",
              "is a zip file, perhaps of a word processor or spreadsheet; extract its "
              "files (unzip), or save the document as UTF-8 text"),
    SIGNATURE(0, "PK\5\6", "is an empty zip file"),
    SIGNATURE(0, "7z\xBC\xAF\x27\x1C", "is a 7z archive; extract its files: 7z x"),
    SIGNATURE(0, "Rar!\x1A\7", "is a RAR archive; extract its files: unrar x"),
    SIGNATURE(257, "ustar", "is a tar archive; extract its files: tar -xf"),
    SIGNATURE(0, "%PDF-1.", "is a PDF document; save its text as UTF-8 text"),
    SIGNATURE(0, "%PDF-2.", "is a PDF document; save its text as UTF-8 text"),
    SIGNATURE(0, "{\\rtf1", "is an RTF document; save it as UTF-8 text"),
    SIGNATURE(0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
              "is a document of a word processor or spreadsheet; save it as UTF-8 text"),
    SIGNATURE(0, "\x93NUMPY", "is a NumPy array, not text"),
    SIGNATURE(0, "version https://git-lfs.github.com/",
              "is a Git LFS pointer in place of the file; fetch the file: git lfs pull"),
};

static bool has_bytes(struct text start, size_t at, const char *bytes, size_t length) {
  return start.length >= at + length && memcmp(start.bytes + at, bytes, length) == 0;
}

/* Text may start with "BZh" and a digit; compressed data continue with a fixed number. */
static bool is_bzip2(struct text start) {
  return has_bytes(start, 0, "BZh", 3) &&
         (has_bytes(start, 4, "1AY&SY", 6) || has_bytes(start, 4, "\x17\x72\x45\x38\x50\x90", 6));
}

/* A zip file that torch.save wrote has the pickle "data.pkl" among its first entries. */
static bool is_pytorch(struct text start) {
  return has_bytes(start, 0, "PK\3\4", 4) &&
         memmem(start.bytes, start.length, "/data.pkl", strlen("/data.pkl")) != NULL;
}

/* Pickles begin with PROTO and the version of the protocol. */
static bool is_pickle(struct text start) {
  return start.length > 2 && start.bytes[0] == '\x80' && start.bytes[1] >= 2 && start.bytes[1] <= 5;
}

/* A safetensors file begins with the length of its header (at most 100 MB), followed by the
 * header. */
static bool is_safetensors(struct text start) {
  return has_bytes(start, 4, "\0\0\0\0{", 5) && (unsigned char)start.bytes[3] < 8;
}

/* Return whether the text begins with this tag, followed by the end of the line or by another tag.
 * In a sentence about a tag, the tag is followed by text or a tab instead. */
static bool begins_with_tag(struct text text, const char *tag) {
  const size_t length = strlen(tag);
  if (text.length <= length || strncasecmp(text.bytes, tag, length) != 0 ||
      strchr(" \t\r\n>", text.bytes[length]) == NULL || text.bytes[length] == '\0')
    return false;
  (void)text_cut(&text, '>');
  while (text.length > 0 && text.bytes[0] == ' ') text_drop(&text, 1);
  return text.length == 0 || strchr("\r\n<", text.bytes[0]) != NULL;
}

static const char *markup_kind(struct text start) {
  if (has_bytes(start, 0, "\xEF\xBB\xBF", 3)) text_drop(&start, 3);
  while (start.length > 0 && strchr(" \t\r\n", start.bytes[0]) != NULL && start.bytes[0] != '\0')
    text_drop(&start, 1);
  if (begins_with_tag(start, "<!doctype html") || begins_with_tag(start, "<html"))
    return "is a web page (HTML); download the file itself, or save the text of the page";
  if (begins_with_tag(start, "<?xml") || begins_with_tag(start, "<!doctype"))
    return "is an XML file; 'elman corpus convert' converts TMX; extract the sentences of other "
           "XML as text, one per line";
  return NULL;
}

/* ---- UTF-16 without a byte order mark ---- */

static bool is_plain_character(int codepoint) {
  const utf8proc_category_t category = utf8proc_category(codepoint);
  if (codepoint == '\t' || codepoint == '\r' || codepoint == '\n') return true;
  return category != UTF8PROC_CATEGORY_CN && category != UTF8PROC_CATEGORY_CC &&
         category != UTF8PROC_CATEGORY_CS && category != UTF8PROC_CATEGORY_CO;
}

/* Read the next character. Return false for a surrogate without its partner, a control, and an
 * unassigned character. */
static bool utf16_next(int *codepoint, struct text *rest, bool big_endian) {
  const unsigned char *pair = (const unsigned char *)rest->bytes;
  const int unit = big_endian ? pair[0] << 8 | pair[1] : pair[1] << 8 | pair[0];
  text_drop(rest, 2);
  *codepoint = unit;
  if (unit < 0xD800 || unit > 0xDBFF || rest->length < 2) return is_plain_character(unit);
  const unsigned char next = (unsigned char)rest->bytes[big_endian ? 0 : 1];
  text_drop(rest, 2);
  return next >= 0xDC && next <= 0xDF;
}

/* Return whether the bytes could be UTF-8 text with a few NULs in it. */
static bool is_text_with_nul(struct text start) {
  for (size_t i = 0; i < start.length; i++) {
    const char byte = start.bytes[i];
    if ((byte > 0 && byte < '\t') || (byte > '\r' && byte < ' ')) return false;
  }
  while (start.length > 0) {
    const struct text piece = text_cut(&start, '\0');
    if (text_valid_prefix(piece) < piece.length) return false;
  }
  return true;
}

/* Return whether the bytes are UTF-16 text of this byte order. Text that is mostly ASCII is
 * certain. Other text must have a line end, and must not be UTF-8 text with NULs. */
static bool is_utf16(struct text start, bool big_endian) {
  enum { LEAST = 16 };
  size_t count = 0, ascii = 0, line_ends = 0;
  for (struct text rest = start; rest.length > 1; count++) {
    int codepoint;
    if (!utf16_next(&codepoint, &rest, big_endian)) return false;
    ascii += codepoint < 0x80;
    line_ends += codepoint == '\n';
  }
  if (ascii >= 2 && ascii > count / 2) return true;
  return count >= LEAST && line_ends > 0 && !is_text_with_nul(start);
}

static const char *utf16_kind(struct text start) {
  if (memchr(start.bytes, '\0', start.length) == NULL) return NULL;
  if (is_utf16(start, false))
    return "is UTF-16 text without a byte order mark; " UTF_REMEDY "UTF-16LE -t UTF-8";
  if (is_utf16(start, true))
    return "is UTF-16 text without a byte order mark; " UTF_REMEDY "UTF-16BE -t UTF-8";
  return NULL;
}

/* ---- all kinds ---- */

const char *file_kind(struct text start) {
  if (start.length > FILE_START) start.length = FILE_START;
  if (start.length == 0) return NULL;
  if (is_pytorch(start))
    return "is a PyTorch file; elman reads models in safetensors files, which elman_torch.save "
           "writes";
  for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
    const struct signature *one = &signatures[i];
    if (has_bytes(start, one->at, one->bytes, one->length)) return one->kind;
  }
  if (is_bzip2(start)) return "is compressed by bzip2; decompress it: bzip2 -d";
  if (is_pickle(start)) return "is a Python pickle, perhaps an old PyTorch file";
  if (is_safetensors(start)) return "is a safetensors file, such as a model, not text";
  const char *kind = markup_kind(start);
  return kind != NULL ? kind : utf16_kind(start);
}

/* Return whether at least half of the lines that are not empty are valid text. */
static bool is_mostly_text(struct text start, char line_end) {
  size_t filled = 0, good = 0;
  while (start.length > 0) {
    const struct text line = text_cut(&start, line_end);
    filled += line.length > 0;
    good += line.length > 0 && text_valid_prefix(line) == line.length;
  }
  return 2 * good >= filled;
}

/* Return whether the bytes are not text. They are binary if there is a NUL near the start and fewer
 * than half of the lines are valid text. In executables up to a third of the lines are valid. If
 * the file is text, a line with a NUL is only a bad line. */
static bool is_binary(struct text start) {
  enum { PROBE = 8192 };
  return memchr(start.bytes, '\0', start.length < PROBE ? start.length : PROBE) != NULL &&
         !is_mostly_text(start, '\n');
}

/* Return whether lines of valid text end with CR alone: there is no LF, and text follows a CR. */
static bool ends_lines_with_cr(struct text start) {
  if (memchr(start.bytes, '\n', start.length) != NULL) return false;
  while (start.length > 0 && start.bytes[start.length - 1] == '\r') start.length--;
  return start.length > 0 && memchr(start.bytes, '\r', start.length) != NULL &&
         is_mostly_text(start, '\r');
}

const char *file_is_not_text(struct text start, bool complete) {
  if (start.length > FILE_START) start.length = FILE_START;
  const char *kind = file_kind(start);
  if (kind != NULL || start.length == 0 || !complete) return kind;
  if (is_binary(start)) return "is a binary file, not UTF-8 text";
  if (ends_lines_with_cr(start))
    return "has lines that end with CR alone, as on old Macs; convert it: tr '\\r' '\\n'";
  return NULL;
}
