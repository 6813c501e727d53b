import { svg } from "./shapes.js";
import { shownHeat } from "./values.js";
import { isLight, squareColour } from "./colours.js";

// Draws a board: squares with or without heat, pieces, marks and arrows. Nothing here computes chess.

export const SQUARE = 45;
export const MARGIN = 15;
const PAPER = "#fcfbf8";
const INK = "#1d2027";
const PIECES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
// Squares without heat.
const PLAIN = ["#b7a58c", "#ede4d3"];
const ARROW_WIDTHS = [3.5, 2.5, 1.8];
const ARROW_OPACITIES = [0.92, 0.78, 0.66];

// The piece of each square that has one, such as 4: "K" for White's king on e1.
export function piecesOf(placement) {
  const found = new Map();
  placement.split("/").forEach((row, down) => {
    let file = 0;
    for (const piece of row) {
      if (piece >= "1" && piece <= "8") file += Number(piece);
      else found.set(8 * (7 - down) + file++, piece);
    }
  });
  return found;
}

export const nameOfSquare = (square) => "abcdefgh"[square & 7] + ((square >> 3) + 1);

export class Board {
  // `palette` has arms and inks by side, and how dark every other square is.
  constructor(element, palette) {
    this.element = element;
    this.palette = palette;
    this.flipped = false;
  }

  corner(square) {
    const file = square & 7, rank = square >> 3;
    const [column, row] = this.flipped ? [7 - file, rank] : [file, 7 - rank];
    return [MARGIN + column * SQUARE, MARGIN + row * SQUARE];
  }

  middle(square) {
    return this.corner(square).map((edge) => edge + SQUARE / 2);
  }

  // The square at a point of the window, or null beside the board.
  squareAt(x, y) {
    const box = this.element.getBoundingClientRect();
    const scale = (2 * MARGIN + 8 * SQUARE) / box.width;
    const column = Math.floor(((x - box.left) * scale - MARGIN) / SQUARE);
    const row = Math.floor(((y - box.top) * scale - MARGIN) / SQUARE);
    if (column < 0 || column > 7 || row < 0 || row > 7) return null;
    return this.flipped ? 8 * row + (7 - column) : 8 * (7 - row) + column;
  }

  // `view`: placement, check, last, heat (64 numbers, White's above 0) or null, limit, isSigned, hasNumbers,
  // boxes, arrows (from, to, and rank or kind), selected, targets, cursor.
  draw(view) {
    this.view = view;
    this.element.replaceChildren();
    this.drawCoordinates();
    // Nothing but this shows through where two squares meet.
    const size = 8 * SQUARE;
    svg(this.element, "rect", { x: MARGIN, y: MARGIN, width: size, height: size, fill: this.palette.arms.white[0] });
    for (let square = 0; square < 64; square++) this.drawSquare(view, square);
    if (view.last) this.markSquares(view.last);
    if (view.selected !== undefined && view.selected !== null) this.drawFrame(view.selected, "selected");
    this.drawPieces(view);
    for (const side of ["white", "black"]) if (view.boxes) this.drawKingBox(view.boxes[side], side);
    const arrows = (view.arrows || []).map((arrow, i) => ({
      rank: i, ...arrow, tail: this.middle(arrow.from), head: this.middle(arrow.to),
    }));
    if (view.heat && view.hasNumbers !== false) {
      for (let square = 0; square < 64; square++) this.drawNumber(view, square, arrows);
    }
    [...arrows].sort((a, b) => lengthOf(b) - lengthOf(a)).forEach((arrow) => this.drawArrow(arrow));
    for (const square of view.targets || []) this.drawTarget(square, view.taken && view.taken.has(square));
    if (view.cursor !== undefined && view.cursor !== null) this.drawFrame(view.cursor, "cursor");
  }

  drawSquare(view, square) {
    const [x, y] = this.corner(square);
    const fill = view.heat ? squareColour(this.palette, view.heat[square], view.limit, square) : PLAIN[Number(isLight(square))];
    svg(this.element, "rect", { x, y, width: SQUARE, height: SQUARE, fill, "data-square": square });
  }

  drawCoordinates() {
    for (let i = 0; i < 8; i++) {
      const at = MARGIN + (i + 0.5) * SQUARE;
      const file = "abcdefgh"[this.flipped ? 7 - i : i], rank = this.flipped ? i + 1 : 8 - i;
      for (const edge of [11, 386]) svg(this.element, "text", { x: at, y: edge, class: "coordinate" }, file);
      for (const edge of [7, 383]) svg(this.element, "text", { x: edge, y: at + 4, class: "coordinate" }, rank);
    }
  }

