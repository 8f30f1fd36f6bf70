/* The worker of the playground; wasi.mjs and elman.mjs precede this text in one script. A message {id, method, argument} is
 * answered by {id, result} or {id, error}. While a network learns, {event: "progress"} and {event: "failed"} follow
 * without a request. Learning proceeds in slices, and requests are served between them. */
{
  /* Milliseconds: of learning before messages are read again, from one update to the next in slow motion, between two
   * progress events, and between two if the user prefers reduced motion. */
  const SLICE = 25, SLOW = 160, REPORT = 40, CALM_REPORT = 1000;
  /* Limits of the models of earlier epochs: their bytes, their number, the first epochs, which are always kept, and the
   * share of the time of learning that keeping may take. */
  const KEPT_BYTES = 48 * 2 ** 20, KEPT_MODELS = 240, KEPT_FIRST = 20, KEPT_SHARE = 0.4;
  /* With more pairs, translating all of them would slow learning down. */
  const COUNTED_PAIRS = 20;

  let elman = null;
  let looping = false;

  /* Networks by name: "main", and "a" and "b" of the comparison. */
  const slots = new Map();

  const freeAll = (...objects) => {
    for (const object of objects) if (object) object.free();
  };

  function release(slot) {
    if (!slot) return;
    slot.running = false;
    freeAll(slot.training, slot.past?.model, slot.model, slot.pairs, slot.dev);
    slot.training = slot.past = slot.model = slot.pairs = slot.dev = null;
  }

  function slotOf(name) {
    const slot = slots.get(name);
    if (!slot) throw Object.assign(new Error("There is no network yet."), { code: "no network" });
    return slot;
  }

  /* Return the settings of one scope. The seed of the training also determines the initial parameters. */
  function settingsOf(settings, scope) {
    const wanted = elman.hyperparameters.filter((one) => one.scope === scope).map(({ name }) => name);
    return Object.fromEntries(Object.entries(settings).filter(([name]) => wanted.includes(name)));
  }

  function readPairs(text) {
    try {
      return elman.readPairs(text);
    } catch (error) {
      const none = error.result && error.result.count === 0;
      throw none ? Object.assign(new Error("There is no pair to learn."), { code: "no pairs" }) : error;
    }
  }

  /* ---- Earlier epochs ---- */

  /* Keep the parameters of an epoch. When the store is full, keep only every second epoch of what it holds. */
  function keep(slot, epoch, last = false) {
    if (slot.kept.some((one) => one.epoch === epoch)) return;
    const dear = epoch > KEPT_FIRST && slot.keeping > KEPT_SHARE * slot.busyInAll;
    if (!last && (epoch % slot.every !== 0 || dear)) return;
    if (slot.large) return;
    const begun = performance.now();
    const bytes = slot.model.save();
    slot.keeping += performance.now() - begun;
    slot.kept.push({ epoch, bytes });
    /* Never drop the epoch that the page shows. */
    const shown = slot.past?.epoch;
    while (slot.kept.length > KEPT_MODELS || slot.kept.length * bytes.length > KEPT_BYTES) {
      slot.every *= 2;
      slot.kept = slot.kept.filter((one) => one.epoch % slot.every === 0 || one.epoch === shown || (last && one.epoch === epoch));
    }
  }

  /* Return the model of an earlier epoch, or the present one for null. An epoch that is no longer kept is an error. */
  function modelOf({ slot: name, epoch = null }) {
    const slot = slotOf(name);
    if (epoch === null) return slot.model;
    const found = slot.kept.find((one) => one.epoch === epoch);
    if (found === undefined) throw Object.assign(new Error(`Epoch ${epoch} is no longer kept.`), { code: "stopped" });
    if (slot.past?.epoch !== epoch) {
      freeAll(slot.past?.model);
      slot.past = null;
      slot.past = { epoch, model: elman.loadModel(found.bytes) };
    }
    return slot.past.model;
  }

  /* ---- Learning ---- */

  /* Begin a training of the model of the slot with the pairs, or resume the one that wrote the checkpoint. */
  function begin(slot, { text, dev, settings, epochs }, checkpoint) {
    const pairs = readPairs(text);
    let held = null;
    try {
      held = dev ? readPairs(dev) : null;
      const training = slot.model.train(pairs, { settings: settingsOf(settings, "training"), epochs, dev: held ?? undefined, checkpoint });
      freeAll(slot.training, slot.pairs, slot.dev);
      const learn = { text, dev, settings, epochs };
      Object.assign(slot, { pairs, dev: held, training, learn, base: slot.epoch, finished: false });
    } catch (error) {
      freeAll(pairs, held);
      throw error;
    }
  }

  function emptySlot(name, model) {
    return {
      name, model, large: model.info.parameters * 4 > KEPT_BYTES / 8, training: null, learn: null, pairs: null, dev: null, past: null, running: false, slow: false, calm: false, finished: false,
      drawn: false, listed: [], pace: 0, paced: 0, numbersAt: 0, numbersCost: 0, // see watching()
      epoch: 0, base: 0, kept: [], every: 1, watched: "", points: [], ends: [], validations: [], right: null,
      busy: 0, busyInAll: 0, keeping: 0, tokens: 0, tokensBefore: 0, reported: 0, reportCost: 0, due: 0, last: null,
    };
  }

  function create({ slot: name, text, dev, settings, epochs, watched, drawn = false, listed = [] }) {
    const pairs = readPairs(text);
    let model = null, slot = null;
    try {
      const { seed } = settings;
      model = elman.createModel(pairs, { ...settingsOf(settings, "model"), ...(seed === undefined ? {} : { seed }) });
      slot = emptySlot(name, model);
      Object.assign(slot, { watched, drawn, listed });
      begin(slot, { text, dev, settings, epochs });
    } catch (error) {
      freeAll(model);
      throw error;
    } finally {
      pairs.free();
    }
    release(slots.get(name));
    slots.set(name, slot);
    keep(slot, 0);
    return { info: model.info };
  }

  function noteReports(slot, { reports, validations }) {
    for (const one of reports) {
      slot.points.push([slot.base + one.epoch - 1 + one.update / one.updates, one.updateLoss]);
      slot.tokens += one.tokens - (one.update === 1 ? 0 : slot.tokensBefore);
      slot.tokensBefore = one.tokens;
      slot.last = one;
      if (one.update !== one.updates) continue;
      slot.epoch = slot.base + one.epoch;
      slot.ends.push([slot.epoch, one.loss]);
      keep(slot, slot.epoch, slot.finished);
    }
    for (const one of validations)
      slot.validations.push({ ...one, epoch: slot.base + one.epoch });
  }

  /* Do updates for a slice of time. Stop at the end of each epoch to keep its model. */
  function advance(slot) {
    const until = performance.now() + SLICE;
    const once = slot.slow || !slot.running, { epoch } = slot;
    do {
      const { last } = slot;
      const left = last === null || last.update === last.updates ? 1 : last.updates - last.update;
      const from = performance.now();
      const done = slot.training.advance(once ? 1 : left, Math.max(1, until - from));
      slot.busy += performance.now() - from;
      slot.busyInAll += performance.now() - from;
      slot.finished = done.finished;
      noteReports(slot, done);
    } while (!once && !slot.finished && performance.now() < until && (slot.pace === 0 || slot.epoch === epoch));
    if (slot.finished) end(slot);
  }

  function end(slot) {
    slot.running = false;
    slot.training.finish();
    freeAll(slot.training);
    slot.training = null;
  }

  /* Count the pairs whose translation equals the reference. */
  function count(slot) {
    if (slot.pairs === null || slot.pairs.report.count > COUNTED_PAIRS) return;
    const { exactMatch, sentences } = slot.model.evaluate(slot.pairs);
    slot.right = { exact: Math.round(exactMatch * sentences), of: sentences };
  }

  function translationOf(slot, text = slot.watched) {
    if (text.trim() === "") return null;
    try {
      return slot.model.translate(text, { splitSentences: "off" })[0] || null;
    } catch {
      return null; // The network itself may be unable to translate while it diverges.
    }
  }

  /* Return the states and scores of a pair; null if the model has none to show. */
  function numbersOf(model, source, target) {
    try {
      return model.attend(source, target);
    } catch (error) {
      if (plain(error).code === "broken") throw error;
      return null;
    }
  }

  /* Return the numbers of the watched sentence for a report, or undefined if the page must keep those that it has:
   * computing them takes a tenth of the time at most. */
  function reportedNumbers(slot, watched) {
    if (!slot.drawn || slot.large || watched === null) return null;
    const begun = performance.now();
    if (slot.running && begun - slot.numbersAt < 9 * slot.numbersCost) return undefined;
    const numbers = numbersOf(slot.model, watched.source, watched.text), now = performance.now();
    Object.assign(slot, { numbersAt: now, numbersCost: now - begun });
    return numbers;
  }

  function report(slot) {
    const { name, epoch, base, last, points, ends, validations, running, finished } = slot;
    const begun = performance.now();
    count(slot);
    const watched = translationOf(slot);
    postMessage({
      event: "progress", slot: name, running, finished, epoch,
      epochs: base + (last ? last.epochs : 0), last, points, ends, validations, right: slot.right,
      speed: slot.busy > 0 ? (1000 * slot.tokens) / slot.busy : null,
      kept: slot.kept.map((one) => one.epoch), watched, memory: elman.memory,
      numbers: reportedNumbers(slot, watched),
      listed: slot.listed.map((source) => [source, translationOf(slot, source)?.text ?? ""]),
    });
    const reported = performance.now();
    Object.assign(slot, { points: [], ends: [], validations: [], reported, reportCost: reported - begun });
  }

  const tick = (milliseconds) => new Promise((go) => {
    if (milliseconds > 0) {
      setTimeout(go, milliseconds);
      return;
    }
    /* A timer of 0 is delayed to 4 ms after a few calls; a message is not. */
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { port1.close(); go(); };
    port2.postMessage(null);
  });

  /* A report translates, so it must not take more than a tenth of the time. */
  const isTimeToReport = (slot) =>
    performance.now() - slot.reported > Math.max(slot.calm ? CALM_REPORT : REPORT, 9 * slot.reportCost);

  /* Networks that are compared advance together: the one that is ahead waits. */
  function isAhead(slot, running) {
    const place = ({ base, last }) => (last === null ? 0 : base + last.epoch - 1 + last.update / last.updates);
    return slot.name !== "main" && running.some((other) => other.name !== "main" && place(other) < place(slot));
  }

  function learnOn(slot) {
    const { epoch } = slot;
    try {
      advance(slot);
      const ended = slot.pace > 0 && slot.epoch > epoch;
      slot.due = performance.now() + (slot.slow ? SLOW : 0);
      if (ended) slot.paced = slot.due = Math.max(slot.due, slot.paced + slot.pace);
      if (!slot.running || slot.slow || ended || isTimeToReport(slot)) report(slot);
    } catch (error) {
      slot.running = false;
      postMessage({ event: "failed", slot: slot.name, error: plain(error) });
    }
  }

  async function loop() {
    if (looping) return;
    looping = true;
    for (;;) {
      const running = [...slots.values()].filter((slot) => slot.running);
      if (running.length === 0) break;
      for (const slot of running) if (performance.now() >= slot.due && !isAhead(slot, running)) learnOn(slot);
      await tick(Math.min(15, ...running.map((slot) => slot.due - performance.now())));
    }
    looping = false;
  }

  function run({ slot: name, slow, calm, drawn = false, listed = [], pace = 0, ...rest }) {
    const slot = slotOf(name);
    if (slot.training === null) begin(slot, rest);
    Object.assign(slot, { running: true, slow, calm, drawn, listed, pace, paced: performance.now(), busy: 0, tokens: 0, due: 0 });
    loop();
  }

  function step({ slot: name, ...rest }) {
    const slot = slotOf(name);
    slot.running = false;
    if (slot.training === null) begin(slot, rest);
    Object.assign(slot, { busy: 0, tokens: 0 });
    advance(slot);
    report(slot);
  }

  function pause({ slot: name }) {
    const slot = slots.get(name);
    if (!slot || !slot.running) return;
    slot.running = false;
    report(slot);
  }

  /* ---- Requests ---- */

  /* Return the bytes that base64 contains, plain or in gzip. */
  async function unpacked(base64) {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  const methods = {
    async load({ wasm }) {
      elman = await Elman.load(await unpacked(wasm));
      return { version: elman.version, hyperparameters: elman.hyperparameters };
    },
    bytes: ({ packed }) => unpacked(packed),
    check({ text }) {
      const answer = ({ count: found, skipped, skippedCount = skipped.length }) =>
        ({ count: found, skipped: skipped.slice(0, 1000), faults: skippedCount });
      try {
        const pairs = elman.readPairs(text);
        pairs.free();
        return answer(pairs.report);
      } catch (error) {
        /* Without a usable pair the report is part of the error. */
        if (error.result && error.result.skipped) return answer(error.result);
        throw error;
      }
    },
    create, run, step, pause,
    drop({ slot }) {
      release(slots.get(slot));
      slots.delete(slot);
    },
    /* Change the watched sentence, or the speed. */
    change({ slot, ...values }) {
      Object.assign(slots.get(slot) ?? {}, values);
    },
    translate: (where) => modelOf(where).translate(where.text, where.options),
    alternatives: (where) =>
      modelOf(where).alternatives(where.text, where.ids, where.position, where.count),
    /* The step counts from 0 here and from 1 in the module, where 0 means the mean of all. */
    attend: (where) => numbersOf(modelOf(where), where.source, where.target),
    /* Return the translations of sentences as texts. */
    list: (where) => where.texts.map((source) => [source, translationOf({ model: modelOf(where) }, source)?.text ?? ""]),
    trace: (where) => modelOf(where).trace(where.source, where.target, where.step === null ? 0 : where.step + 1),
    check_gradient: (where) => modelOf(where).gradientCheck(where.source, where.target, { samples: where.samples }),
    save: (where) => modelOf(where).save(),
    /* Return the data that `open` needs to continue from here. First send the page the data that it does not have yet.
       */
    state({ slot: name }) {
      const slot = slotOf(name);
      if (slot.points.length > 0) report(slot);
      const { model, training, learn, base } = slot;
      return { bytes: model.save(), ...(training === null ? { checkpoint: null, learn: null, base: 0 }
        : { checkpoint: training.checkpoint(), learn, base }) };
    },
    /* With a checkpoint, the training continues as if the page had not been left. */
    async open({ slot: name, bytes, packed, epoch, watched = "", checkpoint = null, learn = null, base = 0, last = null }) {
      const model = elman.loadModel(packed === undefined ? bytes : await unpacked(packed));
      release(slots.get(name));
      const slot = emptySlot(name, model);
      Object.assign(slot, { watched, epoch: epoch ?? model.info.history?.epochs ?? 0 });
      slots.set(name, slot);
      let problem = null;
      try {
        if (learn !== null) {
          begin(slot, learn, checkpoint);
          Object.assign(slot, { base, last, tokensBefore: last === null ? 0 : last.tokens });
        }
      } catch (error) {
        problem = plain(error);
      }
      return { info: model.info, watched: translationOf(slot), problem };
    },
  };

  function plain(error) {
    const { name, message, code = "", where = "" } = error;
    /* After a trap the memory of the module may be inconsistent. */
    const broken = code === "internal error" || error instanceof WebAssembly.RuntimeError;
    return { name, message: String(message), code: broken ? "broken" : String(code), where: String(where) };
  }

  onmessage = async ({ data: { id, method, argument } }) => {
    try {
      postMessage({ id, result: await methods[method](argument) });
    } catch (error) {
      postMessage({ id, error: plain(error) });
    }
  };
}
