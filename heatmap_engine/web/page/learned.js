import { byId, html } from "./shapes.js";
import { valueOrMate } from "./values.js";
import { numberBefore } from "./tree.js";

// After a game: it is handed over, and what was learned from it is told, in words and on the board.

const MOST_SHOWN = 8;

export class Learned {
  constructor(play) {
    this.play = play;
    this.app = play.app;
    this.early = null;
    this.app.connection.on("learned", (learned) => this.hear(learned));
  }

  clear() { byId("learned").replaceChildren(); }

  // The finished game goes to the archive and is learned; asked again after a loss, it is still one game.
  async report() {
    const { play } = this, { game, tree } = play;
    try {
      const answer = await this.app.connection.ask("over", {
        start: tree.start, moves: tree.moves(play.end), colour: game.colour, elo: game.elo,
        result: game.over.result, termination: game.over.termination,
      });
      if (play.game !== game) return;
      game.id = answer.game;
      const early = this.early?.game === game.id ? this.early : null;
      game.saved = answer.archive ? `The game is in ${answer.archive}` : answer.trouble || "";
      this.showSaved(answer.learns ? "Learning from the game\u2026" : "Nothing is learned: there is no table that takes it.");
      play.keep();
      if (early) this.hear(early);
    } catch (error) { this.showSaved(error.message); }
  }

  showSaved(words) {
    const place = byId("learned");
    place.replaceChildren();
    html(place, "p", { class: "faint" }, this.play.game.saved || "");
    html(place, "p", { id: "learning" }, words);
  }

  hear(learned) {
    this.early = learned; // perhaps of a game whose answer is still on its way
    if (learned.game !== this.play.game?.id) return;
    if (!learned.changes) { this.showSaved(`Nothing was learned: ${learned.trouble}`); return; }
    this.show(learned);
  }

  show({ changes, steps }) {
    const place = byId("learned"), { hello } = this.app;
    this.showSaved("");
    const count = (number, name) => `${number} ${name}${number === 1 ? "" : "s"}`;
    const words = changes.known_before
      ? `Learned: ${count(changes.positions, "position")}, ${changes.known_before} of them known before. Their values changed by ${changes.mean_change.toFixed(hello.decimals)} on average, and another move is the best at ${changes.picks_changed}.`
      : `Learned: ${count(changes.positions, "position")}, none of them known before.`;
    byId("learning").textContent = words;
    const list = html(place, "ul");
    for (const change of this.worthShowing(changes, steps)) this.listChange(list, change);
    if (changes.known_before) html(place, "p", { class: "faint" }, "heatmap-engine changes --last-game tells the same.");
  }

  // Changed positions; where nothing was known before, those at which another move than the one played is best.
  worthShowing(changes, steps) {
    if (changes.known_before) {
      const found = new Map();
      for (const change of [...changes.other_picks, ...changes.greatest]) found.set(change.line.length, change);
      return [...found.values()].slice(0, MOST_SHOWN).map((change) => ({
        ply: change.line.length, old: change.old_value, value: change.new_value, oldPick: change.old_pick, pick: change.new_pick,
        oldMate: steps[change.line.length].old_mate, mate: steps[change.line.length].mate,
      }));
    }
    const path = this.play.tree.path(this.play.end);
    return steps.map((step, ply) => ({ ply, old: null, value: step.new, mate: step.mate, oldPick: path[ply]?.uci, pick: step.pick }))
      .filter((each) => each.oldPick && each.oldPick !== each.pick).slice(0, MOST_SHOWN);
  }

  listChange(list, change) {
    const { tree, end } = this.play, node = [tree.root, ...tree.path(end)][change.ply];
    if (!node) return;
    const { decimals } = this.app.hello, now = valueOrMate(change.value, change.mate, decimals);
    const values = change.old === null ? now : `${valueOrMate(change.old, change.oldMate, decimals)} \u2192 ${now}`;
    const button = html(html(list, "li"), "button", { type: "button" }, `${node.san ? `After ${numberBefore(tree.start, node.ply, true)} ${node.san}` : "At the start"}: ${values}`);
    const picks = html(button, "span", { class: "faint" }, "");
    this.app.position(node, tree).then((position) => {
      const name = (uci) => position.legal.find(([each]) => each === uci)?.[1] || uci;
      const before = change.old === null ? "played" : "before";
      picks.textContent = change.oldPick && change.oldPick !== change.pick ? `, best ${name(change.pick)}, ${before} ${name(change.oldPick)}` : `, best ${name(change.pick)}`;
      button.addEventListener("click", () => {
        const arrow = (uci, rank, kind) => position.legal.filter(([each]) => each === uci).map(([, , from, to]) => ({ from, to, rank, kind }));
        this.app.show(node, { isStep: true });
        this.play.marks = [...arrow(change.pick, 0, "own"), ...(change.oldPick !== change.pick ? arrow(change.oldPick, 1) : [])];
        this.app.draw();
      });
    }, () => {});
  }
}
