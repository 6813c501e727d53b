"""Patterns: parts of a position, each with a learned value. classic/patterns.py names them.

A pattern belongs to one side and counts against the other: a piece stands on a square, counted from its own
side of the board, or one side has more of a kind than the other. So a position and its colour-flipped twin
differ by the sign.
"""

from libc.stdint cimport int16_t

from heatmap_engine.kernel.board.attacks cimport bishop_attacks, king_table, knight_table, rook_attacks
from heatmap_engine.kernel.board.bits cimport FILE_A, FILE_H, Bitboard, Square, bit, flipped, lowest, popcount
from heatmap_engine.kernel.board.packed cimport PackedPosition
from heatmap_engine.kernel.board.pawns cimport passed
from heatmap_engine.kernel.board.position cimport BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, Position

PATTERN_COUNT = PATTERNS

# Where the numbers of each family begin.
FAMILIES = {
    "squares": SQUARES_OF_PIECES,
    "numbers": NUMBERS_OF_KIND,
    "the move": ON_THE_MOVE,
    "takes": TAKES,
    "attacks": ATTACKS,
    "passed": PASSED,
    "blocked": BLOCKED,
    "unstoppable": UNSTOPPABLE,
    "together": TOGETHER,
    "from their king": FROM_THEIR_KING,
    "from own king": FROM_OWN_KING,
    "late squares": LATE_SQUARES,
    "loose": LOOSE,
    "reach": REACH,
    "pressure": PRESSURE,
}


cdef struct Side:
    # One side as it sees the board itself: its pawns go up.
    Bitboard[6] pieces
    Bitboard[6] theirs
    Square king
    Square their_king
    int sign            # 1 for the side to move, -1 for the other


cdef struct Attacked:
    # What a side attacks, on the board as the side to move sees it.
    Bitboard[6] kinds
    Bitboard all
    int[6] reach        # by kind, the squares of each piece without those of its own side
    int[6] pressure     # ... that are next to the other king


cdef struct Notes:
    Found* found
    int count


cdef inline void _note(Notes* notes, int pattern, int times) noexcept nogil:
    notes.found[notes.count].pattern = pattern
    notes.found[notes.count].times = times
    notes.count += 1


cdef inline void _note_difference(Notes* notes, int pattern, int times) noexcept nogil:
    if times:
        _note(notes, pattern, times)


cdef inline int _of_kind(Bitboard pieces) noexcept nogil:
    return min(popcount(pieces), MOST_COUNTED - 1)


cdef inline int _distance(Square one, Square other) noexcept nogil:
    cdef int files = abs((one & 7) - (other & 7))
    cdef int ranks = abs((one >> 3) - (other >> 3))
    return max(files, ranks)


cdef int find_patterns(const Position* position, Found* found) noexcept nogil:
    """Write what the position has to `found`, which has room for MOST_AT_ONCE; how many there are."""
    cdef Notes notes
    cdef Side own, their
    cdef Bitboard pieces = (position.own | position.their) & ~position.pieces[PAWN] & ~position.pieces[KING]
    cdef bint is_late = popcount(pieces) <= FEW
    notes.found = found
    notes.count = 0
    _see(position, &own, &their)
    _note(&notes, ON_THE_MOVE, 1)
    _note_squares(&own, is_late, &notes)
    _note_squares(&their, is_late, &notes)
    _note_numbers(&own, &notes)
    _note_passed(&own, &notes)
    _note_passed(&their, &notes)
    _note_attacks(position, &notes)
    return notes.count


cdef void _see(const Position* position, Side* own, Side* their) noexcept nogil:
    cdef int piece
    for piece in range(6):
        own.pieces[piece] = position.pieces[piece] & position.own
        own.theirs[piece] = position.pieces[piece] & position.their
        their.pieces[piece] = flipped(own.theirs[piece])
        their.theirs[piece] = flipped(own.pieces[piece])
    own.king = lowest(own.pieces[KING])
    own.their_king = lowest(own.theirs[KING])
    their.king = own.their_king ^ 56
    their.their_king = own.king ^ 56
    own.sign = 1
    their.sign = -1


