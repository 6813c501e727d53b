"""Groups of commands: loaded late, listed under headings, and forgiving about a name that is nearly right."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import click


class SuggestingGroup(click.Group):
    """Says which command was probably meant where there is none of the name that was typed."""

    def __init__(self, *arguments: Any, meant: Mapping[str, str] | None = None, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._meant = meant or {}

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        is_unknown = bool(args) and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None
        if is_unknown and not ctx.resilient_parsing:
            name = args[0].lower()
            near = get_close_matches(name, self.list_commands(ctx), n=1)
            meant = self._meant.get(name) or next(iter(near), None)
            advice = f"; did you mean {meant!r}?" if meant else ""
            ctx.fail(f"there is no command {args[0]!r:.80}{advice}")
        return super().resolve_command(ctx, args)


@dataclass(frozen=True, slots=True)
class LateCommand:
    """A command that is imported when it is called, and what the list of commands says of it."""

    module: str
    """The module that holds it as `command`."""
    summary: str


class LateGroup(SuggestingGroup):
    """A group that imports a command's module when the command is called, and none to list them."""

    def __init__(
        self,
        *,
        sections: Mapping[str, Mapping[str, LateCommand]],
        aliases: Mapping[str, str],
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self._sections = sections
        self._late = {name: late for section in sections.values() for name, late in section.items()}
        self._aliases = aliases

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._late)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        late = self._late.get(self._aliases.get(cmd_name, cmd_name))
        if late is None:
            return None
        command: click.Command = importlib.import_module(late.module).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self._late))
        for title, section in self._sections.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{width}}", late.summary) for name, late in section.items()])
