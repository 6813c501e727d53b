"""The rules for Python: whether a game is over at a position, and the positions after its moves."""

from heatmap_engine.kernel.board.moves cimport MoveSets, find_moves, list_moves
from heatmap_engine.kernel.board.packed cimport PackedPosition
from heatmap_engine.kernel.board.position cimport MAX_MOVES, Move, Position, make, uci_name
from heatmap_engine.kernel.board.rules cimport ONGOING, REPETITION, forget_idle_en_passant, is_same, state_of


def state(PackedPosition position not None, list history not None = []):
    """0 while the game goes on, else the number of the state in rules.pxd; `history` are the positions before."""
    cdef MoveSets sets
    cdef int found
    find_moves(&position.c, &sets)
    found = state_of(&position.c, &sets)
    return REPETITION if found == ONGOING and _is_third_occurrence(position, history) else found


cdef bint _is_third_occurrence(PackedPosition position, list history) except -1:
    cdef Position now = position.c
    cdef Position then
    cdef int before = 0
    if now.clock < 8 or len(history) < 8:
        return False
    forget_idle_en_passant(&now)
    for earlier in history:
        then = (<PackedPosition?>earlier).c
        forget_idle_en_passant(&then)
        before += is_same(&then, &now)
    return before >= 2


def children(PackedPosition position not None):
    """Each legal move by its UCI name, and the position after it."""
    cdef MoveSets sets
    cdef Move[MAX_MOVES] moves
    cdef PackedPosition child
    cdef int i
    found = []
    find_moves(&position.c, &sets)
    for i in range(list_moves(&position.c, &sets, moves)):
        child = PackedPosition.__new__(PackedPosition, None)
        make(&position.c, moves[i], &child.c)
        child.plain = True
        found.append((uci_name(&position.c, moves[i]), child))
    return found
