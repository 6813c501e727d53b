"""`heatmap-engine table …`: look at Q-tables and look after them."""

import json
import math
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TextIO, TypeVar

import click

from heatmap_engine.cli.groups import SuggestingGroup
from heatmap_engine.cli.long_task import long_task
from heatmap_engine.cli.table_options import TableCommand, own_mode_option, own_table_path, table_argument
from heatmap_engine.engines.mode import Generalizer, mode_of_meaning
from heatmap_engine.errors import InvalidSettings
from qtable import Entry, QTable, TableDict, recover
from qtable.drafts import draft_of
from qtable.errors import TableCorrupt, TableError
from qtable.file import require_absent, require_regular
from qtable.json_input import InvalidJson, parse_json
from qtable.merging import merge
from qtable.pruning import Limits, prune, prune_to_size
from qtable.schema import Setting, describe
from qtable.statistics import EDGES, Statistics
from qtable.transfer import FORMATS, export_rows, import_file, read_settings

_Command = TypeVar("_Command", bound=Callable[..., object])

_PATH = click.Path(path_type=Path)
_HISTOGRAM_WIDTH = 50


def _json_option(command: _Command) -> _Command:
    return click.option("--json", "as_json", is_flag=True, help="Write one JSON object instead of text.")(
        command
    )


def _force_option(command: _Command) -> _Command:
    return click.option("--force", is_flag=True, help="Overwrite a file that is already there.")(command)


