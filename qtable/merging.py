"""Brings what other tables learned into one."""

from collections.abc import Iterator
from itertools import islice

from qtable.entry import Entry
from qtable.errors import DuplicateJournalLine, TableError
from qtable.journal import JournalLine
from qtable.progress import Progress, counted
from qtable.schema import require_settings
from qtable.table import QTable

_ROWS_PER_RECORD = 10_000


def merge(
    target: QTable, *sources: QTable, allow_duplicates: bool = False, progress: Progress | None = None
) -> None:
    """Record all that `sources` hold in `target`, journal included; nothing of it if it raises.

    A note is about one journal: `target` keeps its own, and takes those of a source if its journal is empty.

    A journal line that is known already means that its results would count twice, which raises
    DuplicateJournalLine; with `allow_duplicates` they do count twice and the known line stays.
    """
    with target.transaction():
        merged = [target.path]
        for source in sources:
            if source.path is not None and source.path in merged:
                raise TableError(f"{source.path} cannot be merged into itself, nor twice; nothing was merged")
            merged.append(source.path)
            require_settings(source.path, source.settings, target.settings)
            with source.snapshot():
                lines = _new_lines(target, source, allow_duplicates)
                if not target.journal_length():
                    _copy_notes(target, source)
                _record_all(target, counted(source, len(source), progress))
                target.record({}, lines)


def _copy_notes(target: QTable, source: QTable) -> None:
    """Where nothing else was learned, what is noted of the source holds of the target too."""
    for name in source.notes():
        target.set_note(name, source.note(name))


def _record_all(target: QTable, entries: Iterator[tuple[str, Entry]]) -> None:
    while batch := dict(islice(entries, _ROWS_PER_RECORD)):
        target.record(batch)


def _new_lines(target: QTable, source: QTable, allow_duplicates: bool) -> list[JournalLine]:
    new = [line for line in source.journal() if not target.has_journal_line(line.id)]
    known = source.journal_length() - len(new)
    if known and not allow_duplicates:
        raise DuplicateJournalLine(
            f"{known} of the {known + len(new)} journal lines of {source.path} are already in {target.path}: "
            "their results would count twice; nothing was merged; --allow-duplicates counts them all the same"
        )
    return new
