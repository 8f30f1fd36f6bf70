/** elman in JavaScript. The types and the meaning of all arguments are in elman.d.ts. */

import { MemoryFiles } from "./wasi.mjs";

export class ElmanError extends Error {
  constructor(code, message, where = "") {
    super(message);
    this.name = "ElmanError";
    this.code = code;
    this.where = where;
  }
}

/* A module whose only function uses a SIMD instruction. */
const SIMD = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0,
  253, 15, 253, 98, 11]);

/** Return the bytes or the module that `source` names. */
async function fetchModule(source) {
  const isName = typeof source === "string" || source instanceof URL;
  if (!isName) return source;
  const url = new URL(source, import.meta.url);
  if (url.protocol === "file:" && typeof process === "object") {
    const { readFile } = await import("node:fs/promises");
    return readFile(url);
  }
  const answer = await fetch(url);
  if (!answer.ok) throw new ElmanError("no input", `cannot load ${url}: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

/** Convert ascending positions in bytes of UTF-8 to positions in a string. */
function stringPositions(text, positions) {
  const found = [];
  let bytes = 0, at = 0;
  for (const position of positions) {
    if (position < bytes) bytes = at = 0;
    while (bytes < position && at < text.length) {
      const code = text.codePointAt(at);
      bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      at += code < 0x10000 ? 1 : 2;
    }
    found.push(at);
  }
  return found;
}

/** The connection to the WebAssembly module: calls with JSON, and files in memory. */
class Connection {
  constructor(instance, files) {
    this.exports = instance.exports;
    this.files = files;
    files.memory = this.exports.memory;
    this.exports._initialize();
  }

  call(method, request = {}) {
    const text = new TextEncoder().encode(JSON.stringify({ ...request, method }));
    let address = 0, answer;
    try {
      address = this.exports.elman_allocate(text.length);
      if (address === 0) throw new ElmanError("no memory", "out of memory");
      new Uint8Array(this.exports.memory.buffer, address, text.length).set(text);
      answer = this.exports.elman_call(address, text.length);
    } catch (problem) {
      if (problem instanceof ElmanError) throw problem;
      throw new ElmanError("internal error", `the module failed in ${method}: ${problem.message}`);
    }
    this.exports.elman_free(address);
    if (answer === 0) throw new ElmanError("no memory", "out of memory");
    const bytes = new Uint8Array(this.exports.memory.buffer, answer);
    const decoded = JSON.parse(new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0))));
    this.exports.elman_free(answer);
    if (decoded.error) {
      const { code, message, where } = decoded.error;
      throw Object.assign(new ElmanError(code, message, where.replace(/^\//, "")), { result: decoded.result });
    }
    return decoded.result;
  }
}

/** An object of the module, which `free` frees. */
class Handle {
  #number;
  constructor(connection, number) {
    this.connection = connection;
    this.#number = number;
  }
  get number() {
    if (this.#number === 0) throw new ElmanError("invalid argument", `the ${this.constructor.name} was freed`);
    return this.#number;
  }
  free() {
    if (this.#number !== 0) this.connection.call("free", { object: this.#number }); // fails if a training uses it
    this.#number = 0; // unless the call has thrown: a training may still use the object
  }
}

export class Pairs extends Handle {
  constructor(connection, { pairs, count, skippedCount, skipped }) {
    super(connection, pairs);
    this.report = { count, skippedCount, skipped };
  }
}

export class Model extends Handle {
  get info() {
    return this.connection.call("modelInfo", { model: this.number });
  }

  translate(text, options = {}) {
    const found = this.connection.call("translate", { ...options, model: this.number, text });
    for (const translation of found) {
      for (const side of ["source", "target"]) {
        const whole = side === "source" ? translation.source : translation.text;
        for (const key of [`${side}Starts`, `${side}Ends`]) translation[key] = stringPositions(whole, translation[key]);
      }
    }
    return found;
  }

  alternatives(text, targetIds, position, count) {
    const prefix = targetIds.slice(0, position);
    return this.connection.call("alternatives", { model: this.number, text, prefix, beam: count });
  }

  evaluate(pairs, options = {}) {
    return this.connection.call("evaluate", { ...options, model: this.number, pairs: pairs.number });
  }

  train(pairs, { settings = {}, epochs, dev } = {}) {
    const { training } = this.connection.call("createTraining", {
      model: this.number, pairs: pairs.number, settings, epochs, dev: dev?.number });
    return new Training(this.connection, training);
  }

  trace(source, target, step = 0) {
    return this.connection.call("trace", { model: this.number, source, target, step });
  }

  gradientCheck(source, target, { samples } = {}) {
    return this.connection.call("gradientCheck", { model: this.number, source, target, samples });
  }

  save() {
    this.connection.call("saveModel", { model: this.number });
    return this.connection.files.take("/model");
  }
}

/** Let other tasks run. */
function pause() {
  return new Promise((resolve) => (typeof setImmediate === "function" ? setImmediate : setTimeout)(resolve));
}

export class Training extends Handle {
  finished = false;
  last = null;

  advance(limit, milliseconds = Infinity) {
    const end = performance.now() + milliseconds;
    const reports = [], validations = [];
    for (let done = 0; done < limit && !this.finished && (done === 0 || performance.now() < end); done++) {
      const step = this.connection.call("advance", { training: this.number, updates: 1 });
      reports.push(...step.reports);
      validations.push(...step.validations);
      this.finished = step.finished;
    }
    this.last = reports.at(-1) ?? this.last;
    return { reports, validations, finished: this.finished };
  }

  async run(onUpdate) {
    const SLICE = 20;
    let going = true;
    while (going && !this.finished) {
      const end = performance.now() + SLICE;
      do {
        const { reports } = this.advance(1);
        for (const report of reports) if (onUpdate?.(report) === false) going = false;
      } while (going && !this.finished && performance.now() < end);
      await pause();
    }
    this.finish();
  }

  finish() {
    this.connection.call("finish", { training: this.number });
    this.finished = true;
  }
}

export class Elman {
  #connection;

  static async load(source = "elman.wasm") {
    if (typeof WebAssembly !== "object" || !WebAssembly.validate(SIMD))
      throw new ElmanError("unsupported", "this program needs WebAssembly with SIMD; please update the browser");
    const files = new MemoryFiles();
    const made = await WebAssembly.instantiate(await fetchModule(source), { wasi_snapshot_preview1: files.imports() });
    return new Elman(new Connection(made.instance ?? made, files));
  }

  constructor(connection) {
    this.#connection = connection;
    Object.assign(this, connection.call("describe"));
  }

  readPairs(text) {
    const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
    this.#connection.files.put("/pairs", bytes);
    try {
      return new Pairs(this.#connection, this.#connection.call("readPairs"));
    } finally {
      this.#connection.files.take("/pairs");
    }
  }

  createModel(pairs, settings = {}) {
    return new Model(this.#connection, this.#connection.call("createModel", { pairs: pairs.number, settings }).model);
  }

  loadModel(bytes) {
    this.#connection.files.put("/model", bytes);
    try {
      return new Model(this.#connection, this.#connection.call("loadModel").model);
    } finally {
      this.#connection.files.take("/model");
    }
  }

  get memory() {
    return this.#connection.exports.memory.buffer.byteLength;
  }
}
