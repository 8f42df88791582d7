// The crosshair: one round in all panels of a figure, with the values of the panel under the pointer or in focus.

const tip = el("div", { class: "tip", hidden: true });
const spoken = el("div", { class: "silent", "aria-live": "polite" });

const nearest = (points, t) => points.reduce((best, p) => (Math.abs(p.t - t) < Math.abs(best.t - t) ? p : best));

/** Rounds at which any line of the panel has a point. */
const roundsOf = (panel) => [...new Set(panel.lines.flatMap((line) => line.points.map((p) => p.t)))].sort((a, b) => a - b);

/** Lines that reach a round. A line that ended earlier has no value there. */
const at = (lines, t) => lines.filter((line) => line.points.length && line.points.at(-1).t >= t);

/** Shows the bands of chosen lines at full strength and all others faintly. Without a choice, all look alike. */
function light(figure, chosen) {
  for (const panel of figure.panels) {
    const cells = chosen ? panel.lines.filter(chosen).map((line) => String(line.cell)) : [];
    panel.node.classList.toggle("lit", cells.length > 0);
    for (const band of panel.node.querySelectorAll(".shade")) band.classList.toggle("on", cells.includes(band.dataset.cell));
  }
}

/** The pointer and the arrow keys move along a panel, and from line to line. */
function watch(panel, figure) {
  const host = panel.host;
  const show = (t, aloud, name = figure.line) => showRound(figure, panel, t, aloud, name);
  host.addEventListener("pointermove", (event) => {
    const box = host.getBoundingClientRect();
    const rounds = roundsOf(panel);
    if (!rounds.length) return;
    const t = panel.x.back((event.clientX - box.left) * panel.width / box.width);
    const near = (a, b) => (panel.x.log ? Math.abs(Math.log(a / Math.max(t, 1e-9))) < Math.abs(Math.log(b / Math.max(t, 1e-9))) : Math.abs(a - t) < Math.abs(b - t));
    const round = rounds.reduce((best, r) => (near(r, best) ? r : best));
    const height = (event.clientY - box.top) * panel.width / box.width;
    const far = (line) => { const v = panel.y(nearest(line.points, round).mean); return Number.isFinite(v) ? Math.abs(v - height) : Infinity; };
    show(round, false, at(panel.lines, round).toSorted((a, b) => far(a) - far(b))[0]?.name ?? null);
  });
  host.addEventListener("pointerleave", () => hide(figure));
  host.addEventListener("blur", () => hide(figure));
  host.addEventListener("keydown", (event) => {
    const rounds = roundsOf(panel);
    const now = rounds.indexOf(figure.round);
    const step = { ArrowLeft: now < 0 ? rounds.length - 1 : now - 1, ArrowRight: now + 1, Home: 0, End: rounds.length - 1 }[event.key];
    if (event.key === "Escape") hide(figure);
    const turn = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (turn && rounds.length) {
      const t = figure.round ?? rounds.at(-1);
      const names = at(panel.lines, t).toSorted((a, b) => nearest(b.points, t).mean - nearest(a.points, t).mean).map((line) => line.name);
      const now = names.indexOf(figure.line);
      event.preventDefault();
      if (names.length) show(t, true, names[now < 0 ? (turn > 0 ? 0 : names.length - 1) : (now + turn + names.length) % names.length]);
    }
    if (step === undefined || !rounds.length) return;
    event.preventDefault();
    show(rounds[Math.min(Math.max(step, 0), rounds.length - 1)], true);
  });
}

function showRound(figure, panel, t, aloud, name = null) {
  figure.round = t;
  figure.line = name;
  light(figure, name === null ? null : (line) => line.name === name);
  for (const p of figure.panels) {
    const cross = p.node.querySelector(".cross");
    const x = p.x(Math.min(Math.max(t, p.x.low), p.x.high));
    dress(cross, { x1: x, x2: x, style: "visibility:visible" }, []);
    p.node.querySelector(".marks").replaceChildren(...at(p.lines, t).flatMap((line) => {
      const point = nearest(line.points, t);
      if (p.y.log && !(point.mean > 0)) return [];
      return [svg("circle", { class: "dot", r: p === panel ? 3.6 : 2.4, style: `--c:${line.colour}`, cx: p.x(point.t), cy: p.y(point.mean) })];
    }));
  }
  const values = at(panel.lines, t).map((line) => ({ line, point: nearest(line.points, t) }))
    .sort((a, b) => b.point.mean - a.point.mean);
  const text = ({ mean, sd }) => figure.spread(mean, sd);
  tip.replaceChildren(el("b", {}, [`round ${t}`, panel.title].filter(Boolean).join(" · ")), ...values.map(({ line, point }) =>
    el("div", { class: line.name === name ? "on" : null }, swatch(line.colour, line.dash),
      el("span", { class: "name" }, line.name), el("span", {}, text(point)))),
  ...panel.lines.filter((line) => line.ends !== null && line.ends <= t).map((line) =>
    el("div", {}, swatch(line.colour, line.dash), el("span", { class: "name" }, line.name), el("span", {}, "ended"))));
  place(panel, t);
  if (aloud) spoken.textContent = `Round ${t}: ` + values.map(({ line, point }) => `${line.name} ${text(point)}`).join(", ");
}

/** Beside the crosshair, on the side with room, never off the page. */
function place(panel, t) {
  tip.hidden = false;
  const box = panel.host.getBoundingClientRect();
  const x = box.left + panel.x(t) * box.width / panel.width;
  const width = tip.offsetWidth, page = root.clientWidth;
  const left = x + 14 + width < page - 6 ? x + 14 : Math.max(6, x - width - 14);
  tip.style.left = `${Math.min(left, Math.max(6, page - width - 6)) + scrollX}px`;
  tip.style.top = `${box.top + scrollY + 30}px`;
}

function hide(figure) {
  tip.hidden = true;
  figure.round = figure.line = null;
  light(figure, null);
  for (const p of figure.panels) {
    p.node.querySelector(".cross").style.visibility = "hidden";
    p.node.querySelector(".marks").replaceChildren();
  }
}
