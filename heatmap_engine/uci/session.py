"""One session with a GUI: each line is answered, or starts or ends something; nothing is searched here."""

import random
from collections.abc import Callable

import chess

from games.chess.errors import GamesError
from games.chess.record import GameRecord
from heatmap_engine.board.reading import as_board
from heatmap_engine.deep.weights import DeepWeights, learned_weights
from heatmap_engine.engines.mode import Mode, mode_named
from heatmap_engine.errors import HeatmapError
from heatmap_engine.learning.learner import Learner
from heatmap_engine.limits import LIMITED_PACING
from heatmap_engine.uci import extra_commands, setup
from heatmap_engine.uci.game_watch import GameWatch
from heatmap_engine.uci.go_job import Asked, GoJob
from heatmap_engine.uci.identification import identification
from heatmap_engine.uci.limited_job import LimitedJob
from heatmap_engine.uci.options import OWN_WEIGHTS, RESULTS, InvalidOption, Option, Options
from heatmap_engine.uci.parsing import Go, InvalidCommand, parse_go, parse_position, parse_setoption
from heatmap_engine.uci.search_job import SearchJob
from heatmap_engine.uci.wire import Output
from heatmap_engine.uci.worker import Worker
from qtable import QTable
from qtable.errors import TableError

# The longest game under the rule of 75 moves has fewer than 9,000 plies.
_MOST_MOVES = 20_000


