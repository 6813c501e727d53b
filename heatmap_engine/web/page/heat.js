import { byId, html, svg } from "./shapes.js";
import { nameOfSquare } from "./board.js";
import { roundLimit } from "./colours.js";

// The heat on the board: whose, how deep, of which pieces; all of it is kept from visit to visit.

const SIDES = ["white", "both", "black"];
const KINDS = ["pawn", "knight", "bishop", "rook", "queen", "king"];
const KEPT = "heatmap-engine-heat";
const KEPT_POSITIONS = 60;

export class Heat {
  constructor(connection, redraw) {
    this.connection = connection;
    this.redraw = redraw;
    this.known = new Map();
    this.state = { on: true, side: "both", depth: 1, kinds: [1, 1, 1, 1, 1, 1], boxes: true, numbers: false };
    try { Object.assign(this.state, JSON.parse(localStorage.getItem(KEPT) || "{}")); } catch { /* nothing was kept */ }
    this.listen();
    this.showState();
  }

  listen() {
    KINDS.forEach((kind, i) => {
      const button = html(byId("kinds"), "button", { "data-kind": i, title: `Heat of ${kind}s (${i + 1})`, "aria-label": `${kind}s`, type: "button" });
      svg(svg(button, "svg", { viewBox: "0 0 45 45", "aria-hidden": "true" }), "use", { href: `#white-${kind}` });
      button.addEventListener("click", () => this.toggleKind(i));
    });
    byId("heat-on").addEventListener("click", () => this.set({ on: !this.state.on }));
    byId("boxes-on").addEventListener("click", () => this.set({ boxes: !this.state.boxes }));
    byId("numbers-on").addEventListener("click", () => this.set({ numbers: !this.state.numbers }));
    for (const button of document.querySelectorAll("[data-side]")) button.addEventListener("click", () => this.set({ side: button.dataset.side, on: true }));
    for (const button of document.querySelectorAll("[data-depth]")) button.addEventListener("click", () => this.set({ depth: Number(button.dataset.depth), on: true }));
  }

  toggleKind(i) {
    const kinds = [...this.state.kinds];
    kinds[i] = kinds[i] ? 0 : 1;
    this.set({ kinds, on: true });
  }

  // What a key does; whether it is one of these.
  key(key) {
    const { state } = this;
    const acts = {
      h: () => this.set({ on: !state.on }),
      s: () => this.set({ side: SIDES[(SIDES.indexOf(state.side) + 1) % 3], on: true }),
      d: () => this.set({ depth: (state.depth + 1) % 3, on: true }),
      k: () => this.set({ boxes: !state.boxes }),
      n: () => this.set({ numbers: !state.numbers }),
    };
    if (acts[key]) acts[key]();
    else if (key >= "1" && key <= "6") this.toggleKind(Number(key) - 1);
    else return false;
    return true;
  }

  set(changes) {
    Object.assign(this.state, changes);
    try { localStorage.setItem(KEPT, JSON.stringify(this.state)); } catch { /* a browser that keeps nothing */ }
    this.showState();
    this.redraw();
  }

  showState() {
    const { state } = this;
    const press = (element, is) => element.setAttribute("aria-pressed", String(Boolean(is)));
    press(byId("heat-on"), state.on);
    press(byId("boxes-on"), state.boxes);
    press(byId("numbers-on"), state.numbers);
    for (const button of document.querySelectorAll("[data-side]")) press(button, button.dataset.side === state.side);
    for (const button of document.querySelectorAll("[data-depth]")) press(button, Number(button.dataset.depth) === state.depth);
    for (const button of document.querySelectorAll("[data-kind]")) press(button, state.kinds[button.dataset.kind]);
    byId("legend").hidden = !state.on;
  }

  // What the board draws of the heat at a position; nothing until the server has said it, then it is drawn again.
  view(palette, start, moves) {
    const { state } = this;
    const key = `${state.depth} ${start} ${moves.join(" ")}`;
    const known = this.known.get(key);
    if (!state.on) { this.shown = null; return { heat: null, boxes: null }; }
    if (!known) this.fetch(key, start, moves);
    if (!known || !known.white) { this.shown = null; return { heat: null, boxes: null }; }
    this.shown = known;
    const heat = this.squares(known);
    const limit = roundLimit(Math.max(1, ...heat.map(Math.abs)));
    this.drawLegend(palette, limit);
    return { heat, limit, isSigned: state.side === "both", hasNumbers: state.numbers, boxes: state.boxes ? known.boxes : null };
  }

  fetch(key, start, moves) {
    this.known.set(key, {});
    const began = performance.now();
    this.connection.ask("heat", { start, moves, depth: this.state.depth }).then((heat) => {
      this.known.set(key, heat);
      document.body.dataset.heatMs = (performance.now() - began).toFixed(1);
      if (this.known.size > KEPT_POSITIONS) this.known.delete(this.known.keys().next().value);
      this.redraw();
    }, () => this.known.delete(key));
  }

  sumOf(known, side, square) {
    return known[side].reduce((sum, heat, kind) => sum + (this.state.kinds[kind] ? heat[square] : 0), 0);
  }

  squares(known) {
    const { side } = this.state;
    return Array.from({ length: 64 }, (_, square) => {
      const white = side === "black" ? 0 : this.sumOf(known, "white", square);
      const black = side === "white" ? 0 : this.sumOf(known, "black", square);
      return white - black;
    });
  }

  drawLegend(palette, limit) {
    const { side } = this.state, arm = (which) => palette.arms[which];
    const stops = side === "both" ? [...arm("black")].reverse().concat(arm("white").slice(1)) : arm(side);
    byId("scale").style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    byId("cold-end").textContent = side === "both" ? `Black ${limit}` : "0";
    byId("hot-end").textContent = side === "both" ? `${limit} White` : `${limit}, ${side === "white" ? "White" : "Black"}`;
  }

  hover(square) {
    const words = byId("hovered");
    if (square === null || !this.shown) { words.textContent = ""; return; }
    const [white, black] = ["white", "black"].map((side) => this.sumOf(this.shown, side, square).toFixed(2));
    words.textContent = `${nameOfSquare(square)}: White ${white}, Black ${black}`;
  }
}
