// The bar above the curves: the legend, and choosers for colours, panels and dashes.

function drawAll() {
  drawLegend();
  for (const figure of FIGURES) drawFigure(figure);
  paintTable();
}

const legend = el("div", { class: "keys", role: "group", "aria-label": "Lines shown" });

function sample(colour, dash, floor = false) {
  return svg("svg", { width: 22, height: 8, "aria-hidden": "true", class: floor ? "floor" : null, style: `--c:${colour}` },
    svg("line", { class: "line", x1: 1, x2: 21, y1: 4, y2: 4, "stroke-dasharray": dash || null }));
}

/** A sample of a line's look: a dot if colours are enough, else a piece of the line. */
function swatch(colour, dash, plain = !legendEntries().some(({ id, label }) => id[0] === "=" && entryDash(label))) {
  return plain ? el("span", { class: "swatch", style: `--c:${colour}` }) : el("span", { class: "swatch piece" }, sample(colour, dash));
}

function drawLegend() {
  const dashes = keyNamed(choice.dash), entries = legendEntries();
  const dash = (i, text) => el("span", { class: "dash" }, sample("var(--soft)", DASHES[i % DASHES.length]), text);
  legend.replaceChildren(...entries.map((_, i) => legendButton(entries, i)),
    ...(dashes?.values ?? []).map((label, i) => dash(i, named(dashes.name, label))),
    ...(dashes && apart(dashes.name) ? [dash(dashes.values.length, `no ${dashes.name}`)] : []));
}

/** The values of the colour's key, then the algorithms of runs without that key. */
function legendEntries() {
  const key = keyNamed(choice.colour);
  if (!key) return [];
  const without = CELLS.filter((cell) => labelOf(cell, key.name) === null);
  return [
    ...key.values.map((label) => ({ id: `=${label}`, label, text: named(key.name, label), colour: colourOf(label),
      floor: key.name === NAMES.algorithm && label === FLOOR })),
    ...[...new Set(without.map(algorithmOf))].map((label) => ({ id: `~${label}`, label, text: label, colour: colourOf(null),
      floor: without.every((cell) => algorithmOf(cell) !== label || isFloor(cell)) })),
  ];
}

/** A click hides or shows a line; a click with shift shows only this one. */
function legendButton(entries, at) {
  const { id, label, text, colour, floor } = entries[at];
  const shown = !choice.hidden.has(id);
  const lit = (on) => () => FIGURES.forEach((figure) => light(figure, on ? (line) => entryOf(line.cell) === id : null));
  return el("button", {
    onpointerenter: lit(true), onpointerleave: lit(false), onfocus: lit(true), onblur: lit(false),
    type: "button", "aria-pressed": String(shown), "data-label": label, title: "Click: hide or show. Shift-click: only this one.",
    onclick: (event) => {
      const others = entries.map((entry) => entry.id).filter((other) => other !== id);
      if (event.shiftKey) choice.hidden = others.every((v) => choice.hidden.has(v)) ? new Set() : new Set(others);
      else if (shown) choice.hidden.add(id);
      else choice.hidden.delete(id);
      drawAll();
      legend.querySelectorAll("button")[at]?.focus();
    },
  }, sample(colour, id[0] === "=" ? entryDash(label) : "", floor), text);
}

/** A chooser for one role. Choosing a key that already has a role swaps the two. */
function chooser(text, role, changed) {
  const select = el("select", { "data-role": role, onchange: () => {
    const name = select.value || null, before = choice[role];
    const other = ["colour", "panel", "dash"].find((r) => r !== role && name && choice[r] === name);
    if (other) choice[other] = before;
    else if (before) choice.held[before] = null;
    choice[role] = name;
    if (name) delete choice.held[name];
    changed();
  } }, role === "colour" ? null : el("option", { value: "" }, "none"), ...KEYS.map(({ name }) => el("option", { value: name }, name)));
  select.value = choice[role] ?? "";
  return el("label", {}, text, select);
}

/** For a key without a role: show all of its values, or one. Runs without that key are always shown. */
function holder(name, changed) {
  const select = el("select", { onchange: () => { choice.held[name] = select.value === "*" ? null : select.value.slice(1); changed(); } },
    el("option", { value: "*" }, "all"), ...keyNamed(name).values.map((v) => el("option", { value: `=${v}` }, v)));
  select.value = choice.held[name] === null ? "*" : `=${choice.held[name]}`;
  return el("label", {}, name, select);
}

function makeControls() {
  const tools = el("div", { class: "tools", role: "group", "aria-label": "How the curves are arranged" });
  const changed = () => { choice.hidden.clear(); fill(); drawAll(); };
  const fill = () => tools.replaceChildren(...(KEYS.length < 2 ? [] : [
    chooser("Colour", "colour", changed), chooser("Panels", "panel", changed),
    KEYS.length > 2 ? chooser("Dashes", "dash", changed) : null,
    choice.panel ? el("button", { type: "button", id: "swap", title: "Swap colour and panels", onclick: () => {
      [choice.colour, choice.panel] = [choice.panel, choice.colour];
      changed();
      document.getElementById("swap")?.focus();
    } }, "⇄ Swap") : null,
    ...Object.keys(choice.held).map((name) => holder(name, changed)),
  ]).filter(Boolean));
  fill();
  return KEYS.length ? el("div", { class: "controls" }, legend, tools) : null;
}

function makeCurves() {
  const section = document.getElementById("curves");
  const still = DATA.measures.filter((m) => m.constant !== null);
  const moving = DATA.measures.filter((m) => !still.includes(m));
  if (!DATA.measures.length) section.append(el("p", { class: "empty" }, "No curves were recorded."));
  if (moving.length) section.append(...[makeControls(), ...moving.map((measure, i) => makeFigure(measure, i === 0).node)].filter(Boolean));
  const lone = still.filter((m) => m.curves.every((c) => c.t.length === 1)), flat = still.filter((m) => !lone.includes(m));
  const list = (measures, value) => measures.map((m) => `${m.label.toLowerCase()} ${value(m)}`).join(", ") + ".";
  if (flat.length) section.append(el("p", { class: "note" }, "The same in every round of every run: " + list(flat, (m) => writer(m).format(m.constant))));
  if (lone.length) section.append(el("p", { class: "note" }, `In round ${lone[0].curves[0].t[0]}, the only one with a value${
    DATA.cells.length > 1 ? ", the same in every run" : ""}: ` + list(lone, (m) => writer(m).spread(m.constant, alike(m.curves.map((c) => c.sd[0]))))));
}

/** The common value, or null if values differ. */
const alike = (values) => (values.every((v) => v === values[0]) ? values[0] : null);
