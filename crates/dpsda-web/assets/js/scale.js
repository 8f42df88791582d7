// Axes: scales, ticks at 1, 2, 5 and powers of ten, and numbers as text.

const SUPER = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const raise = (power) => "10" + [...String(power)].map((c) => SUPER[c]).join("");
/** Over any number of values; spreading them into Math.min would overflow the stack of a large sweep. */
const least = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
const most = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);
const minus = (text) => text.replace(/^-/, "−");

/** Thousands apart: 12,800. */
const grouped = (text) => text.replace(/^(-?\d+)/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));

/** A number in so many significant digits, without trailing zeros. */
function digits(v, n = 4) {
  if (v === 0) return "0";
  const size = Math.abs(v);
  if (size >= 1e-4 && size < 1e6) return minus(grouped(String(Number(v.toPrecision(n)))));
  const [mantissa, power] = v.toExponential(Math.max(0, n - 1)).split("e");
  const short = String(Number(mantissa));
  return minus((short === "1" ? "" : short + "×") + raise(Number(power)));
}

/** A scale from numbers in [low, high] to pixels in [from, to]. */
function scale(log, low, high, from, to) {
  const f = log ? Math.log10 : (v) => v;
  const a = f(low), span = f(high) - a || 1;
  const at = (v) => from + (f(v) - a) / span * (to - from);
  at.back = (p) => { const v = a + (p - from) / (to - from) * span; return log ? 10 ** v : v; };
  return Object.assign(at, { log, low, high, from, to });
}

/** The finest steps of 1, 2 or 5 times a power of ten that give about n ticks at most. `whole` values have no step below 1. */
function evenTicks(low, high, n, whole = false) {
  const span = high - low, limit = Math.max(3, n) + 1;
  if (!(span > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(span / limit));
  const ends = (step) => [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  const step = [1, 2, 5, 10, 20, 50, 100].map((m) => Number((m * power).toPrecision(6))).filter((st) => !whole || st >= 1)
    .find((st) => { const [a, b] = ends(st); return b - a + 1 <= limit; }) ?? (whole ? 1 : span);
  const [first, last] = ends(step);
  return Array.from({ length: last - first + 1 }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

/** Labelled ticks and the minor ones between them. Rounds have `whole` ticks only. */
function ticks(s, n, whole = false) {
  if (!s.log) return { major: evenTicks(s.low, s.high, n, whole), minor: [] };
  const decades = Math.log10(s.high) - Math.log10(s.low); // a quotient may overflow: costs that diverge get past 1e300
  const first = Math.floor(Math.log10(s.low)), last = Math.ceil(Math.log10(s.high));
  const inside = (v) => v >= s.low * 0.9999 && v <= s.high * 1.0001;
  const grid = (steps) => {
    const out = [];
    for (let k = first; k <= last; k++) for (const m of steps) out.push(Number((m * 10 ** k).toPrecision(6)));
    return out.filter((v) => Number.isFinite(v) && inside(v) && (!whole || v >= 1));
  };
  const minor = decades < 8 ? grid([1, 2, 3, 4, 5, 6, 7, 8, 9]) : [];
  for (const steps of [[1, 2, 5], [1, 3]]) {
    const major = grid(steps);
    if (major.length <= n + 1 && major.length >= 2) return { major, minor };
  }
  const tens = grid([1]);
  if (tens.length >= 2) {
    const skip = Math.ceil(tens.length / (n + 1));
    return { major: tens.filter((_, i) => i % skip === 0), minor };
  }
  // Less than a decade: equal steps read better than a single power of ten.
  return { major: evenTicks(s.low, s.high, n, whole).filter((v) => v > 0), minor: [] };
}

/** The range an axis must cover. `values` holds the means; `edges` the ends of the bands. */
function domain(values, edges, log) {
  const usable = (v) => Number.isFinite(v) && (!log || v > 0);
  const means = values.filter(usable);
  if (!means.length) return null;
  let low = least(means), high = most(means);
  // On a log axis a band may reach towards zero. It gets a factor of 2, so that it does not squeeze the lines to the top.
  const floor = log ? low / 2 : -Infinity;
  for (const v of edges) if (usable(v)) { low = Math.min(low, Math.max(v, floor)); high = Math.max(high, v); }
  if (low === high) return log ? [low / 2, high * 2] : [low - Math.abs(low || 1) / 2, high + Math.abs(high || 1) / 2];
  if (log) { const pad = 10 ** (0.04 * (Math.log10(high) - Math.log10(low))); return [low / pad, Math.min(high * pad, Number.MAX_VALUE)]; }
  if (low >= 0 && low < 0.4 * high) low = 0;
  const pad = (high - low) * 0.04;
  return [low === 0 ? 0 : low - pad, high + pad];
}
