"""An annotation written into the tree of a game, beside what is there; an earlier one of ours is replaced."""

import re
from collections.abc import Iterator

import chess
import chess.engine
import chess.pgn

from games.chess.annotations import words_in
from games.chess.record import MARKS
from heatmap_engine.reports.annotation import Annotation, JudgedMove, Worth
from heatmap_engine.reports.why import Why
from heatmap_engine.reports.words import part_name, pieces_in_words, side_name

ANNOTATOR = "Heatmap Engine"

_NAMES = {"?!": "Inaccuracy", "?": "Mistake", "??": "Blunder"}
_OWN_WORDS = re.compile(
    r"\s*\b(?:Inaccuracy|Mistake|Blunder): (?:White|Black)'s chances fall from .{0,2000}?"
    r"\bBetter is \d+\.(?:\.\.| )(?P<best>\S+)\.(?=\s|$)"
)
_EVALUATION = re.compile(r"\[%eval\s[^\]]{0,40}\]")
_OWN_NUMBERS = {MARKS[mark] for mark in _NAMES}

# So much of the better line is shown.
_PLIES_SHOWN = 10
# So many parts of the evaluation are named, each of at least this share of what the move loses.
_PARTS_NAMED = 2
_WORTH_NAMING = 0.15
_PIECES = "pieces"


def write_into(game: chess.pgn.Game, annotation: Annotation, version: str) -> None:
    """Write evaluations, marks, words and better lines into the game, and what sums it up into its headers.

    What a person wrote stays: comments, variations, marks, names. Evaluations are replaced.
    """
    nodes = list(game.mainline())
    for judged in annotation.moves:
        node = nodes[judged.ply - 1]
        _take_back(node)
        _evaluate(node, judged.after)
        if judged.mark and judged.why is not None:
            _mark(node, judged, judged.why)
    _write_headers(game, annotation, version)


def words_on(judged: JudgedMove, why: Why) -> str:
    """What a move loses, and why, in a line or two."""
    before, after = judged.shares
    side, best = side_name(judged.color), judged.board.variation_san([judged.best.move])
    sentences = [
        f"{_NAMES[judged.mark]}: {side}'s chances fall from {100 * before:.0f} % to {100 * after:.0f} %.",
        *_consequences(judged, why),
        f"Better is {best}.",
    ]
    return " ".join(sentences).replace("{", "(").replace("}", ")")


def _consequences(judged: JudgedMove, why: Why) -> Iterator[str]:
    asked, best = why.asked, why.best
    side, other = side_name(judged.color), side_name(not judged.color)
    if best.mate_in is not None and best.mate_in > 0:
        yield f"{side} could have mated in {best.mate_in}."
    if asked.over is not None and len(asked.line) == 1:
        yield f"The game is drawn: {asked.over}."
        return
    after = judged.board.copy()
    after.push(judged.move)
    line = after.variation_san(asked.line[1:])
    if asked.mate_in is not None and asked.mate_in < 0:
        yield f"{other} mates in {-asked.mate_in}: {line}."
        return
    lost = pieces_in_words(asked.lost) if any(asked.lost.values()) else ""
    yield f"After {line} {lost}" if lost else f"The game may go {line}."
    yield from _parts(judged, why)


def _parts(judged: JudgedMove, why: Why) -> Iterator[str]:
    """What else the end of the better line has that the end of this one has not."""
    sign = 1 if judged.color == chess.WHITE else -1
    whole = -sign * sum(part.change for part in why.parts)
    named = [
        part_name(part)
        for part in why.parts
        if part.color is not None
        and part.name != _PIECES  # the lost ones are named before
        and -sign * part.change >= _WORTH_NAMING * whole > 0
    ][:_PARTS_NAMED]
    if named:
        yield f"The better line also differs in {' and '.join(named)}."


def _take_back(node: chess.pgn.ChildNode) -> None:
    """Remove what an earlier annotation of ours wrote."""
    node.comment = _EVALUATION.sub("", node.comment).strip()
    on_one_line = " ".join(node.comment.split())
    own = _OWN_WORDS.search(on_one_line)
    if own is None:
        return
    node.comment = _OWN_WORDS.sub("", on_one_line).strip()
    node.nags -= _OWN_NUMBERS
    for sibling in node.parent.variations[1:]:
        if sibling.san() == own["best"] and _is_bare(sibling):
            node.parent.remove_variation(sibling)
            break


def _is_bare(variation: chess.pgn.ChildNode) -> bool:
    """Whether nobody has written anything into it."""
    node: chess.pgn.ChildNode | None = variation
    while node is not None:
        if node.nags or node.starting_comment or words_in(node.comment) or len(node.variations) > 1:
            return False
        node = node.next()
    return True


def _evaluate(node: chess.pgn.ChildNode, worth: Worth) -> None:
    score: chess.engine.Score | None = None
    if worth.mate_in is not None:
        score = chess.engine.Mate(worth.mate_in)
    elif worth.centipawns is not None:
        score = chess.engine.Cp(worth.centipawns)
    if score is not None:
        node.set_eval(chess.engine.PovScore(score, chess.WHITE))


def _mark(node: chess.pgn.ChildNode, judged: JudgedMove, why: Why) -> None:
    if not node.nags & {*MARKS.values()}:  # a person's mark stands
        node.nags.add(MARKS[judged.mark])
    node.comment = f"{node.comment} {words_on(judged, why)}".strip()
    if not node.parent.has_variation(judged.best.move):
        moves = iter(judged.best.line[:_PLIES_SHOWN])
        better = node.parent.add_variation(next(moves))
        _evaluate(better, judged.before)
        better.add_line(moves)


def _write_headers(game: chess.pgn.Game, annotation: Annotation, version: str) -> None:
    headers = game.headers
    if annotation.opening is not None:
        for name, text in (("ECO", annotation.opening.eco), ("Opening", annotation.opening.name)):
            if headers.get(name, "?") in ("", "?"):
                headers[name] = text
    if headers.get("Annotator", "?").startswith(("?", ANNOTATOR)):
        headers["Annotator"] = f"{ANNOTATOR} {version}"
    for color, accuracy in annotation.accuracy.items():
        if accuracy is not None:
            headers[f"{side_name(color)}Accuracy"] = f"{accuracy:.0f}"
