"""What the folders of runs and of matches have in common: a lock, whole files, and their openings."""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from games.durable import put_in_place
from games.openings import Opening
from games.record import GameRecord


class BusyFolder(Exception):
    """Another process has the lock."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """While the block runs, no other process gets this lock; raises BusyFolder instead of waiting."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyFolder(str(path)) from None
        yield
    finally:
        os.close(descriptor)


def write_at_once(path: Path, text: str) -> None:
    """Write a file that is whole whenever somebody reads it, even after a power cut.

    An OSError, as of a full disk, names it.
    """
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_text(text, encoding="utf-8")
        put_in_place(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error


def openings_as_pgn(openings: Sequence[Opening], event: str) -> str:
    """The lines as `load_openings` reads them back."""
    return "".join(
        _opening_record(opening, number, event).to_pgn() for number, opening in enumerate(openings, 1)
    )


def _opening_record(opening: Opening, number: int, event: str) -> GameRecord:
    return GameRecord(
        tuple(move.uci() for move in opening.moves),
        start=opening.start,
        event=event,
        round=str(number),
        tags={"Opening": opening.name, **({"ECO": opening.eco} if opening.eco else {})},
    )
