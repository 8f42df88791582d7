// One panel: axes, bands, lines, guide, labels at the ends of lines. Drawn in pixels; scaled only in print.

/** The pieces of a line that the axis can show, as points { t, mean, sd, low, high }. */
function pieces(line, y) {
  const out = [[]];
  for (const p of line.points) {
    if (!Number.isFinite(p.mean) || (y.log && !(p.mean > 0))) { out.push([]); continue; }
    out.at(-1).push(p);
  }
  return out.filter((piece) => piece.length);
}

const path = (points, x, y) => points.map((p, i) => `${i ? "L" : "M"}${x(p.t).toFixed(1)} ${y(p.mean).toFixed(1)}`).join("");

function bandPath(points, x, y) {
  const clamp = (v) => Math.max(v, y.low);
  const edge = (v) => Math.min(Math.max(y(clamp(v)), y.to), y.from).toFixed(1);
  const there = points.map((p) => `${x(p.t).toFixed(1)} ${edge(p.high)}`);
  const back = points.toReversed().map((p) => `${x(p.t).toFixed(1)} ${edge(p.low)}`);
  return `M${[...there, ...back].join("L")}Z`;
}

/** Places labels from top to bottom, at least `gap` apart. A label that ends up too far from its line is dropped. */
function settle(labels, gap, top, bottom) {
  labels.sort((a, b) => a.want - b.want);
  let last = top - gap;
  for (const label of labels) { label.y = Math.max(label.want, last + gap); last = label.y; }
  let limit = bottom + gap;
  for (const label of labels.toReversed()) { label.y = Math.min(label.y, limit - gap); limit = label.y; }
  return labels.filter((label) => Math.abs(label.y - label.want) < 3 * gap);
}

/**
 * Draws a panel. `view` holds width, height, title, description, lines, the axes' domains and whether they are
 * logarithmic, `format` for values, `bounds` to be drawn beside the lines, and `guide` { power, factor, name } or null.
 */
