// The way to the engine: questions with answers, what is told without being asked, and coming back after a loss.

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 3000;
const SILENCE_MS = 15000;
const PING_MS = 4000;

export class Connection {
  constructor() {
    this.number = 0;
    this.asked = new Map();
    this.hearers = new Map();
    this.pause = FIRST_PAUSE_MS;
    this.socket = null;
    this.isOpen = false;
    this.open();
    // A lid that was closed, a network that went: the socket may be dead and not know it.
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.isAlive(); });
    window.addEventListener("online", () => this.isAlive());
    window.addEventListener("pagehide", () => { this.isLeaving = true; this.socket?.close(); });
    window.addEventListener("pageshow", (event) => { if (event.persisted) { this.isLeaving = false; this.open(); } });
    setInterval(() => { if (!document.hidden) this.isAlive(); }, SILENCE_MS);
  }

  open() {
    if (this.isLeaving || (this.socket && this.socket.readyState < 2)) return;
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    this.socket = socket;
    socket.addEventListener("message", (event) => { if (socket === this.socket) this.hear(JSON.parse(event.data)); });
    socket.addEventListener("close", () => { if (socket === this.socket) this.lose(); });
  }

  lose() {
    if (this.isLeaving) return;
    if (this.isOpen) this.tell("lost", {});
    this.isOpen = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), this.pause);
    this.pause = Math.min(this.pause * 1.6, LONGEST_PAUSE_MS);
    if (this.pause > 2 * FIRST_PAUSE_MS) this.tell("lost", {});
  }

  // Whether the server still answers; if not, another socket is tried.
  isAlive() {
    if (!this.isOpen) { this.open(); return; }
    const socket = this.socket;
    const timer = setTimeout(() => {
      if (socket !== this.socket) return;
      this.socket = null;
      socket.close();
      this.lose();
    }, PING_MS);
    this.ask("ping").then(() => clearTimeout(timer));
  }

  hear(message) {
    if (message.push === "hello") {
      this.pause = FIRST_PAUSE_MS;
      this.isOpen = true;
      const lost = [...this.asked.values()];
      this.tell("hello", message);
      // Questions have the same answer however often they are asked: those that were lost are asked again.
      for (const question of lost) this.socket.send(question.text);
    } else if (message.push) {
      this.tell(message.push, message);
    } else if (this.asked.has(message.re)) {
      const { resolve, reject } = this.asked.get(message.re);
      this.asked.delete(message.re);
      if (message.error !== undefined) reject(new Error(message.error));
      else resolve(message);
    }
  }

  tell(name, message) { for (const hear of this.hearers.get(name) || []) hear(message); }

  // Pushes are named analysis, annotation and learned; hello and lost are told as well.
  on(name, hear) { this.hearers.set(name, [...(this.hearers.get(name) || []), hear]); }

  // A promise of the answer; it has the question's number as `id`, under which pushes refer to it.
  ask(what, fields = {}) {
    const id = ++this.number;
    const text = JSON.stringify({ id, do: what, ...fields });
    const promise = new Promise((resolve, reject) => this.asked.set(id, { text, resolve, reject }));
    promise.id = id;
    if (this.isOpen && this.socket.readyState === 1) this.socket.send(text);
    return promise;
  }
}
