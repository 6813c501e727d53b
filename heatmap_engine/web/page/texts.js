import { byId, html } from "./shapes.js";
import { Tree } from "./tree.js";

// Games and positions as texts: pasted, dropped, downloaded; and a whole game annotated in the background.

const LONGEST_FILE = 500000;

export class Texts {
  constructor(explore) {
    this.explore = explore;
    this.app = explore.app;
    this.accuracy = "";
    const { connection } = this.app;
    connection.on("annotation", (progress) => this.hearProgress(progress));
    byId("set-fen").addEventListener("click", () => this.read(byId("fen").value));
    byId("fen").addEventListener("keydown", (event) => { if (event.key === "Enter") this.read(byId("fen").value); });
    byId("load").addEventListener("click", () => this.read(byId("pgn").value));
    byId("show-pgn").addEventListener("click", () => this.showPgn());
    byId("download").addEventListener("click", () => this.download());
    byId("annotate").addEventListener("click", () => this.annotate());
    byId("stop-annotation").addEventListener("click", () => connection.ask("stop annotation"));
    byId("clear").addEventListener("click", () => this.load({ start: null, nodes: [], headers: {} }));
    document.addEventListener("paste", (event) => this.paste(event));
    for (const kind of ["dragover", "dragleave", "drop"]) document.addEventListener(kind, (event) => this.drop(event));
  }

  complain(words) { byId("game-trouble").textContent = words; }

  async showPgn() {
    try { byId("pgn").value = await this.pgn(); } catch (error) { this.complain(error.message); }
  }

  async read(text) {
    this.complain("");
    try {
      const found = await this.app.connection.ask("read", { text });
      this.load(found);
      if (found.others) byId("game-trouble").textContent = `The first game is shown; the text has ${found.others} more.`;
    } catch (error) {
      this.explore.open("game");
      this.complain(error.message);
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
    } catch (error) { this.complain(error.message); }
  }

  async annotate() {
    const { tree, connection } = this.app;
    if (!tree.root.children.length) { byId("game-trouble").textContent = "There are no moves to annotate."; return; }
    this.complain("");
    const question = connection.ask("annotate", { start: tree.start, nodes: tree.nodes(), headers: tree.headers });
    const { version } = tree;
    this.annotating = question.id;
    byId("annotating").hidden = false;
    byId("annotate").disabled = true;
    this.hearProgress({ asked: question.id, done: 0, of: tree.mainLine().length - 1 });
    try {
      const found = await question;
      const { white, black } = found.sides;
      const words = ([name, side]) => (side.accuracy === null ? "" : `${name} ${Math.round(side.accuracy)} % accurate`);
      this.accuracy = [["White", white], ["Black", black]].map(words).filter(Boolean).join(", ");
      const isUntouched = this.app.explored === tree && tree.version === version && this.app.name === "explore";
      if (isUntouched) this.load(found, { at: tree.moves(), isSame: true });
      else tree.merge(found); // somebody has played on meanwhile, or is elsewhere
      if (this.app.name === "explore") this.explore.moved();
      byId("pgn").value = found.pgn;
    } catch (error) { this.complain(error.message); }
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
    else file.slice(0, LONGEST_FILE).text().then((text) => this.read(text));
  }
}
