import { byId } from "./shapes.js";
import { withMinus } from "./values.js";
import { Analysis } from "./analysis.js";
import { Curve } from "./curve.js";
import { Moves } from "./moves.js";
import { TablePanel } from "./table.js";
import { Texts } from "./texts.js";
import { WhyPanel } from "./why.js";

// Exploring: a game with variations, and around it what the engine says of the position on the board.

const KEPT = "heatmap-engine-tab";
const TABS = ["table", "why", "game"];
const MATE = 3000; // on the curve

export class Explore {
  constructor(app) {
    this.app = app;
    this.analysis = new Analysis(this);
    this.moves = new Moves(this);
    this.table = new TablePanel(app);
    this.texts = new Texts(this);
    this.why = new WhyPanel(this);
    this.tab = TABS[0];
    try { this.tab = sessionStorage.getItem(KEPT) || TABS[0]; } catch { /* nothing was kept */ }
    for (const name of TABS) byId(`tab-${name}`).addEventListener("click", () => this.open(name));
    document.querySelector(".tabs").addEventListener("keydown", (event) => this.tabKey(event));
  }

  hello(hello) {
    this.curve = this.curve || new Curve(byId("curve"), hello.colours.arms, hello.mode === "deep" ? 50 : 10, (ply) => this.jump(ply));
  }

  mayMove() { return true; }

  play(move) { this.app.show(this.app.add(move)); }

  enter() {
    this.analysis.enter();
    this.open(TABS.includes(this.tab) ? this.tab : TABS[0]);
  }

  leave() { this.analysis.leave(); }

  arrows() { return this.analysis.arrows(); }

  moved() {
    this.moves.show();
    this.analysis.moved();
    this.showCurve();
    this.why.clear();
    this.texts.complain("");
  }

  arrived(position) {
    byId("fen").value = position.fen;
    byId("opening").textContent = [position.opening, position.over].filter(Boolean).join(" \u00b7 ");
    if (position.over) this.analysis.show();
    this.refreshTab();
  }

  flipped() { this.analysis.showBar(); }

  // The curve of the values that the game's moves carry

  showCurve() {
    const { tree } = this.app, line = tree.line();
    const value = (node) => (node.mate !== null ? Math.sign(node.mate) * MATE : node.cp);
    const points = line.map((node) => ({ value: node.parent ? value(node) : null, q: null, mark: node.mark }));
    const known = points.filter((point) => point.value !== null).length;
    byId("curve-figure").hidden = known < 2;
    if (known < 2 || !this.curve) return;
    this.curve.draw(points, line.indexOf(tree.current));
    const node = tree.current;
    const words = node.mate !== null ? ` \u00b7 here ${withMinus(`#${node.mate}`)}` : node.cp !== null ? ` \u00b7 here ${withMinus((node.cp / 100).toFixed(2))}` : "";
    byId("curve-words").textContent = words;
  }

  resize() { this.showCurve(); }

  jump(ply) {
    const { tree } = this.app, node = tree.line()[ply];
    if (node && node !== tree.current) this.app.show(node, { isStep: true });
  }

  // Panels

  open(name) {
    this.tab = name;
    try { sessionStorage.setItem(KEPT, name); } catch { /* a browser that keeps nothing */ }
    for (const each of TABS) {
      const is = each === name, tab = byId(`tab-${each}`);
      tab.setAttribute("aria-selected", String(is));
      tab.tabIndex = is ? 0 : -1;
      byId(`panel-${each}`).hidden = !is;
    }
    this.refreshTab();
  }

  tabKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const name = TABS[(TABS.indexOf(this.tab) + step + TABS.length) % TABS.length];
    this.open(name);
    byId(`tab-${name}`).focus();
    event.preventDefault();
    event.stopPropagation();
  }

  refreshTab() {
    if (this.app.name !== "explore" || !this.app.hello || this.tab !== "table") return;
    this.table.show();
  }

  key(key) {
    if (key === "a") this.analysis.switch();
    else if (key === "y") this.why.ask();
    else return false;
    return true;
  }
}
