import { byId, html, svg } from "./shapes.js";
import { shownValue, withMinus } from "./values.js";
import { Board } from "./board.js";
import { Curve, classOfMark } from "./curve.js";
import { roundLimit } from "./colours.js";
import { Tree, numberBefore } from "./tree.js";

// Exploring: a game with variations, the live analysis, what the table knows, why, and texts in and out.

const KEPT = "heatmap-engine-analysis";
const TABS = ["table", "why", "game"];
const PV_PLIES = 24;

export class Explore {
  constructor(app) {
    this.app = app;
    this.isOn = false;
    this.analysed = null;
    this.tab = "table";
    try { Object.assign(this, JSON.parse(sessionStorage.getItem(KEPT) || "{}")); } catch { /* nothing was kept */ }
    if (!TABS.includes(this.tab)) this.tab = "table";
    this.listen();
  }

  listen() {
    const { connection } = this.app;
    byId("analysis-on").addEventListener("click", () => this.switch(!this.isOn));
    byId("line-count").addEventListener("change", () => { byId("line-count").blur(); this.analyse(); });
    document.addEventListener("visibilitychange", () => this.seen());
    connection.on("analysis", (found) => this.hearAnalysis(found));
    connection.on("annotation", (progress) => this.hearProgress(progress));
    for (const name of TABS) byId(`tab-${name}`).addEventListener("click", () => this.open(name));
    document.querySelector(".tabs").addEventListener("keydown", (event) => this.tabKey(event));
    byId("why-best").addEventListener("click", () => this.why());
    byId("why-last").addEventListener("click", () => this.whyLast());
    byId("set-fen").addEventListener("click", () => this.read(byId("fen").value));
    byId("fen").addEventListener("keydown", (event) => { if (event.key === "Enter") this.read(byId("fen").value); });
    byId("load").addEventListener("click", () => this.read(byId("pgn").value));
    byId("show-pgn").addEventListener("click", async () => { byId("pgn").value = await this.pgn(); });
    byId("download").addEventListener("click", () => this.download());
    byId("annotate").addEventListener("click", () => this.annotate());
    byId("stop-annotation").addEventListener("click", () => connection.ask("stop annotation"));
    byId("clear").addEventListener("click", () => this.load({ start: null, nodes: [], headers: {} }));
    document.addEventListener("paste", (event) => this.paste(event));
    for (const kind of ["dragover", "dragleave", "drop"]) document.addEventListener(kind, (event) => this.drop(event));
  }

  hello(hello) {
    this.curve = this.curve || new Curve(byId("curve"), hello.colours.arms, hello.mode === "deep" ? 50 : 10, (ply) => this.jump(ply));
    // A server that was started again knows of no annotation: the question is asked again by the connection.
    this.analysed = null;
    this.fetched = null;
  }

  mayMove() { return true; }

  play(move) { this.app.show(this.app.add(move)); }

  enter() {
    byId("bar").hidden = !this.isOn;
    this.showSwitch();
    this.open(this.tab);
  }

  leave() { this.app.connection.ask("stop"); }

  moved() {
    this.found = null;
    this.showTree();
    this.showLines();
    this.showCurve();
    byId("why").replaceChildren();
    byId("game-trouble").textContent = "";
    if (this.isOn && this.app.hello) this.analyse();
  }

  arrived(position) {
    byId("fen").value = position.fen;
    byId("opening").textContent = [position.opening, position.over].filter(Boolean).join(" \u00b7 ");
    if (position.over) this.showLines();
    this.refreshTab();
  }

  // Analysis

  switch(isOn) {
    this.isOn = isOn;
    byId("bar").hidden = !isOn;
    this.keep();
    this.showSwitch();
    if (isOn) this.analyse();
    else {
      this.found = null;
      this.app.connection.ask("stop");
      this.showLines();
      this.app.draw();
    }
  }

  keep() {
    try { sessionStorage.setItem(KEPT, JSON.stringify({ isOn: this.isOn, tab: this.tab })); } catch { /* a browser that keeps nothing */ }
  }

  showSwitch() {
    byId("analysis-on").setAttribute("aria-pressed", String(this.isOn));
    byId("analysis-on").textContent = this.isOn ? "On" : "Off";
  }

