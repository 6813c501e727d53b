import { byId } from "./shapes.js";

// The clocks of a game: who is to move loses time, and with the last of it the game.

const LOW_MS = 20000;
const TICK_MS = 100;

export class Clocks {
  constructor(play) {
    this.play = play;
    setInterval(() => this.tick(), TICK_MS);
  }

  left(side) {
    const { play } = this, isRunning = play.turn === side && play.isRunning && play.end.ply > 0;
    return play.game.clock[side] - (isRunning ? performance.now() - play.since : 0);
  }

  tick() {
    const { play } = this;
    if (!play.isRunning || !play.game.clock || !play.turn || !play.end.ply) return;
    const now = performance.now(), { clock } = play.game;
    clock[play.turn] -= now - play.since;
    play.since = now;
    if (clock[play.turn] <= 0) {
      clock[play.turn] = 0;
      play.finish(this.forfeit(play.turn), "time forfeit");
    }
    this.show();
  }

  // Who has a king alone wins nothing, and draws.
  forfeit(loser) {
    const pieces = (this.play.app.known(this.play.end, this.play.tree)?.placement || "").replace(/[^a-z]/gi, "");
    const winners = [...pieces].filter((piece) => (piece === piece.toLowerCase()) === (loser === "white"));
    if (winners.length < 2) return "1/2-1/2";
    return loser === "white" ? "0-1" : "1-0";
  }

  show() {
    const { play } = this;
    for (const id of ["upper-player", "lower-player"]) {
      const place = byId(id), clock = place.querySelector(".clock"), side = place.dataset.colour;
      clock.hidden = !play.game?.clock || play.app.name !== "play";
      if (clock.hidden) continue;
      const ms = Math.max(0, this.left(side)), seconds = Math.ceil(ms / 100) / 10;
      const words = ms < LOW_MS ? `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(1).padStart(4, "0")}` : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
      if (clock.textContent !== words) clock.textContent = words;
      place.classList.toggle("to-move", play.turn === side && play.isRunning);
      place.classList.toggle("low", ms < LOW_MS && play.isRunning && play.turn === side);
    }
  }
}
