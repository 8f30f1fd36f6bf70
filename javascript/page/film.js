/* The epochs of the watched sentence as a film: replayed in the page, or saved as a video. */

const FRAMES = 48;              // maximum number of epochs in a film
const FILM = 6000;              // maximum duration in milliseconds
const LONGEST_FRAME = 330;      // milliseconds
const VIDEO_TYPES = ["video/webm;codecs=vp9", "video/webm", "video/mp4"];
const VIDEO_ZOOM = 1.5;         // pixels per CSS pixel

const film = { timer: null, saving: false };

/* Return the kept epochs of a film, the first and the last included. */
function epochsOfFilm() {
  const { kept } = state.run, step = Math.max(1, Math.ceil(kept.length / FRAMES));
  return [...new Set([...kept.filter((_, at) => at % step === 0), modelEpoch()])];
}

const frameTime = (epochs) => Math.min(LONGEST_FRAME, FILM / epochs.length);

function drawFilm(isDisabled) {
  byId("replay").disabled = isDisabled || film.saving;
  byId("film").disabled = isDisabled || film.saving || film.timer !== null;
  byId("film").hidden = typeof MediaRecorder !== "function";
  byId("film").setAttribute("aria-busy", String(film.saving));
  byId("replay").setAttribute("aria-pressed", String(film.timer !== null));
}

function startReplay() {
  const epochs = epochsOfFilm(), time = frameTime(epochs), { run } = state;
  const next = () => {
    const epoch = epochs.shift();
    if (epoch === undefined || run !== state.run || run.status === "running") {
      stopReplay();
      return;
    }
    showEpoch(nearestEpoch(epoch));
    film.timer = setTimeout(next, time);
  };
  film.timer = -1;
  next();
  drawPast();
}

function stopReplay() {
  clearTimeout(film.timer);
  film.timer = null;
  drawPast();
}

/* ---- The video ---- */

/* Draw the network with a title into a canvas. */
async function drawFrame(canvas, title) {
  const { network } = learnFigure, drawing = canvas.getContext("2d"), ink = inks(), { font } = styleOfPage();
  const svg = network.styled(), address = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    drawing.setTransform(VIDEO_ZOOM, 0, 0, VIDEO_ZOOM, 0, 0);
    drawing.fillStyle = ink.paper;
    drawing.fillRect(0, 0, canvas.width, canvas.height);
    drawing.fillStyle = ink.ink;
    drawing.font = `600 ${WORD}px ${font}`;
    drawing.fillText(title, FILM_EDGE, 26);
    const { width, high } = network.places, left = (canvas.width / VIDEO_ZOOM - width) / 2;
    drawing.imageSmoothingEnabled = false;
    for (const one of [network.canvas, image]) drawing.drawImage(one, left, FILM_TOP, width, high);
  } finally {
    URL.revokeObjectURL(address);
  }
}

const FILM_TOP = 44, FILM_EDGE = 16;    // margins of a frame, in CSS pixels

/* Show an epoch in the drawing without changing the epoch that the page shows, and return the title. */
async function showFrame(epoch, text, reference) {
  const where = { slot: "main", epoch: epoch === modelEpoch() ? null : epoch };
  const [translation] = await engine.call("translate", { ...where, text, options: { splitSentences: "off" } });
  const numbers = await engine.call("attend", { ...where, source: text, target: translation.text });
  learnFigure.show(beginningOf(networkOf(translation, numbers), reference));
  const loss = state.run.ends.find(([end]) => end === epoch)?.[1];
  return [capital(t("epoch.n", { n: epoch })), loss === undefined ? "" : t("loss.is", { loss: figure(loss, 3) }), `${visible(text)} → ${visible(translation.text)}`].filter(Boolean).join(" · ");
}

/* Record the epochs, each for its time, while the ribbons move from one to the next. */
async function saveFilm() {
  const type = VIDEO_TYPES.find((one) => MediaRecorder.isTypeSupported(one)), epochs = epochsOfFilm(), time = frameTime(epochs), { watched } = state;
  const { width, high } = learnFigure.network.places, even = (value) => 2 * Math.ceil(value * VIDEO_ZOOM / 2);
  const canvas = element("canvas", { width: even(width + 2 * FILM_EDGE), height: even(high + FILM_TOP + FILM_EDGE) });
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 6e6 }), parts = [];
  recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
  const stopped = new Promise((go) => { recorder.addEventListener("stop", go); });
  film.saving = true;
  drawPast();
  try {
    for (const epoch of epochs) {
      const title = await showFrame(epoch, watched, referenceOf(watched)), until = performance.now() + time;
      do {
        await new Promise((go) => { setTimeout(go, 30); });
        await drawFrame(canvas, title);
        if (recorder.state === "inactive") recorder.start();
      } while (performance.now() < until);
    }
    recorder.stop();
    await stopped;
    offer(new Blob(parts, { type: type.split(";")[0] }), `network.${type.includes("mp4") ? "mp4" : "webm"}`);
  } finally {
    if (recorder.state !== "inactive") recorder.stop();
    film.saving = false;
    drawPast();
    showWatched();
  }
}

function listenToFilm() {
  byId("replay").addEventListener("click", () => (film.timer === null ? startReplay() : stopReplay()));
  byId("film").addEventListener("click", () => saveFilm().catch(reportError));
  byId("past").addEventListener("pointerdown", stopReplay);
}
