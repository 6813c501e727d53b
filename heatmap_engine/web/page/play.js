import { byId, html } from "./shapes.js";
import { valueOrMate } from "./values.js";
import { Clocks } from "./clocks.js";
import { Learned } from "./learned.js";
import { sound } from "./sounds.js";
import { Tree, numberBefore } from "./tree.js";

// A game against the engine. It lives in this page, which keeps it over a reload and a lost server.

const KEPT = "heatmap-engine-game";
const WISHES = "heatmap-engine-wishes";
const OTHER = { white: "black", black: "white" };

export class Play {
  constructor(app) {
    this.app = app;
    this.game = null;
    this.tree = new Tree();
    this.marks = [];
    this.clocks = new Clocks(this);
    this.learned = new Learned(this);
    this.listen();
    this.restore();
  }

  listen() {
    byId("new-game").addEventListener("submit", (event) => { event.preventDefault(); this.begin(); });
    byId("elo").addEventListener("input", () => this.showLevel());
    byId("full").addEventListener("change", () => this.showLevel());
    byId("take-back").addEventListener("click", () => this.takeBack());
    byId("hint").addEventListener("click", () => this.hint());
    byId("offer-draw").addEventListener("click", () => this.offerDraw());
    byId("resign").addEventListener("click", () => this.resign());
    byId("again").addEventListener("click", () => this.forget());
    byId("from-here").addEventListener("click", () => this.fromHere());
    byId("explore-game").addEventListener("click", () => this.explore());
  }

  hello(hello) {
    byId("level-field").hidden = !hello.levels;
    if (!hello.levels) byId("full").checked = true;
    else {
      const [low, high] = hello.levels, wished = this.wishes().elo;
      Object.assign(byId("elo"), { min: Math.ceil(low / 50) * 50, max: Math.floor(high / 50) * 50 });
      byId("elo").value = wished || Math.round((low + high) / 100) * 50;
    }
    const wishes = this.wishes();
    if (wishes.full !== undefined && hello.levels) byId("full").checked = wishes.full;
    if (wishes.clock !== undefined) byId("clock").value = wishes.clock;
    byId("sounds").checked = Boolean(wishes.sounds);
    this.showLevel();
    this.showPlayers();
  }

  wishes() {
    try { return JSON.parse(localStorage.getItem(WISHES)) || {}; } catch { return {}; }
  }

  showLevel() {
    const isFull = byId("full").checked;
    byId("elo").disabled = isFull;
    byId("elo-shown").textContent = isFull ? "full strength" : byId("elo").value;
  }

  // The game

  async begin(fen = byId("start-fen").value.trim()) {
    const { app } = this;
    byId("new-game-trouble").textContent = "";
    let start = null;
    try {
      if (fen) start = (await app.connection.ask("read", { text: fen })).start;
      const position = await app.connection.ask("position", { start, moves: [] });
      if (position.over) throw new Error(`The game is over there: ${position.over}`);
    } catch (error) {
      byId("new-game-trouble").textContent = error.message;
      return;
    }
    const wish = document.querySelector("[name=colour]:checked").value;
    const colour = wish === "random" ? (Math.random() < 0.5 ? "white" : "black") : wish;
    const isFull = byId("full").checked, clock = byId("clock").value;
    const wishes = { elo: Number(byId("elo").value), full: isFull, clock, sounds: byId("sounds").checked };
    try { localStorage.setItem(WISHES, JSON.stringify(wishes)); } catch { /* a browser that keeps nothing */ }
    const [minutes, seconds] = clock ? clock.split("+").map(Number) : [null, 0];
    this.tree = new Tree(start);
    this.game = {
      colour, elo: isFull ? null : wishes.elo, sounds: wishes.sounds, over: null,
      clock: clock ? { white: minutes * 60000, black: minutes * 60000, increment: seconds * 1000 } : null,
    };
    this.marks = [];
    this.learned.clear();
    this.say("");
    app.flip(colour === "black");
    this.showPanel();
    app.show(this.tree.root);
  }

  get side() { return this.app.known(this.end, this.tree)?.turn; }
  get end() { return this.tree.end(); }
  get isRunning() { return Boolean(this.game) && !this.game.over; }

  mayMove() {
    const at = this.tree.current;
    return this.isRunning && at === this.end && this.app.known(at, this.tree)?.turn === this.game.colour && !this.isAsking;
  }

  // The person's move.
  play(move) {
    if (!this.mayMove()) return;
    this.say("");
    this.marks = [];
    this.push(this.app.add(move));
  }

