// Along which keys the charts are cut: colour, panels, dashes, and what is held fixed.

/** In order of use; look.rs has the same. A key has the first four at most, the rest is for colours that were used up. */
const DASHES = ["", "7 4", "2 4", "9 4 2 4", "14 4", "9 3 2 3 2 3", "5 2", "1 3"];
const HUES = 8;

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
  // What matters to most runs is what the sweep was for: the first to make panels.
  const matters = (name) => CELLS.filter((cell) => labelOf(cell, name) !== null).length;
  const names = KEYS.map((key) => key.name).sort((a, b) => matters(b) - matters(a));
  const few = (name) => keyNamed(name).values.length + apart(name) <= 4;
  const take = (name) => { if (name) names.splice(names.indexOf(name), 1); return name ?? null; };
  const among = (...wanted) => take(wanted.find((w) => names.includes(w)) ?? names[0]);
  const folders = names.includes("folder") && !few("folder");
  const colour = folders ? among("folder") : among("algorithm", "folder");
  const panel = among("level", "epsilon");
  // Colours that are used up take the dashes.
  const free = !colour || keyNamed(colour).values.length <= HUES + 1;
  const dash = take((free ? ["folder", "algorithm", ...names] : []).find((name) => names.includes(name) && few(name)));
  const held = Object.fromEntries(names.map((name) => [name, keyNamed(name).values[0]]));
  return { colour, panel, dash, held, hidden: new Set() };
})();

/** Cells that are not held out; hidden colours still count, so that axes and panels stay where they are. */
const heldIn = (cell) => Object.entries(choice.held).every(([name, value]) => value === null || [value, null].includes(labelOf(cell, name)));
/** The entry of the legend that a cell belongs to: its colour's value, or its algorithm if it has none. */
const entryOf = (cell) => { const label = labelOf(cell, choice.colour); return label === null ? `~${algorithmOf(cell)}` : `=${label}`; };
const isHidden = (cell) => choice.hidden.has(entryOf(cell));

/** The one algorithm that runs on no network, if there is just one: the floor, drawn in ink. */
const FLOOR = DATA.floor;

/** Drawn wide and pale under the others, so that a line that reaches it can still be seen. */
const isFloor = (cell) => (choice.colour === "algorithm" ? FLOOR !== null && algorithmOf(cell) === FLOOR
  : choice.colour !== null && labelOf(cell, choice.colour) === null && DATA.cells[cell].central);

/** The place of a label among the names with hues, or -1 if it has none of them. */
const hueOf = (label, name) => (name === "algorithm" ? DATA.hues : keyNamed(name)?.values ?? []).indexOf(label);
const isRamp = (values) => values.length > 2 && values.every((v) => !Number.isNaN(quantity(v)));

/** The colour of a label: quantities run along a ramp, names have hues of their own, no value is neutral. */
function colourOf(label, name = choice.colour) {
  const values = keyNamed(name)?.values ?? [];
  if (values.length && label === null) return "var(--floor)";
  if (isRamp(values)) {
    const order = values.map(quantity).sort((a, b) => b - a);
    return `color-mix(in oklch, var(--seq-a), var(--seq-b) ${Math.round(100 * order.indexOf(quantity(label)) / (order.length - 1))}%)`;
  }
  if (name === "algorithm" && label === FLOOR) return "var(--floor)";
  return `var(--c${Math.max(0, hueOf(label, name)) % HUES})`;
}

/** How often the hues were used up before a label's: each time calls for another dash. */
const layerOf = (label, name = choice.colour) =>
  (name === null || label === null || isRamp(keyNamed(name)?.values ?? []) ? 0 : Math.floor(Math.max(0, hueOf(label, name)) / HUES));
/** Dashes that the key of dashes needs for every hue. */
const dashesUsed = () => (choice.dash ? keyNamed(choice.dash).values.length + apart(choice.dash) : 1);
/** The dash of an entry of the legend. */
const entryDash = (label) => DASHES[(layerOf(label) * dashesUsed()) % DASHES.length];

const dashOf = (cell) => {
  const key = keyNamed(choice.dash), first = layerOf(labelOf(cell, choice.colour)) * dashesUsed();
  const label = key ? labelOf(cell, key.name) : null;
  const own = !key || (label === null && DATA.cells[cell].central) ? 0 : label === null ? key.values.length : key.values.indexOf(label);
  return DASHES[(first + own) % DASHES.length];
};

/** A label with its key, where the label does not speak for itself. */
const named = (name, label) => (name === "algorithm" || name === "folder" ? label : `${name} ${label}`);

/** What a line is called inside its panel: its colour's value, else its algorithm; and its dash's. */
function lineName(cell) {
  const name = (key) => (labelOf(cell, key) === null ? null : named(key, labelOf(cell, key)));
  return [...new Set([name(choice.colour) ?? algorithmOf(cell), name(choice.dash)])].filter((text) => text !== null).join(" · ");
}
const panelName = (label) => (label === null ? "" : named(choice.panel, label));