  analyse() {
    if (!this.isOn || document.hidden || this.app.name !== "explore") return;
    const { tree, connection } = this.app;
    const question = connection.ask("analyse", { start: tree.start, moves: tree.moves(), lines: Number(byId("line-count").value) });
    this.analysed = question.id;
    this.analysedNode = tree.current;
    question.catch(() => {});
  }

  // Nobody looks at a hidden page: the engine need not think for it.
  seen() {
    if (document.hidden) { if (this.isOn) this.app.connection.ask("stop"); }
    else this.analyse();
  }

  hearAnalysis(found) {
    if (found.asked !== this.analysed || this.app.name !== "explore") return;
    if (found.trouble) { this.app.complain(found.trouble); return; }
    this.found = found;
    document.body.dataset.depth = found.depth;
    document.body.dataset.nodes = found.nodes;
    document.body.dataset.seconds = found.seconds;
    this.showLines();
    this.app.draw();
  }

  arrows() {
    if (!this.isOn || !this.found) return this.whyArrows || [];
    const squares = (uci) => ({ from: squareOf(uci.slice(0, 2)), to: squareOf(uci.slice(2, 4)) });
    const seen = new Set();
    return this.found.lines.filter((line) => {
      const key = line.line[0][0].slice(0, 4);
      return !seen.has(key) && seen.add(key);
    }).slice(0, 3).map((line, rank) => ({ ...squares(line.line[0][0]), rank }));
  }

  valueOf(line) {
    if (line.mate_in !== null && line.mate_in !== undefined) return withMinus(`${line.mate_in > 0 ? "+" : "-"}#${Math.abs(line.mate_in)}`);
    return shownValue(line.score, this.app.hello.decimals);
  }

  showLines() {
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
    why.addEventListener("click", () => this.why(line.line[0][0]));
  }

  showBar() {
    const bar = byId("bar"), position = this.app.known(), best = this.found?.lines[0];
    bar.classList.toggle("flipped", this.app.board.flipped);
    const chances = position?.over ? { "1-0": [1, 0, 0], "0-1": [0, 0, 1], "1/2-1/2": [0, 1, 0] }[position.result] : best?.chances;
    if (!chances) return;
    ["win", "draw", "loss"].forEach((name, i) => { bar.querySelector(`.${name}`).style.height = `${100 * chances[i]}%`; });
    byId("bar-value").textContent = best && !position?.over ? this.valueOf(best) : "";
    const share = chances.map((chance) => `${Math.round(100 * chance)} %`);
    bar.setAttribute("aria-label", `Evaluation: White wins ${share[0]}, draw ${share[1]}, Black wins ${share[2]}`);
    bar.title = bar.getAttribute("aria-label");
  }

  flipped() { this.showBar(); }

  // Moves

  showTree() {
    const place = byId("tree"), { tree } = this.app;
    if (this.written !== tree || this.writtenVersion !== tree.version) this.writeTree(place, tree);
    place.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = this.buttons.get(tree.current);
    if (!current) { place.scrollTop = 0; return; }
    current.setAttribute("aria-current", "true");
    const top = current.offsetTop, low = top + current.offsetHeight;
    if (top < place.scrollTop || low > place.scrollTop + place.clientHeight) place.scrollTop = top - place.clientHeight / 2;
  }

  writeTree(place, tree) {
    [this.written, this.writtenVersion, this.buttons] = [tree, tree.version, new Map()];
    place.replaceChildren();
    this.writeMoves(place, tree.root, true);
    if (!tree.root.children.length) html(place, "span", { class: "faint" }, "No moves yet: play some on the board, or load a game.");
    const { White: white, Black: black, Result: result, Event: event, Date: date } = tree.headers;
    const isKnown = (text) => text && !/^[?.*]+$/.test(text);
    byId("players").textContent = [isKnown(white) || isKnown(black) ? `${white || "?"} \u2013 ${black || "?"}` : "", isKnown(result) ? result : "", isKnown(event) ? event : "", isKnown(date) ? date : "", this.accuracy || ""].filter(Boolean).join(" \u00b7 ");
  }

  // The moves after a node: the main one, then in blocks what could be played instead, then on with the main one.
  writeMoves(place, from, needsNumber) {
    let node = from;
    while (node.children.length) {
      const [main, ...others] = node.children;
      this.writeMove(place, main, needsNumber);
      needsNumber = Boolean(main.words) || others.length > 0;
      for (const other of others) {
        const block = html(place, "span", { class: "variation" });
        this.writeMove(block, other, true);
        this.writeMoves(block, other, Boolean(other.words));
      }
      node = main;
    }
  }

