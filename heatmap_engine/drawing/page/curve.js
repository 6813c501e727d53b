import { svg } from "./shapes.js";
import { withMinus } from "./values.js";

// The values of a game's positions as a curve to click. Values far from 0 are pressed together, so that a mate
// leaves room for the rest.

const LEFT = 46;
const RIGHT = 10;
const EDGE = 10;

// What annotators call an inaccuracy, a mistake and a blunder; other marks have no colour.
const BAD = ["?!", "?", "??"];
export const classOfMark = (mark) => (BAD.includes(mark) ? `bad-${BAD.indexOf(mark)}` : "");

export class Curve {
  // `arms` are the palette's; `step` is a small value in the unit, from which on values are pressed together.
  constructor(element, arms, step, whenChosen) {
    this.element = element;
    this.arms = arms;
    this.step = step;
    this.points = [];
    this.ply = 0;
    const choose = (event) => this.points.length && whenChosen(this.plyAt(event));
    element.addEventListener("pointerdown", choose);
    element.addEventListener("pointermove", (event) => { if (event.buttons & 1) choose(event); });
  }

  // `points` have value (or null), q (or null) and mark, one for each position.
  draw(points, ply) {
    this.points = points;
    this.ply = ply;
    const shown = points.flatMap((point) => [point.value, point.q]).filter((value) => value !== null && value !== undefined);
    this.highest = Math.max(this.pressed(2 * this.step), ...shown.map((value) => Math.abs(this.pressed(value))));
    this.element.replaceChildren();
    this.drawGrid();
    this.drawValues();
    this.drawPlace();
  }

  pressed(value) { return Math.asinh(value / this.step); }
  get width() { return Math.max(this.element.clientWidth, 200) - LEFT - RIGHT; }
  get height() { return Math.max(this.element.clientHeight, 80); }
  x(ply) { return LEFT + (this.points.length > 1 ? (ply / (this.points.length - 1)) * this.width : this.width / 2); }
  y(value) { return this.height / 2 - (this.pressed(value) / this.highest) * (this.height / 2 - EDGE); }

  drawGrid() {
    const right = LEFT + this.width, labels = [];
    this.element.setAttribute("viewBox", `0 0 ${right + RIGHT} ${this.height}`);
    // The first ones get their label where there is no room for all.
    const ticks = [0, 5, 100, 25, 1].flatMap((times) => (times ? [times * this.step, -times * this.step] : [0]));
    for (const tick of ticks.filter((value) => Math.abs(this.pressed(value)) <= this.highest)) {
      svg(this.element, "line", { x1: LEFT, x2: right, y1: this.y(tick), y2: this.y(tick), class: "grid" });
      if (labels.some((y) => Math.abs(y - this.y(tick)) < 12)) continue;
      labels.push(this.y(tick));
      svg(this.element, "text", { x: LEFT - 6, y: this.y(tick) + 4, class: "tick" }, tick ? withMinus((tick > 0 ? "+" : "") + tick) : "0");
    }
  }

  drawValues() {
    const known = this.points.map((point, ply) => [point, ply]).filter(([point]) => point.value !== null);
    const line = known.map(([point, ply]) => `${this.x(ply)},${this.y(point.value)}`).join(" ");
    if (known.length > 1) {
      const ends = [known[0][1], known.at(-1)[1]];
      this.drawArea(line, ends, 0, this.y(0), this.arms.white.at(-1), "above");
      this.drawArea(line, ends, this.y(0), this.height, this.arms.black.at(-1), "below");
    }
    svg(this.element, "polyline", { points: line, class: "score" });
    this.points.forEach((point, ply) => {
      if (point.q !== null && point.q !== undefined) svg(this.element, "circle", { cx: this.x(ply), cy: this.y(point.q), r: this.points.length > 150 ? 1.6 : 2.6, class: "q" });
    });
    for (const [point, ply] of known) {
      if (BAD.includes(point.mark)) svg(this.element, "circle", { cx: this.x(ply), cy: this.y(point.value), r: 4.5, class: `marked ${classOfMark(point.mark)}` });
    }
  }

  drawArea(line, [first, last], top, low, fill, name) {
    const id = `${this.element.id}-${name}`;
    const clip = svg(this.element, "clipPath", { id });
    svg(clip, "rect", { x: 0, y: top, width: LEFT + this.width + RIGHT, height: low - top });
    const outline = `${this.x(first)},${this.y(0)} ${line} ${this.x(last)},${this.y(0)}`;
    svg(this.element, "polygon", { points: outline, fill, opacity: 0.75, "clip-path": `url(#${id})` });
  }

  drawPlace() {
    const x = this.x(this.ply), value = this.points[this.ply]?.value ?? null;
    svg(this.element, "line", { x1: x, x2: x, y1: 0, y2: this.height, class: "now" });
    if (value !== null) svg(this.element, "circle", { cx: x, cy: this.y(value), r: 4, class: "here" });
  }

  plyAt(event) {
    const x = event.clientX - this.element.getBoundingClientRect().left;
    const ply = Math.round(((x - LEFT) / this.width) * (this.points.length - 1));
    return Math.min(Math.max(ply, 0), this.points.length - 1);
  }
}
