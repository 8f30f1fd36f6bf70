/* The state of the page, and the worker in which everything is computed. */

/* The state that the page shows, and the choices of the user. The worker holds the networks. */
const state = {
  language: "en",
  view: "learn",
  ready: false,
  version: "",
  hyperparameters: [],
  settings: {},       // chosen values that differ from the defaults
  epochs: 80,
  hold: 0,            // every so many pairs, one is held out for validation; 0 = none
  watched: "",        // source of the sentence whose attention is shown while learning
  epoch: null,        // the earlier epoch that all figures show; null = the newest
  run: null,          // see newRun()
  figure: "network",  // what the views Learn and Translate show: "network" or "map"
  busy: "loading",    // what the buttons wait for: "loading", "creating", "pausing" or null
  info: null,         // properties of the model
  glosses: null,      // whether the user wants glosses; null = has not chosen
};

/* The state of the network in a slot while it learns. */
function newRun() {
  return {
    status: "none",   // or "running", "paused", "finished", "loaded"
    signature: "",    // of the settings and pairs with which the network was created
    epoch: 0, epochs: 0, last: null, right: null, speed: null, kept: [], memory: 0,
    points: [], ends: [], validations: [], watched: null, seconds: 0,
    numbers: null,    // those of the watched sentence, from Model.attend()
    isOld: false,     // `numbers` belong to an earlier report than `watched`
    listed: [],       // [source, translation] of the sentences in the list
    restored: false,  // the browser had kept the network
    best: null,       // the epoch whose parameters a finished network has, if validation chose it
  };
}

/* More points than this are merged in pairs, so that a curve stays quick to draw. */
const MOST_POINTS = 2400;

function addProgress(run, event) {
  run.points.push(...event.points);
  if (run.points.length > MOST_POINTS)
    run.points = run.points.filter((_, at) => at % 2 === 1)
      .map((point, at) => [point[0], (run.points[2 * at][1] + point[1]) / 2]);
  run.ends.push(...event.ends);
  run.validations.push(...event.validations);
  for (const name of ["epoch", "epochs", "last", "right", "kept", "memory", "watched", "listed"]) run[name] = event[name];
  run.isOld = event.numbers === undefined;
  if (!run.isOld) run.numbers = event.numbers;
  if (event.speed !== null) run.speed = event.speed;
  run.status = event.running ? "running" : event.finished ? "finished" : "paused";
  run.best = event.finished ? run.validations.findLast((one) => one.best)?.epoch ?? null : null;
}

/* ---- The worker ---- */

