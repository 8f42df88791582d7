// Along which keys the charts are cut: colour, panels, dashes, and what is held fixed.

const DASHES = ["", "7 4", "2 4", "9 4 2 4"];

/** Keys with at least two values, in order of appearance. A cell without one is the same at every value of it. */
const KEYS = (() => {
  const found = new Map();
  for (const { keys } of DATA.cells) for (const [name, label] of Object.entries(keys)) {
    if (!found.has(name)) found.set(name, []);
    if (!found.get(name).includes(label)) found.get(name).push(label);
  }
  return [...found].map(([name, values]) => ({ name, values })).filter(({ values }) => values.length > 1);
})();

const keyNamed = (name) => KEYS.find((key) => key.name === name);
const CELLS = DATA.cells.map((_, i) => i);
const algorithmOf = (cell) => DATA.cells[cell].keys.algorithm;
/** The cell's value of a key, or null if the key does not matter to it. */
const labelOf = (cell, name) => (name ? DATA.cells[cell].keys[name] ?? null : null);
/** Cells other than centralised ones that a key does not matter to: they need a dash of their own. */
const apart = (name) => CELLS.some((cell) => labelOf(cell, name) === null && !DATA.cells[cell].central);
const quantity = (label) => (label === "∞" ? Infinity : label.trim() === "" ? NaN : Number(label.replace("−", "-")));

/** The choice now in force: algorithm by colour and level by panel if they vary, a few folders by dashes. */
const choice = (() => {
  const names = KEYS.map((key) => key.name);
  const few = (name) => keyNamed(name).values.length + apart(name) <= DASHES.length;
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
const heldIn = (cell) => Object.entries(choice.held).every(([name, value]) => value === null || [value, null].includes(labelOf(cell, name)));
/** The entry of the legend that a cell belongs to: its colour's value, or its algorithm if it has none. */
const entryOf = (cell) => { const label = labelOf(cell, choice.colour); return label === null ? `~${algorithmOf(cell)}` : `=${label}`; };
const isHidden = (cell) => choice.hidden.has(entryOf(cell));

/** The one algorithm that runs on no network, if there is just one: the floor, drawn in ink. */
const FLOOR = (() => {
  const names = [...new Set(CELLS.map(algorithmOf))];
  const central = names.filter((name) => CELLS.every((cell) => algorithmOf(cell) !== name || DATA.cells[cell].central));
  return central.length === 1 && names.length > 1 ? central[0] : null;
})();

/** Drawn wide and pale under the others, so that a line that reaches it can still be seen. */
const isFloor = (cell) => (choice.colour === "algorithm" ? FLOOR !== null && algorithmOf(cell) === FLOOR
  : choice.colour !== null && labelOf(cell, choice.colour) === null && DATA.cells[cell].central);

/** The colour of a label: quantities run along a ramp, names have hues of their own, no value is neutral. */
function colourOf(label, name = choice.colour) {
  const values = keyNamed(name)?.values ?? [];
  if (values.length && label === null) return "var(--floor)";
  const numbers = values.map(quantity);
  if (values.length > 2 && numbers.every((v) => !Number.isNaN(v))) {
    const order = [...numbers].sort((a, b) => b - a);
    return `color-mix(in oklch, var(--seq-a), var(--seq-b) ${Math.round(100 * order.indexOf(quantity(label)) / (order.length - 1))}%)`;
  }
  if (name === "algorithm" && label === FLOOR) return "var(--floor)";
  const hues = values.filter((v) => !(name === "algorithm" && v === FLOOR));
  return `var(--c${Math.max(0, hues.indexOf(label)) % 8})`;
}

const dashOf = (cell) => {
  const key = keyNamed(choice.dash);
  if (!key) return "";
  const label = labelOf(cell, key.name);
  if (label === null) return DATA.cells[cell].central ? "" : DASHES[key.values.length % DASHES.length];
  return DASHES[key.values.indexOf(label) % DASHES.length];
};

/** A label with its key, where the label does not speak for itself. */
const named = (name, label) => (name === "algorithm" || name === "folder" ? label : `${name} ${label}`);

/** What a line is called inside its panel: its colour's value, else its algorithm; and its dash's. */
function lineName(cell) {
  const name = (key) => (labelOf(cell, key) === null ? null : named(key, labelOf(cell, key)));
  return [...new Set([name(choice.colour) ?? algorithmOf(cell), name(choice.dash)])].filter((text) => text !== null).join(" · ");
}
const panelName = (label) => (label === null ? "" : named(choice.panel, label));
