// One figure per measure: a grid of panels with shared axes, its switches and its caption.

const FIGURES = [];
/** How the bounds of a measure are drawn, in their order. */
const BOUNDS = [{ dash: "7 4", name: "dashes" }, { dash: "1 5", name: "dots" }];

/** How values are written: alone, or with their spread in two digits and the value to the same place. */
function writer({ percent }) {
  const by = percent ? 100 : 1, unit = percent ? " %" : "";
  const format = (v, n = 4) => digits(by * v, n) + unit;
  const spread = (v, sd) => {
    const places = sd > 0 ? 1 - Math.floor(Math.log10(sd * by)) : -1;
    if (places < 0 || places > 6) return format(v) + (sd ? ` ± ${format(sd, 2)}` : "");
    return `${minus((v * by).toFixed(places))} ± ${(sd * by).toFixed(places)}${unit}`;
  };
  return { format, spread };
}

/** Makes a figure, not yet drawn. The first is the headline and is larger. */
function makeFigure(measure, big) {
  const figure = { measure, big, cumulative: false, panels: [], round: null, line: null };
  Object.assign(figure, writer(measure));
  const values = measure.curves.flatMap((c) => c.mean);
  const positive = values.filter((v) => v > 0);
  const wide = positive.length > 0.9 * values.length && most(positive) / least(positive) > 30;
  figure.logX = measure.total !== null;
  figure.logY = measure.total ? positive.length > values.length / 2 : wide && !measure.percent;

  const tools = el("div", { class: "tools", role: "group", "aria-label": `Axes of ${measure.label}` });
  const redraw = (name) => (on) => { figure[name] = on; drawFigure(figure); };
  if (measure.total) tools.append(toggle("cumulative", false, redraw("cumulative"), { "data-switch": "cumulative", title: "Sum over rounds instead of mean per round" }));
  if (measure.bounds.some((bound) => bound.curves.length)) tools.append(toggle("bounds", false, redraw("bounds"), { "data-switch": "bounds", title: "Bounds that theory proves" }));
  tools.append(toggle("log t", figure.logX, redraw("logX"), { "data-switch": "logX", title: "Logarithmic axis of rounds" }),
    toggle("log y", figure.logY, redraw("logY"), { "data-switch": "logY", title: "Logarithmic axis of values" }));
  // A single point makes no curve: its value is written, and switches of axes are hidden.
  figure.single = measure.curves.every((c) => c.t.length <= 1);
  if (figure.single) for (const axis of tools.querySelectorAll("[data-switch^='log']")) axis.hidden = true;
  figure.heading = el("h3", {}, measure.label);
  figure.grid = el("div", { class: "panels" });
  figure.caption = el("figcaption");
  figure.node = el("figure", { class: big ? "big" : "small", "data-measure": measure.key },
    el("div", { class: "top" }, figure.heading, tools), figure.grid, figure.caption);
  FIGURES.push(figure);
  return figure;
}

/** The points of a curve as drawn: the mean, and one standard deviation to each side, cut at the floor and the ceiling. */
function pointsOf(curve, cumulative, { floor, ceiling }) {
  return curve.t.map((t, i) => {
    const by = cumulative ? t : 1;
    const mean = curve.mean[i] * by, sd = curve.sd[i] === null ? null : curve.sd[i] * by;
    const low = sd === null ? null : Math.max(mean - sd, floor ?? -Infinity), high = sd === null ? null : Math.min(mean + sd, ceiling ?? Infinity);
    return { t, mean, sd, low, high };
  });
}

function columnsFor(n, width, big) {
  const fit = Math.max(1, Math.floor((width + 19) / (big ? 340 : 165)));
  const want = !big ? 4 : n === 4 ? 2 : n <= 6 ? 3 : 4;
  return Math.min(fit, want, n);
}

