/** elman in Node, and in programs that are bundled for Node: load() also reads files. */
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

import { Elman as AnyElman, ElmanError } from "./elman.mjs";

export { ElmanError, Model, Pairs, Training } from "./elman.mjs";

/** Return the URL of a file that the source names; null for any other source. */
function fileOf(source) {
  if (source instanceof URL) return source.protocol === "file:" ? source : null;
  if (typeof source !== "string" || /^(?!file:)[a-z][a-z+.-]+:/i.test(source)) return null;
  return source.startsWith("file:") ? new URL(source) : pathToFileURL(source);
}

export class Elman extends AnyElman {
  static async load(source = new URL("./elman.wasm", import.meta.url)) {
    let loaded = source;
    try {
      const file = fileOf(source);
      if (file !== null) loaded = await readFile(file);
    } catch (problem) {
      throw new ElmanError("no input", `cannot load ${source}: ${problem.message}`);
    }
    return super.load(loaded);
  }
}
