/* Recognition of files: the encoding of a text with pairs, or the kind of any other file. */

/* Kinds of files by their first bytes. */
const FILE_KINDS = [
  ["PDF", "%PDF-"], ["PNG", "\x89PNG"], ["JPEG", "\xff\xd8\xff"], ["GIF", "GIF8"], ["ZIP (docx, xlsx)", "PK\x03\x04"],
  ["gzip", "\x1f\x8b"], ["bzip2", "BZh"], ["xz", "\xfd7zXZ"], ["Office (doc, xls)", "\xd0\xcf\x11\xe0"], ["RTF", "{\\rtf"],
];

const beginsWith = (bytes, letters) => [...letters].every((letter, at) => bytes[at] === letter.charCodeAt(0));

/* Return the kind of a file that is no text, or null. */
function kindOfFile(bytes) {
  const found = FILE_KINDS.find(([, letters]) => beginsWith(bytes, letters));
  return found === undefined ? null : found[0];
}

/* Return whether a file is a model: the length of the header in 8 bytes, then JSON. */
const isModelFile = (bytes) => bytes.length > 10 && bytes[6] === 0 && bytes[7] === 0 && beginsWith(bytes.subarray(8), "{\"");

/* Return whether bytes look like Chinese in GB 2312. Korean and Japanese encodings use the same bytes otherwise: Korean has
 * none of the lead bytes from 0xc9 to 0xd7 (ch to z in pinyin), and Japanese has many of 0xa4 and 0xa5. */
function looksLikeGbk(bytes) {
  let all = 0, good = 0, late = 0, kana = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] < 0x80) continue;
    const lead = bytes[at++], trail = bytes[at] ?? 0;
    all++;
    if (lead >= 0xa1 && lead <= 0xf7 && trail >= 0xa1 && trail !== 0xff) good++;
    if (lead >= 0xc9 && lead <= 0xd7) late++;
    if (lead === 0xa4 || lead === 0xa5) kana++;
  }
  return good > 0.95 * all && late > 0.1 * all && kana < 0.1 * all;
}

/* Return the name of the encoding for TextDecoder. */
function encodingOf(bytes) {
  if (beginsWith(bytes, "\xff\xfe")) return "utf-16le";
  if (beginsWith(bytes, "\xfe\xff")) return "utf-16be";
  /* Text in UTF-16 without a mark: the upper bytes of tabs and Latin letters are 0. */
  const zeros = [0, 0];
  bytes.subarray(0, 4096).forEach((byte, at) => { if (byte === 0) zeros[at % 2]++; });
  if (zeros[1] > 4 * zeros[0]) return "utf-16le";
  if (zeros[0] > 4 * zeros[1]) return "utf-16be";
  return "utf-8";
}

/* Return {text, encoding}; text is null if the bytes are in no known encoding. */
function decodedFile(bytes) {
  const found = encodingOf(bytes);
  for (const encoding of found === "utf-8" && looksLikeGbk(bytes) ? [found, "gb18030"] : [found]) {
    try {
      return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding };
    } catch {
      /* The next encoding may fit. */
    }
  }
  return { text: null, encoding: found };
}

/* Return what text without pairs looks like: a key of TEXTS. */
function looksOf(lines) {
  const first = lines.find((line) => !isBlank(line)).trim();
  if (/^[[{]/.test(first)) return "looks.json";
  if (first.startsWith("<")) return "looks.html";
  const share = (letter) => lines.filter((line) => line.includes(letter)).length / lines.length;
  return share(",") > 0.5 || share(";") > 0.5 ? "looks.csv" : "looks.text";
}
