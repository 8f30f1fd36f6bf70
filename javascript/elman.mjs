/** elman in JavaScript. The types and the meaning of all arguments are in elman.d.ts. */

import { MemoryFiles } from "./wasi.mjs";

export class ElmanError extends Error {
  constructor(code, message, where = "", options = undefined) {
    super(message, options);
    this.name = "ElmanError";
    this.code = code;
    this.where = where;
  }
}

/* A module whose only function uses a SIMD instruction. */
const SIMD = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0,
  253, 15, 253, 98, 11]);

const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);

/* The kinds of values that have bytes, for messages. */
const BYTES = "an ArrayBuffer, a typed array or a DataView";
const SOURCES = "an ArrayBuffer, a typed array, a DataView, a Blob, a File or a Response";

/** Return the bytes of a buffer, or of the part of a buffer that a view shows. `allowed` names in a message what the
 * argument may be. */
function bytesOf(value, name, allowed = BYTES) {
  const isBuffer = ["ArrayBuffer", "SharedArrayBuffer"].includes(tagOf(value));
  if (!isBuffer && !ArrayBuffer.isView(value))
    throw new ElmanError("invalid argument", `${name} must be ${allowed}, not ${nameOf(value)}` +
      (typeof value === "string" || value instanceof URL ? "; pass the result of fetch() or readFile()" : ""));
  try {
    return isBuffer ? new Uint8Array(value) : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  } catch (problem) {
    throw new ElmanError("invalid argument", `${name} cannot be read: ${problem.message}`); // its buffer was transferred
  }
}

const notPlain = (problem) => new ElmanError("invalid argument", `an argument is no plain value: ${problem?.message ?? problem}`);

/** Name a value in a message. */
function nameOf(value) {
  if (typeof value === "string") return "a string";
  if (typeof value === "bigint") return `${value}n`;
  if (value === null || typeof value !== "object") return typeof value === "function" ? "a function" : String(value);
  if (Array.isArray(value)) return "an array";
  const type = value.constructor?.name ?? "Object";
  if (type !== "Object") return `an object of type ${type}`;
  return isPlain(value) ? "an object" : "an object with inherited or hidden properties";
}

/** Refuse a text that is no sequence of characters: the encoder would replace a part. */
function checkText(text, name) {
  const half = /\p{Surrogate}/u.exec(text);
  if (half !== null) throw new ElmanError("invalid argument", `${name} has half of a surrogate pair at position ${half.index}`);
}

/** Refuse arguments of a method that has none, such as the name of a file. */
function refuseArguments(given, name) {
  if (given.length > 0)
    throw new ElmanError("invalid argument", `${name} takes no argument, not ${nameOf(given[0])}; it returns the bytes of a file`);
}

/** Return whether JSON writes all properties of a value: an object without a class whose keys are strings and enumerable. */
function isPlain(value) {
  if (tagOf(value) !== "Object") return false;
  const prototype = Object.getPrototypeOf(value);
  return (prototype === null || Object.getPrototypeOf(prototype) === null) &&
    Reflect.ownKeys(value).every((key) => typeof key === "string" && Object.prototype.propertyIsEnumerable.call(value, key));
}

const isMethod = (value, name) => typeof value === "object" && typeof value?.[name] === "function";

/** Return whether the bytes of a source must be waited for: a Blob, a File, a Response, or a promise of a source. */
const isPending = (source) => isMethod(source, "arrayBuffer") || isMethod(source, "then");

/** Wait for the bytes of a source. */
async function arrived(source, name, allowed) {
  const failed = (problem) => {
    /* The message of fetch() itself is only "fetch failed". */
    const reason = problem?.cause?.message || problem?.message || problem;
    throw new ElmanError("no input", `${name} cannot be read: ${reason}`, "", { cause: problem });
  };
  const found = await Promise.resolve(source).catch(failed);
  if (!isMethod(found, "arrayBuffer")) return bytesOf(found, name, allowed);
  if (found.ok === false) failed(`${found.url || "the server"} answers ${`${found.status} ${found.statusText}`.trim()}`);
  return bytesOf(await Promise.resolve(found.arrayBuffer()).catch(failed), name, allowed);
}

/** Call use(bytes) with the bytes of a source: at once if they are there, else in a promise. */
const withBytes = (source, name, allowed, use) =>
  isPending(source) ? arrived(source, name, allowed).then(use) : use(bytesOf(source, name, allowed));