  drawPieces(view) {
    // Where numbers stand below, pieces are smaller; else they have the square for themselves.
    const [aside, down, scale] = view.heat && view.hasNumbers !== false ? [4.5, 0.5, 0.8] : [0.5, 0.5, 0.98];
    for (const [square, piece] of piecesOf(view.placement)) {
      const [x, y] = this.corner(square);
      if (square === view.check) svg(this.element, "circle", { cx: x + 22.5, cy: y + 19, r: 18, class: "check", fill: "none", stroke: "#c00018", "stroke-width": 3 });
      const color = piece === piece.toLowerCase() ? "black" : "white";
      svg(this.element, "use", {
        href: `#${color}-${PIECES[piece.toLowerCase()]}`, "data-piece": square,
        transform: `translate(${x + aside}, ${y + down}) scale(${scale})`,
      });
    }
  }

  drawKingBox(squares, side) {
    const edges = squares.map((square) => this.corner(square));
    const left = Math.min(...edges.map((edge) => edge[0])) + 1.6, top = Math.min(...edges.map((edge) => edge[1])) + 1.6;
    const width = Math.max(...edges.map((edge) => edge[0])) + SQUARE - 1.6 - left;
    const height = Math.max(...edges.map((edge) => edge[1])) + SQUARE - 1.6 - top;
    const outline = { x: left, y: top, width, height, fill: "none", class: "king-box" };
    svg(this.element, "rect", { ...outline, stroke: PAPER, "stroke-width": 4.4 });
    svg(this.element, "rect", { ...outline, stroke: this.palette.inks[side], "stroke-width": 2.4, "stroke-dasharray": side === "black" ? "7 4" : "none" });
  }

  // Corners in the square that was left, and in the one that was reached.
  markSquares([from, to]) {
    for (const square of [from, to]) {
      const [x, y] = this.corner(square);
      for (const [across, down] of [[0, 0], [1, 0], [1, 1], [0, 1]]) {
        const [tipX, tipY] = [x + across * SQUARE, y + down * SQUARE];
        const points = `${tipX},${tipY} ${tipX + (across ? -8 : 8)},${tipY} ${tipX},${tipY + (down ? -8 : 8)}`;
        svg(this.element, "polygon", { points, fill: INK, opacity: 0.6, class: "last-move" });
      }
    }
  }

  drawFrame(square, name) {
    const [x, y] = this.corner(square);
    svg(this.element, "rect", { x: x + 2, y: y + 2, width: SQUARE - 4, height: SQUARE - 4, class: `frame ${name}`, fill: "none", stroke: PAPER, "stroke-width": 5 });
    svg(this.element, "rect", { x: x + 2, y: y + 2, width: SQUARE - 4, height: SQUARE - 4, class: `frame ${name}`, fill: "none", stroke: "#127a3e", "stroke-width": 3, "stroke-dasharray": name === "cursor" ? "4 3" : "none" });
  }

  // A dot on an empty square, a ring around a piece that can be taken.
  drawTarget(square, isTaken) {
    const [x, y] = this.middle(square);
    const shape = isTaken ? { r: 19, fill: "none", stroke: "#127a3e", "stroke-width": 3.4 } : { r: 6.5, fill: "#127a3e", stroke: PAPER, "stroke-width": 1 };
    svg(this.element, "circle", { cx: x, cy: y, opacity: 0.85, class: "target", "data-target": square, ...shape });
  }

  drawNumber(view, square, arrows) {
    const words = shownHeat(view.heat[square], view.isSigned);
    const [x, y] = this.corner(square);
    if (!words || arrows.some((arrow) => isCrossedOut(arrow, x + 22.5, y + 36.7))) return;
    svg(this.element, "text", { x: x + 22.5, y: y + 40, class: "number" }, words);
  }

  drawArrow(arrow) {
    const length = lengthOf(arrow), [x, y] = arrow.tail, rank = Math.min(arrow.rank, 2);
    if (!length) return;
    const dx = (arrow.head[0] - x) / length, dy = (arrow.head[1] - y) / length;
    const at = (along, aside) => `${x + dx * along - dy * aside},${y + dy * along + dx * aside}`;
    const half = ARROW_WIDTHS[rank], wing = half + 5.5, tip = length - 6, neck = tip - 15, start = 9;
    const points = [at(start, half), at(neck, half), at(neck, wing), at(tip, 0), at(neck, -wing), at(neck, -half), at(start, -half)];
    const fill = arrow.kind === "own" ? "#127a3e" : INK;
    svg(this.element, "polygon", { points: points.join(" "), class: "arrow", fill, stroke: PAPER, "stroke-width": 1.4, "stroke-linejoin": "round", opacity: ARROW_OPACITIES[rank] });
  }
}

const lengthOf = (arrow) => Math.hypot(arrow.head[0] - arrow.tail[0], arrow.head[1] - arrow.tail[1]);

const isCrossedOut = (arrow, x, y) => [-7, 0, 7].some((aside) => distanceTo(arrow, x + aside, y) < 8);

function distanceTo(arrow, x, y) {
  const across = arrow.head[0] - arrow.tail[0], down = arrow.head[1] - arrow.tail[1];
  const along = ((x - arrow.tail[0]) * across + (y - arrow.tail[1]) * down) / lengthOf(arrow) ** 2;
  const share = Math.min(Math.max(along, 0), 1);
  return Math.hypot(x - arrow.tail[0] - share * across, y - arrow.tail[1] - share * down);
}
