"""One game between a person at the terminal and the engine: what is typed, and what comes of it."""

import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import chess
import click
from rich.console import Console

from games.chess.archive import Archive
from games.chess.errors import GamesError
from games.chess.record import GameRecord
from heatmap_engine.board.ends import how_it_ended, terminal
from heatmap_engine.board.heat import heatmap
from heatmap_engine.cli.heat_view import board_picture, pictures
from heatmap_engine.cli.move_text import parse_move
from heatmap_engine.cli.opponents import Opponent
from heatmap_engine.errors import InvalidMove
from heatmap_engine.memory.finished_game import as_record

_HELP = """\
e4, Nf3, O-O, e2e4, e7e8q   play a move
undo        take your last move back, or a resignation
hint        what the engine would play for you
heat        draw the heat on the board from now on, or no more
board       draw the board again
moves       list the legal moves
draw        offer a draw
resign      resign the game
save FILE   append the game to a PGN file
quit        leave"""


class TerminalGame:
    """A game that is being played; `play` returns when the person leaves."""

    def __init__(self, console: Console, opponent: Opponent, board: chess.Board, person: chess.Color) -> None:
        self._console = console
        self._opponent = opponent
        self._board = board
        self._person = person
        self._shows_heat = False
        self._agreed: tuple[str, str] | None = None  # result and termination that the board does not show
        self._left = False
        self._commands: dict[str, Callable[[str], None]] = {
            "help": lambda _: click.echo(_HELP),
            "?": lambda _: click.echo(_HELP),
            "undo": lambda _: self._undo(),
            "hint": lambda _: self._hint(),
            "heat": lambda _: self._toggle_heat(),
            "board": lambda _: self._show(),
            "moves": lambda _: click.echo(" ".join(sorted(map(self._board.san, self._board.legal_moves)))),
            "draw": lambda _: self._offer_draw(),
            "resign": lambda _: self._resign(),
            "save": self._save,
            "quit": lambda _: self._leave(),
            "exit": lambda _: self._leave(),
            "q": lambda _: self._leave(),
        }

    def play(self) -> None:
        """Play until the person leaves, with `quit` or at the end of the input."""
        self._answer()
        while not self._left:
            try:
                line = _read(self._prompt())
            except EOFError:
                click.echo()
                return
            self._obey(line)

    def record(self) -> GameRecord:
        """The game as it stands; its result is `*` while it is not over."""
        result, termination = self._agreed or (None, "")
        record = as_record(self._board, result)
        names = {self._person: "Player", not self._person: self._opponent.name}
        return replace(
            record,
            termination=termination or record.termination,
            event="Game at the terminal",
            date=f"{date.today():%Y.%m.%d}",
            white=names[chess.WHITE],
            black=names[chess.BLACK],
            settings=self._opponent.settings,
        )

    def _prompt(self) -> str:
        if self._is_over:
            return "game over> "
        dots = "." if self._board.turn == chess.WHITE else "..."
        return f"{self._board.fullmove_number}{dots} "

    @property
    def _is_over(self) -> bool:
        return self._agreed is not None or terminal(self._board) is not None

    def _obey(self, line: str) -> None:
        word, _, rest = line.strip().partition(" ")
        if word.lower() in self._commands:
            self._commands[word.lower()](rest.strip())
        elif word:
            self._move(line.strip())

    def _move(self, text: str) -> None:
        if self._is_over:
            click.echo("the game is over; undo takes the end back, help lists the other commands")
            return
        try:
            move = parse_move(self._board, text)
        except InvalidMove as error:
            click.echo(f"{error}; help lists the commands, moves the legal moves")
            return
        self._board.push(move)
        self._answer()

    def _answer(self) -> None:
        """Let the engine move if it is its turn, and show what has become of the game."""
        if not self._is_over and self._board.turn != self._person:
            plan = self._opponent.plan(self._board)
            line = self._board.variation_san([plan.move])
            self._board.push(plan.move)
            click.echo(f"{self._opponent.name}: {line}  (score {plan.says})")
        self._show()
        self._say_if_over()

    def _say_if_over(self) -> None:
        ended = ", ".join(self._agreed) if self._agreed else how_it_ended(self._board)
        if ended:
            click.echo(f"The game is over: {ended}. You may save FILE, undo or quit.")

    def _show(self) -> None:
        if self._shows_heat:
            heat = heatmap(self._board, self._opponent.heat_depth)
            picture = pictures(self._console, self._board, heat, blended=False, bottom=self._person)
        else:
            picture = board_picture(self._console, self._board, self._person)
        self._console.print(picture)

    def _toggle_heat(self) -> None:
        self._shows_heat = not self._shows_heat
        self._show()

    def _undo(self) -> None:
        if self._agreed:
            self._agreed = None
        else:
            plies = 2 if self._board.turn == self._person else 1
            if len(self._board.move_stack) < plies:
                click.echo("there is no move of yours to take back")
                return
            for _ in range(plies):
                self._board.pop()
        self._show()

    def _hint(self) -> None:
        if self._is_over:
            click.echo("the game is over")
            return
        plan = self._opponent.plan(self._board)
        click.echo(
            f"hint: {self._board.san(plan.move)}, expecting {self._board.variation_san(plan.line)} "
            f"(score {plan.says})"
        )

    def _offer_draw(self) -> None:
        if self._is_over:
            click.echo("the game is over")
            return
        plan = self._opponent.plan(self._board)
        engines_score = plan.score if self._person == chess.BLACK else -plan.score
        if engines_score > 0:
            click.echo(f"{self._opponent.name} declines: it sees {plan.says}")
            return
        self._agreed = "1/2-1/2", "draw by agreement"
        self._say_if_over()

    def _resign(self) -> None:
        if self._is_over:
            click.echo("the game is over")
            return
        self._agreed = ("0-1" if self._person == chess.WHITE else "1-0"), "resignation"
        self._say_if_over()

    def _save(self, name: str) -> None:
        if not name:
            click.echo("save needs the name of a file, as in: save game.pgn")
            return
        try:
            save(self.record(), Path(name).expanduser())
        except (GamesError, OSError, RuntimeError, ValueError) as error:
            # RuntimeError: no home for `~`; ValueError: a NUL in the name. The game goes on.
            click.echo(f"not saved: {error}")

    def _leave(self) -> None:
        self._left = True


def save(record: GameRecord, path: Path) -> None:
    """Append the game to a PGN file, and say so."""
    archive = Archive(path)
    archive.append(record)
    for repair in archive.repairs:
        click.echo(f"{path} ended in half a game: {repair.cut_bytes} bytes are now in {repair.kept_in}")
    click.echo(f"appended to {path}")


def _read(prompt: str) -> str:
    """A line from the keyboard; what comes from elsewhere is shown, so that the output can be read."""
    line = input(prompt)
    if not sys.stdin.isatty():
        click.echo(line)
    return line