/* Return the text that an element contains in gzip and base64. */
function unpackedText(id) {
  const bytes = Uint8Array.from(atob(byId(id).textContent.trim()), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/* An error of the translator, or of the worker. */
class Refusal extends Error {
  /* `retry`: the same call may succeed later. */
  constructor({ message, code, where, retry = false }) {
    super(message);
    Object.assign(this, { code, where, retry });
  }
}

const engine = {
  worker: null,
  address: null,
  waiting: new Map(),
  count: 0,
  listeners: {},

  /* Call the method of the worker. */
  call(method, argument = {}, transfer = []) {
    const id = ++this.count;
    return new Promise((give, refuse) => {
      this.waiting.set(id, { give, refuse });
      this.worker.postMessage({ id, method, argument }, transfer);
    });
  },

  on(event, listener) {
    this.listeners[event] = listener;
  },

  receive({ id, event, result, error, ...rest }) {
    if (event !== undefined) {
      this.listeners[event]({ ...rest, error: error && new Refusal(error) });
      return;
    }
    const { give, refuse } = this.waiting.get(id);
    this.waiting.delete(id);
    if (error === undefined) give(result);
    else refuse(new Refusal(error));
    if (error !== undefined && error.code === "broken") this.listeners.broken();
  },

  async start() {
    if (this.address === null) {
      this.address = URL.createObjectURL(new Blob([await unpackedText("worker")], { type: "text/javascript" }));
    }
    this.worker = new Worker(this.address);
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.fail(event.message || "The worker did not start.");
    };
    return this.call("load", { wasm: byId("module").textContent.trim() });
  },

  fail(message) {
    for (const { refuse } of this.waiting.values()) refuse(new Refusal({ message, code: "broken", where: "" }));
    this.waiting.clear();
    this.listeners.broken();
  },

  /* End the worker and its networks. Requests without an answer fail. */
  stop() {
    this.worker.terminate();
    for (const { refuse } of this.waiting.values())
      refuse(new Refusal({ message: "stopped", code: "stopped", where: "" }));
    this.waiting.clear();
  },
};

/* A second worker for the states of the model inside the page. They take longer than a translation, which must not wait for
 * them. It starts when it is first asked. */
const aside = { ...engine, waiting: new Map(), listeners: { broken: () => dropAside() }, opening: null };

function dropAside() {
  aside.stop();
  aside.opening = null;
}

async function openAside() {
  aside.address = engine.address;
  await aside.start();
  await aside.call("open", { slot: SLOT_OF_GIVEN, packed: GIVEN });
}

async function attendAside(argument) {
  await (aside.opening ??= openAside());
  return aside.call("attend", argument);
}

/* Return a function that runs the task, but at most once at a time. Calls during a run are merged
 * into one call after it, the last one. So typing never builds up a queue. */
function newestOnly(task) {
  let busy = false, next = null;
  return async function go(...values) {
    if (busy) {
      next = values;
      return;
    }
    busy = true;
    try {
      await task(...values);
    } finally {
      busy = false;
    }
    if (next === null) return;
    const again = next;
    next = null;
    await go(...again);
  };
}

/* Return a function that runs the task in the next frame, or after it, once however often it is called. */
function eachFrame(task, isAfter = false) {
  let due = false;
  const run = () => {
    due = false;
    task();
  };
  return () => {
    if (due) return;
    due = true;
    /* In a hidden tab there are no frames; a timer draws instead. */
    (document.hidden ? setTimeout : requestAnimationFrame)(isAfter ? () => setTimeout(run) : run);
  };
}

/* ---- Messages ---- */

/* Show a message above the view until it is closed; a message with the same key replaces the earlier one. `words`
 * is its text, or a function that gives it in the language of the page. An action is {label, go}; the label is a key of TEXTS.
 * `closed` is called if the user closes the message. */
function tell(key, words, { bad = false, action = null, closed = () => {} } = {}) {
  const line = element("div", { class: bad ? "message bad" : "message", "data-key": key }, element("span", {}));
  const add = (kind, go) => {
    const leave = () => {
      line.remove();
      keepFocus();
      go();
    };
    return line.appendChild(button(kind, leave));
  };
  const act = action === null ? null : add("", action.go), close = add("close", closed);
  close.textContent = "×";
  line.draw = () => {
    write(line.firstChild, visible(typeof words === "function" ? words() : words));
    if (act !== null) write(act, t(action.label));
    close.setAttribute("aria-label", t("close"));
  };
  line.draw();
  untell(key);
  byId("messages").append(line);
}

/* Give the focus that a removed element had to another one. */
function keepFocus(place = byId(`tab-${state.view}`)) {
  if (place !== null && (document.activeElement === null || document.activeElement === document.body)) place.focus({ preventScroll: true });
}

function untell(key) {
  for (const line of byId("messages").children) if (line.dataset.key === key) line.remove();
}

/* Remove the errors of earlier actions: call when the user begins another one. */
function untellFaults() {
  for (const line of [...byId("messages").querySelectorAll(".bad")])
    if (["pairs", "model", "learn"].includes(line.dataset.key)) line.remove();
}

/* Set an attribute, or remove it if the value is undefined or null. */
function setOrRemove(node, name, value) {
  if (value == null) node.removeAttribute(name);
  else node.setAttribute(name, value);
}

/* Mark a field as valid (null) or wrong, and state the problem in its note. */
function markField(field, note, problem) {
  setOrRemove(field, "aria-invalid", problem && "true");
  note.hidden = problem === null;
  write(note, problem ?? "");
}

/* Return what stands between two sentences. */
const afterSentence = () => (state.language === "zh" ? "" : " ");

/* Change a text only if it differs, so that a screen reader does not repeat it. */
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

const announce = (text) => { byId("announcement").textContent = text; };

/* Return the message of an error in words for the page. */
function wordsOf(error) {
  const known = { "no memory": "error.memory", "no pairs": "error.pairs", broken: "error.broken" };
  const words = error.code in known ? `${t(known[error.code])} ` : "";
  const where = error.where && !error.message.includes(error.where) ? ` (${error.where})` : "";
  return `${words}${error.code === "no pairs" ? "" : t("error.library", { message: error.message + where })}`.trim();
}