function drawPanel(view) {
  const { width, height, lines } = view;
  const texts = view.direct ? lines.flatMap((line) => broken(line.name)) : [];
  const room = view.direct ? Math.max(66, 16 + 6.9 * most(texts.map((text) => text.length))) : 14;
  const box = { left: view.narrow ? 40 : 50, right: width - room, top: view.title ? 26 : 10, bottom: height - 24 };
  const x = scale(view.logX, ...view.x, box.left, box.right);
  const y = scale(view.logY, ...view.y, box.bottom, box.top);
  const node = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": view.description,
    style: `--band:${Math.min(0.15, 0.15 / Math.max(1, lines.length)).toFixed(3)}` }, // many bands over each other stay pale
    svg("title", {}, view.description));
  if (view.title) node.append(svg("text", { class: "name", x: box.left, y: 14 }, view.title));

  const across = ticks(x, (box.right - box.left) / 48, true), up = ticks(y, (box.bottom - box.top) / 34);
  for (const v of up.major) node.append(
    svg("line", { class: "grid", x1: box.left, x2: box.right, y1: y(v), y2: y(v) }),
    svg("text", { x: box.left - 7, y: y(v), "text-anchor": "end", "dominant-baseline": "central" }, view.format(v)));
  for (const v of up.minor) node.append(svg("line", { class: "axis", x1: box.left - 3, x2: box.left, y1: y(v), y2: y(v) }));
  node.append(svg("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }));
  for (const v of across.minor) node.append(svg("line", { class: "axis", x1: x(v), x2: x(v), y1: box.bottom, y2: box.bottom + 3 }));
  for (const v of across.major) node.append(
    svg("line", { class: "axis", x1: x(v), x2: x(v), y1: box.bottom, y2: box.bottom + 5 }),
    svg("text", { x: x(v), y: height - 6, "text-anchor": "middle" }, digits(v)));

  const rule = view.guide ? guidePoints(view.guide, x, y) : [];
  if (rule.length > 1) node.append(svg("path", { class: "guide", d: path(rule, x, y) }));
  node.append(...(view.bounds ?? []).map((line) => drawBound(line, x, y)));
  node.append(...lines.map((line) => drawBand(line, x, y)), ...lines.map((line) => drawLine(line, x, y)));
  if (rule.length > 1) rule.name = view.guide.name;
  node.append(...(view.direct ? endLabels(lines, rule, x, y, box) : height < 200 ? [] : guideLabel(rule, x, y))); // a small panel leaves it to the caption
  node.append(svg("line", { class: "cross", y1: box.top, y2: box.bottom }), svg("g", { class: "marks" }));
  return { node, x, y, box, lines };
}

/** A name in lines of text: a long name has one line per part. */
const broken = (name) => (name.length > 20 ? name.split(" · ") : [name]);

/** Names at the ends of lines, in their colours; the guide's too if it gets that far. */
function endLabels(lines, rule, x, y, box) {
  const ends = lines.map((line) => ({ ...line, p: pieces(line, y).at(-1)?.at(-1) })).filter((end) => end.p);
  const reaches = rule.name && x(rule.at(-1).t) > box.right - 2;
  if (reaches) ends.push({ name: rule.name, colour: "var(--soft)", p: rule.at(-1), guide: true });
  const texts = most(lines.map((line) => broken(line.name).length));
  const placed = settle(ends.map((end) => ({ ...end, want: y(end.p.mean) })), 13 * texts + 1, box.top + 4, box.bottom - 4);
  return [...placed.map((label) => svg("text", { class: label.guide ? "guide-name" : "direct", style: `--c:${label.colour}`,
    x: box.right + 8, y: label.y - 6.5 * (broken(label.name).length - 1), "dominant-baseline": "central" },
  ...broken(label.name).map((text, i) => svg("tspan", { x: box.right + 8, dy: i ? 13 : 0 }, text)))),
  ...(reaches ? [] : guideLabel(rule, x, y)),
  svg("text", { x: box.right + 24, y: box.bottom + 18 }, "round t")];
}

/** Inside the panel, to the left of a late point of the guide: below a falling guide, above a rising one, so that they never cross. */
function guideLabel(rule, x, y) {
  if (!rule.name) return [];
  const falls = rule[0].mean > rule.at(-1).mean;
  const spot = rule[Math.round((rule.length - 1) * (falls ? 0.6 : 0.75))];
  return [svg("text", { class: "guide-name halo", x: x(spot.t) - 6, y: y(spot.mean) + (falls ? 12 : -6), "text-anchor": "end" }, rule.name)];
}

/** Bands lie below all lines. Each has a thin edge in its line's colour, so that overlapping bands can be told apart. */
function drawBand(line, x, y) {
  const group = svg("g", { class: line.floor ? "shade floor" : "shade", "data-cell": line.cell, style: `--c:${line.colour}` });
  for (const piece of pieces(line, y)) {
    const banded = piece.filter((p) => p.low !== null);
    if (banded.length > 1) group.append(svg("path", { class: "band", d: bandPath(banded, x, y) }));
    else if (banded.length) group.append(svg("path", { class: "whisker", d: whisker(banded[0], x, y) }));
  }
  return group;
}

const whisker = (p, x, y) => {
  const at = (v) => Math.min(Math.max(y(Math.max(v, y.low)), y.to), y.from).toFixed(1);
  return `M${x(p.t).toFixed(1)} ${at(p.low)}V${at(p.high)}`;
};

function drawLine(line, x, y) {
  const group = svg("g", { class: line.floor ? "run floor" : "run", "data-cell": line.cell, style: `--c:${line.colour}` });
  for (const piece of pieces(line, y)) {
    group.append(svg("path", { class: "line", d: path(piece, x, y), "stroke-dasharray": line.dash || null }));
    if (line.points.length <= 2) for (const p of piece) group.append(svg("circle", { class: "dot", r: 3, cx: x(p.t), cy: y(p.mean) }));
  }
  const last = line.ends === null ? null : pieces(line, y).at(-1)?.at(-1);
  if (last) group.append(svg("path", { class: "end", d: `M${(x(last.t) - 4).toFixed(1)} ${(y(last.mean) - 4).toFixed(1)}l8 8m-8 0l8 -8` }));
  return group;
}

/** A bound beside its line: thin, without a band. */
function drawBound(line, x, y) {
  const group = svg("g", { class: "bound", "data-cell": line.cell, style: `--c:${line.colour}` });
  for (const piece of pieces(line, y)) group.append(svg("path", { d: path(piece, x, y), "stroke-dasharray": line.dash }));
  return group;
}

/** The dashed curve c t^power, where it is inside the panel. */
function guidePoints({ power, factor }, x, y) {
  const points = [];
  for (let i = 0; i <= 60; i++) {
    const t = x.log ? x.low * (x.high / x.low) ** (i / 60) : x.low + (x.high - x.low) * i / 60;
    const mean = factor * t ** power;
    if (t > 0 && mean >= y.low && mean <= y.high) points.push({ t, mean });
  }
  return points;
}
