"""Prints what `docs/design/weights.md` shows of the package's weights: its tables, and what it says of them.

    python docs/make_weight_tables.py

Each weight is read from `heatmap_engine/deep/weights.json` by its name, so that a table names no feature that
there is not. A dash stands where nothing is counted or nothing was ever seen.
"""

from collections.abc import Iterator

from heatmap_engine.deep.weights import PIECES, DeepWeights, Pair, learned_weights
from heatmap_engine.kernel.deep.evaluation import NAMES

VICTIMS = PIECES[:5]
HEADING = "middlegame / endgame"
NOTHING = "-"
SMALL = 5.0

Rows = tuple[tuple[str, str], ...]

# Words for a row and its features' name, where PIECE stands for the column.
ON_SQUARES = (
    ("a move into the far half", "landing PIECE far half"),
    ("a move into the centre", "landing PIECE centre"),
    ("a move into its own king's box", "landing PIECE own box"),
    ("a move into the other king's box", "landing PIECE their box"),
    ("... onto a square of it that only the king guards, in addition", "landing PIECE weak box"),
    ("a move onto a square that a pawn guards", "landing PIECE guarded"),
    ("a move onto a square that the other side does not reach", "landing PIECE safe"),
)
ON_PIECES = tuple((f"a move onto a {victim}", f"landing PIECE {victim}") for victim in VICTIMS)
ON_LOOSE = tuple(
    (f"a move onto an undefended {victim}, in addition", f"on-loose PIECE {victim}") for victim in VICTIMS
)
CHECKS = (
    ("a move that checks", "check PIECE any"),
    ("a check from a safe square, in addition", "check PIECE safe"),
)
HANGING = ("an undefended piece that is attacked", "hanging PIECE")
LOOSE = ("an undefended piece", "loose PIECE")
FOR_THE_MOVER = tuple(
    (words, f"turn {pattern}") for words, pattern in (*ON_PIECES, *ON_LOOSE, *CHECKS, HANGING)
)

# Words for a row and the features of its cell; one with a minus is seen from the other side.
OTHERS = (
    ("to be on the move", "tempo"),
    ("the right to castle short; long", "castle short; castle long"),
    ("the bishop pair", "bishop pair"),
    ("a knight on an outpost", "outpost knight"),
    ("a rook on an open file", "rook open"),
    ("a rook behind its own passed pawn", "rook behind passed"),
    ("an isolated pawn", "isolated"),
    ("a doubled pawn", "doubled"),
    ("a backward pawn on a file without pawns of the other side, in addition", "backward open"),
    ("a passed pawn on the sixth rank", "passed rank 5"),
    ("... whose next square the other side cannot enter, in addition", "passed free rank 5"),
    ("... nor any square before it, in addition", "passed open rank 5"),
    ("... guarded by a pawn, in addition", "passed guarded rank 5"),
    ("... beside a pawn, in addition", "passed beside rank 5"),
    ("a pawn in a pawn ending, in addition", "ending pawn pawns"),
    ("... in a rook ending", "ending pawn rooks"),
    ("... in a queen ending", "ending pawn queens"),
    ("... with bishops of opposite colours alone", "ending pawn opposite bishops"),
    ("each own pawn for a queen; a rook; a knight", "with pawn queen; with pawn rook; with pawn knight"),
    ("each pawn of the other side for a queen; a rook", "-against pawn queen; -against pawn rook"),
    ("each point ahead, up to a minor piece, for a side without pawns", "bare lead"),
    ("two knights against a lone king", "bare knights"),
    ("pawns before a corner that the bishop beside them cannot guard", "wrong corner"),
    ("... each of them, in addition", "wrong pawn"),
    (
        "a lone king on the edge; one, two, three squares from it",
        "; ".join(f"lone ring {n}" for n in range(4)),
    ),
    ("... with the other king 2; 4; 7 squares away", "lone near 2; lone near 4; lone near 7"),
    (
        "... in the corner where bishop and knight mate; 3; 7 squares from it",
        "lone corner 0; lone corner 3; lone corner 7",
    ),
)


def found(weights: DeepWeights, name: str) -> Pair | None:
    """Middlegame and endgame of one feature, negative with a minus before its name; None if never seen."""
    feature = name.removeprefix("-")
    if feature not in NAMES:
        raise ValueError(f"no feature is called {feature!r}")
    pair = weights.values.get(feature)
    return pair if pair is None or feature == name else (-pair[0], -pair[1])


def written(pair: Pair | None, places: int = 0) -> str:
    if pair is None:
        return NOTHING
    return " / ".join(f"{round(value, places) + 0.0:.{places}f}" for value in pair)  # + 0.0: no -0


def head(*cells: str) -> str:
    return f"{row(*cells)}\n{'|---' * len(cells)}|"


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def by_piece(weights: DeepWeights, rows: Rows, places: int = 0) -> Iterator[str]:
    for words, pattern in rows:
        names = [pattern.replace("PIECE", piece) for piece in PIECES]
        if not set(names) & set(NAMES):
            raise ValueError(f"no feature is called {pattern!r}")
        # Not all pieces have all features: a king gives no check.
        yield row(words, *(written(weights.values.get(name), places) for name in names))


def table_of_pieces(weights: DeepWeights) -> Iterator[str]:
    yield head(HEADING, *PIECES)
    yield from by_piece(weights, (("a piece", "man PIECE"),))
    yield from by_piece(weights, ON_SQUARES, places=1)
    yield from by_piece(weights, (*ON_PIECES, *ON_LOOSE, *CHECKS, HANGING, LOOSE))


def table_of_the_mover(weights: DeepWeights) -> Iterator[str]:
    yield head(f"once more, {HEADING}", *PIECES)
    yield from by_piece(weights, FOR_THE_MOVER)


def table_of_others(weights: DeepWeights) -> Iterator[str]:
    yield head("feature", HEADING)
    for words, names in OTHERS:
        yield row(words, "; ".join(written(found(weights, name)) for name in names.split("; ")))


def averages(weights: DeepWeights) -> Iterator[str]:
    """What a piece adds in all, averaged over the positions that were learned from."""
    for piece, worth in zip(VICTIMS, weights.worth[:5], strict=True):
        yield f"{piece} {worth:.0f}"


def left_out(weights: DeepWeights) -> Iterator[str]:
    """What the table of the mover leaves out although it is not small."""
    shown = {pattern.replace("PIECE", piece) for _, pattern in FOR_THE_MOVER for piece in PIECES}
    for name, pair in weights.values.items():
        if name.startswith("turn ") and name not in shown and max(map(abs, pair)) >= SMALL:
            yield f"{name}: {written(pair)}"


def main() -> None:
    weights = learned_weights()
    parts = (
        table_of_pieces(weights),
        averages(weights),
        table_of_the_mover(weights),
        left_out(weights),
        table_of_others(weights),
    )
    print("\n\n".join("\n".join(part) for part in parts))  # noqa: T201 - a script prints


if __name__ == "__main__":
    main()
