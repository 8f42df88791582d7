// The network round by round: nodes on a circle, the links of this round over all links of all rounds.

const SIZE = 340;

function makeNetwork(host) {
  const net = DATA.networks[Number(host.dataset.network)];
  if (!net || !net.nodes || !net.rounds.length) return;
  const unique = tally(net);
  const picture = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img" });
  const words = el("output");
  const state = { round: 0, union: false, timer: null };
  const last = net.rounds.length - 1;
  // Rounds are counted from 0, as in the certificate and in traces of links.
  const span = !net.period ? `the first ${last + 1}`
    : net.period > last + 1 ? `a period of ${net.period}, the first ${last + 1} shown` : `a period of ${net.period}`;
  const draw = () => {
    const links = linksOf(net, net.links[net.rounds[state.round]]);
    drawGraph(picture, net, unique, links, state.union);
    const some = (n) => `${n} ${net.directed ? (n === 1 ? "arrow" : "arrows") : n === 1 ? "link" : "links"}`;
    words.textContent = state.union ? `union: ${some(unique.size)}, wider where present more often`
      : last === 0 ? some(links.length) : `round ${state.round} (of ${span}): ${some(links.length)}`;
    slider.setAttribute("aria-valuetext", words.textContent);
    picture.querySelector("title").textContent = `Network of ${net.nodes} nodes, ${words.textContent}`;
  };
  const go = (round) => { state.round = round; slider.value = round; draw(); };
  const slider = el("input", { type: "range", min: 0, max: last, value: 0, "aria-label": "Round of the network",
    oninput: () => { setUnion(false); go(Number(slider.value)); } });
  const play = toggle("Play", false, (on) => {
    play.textContent = on ? "Pause" : "Play";
    clearInterval(state.timer);
    if (on) { setUnion(false); draw(); state.timer = setInterval(() => go((state.round + 1) % (last + 1)), 800); }
  });
  const setUnion = (on) => { state.union = on; union.setAttribute("aria-pressed", String(on)); };
  const union = toggle("Union", false, (on) => { if (on && state.timer) { clearInterval(state.timer); state.timer = null;
    play.setAttribute("aria-pressed", "false"); play.textContent = "Play"; } state.union = on; draw(); });
  host.append(picture, words);
  if (last > 0) host.append(el("div", { class: "tools" }, play, slider, union));
  draw();
}

/** Links without loops; undirected ones once. */
function linksOf(net, links) {
  const seen = new Map();
  for (const [a, b] of links ?? []) {
    if (a === b) continue;
    const pair = net.directed || a < b ? [a, b] : [b, a];
    seen.set(pair.join(), pair);
  }
  return [...seen.values()];
}

/** How many of the rounds each link is present in. */
function tally(net) {
  const all = new Map();
  for (const round of net.rounds) for (const pair of linksOf(net, net.links[round])) {
    const entry = all.get(pair.join()) ?? { pair, times: 0 };
    entry.times++;
    all.set(pair.join(), entry);
  }
  return all;
}

function drawGraph(picture, net, unique, links, union) {
  const radius = Math.max(3, Math.min(15, 220 / net.nodes));
  const middle = SIZE / 2, far = middle - radius - 8;
  const spot = (i) => { const a = 2 * Math.PI * i / net.nodes - Math.PI / 2; return [middle + far * Math.cos(a), middle + far * Math.sin(a)]; };
  const touched = new Set(links.flat());
  const width = (times) => 1 + 3 * times / net.rounds.length;
  const every = [...unique.values()];
  picture.replaceChildren(svg("title"),
    ...every.flatMap(({ pair, times }) => link(net, spot, radius, pair, union ? "link" : "ghost", union ? width(times) : null)),
    ...(union ? [] : links.flatMap((pair) => link(net, spot, radius, pair, "link", null))),
    ...Array.from({ length: net.nodes }, (_, i) => svg("circle", { cx: spot(i)[0], cy: spot(i)[1], r: radius, class: union || touched.has(i) ? "on" : null })),
    ...(radius < 9 ? [] : Array.from({ length: net.nodes }, (_, i) => svg("text", { x: spot(i)[0], y: spot(i)[1] }, String(i)))));
}

/** A line, or a bent arrow. Arrows are bent so that both directions can be seen. */
function link(net, spot, radius, [a, b], kind, width) {
  const [ax, ay] = spot(a), [bx, by] = spot(b);
  const style = width ? `stroke-width:${width.toFixed(2)}px` : null;
  if (!net.directed) return [svg("path", { class: kind, style, d: `M${ax} ${ay}L${bx} ${by}` })];
  const length = Math.hypot(bx - ax, by - ay) || 1, bend = 0.12;
  const mx = (ax + bx) / 2 - (by - ay) * bend, my = (ay + by) / 2 + (bx - ax) * bend;
  const dx = bx - mx, dy = by - my, d = Math.hypot(dx, dy) || 1, head = Math.min(9, length / 5);
  const tx = bx - dx / d * (radius + 1), ty = by - dy / d * (radius + 1);
  const sx = tx - dx / d * head, sy = ty - dy / d * head, w = head * 0.45;
  const triangle = `M${tx} ${ty}L${sx - dy / d * w} ${sy + dx / d * w}L${sx + dy / d * w} ${sy - dx / d * w}Z`;
  return [svg("path", { class: kind, style, d: `M${ax} ${ay}Q${mx} ${my} ${sx} ${sy}` }),
    svg("path", { class: kind === "link" ? "head" : "ghosthead", d: triangle })];
}