  push(node) {
    const moved = this.turn;
    if (this.game.clock && moved && node.ply > 1) this.game.clock[moved] += this.game.clock.increment;
    this.turn = null; // nobody's clock runs until the position is known
    sound(this.game.sounds);
    if (this.app.name === "play") { this.app.show(node); return; }
    this.tree.current = node; // shown when somebody comes back
    this.keep();
  }

  // A position has arrived: the game is over, or it is somebody's turn.
  arrived(position) {
    this.showGame();
    if (!this.isRunning || this.tree.current !== this.end || this.isAsking) return;
    this.turn = position.turn;
    this.since = performance.now();
    if (position.over) this.finish(position.result, position.over.split(", ").slice(1).join(", "));
    else if (position.turn !== this.game.colour) this.answer();
    this.keep();
    this.showGame();
  }

  gameFields() {
    const { game } = this, engine = OTHER[game.colour];
    const clock = game.clock && this.end.ply > 0
      ? { remaining_ms: Math.max(0, Math.round(game.clock[engine])), increment_ms: game.clock.increment }
      : game.clock ? { remaining_ms: Math.round(game.clock[engine]), increment_ms: game.clock.increment } : {};
    return { start: this.tree.start, moves: this.tree.moves(this.end), elo: game.elo, ...clock };
  }

  async answer() {
    const { game, end } = this;
    this.isAsking = true;
    this.showGame();
    try {
      const reply = await this.app.connection.ask("reply", this.gameFields());
      this.isAsking = false;
      if (this.game !== game || this.end !== end || game.over) return;
      const known = this.app.known(end, this.tree)?.legal.find(([uci]) => uci === reply.move);
      const node = this.tree.add(end, reply.move, reply.san);
      if (known) node.placement = known[4];
      byId("announced").textContent = `Heatmap Engine plays ${reply.san}`;
      this.push(node);
    } catch (error) {
      this.isAsking = false;
      this.say(error.message);
      this.showGame();
    }
  }

  takeBack() {
    if (!this.isRunning) return;
    const path = this.tree.path(this.end);
    const plies = this.side === this.game.colour ? 2 : 1;
    if (path.length < plies) { this.say("There is no move of yours to take back."); return; }
    if (this.isAsking) this.app.connection.ask("hurry");
    const node = path[path.length - plies];
    this.tree.current = node.parent;
    this.tree.remove(node);
    this.say("");
    this.marks = [];
    this.isAsking = false;
    this.app.show(this.tree.current);
  }

  async hint() {
    if (!this.mayMove()) return;
    const { end } = this;
    this.say("Looking for a move\u2026");
    try {
      const hint = await this.app.connection.ask("hint", this.gameFields());
      if (this.end !== end) return;
      this.say(`Hint: ${hint.san}, expecting ${hint.line.slice(1, 4).map(([, san]) => san).join(" ") || "nothing more"} (${this.valueWords(hint)})`);
      const move = this.app.known(end, this.tree).legal.find(([uci]) => uci === hint.move);
      this.marks = [{ from: move[2], to: move[3], rank: 0, kind: "own" }];
      this.app.draw();
    } catch (error) { this.say(error.message); }
  }

  valueWords(found) {
    return valueOrMate(found.score, found.mate_in, this.app.hello.decimals);
  }

  async offerDraw() {
    if (!this.mayMove()) { this.say("A draw can be offered at your move."); return; }
    const { end } = this;
    this.say("The engine thinks about your offer\u2026");
    try {
      const answer = await this.app.connection.ask("draw", this.gameFields());
      if (this.end !== end || !this.isRunning) return;
      if (answer.accepts) this.finish("1/2-1/2", "draw by agreement");
      else this.say(`The engine declines: it sees ${this.valueWords(answer)}.`);
    } catch (error) { this.say(error.message); }
  }

  resign() {
    if (!this.isRunning) return;
    this.finish(this.game.colour === "white" ? "0-1" : "1-0", "resignation");
  }

  finish(result, termination) {
    const { game } = this;
    game.over = { result, termination };
    this.turn = null;
    this.tree.headers = this.headers(result);
    sound(game.sounds, true);
    this.showGame();
    this.keep();
    if (this.end.ply) this.learned.report();
  }

  headers(result) {
    const names = { [this.game.colour]: "Player", [OTHER[this.game.colour]]: this.engineName() };
    return { Event: "Game in the browser", Date: new Date().toISOString().slice(0, 10).replaceAll("-", "."), White: names.white, Black: names.black, Result: result };
  }

  arrows() { return this.tree.current === this.end || this.game?.over ? this.marks : []; }

