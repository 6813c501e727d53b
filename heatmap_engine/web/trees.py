"""Games with variations: PGN, as the page holds them, and back."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import chess
import chess.engine
import chess.pgn

from games.chess.annotations import GameTree, as_pgn, evaluation_in, trees_in, words_in
from games.chess.record import MARK_OF_NUMBER, MARKS, as_header, clean_comment, header_texts
from heatmap_engine.board.reading import as_board, parse_board
from heatmap_engine.errors import InvalidPosition, shown
from heatmap_engine.web.messages import BadMessage, TreeNode
from heatmap_engine.web.parsing import MOST_NODES
from heatmap_engine.web.positions import Data, legal_move

_TAG = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,40}")
_START_TAGS = ("SetUp", "FEN", "Variant")
# As much of a text may be a FEN.
_LONGEST_FEN = 120


def read_text(text: str) -> Data:
    """The game that a text holds, or the position; raises InvalidPosition where it is neither."""
    text = text.strip().removeprefix("\ufeff")
    if not text:
        raise InvalidPosition("expected a FEN or a PGN, got nothing")
    if _looks_like_fen(text):
        return {"start": as_board(parse_board(text)).fen(), "nodes": [], "headers": {}, "others": 0}
    games = [*trees_in(text)]
    trees = [game for game in games if isinstance(game, GameTree)]
    if not trees:
        why = f": {getattr(games[0], 'detail', '')}" if games else ""
        raise InvalidPosition(f"expected a FEN or a PGN, got {text!r:.80}{why:.200}")
    return {**tree_data(trees[0].game), "others": len(games) - 1}


def _looks_like_fen(text: str) -> bool:
    return text == "startpos" or (
        len(text) <= _LONGEST_FEN and text.partition(" ")[0].count("/") == 7 and "\n" not in text
    )


def tree_data(game: chess.pgn.Game) -> Data:
    """The tree as a list of nodes; the names of the moves come with them."""
    start = game.board()
    nodes: list[list[Any]] = []
    waiting: list[tuple[chess.pgn.ChildNode, int]] = [(child, 0) for child in reversed(game.variations)]
    while waiting:
        node, parent = waiting.pop()
        nodes.append([parent, *_node_data(node)])
        if len(nodes) > MOST_NODES:
            raise BadMessage(f"expected a game of at most {MOST_NODES:,} moves with its variations")
        waiting += [(child, len(nodes)) for child in reversed(node.variations)]
    is_usual = start.fen() == chess.STARTING_FEN
    headers = {tag: text for tag, text in header_texts(game.headers).items() if tag not in _START_TAGS}
    return {"start": None if is_usual else start.fen(), "nodes": nodes, "headers": headers}


def _node_data(node: chess.pgn.ChildNode) -> list[Any]:
    comment = " ".join(filter(None, (node.starting_comment, node.comment)))
    found = evaluation_in(comment)
    mark = next((MARK_OF_NUMBER[nag] for nag in sorted(node.nags) if nag in MARK_OF_NUMBER), "")
    return [
        node.move.uci(),
        node.san(),
        mark,
        words_in(comment),
        None if found is None else found.centipawns,
        None if found is None else found.mate_in,
    ]


def game_of(start: str | None, nodes: Sequence[TreeNode], headers: Mapping[str, str]) -> chess.pgn.Game:
    """The tree for python-chess; raises InvalidMove for a move that is not legal."""
    game = chess.pgn.Game()
    for tag, text in headers.items():
        if tag not in _START_TAGS:
            _set_header(game, tag, text)
    if start is not None:
        game.setup(as_board(parse_board(start)))
    places: list[chess.pgn.GameNode] = [game]
    boards = {0: game.board()}
    for number, node in enumerate(nodes, 1):
        board = boards[node.parent].copy(stack=False)
        move = legal_move(board, node.move)
        board.push(move)
        boards[number] = board
        places.append(_added(places[node.parent], move, node))
    return game


def _set_header(game: chess.pgn.Game, tag: str, text: str) -> None:
    if not _TAG.fullmatch(tag):
        raise BadMessage(f"expected the name of a PGN tag, got {shown(tag)}")
    game.headers[tag] = as_header(text)


def _added(parent: chess.pgn.GameNode, move: chess.Move, node: TreeNode) -> chess.pgn.ChildNode:
    child = parent.add_variation(move, comment=clean_comment(node.words))
    if node.mark in MARKS:
        child.nags.add(MARKS[node.mark])
    score: chess.engine.Score | None = None
    if node.mate_in is not None:
        score = chess.engine.Mate(node.mate_in)
    elif node.centipawns is not None:
        score = chess.engine.Cp(node.centipawns)
    if score is not None:
        child.set_eval(chess.engine.PovScore(score, chess.WHITE))
    return child


def write_pgn(game: chess.pgn.Game) -> str:
    return as_pgn(game)
