"""What the GUI's words ask for; knows no chess beyond the names of moves and positions."""

from dataclasses import dataclass

_NUMBERS = ("depth", "movetime", "wtime", "btime", "winc", "binc", "movestogo", "nodes", "mate")
_FLAGS = ("infinite", "ponder")
_LARGEST = 10**12
_SHORT_MOVE_MS = 200
_SHORT_CLOCK_MS = 20_000


class InvalidCommand(ValueError):
    """A command that cannot be done; the message is fit to be shown."""


@dataclass(slots=True)
class Go:
    """What `go` asks for; times in milliseconds."""

    depth: int | None = None
    movetime: int | None = None
    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    movestogo: int | None = None
    nodes: int | None = None
    mate: int | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()

    @property
    def is_limited(self) -> bool:
        """Whether the search ends by itself; a bare `go` means as long as one lets it."""
        limits = (self.depth, self.movetime, self.wtime, self.btime, self.nodes, self.mate)
        return not self.infinite and limits != (None,) * len(limits)

    @property
    def is_in_a_hurry(self) -> bool:
        """Whether either player may soon lose on time."""
        times = [time for time in (self.movetime, self.wtime, self.btime) if time is not None]
        return bool(times) and min(times) < (_SHORT_MOVE_MS if self.movetime is not None else _SHORT_CLOCK_MS)

    @property
    def plays(self) -> bool:
        """Whether the answer is a move in a game, and not one for analysis."""
        return self.is_limited and self.mate is None and not self.searchmoves

    def borrow_clock(self, ours: str, theirs: str) -> bool:
        """Use the other side's clock, "w" or "b", where the own one is needed and missing; whether it was."""
        is_missing = getattr(self, f"{ours}time") is None and getattr(self, f"{theirs}time") is not None
        if not is_missing or not self.is_limited or self.movetime is not None:
            return False
        for part in ("time", "inc"):
            if getattr(self, ours + part) is None:
                setattr(self, ours + part, getattr(self, theirs + part))
        return True


def parse_go(words: list[str]) -> tuple[Go, list[str]]:
    """What `go` asks for, and what was wrong with it; a wrong part is left out and the rest holds."""
    go, faults = Go(), []
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if word in _FLAGS:
            setattr(go, word, True)
        elif word == "searchmoves":
            end = next((i for i in range(position, len(words)) if words[i] in _KEYWORDS), len(words))
            go.searchmoves = tuple(words[position:end])
            position = end
        elif word in _NUMBERS:
            text = words[position] if position < len(words) else ""
            number = _number(text)
            if number is None:
                faults.append(f"expected a whole number after {word}, got {text!r:.80}")
            else:
                setattr(go, word, number)
            position += text not in _KEYWORDS
        else:
            faults.append(f"expected a part of go, got {word!r:.80}")
    return go, faults


_KEYWORDS = {*_NUMBERS, *_FLAGS, "searchmoves"}


def _number(text: str) -> int | None:
    """Some GUIs write times with a fraction; what is larger than any clock counts as that."""
    digits = text.partition(".")[0]
    if not digits.isascii() or not digits.removeprefix("-").isdigit() or len(digits) > 1000:
        return None
    return max(-_LARGEST, min(int(digits), _LARGEST))


def parse_setoption(words: list[str]) -> tuple[str, str]:
    """Name and value of `setoption name … value …`."""
    if words[:1] != ["name"]:
        raise InvalidCommand("expected setoption name NAME value VALUE, got no name")
    if "value" in words:
        split = words.index("value")
        return " ".join(words[1:split]), " ".join(words[split + 1 :])
    return " ".join(words[1:]), ""


def parse_position(words: list[str]) -> tuple[str | None, list[str]]:
    """The FEN, None for the start position, and the moves of `position … moves …`."""
    split = words.index("moves") if "moves" in words else len(words)
    where, moves = words[:split], words[split + 1 :]
    if where == ["startpos"]:
        return None, moves
    if where[:1] == ["fen"] and len(where) > 1:
        return " ".join(where[1:]), moves
    raise InvalidCommand(f"expected position startpos or position fen FEN, got {' '.join(where)!r:.120}")
