"""One game between a person at the terminal and the engine: what is typed, and what comes of it."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import FrameType

import chess
import click
from rich.console import Console

from games.chess.archive import Archive
from games.chess.errors import GamesError
from games.chess.opening_names import opening_of
from games.chess.record import GameRecord
from heatmap_engine.board.ends import how_it_ended, terminal
from heatmap_engine.board.heat import heatmap
from heatmap_engine.cli.heat_view import board_picture, pictures
from heatmap_engine.cli.interruptible import now_or_on_ctrl_c
from heatmap_engine.cli.move_text import parse_move
from heatmap_engine.cli.opponents import TerminalOpponent
from heatmap_engine.engines.opponents import Reply
from heatmap_engine.errors import InvalidMove
from heatmap_engine.memory.finished_game import as_record
from heatmap_engine.reports.words import side_name

_HELP = """\
e4, Nf3, O-O, e2e4, e7e8q   play a move
undo        take your last move back, or a resignation
hint        what the engine would play for you at full strength
heat        draw the heat on the board from now on, or no more
board       draw the board again
moves       list the legal moves
draw        offer a draw
resign      resign the game
save FILE   append the game to a PGN file
quit        leave"""


# A signal that was heard has ended the reading of a line by then.
_UNHEARD_S = 0.05


class Keyboard:
    """Reads lines. Ctrl-C is heard while a line is awaited, or when the next one is, and never in between.

    So it finds a game that is whole, with all moves that were shown. A terminal that is closed is heard too.
    """

    def __init__(self) -> None:
        self._is_awaited = self._is_pressed = False

    @contextmanager
    def hears_ctrl_c(self) -> Iterator[None]:
        previous = signal.signal(signal.SIGINT, self._press)
        hanging_up = signal.signal(signal.SIGHUP, self._hang_up)
        try:
            yield
        except KeyboardInterrupt:
            previous = signal.SIG_IGN  # a second Ctrl-C must not cost the game
            raise
        finally:
            signal.signal(signal.SIGINT, previous)
            signal.signal(signal.SIGHUP, hanging_up)

    @contextmanager
    def _told_again(self) -> Iterator[None]:
        """While `input` reads a line, a signal that it does not hear is sent to it again until it does.

        It writes its prompt and then waits for keys: what comes in between is heard only with the next key.
        """
        came, told = os.pipe()
        os.set_blocking(told, False)
        previous = signal.set_wakeup_fd(told, warn_on_full_buffer=False)
        thread = threading.Thread(target=self._tell_again, args=(came, threading.get_ident()), daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._is_awaited = False
            signal.set_wakeup_fd(previous)
            os.close(told)
            thread.join()
            os.close(came)

    def _tell_again(self, came: int, reader: int) -> None:
        while numbers := os.read(came, 1):
            time.sleep(_UNHEARD_S)
            if self._is_awaited and numbers[0] in (signal.SIGINT, signal.SIGHUP):
                signal.pthread_kill(reader, signal.SIGINT)  # which writes to the pipe as well

    def _hang_up(self, _number: int, _frame: FrameType | None) -> None:
        self._is_pressed = True
        signal.raise_signal(signal.SIGINT)  # whoever thinks hears that, and ends

    def _press(self, _number: int, _frame: FrameType | None) -> None:
        self._is_pressed = True
        if self._is_awaited:
            raise KeyboardInterrupt

    def read(self, prompt: str) -> str:
        """A line; what comes from elsewhere than a keyboard is shown, so that the output can be read."""
        self._is_awaited = True
        try:
            if self._is_pressed:
                raise KeyboardInterrupt
            with self._told_again():
                line = input(prompt)
        except (EOFError, OSError):
            if self._is_pressed:  # the terminal has gone, and with it the line
                raise KeyboardInterrupt from None
            raise
        finally:
            self._is_awaited = False
        if not sys.stdin.isatty():
            click.echo(line)
        return line


class TerminalGame:
    """A game that is being played; `play` returns when the person leaves.

    `pauses` lets an opponent who answers at once wait as long as a person would have thought.
    """

    def __init__(
        self,
        console: Console,
        opponent: TerminalOpponent,
        board: chess.Board,
        person: chess.Color,
        *,
        pauses: bool = False,
    ) -> None:
        self._console = console
        self._keyboard = Keyboard()
        self._pauses = pauses
        self._opening = opening_of(board)
        self._saved: tuple[GameRecord, Path] | None = None
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
        """Play until the person leaves, with `quit` or at the end of the input; Ctrl-C raises."""
        with self._keyboard.hears_ctrl_c():
            self._answer()
            while not self._left:
                try:
                    line = self._keyboard.read(self._prompt())
                except EOFError:
                    click.echo()
                    return
                self._obey(line)

    def record(self) -> GameRecord:
        """The game as it stands; its result is `*` while it is not over."""
        result, termination = self._agreed or (None, "")
        record = as_record(self._board, result)
        names = {self._person: "Player", not self._person: self._opponent.name}
        opening = self._opening
        return replace(
            record,
            tags={} if opening is None else {"ECO": opening.eco, "Opening": opening.name},
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
        return f"{side_name(self._board.turn)}, move {self._board.fullmove_number}: "

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
        self._tell_opening()
        self._answer()

    def _tell_opening(self) -> None:
        """Say what the opening is called, if that has changed."""
        opening = opening_of(self._board)
        if opening is not None and opening != self._opening:
            click.echo(f"Opening: {opening}")
        self._opening = opening

    def _answer(self) -> None:
        """Let the engine move if it is its turn, and show what has become of the game."""
        if not self._is_over and self._board.turn != self._person:
            plan = self._thought_over()
            line, says = self._board.variation_san([plan.move]), self._opponent.says(self._board, plan)
            self._board.push(plan.move)
            click.echo(f"{self._opponent.name}: {line}  (score {says})")
            self._tell_opening()
        self._show()
        self._say_if_over()

    def _thought_over(self) -> Reply:
        """The opponent's move, after the time that a person would have taken; Ctrl-C has it at once."""
        begin = time.monotonic()
        plan = self._opponent.plan(self._board)
        left_s = self._opponent.seems_to_think_s(self._board, plan.move) - (time.monotonic() - begin)
        if self._pauses and left_s > 0:
            hurry = threading.Event()
            now_or_on_ctrl_c(lambda: hurry.wait(left_s), hurry.set)
        return plan

    def _say_if_over(self) -> None:
        ended = ", ".join(self._agreed) if self._agreed else how_it_ended(self._board)
        if ended:
            click.echo(f"The game is over: {ended}. You may save FILE, undo or quit.")

    def _show(self) -> None:
        board, console, bottom = self._board, self._console, self._person
        last = (board.peek().from_square, board.peek().to_square) if board.move_stack else ()
        if self._shows_heat:
            heat = heatmap(board, self._opponent.heat_depth)
            picture = pictures(console, board, heat, blended=False, bottom=bottom, marked=last)
        else:
            picture = board_picture(console, board, bottom, last)
        console.print(picture)

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
            self._opening = opening_of(self._board)
        self._show()

    def _hint(self) -> None:
        if self._is_over:
            click.echo("the game is over")
            return
        plan = self._opponent.advise(self._board)
        click.echo(
            f"hint: {self._board.san(plan.move)}, expecting {self._board.variation_san(plan.line)} "
            f"(score {self._opponent.says(self._board, plan)})"
        )

    def _offer_draw(self) -> None:
        if self._is_over:
            click.echo("the game is over")
            return
        plan = self._opponent.plan(self._board)
        if not plan.accepts_draw(not self._person):
            says = self._opponent.says(self._board, plan)
            click.echo(f"{self._opponent.name} declines: it sees {says}")
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
            path = Path(name).expanduser()
            save(self.record(), path)
            self._saved = self.record(), path
        except (GamesError, OSError, RuntimeError, ValueError) as error:
            # RuntimeError: no home for `~`; ValueError: a NUL in the name. The game goes on.
            click.echo(f"not saved: {error}")

    def is_saved_in(self) -> Path | None:
        """The file that holds the game as it stands, or None."""
        return self._saved[1] if self._saved is not None and self._saved[0] == self.record() else None

    def _leave(self) -> None:
        self._left = True


def save(record: GameRecord, path: Path) -> None:
    """Append the game to a PGN file, and say so."""
    archive = Archive(path)
    archive.append(record)
    for repair in archive.repairs:
        click.echo(f"{path} ended in half a game: {repair.cut_bytes} bytes are now in {repair.kept_in}")
    click.echo(f"appended to {path}")