cdef void _note_squares(const Side* side, bint is_late, Notes* notes) noexcept nogil:
    cdef int piece
    cdef Square square
    cdef Bitboard rest
    for piece in range(6):
        rest = side.pieces[piece]
        while rest:
            square = lowest(rest)
            _note(notes, SQUARES_OF_PIECES + piece * 64 + square, side.sign)
            if is_late:
                _note(notes, LATE_SQUARES + piece * 64 + square, side.sign)
            if piece != KING:
                _note(notes, FROM_THEIR_KING + piece * DISTANCES + _distance(square, side.their_king), side.sign)
                _note(notes, FROM_OWN_KING + piece * DISTANCES + _distance(square, side.king), side.sign)
            rest &= rest - 1


cdef void _note_numbers(const Side* side, Notes* notes) noexcept nogil:
    """How many of each kind both sides have, and of two kinds together."""
    cdef int[5] own, their
    cdef int piece, other, times
    cdef int pair = TOGETHER
    for piece in range(KING):
        own[piece] = _of_kind(side.pieces[piece])
        their[piece] = _of_kind(side.theirs[piece])
        if own[piece] != their[piece]:
            _note(notes, (NUMBERS_OF_KIND + piece * COUNTS_OF_KIND
                          + max(own[piece], their[piece]) * MOST_COUNTED + min(own[piece], their[piece])),
                  1 if own[piece] > their[piece] else -1)
    for piece in range(KING):
        for other in range(piece, KING):
            if piece == other:
                times = (own[piece] * (own[piece] - 1) - their[piece] * (their[piece] - 1)) // 2
            else:
                times = own[piece] * own[other] - their[piece] * their[other]
            _note_difference(notes, pair, times)
            pair += 1


cdef void _note_passed(const Side* side, Notes* notes) noexcept nogil:
    """Passed pawns, the foremost of each file."""
    cdef Bitboard rest = passed(side.pieces[PAWN], side.theirs[PAWN])
    cdef Bitboard occupied = 0
    cdef bint has_pieces = (side.theirs[KNIGHT] | side.theirs[BISHOP] | side.theirs[ROOK] | side.theirs[QUEEN]) != 0
    cdef Square square
    cdef int piece, steps
    for piece in range(6):
        occupied |= side.pieces[piece] | side.theirs[piece]
    while rest:
        square = lowest(rest)
        _note(notes, PASSED + (square >> 3), side.sign)
        if occupied & bit(square + 8):
            _note(notes, BLOCKED + (square >> 3), side.sign)
        elif not has_pieces:
            steps = min(5, 7 - (square >> 3))
            if _distance(side.their_king, 56 + (square & 7)) - (side.sign < 0) > steps:
                _note(notes, UNSTOPPABLE + (square >> 3), side.sign)
        rest &= rest - 1


cdef void _note_attacks(const Position* position, Notes* notes) noexcept nogil:
    cdef Attacked own, their
    cdef Bitboard attacked
    cdef int piece
    _find_attacked(position, position.own, position.their, True, &own)
    _find_attacked(position, position.their, position.own, False, &their)
    attacked = own.all | their.all
    for piece in range(6):
        _note_difference(notes, REACH + piece, own.reach[piece] - their.reach[piece])
        _note_difference(notes, PRESSURE + piece, own.pressure[piece] - their.pressure[piece])
        if piece != KING:
            _note_difference(notes, LOOSE + piece, popcount(position.pieces[piece] & position.own & ~attacked)
                             - popcount(position.pieces[piece] & position.their & ~attacked))
    _note_attacked(position, position.their, &own, their.all, TAKES, 1, notes)
    _note_attacked(position, position.own, &their, own.all, ATTACKS, -1, notes)


