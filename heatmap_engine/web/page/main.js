import { byId } from "./shapes.js";
import { Board, piecesOf } from "./board.js";
import { Connection } from "./connection.js";
import { Explore } from "./explore.js";
import { Heat } from "./heat.js";
import { BoardInput, squareWords } from "./input.js";
import { Play } from "./play.js";
import { Runs } from "./runs.js";
import { Tree } from "./tree.js";

// The page: three places, of which two share the board. The address holds the place and the position.

const KEPT = "heatmap-engine-explored";
const KEPT_POSITIONS = 400;
const STEP_MS = 200;
const PLAIN_PALETTE = { arms: { white: ["#f3f0e8"], black: ["#f3f0e8"] }, inks: {}, dark_share: 0.95 };
const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

class App {
  constructor() {
    this.connection = new Connection();
    this.board = new Board(byId("board"), PLAIN_PALETTE);
    this.input = new BoardInput(this.board, byId("promotion"), {
      legal: () => this.legal(),
      play: (move) => this.place.play(move),
      redraw: () => this.draw(),
      hover: (square, isSaid) => this.hover(square, isSaid),
    });
    this.heat = new Heat(this.connection, () => this.draw());
    this.positions = new Map();
    this.hello = null;
    this.explored = this.restored() || new Tree();
    this.places = { play: new Play(this), explore: new Explore(this), runs: new Runs(this) };
    this.name = "play";
    this.listen();
    this.follow();
  }

  get place() { return this.places[this.name]; }
  get tree() { return this.place.tree || this.explored; }

  listen() {
    this.connection.on("hello", (hello) => this.begin(hello));
    this.connection.on("lost", () => { byId("lost").hidden = false; });
    window.addEventListener("popstate", () => this.follow());
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("resize", () => this.place.resize?.());
    byId("first").addEventListener("click", () => this.step("Home"));
    byId("previous").addEventListener("click", () => this.step("ArrowLeft"));
    byId("next").addEventListener("click", () => this.step("ArrowRight"));
    byId("last").addEventListener("click", () => this.step("End"));
    byId("flip").addEventListener("click", () => this.flip());
    byId("help-button").addEventListener("click", () => byId("help").showModal());
    byId("typed").addEventListener("submit", (event) => { event.preventDefault(); this.type(); });
    byId("typed-move").addEventListener("input", () => byId("typed-move").setCustomValidity(""));
  }

  begin(hello) {
    this.hello = hello;
    this.board.palette = hello.colours;
    byId("lost").hidden = true;
    byId("trouble").hidden = !hello.trouble;
    byId("trouble").textContent = hello.trouble;
    byId("caution").hidden = !hello.caution;
    byId("caution").textContent = hello.caution;
    const file = (hello.table || "").split(/[\\/]/).at(-1);
    byId("table-name").textContent = `Mode ${hello.mode}, ${file || "no table"}`;
    byId("table-name").title = hello.table || "";
    document.body.dataset.connected = "true";
    for (const place of Object.values(this.places)) place.hello?.(hello);
    this.show(this.tree.current, { keepsAddress: true });
  }

  // Places and addresses

  restored() {
    try { return Tree.restored(JSON.parse(sessionStorage.getItem(KEPT))); } catch { return null; }
  }

  keep() {
    try { sessionStorage.setItem(KEPT, JSON.stringify(this.explored.saved())); } catch { /* a browser that keeps nothing */ }
  }

  address() {
    const words = new URLSearchParams();
    if (this.name === "runs") { if (this.place.chosen) words.set("run", this.place.chosen); }
    else {
      if (this.tree.start) words.set("fen", this.tree.start);
      const moves = this.tree.moves();
      if (moves.length) words.set("moves", moves.join(" "));
    }
    const rest = words.toString();
    return `#/${this.name}${rest ? `?${rest}` : ""}`;
  }

