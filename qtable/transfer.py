"""Tables as text and back: CSV for the entries alone, JSON Lines for settings, entries and journal.

A JSON Lines file has one object per line: first `{"settings": {…}}`, then `{"key": …, "value": …, …}` for
each entry, `{"note": name, "text": …}` for each note, and `{"journal": id, "line": …, "added": …}` for each
line of the journal. Numbers are written with as many digits as it takes to read back exactly the same.
"""

import csv
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TextIO

from qtable.drafts import NameTaken, draft_of_table
from qtable.entry import Entry, combine
from qtable.errors import TableError
from qtable.file import read_header, require_writable
from qtable.journal import JournalLine
from qtable.json_input import InvalidJson, parse_json_object
from qtable.progress import Progress, counted
from qtable.schema import Setting, Settings
from qtable.table import QTable

FORMATS = ("csv", "jsonl")

_COLUMNS = ("key", *Entry._fields)
_ROWS_PER_RECORD = 10_000


class _Note(NamedTuple):
    name: str
    text: str


def export_rows(table: QTable, file: TextIO, form: str, progress: Progress | None = None) -> int:
    """Write the table as it is now to a text file opened with newline=""; says how many entries."""
    write = _export_csv if form == "csv" else _export_json_lines
    with table.snapshot():
        write(table, file, counted(table, len(table), progress))
        return len(table)


def _export_csv(_: QTable, file: TextIO, entries: Iterator[tuple[str, Entry]]) -> None:
    # All text is quoted: a lone carriage return in a key would otherwise end the row when read back.
    writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(_COLUMNS)
    writer.writerows((key, *entry) for key, entry in entries)


def _export_json_lines(table: QTable, file: TextIO, entries: Iterator[tuple[str, Entry]]) -> None:
    def write(line: dict[str, object]) -> None:
        file.write(json.dumps(line) + "\n")

    write({"settings": table.settings})
    for key, entry in entries:
        write({"key": key, **entry._asdict()})
    for name in table.notes():
        write({"note": name, "text": table.note(name)})
    for line in table.journal():
        write({"journal": line.id, "line": line.text, "added": line.added})


def read_settings(file: TextIO, form: str) -> dict[str, Setting] | None:
    """The settings that an exported file begins with, None if it has none; reads one line."""
    if form == "csv":
        return None
    first = _parsed_json(1, next(_text_lines(file), "{}")).get("settings")
    return first if isinstance(first, dict) else None


def import_rows(
    table: QTable,
    file: TextIO,
    form: str,
    *,
    replace: bool = False,
    expected: int = 0,
    progress: Progress | None = None,
) -> int:
    """Record the rows of a text file opened with newline="", none of them if it raises; says how many.

    A row without a source is of source `import`. Journal lines that are known raise DuplicateJournalLine,
    unless `replace`. `progress` hears of `expected` rows in all, or of those done if they are more.
    """
    parsed = _parsed_csv(file) if form == "csv" else _parsed_json_lines(file)
    with table.transaction():
        return _record_all(table, counted(parsed, expected, progress), replace)


def import_file(
    path: Path,
    source: Path,
    form: str,
    *,
    settings: Settings | None = None,
    replace: bool = False,
    expected: int = 0,
    progress: Progress | None = None,
) -> int:
    """Record the rows of the text file `source` in the table at `path`, as `import_rows` does.

    A missing table is made, and only if it does not raise. It comes into being when it is whole, so there
    is nothing to take away if it fails, and no table of another process that could be taken for this one.
    """

    def record_in(place: Path) -> int:
        with (
            QTable(place, settings=settings) as table,
            source.open(encoding="utf-8", newline="") as file,
        ):
            return import_rows(table, file, form, replace=replace, expected=expected, progress=progress)

    target = Path(os.path.realpath(path))
    if read_header(target) is None:
        require_writable(target)
        with suppress(NameTaken), draft_of_table(target) as draft:
            return record_in(draft)
    return record_in(target)


