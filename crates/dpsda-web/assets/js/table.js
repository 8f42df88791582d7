// The table: sorting, all columns, copy as CSV, and dots in the colours of the charts.

const summary = document.getElementById("summary");

function makeTable() {
  if (!summary) return;
  const body = summary.tBodies[0], rows = [...body.rows];
  const heads = [...summary.tHead.rows[0].cells];
  heads.forEach((th, column) => {
    const numeric = rows.some((row) => row.cells[column].classList.contains("n"));
    th.classList.toggle("n", numeric);
    th.setAttribute("aria-sort", "none");
    th.replaceChildren(el("button", { type: "button", onclick: () => sortBy(column, heads, rows, body) }, th.textContent));
  });
  summary.classList.add("brief");
  const all = toggle("All columns", false, (on) => summary.classList.toggle("brief", !on), { id: "all-columns" });
  const csv = el("button", { type: "button", id: "copy-csv", onclick: () => copy(asCsv(heads, rows), csv) }, "Copy as CSV");
  const tools = el("div", { class: "tools" }, heads.some((th) => th.classList.contains("more")) ? all : null, csv);
  const box = summary.parentElement, frame = box.parentElement;
  const hint = el("p", { class: "note hint", hidden: true }, "More columns to the right: scroll the table sideways →");
  frame.before(tools, hint);
  cue(box, frame, hint);
  if (summary.querySelector(".best")) frame.after(el("p", { class: "note" },
    "Bold: best among runs with the same settings, without the centralised floor. Values that agree in the digits shown are ties."));
}

/** Ascending, descending, then back to the order of the file. Empty cells stay last. */
function sortBy(column, heads, rows, body) {
  const was = heads[column].getAttribute("aria-sort");
  const now = { none: "ascending", ascending: "descending", descending: "none" }[was];
  heads.forEach((th, i) => th.setAttribute("aria-sort", i === column ? now : "none"));
  const sign = now === "descending" ? -1 : 1;
  const value = (row) => row.cells[column].dataset.v;
  const number = (v) => (v === "inf" ? Infinity : v === "-inf" ? -Infinity : v === "" ? NaN : Number(v));
  const compare = (a, b) => {
    const [va, vb] = [value(a), value(b)];
    if (va === "" || vb === "") return (va === "") - (vb === "");
    const [na, nb] = [number(va), number(vb)];
    if (Number.isNaN(na) || Number.isNaN(nb)) return sign * va.localeCompare(vb, "en");
    return na === nb ? 0 : sign * (na < nb ? -1 : 1);
  };
  body.append(...(now === "none" ? rows : rows.toSorted(compare)));
  summary.classList.toggle("sorted", now !== "none");
}

/** Every column with every digit, under the names of the file. */
function asCsv(heads, rows) {
  const quote = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [heads.map((th) => th.dataset.key), ...rows.map((row) => [...row.cells].map((td) => td.dataset.v))];
  return lines.map((line) => line.map(quote).join(",")).join("\n") + "\n";
}

/** A dot beside the cell of the colour's key, or beside the algorithm if the row has no value of that key. */
function paintTable() {
  if (!summary) return;
  const keys = [...summary.tHead.rows[0].cells].map((th) => th.dataset.name);
  const column = keys.indexOf(choice.colour);
  summary.querySelectorAll("td .swatch").forEach((dot) => dot.remove());
  if (column < 0) return;
  for (const row of summary.tBodies[0].rows) {
    if (!row.dataset.cell) continue;
    const label = labelOf(Number(row.dataset.cell), choice.colour);
    const cell = row.cells[label === null ? Math.max(0, keys.indexOf(NAMES.algorithm)) : column];
    cell.prepend(swatch(colourOf(label), label === null ? "" : entryDash(label)));
  }
}