  // Go where the address leads; moves that the tree does not have are added to it.
  follow() {
    const [name, rest] = location.hash.replace(/^#\//, "").split("?");
    const words = new URLSearchParams(rest || "");
    this.enter(name in this.places ? name : "play");
    if (this.name === "explore") this.followLine(words);
    else if (this.name === "play") this.place.follow(words);
    else this.place.choose(words.get("run"), false);
  }

  async followLine(words) {
    const start = words.get("fen") || null, moves = (words.get("moves") || "").split(" ").filter(Boolean);
    if (![...words.keys()].length) { this.show(this.explored.current, { isStep: true }); return; }
    const known = this.explored.start === start && this.find(moves);
    if (known) { this.show(known, { keepsAddress: true }); return; }
    try {
      const { line } = await this.connection.ask("line", { start, moves });
      if (this.explored.start !== start) this.explored = new Tree(start);
      this.show(this.explored.follow(line), { keepsAddress: true });
    } catch (error) { this.complain(`The address leads to no position: ${error.message}`); }
  }

  find(moves) {
    return moves.reduce((node, uci) => node && node.children.find((child) => child.uci === uci), this.explored.root);
  }

  enter(name) {
    if (this.name !== name) this.place.leave?.();
    this.name = name;
    document.body.dataset.place = name;
    byId("at-board").hidden = name === "runs";
    byId("runs-panel").hidden = name !== "runs";
    byId("play-panel").hidden = name !== "play";
    byId("explore-panel").hidden = name !== "explore";
    for (const link of document.querySelectorAll("[data-place]")) {
      if (link.dataset.place === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    this.input.clear();
    this.place.enter?.();
  }

  go(name) {
    this.enter(name);
    history.pushState(null, "", this.address());
    this.show(this.tree.current, { keepsAddress: true });
  }

  complain(words) {
    byId("trouble").textContent = words;
    byId("trouble").hidden = !words;
  }

  // Positions

  keyOf(node, tree = this.tree) { return `${tree.start} ${tree.moves(node).join(" ")}`; }

  known(node = this.tree.current, tree = this.tree) { return this.positions.get(this.keyOf(node, tree)); }

  async position(node = this.tree.current, tree = this.tree) {
    const key = this.keyOf(node, tree);
    if (this.positions.has(key)) return this.positions.get(key);
    const position = await this.connection.ask("position", { start: tree.start, moves: tree.moves(node) });
    this.positions.set(key, position);
    if (this.positions.size > KEPT_POSITIONS) this.positions.delete(this.positions.keys().next().value);
    return position;
  }

  // Show a node of the tree; `isStep` replaces the address, so that back leads to where one was before stepping.
  async show(node, { keepsAddress = false, isStep = false } = {}) {
    const { tree } = this;
    tree.current = node;
    this.input.clear();
    this.draw();
    this.place.moved?.();
    if (this.name === "runs") return;
    if (!keepsAddress && !isStep && location.hash !== this.address()) history.pushState(null, "", this.address());
    clearTimeout(this.writing);
    // Browsers let a page write its address only so often: of quick steps only the last is written.
    this.writing = setTimeout(() => this.write(keepsAddress), isStep ? STEP_MS : 0);
    try {
      await this.position(node);
    } catch (error) {
      this.complain(error.message);
      return;
    }
    if (this.tree === tree && tree.current === node) { this.draw(); this.place.arrived?.(this.known(node)); }
  }

  write(keepsAddress) {
    if (this.name === "runs") return;
    if (!keepsAddress && location.hash !== this.address()) history.replaceState(null, "", this.address());
    if (this.tree === this.explored) this.keep();
  }

  legal() {
    const position = this.known();
    return position && this.place.mayMove() ? position.legal : [];
  }

  // Play a legal move: its pieces are known, so it is shown at once.
  add([uci, san, , , placement]) {
    const node = this.tree.add(this.tree.current, uci, san);
    node.placement = placement;
    byId("announced").textContent = san;
    return node;
  }

  step(key) {
    const { tree } = this;
    const line = tree.line(), at = line.indexOf(tree.current);
    const to = { Home: 0, End: line.length - 1, ArrowLeft: at - 1, ArrowRight: at + 1 }[key];
    const node = line[Math.min(Math.max(to, 0), line.length - 1)];
    if (node !== tree.current) this.show(node, { isStep: true });
  }

  // The board

  draw() {
    if (this.name === "runs") return;
    const { tree } = this, node = tree.current, position = this.known();
    const placement = position?.placement || node.placement || (tree.start ? tree.start.split(" ")[0] : START);
    const heat = this.hello ? this.heat.view(this.hello.colours, tree.start, tree.moves()) : { heat: null };
    const view = {
      placement, check: position?.check ?? null, last: position?.last ?? null, ...heat, ...this.input.view(),
      arrows: [...(this.place.arrows?.() || []), ...this.input.arrows],
    };
    view.taken = new Set(piecesOf(placement).keys());
    this.board.draw(view);
    for (const [, , from] of this.legal()) this.board.element.querySelector(`[data-piece="${from}"]`)?.classList.add("own");
    const label = node.san ? `Board after ${node.san}` : "Board at the start";
    this.board.element.setAttribute("aria-label", position?.over ? `${label}, ${position.over}` : label);
    document.body.dataset.fen = position?.fen || "";
    const line = tree.line(), at = line.indexOf(node);
    for (const id of ["first", "previous"]) byId(id).disabled = at === 0;
    for (const id of ["next", "last"]) byId(id).disabled = at === line.length - 1;
  }

  flip(flipped = !this.board.flipped) {
    this.board.flipped = flipped;
    byId("flip").setAttribute("aria-pressed", String(flipped));
    this.place.flipped?.();
    this.draw();
  }

  hover(square, isSaid = false) {
    this.heat.hover(square);
    if (isSaid && square !== null) byId("announced").textContent = squareWords(square, piecesOf(this.board.view.placement));
  }

  type() {
    const field = byId("typed-move"), move = this.input.typed(field.value);
    if (move) { field.value = ""; this.place.play(move); return; }
    if (!field.value.trim()) return;
    field.setCustomValidity(this.place.mayMove() ? `${field.value} is no legal move here` : "It is not your move");
    field.reportValidity();
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || byId("help").open) return;
    const isInField = event.target.matches?.("input:not([type=checkbox]), textarea, select, [role=tab]");
    if (isInField || this.name === "runs") return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(key)) this.step(key);
    else if (key === "f") this.flip();
    else if (key === "?") byId("help").showModal();
    else if (key === "/") byId("typed-move").focus();
    else if (!this.heat.key(key) && !this.place.key?.(key)) return;
    event.preventDefault();
  }
}

window.addEventListener("DOMContentLoaded", () => { document.body.dataset.ready = "true"; });
const app = new App();
app.draw();
