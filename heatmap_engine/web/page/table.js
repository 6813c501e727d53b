import { byId, html } from "./shapes.js";
import { valueOrMate } from "./values.js";
import { numberBefore } from "./tree.js";

// What the table knows: a row for each move, and the line of best known moves.

export class TablePanel {
  constructor(app) { this.app = app; }

  async show() {
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
    const shown = (value, mateIn) => valueOrMate(value, mateIn, app.hello.decimals);
    byId("table-words").textContent = !known.has_table ? "There is no table." : known.known ? `This position: Q ${shown(known.q, known.mate_in)}, as it stands ${shown(known.static)}, ${known.visits} visits.` : `The table does not know this position. As it stands: ${shown(known.static)}.`;
    byId("rows").replaceChildren();
    for (const row of known.moves) this.showRow(row, node, shown);
    this.showBestLine(known, node, shown);
  }

  showRow(row, node, shown) {
    const line = html(byId("rows"), "tr", { class: row.known ? "known" : "unknown", "data-uci": row.uci });
    const button = html(html(line, "td"), "button", { class: "token", type: "button" }, row.san);
    button.addEventListener("click", () => this.app.show(this.app.tree.add(node, row.uci, row.san)));
    const isMate = row.mate_in !== null;
    html(line, "td", {}, shown(row.known ? row.q : row.static, row.mate_in));
    html(line, "td", {}, row.known && !isMate ? shown(row.learned) : "\u2013");
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
    known.line.forEach(([, san, value, mateIn], i) => {
      const number = numberBefore(tree.start, node.ply + i + 1, i === 0);
      const button = html(place, "button", { class: "token", type: "button", title: shown(value, mateIn) }, `${number ? `${number} ` : ""}${san}`);
      button.addEventListener("click", () => this.app.show(tree.follow(known.line.slice(0, i + 1), node)));
    });
    html(place, "span", { class: "faint" }, ` (${known.line_end})`);
  }
}