/** Throw if the signal has been aborted. */
function checkSignal(signal, what) {
  if (signal?.aborted)
    throw new ElmanError("interrupted", `${what} was aborted: ${signal.reason?.message ?? signal.reason}`, "", { cause: signal.reason });
}

/** Copy options. The copy may contain values that JSON cannot write. */
function copyOf(options) {
  if (!isPlain(options)) throw new ElmanError("invalid argument", `options must be an object, not ${nameOf(options)}`);
  try {
    return { ...options };
  } catch (problem) {
    throw notPlain(problem); // of a getter
  }
}

/** Divide options into the signal, which the module cannot read, and the others. */
function dividedOptions(options) {
  const { signal, ...others } = copyOf(options);
  if (signal !== undefined && typeof signal?.aborted !== "boolean")
    throw new ElmanError("invalid argument", `signal must be an AbortSignal, not ${nameOf(signal)}`);
  return { signal, others };
}

/** Return the place of the module for a load() without an argument. Bundlers find the file by exactly this expression.
 * The development server of Vite moves the scripts of packages, but not their other files, to node_modules/.vite/deps. */
function beside() {
  const url = new URL("./elman.wasm", import.meta.url);
  return /\/node_modules\/\.vite\/deps\/elman\.wasm$/.test(url.pathname) ? new URL("../../elman/elman.wasm", url) : url;
}

const REMEDY = "; serve elman.wasm of the package there, or pass its bytes or address to Elman.load()";

/** Return the URL that a text means: relative to the page or, in a worker without a page address, to this file. */
const addressOf = (text) => new URL(text, /^(blob|data):/.test(globalThis.location?.href ?? "blob:") ? import.meta.url : location.href);