def _record_all(table: QTable, rows: Iterable[tuple[str, Entry] | JournalLine | _Note], replace: bool) -> int:
    entries: dict[str, Entry] = {}
    lines: list[JournalLine] = []
    count = 0
    for row in rows:
        if isinstance(row, JournalLine):
            lines.append(row)
        elif isinstance(row, _Note):
            if replace or not table.journal_length():  # else it is about fewer games than there are
                table.set_note(row.name, row.text)
        else:
            key, entry = row
            entries[key] = combine(entries[key], entry) if key in entries else entry
            count += 1
        if len(entries) + len(lines) >= _ROWS_PER_RECORD:
            table.record(entries, lines, replace=replace)
            entries, lines = {}, []
    table.record(entries, lines, replace=replace)
    return count


def _text_lines(file: TextIO) -> Iterator[str]:
    try:
        yield from file
    except UnicodeDecodeError as error:
        raise TableError(f"expected text in UTF-8: {error}") from None


def _parsed_csv(file: TextIO) -> Iterator[tuple[str, Entry]]:
    reader = csv.DictReader(_text_lines(file), strict=True)
    try:
        columns = reader.fieldnames or ()
    except csv.Error as error:
        raise TableError(f"line 1: {error}") from None
    if not {"key", "value"} <= set(columns) <= set(_COLUMNS):
        raise TableError(
            f"line 1: expected the columns {', '.join(_COLUMNS)}, of which key and value must be there, "
            f"found {', '.join(columns) or 'none'}"
        )
    while True:
        try:
            fields = next(reader, None)
        except csv.Error as error:
            raise TableError(f"line {reader.reader.line_num}: {error}") from None
        if fields is None:
            return
        if None in fields or None in fields.values():
            raise TableError(f"line {reader.line_num}: expected {len(columns)} fields, found another number")
        yield _parsed_entry(
            reader.line_num, {name: text for name, text in fields.items() if text or name == "key"}
        )


def _parsed_json_lines(file: TextIO) -> Iterator[tuple[str, Entry] | JournalLine | _Note]:
    for number, text in enumerate(_text_lines(file), 1):
        fields = _parsed_json(number, text)
        if "key" in fields:
            yield _parsed_entry(number, fields)
        elif "journal" in fields:
            yield _parsed_line(number, fields)
        elif "note" in fields:
            yield _parsed_note(number, fields)
        elif "settings" not in fields or number > 1:
            raise TableError(
                f"line {number}: expected a key, a note, a journal line or, first, settings: {text!r:.80}"
            )


def _parsed_json(number: int, text: str) -> dict[str, object]:
    try:
        return parse_json_object(text)
    except InvalidJson as error:
        raise TableError(f"line {number}: {error}") from None


def _parsed_entry(number: int, fields: dict[str, object]) -> tuple[str, Entry]:
    unknown = set(fields) - set(_COLUMNS)
    if unknown or not isinstance(fields.get("key"), str) or "value" not in fields:
        raise TableError(f"line {number}: expected the fields {', '.join(_COLUMNS)}, found {fields!r:.80}")
    try:
        value = float(fields["value"])  # type: ignore[arg-type] # text or number, or the error below
        source = str(fields.get("source", "import"))
        counts = {
            name: _whole(number, fields[name])
            for name in ("depth", "visits", "wins", "draws", "losses", "updated")
            if fields.get(name) is not None
        }
        return str(fields["key"]), Entry(value, source=source, **counts)  # type: ignore[arg-type] # none is None
    except (TypeError, ValueError, OverflowError) as error:
        raise TableError(f"line {number}: {error}") from None


def _parsed_line(number: int, fields: dict[str, object]) -> JournalLine:
    line_id, text = fields.get("journal"), fields.get("line")
    if not isinstance(line_id, str) or not isinstance(text, str):
        raise TableError(f"line {number}: a journal line has an id, a line and a time, found {fields!r:.80}")
    return JournalLine(line_id, text, _whole(number, fields.get("added")))


def _parsed_note(number: int, fields: dict[str, object]) -> _Note:
    name, text = fields["note"], fields.get("text")
    if not isinstance(name, str) or not isinstance(text, str):
        raise TableError(f"line {number}: a note has a name and a text, found {fields!r:.80}")
    return _Note(name, text)


def _whole(number: int, field: object) -> int | None:
    if field is None or isinstance(field, int):
        return field
    try:
        return int(str(field))
    except ValueError:
        raise TableError(f"line {number}: expected a whole number, found {field!r}") from None