  writeMove(place, node, needsNumber) {
    const { tree } = this.app, number = numberBefore(tree.start, node.ply, needsNumber);
    const pair = html(place, "span", { class: "pair" });
    if (number) html(pair, "span", { class: "number" }, number);
    const button = html(pair, "button", { class: "token", type: "button" }, node.san);
    if (node.mark) html(button, "span", { class: classOfMark(node.mark) }, node.mark);
    this.buttons.set(node, button);
    button.addEventListener("click", () => this.app.show(node));
    place.append(" ");
    if (node.words) html(place, "span", { class: "comment" }, node.words);
  }

  // The curve of the values that the game's moves carry

  showCurve() {
    const { tree } = this.app, line = tree.line();
    const value = (node) => (node.mate !== null ? Math.sign(node.mate) * 3000 : node.cp);
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
    this.keep();
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
    this.showTable();
  }

  async showTable() {
    const { app } = this, { tree } = app, node = tree.current;
    let known;
    try {
      known = await app.connection.ask("table", { start: tree.start, moves: tree.moves() });
    } catch (error) {
      byId("table-words").textContent = error.message;
      byId("rows").replaceChildren();
      return;
    }
    if (app.tree !== tree || tree.current !== node) return;
    const shown = (value) => shownValue(value, app.hello.decimals);
    byId("table-words").textContent = !known.has_table ? "There is no table." : known.known ? `This position: Q ${shown(known.q)}, as it stands ${shown(known.static)}, ${known.visits} visits.` : `The table does not know this position. As it stands: ${shown(known.static)}.`;
    byId("rows").replaceChildren();
    for (const row of known.moves) this.showRow(row, node, shown);
    this.showBestLine(known, node, shown);
  }

  showRow(row, node, shown) {
    const line = html(byId("rows"), "tr", { class: row.known ? "known" : "unknown", "data-uci": row.uci });
    const button = html(html(line, "td"), "button", { class: "token", type: "button" }, row.san);
    button.addEventListener("click", () => this.app.show(this.app.tree.add(node, row.uci, row.san)));
    const mate = row.mate_in !== null && row.known ? withMinus(`${row.mate_in > 0 || (row.mate_in === 0 && row.q > 0) ? "+" : "-"}#${Math.abs(row.mate_in) || ""}`) : null;
    html(line, "td", {}, row.known ? mate || shown(row.q) : shown(row.static));
    html(line, "td", {}, row.known && !mate ? shown(row.learned) : "\u2013");
    html(line, "td", {}, row.visits ?? "\u2013");
    this.showResults(html(line, "td"), row);
    html(line, "td", {}, row.depth ?? "\u2013");
    html(line, "td", {}, row.over || row.source || "as it stands");
    line.title = row.known ? "" : "The table does not know it: the value is the position's as it stands.";
  }

  showResults(cell, row) {
    const numbers = [row.wins, row.draws, row.losses].map((number) => number || 0), all = numbers.reduce((a, b) => a + b, 0);
    if (!all) { cell.textContent = "\u2013"; return; }
    const words = `${numbers[0]} won, ${numbers[1]} drawn, ${numbers[2]} lost`;
    const bar = html(cell, "span", { class: "results", role: "img", "aria-label": words, title: words });
    ["win", "draw", "loss"].forEach((name, i) => { html(bar, "i", { class: name }).style.width = `${(100 * numbers[i]) / all}%`; });
  }

  showBestLine(known, node, shown) {
    const place = byId("best-line"), { tree } = this.app;
    place.replaceChildren();
    if (!known.line.length) return;
    html(place, "span", { class: "faint" }, "Line of best known moves: ");
    known.line.forEach(([, san, value], i) => {
      const number = numberBefore(tree.start, node.ply + i + 1, i === 0);
      const button = html(place, "button", { class: "token", type: "button", title: shown(value) }, `${number ? `${number} ` : ""}${san}`);
      button.addEventListener("click", () => this.app.show(tree.follow(known.line.slice(0, i + 1), node)));
    });
    html(place, "span", { class: "faint" }, ` (${known.line_end})`);
  }

