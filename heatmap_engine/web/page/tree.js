// A game with variations. A node is a move; the first child of a node is the main line.

export class Tree {
  constructor(start = null, headers = {}) {
    this.start = start;
    this.headers = headers;
    this.version = 0; // another one after each change of the moves
    this.root = { parent: null, uci: null, san: null, children: [], mark: "", words: "", cp: null, mate: null, ply: 0 };
    this.current = this.root;
  }

  static of({ start, nodes, headers }) {
    const tree = new Tree(start, headers || {});
    const made = [tree.root];
    for (const [parent, uci, san, mark, words, cp, mate] of nodes) {
      made.push(Object.assign(tree.add(made[parent], uci, san), { mark, words, cp, mate }));
    }
    tree.current = tree.root;
    return tree;
  }

  // The child with this move, a new one if there is none.
  add(parent, uci, san) {
    const known = parent.children.find((child) => child.uci === uci);
    if (known) return known;
    const node = { parent, uci, san, children: [], mark: "", words: "", cp: null, mate: null, ply: parent.ply + 1 };
    parent.children.push(node);
    this.version += 1;
    return node;
  }

  path(node = this.current) {
    const moves = [];
    for (let at = node; at.parent; at = at.parent) moves.unshift(at);
    return moves;
  }

  moves(node = this.current) { return this.path(node).map((at) => at.uci); }

  // The way to a node, and on from it along the first moves.
  line(node = this.current) {
    const nodes = [this.root, ...this.path(node)];
    while (nodes.at(-1).children.length) nodes.push(nodes.at(-1).children[0]);
    return nodes;
  }

  mainLine() { return this.line(this.root); }
  end() { return this.line().at(-1); }

  follow(line, from = this.root) {
    return line.reduce((node, [uci, san]) => this.add(node, uci, san), from);
  }

  // What was written about moves while others may have been added.
  merge({ nodes, headers }) {
    const met = [this.root];
    for (const [parent, uci, san, mark, words, cp, mate] of nodes) {
      met.push(Object.assign(this.add(met[parent], uci, san), { mark, words, cp, mate }));
    }
    this.headers = headers;
    this.version += 1;
  }

  remove(node) {
    this.version += 1;
    node.parent.children = node.parent.children.filter((child) => child !== node);
    if (this.path().includes(node) || this.current === node) this.current = node.parent;
  }

  // All nodes as the server takes them; `withNames` adds the names of the moves, as it gives them.
  nodes(withNames = false) {
    const list = [];
    const waiting = [...this.root.children].reverse().map((child) => [child, 0]);
    while (waiting.length) {
      const [node, parent] = waiting.pop();
      list.push([parent, node.uci, ...(withNames ? [node.san] : []), node.mark, node.words, node.cp, node.mate]);
      const number = list.length;
      for (const child of [...node.children].reverse()) waiting.push([child, number]);
    }
    return list;
  }

  saved() { return { start: this.start, headers: this.headers, nodes: this.nodes(true), at: this.moves() }; }

  static restored(saved) {
    const tree = Tree.of(saved);
    let node = tree.root;
    for (const uci of saved.at || []) node = node.children.find((child) => child.uci === uci) || node;
    tree.current = node;
    return tree;
  }
}

// Which half move a game begins with: 0 for White's first.
export function firstPly(start) {
  if (!start) return 0;
  const words = start.split(" ");
  return 2 * ((Number(words[5]) || 1) - 1) + (words[1] === "b" ? 1 : 0);
}

export function numberBefore(start, ply, always = false) {
  const at = firstPly(start) + ply - 1;
  if (at % 2 === 0) return `${at / 2 + 1}.`;
  return always ? `${(at - 1) / 2 + 1}\u2026` : "";
}