class UciSession:
    """What one GUI has said so far."""

    def __init__(self, options: Options, output: Output) -> None:
        self._options = options
        self._output = output
        self._board = chess.Board()
        self._is_debugging = False
        self._watch = GameWatch()
        self._source = random.Random()
        self._worker = Worker()
        self._weights = setup.weights_to_begin_with(output.hold)
        self._job: GoJob | None = None
        self._pondered: chess.Board | None = None
        self._is_stale = True
        self._extra = extra_commands.ExtraCommands(output)
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": lambda words: output.lines(*identification(options)),
            "debug": self._debug,
            "isready": self._is_ready,
            "setoption": self._set_option,
            "ucinewgame": self._new_game,
            "position": self._position,
            "go": self._go,
            "stop": lambda words: self._stop(),
            "ponderhit": lambda words: self._ponder_hit(),
            "register": lambda words: None,
        }

    def handle(self, line: str) -> bool:
        """Do what a line says; False after `quit`."""
        self._output.release()
        words = line.split()
        if not words:
            return True
        if words[0] == "quit":
            return False
        try:
            self._dispatch(words)
        except (InvalidCommand, InvalidOption, HeatmapError, GamesError, TableError, OSError) as error:
            self._output.string(str(error))
        return True

    def _dispatch(self, words: list[str]) -> None:
        name, arguments = words[0], words[1:]
        if name in self._commands:
            self._commands[name](arguments)
        elif name in extra_commands.COMMANDS:
            settings = setup.EngineSetup.of(self._options, self._weights_for(name)).settings
            heat_depth = self._options.number("HeatDepth")
            position = extra_commands.Position(self._board, settings, heat_depth, self._table)
            self._extra.answer(name, arguments, position)
        else:
            raise InvalidCommand(f"unknown command {name!r:.80}; help lists the commands")

    def _weights_for(self, command: str) -> DeepWeights:
        """Those of the session; a signature is the package's, whatever a user has adopted."""
        is_own = self._options.text("Weights") in (OWN_WEIGHTS, "")
        return learned_weights() if command == "bench" and is_own else self._weights

    def close(self) -> None:
        """The end of the session: the game ends here, what runs is stopped, what waits is learned or kept."""
        self._give_up_game()
        self._stop()
        self._extra.stop()
        self._worker.close()

    # Commands of the protocol

    def _debug(self, words: list[str]) -> None:
        if words not in (["on"], ["off"]):
            raise InvalidCommand(f"expected debug on or debug off, got {' '.join(words)!r:.80}")
        self._is_debugging = words == ["on"]

    def _is_ready(self, words: list[str]) -> None:
        if not self._is_searching:
            self._refresh()
            self._worker.wait()
            self._output.release()
        self._output.lines("readyok")

    def _new_game(self, words: list[str]) -> None:
        self._give_up_game()
        self._watch.new_game()
        self._worker.between_searches(self._forget)

    def _position(self, words: list[str]) -> None:
        fen, names = parse_position(words)
        if len(names) > _MOST_MOVES:
            raise InvalidCommand(f"expected at most {_MOST_MOVES:,} moves, got {len(names):,}")
        self._board = self._played(self._start(fen or "startpos"), names)
        if not self._options.is_on("UCI_AnalyseMode"):
            self._learn(self._watch.shows(self._board))

    def _start(self, text: str) -> chess.Board:
        """The position that a text describes, whose castling is named as the GUI wants it."""
        board = as_board(text)
        if board.chess960 and not self._options.is_on("UCI_Chess960"):
            raise InvalidCommand(
                f"castling in {board.fen()} is that of Chess960: setoption name UCI_Chess960 value true "
                "allows it; the position before this command stays"
            )
        board.chess960 = self._options.is_on("UCI_Chess960")
        return board

    def _played(self, start: chess.Board, names: list[str]) -> chess.Board:
        """The start with the moves played; the moves of the position before need no second look."""
        known = self._board
        old = [move.uci() for move in known.move_stack]
        is_named_alike = known.chess960 == start.chess960
        if is_named_alike and names[: len(old)] == old and known.root() == start:
            board, rest = known.copy(), names[len(old) :]
        else:
            board, rest = start, names
        for name in rest:
            board.push(_legal_move(board, name))
        return board

    def _go(self, words: list[str]) -> None:
        go, faults = parse_go(words)
        for fault in faults:
            self._output.string(fault)
        plays = go.plays and not self._options.is_on("UCI_AnalyseMode")
        self._require_root_moves(go)
        self._require_clock(go)
        if self._is_searching:
            self._output.string("a search was running; it was stopped for this one")
            self._stop()
        self._refresh()
        if plays and not go.ponder:
            self._watch.asks_for_move(self._board)
        self._pondered = self._board if plays and go.ponder else None
        board = self._board.copy()

        def answered(move: chess.Move) -> None:
            if plays and self._pondered is None:
                self._learn(self._watch.answers(board, move))

        is_limited = plays and self._mode.has_levels and self._options.is_on("UCI_LimitStrength")
        pacing = LIMITED_PACING if is_limited else self._mode.pacing
        asked = Asked(board, go, self._options, self._output, pacing, answered)
        # Analysis is never held back.
        self._job = job = (
            LimitedJob(asked) if is_limited else SearchJob(asked, self._mode, self._worker.write)
        )
        source = self._source
        self._worker.search(lambda engine: job.run(engine, source), in_a_hurry=go.is_in_a_hurry)

    def _require_root_moves(self, go: Go) -> None:
        legal = {move.uci() for move in self._board.legal_moves}
        wrong = [name for name in go.searchmoves if name not in legal]
        for name in wrong:
            self._output.string(f"searchmoves: {name!r:.20} is not legal in {self._board.fen()}")
        go.searchmoves = tuple(name for name in go.searchmoves if name in legal)

    def _require_clock(self, go: Go) -> None:
        """Who types `go wtime 1000` waits for an answer, whoever is to move."""
        ours, theirs = ("w", "b") if self._board.turn == chess.WHITE else ("b", "w")
        if go.borrow_clock(ours, theirs):
            self._output.string(
                f"expected {ours}time for the side to move, got only {theirs}time, which is used"
            )

    def _stop(self) -> None:
        if self._job is not None:
            self._job.finish()
        self._extra.stop()

    def _ponder_hit(self) -> None:
        if self._job is None or not self._is_searching:
            raise InvalidCommand("ponderhit without go ponder")
        if self._pondered is not None:
            self._watch.asks_for_move(self._pondered)
            self._pondered = None
        self._job.ponder_hit()

    @property
    def _is_searching(self) -> bool:
        return self._job is not None and not self._job.is_finished.is_set()

    # Options

    def _set_option(self, words: list[str]) -> None:
        name, value = parse_setoption(words)
        option, parsed = self._options.parsed(name, value)
        if option.name == "Weights":
            self._weights = setup.weights_of(str(parsed))  # if they cannot be read all stays as it was
        if option.name == "SyzygyPath" and parsed:
            self._output.string(setup.tablebases_in_words(str(parsed)))  # as with weights
        self._is_stale |= self._options.reopens(option, parsed)
        self._options.set(name, value)
        self._act_on(option)

    def _act_on(self, option: Option) -> None:
        match option.name:
            case "Mode" | "SyzygyPath":
                if self._options.text("SyzygyPath") and not setup.takes_syzygy(self._mode):
                    self._output.string(f"SyzygyPath is not used in mode {self._mode.name}, only in deep")
            case "Clear Hash":
                self._worker.between_searches(self._forget)
            case "GameResult":
                self._end_game(self._options.text("GameResult"))
            case "Forget This Game":
                self._watch.forget()
            case "Save Table":
                self._refresh()
                self._worker.write(self._save)
            case "Compact Table":
                self._refresh()
                self._worker.write(self._compact)
            case "UCI_Chess960":
                # Without it a position of Chess960 stays one, until the next is given.
                self._board = self._board.copy()
                is_needed = self._board.has_chess960_castling_rights()
                self._board.chess960 = is_needed or self._options.is_on("UCI_Chess960")
            case "UCI_Opponent":
                # none none computer NAME, or GM 2800 human NAME
                self._watch.opponent = " ".join(self._options.text("UCI_Opponent").split()[3:])

    @property
    def _mode(self) -> Mode:
        return mode_named(self._options.text("Mode"))

    def _forget(self) -> None:
        if self._worker.engine is not None:
            self._worker.engine.clear()

    def _save(self) -> None:
        if self._worker.engine is not None:
            self._worker.engine.flush()

    def _compact(self) -> None:
        table = self._worker.engine.table if self._worker.engine is not None else None
        if table is None:
            self._output.hold("there is no table to compact")
            return
        try:
            before, after = table.compact()
            self._output.hold(f"the table had {before:,} bytes and has {after:,} now")
        except TableError as error:
            self._output.hold(str(error))

    def _table(self) -> QTable | None:
        """The table in use; one that is to be opened or changed is, unless a search is running."""
        if not self._is_searching:
            self._refresh()
            self._worker.wait()
        return self._worker.engine.table if self._worker.engine is not None else None

    def _refresh(self) -> bool:
        """Set the engine up anew if an option wants that; says whether it will be."""
        if not self._is_stale:
            return False
        self._is_stale = False
        self._source = source = setup.random_source(self._options)
        wanted, hold = setup.EngineSetup.of(self._options, self._weights), self._output.hold
        self._worker.reopen(
            lambda: wanted.engine(source, hold), lambda engine: Learner(engine, hold, self._debug_string)
        )
        return True

    # Games

    def _end_game(self, text: str) -> None:
        result, _, reason = text.strip().partition(" ")
        if not result:
            return
        if result not in RESULTS:
            raise InvalidOption(f"GameResult must begin with one of {', '.join(RESULTS)}, got {text!r:.80}")
        self._learn(self._watch.ends(result, reason.strip() or "adjudication"))

    def _give_up_game(self) -> None:
        self._learn(self._watch.ends())

    def _learn(self, record: GameRecord | None) -> None:
        if record is None or not self._learns:
            return
        self._refresh()
        self._worker.learn(record)

    @property
    def _learns(self) -> bool:
        return self._options.text("Learn") != "off" and not self._options.is_on("ReadOnly")

    def _debug_string(self, message: str) -> None:
        if self._is_debugging:
            self._output.hold(message)


def _legal_move(board: chess.Board, name: str) -> chess.Move:
    try:
        move = board.parse_uci(name)  # takes both names of castling where they mean the same
    except chess.IllegalMoveError:
        move = chess.Move.null()
    except ValueError as error:
        raise InvalidCommand(f"expected a move such as e2e4, got {name!r:.20}") from error
    if not move:
        raise InvalidCommand(f"{name} is not legal in {board.fen()}; the position before this command stays")
    return move