  // After the game

  forget() {
    this.game = null;
    this.tree = new Tree();
    this.marks = [];
    byId("start-fen").value = "";
    this.keep();
    this.showPanel();
    this.app.show(this.tree.root);
  }

  fromHere() {
    const position = this.app.known();
    if (!position || position.over) { this.say("The game is over in this position; step back to play on from there."); return; }
    this.begin(position.fen);
  }

  explore() {
    const { app } = this;
    const tree = Tree.restored({ ...this.tree.saved() });
    app.explored = tree;
    app.go("explore");
  }

  // What is shown

  say(words) { byId("game-answer").textContent = words; }

  showPanel() {
    byId("new-game").hidden = Boolean(this.game);
    byId("game-panel").hidden = !this.game;
    this.showPlayers();
    this.showGame();
  }

  engineName() { return this.game?.elo ? `Heatmap Engine (${this.game.elo})` : "Heatmap Engine"; }

  showPlayers() {
    const isHere = this.app.name === "play" && this.game;
    const names = { upper: "upper-player", lower: "lower-player" };
    const lower = this.app.board.flipped ? "black" : "white";
    for (const [where, id] of Object.entries(names)) {
      const side = where === "lower" ? lower : OTHER[lower], place = byId(id);
      place.hidden = !isHere;
      if (!isHere) continue;
      place.dataset.colour = side;
      place.querySelector(".name").textContent = side === this.game.colour ? "You" : this.engineName();
    }
    this.clocks.show();
  }

  showGame() {
    const { game } = this;
    if (!game) return;
    document.body.dataset.game = game.over ? "over" : this.isAsking ? "thinking" : "running";
    byId("game-title").textContent = game.elo ? `Against level ${game.elo}` : "Against full strength";
    byId("game-buttons").hidden = Boolean(game.over);
    byId("after-buttons").hidden = !game.over;
    byId("game-state").textContent = game.over ? `${game.over.result}, ${game.over.termination}` : this.isAsking ? "The engine thinks\u2026" : this.side === game.colour ? "Your move" : "";
    document.title = this.mayMove() && this.app.name === "play" ? "Your move \u2013 Heatmap Engine" : "Heatmap Engine";
    this.listMoves();
    this.showPlayers();
  }

  listMoves() {
    const list = byId("game-moves");
    list.replaceChildren();
    const path = this.tree.path(this.end);
    path.forEach((node, i) => {
      const number = numberBefore(this.tree.start, node.ply);
      if (number || i === 0) html(list, "li", { class: "number" }, number || numberBefore(this.tree.start, node.ply, true).replace("\u2026", "."));
      if (!number && i === 0) html(list, "li", {}, "\u2026");
      const button = html(html(list, "li"), "button", { class: "token", type: "button" }, node.san);
      if (node === this.tree.current) button.setAttribute("aria-current", "true");
      button.addEventListener("click", () => this.app.show(node, { isStep: true }));
    });
    list.querySelector("[aria-current]")?.scrollIntoView?.({ block: "nearest" });
  }

  moved() { this.showGame(); }
  flipped() { this.showPlayers(); }

  enter() {
    byId("bar").hidden = true;
    byId("curve-figure").hidden = true;
    this.showPanel();
  }

  // Keeping the game over a reload

  keep() {
    try {
      if (!this.game) sessionStorage.removeItem(KEPT);
      else sessionStorage.setItem(KEPT, JSON.stringify({ game: this.game, tree: this.tree.saved() }));
    } catch { /* a browser that keeps nothing */ }
  }

  leave() {
    document.title = "Heatmap Engine";
    for (const id of ["upper-player", "lower-player"]) byId(id).hidden = true;
  }

  restore() {
    try {
      const { game, tree } = JSON.parse(sessionStorage.getItem(KEPT));
      this.game = game;
      this.tree = Tree.restored(tree);
      this.tree.current = this.tree.end();
      this.app.board.flipped = game.colour === "black";
    } catch { /* there is no game */ }
    if (this.game?.over && this.game.id) setTimeout(() => this.learned.report(), 0);
  }

  // An address of a game shows the position in it; one that is not of this game is of none.
  follow(words) {
    const moves = (words.get("moves") || "").split(" ").filter(Boolean);
    let node = this.tree.root;
    if ((words.get("fen") || null) === this.tree.start) for (const uci of moves) node = node?.children.find((child) => child.uci === uci);
    const isKnown = node && (moves.length > 0 || !this.game);
    this.app.show(isKnown ? node : this.end, { keepsAddress: true });
  }
}
