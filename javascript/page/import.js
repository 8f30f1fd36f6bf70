/* Files with tables: commas, semicolons or tabs, two columns or more. A preview lets the user choose the columns. */

const DELIMITERS = ["\t", ",", ";", "|"];
const PREVIEW_ROWS = 6;
const HEADINGS = /^(id|sentence|sentences|text|source|target|src|tgt|translation|english|chinese|french|german|spanish|[a-z]{2}|[a-z]{3}|源文|原文|译文|中文|英文)$/i;

/* Return the rows of a table as lists of cells. A quoted cell may contain delimiters, line ends and doubled quotes. */
function rowsOf(text, delimiter) {
  const rows = [[]];
  const cell = new RegExp(`("(?:[^"]|"")*"|[^${delimiter === "|" ? "\\|" : delimiter}\\n\\r]*)(${delimiter === "|" ? "\\|" : delimiter}|\\r\\n|\\n|\\r|$)`, "y");
  while (cell.lastIndex < text.length) {
    const from = cell.lastIndex;
    let found = cell.exec(text);
    if (found === null) { // a quote in the middle of a cell is a part of the cell
      const end = /\r\n|\n|\r|$/g;
      end.lastIndex = from;
      const stop = end.exec(text).index, [first, ...others] = text.slice(from, stop).split(delimiter);
      rows.at(-1).push(first, ...others);
      cell.lastIndex = Math.max(end.lastIndex, stop + 1);
      rows.push([]);
      continue;
    }
    const quoted = delimiter !== "\t" && /^"[^]*"$/.test(found[1]);
    rows.at(-1).push((quoted ? found[1].slice(1, -1).replaceAll('""', '"') : found[1]).trim());
    if (found[2] !== delimiter) rows.push([]);
  }
  return rows.filter((row) => row.some((one) => one !== ""));
}

/* Return {rows, columns} of the delimiter that gives most rows the same number of columns, or null if none gives two. */
function tableOf(text) {
  const start = text.slice(0, 2 ** 16);
  const fits = DELIMITERS.map((delimiter) => {
    const rows = rowsOf(start, delimiter).slice(0, 200), counts = new Map();
    for (const { length } of rows) counts.set(length, (counts.get(length) ?? 0) + 1);
    const [columns, share] = [...counts].filter(([count]) => count > 1).sort((one, other) => other[1] - one[1])[0] ?? [1, 0];
    return { delimiter, columns, share: share / Math.max(1, rows.length) };
  });
  /* A sentence may contain commas, but hardly the same number in most lines. */
  const best = fits.find(({ delimiter, share }) => share > (delimiter === "\t" ? 0.5 : 0.8));
  return best === undefined ? null : { ...best, rows: rowsOf(text, best.delimiter) };
}

/* Return whether the cells are text, not numbers, alignments, addresses or notes on licenses. */
function isTextColumn(cells) {
  const filled = cells.filter((cell) => cell !== "");
  const other = filled.filter((cell) => !/\p{L}/u.test(cell) || /^[a-z]{2,3}$/.test(cell) || /^https?:|CC-BY|^\d[\d \-]*$/.test(cell)).length;
  return filled.length > 0 && other < filled.length / 2;
}

/* Return the columns that hold the sentences, and whether the first row is a heading. */
function guessColumns({ rows, columns }) {
  const isHeading = rows.length > 1 && rows[0].filter((cell, at) => HEADINGS.test(cell) && cell !== rows[1][at]).length >= 2;
  const body = rows.slice(isHeading ? 1 : 0, 200);
  const texts = Array.from({ length: columns }, (_, at) => at).filter((at) => isTextColumn(body.map((row) => row[at] ?? "")));
  const [source = 0, target = source === 0 ? 1 : 0] = texts;
  return { source, target, isHeading };
}

/* Return the lines of pairs that a choice of columns gives. */
function linesOfTable({ rows }, { source, target, isHeading }) {
  const clean = (cell = "") => cell.replace(/\s+/g, " ").trim();
  return rows.slice(isHeading ? 1 : 0).map((row) => `${clean(row[source])}\t${clean(row[target])}`);
}

/* ---- The preview ---- */

/* Let the user choose; resolve to lines, or to null if nothing is to be taken. */
function previewTable(table, name, encoding) {
  const dialog = element("dialog", { id: "import" }), choice = guessColumns(table);
  const names = Array.from({ length: table.columns }, (_, at) => t("import.column", { n: at + 1 }));
  const column = (side) => {
    const select = element("select", { id: `import-${side}` }, ...names.map((one, at) => new Option(one, at)));
    select.addEventListener("change", () => { choice[side] = Number(select.value); draw(); });
    return element("label", {}, element("span", {}, t(side)), " ", select);
  };
  const heading = element("input", { type: "checkbox", id: "import-heading" });
  heading.addEventListener("change", () => { choice.isHeading = heading.checked; draw(); });
  const swap = button("", () => {
    Object.assign(choice, { source: choice.target, target: choice.source });
    draw();
  }, [t("import.swap")], { id: "import-swap" });
  const preview = element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("import.title", { name }) });
  const take = element("button", { value: "take", class: "primary", id: "import-take" }), cancel = element("button", { value: "", formnovalidate: "" }, t("import.cancel"));
  const good = () => linesOfTable(table, choice).filter((line) => sidesOf(line).every((side) => side !== ""));
  const draw = () => {
    for (const side of ["source", "target"]) dialog.querySelector(`#import-${side}`).value = choice[side];
    heading.checked = choice.isHeading;
    const lines = good();
    preview.replaceChildren(plainTable([t("source"), t("target")], linesOfTable(table, choice).slice(0, PREVIEW_ROWS).map((line) =>
      element("tr", {}, ...sidesOf(line).map((side) => element("td", {}, isolate(side)))))));
    take.textContent = t("import.take", { n: lines.length.toLocaleString("en") });
    take.disabled = lines.length === 0 || choice.source === choice.target;
  };
  dialog.replaceChildren(element("form", { method: "dialog" }, element("h2", {}, t("import.title", { name: visible(name) })),
    element("p", { class: "hint" }, t("import.hint", { columns: table.columns, encoding: encoding.toUpperCase() })),
    element("div", { class: "row" }, column("source"), swap, column("target"), element("label", { class: "check" }, heading, element("span", {}, t("import.heading")))),
    preview, element("div", { class: "row" }, take, cancel)));
  /* Use a new element each time, because the event of a dialog that was just closed may still be due. */
  byId("import").replaceWith(dialog);
  draw();
  dialog.showModal();
  return new Promise((give) => {
    dialog.addEventListener("close", () => give(dialog.returnValue === "take" ? good() : null), { once: true });
  });
}

/* Return the text of a file as lines of pairs: as it is if it has two columns, otherwise as the user chooses.
 * Null if the user cancels. */
async function pairsOfTable(text, name, encoding) {
  const isOther = text.length > MOST_TEXT || /^\s*[[{<]/.test(text);
  const table = isOther ? null : tableOf(text.replace(/^\ufeff/, ""));
  if (table === null || (table.delimiter === "\t" && table.columns === 2 && !guessColumns(table).isHeading)) return text;
  const lines = await previewTable(table, name, encoding);
  return lines && lines.join("\n");
}
