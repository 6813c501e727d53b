import chess

class PackedPosition:
    """A copy of a board's position, without its history, for the kernel.

    Raises OverflowError, TypeError or ValueError where the board's values do not fit. Only a position that
    is `plain`, or that `chess.Board.status()` calls valid, may be handed to the rest of the kernel.
    """

    def __init__(self, board: chess.Board) -> None: ...
    @property
    def plain(self) -> bool: ...
    @property
    def black(self) -> bool: ...
    @property
    def in_check(self) -> bool: ...
