// Along which keys the charts are cut: colour, panels, dashes, and what is held fixed.

const DASHES = ["", "7 4", "2 4", "9 4 2 4"];

/** Keys that differ between cells, with their labels in order of appearance. */
const KEYS = (() => {
  const found = new Map();
  for (const { keys } of DATA.cells) for (const [name, label] of Object.entries(keys)) {
    if (!found.has(name)) found.set(name, []);
    if (!found.get(name).includes(label)) found.get(name).push(label);
  }
  const everywhere = (name) => DATA.cells.every(({ keys }) => name in keys);
  return [...found]
    .map(([name, values]) => ({ name, values: everywhere(name) ? values : [...values, "–"] }))
    .filter(({ values }) => values.length > 1);
})();

const keyNamed = (name) => KEYS.find((key) => key.name === name);
const labelOf = (cell, name) => (name ? DATA.cells[cell].keys[name] ?? "–" : "");
const quantity = (label) => (label === "∞" ? Infinity : label.trim() === "" ? NaN : Number(label.replace("−", "-")));

/** The choice now in force: algorithm by colour and level by panel if they vary, a few folders by dashes. */
const choice = (() => {
  const names = KEYS.map((key) => key.name);
  const few = (name) => keyNamed(name).values.length <= DASHES.length;
  const take = (name) => { if (name) names.splice(names.indexOf(name), 1); return name ?? null; };
  const among = (...wanted) => take(wanted.find((w) => names.includes(w)) ?? names[0]);
  const folders = names.includes("folder") && !few("folder");
  const colour = folders ? among("folder") : among("algorithm", "folder");
  const panel = among("level", "epsilon");
  const dash = take(["folder", "algorithm", ...names].find((name) => names.includes(name) && few(name)));
  const held = Object.fromEntries(names.map((name) => [name, keyNamed(name).values[0]]));
  return { colour, panel, dash, held, hidden: new Set() };
})();

/** Cells that are not held out; hidden colours still count, so that axes and panels stay where they are. */
const heldIn = (cell) => Object.entries(choice.held).every(([name, value]) => value === null || labelOf(cell, name) === value);
const isHidden = (cell) => choice.hidden.has(labelOf(cell, choice.colour));

/** The one algorithm that runs on no network, if there is just one: the floor, drawn in ink. */
const FLOOR = (() => {
  const names = [...new Set(DATA.cells.map((cell) => cell.keys.algorithm))];
  const central = names.filter((name) => DATA.cells.every((c) => c.keys.algorithm !== name || c.central));
  return central.length === 1 && names.length > 1 ? central[0] : null;
})();

/** Drawn wide and pale under the others, so that a line that reaches it can still be seen. */
const isFloor = (cell) => choice.colour === "algorithm" && FLOOR !== null && DATA.cells[cell].keys.algorithm === FLOOR;

/** The colour of a label: quantities run along a ramp, names have hues of their own. */
function colourOf(label, name = choice.colour) {
  const values = (keyNamed(name)?.values ?? []).filter((v) => v !== "–");
  const numbers = values.map(quantity);
  if (values.length > 2 && numbers.every((v) => !Number.isNaN(v)) && label !== "–") {
    const order = [...numbers].sort((a, b) => b - a);
    return `color-mix(in oklch, var(--seq-a), var(--seq-b) ${Math.round(100 * order.indexOf(quantity(label)) / (order.length - 1))}%)`;
  }
  if (name === "algorithm" && label === FLOOR) return "var(--floor)";
  const hues = values.filter((v) => !(name === "algorithm" && v === FLOOR));
  return `var(--c${Math.max(0, hues.indexOf(label)) % 8})`;
}

const dashOf = (cell) => {
  const key = keyNamed(choice.dash);
  return key ? DASHES[key.values.indexOf(labelOf(cell, key.name)) % DASHES.length] : "";
};

/** A label with its key, where the label does not speak for itself. */
const named = (name, label) => (name === "algorithm" || name === "folder" ? label : `${name} ${label}`);

/** What a line is called inside its panel. */
const lineName = (cell) =>
  [choice.colour, choice.dash].filter(Boolean).map((name) => named(name, labelOf(cell, name))).join(" · ") || DATA.cells[cell].keys.algorithm;
const panelName = (label) => (choice.panel ? named(choice.panel, label) : "");