cdef void _find_attacked(const Position* position, Bitboard side, Bitboard other, bint up,
                         Attacked* attacked) noexcept nogil:
    cdef Bitboard box = king_table[lowest(position.pieces[KING] & other)]
    cdef Bitboard pawns = position.pieces[PAWN] & side
    cdef Bitboard rest, squares
    cdef int piece
    if up:
        attacked.kinds[PAWN] = (pawns & ~FILE_A) << 7 | (pawns & ~FILE_H) << 9
    else:
        attacked.kinds[PAWN] = (pawns & ~FILE_H) >> 7 | (pawns & ~FILE_A) >> 9
    attacked.all = attacked.kinds[PAWN]
    attacked.reach[PAWN] = popcount(attacked.kinds[PAWN] & ~side)
    attacked.pressure[PAWN] = popcount(attacked.kinds[PAWN] & box)
    for piece in range(KNIGHT, KING + 1):
        attacked.kinds[piece] = 0
        attacked.reach[piece] = 0
        attacked.pressure[piece] = 0
        rest = position.pieces[piece] & side
        while rest:
            squares = _attacks(piece, lowest(rest), side | other)
            attacked.kinds[piece] |= squares
            attacked.reach[piece] += popcount(squares & ~side)
            attacked.pressure[piece] += popcount(squares & box)
            rest &= rest - 1
        attacked.all |= attacked.kinds[piece]


cdef inline Bitboard _attacks(int piece, Square square, Bitboard occupied) noexcept nogil:
    if piece == KNIGHT:
        return knight_table[square]
    if piece == BISHOP:
        return bishop_attacks(square, occupied)
    if piece == ROOK:
        return rook_attacks(square, occupied)
    if piece == QUEEN:
        return rook_attacks(square, occupied) | bishop_attacks(square, occupied)
    return king_table[square]


cdef void _note_attacked(const Position* position, Bitboard targets, const Attacked* attacked, Bitboard guarded,
                         int family, int sign, Notes* notes) noexcept nogil:
    """Each piece that is attacked, once, by the least kind that does; a king attacks nothing that is guarded."""
    cdef Bitboard left = targets & ~position.pieces[KING] & attacked.all
    cdef Bitboard now, square
    cdef int piece, target
    for piece in range(6):
        now = left & attacked.kinds[piece]
        left &= ~now
        if piece == KING:
            now &= ~guarded
        while now:
            square = now & (0 - now)
            target = PAWN
            while not position.pieces[target] & square:
                target += 1
            _note(notes, family + (piece * 5 + target) * 2 + ((guarded & square) != 0), sign)
            now ^= square


cdef double sum_of_patterns(const Position* position, const double* values) noexcept nogil:
    """What the position's patterns are worth, White minus Black."""
    cdef Found[MOST_AT_ONCE] found
    cdef int count = find_patterns(position, found)
    cdef double total = 0
    cdef int i
    for i in range(count):
        total += found[i].times * values[found[i].pattern]
    return -total if position.black and total != 0 else total


cdef class PatternTable:
    """The values of all patterns, laid out for C."""

    def __cinit__(self, const double[::1] values not None):
        cdef int i
        if len(values) != PATTERNS:
            raise ValueError(f"expected {PATTERNS} values, got {len(values)}")
        for i in range(PATTERNS):
            self.values[i] = values[i]

    def sum(self, PackedPosition position not None):
        """What a position's patterns are worth, White minus Black."""
        return sum_of_patterns(&position.c, self.values)


def count_patterns(list positions not None, int16_t[:, ::1] counts not None):
    """Add to each position's row how often it has each pattern, White's less Black's."""
    cdef Found[MOST_AT_ONCE] found
    cdef Py_ssize_t row
    cdef PackedPosition position
    cdef int i, count
    if counts.shape[0] < len(positions) or counts.shape[1] != PATTERNS:
        raise ValueError(f"expected {len(positions)} rows of {PATTERNS}, got {counts.shape[0]} of {counts.shape[1]}")
    for row in range(len(positions)):
        position = positions[row]
        count = find_patterns(&position.c, found)
        for i in range(count):
            counts[row, found[i].pattern] += -found[i].times if position.c.black else found[i].times
