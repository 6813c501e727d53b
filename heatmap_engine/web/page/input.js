import { html, svg } from "./shapes.js";
import { nameOfSquare } from "./board.js";

// Making moves on a board: by dragging, by two clicks, by touch, by the keyboard and by arrows of one's own.

const PROMOTIONS = { q: "queen", r: "rook", b: "bishop", n: "knight" };
const DRAG_FROM = 4;

export class BoardInput {
  // `legal` gives the moves of the position; `play` is called with one of them; `redraw` draws the board again.
  constructor(board, chooser, { legal, play, redraw, hover }) {
    Object.assign(this, { board, chooser, legal, play, redraw, hover });
    this.selected = null;
    this.cursor = null;
    this.arrows = [];
    const element = board.element;
    element.addEventListener("pointerdown", (event) => this.press(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    element.addEventListener("pointerup", (event) => this.release(event));
    element.addEventListener("pointercancel", () => this.drop());
    element.addEventListener("pointerleave", () => this.hover(null));
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    element.addEventListener("keydown", (event) => this.key(event));
    element.addEventListener("blur", () => { if (this.cursor !== null) { this.cursor = null; this.redraw(); } });
    chooser.addEventListener("keydown", (event) => { if (event.key === "Escape") this.closeChooser(); event.stopPropagation(); });
  }

  // What the board draws of this.
  view() {
    const targets = this.selected === null ? [] : this.movesFrom(this.selected).map(([, , , to]) => to);
    return { selected: this.selected, targets: [...new Set(targets)], cursor: this.cursor };
  }

  clear() {
    this.selected = null;
    this.arrows = [];
    this.closeChooser();
  }

  movesFrom(square) { return this.legal().filter(([, , from]) => from === square); }

  press(event) {
    const square = this.board.squareAt(event.clientX, event.clientY);
    event.preventDefault(); // the keyboard's focus stays where it is
    if (document.activeElement instanceof HTMLElement && document.activeElement.matches("input, textarea")) document.activeElement.blur();
    if (square === null) return;
    this.closeChooser();
    if (event.button === 2) { this.arrowFrom = square; return; }
    if (event.button !== 0) return;
    if (this.arrows.length) { this.arrows = []; this.redraw(); }
    if (this.selected !== null && this.selected !== square && this.tryMove(this.selected, square, event)) return;
    const isOwn = this.movesFrom(square).length > 0;
    this.wasSelected = this.selected === square;
    this.select(isOwn ? square : null);
    if (isOwn) {
      this.held = { square, x: event.clientX, y: event.clientY, isDragged: false };
      try { this.board.element.setPointerCapture(event.pointerId); } catch { /* a pointer that has gone by now */ }
    }
  }

  select(square) {
    if (this.selected === square) return;
    this.selected = square;
    this.redraw();
  }

  move(event) {
    if (!this.held) { this.hover(this.board.squareAt(event.clientX, event.clientY)); return; }
    const { square, x, y } = this.held;
    if (!this.held.isDragged && Math.hypot(event.clientX - x, event.clientY - y) < DRAG_FROM) return;
    this.held.isDragged = true;
    const piece = this.board.element.querySelector(`[data-piece="${square}"]`);
    if (!piece) return;
    const box = this.board.element.getBoundingClientRect(), scale = 390 / box.width;
    const size = 0.98 * 45 * 1.08;
    piece.parentNode.appendChild(piece); // above all others
    piece.setAttribute("transform", `translate(${(event.clientX - box.left) * scale - size / 2}, ${(event.clientY - box.top) * scale - size / 2}) scale(1.06)`);
    this.board.element.classList.add("dragging");
  }

  release(event) {
    const square = this.board.squareAt(event.clientX, event.clientY);
    if (event.button === 2) { this.endArrow(square); return; }
    const held = this.held;
    if (!held) return;
    this.drop();
    if (square !== null && square !== held.square && this.tryMove(held.square, square, event)) return;
    if (held.isDragged) { this.selected = null; this.redraw(); }
    else if (this.wasSelected) this.select(null);
  }

  drop() {
    this.held = null;
    this.board.element.classList.remove("dragging");
  }

  endArrow(square) {
    if (this.arrowFrom === undefined || square === null) return;
    const from = this.arrowFrom;
    this.arrowFrom = undefined;
    if (from === square) this.arrows = [];
    else {
      const same = (arrow) => arrow.from === from && arrow.to === square;
      this.arrows = this.arrows.some(same) ? this.arrows.filter((arrow) => !same(arrow)) : [...this.arrows, { from, to: square, rank: 0, kind: "own" }];
    }
    this.redraw();
  }

  // Whether there is such a move; a promotion asks first for which piece.
  tryMove(from, to) {
    const moves = this.legal().filter(([, , one, other]) => one === from && other === to);
    if (!moves.length) return false;
    if (moves.length === 1) this.make(moves[0]);
    else this.choose(moves);
    return true;
  }

  make(move) {
    this.clear();
    this.play(move);
  }

  choose(moves) {
    const side = moves[0][3] >= 56 ? "white" : "black";
    this.chooser.replaceChildren();
    for (const letter of "qrbn") {
      const move = moves.find(([uci]) => uci.endsWith(letter));
      if (!move) continue;
      const button = html(this.chooser, "button", { "aria-label": PROMOTIONS[letter], "data-promotion": letter, type: "button" });
      svg(svg(button, "svg", { viewBox: "0 0 45 45", "aria-hidden": "true" }), "use", { href: `#${side}-${PROMOTIONS[letter]}` });
      button.addEventListener("click", () => this.make(move));
    }
    this.chooser.hidden = false;
    this.redraw();
    this.chooser.firstChild.focus({ preventScroll: true });
  }

  closeChooser() {
    if (this.chooser.hidden) return;
    this.chooser.hidden = true;
    this.selected = null;
    this.redraw();
  }

  key(event) {
    const turn = this.board.flipped ? -1 : 1;
    const steps = { ArrowLeft: [-turn, 0], ArrowRight: [turn, 0], ArrowUp: [0, turn], ArrowDown: [0, -turn] };
    if (event.key in steps) this.step(steps[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.pick();
    else if (event.key === "Escape") { this.selected = null; this.redraw(); }
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  step([across, up]) {
    const at = this.cursor ?? this.selected ?? (this.board.flipped ? 59 : 4);
    if (this.cursor === null) this.cursor = at;
    else {
      const file = Math.min(Math.max((at & 7) + across, 0), 7), rank = Math.min(Math.max((at >> 3) + up, 0), 7);
      this.cursor = 8 * rank + file;
    }
    this.redraw();
    this.hover(this.cursor, true);
  }

  pick() {
    if (this.cursor === null) { this.step([0, 0]); return; }
    if (this.selected !== null && this.selected !== this.cursor && this.tryMove(this.selected, this.cursor)) return;
    this.select(this.selected === this.cursor || !this.movesFrom(this.cursor).length ? null : this.cursor);
  }

  // The move that a text means: a name such as Nf3, or e2e4.
  typed(text) {
    const plain = (words) => words.replace(/[+#x=\s!?]/g, "").replace(/0/g, "O");
    const wanted = plain(text);
    if (!wanted) return null;
    const moves = this.legal();
    return moves.find(([uci, san]) => uci === text.trim().toLowerCase() || plain(san) === wanted)
      || moves.find(([uci]) => uci === `${text.trim().toLowerCase()}q`)
      || moves.find(([, san]) => plain(san).toLowerCase() === wanted.toLowerCase())
      || null;
  }
}

export const squareWords = (square, pieces) => {
  const names = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
  const piece = pieces.get(square);
  const what = piece ? `, ${piece === piece.toLowerCase() ? "black" : "white"} ${names[piece.toLowerCase()]}` : "";
  return nameOfSquare(square) + what;
};
