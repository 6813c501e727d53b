import { byId, html, svg } from "./shapes.js";
import { withMinus } from "./values.js";
import { Board } from "./board.js";
import { roundLimit } from "./colours.js";

// Why a move has its score: in words, as bars, and with the board at the end of its line.

export class WhyPanel {
  constructor(explore) {
    this.explore = explore;
    this.app = explore.app;
    byId("why-best").addEventListener("click", () => this.ask());
    byId("why-last").addEventListener("click", () => this.askLast());
  }

  clear() { byId("why").replaceChildren(); }

  async askLast() {
    const { tree } = this.app, node = tree.current;
    if (!node.parent) { byId("why").textContent = "There is no move before this position."; return; }
    this.ask(node.uci, tree.moves(node.parent));
  }

  async ask(move = null, moves = this.app.tree.moves()) {
    const { app } = this, place = byId("why"), node = app.tree.current;
    this.explore.open("why");
    place.replaceChildren();
    html(place, "p", { class: "faint" }, "Searching\u2026");
    try {
      const why = await app.connection.ask("why", { start: app.tree.start, moves, move });
      if (app.tree.current === node) this.show(place, why);
    } catch (error) { place.textContent = error.message; }
    this.explore.analysis.analyse(); // which has given way
  }

  show(place, why) {
    place.replaceChildren();
    html(place, "h3", {}, why.headline);
    this.showReason(place, why.reason);
    if (why.is_best) { html(place, "p", {}, "It is the best move."); return; }
    html(place, "p", {}, why.comparison);
    if (why.against_best.length) {
      html(place, "p", { class: "faint" }, "What the ends of the two lines differ in:");
      this.showParts(place, why.against_best, 0);
    }
    this.showReason(place, why.best);
  }

  showReason(place, reason) {
    const grid = html(place, "div", { class: "why-grid" }), words = html(grid, "div"), end = html(grid, "figure");
    for (const sentence of reason.words) html(words, "p", {}, sentence);
    if (reason.parts.length) {
      html(words, "p", { class: "faint" }, "What changes until the end of the line, for White:");
      this.showParts(words, reason.parts, reason.rest);
    }
    html(end, "figcaption", {}, `After ${reason.line.map(([, san]) => san).join(" ")}`);
    const drawing = svg(end, "svg", { class: "end", viewBox: "0 0 390 390", role: "img", "aria-label": `Board at the end of the line of ${reason.san}` });
    const board = new Board(drawing, this.app.hello.colours);
    board.flipped = this.app.board.flipped;
    const heat = reason.end.heat.white.map((white, square) => white - reason.end.heat.black[square]);
    board.draw({ ...reason.end, heat, limit: roundLimit(Math.max(1, ...heat.map(Math.abs))), isSigned: true, hasNumbers: false });
  }

  showParts(place, parts, rest) {
    const list = html(place, "ul", { class: "parts" });
    const all = rest ? [...parts, { name: "smaller parts", change: rest }] : parts;
    const most = Math.max(...all.map((part) => Math.abs(part.change)), 1e-9);
    for (const part of all) {
      const item = html(list, "li"), half = (50 * Math.abs(part.change)) / most;
      html(item, "span", {}, part.name);
      const bar = html(html(item, "span", { class: "track", "aria-hidden": "true" }), "i", { class: part.change > 0 ? "for-white" : "for-black" });
      bar.style.left = `${part.change > 0 ? 50 : 50 - half}%`;
      bar.style.width = `${half}%`;
      html(item, "span", { class: "amount" }, withMinus(`${part.change > 0 ? "+" : ""}${part.change.toFixed(1)}`));
    }
  }
}
