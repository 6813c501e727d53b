import { svg } from "./shapes.js";
import { withMinus } from "./values.js";

// Small charts of a run: curves, error bars, shares.

const LEFT = 46, RIGHT = 12, TOP = 10, LOW = 20, LINE = 12;
const COLOURS = ["var(--ink)", "var(--white-part)", "var(--black-part)", "var(--accent)", "var(--bad-1)"];

function frame(element) {
  element.replaceChildren();
  const width = Math.max(element.clientWidth, 220), height = Math.max(element.clientHeight, 120);
  element.setAttribute("viewBox", `0 0 ${width} ${height}`);
  return { width, height, right: width - RIGHT, low: height - LOW };
}

function nothing(element, { width, height }, words) {
  svg(element, "text", { x: width / 2, y: height / 2, class: "none" }, words);
}

function roundStep(span, parts) {
  const rough = span / parts, power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((step) => step * power >= rough);
}

function axes(element, room, xs, ys) {
  const least = Math.min(...ys), most = Math.max(...ys), span = most - least || Math.abs(most) || 1;
  const low = least - (least < 0 || most === least ? 0.06 * span : Math.min(least, 0.06 * span)), high = most + 0.08 * span;
  const last = Math.max(...xs, 1);
  const x = (value) => LEFT + (value / last) * (room.right - LEFT);
  const y = (value) => room.low - ((value - low) / (high - low)) * (room.low - TOP);
  const step = roundStep(high - low, 4);
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) {
    svg(element, "line", { x1: LEFT, x2: room.right, y1: y(tick), y2: y(tick), class: "grid" });
    svg(element, "text", { x: LEFT - 6, y: y(tick) + 4, class: "tick" }, withMinus(Number(tick.toPrecision(6)).toLocaleString("en")));
  }
  for (const tick of [0, last / 2, last]) svg(element, "text", { x: x(tick), y: room.low + 15, class: "tick middle" }, Math.round(tick).toLocaleString("en"));
  return { x, y };
}

// `series` is a list of { name, points: [[x, y, low, high]] }; low and high are the ends of error bars, or null.
export function drawCurves(element, series, none) {
  const room = frame(element), all = series.flatMap((one) => one.points);
  if (!all.length) { nothing(element, room, none); return; }
  const ys = all.flatMap(([, value, low, high]) => [value, low, high]).filter((value) => value !== null && value !== undefined);
  const { x, y } = axes(element, room, all.map(([at]) => at), ys);
  series.forEach(({ name, points }, i) => {
    const stroke = COLOURS[i % COLOURS.length];
    for (const [at, , low, high] of points) {
      if (low !== null && low !== undefined && high !== null) svg(element, "line", { x1: x(at), x2: x(at), y1: y(low), y2: y(high), class: "error" });
    }
    const line = svg(element, "polyline", { points: points.map(([at, value]) => `${x(at)},${y(value)}`).join(" "), class: "mark" });
    line.style.stroke = stroke;
    for (const [at, value] of points) svg(element, "circle", { cx: x(at), cy: y(value), r: 2.8, class: "dot" }).style.fill = stroke;
  });
  if (series.length > 1) nameCurves(element, series, x, y);
}

// The names at the ends of the curves, none on top of another.
function nameCurves(element, series, x, y) {
  const ends = series.map(({ name, points }, i) => ({ name, i, end: points.at(-1) })).filter(({ end }) => end);
  let above = -Infinity;
  for (const { name, i, end: [at, value] } of ends.sort((one, other) => other.end[1] - one.end[1])) {
    above = Math.max(y(value) - 5, above + LINE);
    svg(element, "text", { x: x(at) - 5, y: above, class: "name", "text-anchor": "end" }, name).style.fill = COLOURS[i % COLOURS.length];
  }
}

// Shares that add up, part after part: `parts` are lists of numbers.
export function drawShares(element, parts, none) {
  const room = frame(element);
  if (!parts.length) { nothing(element, room, none); return; }
  const wide = (room.right - LEFT) / parts.length, fills = ["var(--win)", "var(--draw)", "var(--loss)"];
  for (const share of [0, 0.5, 1]) svg(element, "text", { x: LEFT - 6, y: room.low - share * (room.low - TOP) + 4, class: "tick" }, `${100 * share} %`);
  parts.forEach((numbers, i) => {
    const all = numbers.reduce((sum, number) => sum + number, 0) || 1;
    let from = room.low;
    numbers.forEach((number, kind) => {
      const height = (number / all) * (room.low - TOP);
      from -= height;
      svg(element, "rect", { x: LEFT + i * wide, y: from, width: Math.max(wide - 1, 1), height, stroke: "var(--faint)", "stroke-width": 0.4 }).style.fill = fills[kind];
    });
  });
}
