import { byId, html } from "./shapes.js";
import { Board } from "./board.js";
import { drawCurves, drawShares } from "./charts.js";
import { Tree } from "./tree.js";

// Watching runs of self-play and tuning: the list, one run as curves, and its newest game on a small board.

const EVERY_MS = 3000;
const MOVE_MS = 900;
const KINDS = ["pawn", "knight", "bishop", "rook", "queen"];

export class Runs {
  constructor(app) {
    this.app = app;
    this.chosen = null;
    this.ply = 0;
    this.isPaused = matchMedia("(prefers-reduced-motion: reduce)").matches;
    byId("watch-pause").addEventListener("click", () => { this.isPaused = !this.isPaused; this.showPause(); });
    byId("watch-explore").addEventListener("click", () => this.explore());
    setInterval(() => this.refresh(), EVERY_MS);
    setInterval(() => this.step(), MOVE_MS);
    this.showPause();
  }

  get isSeen() { return this.app.name === "runs" && !document.hidden && this.app.hello; }

  mayMove() { return false; }
  enter() { this.refresh(); }
  hello() { this.refresh(); }
  resize() { if (this.run) this.showCharts(); }

  choose(name, isNew = true) {
    if (this.chosen !== name) { this.run = null; this.game = null; }
    this.chosen = name;
    if (isNew) history.pushState(null, "", this.app.address());
    this.refresh();
  }

  async refresh() {
    if (!this.isSeen || this.isAsking) return;
    this.isAsking = true;
    try {
      const found = await this.app.connection.ask("runs");
      this.showList(found);
      if (this.chosen) {
        const name = this.chosen, run = await this.app.connection.ask("run", { name });
        if (name === this.chosen) this.show(run);
      }
    } catch (error) { byId("run-words").textContent = error.message; }
    this.isAsking = false;
  }

  showList({ runs, folders }) {
    byId("runs-words").textContent = runs.length ? "" : `No run of selfplay or tune is in ${folders.join(" or ")}.`;
    const text = JSON.stringify([runs, this.chosen]);
    if (text === this.listed) return;
    this.listed = text;
    byId("runs").replaceChildren();
    for (const run of runs) {
      const button = html(html(byId("runs"), "li"), "button", { type: "button", "aria-pressed": String(run.name === this.chosen) }, run.name);
      html(button, "small", {}, `${run.kind === "tuning" ? "Tuning" : "Self-play"}, ${new Date(1000 * run.changed).toLocaleString()}`);
      button.addEventListener("click", () => this.choose(run.name));
    }
    if (!this.chosen && runs.length) this.choose(runs[0].name, false);
  }

  show(run) {
    this.run = run;
    byId("run-name").textContent = run.name;
    const planned = run.planned ? ` of ${run.planned.toLocaleString("en")}` : run.hours ? ` in ${run.hours} hours` : run.rounds ? `, ${run.measured.length} of ${run.rounds} rounds` : "";
    const results = run.whole ? `; White won ${run.whole.white_wins}, ${run.whole.draws} draws, Black won ${run.whole.black_wins}` : `; method ${run.method}`;
    byId("run-words").textContent = `Mode ${run.mode}, ${run.games.toLocaleString("en")}${planned} games${results}.`;
    this.showCharts();
    this.watch(run.game);
  }

  showCharts() {
    const { run } = this, parts = run.parts || [];
    const strength = [...new Set(run.strength.map((point) => point.part))].map((part) => ({
      name: part, points: run.strength.filter((point) => point.part === part && point.elo !== null).map((point) => [point.games, point.elo, point.elo_low, point.elo_high]),
    }));
    drawCurves(byId("chart-strength"), strength, run.kind === "tuning" ? "No checkpoint was measured yet" : "heatmap-engine curve measures it");
    const speed = run.kind === "tuning"
      ? run.measured.filter((one) => one.cpu_seconds).map((one) => [one.games, (3600 * one.games) / one.cpu_seconds])
      : parts.filter((part) => part.games_per_hour !== null).map((part) => [part.last, part.games_per_hour]);
    drawCurves(byId("chart-speed"), [{ name: "", points: speed }], "No games yet");
    drawShares(byId("chart-results"), parts.map((part) => [part.white, part.draws, part.black]), "No results are kept");
    const values = KINDS.map((kind) => ({ name: kind, points: run.values.map((point) => [point.games, point.pieces[kind]]) })).filter(({ points }) => points.length);
    drawCurves(byId("chart-values"), values, "Nothing was learned of pieces yet");
  }

  // The newest game is shown to its end before a newer one begins.
  watch(game) {
    if (!game) { byId("watched-words").textContent = "No game yet"; return; }
    const isAtEnd = !this.game || this.ply >= this.game.placements.length - 1;
    if (this.game && (!isAtEnd || JSON.stringify(game.names) === JSON.stringify(this.game.names))) return;
    this.game = game;
    this.ply = 0;
    this.showGame();
  }

  step() {
    if (!this.isSeen || !this.game || this.isPaused || this.ply >= this.game.placements.length - 1) return;
    this.ply += 1;
    this.showGame();
  }

  showGame() {
    const { game, ply } = this;
    this.board = this.board || new Board(byId("small-board"), this.app.hello.colours);
    this.board.draw({ placement: game.placements[ply], last: game.lasts[ply], heat: null });
    const isOver = ply === game.placements.length - 1;
    const names = [game.white, game.black].filter((name) => name && name !== "?");
    byId("watched-words").textContent = `The newest game${names.length ? `, ${names.join(" \u2013 ")}` : ""}: ${ply ? `ply ${ply}, ${game.names[ply - 1]}` : "start"}${isOver ? `, ${game.result} ${game.termination}` : ""}`;
    byId("small-board").setAttribute("aria-label", byId("watched-words").textContent);
  }

  showPause() {
    byId("watch-pause").setAttribute("aria-pressed", String(this.isPaused));
    byId("watch-pause").textContent = this.isPaused ? "Go on" : "Pause";
  }

  explore() {
    if (!this.game) return;
    const tree = new Tree(this.game.start || null, { White: this.game.white, Black: this.game.black, Result: this.game.result });
    tree.follow(this.game.moves.map((uci, i) => [uci, this.game.names[i]]));
    this.app.explored = tree;
    this.app.go("explore");
  }
}
