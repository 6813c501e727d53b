import { byId, html } from "./shapes.js";
import { classOfMark } from "./curve.js";
import { numberBefore } from "./tree.js";

// The moves of the game that is explored, with its variations, comments and marks.

export class Moves {
  constructor(explore) {
    this.explore = explore;
    this.app = explore.app;
  }

  show() {
    const place = byId("tree"), { tree } = this.app;
    if (this.written !== tree || this.writtenVersion !== tree.version) this.write(place, tree);
    place.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = this.buttons.get(tree.current);
    if (!current) { place.scrollTop = 0; return; }
    current.setAttribute("aria-current", "true");
    const top = current.offsetTop, low = top + current.offsetHeight;
    if (top < place.scrollTop || low > place.scrollTop + place.clientHeight) place.scrollTop = top - place.clientHeight / 2;
  }

  write(place, tree) {
    [this.written, this.writtenVersion, this.buttons] = [tree, tree.version, new Map()];
    place.replaceChildren();
    this.writeMoves(place, tree.root, true);
    if (!tree.root.children.length) html(place, "span", { class: "faint" }, "No moves yet: play some on the board, or load a game.");
    const { White: white, Black: black, Result: result, Event: event, Date: date } = tree.headers;
    const isKnown = (text) => text && !/^[?.*]+$/.test(text);
    byId("players").textContent = [isKnown(white) || isKnown(black) ? `${white || "?"} \u2013 ${black || "?"}` : "", isKnown(result) ? result : "", isKnown(event) ? event : "", isKnown(date) ? date : "", this.explore.texts.accuracy || ""].filter(Boolean).join(" \u00b7 ");
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
}