  // Why

  async whyLast() {
    const { tree } = this.app, node = tree.current;
    if (!node.parent) { byId("why").textContent = "There is no move before this position."; return; }
    this.why(node.uci, tree.moves(node.parent));
  }

  async why(move = null, moves = this.app.tree.moves()) {
    const { app } = this, place = byId("why"), node = app.tree.current;
    this.open("why");
    place.replaceChildren();
    html(place, "p", { class: "faint" }, "Searching\u2026");
    try {
      const why = await app.connection.ask("why", { start: app.tree.start, moves, move });
      if (app.tree.current === node) this.showWhy(place, why);
    } catch (error) { place.textContent = error.message; }
    this.analyse(); // which has given way
  }

  showWhy(place, why) {
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

  // Texts

  async read(text) {
    byId("game-trouble").textContent = "";
    try {
      const found = await this.app.connection.ask("read", { text });
      this.load(found);
      if (found.others) byId("game-trouble").textContent = `The first game is shown; the text has ${found.others} more.`;
    } catch (error) {
      this.open("game");
      byId("game-trouble").textContent = error.message;
    }
  }

  load(found, { at = null, isSame = false } = {}) {
    const { app } = this;
    if (!isSame) this.accuracy = "";
    app.explored = Tree.of(found);
    const node = (at || []).reduce((one, uci) => one?.children.find((child) => child.uci === uci), app.explored.root);
    app.positions.clear();
    app.go("explore");
    if (node && node !== app.explored.root) app.show(node, { isStep: true });
  }

  async pgn() {
    const { tree } = this.app;
    const { pgn } = await this.app.connection.ask("write", { start: tree.start, nodes: tree.nodes(), headers: tree.headers });
    return pgn;
  }

  async download() {
    try {
      const link = html(null, "a", { download: "heatmap-engine.pgn" });
      link.href = URL.createObjectURL(new Blob([await this.pgn()], { type: "application/x-chess-pgn" }));
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    } catch (error) { byId("game-trouble").textContent = error.message; }
  }

  async annotate() {
    const { tree, connection } = this.app;
    if (!tree.root.children.length) { byId("game-trouble").textContent = "There are no moves to annotate."; return; }
    byId("game-trouble").textContent = "";
    const question = connection.ask("annotate", { start: tree.start, nodes: tree.nodes(), headers: tree.headers });
    this.annotating = question.id;
    byId("annotating").hidden = false;
    byId("annotate").disabled = true;
    this.hearProgress({ asked: question.id, done: 0, of: tree.mainLine().length - 1 });
    try {
      const found = await question;
      const { white, black } = found.sides;
      const words = ([name, side]) => (side.accuracy === null ? "" : `${name} ${Math.round(side.accuracy)} % accurate`);
      this.accuracy = [["White", white], ["Black", black]].map(words).filter(Boolean).join(", ");
      if (this.app.explored === tree) this.load(found, { at: tree.moves(), isSame: true });
      byId("pgn").value = found.pgn;
    } catch (error) { byId("game-trouble").textContent = error.message; }
    byId("annotating").hidden = true;
    byId("annotate").disabled = false;
  }

  hearProgress({ asked, done, of }) {
    if (asked !== this.annotating) return;
    Object.assign(byId("annotated"), { max: of || 1, value: done });
    byId("annotated-words").textContent = `${done} of ${of} moves`;
  }

  // A text that is pasted anywhere but into a field is read.
  paste(event) {
    if (event.target.matches?.("input, textarea")) return;
    const text = event.clipboardData?.getData("text");
    if (text) this.read(text);
  }

  drop(event) {
    const items = event.dataTransfer?.types || [];
    if (![...items].some((type) => type === "Files" || type === "text/plain")) return;
    event.preventDefault();
    document.body.classList.toggle("dropping", event.type === "dragover");
    if (event.type !== "drop") return;
    const [file] = event.dataTransfer.files;
    if (!file) this.read(event.dataTransfer.getData("text/plain"));
    else file.slice(0, 500000).text().then((text) => this.read(text));
  }

  key(key) {
    if (key === "a") this.switch(!this.isOn);
    else if (key === "y") this.why();
    else return false;
    return true;
  }
}

const squareOf = (name) => name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49);
