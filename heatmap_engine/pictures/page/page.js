"use strict";
// Draws one position of the game at a time. All numbers are in the page's JSON; nothing here computes chess.
(() => {
  const game = JSON.parse(document.getElementById("game").textContent);
  const positions = game.positions;
  const SQUARE = 45, MARGIN = 15, PAPER = "#fcfbf8", INK = "#1d2027";
  const SIDES = ["white", "both", "black"];
  const MEN = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
  const state = { ply: 0, side: game.side, flipped: game.flip };
  const byId = (id) => document.getElementById(id);
  const board = byId("board"), curve = byId("curve");

  function svg(parent, tag, attributes = {}, text = null) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== null) element.textContent = text;
    parent.appendChild(element);
    return element;
  }

  function html(parent, tag, attributes = {}, text = null) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== null) element.textContent = text;
    parent.appendChild(element);
    return element;
  }

  const withMinus = (words) => words.replace("-", "\u2212");

  function shownValue(value) {
    if (value === null) return "\u2013";
    if (typeof value === "string") return value; // a mate
    const size = Math.abs(value);
    const words = size.toFixed(Math.min(game.decimals, size < 99.995 ? 2 : size < 999.95 ? 1 : 0));
    return Number(words) === 0 ? (0).toFixed(game.decimals) : withMinus((value > 0 ? "+" : "-") + words);
  }

  function shownHeat(value) {
    if (Math.abs(value) < 0.05) return "";
    const words = Math.abs(value).toFixed(Math.abs(value) < 9.95 ? 1 : 0);
    return state.side === "both" ? withMinus((value > 0 ? "+" : "-") + words) : words;
  }

  // Colours: the same steps between the palette's colours as in the SVG pictures.

  const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const asHex = (parts) => "#" + parts.map((part) => part.toString(16).padStart(2, "0")).join("");
  const mixed = (cold, hot, share) => cold.map((part, i) => Math.round(part + (hot[i] - part) * share));

  function colour(heat) {
    const arm = game.arms[heat >= 0 ? "white" : "black"];
    const share = Math.min(Math.abs(heat) / game.limits[state.side], 1) * (arm.length - 1);
    const step = Math.min(Math.floor(share), arm.length - 2);
    return mixed(channels(arm[step]), channels(arm[step + 1]), share - step);
  }

  const isLight = (square) => ((square >> 3) + square) % 2 === 1;
  const squareColour = (heat, square) =>
    asHex(isLight(square) ? colour(heat) : mixed([0, 0, 0], colour(heat), game.dark_share));

  function heatOf(position, square) {
    const [white, black] = [position.white[square], position.black[square]];
    return state.side === "both" ? white - black : state.side === "white" ? white : -black;
  }

  // The board.

  function corner(square) {
    const file = square & 7, rank = square >> 3;
    const [column, row] = state.flipped ? [7 - file, rank] : [file, 7 - rank];
    return [MARGIN + column * SQUARE, MARGIN + row * SQUARE];
  }
  const middle = (square) => corner(square).map((edge) => edge + SQUARE / 2);
  const squareOf = (name) => name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49);

  function drawBoard(position) {
    board.replaceChildren();
    board.setAttribute("aria-label", position.title + ", " + position.placement);
    drawCoordinates();
    // Nothing but this shows through where two squares meet.
    svg(board, "rect", { x: MARGIN, y: MARGIN, width: 8 * SQUARE, height: 8 * SQUARE, fill: game.arms.white[0] });
    for (let square = 0; square < 64; square++) {
      const [x, y] = corner(square);
      const fill = squareColour(heatOf(position, square), square);
      svg(board, "rect", { x, y, width: SQUARE, height: SQUARE, fill, "data-square": square });
    }
    if (position.move) markLastMove(position.move);
    drawMen(position);
    for (const side of ["white", "black"]) drawKingBox(position.boxes[side], side);
    const arrows = position.arrows.map((arrow) => ({ ...arrow, tail: middle(arrow.from), head: middle(arrow.to) }));
    for (let square = 0; square < 64; square++) drawNumber(position, square, arrows);
    arrows.map((arrow, rank) => [arrow, rank]).sort((a, b) => lengthOf(b[0]) - lengthOf(a[0]))
      .forEach(([arrow, rank]) => drawArrow(arrow, rank));
  }

  function drawCoordinates() {
    for (let i = 0; i < 8; i++) {
      const at = MARGIN + (i + 0.5) * SQUARE;
      const file = "abcdefgh"[state.flipped ? 7 - i : i], rank = state.flipped ? i + 1 : 8 - i;
      for (const edge of [11, 386]) svg(board, "text", { x: at, y: edge, class: "coordinate" }, file);
      for (const edge of [7, 383]) svg(board, "text", { x: edge, y: at + 4, class: "coordinate" }, rank);
    }
  }

  function drawMen(position) {
    position.placement.split("/").forEach((row, down) => {
      let file = 0;
      for (const man of row) {
        if (man >= "1" && man <= "8") { file += Number(man); continue; }
        const square = 8 * (7 - down) + file++;
        const [x, y] = corner(square);
        if (square === position.check) svg(board, "circle", { cx: x + 22.5, cy: y + 19, r: 18, class: "check", fill: "none", stroke: "#c00018", "stroke-width": 3 });
        const color = man === man.toLowerCase() ? "black" : "white";
        svg(board, "use", { href: `#${color}-${MEN[man.toLowerCase()]}`, transform: `translate(${x + 4.5}, ${y + 0.5}) scale(0.8)` });
      }
    });
  }

  function drawKingBox(squares, side) {
    const edges = squares.map(corner);
    const left = Math.min(...edges.map((edge) => edge[0])) + 1.6, top = Math.min(...edges.map((edge) => edge[1])) + 1.6;
    const width = Math.max(...edges.map((edge) => edge[0])) + SQUARE - 1.6 - left;
    const height = Math.max(...edges.map((edge) => edge[1])) + SQUARE - 1.6 - top;
    const outline = { x: left, y: top, width, height, fill: "none" };
    svg(board, "rect", { ...outline, stroke: PAPER, "stroke-width": 4.4 });
    svg(board, "rect", { ...outline, stroke: game.inks[side], "stroke-width": 2.4, "stroke-dasharray": side === "black" ? "7 4" : "none" });
  }

  function markLastMove([from, to]) {
    for (const square of [from, to]) {
      const [x, y] = corner(square);
      for (const [across, down] of [[0, 0], [1, 0], [1, 1], [0, 1]]) {
        const [tipX, tipY] = [x + across * SQUARE, y + down * SQUARE];
        const points = `${tipX},${tipY} ${tipX + (across ? -8 : 8)},${tipY} ${tipX},${tipY + (down ? -8 : 8)}`;
        svg(board, "polygon", { points, fill: INK, opacity: 0.6 });
      }
    }
  }

  const lengthOf = (arrow) => Math.hypot(arrow.head[0] - arrow.tail[0], arrow.head[1] - arrow.tail[1]);

  const isCrossedOut = (arrow, x, y) => [-7, 0, 7].some((aside) => distanceTo(arrow, x + aside, y) < 8);

  function distanceTo(arrow, x, y) {
    const across = arrow.head[0] - arrow.tail[0], down = arrow.head[1] - arrow.tail[1];
    const along = ((x - arrow.tail[0]) * across + (y - arrow.tail[1]) * down) / lengthOf(arrow) ** 2;
    const share = Math.min(Math.max(along, 0), 1);
    return Math.hypot(x - arrow.tail[0] - share * across, y - arrow.tail[1] - share * down);
  }

  function drawNumber(position, square, arrows) {
    const words = shownHeat(heatOf(position, square));
    const [x, y] = corner(square);
    if (!words || arrows.some((arrow) => isCrossedOut(arrow, x + 22.5, y + 36.7))) return;
    svg(board, "text", { x: x + 22.5, y: y + 40, class: "number" }, words);
  }

  function drawArrow(arrow, rank) {
    const length = lengthOf(arrow), [x, y] = arrow.tail;
    const dx = (arrow.head[0] - x) / length, dy = (arrow.head[1] - y) / length;
    const at = (along, aside) => `${x + dx * along - dy * aside},${y + dy * along + dx * aside}`;
    const half = [3.5, 2.5, 1.8][rank], wing = half + 5.5, tip = length - 6, neck = tip - 15, start = 9;
    const points = [at(start, half), at(neck, half), at(neck, wing), at(tip, 0), at(neck, -wing), at(neck, -half), at(start, -half)];
    svg(board, "polygon", { points: points.join(" "), class: "arrow", fill: INK, stroke: PAPER, "stroke-width": 1.4, "stroke-linejoin": "round", opacity: [0.92, 0.78, 0.66][rank] });
  }

  // The curve: values far from 0 are pressed together, so that a mate leaves room for the rest.

  const pressed = (value) => Math.asinh(value / 10);
  const valuesShown = positions.flatMap((position) => [position.score, position.q]).filter((value) => value !== null);
  const highest = Math.max(pressed(20), ...valuesShown.map((value) => Math.abs(pressed(value))));
  // The first ones get their label where there is no room for all.
  const TICKS = [0, 50, 1000, 250, 10].flatMap((tick) => (tick ? [tick, -tick] : [0]));
  const LEFT = 46, RIGHT = 10, EDGE = 10;

  const plotWidth = () => Math.max(curve.clientWidth, 200) - LEFT - RIGHT;
  const plotHeight = () => Math.max(curve.clientHeight, 80);
  const plyX = (ply) => LEFT + (positions.length > 1 ? (ply / (positions.length - 1)) * plotWidth() : plotWidth() / 2);
  const valueY = (value) => plotHeight() / 2 - (pressed(value) / highest) * (plotHeight() / 2 - EDGE);

  function drawCurve() {
    curve.replaceChildren();
    const right = LEFT + plotWidth(), zero = valueY(0);
    curve.setAttribute("viewBox", `0 0 ${right + RIGHT} ${plotHeight()}`);
    const labels = [];
    for (const tick of TICKS.filter((value) => Math.abs(pressed(value)) <= highest)) {
      svg(curve, "line", { x1: LEFT, x2: right, y1: valueY(tick), y2: valueY(tick), class: "grid" });
      if (labels.some((y) => Math.abs(y - valueY(tick)) < 12)) continue;
      labels.push(valueY(tick));
      svg(curve, "text", { x: LEFT - 6, y: valueY(tick) + 4, class: "tick" }, tick ? withMinus((tick > 0 ? "+" : "") + tick) : "0");
    }
    const line = positions.map((position, ply) => `${plyX(ply)},${valueY(position.score)}`).join(" ");
    drawArea(line, 0, zero, game.arms.white.at(-1), "above");
    drawArea(line, zero, plotHeight(), game.arms.black.at(-1), "below");
    svg(curve, "polyline", { points: line, class: "score" });
    positions.forEach((position, ply) => {
      if (position.q !== null) svg(curve, "circle", { cx: plyX(ply), cy: valueY(position.q), r: positions.length > 150 ? 1.6 : 2.6, class: "q" });
    });
    positions.forEach((position, ply) => {
      if (BAD.includes(position.mark)) svg(curve, "circle", { cx: plyX(ply), cy: valueY(position.score), r: 4.5, class: `marked ${classOf(position.mark)}` });
    });
    svg(curve, "line", { x1: plyX(state.ply), x2: plyX(state.ply), y1: 0, y2: plotHeight(), class: "now" });
    svg(curve, "circle", { cx: plyX(state.ply), cy: valueY(positions[state.ply].score), r: 4, class: "here" });
  }

  function drawArea(line, top, low, fill, name) {
    const clip = svg(curve, "clipPath", { id: `area-${name}` });
    svg(clip, "rect", { x: 0, y: top, width: LEFT + plotWidth() + RIGHT, height: low - top });
    const outline = `${plyX(0)},${valueY(0)} ${line} ${plyX(positions.length - 1)},${valueY(0)}`;
    svg(curve, "polygon", { points: outline, fill, opacity: 0.75, "clip-path": `url(#area-${name})` });
  }

  function plyAt(event) {
    const x = event.clientX - curve.getBoundingClientRect().left;
    return Math.round(((x - LEFT) / plotWidth()) * (positions.length - 1));
  }

  // Words and tables.

  function drawStanding(position) {
    byId("position").textContent = position.mark ? position.title.replace(position.san, (san) => san + position.mark) : position.title;
    const [score, known] = position.shown;
    const q = known === null ? game.without : `Q-value ${shownValue(known)}`;
    const file = position.evaluation ? ` \u00b7 in the file ${position.evaluation}` : "";
    byId("values").textContent = `${game.score} ${shownValue(score)} \u00b7 ${q}${file}`;
    byId("note").textContent = position.note || "";
  }

  function drawCandidates(position) {
    const rows = byId("candidates");
    rows.replaceChildren();
    const next = positions[state.ply + 1];
    position.moves.forEach(([uci, san, ahead, q, score], i) => {
      const row = html(rows, "tr", { class: `${q === null ? "unknown" : "known"}${next && next.uci === uci ? " played" : ""}` });
      for (const words of [i + 1, san, shownValue(ahead), shownValue(q), shownValue(score)]) html(row, "td", {}, words);
    });
    if (!position.moves.length) html(html(rows, "tr"), "td", { colspan: 5 }, "nothing: the game is over");
    rows.parentElement.parentElement.scrollTop = 0;
  }

  // What annotators call an inaccuracy, a mistake and a blunder; other marks have no colour.
  const BAD = ["?!", "?", "??"];
  const classOf = (mark) => (BAD.includes(mark) ? `bad-${BAD.indexOf(mark)}` : "");

  function listMoves() {
    const list = byId("moves");
    positions.slice(1).forEach((position, i) => {
      if (position.is_white_move || i === 0) html(list, "li", { class: "number" }, `${position.number}.`);
      if (i === 0 && !position.is_white_move) html(list, "li", {}, "\u2026");
      const button = html(html(list, "li"), "button", { "data-ply": i + 1 }, position.san);
      if (position.mark) html(button, "span", { class: classOf(position.mark) }, position.mark);
      button.addEventListener("click", () => goTo(i + 1));
    });
  }

  function markMove() {
    const list = byId("moves");
    for (const button of list.querySelectorAll("button[aria-current]")) button.removeAttribute("aria-current");
    const button = list.querySelector(`button[data-ply="${state.ply}"]`);
    if (!button) { list.scrollTop = 0; return; }
    button.setAttribute("aria-current", "true");
    const top = button.offsetTop, low = top + button.offsetHeight;
    if (top < list.scrollTop || low > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
  }

  function drawLegend() {
    const arm = (side) => game.arms[side];
    const stops = state.side === "both" ? [...arm("black").toReversed(), ...arm("white").slice(1)] : arm(state.side);
    byId("bar").style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    const limit = game.limits[state.side];
    byId("cold-end").textContent = state.side === "both" ? `Black ${limit}` : "0";
    const hot = state.side === "black" ? "Black" : "White";
    byId("hot-end").textContent = state.side === "both" ? `${limit} ${hot} (heat units)` : `${limit} heat units, ${hot}`;
    for (const button of document.querySelectorAll("[data-side]")) button.setAttribute("aria-pressed", button.dataset.side === state.side);
    byId("flip").setAttribute("aria-pressed", state.flipped);
  }

  function draw() {
    const position = positions[state.ply];
    document.body.dataset.ply = state.ply;
    drawStanding(position);
    drawBoard(position);
    drawLegend();
    drawCurve();
    drawCandidates(position);
    markMove();
    for (const id of ["first", "previous"]) byId(id).disabled = state.ply === 0;
    for (const id of ["next", "last"]) byId(id).disabled = state.ply === positions.length - 1;
  }

  function goTo(ply) {
    state.ply = Math.min(Math.max(ply, 0), positions.length - 1);
    draw();
  }
  const flip = () => { state.flipped = !state.flipped; draw(); };
  const show = (side) => { state.side = side; draw(); };

  const KEYS = {
    ArrowLeft: () => goTo(state.ply - 1),
    ArrowRight: () => goTo(state.ply + 1),
    Home: () => goTo(0),
    End: () => goTo(positions.length - 1),
    f: flip,
    s: () => show(SIDES[(SIDES.indexOf(state.side) + 1) % SIDES.length]),
  };

  document.addEventListener("keydown", (event) => {
    const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    act();
  });
  byId("first").addEventListener("click", KEYS.Home);
  byId("previous").addEventListener("click", KEYS.ArrowLeft);
  byId("next").addEventListener("click", KEYS.ArrowRight);
  byId("last").addEventListener("click", KEYS.End);
  byId("flip").addEventListener("click", flip);
  for (const button of document.querySelectorAll("[data-side]")) button.addEventListener("click", () => show(button.dataset.side));
  curve.addEventListener("pointerdown", (event) => { goTo(plyAt(event)); });
  curve.addEventListener("pointermove", (event) => { if (event.buttons & 1) goTo(plyAt(event)); });
  window.addEventListener("resize", drawCurve);

  byId("players").textContent = game.players;
  byId("occasion").textContent = game.occasion;
  document.querySelector(".white-box").style.borderColor = game.inks.white;
  document.querySelector(".black-box").style.borderColor = game.inks.black;
  byId("note").hidden = !positions.some((position) => position.note);
  listMoves();
  draw();
})();
