// By which keys the charts are split: colour, panels, dashes, and which are held fixed.

/** In order of use; look.rs has the same list. A key uses the first four at most; the others are for when colours run out. */
const DASHES = ["", "7 4", "2 4", "9 4 2 4", "14 4", "9 3 2 3 2 3", "5 2", "1 3"];
const HUES = 8;

/** Keys with at least two values, in order of appearance. A run (a cell) without a key is the same at every value of it. */
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
const algorithmOf = (cell) => DATA.cells[cell].keys[NAMES.algorithm];
/** The run's value of a key, or null if the key does not matter to it. */
const labelOf = (cell, name) => (name ? DATA.cells[cell].keys[name] ?? null : null);
/** Whether some decentralised run lacks a key: such runs need their own dash. */
const apart = (name) => CELLS.some((cell) => labelOf(cell, name) === null && !DATA.cells[cell].central);
const quantity = (label) => (label === "∞" ? Infinity : label.trim() === "" ? NaN : Number(label.replace("−", "-")));

/** The current choice: at first algorithms by colour, levels by panel, and a few folders by dashes. */
const choice = (() => {
  // The key that matters to most runs makes the panels.
  const matters = (name) => CELLS.filter((cell) => labelOf(cell, name) !== null).length;
  const names = KEYS.map((key) => key.name).sort((a, b) => matters(b) - matters(a));
  const few = (name) => keyNamed(name).values.length + apart(name) <= 4;
  const take = (name) => { if (name) names.splice(names.indexOf(name), 1); return name ?? null; };
  const among = (...wanted) => take(wanted.find((w) => names.includes(w)) ?? names[0]);
  const folders = names.includes(NAMES.folder) && !few(NAMES.folder);
  const colour = folders ? among(NAMES.folder) : among(NAMES.algorithm, NAMES.folder);
  const panel = among(...NAMES.panels);
  // Once colours run out, dashes are needed for them.
  const free = !colour || keyNamed(colour).values.length <= HUES + 1;
  const dash = take((free ? [NAMES.folder, NAMES.algorithm, ...names] : []).find((name) => names.includes(name) && few(name)));
  const held = Object.fromEntries(names.map((name) => [name, keyNamed(name).values[0]]));
  return { colour, panel, dash, held, hidden: new Set() };
})();

/** Whether a run has the values that are held fixed. Hidden colours count too, so that axes and panels stay where they are. */
const heldIn = (cell) => Object.entries(choice.held).every(([name, value]) => value === null || [value, null].includes(labelOf(cell, name)));
/** The entry of the legend that a run belongs to: the value of the colour's key, or its algorithm. */
const entryOf = (cell) => { const label = labelOf(cell, choice.colour); return label === null ? `~${algorithmOf(cell)}` : `=${label}`; };
const isHidden = (cell) => choice.hidden.has(entryOf(cell));

/** The algorithm that runs on no network, if there is exactly one: the floor, drawn in ink. */
const FLOOR = DATA.floor;

/** Drawn wide and pale under the others, so that a line that reaches it can still be seen. */
const isFloor = (cell) => (choice.colour === NAMES.algorithm ? FLOOR !== null && algorithmOf(cell) === FLOOR
  : choice.colour !== null && labelOf(cell, choice.colour) === null && DATA.cells[cell].central);

/** The place of a label among the names with hues, or -1. */
const hueOf = (label, name) => (name === NAMES.algorithm ? DATA.hues : keyNamed(name)?.values ?? []).indexOf(label);
const isRamp = (values) => values.length > 2 && values.every((v) => !Number.isNaN(quantity(v)));

/** The colour of a label: quantities run along a ramp, each name has its own hue, a missing value is neutral. */
function colourOf(label, name = choice.colour) {
  const values = keyNamed(name)?.values ?? [];
  if (values.length && label === null) return "var(--floor)";
  if (isRamp(values)) {
    const order = values.map(quantity).sort((a, b) => b - a);
    return `color-mix(in oklch, var(--seq-a), var(--seq-b) ${Math.round(100 * order.indexOf(quantity(label)) / (order.length - 1))}%)`;
  }
  if (name === NAMES.algorithm && label === FLOOR) return "var(--floor)";
  return `var(--c${Math.max(0, hueOf(label, name)) % HUES})`;
}

/** How often the hues were used up before this label. Each time needs another dash. */
const layerOf = (label, name = choice.colour) =>
  (name === null || label === null || isRamp(keyNamed(name)?.values ?? []) ? 0 : Math.floor(Math.max(0, hueOf(label, name)) / HUES));
/** How many dashes the key of dashes needs per hue. */
const dashesUsed = () => (choice.dash ? keyNamed(choice.dash).values.length + apart(choice.dash) : 1);
/** The dash of an entry of the legend. */
const entryDash = (label) => DASHES[(layerOf(label) * dashesUsed()) % DASHES.length];

const dashOf = (cell) => {
  const key = keyNamed(choice.dash), first = layerOf(labelOf(cell, choice.colour)) * dashesUsed();
  const label = key ? labelOf(cell, key.name) : null;
  const own = !key || (label === null && DATA.cells[cell].central) ? 0 : label === null ? key.values.length : key.values.indexOf(label);
  return DASHES[(first + own) % DASHES.length];
};

/** A label with its key, unless the label is clear without it. */
const named = (name, label) => (name === NAMES.algorithm || name === NAMES.folder ? label : `${name} ${label}`);

/** The name of a line inside its panel: the label of its colour or else its algorithm, and the label of its dash. */
function lineName(cell) {
  const name = (key) => (labelOf(cell, key) === null ? null : named(key, labelOf(cell, key)));
  return [...new Set([name(choice.colour) ?? algorithmOf(cell), name(choice.dash)])].filter((text) => text !== null).join(" · ");
}
const panelName = (label) => (label === null ? "" : named(choice.panel, label));
