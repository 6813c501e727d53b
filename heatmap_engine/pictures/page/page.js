import { byId, html } from "./shapes.js";
import { shownValue } from "./values.js";
import { Board } from "./board.js";
import { Curve, classOfMark } from "./curve.js";

// Draws one position of the game at a time. All numbers are in the page's JSON; nothing here computes chess.
const game = JSON.parse(byId("game").textContent);
const positions = game.positions;
const SIDES = ["white", "both", "black"];
const state = { ply: 0, side: game.side };
const palette = { arms: game.arms, inks: game.inks, dark_share: game.dark_share };
const board = new Board(byId("board"), palette);
board.flipped = game.flip;
const curve = new Curve(byId("curve"), game.arms, 10, (ply) => goTo(ply));
const shown = (value) => shownValue(value, game.decimals);

function heatOf(position, square) {
  const [white, black] = [position.white[square], position.black[square]];
  return state.side === "both" ? white - black : state.side === "white" ? white : -black;
}

function drawBoard(position) {
  board.element.setAttribute("aria-label", position.title + ", " + position.placement);
  board.draw({
    placement: position.placement,
    check: position.check,
    last: position.move,
    heat: Array.from({ length: 64 }, (_, square) => heatOf(position, square)),
    limit: game.limits[state.side],
    isSigned: state.side === "both",
    boxes: position.boxes,
    arrows: position.arrows,
  });
}

function drawCurve() {
  curve.draw(positions.map((position) => ({ value: position.score, q: position.q, mark: position.mark })), state.ply);
}

// Words and tables.

function drawStanding(position) {
  byId("position").textContent = position.mark ? position.title.replace(position.san, (san) => san + position.mark) : position.title;
  const [score, known] = position.shown;
  const q = known === null ? game.without : `Q-value ${shown(known)}`;
  const file = position.evaluation ? ` \u00b7 in the file ${position.evaluation}` : "";
  byId("values").textContent = `${game.score} ${shown(score)} \u00b7 ${q}${file}`;
  byId("note").textContent = position.note || "";
}

function drawCandidates(position) {
  const rows = byId("candidates");
  rows.replaceChildren();
  const next = positions[state.ply + 1];
  position.moves.forEach(([uci, san, ahead, q, score], i) => {
    const row = html(rows, "tr", { class: `${q === null ? "unknown" : "known"}${next && next.uci === uci ? " played" : ""}` });
    for (const words of [i + 1, san, shown(ahead), shown(q), shown(score)]) html(row, "td", {}, words);
  });
  if (!position.moves.length) html(html(rows, "tr"), "td", { colspan: 5 }, "nothing: the game is over");
  rows.parentElement.parentElement.scrollTop = 0;
}

function listMoves() {
  const list = byId("moves");
  positions.slice(1).forEach((position, i) => {
    if (position.is_white_move || i === 0) html(list, "li", { class: "number" }, `${position.number}.`);
    if (i === 0 && !position.is_white_move) html(list, "li", {}, "\u2026");
    const button = html(html(list, "li"), "button", { "data-ply": i + 1 }, position.san);
    if (position.mark) html(button, "span", { class: classOfMark(position.mark) }, position.mark);
    button.addEventListener("click", () => goTo(i + 1));
  });
}

function markMove() {
  const list = byId("moves");
  for (const button of list.querySelectorAll("button[aria-current]")) button.removeAttribute("aria-current");
  const button = list.querySelector(`button[data-ply="${state.ply}"]`);
  if (!button) { list.scrollTop = 0; return; }
  button.setAttribute("aria-current", "true");
  const top = button.offsetTop, low = top + button.offsetHeight;
  if (top < list.scrollTop || low > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
}

function drawLegend() {
  const arm = (side) => game.arms[side];
  const stops = state.side === "both" ? [...arm("black").toReversed(), ...arm("white").slice(1)] : arm(state.side);
  byId("bar").style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  const limit = game.limits[state.side];
  byId("cold-end").textContent = state.side === "both" ? `Black ${limit}` : "0";
  const hot = state.side === "black" ? "Black" : "White";
  byId("hot-end").textContent = state.side === "both" ? `${limit} ${hot} (heat units)` : `${limit} heat units, ${hot}`;
  for (const button of document.querySelectorAll("[data-side]")) button.setAttribute("aria-pressed", button.dataset.side === state.side);
  byId("flip").setAttribute("aria-pressed", board.flipped);
}

function draw() {
  const position = positions[state.ply];
  document.body.dataset.ply = state.ply;
  drawStanding(position);
  drawBoard(position);
  drawLegend();
  drawCurve();
  drawCandidates(position);
  markMove();
  for (const id of ["first", "previous"]) byId(id).disabled = state.ply === 0;
  for (const id of ["next", "last"]) byId(id).disabled = state.ply === positions.length - 1;
}

function goTo(ply) {
  state.ply = Math.min(Math.max(ply, 0), positions.length - 1);
  draw();
}
const flip = () => { board.flipped = !board.flipped; draw(); };
const show = (side) => { state.side = side; draw(); };

const KEYS = {
  ArrowLeft: () => goTo(state.ply - 1),
  ArrowRight: () => goTo(state.ply + 1),
  Home: () => goTo(0),
  End: () => goTo(positions.length - 1),
  f: flip,
  s: () => show(SIDES[(SIDES.indexOf(state.side) + 1) % SIDES.length]),
};

document.addEventListener("keydown", (event) => {
  const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  act();
});
byId("first").addEventListener("click", KEYS.Home);
byId("previous").addEventListener("click", KEYS.ArrowLeft);
byId("next").addEventListener("click", KEYS.ArrowRight);
byId("last").addEventListener("click", KEYS.End);
byId("flip").addEventListener("click", flip);
for (const button of document.querySelectorAll("[data-side]")) button.addEventListener("click", () => show(button.dataset.side));
window.addEventListener("resize", drawCurve);

byId("players").textContent = game.players;
byId("occasion").textContent = game.occasion;
document.querySelector(".white-box").style.borderColor = game.inks.white;
document.querySelector(".black-box").style.borderColor = game.inks.black;
byId("note").hidden = !positions.some((position) => position.note);
listMoves();
draw();
