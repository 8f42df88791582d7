// The crosshair: one round across all panels of a figure, values of the panel under the pointer or in focus.

const tip = el("div", { class: "tip", hidden: true });
const spoken = el("div", { class: "silent", "aria-live": "polite" });

const nearest = (points, t) => points.reduce((best, p) => (Math.abs(p.t - t) < Math.abs(best.t - t) ? p : best));

/** Rounds at which any line of the panel has a point. */
const roundsOf = (panel) => [...new Set(panel.lines.flatMap((line) => line.points.map((p) => p.t)))].sort((a, b) => a - b);

/** Lets the pointer and the arrow keys walk along a panel. */
function watch(panel, figure) {
  const host = panel.host;
  const show = (t, aloud) => showRound(figure, panel, t, aloud);
  host.addEventListener("pointermove", (event) => {
    const at = host.getBoundingClientRect();
    const rounds = roundsOf(panel);
    if (!rounds.length) return;
    const t = panel.x.back((event.clientX - at.left) * panel.width / at.width);
    const near = (a, b) => (panel.x.log ? Math.abs(Math.log(a / Math.max(t, 1e-9))) < Math.abs(Math.log(b / Math.max(t, 1e-9))) : Math.abs(a - t) < Math.abs(b - t));
    show(rounds.reduce((best, r) => (near(r, best) ? r : best)), false);
  });
  host.addEventListener("pointerleave", () => hide(figure));
  host.addEventListener("blur", () => hide(figure));
  host.addEventListener("keydown", (event) => {
    const rounds = roundsOf(panel);
    const now = rounds.indexOf(figure.round);
    const step = { ArrowLeft: now < 0 ? rounds.length - 1 : now - 1, ArrowRight: now + 1, Home: 0, End: rounds.length - 1 }[event.key];
    if (event.key === "Escape") hide(figure);
    if (step === undefined || !rounds.length) return;
    event.preventDefault();
    show(rounds[Math.min(Math.max(step, 0), rounds.length - 1)], true);
  });
}

function showRound(figure, panel, t, aloud) {
  figure.round = t;
  for (const p of figure.panels) {
    const cross = p.node.querySelector(".cross");
    const x = p.x(Math.min(Math.max(t, p.x.low), p.x.high));
    dress(cross, { x1: x, x2: x, style: "visibility:visible" }, []);
    p.node.querySelector(".marks").replaceChildren(...p.lines.filter((l) => l.points.length).flatMap((line) => {
      const point = nearest(line.points, t);
      if (p.y.log && !(point.mean > 0)) return [];
      return [svg("circle", { class: "dot", r: p === panel ? 3.6 : 2.4, style: `--c:${line.colour}`, cx: p.x(point.t), cy: p.y(point.mean) })];
    }));
  }
  const values = panel.lines.filter((l) => l.points.length).map((line) => ({ line, point: nearest(line.points, t) }))
    .sort((a, b) => b.point.mean - a.point.mean);
  const text = ({ mean, sd }) => figure.spread(mean, sd);
  tip.replaceChildren(el("b", {}, [`round ${t}`, panel.title].filter(Boolean).join(" · ")), ...values.map(({ line, point }) =>
    el("div", {}, el("span", { class: "swatch", style: `--c:${line.colour}` }),
      el("span", { class: "name" }, line.name), el("span", {}, text(point)))));
  place(panel, t);
  if (aloud) spoken.textContent = `Round ${t}: ` + values.map(({ line, point }) => `${line.name} ${text(point)}`).join(", ");
}

/** Beside the crosshair, on the side with room, never off the page. */
function place(panel, t) {
  tip.hidden = false;
  const at = panel.host.getBoundingClientRect();
  const x = at.left + panel.x(t) * at.width / panel.width;
  const width = tip.offsetWidth, page = root.clientWidth;
  const left = x + 14 + width < page - 6 ? x + 14 : Math.max(6, x - width - 14);
  tip.style.left = `${Math.min(left, Math.max(6, page - width - 6)) + scrollX}px`;
  tip.style.top = `${at.top + scrollY + 30}px`;
}

function hide(figure) {
  tip.hidden = true;
  figure.round = null;
  for (const p of figure.panels) {
    p.node.querySelector(".cross").style.visibility = "hidden";
    p.node.querySelector(".marks").replaceChildren();
  }
}