/** Return the bytes or the module that `source` names. */
async function moduleOf(source, place) {
  if (source instanceof WebAssembly.Module) return source;
  if (isPending(source)) return arrived(source, "wasm", SOURCES);
  if (source !== undefined && typeof source !== "string" && !(source instanceof URL))
    return bytesOf(source, "wasm", `a URL, a WebAssembly.Module, ${SOURCES}`);
  try {
    const answer = await fetch(source === undefined ? beside() : addressOf(source));
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`.trim());
    return await answer.arrayBuffer();
  } catch (problem) {
    throw new ElmanError("no input", `cannot load ${place}: ${problem.message}${source === undefined ? REMEDY : ""}`);
  }
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

/** Convert the name of a key: the module has length_penalty, JavaScript has lengthPenalty. A request that contains
 * length_penalty is converted, too, to a name that does not exist, so it is refused. */
const otherName = (name) => (name.includes("_") ? name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase())
  : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

const withOtherNames = (object, convert = (value) => value) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [otherName(key), convert(value)]));

/** Convert the keys of an answer. Arrays of numbers or strings have none. */
function answered(value) {
  if (value === null || typeof value !== "object") return value;
  if (!Array.isArray(value)) return withOtherNames(value, answered);
  return value[0] !== null && typeof value[0] === "object" ? value.map(answered) : value;
}

/** Encode a request, and convert its keys. JSON would turn NaN into null, a Map into an empty object and a Date into a
 * string, and would leave out functions. Such a value is sent as {"": NAME}, which the module refuses. A typed array is
 * sent as an array. */
function encoded(request) {
  const isExpressible = (value) => {
    if (typeof value === "number") return Number.isFinite(value);
    if (typeof value === "object") return value === null || Array.isArray(value) || (isPlain(value) && !Object.hasOwn(value, ""));
    return ["string", "boolean", "undefined"].includes(typeof value);
  };
  const replace = function (key) {
    const value = this[key]; // without toJSON
    if (typeof value === "string") checkText(value, key);
    const plain = ArrayBuffer.isView(value) && !(value instanceof DataView) ? Array.from(value) : value;
    if (!isExpressible(plain)) return { "": nameOf(plain) };
    return typeof plain === "object" && plain !== null && !Array.isArray(plain) ? withOtherNames(plain) : plain;
  };
  try {
    return JSON.stringify(request, replace);
  } catch (problem) {
    throw problem instanceof ElmanError ? problem : notPlain(problem);
  }
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
    const text = new TextEncoder().encode(encoded({ ...request, method }));
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
      throw Object.assign(new ElmanError(code, message, where), { result: answered(decoded.result) });
    }
    return answered(decoded.result);
  }
}

const SLICE = 20; // milliseconds of work before other tasks run

/** Let other tasks run. */
function pause() {
  return new Promise((resolve) => (typeof setImmediate === "function" ? setImmediate : setTimeout)(resolve));
}

/** An object of the module, which `free` frees. */
class Handle {
  #number;
  constructor(connection, number) {
    if (!(connection instanceof Connection))
      throw new ElmanError("invalid argument", "objects come from Elman.load() and its methods, not from `new`");
    this.connection = connection;
    this.#number = number;
  }
  get number() {
    if (this.#number === 0) throw new ElmanError("invalid argument", `the ${this.constructor.type} was freed`);
    return this.#number;
  }
  /** Return the number of an argument, which must be an object of the same module. */
  static numberOf(connection, value, name) {
    const own = value instanceof this && value.connection === connection;
    if (own) return value.number;
    const problem = value instanceof this ? "one of another Elman.load()" : nameOf(value);
    throw new ElmanError("invalid argument", `${name} must be an object of type ${this.type} of the same module, not ${problem}`);
  }
  free() {
    /* The call throws, and the number stays, if a Training object still uses this one. */
    if (this.#number !== 0) this.connection.call("free", { object: this.#number });
    this.#number = 0;
  }
  /* For `using`, where the language has it. */
  [Symbol.dispose ?? Symbol("Symbol.dispose")]() {
    this.free();
  }
}

export class Pairs extends Handle {
  /* The name is a constant, because minifiers change the names of classes. */
  static type = "Pairs";
  constructor(connection, found) {
    super(connection, found?.pairs);
    const { count, skippedCount, skipped } = found;
    this.report = { count, skippedCount, skipped };
  }
}

export class Model extends Handle {
  static type = "Model";
  notes = [];
  get info() {
    return this.connection.call("modelInfo", { model: this.number });
  }

  translate(text, options = {}) {
    const found = this.connection.call("translate", { model: this.number, text, options });
    for (const translation of found) {
      for (const [key, text] of [["sourceSpans", translation.source], ["targetSpans", translation.text]]) {
        const [starts, ends] = [0, 1].map((end) => stringPositions(text, translation[key].map((span) => span[end])));
        translation[key] = starts.map((start, i) => [start, ends[i]]);
      }
      for (const sentence of translation.sentences ?? []) {
        sentence.sourceSpan = stringPositions(translation.source, sentence.sourceSpan);
        sentence.textSpan = stringPositions(translation.text, sentence.textSpan);
      }
    }
    return found;
  }

  async translateAll(texts, options = {}) {
    const { signal, others } = dividedOptions(options), found = [];
    if (!Array.isArray(texts)) throw new ElmanError("invalid argument", `texts must be an array, not ${nameOf(texts)}`);
    let end = performance.now() + SLICE;
    for (const text of texts) {
      checkSignal(signal, "the translation");
      found.push(this.translate(text, others));
      if (performance.now() < end) continue;
      await pause();
      end = performance.now() + SLICE;
    }
    return found;
  }

  alternatives(text, targetIds, position, count) {
    return this.connection.call("alternatives", { model: this.number, text, targetIds, position, count });
  }

  evaluate(pairs, options = {}) {
    return this.connection.call("evaluate", { model: this.number, pairs: Pairs.numberOf(this.connection, pairs, "pairs"), options });
  }

  train(pairs, options = {}) {
    const request = { model: this.number, pairs: Pairs.numberOf(this.connection, pairs, "pairs"), options: copyOf(options) };
    const { dev, checkpoint } = request.options;
    if (dev !== undefined) request.options.dev = Pairs.numberOf(this.connection, dev, "dev");
    if (checkpoint !== undefined) {
      request.options.checkpoint = true;
      this.connection.files.put("checkpoint", bytesOf(checkpoint, "checkpoint"));
    }
    try {
      const { training, notes } = this.connection.call("createTraining", request);
      return Object.assign(new Training(this.connection, training), { notes });
    } finally {
      this.connection.files.take("checkpoint");
    }
  }

  trace(source, target, step = 0) {
    return this.connection.call("trace", { model: this.number, source, target, step });
  }

  attend(source, target) {
    try {
      return this.connection.call("attend", { model: this.number, source, target });
    } finally {
      this.connection.files.take("model");
    }
  }

  gradientCheck(source, target, options = {}) {
    return this.connection.call("gradientCheck", { model: this.number, source, target, options });
  }

  save(...given) {
    refuseArguments(given, "save");
    this.connection.call("saveModel", { model: this.number });
    return this.connection.files.take("model");
  }
}

export class Training extends Handle {
  static type = "Training";
  finished = false;
  last = null;
  notes = [];

  advance(limit, milliseconds = Infinity) {
    const begun = performance.now();
    const reports = [], validations = [];
    const request = { training: this.number, updates: 1, limit, ...(milliseconds === Infinity ? {} : { milliseconds }) };
    for (let done = 0; done === 0 || (done < limit && !this.finished && performance.now() - begun < milliseconds); done++) {
      const step = this.connection.call("advance", request);
      reports.push(...step.reports);
      validations.push(...step.validations);
      this.finished = step.finished;
    }
    this.last = reports.at(-1) ?? this.last;
    return { reports, validations, finished: this.finished };
  }

  async run(onUpdate, options = {}) {
    const { signal, others } = dividedOptions(options);
    for (const key of Object.keys(others)) throw new ElmanError("invalid argument", `unknown option '${key}'; did you mean 'signal'`);
    if (onUpdate !== undefined && typeof onUpdate !== "function")
      throw new ElmanError("invalid argument", `onUpdate must be a function, not ${nameOf(onUpdate)}`);
    let going = true;
    while (going && !this.finished) {
      const end = performance.now() + SLICE;
      do {
        checkSignal(signal, "the training");
        const { reports } = this.advance(1);
        for (const report of reports) if (onUpdate?.(report) === false) going = false;
      } while (going && !this.finished && performance.now() < end);
      await pause();
    }
    this.finish();
  }

  finish() {
    this.connection.call("finish", { training: this.number });
    this.connection.files.take("checkpoint");
    this.finished = true;
  }

  checkpoint(...given) {
    refuseArguments(given, "checkpoint");
    this.connection.call("saveTraining", { training: this.number });
    return this.connection.files.take("checkpoint");
  }
}

export class Elman {
  #connection;

  static async load(source) {
    if (typeof WebAssembly !== "object" || !WebAssembly.validate(SIMD))
      throw new ElmanError("unsupported", "this program needs WebAssembly with SIMD; please update the browser");
    const place = String(source === undefined ? beside() : typeof source === "string" || source instanceof URL ? source : "wasm");
    const files = new MemoryFiles(), module = await moduleOf(source, place);
    try {
      const made = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: files.imports() });
      return new this(new Connection(made.instance ?? made, files));
    } catch (problem) {
      if (problem instanceof ElmanError) throw problem;
      throw new ElmanError("bad data", `${place} is not the module elman.wasm: ${problem.message}${source === undefined ? REMEDY : ""}`);
    }
  }

  constructor(connection) {
    if (!(connection instanceof Connection))
      throw new ElmanError("invalid argument", "use await Elman.load() in place of `new`");
    this.#connection = connection;
    Object.assign(this, connection.call("describe"));
    for (const row of this.hyperparameters) row.name = otherName(row.name);
  }

  /** Call a method that reads a file. */
  #read(method, name, bytes) {
    this.#connection.files.put(name, bytes);
    try {
      return this.#connection.call(method);
    } finally {
      this.#connection.files.take(name);
    }
  }

  readPairs(text) {
    if (typeof text === "string") checkText(text, "the text");
    return withBytes(typeof text === "string" ? new TextEncoder().encode(text) : text, "the pairs", `a string, ${SOURCES}`,
      (bytes) => new Pairs(this.#connection, this.#read("readPairs", "pairs", bytes)));
  }

  createModel(pairs, settings = {}) {
    const number = Pairs.numberOf(this.#connection, pairs, "pairs");
    const { model, notes } = this.#connection.call("createModel", { pairs: number, settings });
    return Object.assign(new Model(this.#connection, model), { notes });
  }

  loadModel(source) {
    return withBytes(source, "the model", SOURCES,
      (bytes) => new Model(this.#connection, this.#read("loadModel", "model", bytes).model));
  }

  get memory() {
    return this.#connection.exports.memory.buffer.byteLength;
  }
}
