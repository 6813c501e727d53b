import { byId, html } from "./shapes.js";
import { valueOrMate } from "./values.js";
import { numberBefore } from "./tree.js";

// The live analysis: lines, arrows and the bar. It rests while nobody looks.

const KEPT = "heatmap-engine-analysis";
const PV_PLIES = 24;

export class Analysis {
  constructor(explore) {
    this.explore = explore;
    this.app = explore.app;
    this.asked = null;
    this.found = null;
    try { this.isOn = sessionStorage.getItem(KEPT) === "on"; } catch { this.isOn = false; }
    byId("analysis-on").addEventListener("click", () => this.switch());
    byId("line-count").addEventListener("change", () => { byId("line-count").blur(); this.analyse(); });
    document.addEventListener("visibilitychange", () => this.seen());
    this.app.connection.on("analysis", (found) => this.hear(found));
  }

  enter() {
    byId("bar").hidden = !this.isOn;
    this.showSwitch();
  }

  leave() { if (this.isOn) this.app.connection.ask("stop"); }

  // Another position is on the board.
  moved() {
    this.found = null;
    this.show();
    if (this.app.hello) this.analyse();
  }

  keep() {
    try { sessionStorage.setItem(KEPT, this.isOn ? "on" : "off"); } catch { /* a browser that keeps nothing */ }
  }

  switch(isOn = !this.isOn) {
    this.isOn = isOn;
    byId("bar").hidden = !isOn;
    this.keep();
    this.showSwitch();
    if (isOn) this.analyse();
    else {
      this.found = null;
      this.app.connection.ask("stop");
      this.show();
      this.app.draw();
    }
  }

  showSwitch() {
    byId("analysis-on").setAttribute("aria-pressed", String(this.isOn));
    byId("analysis-on").textContent = this.isOn ? "On" : "Off";
  }

  analyse() {
    if (!this.isOn || document.hidden || this.app.name !== "explore") return;
    const { tree, connection } = this.app;
    const question = connection.ask("analyse", { start: tree.start, moves: tree.moves(), lines: Number(byId("line-count").value) });
    this.asked = question.id;
    question.catch(() => {});
  }

  // Nobody looks at a hidden page: the engine need not think for it.
  seen() {
    if (document.hidden) { if (this.isOn) this.app.connection.ask("stop"); }
    else this.analyse();
  }

  hear(found) {
    if (found.asked !== this.asked || this.app.name !== "explore") return;
    if (found.trouble) { this.app.complain(found.trouble); return; }
    this.found = found;
    document.body.dataset.depth = found.depth;
    document.body.dataset.nodes = found.nodes;
    document.body.dataset.seconds = found.seconds;
    this.show();
    this.app.draw();
  }

  arrows() {
    if (!this.isOn || !this.found) return [];
    const squares = (uci) => ({ from: squareOf(uci.slice(0, 2)), to: squareOf(uci.slice(2, 4)) });
    const seen = new Set();
    return this.found.lines.filter((line) => {
      const key = line.line[0][0].slice(0, 4);
      return !seen.has(key) && seen.add(key);
    }).slice(0, 3).map((line, rank) => ({ ...squares(line.line[0][0]), rank }));
  }

  valueOf(line) {
    return valueOrMate(line.score, line.mate_in, this.app.hello.decimals);
  }

  show() {
    const list = byId("lines"), position = this.app.known();
    list.replaceChildren();
    byId("effort").textContent = "";
    if (position?.over) html(list, "li", {}, position.over);
    else if (!this.isOn) html(list, "li", { class: "faint" }, "Switch the analysis on to see the best lines.");
    else if (!this.found) html(list, "li", { class: "faint" }, "Searching\u2026");
    else {
      for (const line of this.found.lines) this.showLine(list, line);
      const speed = this.found.seconds > 0.05 ? `, ${Math.round(this.found.nodes / this.found.seconds / 1000).toLocaleString("en")} k/s` : "";
      byId("effort").textContent = `depth ${this.found.depth}/${this.found.selective_depth}${speed}`;
    }
    this.showBar();
  }

  showLine(list, line) {
    const item = html(list, "li"), { tree } = this.app;
    html(item, "span", { class: "value" }, this.valueOf(line));
    const moves = html(item, "span", { class: "moves-of-line" });
    line.line.slice(0, PV_PLIES).forEach(([, san], i) => {
      const ply = tree.current.ply + i + 1, number = numberBefore(tree.start, ply, i === 0);
      const button = html(moves, "button", { class: "token", type: "button" }, `${number ? `${number} ` : ""}${san}`);
      const node = tree.current;
      button.addEventListener("click", () => this.app.show(tree.follow(line.line.slice(0, i + 1), node)));
    });
    const why = html(item, "button", { class: "token", type: "button", "aria-label": `Why ${line.line[0][1]}` }, "why");
    why.addEventListener("click", () => this.explore.why.ask(line.line[0][0]));
  }

  showBar() {
    const bar = byId("bar"), position = this.app.known(), best = this.found?.lines[0];
    bar.classList.toggle("flipped", this.app.board.flipped);
    const chances = position?.over ? { "1-0": [1, 0, 0], "0-1": [0, 0, 1], "1/2-1/2": [0, 1, 0] }[position.result] : best?.chances;
    if (!chances) return;
    ["win", "draw", "loss"].forEach((name, i) => { bar.querySelector(`.${name}`).style.height = `${100 * chances[i]}%`; });
    // The bar is narrow: a mate or a whole number.
    byId("bar-value").textContent = best && !position?.over ? valueOrMate(best.score, best.mate_in, 0) : "";
    const share = chances.map((chance) => `${Math.round(100 * chance)} %`);
    bar.setAttribute("aria-label", `Evaluation: White wins ${share[0]}, draw ${share[1]}, Black wins ${share[2]}`);
    bar.title = bar.getAttribute("aria-label");
  }
}

const squareOf = (name) => name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49);