function drawFigure(figure) {
  const { measure, big, cumulative } = figure;
  const lines = measure.curves.filter((c) => heldIn(c.cell)).map((curve) => ({
    cell: curve.cell, label: labelOf(curve.cell, choice.panel), name: lineName(curve.cell), dash: dashOf(curve.cell),
    colour: colourOf(labelOf(curve.cell, choice.colour)), hidden: isHidden(curve.cell), trials: curve.trials,
    floor: isFloor(curve.cell), ends: curve.ends, points: pointsOf(curve, cumulative, measure),
  })).sort((a, b) => b.floor - a.floor);
  // A line without a value of the panels' key is in every panel. If no line has one, there is one panel without a name.
  const found = (keyNamed(choice.panel)?.values ?? []).filter((label) => lines.some((line) => line.label === label));
  const labels = found.length ? found : [null];
  const seen = lines.some((line) => !line.hidden) ? lines.filter((line) => !line.hidden) : lines;
  const points = seen.flatMap((line) => line.points);
  const x = domain(points.map((p) => p.t), [], figure.logX) ?? [1, 2];
  const rounds = points.map((p) => p.t);
  // Rounds need no margin; a linear axis starts at zero.
  const [first, last] = [least(rounds), most(rounds)];
  if (first < last) [x[0], x[1]] = [figure.logX ? first : Math.min(first, 0), last];
  // Each bound has the colour of its line. The axis makes room for the bounds that are shown.
  const bounds = (figure.bounds ? measure.bounds : []).flatMap(({ curves }, k) => curves.filter((c) => heldIn(c.cell) && !isHidden(c.cell)).map((curve) => ({
    cell: curve.cell, label: labelOf(curve.cell, choice.panel), colour: colourOf(labelOf(curve.cell, choice.colour)),
    dash: BOUNDS[k % BOUNDS.length].dash, ends: null, points: pointsOf(curve, cumulative, measure),
  })));
  const means = [...points, ...bounds.flatMap((line) => line.points)].map((p) => p.mean);
  const y = domain(means, points.flatMap((p) => (p.low === null ? [] : [p.low, p.high])), figure.logY);

  figure.heading.textContent = (cumulative ? measure.total : measure).label;
  const width = figure.grid.clientWidth || figure.node.clientWidth || 800;
  const across = columnsFor(labels.length, width, big);
  figure.grid.style.gridTemplateColumns = `repeat(${Math.max(across, 1)}, minmax(0, 1fr))`;
  const panelWidth = Math.max(140, Math.floor((width - 19 * (across - 1)) / Math.max(across, 1)));
  const height = Math.round(big ? Math.min(420, Math.max(230, panelWidth * 0.56)) : Math.min(260, Math.max(150, panelWidth * 0.62)));
  const guide = measure.total && y && !figure.single ? guideFor(seen, cumulative) : null;
  const cut = !figure.single && figure.logY && means.some((v) => v <= 0);
  figure.caption.textContent = caption(figure, lines, labels, guide, cut, bounds);
  if (figure.single) {
    figure.panels = [];
    figure.grid.replaceChildren(...labels.map((label) => drawValues(figure, panelName(label), inPanel(lines, label))));
    return;
  }
  figure.panels = !y ? [] : labels.map((label) => {
    const title = panelName(label);
    const drawn = inPanel(lines, label);
    const view = { width: panelWidth, height, title, lines: drawn, bounds: inPanel(bounds, label), x, y, logX: figure.logX, logY: figure.logY, guide,
      narrow: panelWidth < 200, direct: big && panelWidth > 400 && drawn.length > 0 && drawn.length <= 6
        && drawn.every((line) => broken(line.name).every((text) => 6.9 * text.length < 0.36 * panelWidth)),
      format: (v) => figure.format(v), description: describe(figure, title, drawn) };
    const panel = { ...drawPanel(view), title, width: panelWidth };
    panel.host = el("div", { class: "panel", tabindex: 0, role: "group", "aria-label": `${view.description} Left and right walk through the rounds, up and down through the lines.` }, panel.node);
    watch(panel, figure);
    return panel;
  });
  figure.grid.replaceChildren(...(y ? figure.panels.map((p) => p.host)
    : [el("p", { class: "empty" }, figure.logY && means.length ? "No value is positive: switch log y off." : "Nothing to draw.")]));
}

const inPanel = (lines, label) => lines.filter((line) => [label, null].includes(line.label) && !line.hidden);