class _Commands(SuggestingGroup):
    command_class = TableCommand


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Inspect, merge, export and repair tables, which hold what the engine has learned.

    A FILE that is not named is your own table, of deep mode unless --mode says classic.
    """


@command.command("path", short_help="Print where your own table is.")
@own_mode_option
def path_command() -> None:
    """Print where your own table is; it need not be there yet."""
    click.echo(own_table_path())


@command.command(short_help="Summarise a table: entries, results, sizes, values.")
@table_argument("file")
@_json_option
def stats(file: Path, as_json: bool) -> None:
    """Say what a table holds: entries by source and depth, results, sizes, times and values."""
    with QTable(file, readonly=True) as table:
        with long_task("reading", "entries", f"{file} was only read") as progress:
            found = table.stats(progress)
        settings = table.settings
        everywhere = _generalizer(table) if table.notes() else None
        learned = () if everywhere is None else everywhere.described()
    if as_json:
        _echo_json(
            {
                "table": str(file),
                "settings": settings,
                **asdict(found),
                "learned_from_all_games": "; ".join(learned) or None,
                "bytes_per_entry": found.bytes_per_entry,
                "edges": EDGES,
            }
        )
    else:
        click.echo("\n".join(_described(file, found, settings, learned)))


def _generalizer(table: QTable) -> Generalizer | None:
    """Who knows what all games of a table together have taught; None for a table of another program."""
    try:
        return mode_of_meaning(table.settings).generalizer(table)
    except InvalidSettings:
        return None


def _described(
    file: Path, found: Statistics, settings: dict[str, Setting], learned: Sequence[str]
) -> Iterator[str]:
    yield f"table             {file}"
    yield f"settings          {describe(settings)}"
    yield f"entries           {found.entries:,}"
    yield f"journal lines     {found.journal_lines:,}"
    yield f"file              {found.file_bytes:,} bytes"
    for number, line in enumerate(learned):
        yield f"{'' if number else 'from all games':17} {line}"
    if not found.entries:
        return
    yield f"bytes per entry   {found.bytes_per_entry:.1f}"
    yield f"visits            {found.visits:,}"
    yield f"results           {found.wins:,} won, {found.draws:,} drawn, {found.losses:,} lost"
    yield f"oldest, newest    {_date(found.oldest)}, {_date(found.newest)}"
    yield f"lowest, highest   {found.lowest:g}, {found.highest:g}"
    yield from _tally("source", found.by_source)
    yield from _tally("depth", found.by_depth)
    yield "values"
    yield from _drawn(found.histogram)


def _tally(name: str, counts: dict[str, int] | dict[int, int]) -> Iterator[str]:
    for label, count in counts.items():
        yield f"{f'{name} {label}':<17} {count:,}"


def _date(seconds: int | None) -> str:
    try:
        return f"{datetime.fromtimestamp(seconds or 0, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):
        return f"{seconds} s"  # a year that no calendar here knows


def _drawn(histogram: list[int]) -> Iterator[str]:
    """A line per range of values, from the first range that has any to the last."""
    filled = [index for index, count in enumerate(histogram) if count]
    edges = (-math.inf, *EDGES, math.inf)
    for index in range(filled[0], filled[-1] + 1):
        count = histogram[index]
        bar = "#" * math.ceil(count * _HISTOGRAM_WIDTH / max(histogram))
        yield f"  {edges[index]:>8g} to {edges[index + 1]:<8g} {count:>12,} {bar}".rstrip()


@command.command(short_help="Check that a table is sound.")
@table_argument("file")
@_json_option
def check(file: Path, as_json: bool) -> None:
    """Read every page and every entry; the exit code is 0 only if the table is sound."""
    with (
        QTable(file, readonly=True) as table,
        long_task("checking", "entries", f"{file} was only read") as progress,
    ):
        problems = table.check(progress)
    if as_json:
        _echo_json({"sound": not problems, "problems": problems})
    elif not problems:
        click.echo(f"{file} is sound")
    if problems:
        raise TableCorrupt(f"{file} is not sound: " + "; ".join(problems))


@command.command(short_help="Make a table's file smaller where it has unused space.")
@table_argument("file")
@_json_option
def compact(file: Path, as_json: bool) -> None:
    """Give unused room in the file back to the disk."""
    with (
        QTable(file, must_exist=True) as table,
        long_task("compacting", "entries", f"{file} is as it was") as progress,
    ):
        before, after = table.compact(progress)
    if as_json:
        _echo_json({"bytes_before": before, "bytes_after": after})
    else:
        click.echo(f"{file}: {before:,} bytes before, {after:,} bytes now")


@command.command(short_help="Bring a table of an older layout up to date.")
@table_argument("file")
def migrate(file: Path) -> None:
    """Bring a table of an older layout up to date, after a backup beside it."""
    with QTable(file, must_exist=True):
        click.echo(f"{file} is up to date")


@command.command(short_help="Copy a table, also while others write to it.")
@table_argument("file")
@click.argument("target", type=_PATH)
@_force_option
def backup(file: Path, target: Path, force: bool) -> None:
    """Copy a table to TARGET as it is at this moment, also while others write to it."""
    with (
        QTable(file, readonly=True) as table,
        long_task("copying", "pages", f"no file was written at {target}") as progress,
    ):
        table.backup(target, overwrite=force, progress=progress)
    click.echo(f"{file} was copied to {target}")


@command.command("recover", short_help="Save the readable rows of a damaged table.")
@table_argument("file")
@click.argument("target", type=_PATH)
@_force_option
@_json_option
def recover_command(file: Path, target: Path, force: bool, as_json: bool) -> None:
    """Save every readable row of a damaged table in a new table at TARGET."""
    with long_task("recovering", "pages", f"no file was written at {target}") as progress:
        found = recover(file, target, overwrite=force, progress=progress)
    if as_json:
        _echo_json({**asdict(found), "lost": found.lost, "lost_notes": found.lost_notes})
        return
    lost = f"{found.lost:,}" if found.lost is not None else "an unknown number of"
    click.echo(f"saved {found.entries:,} entries and {found.journal_lines:,} journal lines in {target}")
    click.echo(f"lost {lost} entries; {found.damaged_pages:,} pages have rows that cannot be read")
    if found.settings is None:
        click.echo("the settings were lost: the new table has none")
    for name in found.lost_notes:
        click.echo(f"the note {name!r} was lost; `learn --rebuild` makes anew what games have taught")


@command.command("merge", short_help="Merge what other tables have learned into one.")
@table_argument("target")
@click.argument("sources", type=_PATH, nargs=-1, required=True)
@click.option("--allow-duplicates", is_flag=True, help="Count games again that TARGET has in its journal.")
def merge_command(target: Path, sources: tuple[Path, ...], allow_duplicates: bool) -> None:
    """Record in TARGET all that the SOURCES learned: deeper wins, equal depth newer wins, results add up."""
    with ExitStack() as stack:
        table = stack.enter_context(QTable(target, must_exist=True))
        others = [stack.enter_context(QTable(source, readonly=True)) for source in sources]
        before = len(table)
        with long_task("merging", "entries", f"{target} is as it was") as progress:
            merge(table, *others, allow_duplicates=allow_duplicates, progress=progress)
        if (everywhere := _generalizer(table)) is not None:
            everywhere.finish()
        click.echo(f"{target} had {before:,} entries and now has {len(table):,}")


@command.command(short_help="Export a table as CSV or JSON Lines.")
@table_argument("file")
@click.argument("output", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--format", "form", type=click.Choice(FORMATS), help="Instead of the one OUTPUT is named after."
)
@_force_option
def export(file: Path, output: Path, form: str | None, force: bool) -> None:
    """Write a table to OUTPUT, or - for standard output: entries as CSV, or everything as JSON Lines."""
    form = _format(output, form)
    with (
        QTable(file, readonly=True) as table,
        long_task("exporting", "entries", f"no file was written at {output}") as progress,
        _text_output(output, force, file) as text,
    ):
        count = export_rows(table, text, form, progress)
    click.echo(f"exported {count:,} entries of {file}", err=True)


def _format(file: Path, form: str | None) -> str:
    if form is None and file.suffix[1:] not in FORMATS:
        raise click.UsageError(f"name the format with --format, or the file with one of {', '.join(FORMATS)}")
    return form or file.suffix[1:]


@contextmanager
def _text_output(path: Path, force: bool, source: Path) -> Iterator[TextIO]:
    if str(path) == "-":
        yield sys.stdout
        return
    require_absent(path, force, source)
    with draft_of(path, overwrite=force) as draft, draft.open("w", encoding="utf-8", newline="") as text:
        yield text


@command.command("import", short_help="Import rows of CSV or JSON Lines into a table.")
@table_argument("file", is_made=True)
@click.argument("source", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--format", "form", type=click.Choice(FORMATS), help="Instead of the one SOURCE is named after."
)
@click.option("--setting", "settings", multiple=True, metavar="NAME=VALUE", help="What the values mean.")
@click.option("--replace", is_flag=True, help="Replace journal lines that the table has already.")
def import_command(
    file: Path, source: Path, form: str | None, settings: tuple[str, ...], replace: bool
) -> None:
    """Record the rows of SOURCE, which is CSV or JSON Lines, in a table; a missing table is made."""
    form = _format(source, form)
    require_regular(source)
    meaning = dict(map(_parsed_setting, settings)) or _settings_of(source, form)
    with long_task("importing", "rows", f"{file} is as it was") as progress:
        count = import_file(
            file,
            source,
            form,
            settings=meaning,
            replace=replace,
            expected=_count_lines(source),
            progress=progress,
        )
    click.echo(f"imported {count:,} entries into {file}")


def _parsed_setting(text: str) -> tuple[str, Setting]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise click.UsageError(f"a setting is NAME=VALUE, not {text!r}")
    try:
        parsed = parse_json(value)
    except InvalidJson:
        return name, value
    return name, parsed if isinstance(parsed, str | int | float | bool) else value


def _settings_of(source: Path, form: str) -> dict[str, Setting] | None:
    with source.open(encoding="utf-8", newline="") as text:
        return read_settings(text, form)


def _count_lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


@command.command("get", short_help="Print what a table holds for one key.")
@table_argument("file")
@click.argument("key")
@_json_option
def get_command(file: Path, key: str, as_json: bool) -> None:
    """Say what a table holds for one key."""
    with TableDict(file, readonly=True) as entries:
        entry = entries.get(key)
    if entry is None:
        raise TableError(f"{file} has no entry for {key!r}")
    if as_json:
        _echo_json({"key": key, **entry._asdict()})
    else:
        for name, field in entry._asdict().items():
            click.echo(f"{name:<10} {_date(field) if name == 'updated' else field}")


@command.command(
    "put",
    short_help="Set the value of one key.",
    context_settings={"ignore_unknown_options": True},  # so that a value may be -1.5
)
@table_argument("file")
@click.argument("key")
@click.argument("value", type=float)
def put_command(file: Path, key: str, value: float) -> None:
    """Set the value of one key; its visits and results stay, a new key is made."""
    with TableDict(file) as entries, entries.table.transaction():
        old = entries.get(key)
        new = (
            Entry(value, source="import")
            if old is None
            else old._replace(value=value, source="import", updated=None)
        )
        entries[key] = new
    before = "" if old is None else f", before {old.value:g}"
    click.echo(f"{key!r} is now {value:g} in {file}{before}")


@command.command("forget", short_help="Take back a bad game that was learned.")
@table_argument("file")
@click.argument("game")
@_json_option
def forget_command(file: Path, game: str, as_json: bool) -> None:
    """Take back GAME, which the engine has learned from: its id or a unique prefix.

    `heatmap-engine learn --list` lists the games. The game's results go, and the values that only it has
    made; what else may rest on it is said. `heatmap-engine learn --forget GAME` does the same.
    """
    # Imported here: the other commands know no chess.
    from heatmap_engine.cli.forgetting import forget

    forget(file, game, as_json)


@command.command("prune", short_help="Remove entries that are rarely visited, shallow or old.")
@table_argument("file")
@click.option("--visits-below", type=click.IntRange(0), help="Only entries visited less often than this.")
@click.option("--depth-below", type=click.IntRange(0), help="Only entries searched less deep than this.")
@click.option(
    "--older-than", type=click.FloatRange(0), metavar="DAYS", help="Only entries not updated since."
)
@click.option("--without-results", is_flag=True, help="Only entries that no learned game went through.")
@click.option("--to-size", metavar="SIZE", help="Only as many as it takes for this file size, as in 500MB.")
@click.option("--dry-run", is_flag=True, help="Say what would be taken out, and change nothing.")
@_json_option
def prune_command(
    file: Path,
    visits_below: int | None,
    depth_below: int | None,
    older_than: float | None,
    without_results: bool,
    to_size: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Take out the entries that meet every given limit: the least visited, shallowest, oldest first."""
    if (visits_below, depth_below, older_than, to_size) == (None,) * 4 and not without_results:
        raise click.UsageError(
            "say what may go: --visits-below, --depth-below, --older-than, --without-results or --to-size"
        )
    oldest = None if older_than is None else _days_ago(older_than)
    limits = Limits(visits_below, depth_below, oldest, without_results)
    target_bytes = None if to_size is None else _parsed_size(to_size)
    with (
        QTable(file, readonly=dry_run, must_exist=True) as table,
        long_task("pruning", "entries", _when_pruning_stopped(file, to_size)) as progress,
    ):
        if target_bytes is None:
            removed, kept = prune(table, limits, dry_run=dry_run, progress=progress)
        else:
            removed, kept = prune_to_size(table, limits, target_bytes, dry_run=dry_run, progress=progress)
    if as_json:
        _echo_json({"removed": removed, "kept": kept, "dry_run": dry_run})
    else:
        verb = "would remove" if dry_run else "removed"
        click.echo(f"{verb} {removed:,} of {removed + kept:,} entries of {file}; {kept:,} are left")


def _days_ago(days: float) -> int:
    try:
        return int(time.time() - days * 86400)
    except (ValueError, OverflowError):
        raise click.UsageError(f"expected a number of days, not {days}") from None


def _when_pruning_stopped(file: Path, to_size: str | None) -> str:
    if to_size is None:
        return f"{file} is as it was"
    return f"{file} is sound; what was taken out in whole rounds stays out"


def _parsed_size(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kMGT]?)B?", text.strip())
    if match is None:
        raise click.UsageError(f"a size is a number of bytes, kB, MB or GB, as in 500MB, not {text!r}")
    return int(Decimal(match[1]) * 1000 ** " kMGT".index(match[2] or " "))


def _echo_json(result: dict[str, object]) -> None:
    click.echo(json.dumps(result))