/** A panel of lone points, in words: the name of each line and its value. */
function drawValues(figure, title, lines) {
  const value = (p) => figure.spread(p.mean, p.sd);
  const row = (line) => el("div", { class: "value", "data-cell": line.cell }, swatch(line.colour, line.dash),
    el("span", { class: "name" }, line.name), el("span", {}, line.points.length ? value(line.points[0]) : "no finite value"));
  return el("div", { class: "values", role: "group", "aria-label": describe(figure, title, lines) },
    title ? el("b", {}, title) : null, ...lines.map(row));
}

/** Through the median of the first points, so that it starts among the lines. Compare slopes, not heights. */
function guideFor(lines, cumulative) {
  const starts = lines.map((line) => line.points.find((p) => p.mean > 0)).filter(Boolean)
    .map((p) => p.mean * (cumulative ? p.t ** -0.5 : p.t ** 0.5)).sort((a, b) => a - b);
  if (!starts.length) return null;
  return { power: cumulative ? 0.5 : -0.5, factor: starts[Math.floor(starts.length / 2)], name: cumulative ? "√t" : "1/√t" };
}

function describe({ measure }, title, lines) {
  const ends = lines.filter((line) => line.points.length).map((line) => `${line.name} ${digits(line.points.at(-1).mean * (measure.percent ? 100 : 1))}`
    + (line.ends === null ? "" : ` (ended before round ${line.ends})`));
  return `${[measure.label, title].filter(Boolean).join(", ")}. At the end: ${ends.join(", ") || "nothing shown"}.`;
}

/** Which lines end early, and why: a mean over the remaining trials would look too good. */
function endings(lines, labels) {
  const ended = lines.filter((line) => line.ends !== null && !line.hidden);
  if (!ended.length) return null;
  const why = "from there on some trial has no finite value, and the remaining trials are not averaged";
  const name = (line) => [line.name, labels.length > 1 && line.label !== null ? panelName(line.label) : null].filter(Boolean).join(" at ");
  if (ended.length > 4) return `${ended.length} lines end early, marked by a cross, the first before round ${least(ended.map((line) => line.ends))}: ${why}.`;
  return `${ended.length > 1 ? "Lines that end" : "A line that ends"} early, marked by a cross: ${ended.map((line) => `${name(line)} before round ${line.ends}`).join(", ")}; ${why}.`;
}

function caption({ measure, cumulative, big, single }, lines, labels, guide, cut, bounds) {
  const counts = lines.map((line) => line.trials), trials = Math.max(0, most(counts));
  const over = least(counts) < trials ? `${least(counts)} to ${trials}` : trials;
  const parts = [(cumulative ? measure.total : measure).note];
  if (single) {
    const rounds = [...new Set(lines.flatMap((line) => line.points.map((p) => p.t)))];
    parts.push(rounds.length === 1 ? `Only round ${rounds[0]} has a value, so there is no curve.` : "Every run has at most one round with a value, so there are no curves.");
    if (big) parts.push(trials > 1 ? `Mean ± one standard deviation over ${over} trials.` : "One trial.");
    return parts.join(" ");
  }
  if (big) parts.push(trials > 1 ? `Lines: mean over ${over} trials. Bands: one standard deviation over trials to each side${
    measure.floor === null ? "" : `, cut at ${measure.ceiling === null ? "0" : "the possible values"}`}.` : "One trial, so there are no bands.");
  if (big && labels.length > 1) parts.push("All panels have the same axes: rounds t to the right, values upwards.");
  const same = [...new Set(lines.filter((line) => line.label === null && !line.hidden).map((line) => line.name))];
  if (big && labels.length > 1 && same.length) parts.push(same.length > 4 ? `Lines without a ${choice.panel} are the same in every panel.`
    : `${same.join(", ")}: the same in every panel.`);
  if (guide) parts.push(`The dashed guide is proportional to ${guide.name}: compare slopes, not heights.`);
  if (bounds.length) parts.push(...measure.bounds.flatMap(({ note, curves }, k) => (curves.length ? [`Thin ${BOUNDS[k % BOUNDS.length].name}: ${note}`] : [])));
  parts.push(endings(lines, labels));
  if (cut) parts.push("A log axis cannot show values at or below zero; they are left out.");
  return parts.filter(Boolean).join(" ");
}
