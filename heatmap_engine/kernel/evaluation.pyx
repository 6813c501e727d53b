"""Heat times weights; see evaluation.pxd for what is counted."""

from libc.stdint cimport int16_t, int32_t, int64_t
from libc.string cimport memset

from heatmap_engine.kernel.attacks cimport bishop_attacks, king_table, knight_table, rook_attacks
from heatmap_engine.kernel.bits cimport FILE_A, FILE_H, Bitboard, Square, bit, flipped, lowest, popcount
from heatmap_engine.kernel.moves cimport MoveSets, count_pawn_moves, find_moves
from heatmap_engine.kernel.packed cimport PackedPosition
from heatmap_engine.kernel.place cimport Place, set_place, turn_over
from heatmap_engine.kernel.position cimport BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, Position

cdef extern from *:
    """
    #define HEATMAP_FAR_HALF 0xFFFFFFFF00000000ULL
    #define HEATMAP_CENTRE 0x00003C3C3C3C0000ULL
    #define HEATMAP_LIGHT 0x55AA55AA55AA55AAULL
    #define HEATMAP_OUTPOST_RANKS 0x0000FFFFFF000000ULL
    """
    const Bitboard _FAR_HALF "HEATMAP_FAR_HALF"
    const Bitboard _CENTRE "HEATMAP_CENTRE"
    const Bitboard _OUTPOST_RANKS "HEATMAP_OUTPOST_RANKS"
    const Bitboard _LIGHT "HEATMAP_LIGHT"

_PIECES = ("pawn", "knight", "bishop", "rook", "queen", "king")
_LANDINGS = ("far half", "centre", "own box", "their box", "guarded", "pawn", "knight", "bishop", "rook", "queen",
             "safe", "weak box")

_ENDINGS = ("pawns", "minors", "opposite bishops", "rooks", "rooks and minors", "queens", "with opposite bishops")


def _names():
    squares = ["abcd"[square % 4] + "12345678"[square // 4] for square in range(STANDING_SQUARES)]
    yield from (f"man {piece}" for piece in _PIECES)
    yield from (f"standing {piece} {square}" for piece in _PIECES for square in squares)
    yield "move pawn"
    yield from (f"moves {piece} {count}" for piece in _PIECES[1:] for count in range(MOST_MOVES_COUNTED))
    yield from (f"landing {piece} {landing}" for piece in _PIECES for landing in _LANDINGS)
    yield from (f"pressure {count}" for count in range(MOST_PRESSURE))
    yield from (f"pressers {count}" for count in range(MOST_PRESSERS))
    yield from (f"shelter {count}" for count in range(MOST_SHELTER))
    for group in ("passed rank", "passed blocked rank", "passed own king", "passed their king",
                  "supported rank", "phalanx rank"):
        yield from (f"{group} {number}" for number in range(8))
    yield from ("isolated", "doubled", "outpost knight", "outpost bishop", "bishop pair",
                "rook open", "rook half open")
    yield from (f"check {piece} {kind}" for piece in _PIECES[1:5] for kind in ("any", "safe"))
    for group in ("cover beside", "cover", "storm beside", "storm", "passed free rank", "passed open rank"):
        yield from (f"{group} {number}" for number in range(8))
    yield "rook behind passed"
    yield from (f"ending pawn {ending}" for ending in _ENDINGS)
    yield from ("bare lead", "bare knights", "last pawn", "wrong corner", "wrong pawn")
    for king in ("own", "their"):
        first = -3 if king == "own" else -4
        yield from (f"{king}-king {piece} {files} {ranks:+d}"
                    for piece in _PIECES[:5] for files in range(5) for ranks in range(first, first + 8))
    yield from (f"attack {pieces} {moves}" for pieces in range(MOST_ATTACKERS) for moves in range(MOST_ATTACKS))
    for group in ("hanging", "loose"):
        yield from (f"{group} {piece}" for piece in _PIECES[:5])
    for group in ("passed guarded rank", "passed beside rank"):
        yield from (f"{group} {number}" for number in range(8))
    yield from ("backward", "backward open")
    yield from (f"bishop pawns {number}" for number in range(9))
    yield from (f"with {one} {other}" for i, one in enumerate(_PIECES[:5]) for other in _PIECES[i:5] if other != "pawn")
    yield from (f"against {one} {other}" for i, one in enumerate(_PIECES[:5]) for other in _PIECES[i + 1:5])
    yield "tempo"


NAMES = tuple(_names())
assert len(NAMES) == FEATURES


cdef class HeatWeights:
    """Weights laid out for C: a row of two for each feature, middlegame and endgame."""

    def __cinit__(self, rows, worth):
        cdef int i
        if len(rows) != FEATURES or len(worth) != 6:
            raise ValueError(f"expected {FEATURES} rows of weights and 6 worths, got {len(rows)} and {len(worth)}")
        for i in range(FEATURES):
            middlegame, endgame = rows[i]
            self.packed[i] = <int64_t>round(middlegame * FRACTIONS) * (1LL << 32) + <int64_t>round(endgame * FRACTIONS)
        for i in range(6):
            self.worth[i] = round(worth[i])

    @property
    def rows(self):
        """The rows as they are kept, in whole fractions of a weight."""
        cdef int i
        halves = [((self.packed[i] - <int32_t>self.packed[i]) >> 32, <int32_t>self.packed[i]) for i in range(FEATURES)]
        return [(middlegame / FRACTIONS, endgame / FRACTIONS) for middlegame, endgame in halves]


cdef unsigned char[64][64] _from_own_king    # [king][square]: the index into a row of BESIDE_KING
cdef unsigned char[64][64] _from_their_king


cdef int _place_from(int files, int ranks, int first) noexcept nogil:
    """The index of a man so many files and ranks from a king; `first` is the lowest rank told apart."""
    files = min(files if files > 0 else -files, 4)
    return 8 * files + min(max(ranks - first, 0), 7)


cdef void _fill_from_kings() noexcept nogil:
    cdef int king, square
    for king in range(64):
        for square in range(64):
            _from_own_king[king][square] = _place_from((square & 7) - (king & 7), (square >> 3) - (king >> 3), -3)
            _from_their_king[king][square] = _place_from((square & 7) - (king & 7), (square >> 3) - (king >> 3), -4)


_fill_from_kings()


cdef struct Reach:
    # Where the moves of the other side land, as this side sees the board.
    Bitboard any
    Bitboard without_king


cdef struct Sum:
    # One side's features, weighed as they are counted.
    const int64_t* weights
    int64_t total
    int sign        # with which the counts go to a trace


# A trace, if given, takes the counts themselves. It is handed down by itself, not in a Sum: the compiler
# then makes a second body for the search, which has none. Asking at each feature took 12 % of its time.
cdef inline void _add(Sum* sum, int16_t* trace, int feature, int count) noexcept nogil:
    sum.total += sum.weights[feature] * count
    if trace != NULL:
        trace[feature] += sum.sign * count


cdef inline Bitboard _sideways(Bitboard squares) noexcept nogil:
    return (squares & ~FILE_A) >> 1 | (squares & ~FILE_H) << 1


cdef inline Bitboard _filled_down(Bitboard squares) noexcept nogil:
    squares |= squares >> 8
    squares |= squares >> 16
    return squares | squares >> 32


cdef inline Bitboard _filled_up(Bitboard squares) noexcept nogil:
    squares |= squares << 8
    squares |= squares << 16
    return squares | squares << 32


cdef inline int _standing(int kind, Square square) noexcept nogil:
    cdef int file = square & 7
    return STANDING + STANDING_SQUARES * kind + (square >> 3) * 4 + (file if file < 4 else 7 - file)


cdef inline Bitboard _passed(Bitboard own, Bitboard their) noexcept nogil:
    """Own pawns that no pawn of the other side can stop or take, the foremost of each file."""
    return own & ~_filled_down((their | _sideways(their)) >> 8) & ~_filled_down(own >> 8)


cdef void _add_pawns(Sum* sum, int16_t* trace, Bitboard own, Bitboard their) noexcept nogil:
    """What the pawns of one side are worth by themselves."""
    cdef Bitboard files = _filled_up(_filled_down(own))
    cdef Bitboard beside = _sideways(own)
    cdef Bitboard pawns = own
    cdef Square square
    _add(sum, trace, MAN + PAWN, popcount(own))
    _add(sum, trace, DOUBLED, popcount(own & _filled_down(own >> 8)))
    _add(sum, trace, ISOLATED, popcount(own & ~_sideways(files)))
    while pawns:
        square = lowest(pawns)
        _add(sum, trace, _standing(PAWN, square), 1)
        if beside << 8 & bit(square):
            _add(sum, trace, SUPPORTED + (square >> 3), 1)
        if beside & bit(square):
            _add(sum, trace, PHALANX + (square >> 3), 1)
        pawns &= pawns - 1
    pawns = _passed(own, their)
    while pawns:
        square = lowest(pawns)
        _add(sum, trace, PASSED + (square >> 3), 1)
        if beside << 8 & bit(square):
            _add(sum, trace, PASSED_GUARDED + (square >> 3), 1)
        if beside & bit(square):
            _add(sum, trace, PASSED_BESIDE + (square >> 3), 1)
        pawns &= pawns - 1
    pawns = own & ~_sideways(_filled_up(own)) & (_sideways(their) >> 16)
    _add(sum, trace, BACKWARD, popcount(pawns))
    _add(sum, trace, BACKWARD + 1, popcount(pawns & ~_filled_down(their)))


cdef inline int _distance(Square one, Square other) noexcept nogil:
    """How many moves a king needs."""
    cdef int files = (one & 7) - (other & 7)
    cdef int ranks = (one >> 3) - (other >> 3)
    files = -files if files < 0 else files
    ranks = -ranks if ranks < 0 else ranks
    return files if files > ranks else ranks


cdef inline Reach _reach(const Position* position, const MoveSets* sets) noexcept nogil:
    """Where the moves of the side to move land, and what its pawns guard, as the other side sees the board."""
    cdef Reach reach
    cdef Bitboard squares = _sideways(position.pieces[PAWN] & position.own) << 8
    cdef int i
    cdef int last = sets.count - 1
    for i in range(last):
        squares |= sets.targets[i]
    reach.without_king = flipped(squares)
    if last >= 0:  # the king comes last, if it can move
        squares |= sets.targets[last]
        if sets.piece[last] != KING:
            reach.without_king = flipped(squares)
    reach.any = flipped(squares)
    return reach


cdef inline void _add_passed(Sum* sum, int16_t* trace, const Position* position, Bitboard passed, const Reach* reach) noexcept nogil:
    """What stands around the passed pawns."""
    cdef Square own_king, their_king, square
    cdef Bitboard path
    cdef Bitboard rooks = position.pieces[ROOK] & position.own
    if passed == 0:
        return
    own_king = lowest(position.pieces[KING] & position.own)
    their_king = lowest(position.pieces[KING] & position.their)
    while passed:
        square = lowest(passed)
        if square >= 24:  # lower down, kings are too far away to matter
            _add(sum, trace, PASSED_OWN_KING + _distance(own_king, square + 8), 1)
            _add(sum, trace, PASSED_THEIR_KING + _distance(their_king, square + 8), 1)
        if (position.own | position.their) & bit(square + 8):
            _add(sum, trace, PASSED_BLOCKED + (square >> 3), 1)
        path = FILE_A << (square + 8)
        if (reach.any | position.own | position.their) & bit(square + 8) == 0:
            _add(sum, trace, PASSED_FREE + (square >> 3), 1)
            if (reach.any | position.own | position.their) & path == 0:
                _add(sum, trace, PASSED_OPEN + (square >> 3), 1)
        if rooks & (FILE_A << (square & 7)) & (bit(square) - 1):
            _add(sum, trace, ROOK_BEHIND, 1)
        passed &= passed - 1


cdef inline void _add_men(Sum* sum, int16_t* trace, const Position* position, Bitboard guarded) noexcept nogil:
    """The officers, and where they and the pawns stand from the kings; `guarded` are squares the other pawns guard."""
    cdef Bitboard own_pawns = position.pieces[PAWN] & position.own
    cdef Bitboard reach, men, file
    cdef int kind
    cdef Square own_king = lowest(position.pieces[KING] & position.own)
    cdef Square their_king = lowest(position.pieces[KING] & position.their)
    cdef Square square
    for kind in range(PAWN, KING):
        men = position.pieces[kind] & position.own
        if kind != PAWN:
            _add(sum, trace, MAN + kind, popcount(men))
        while men:
            square = lowest(men)
            if kind != PAWN:
                _add(sum, trace, _standing(kind, square), 1)
            _add(sum, trace, FROM_OWN_KING + BESIDE_KING * kind + _from_own_king[own_king][square], 1)
            _add(sum, trace, FROM_THEIR_KING + BESIDE_KING * kind + _from_their_king[their_king][square], 1)
            men &= men - 1
    _add(sum, trace, _standing(KING, lowest(position.pieces[KING] & position.own)), 1)
    men = position.pieces[ROOK] & position.own
    while men:
        file = FILE_A << (lowest(men) & 7)
        if file & own_pawns == 0:
            _add(sum, trace, ROOK_HALF_OPEN if file & position.pieces[PAWN] else ROOK_OPEN, 1)
        men &= men - 1
    men = position.pieces[BISHOP] & position.own
    if men & (men - 1):
        _add(sum, trace, BISHOP_PAIR, 1)
    if men & _LIGHT:
        _add(sum, trace, BISHOP_PAWNS + popcount(own_pawns & _LIGHT), popcount(men & _LIGHT))
    if men & ~_LIGHT:
        _add(sum, trace, BISHOP_PAWNS + popcount(own_pawns & ~_LIGHT), popcount(men & ~_LIGHT))
    reach = _sideways(own_pawns) << 8 & _OUTPOST_RANKS & ~_filled_down(guarded)
    if reach & (position.pieces[KNIGHT] | position.pieces[BISHOP]) & position.own:
        _add(sum, trace, OUTPOST, popcount(reach & position.pieces[KNIGHT] & position.own))
        _add(sum, trace, OUTPOST + 1, popcount(reach & men))


cdef inline void _add_pairs(Sum* sum, int16_t* trace, const Position* position) noexcept nogil:
    """Which men go together, and which against which: an exchange of unlike men is no matter of their sums."""
    cdef int[5] own, their
    cdef int one, other
    cdef int feature = WITH
    for one in range(5):
        own[one] = popcount(position.pieces[one] & position.own)
        their[one] = popcount(position.pieces[one] & position.their)
    for one in range(5):
        for other in range(max(one, 1), 5):
            _add(sum, trace, feature, own[one] * own[other])
            feature += 1
    for one in range(5):
        for other in range(one + 1, 5):
            _add(sum, trace, feature, own[one] * their[other])
            feature += 1


cdef inline void _add_unguarded(Sum* sum, int16_t* trace, const Position* position, Bitboard guards, const Reach* reach) noexcept nogil:
    """The men that nobody guards; `guards` are all squares that own men guard."""
    cdef Bitboard men = position.own & ~guards
    cdef int kind
    if men & ~position.pieces[KING] == 0:
        return
    for kind in range(KING):
        _add(sum, trace, LOOSE + kind, popcount(men & position.pieces[kind]))
        _add(sum, trace, HANGING + kind, popcount(men & position.pieces[kind] & reach.any))


cdef inline int _ending(const Position* position) noexcept nogil:
    """Which ending it is, the same for both sides."""
    cdef Bitboard officers = (position.own | position.their) & ~(position.pieces[PAWN] | position.pieces[KING])
    cdef Bitboard own = officers & position.own
    cdef Bitboard their = officers & position.their
    cdef Bitboard minors = position.pieces[KNIGHT] | position.pieces[BISHOP]
    cdef Bitboard bishops = position.pieces[BISHOP]
    cdef int count = popcount(own)
    if count != popcount(their):
        return NO_ENDING
    if count == 0:
        return OF_PAWNS
    if popcount(bishops & own) == 1 and popcount(bishops & their) == 1 and popcount(bishops & _LIGHT) == 1:
        return OF_OPPOSITE_BISHOPS if count == 1 else WITH_OPPOSITE_BISHOPS
    if count > 2 or popcount(minors & own) != popcount(minors & their):
        return NO_ENDING
    if count == 1:
        if officers & ~position.pieces[QUEEN] == 0:
            return OF_QUEENS
        if officers & ~position.pieces[ROOK] == 0:
            return OF_ROOKS
        return OF_MINORS if officers & ~minors == 0 else NO_ENDING
    if popcount(minors & own) == 1 and officers & position.pieces[QUEEN] == 0:
        return OF_ROOKS_AND_MINORS
    return NO_ENDING


cdef inline int _points(const Position* position, Bitboard men) noexcept nogil:
    """The officers' worth as every player counts it; it only tells endings apart."""
    return (3 * popcount((position.pieces[KNIGHT] | position.pieces[BISHOP]) & men)
            + 5 * popcount(position.pieces[ROOK] & men) + 9 * popcount(position.pieces[QUEEN] & men))


cdef inline bint _is_wrong_corner(const Position* position, Bitboard pawns) noexcept nogil:
    """Whether bishops and these own pawns of one outer file cannot drive the king from the corner before them."""
    cdef Bitboard bishops = position.pieces[BISHOP] & position.own
    cdef Square corner = 63 if pawns & FILE_H else 56
    if bishops == 0 or pawns & ~FILE_A and pawns & ~FILE_H:
        return False
    if position.own & ~(pawns | bishops | position.pieces[KING]):
        return False
    return (bishops & (_LIGHT if bit(corner) & _LIGHT else ~_LIGHT) == 0
            and _distance(lowest(position.pieces[KING] & position.their), corner) <= 2)


cdef inline void _add_ending(Sum* sum, int16_t* trace, const Position* position) noexcept nogil:
    """What makes a lead worth more or less when few officers are left."""
    cdef Bitboard pawns = position.pieces[PAWN] & position.own
    cdef int ending = _ending(position)
    cdef int lead
    if ending != NO_ENDING and pawns:
        _add(sum, trace, ENDING_PAWN + ending, popcount(pawns))
    if pawns & (pawns - 1):
        if _is_wrong_corner(position, pawns):
            _add(sum, trace, WRONG_CORNER, 1)
            _add(sum, trace, WRONG_PAWN, popcount(pawns))
        return
    lead = _points(position, position.own) - _points(position, position.their)
    if pawns == 0:
        if 0 < lead <= 3:
            _add(sum, trace, BARE_LEAD, lead)
        elif lead == 6 and popcount(position.pieces[KNIGHT] & position.own) == 2 and popcount(position.own) == 3:
            _add(sum, trace, BARE_KNIGHTS, 1)
    elif _is_wrong_corner(position, pawns):
        _add(sum, trace, WRONG_CORNER, 1)
        _add(sum, trace, WRONG_PAWN, 1)
    elif 0 <= lead <= 3 and _points(position, position.their) >= 3:
        _add(sum, trace, LAST_PAWN, 1)


cdef inline void _add_cover(Sum* sum, int16_t* trace, const Position* position) noexcept nogil:
    """The pawns of both sides before the own king."""
    cdef Square king = lowest(position.pieces[KING] & position.own)
    cdef Bitboard before = ~<Bitboard>0 << (king & 56)
    cdef Bitboard own = position.pieces[PAWN] & position.own & before
    cdef Bitboard their = position.pieces[PAWN] & position.their & before
    cdef Bitboard file
    cdef int middle = min(max(king & 7, 1), 6)
    cdef int number
    for number in range(middle - 1, middle + 2):
        file = FILE_A << number
        _add(sum, trace, COVER + 8 * (number == (king & 7)) + (lowest(own & file) >> 3 if own & file else 0), 1)
        _add(sum, trace, STORM + 8 * (number == (king & 7)) + (lowest(their & file) >> 3 if their & file else 0), 1)


cdef inline void _add_heat(Sum* sum, int16_t* trace, const Position* position, const MoveSets* sets, Bitboard guarded, const Reach* reach) noexcept nogil:
    """The moves of one side, by what they land on; `guarded` are squares the other pawns guard."""
    cdef Bitboard own_king = position.pieces[KING] & position.own
    cdef Bitboard their_king = position.pieces[KING] & position.their
    cdef Bitboard own_box = own_king | king_table[lowest(own_king)]
    cdef Bitboard their_box = their_king | king_table[lowest(their_king)]
    cdef Bitboard men = position.own | position.their
    cdef Square their_square = lowest(their_king)
    cdef Bitboard safe = ~reach.any
    cdef Bitboard weak_box = their_box & ~reach.without_king
    cdef Bitboard[KING] checking
    cdef Bitboard targets
    cdef int landing, kind, victim, i, boxed
    cdef int pressure = count_pawn_moves(sets, their_box)
    cdef int pressers = 0
    cdef int idle_knights = popcount(position.pieces[KNIGHT] & position.own)
    checking[KNIGHT] = knight_table[their_square]
    checking[BISHOP] = bishop_attacks(their_square, men)
    checking[ROOK] = rook_attacks(their_square, men)
    checking[QUEEN] = checking[BISHOP] | checking[ROOK]
    _add(sum, trace, PAWN_MOVE, count_pawn_moves(sets, ~<Bitboard>0))
    _add(sum, trace, LANDING + ON_FAR_HALF, count_pawn_moves(sets, _FAR_HALF))
    _add(sum, trace, LANDING + ON_CENTRE, count_pawn_moves(sets, _CENTRE))
    _add(sum, trace, LANDING + ON_OWN_BOX, count_pawn_moves(sets, own_box))
    _add(sum, trace, LANDING + ON_THEIR_BOX, pressure)
    _add(sum, trace, LANDING + ON_GUARDED, count_pawn_moves(sets, guarded))
    if (sets.left_captures | sets.right_captures) & position.their:
        for victim in range(5):
            _add(sum, trace, LANDING + ON_MAN + victim, count_pawn_moves(sets, position.pieces[victim] & position.their))
    for i in range(sets.count):
        kind = sets.piece[i]
        targets = sets.targets[i]
        landing = LANDING + LANDINGS * kind
        idle_knights -= kind == KNIGHT
        boxed = popcount(targets & their_box)
        pressure += boxed
        pressers += boxed != 0
        _add(sum, trace, MOVES + MOST_MOVES_COUNTED * (kind - 1) + popcount(targets), 1)
        _add(sum, trace, landing + ON_FAR_HALF, popcount(targets & _FAR_HALF))
        _add(sum, trace, landing + ON_CENTRE, popcount(targets & _CENTRE))
        _add(sum, trace, landing + ON_OWN_BOX, popcount(targets & own_box))
        _add(sum, trace, landing + ON_THEIR_BOX, boxed)
        _add(sum, trace, landing + ON_GUARDED, popcount(targets & guarded))
        _add(sum, trace, landing + ON_SAFE, popcount(targets & safe))
        if boxed:
            _add(sum, trace, landing + ON_WEAK_BOX, popcount(targets & weak_box))
        if kind != KING and targets & checking[kind]:
            _add(sum, trace, CHECKS + 2 * (kind - 1), popcount(targets & checking[kind]))
            _add(sum, trace, CHECKS + 2 * (kind - 1) + 1, popcount(targets & checking[kind] & safe))
        if targets & position.their:
            for victim in range(5):
                _add(sum, trace, landing + ON_MAN + victim, popcount(targets & position.pieces[victim] & position.their))
    _add(sum, trace, MOVES, idle_knights)  # a pinned knight is not among the sets
    _add(sum, trace, PRESSURE + min(pressure, MOST_PRESSURE - 1), 1)
    _add(sum, trace, PRESSERS + min(pressers, MOST_PRESSERS - 1), 1)
    _add(sum, trace, ATTACK + MOST_ATTACKS * min(pressers, MOST_ATTACKERS - 1) + min(pressure, MOST_ATTACKS - 1), 1)
    _add(sum, trace, SHELTER + min(popcount((own_box | own_box << 8) & position.pieces[PAWN] & position.own), MOST_SHELTER - 1), 1)


cdef inline void _add_side(Sum* sum, int16_t* trace, const Position* position, const MoveSets* sets, Bitboard passed, const Reach* reach) noexcept nogil:
    """All but the pawns by themselves, for the side to move."""
    cdef Bitboard guarded = _sideways(position.pieces[PAWN] & position.their) >> 8
    _add_passed(sum, trace, position, passed, reach)
    _add_men(sum, trace, position, guarded)
    _add_cover(sum, trace, position)
    _add_pairs(sum, trace, position)
    _add_unguarded(sum, trace, position, sets.guards, reach)
    if popcount(position.own | position.their) <= MOST_IN_ENDINGS:
        _add_ending(sum, trace, position)
    _add_heat(sum, trace, position, sets, guarded, reach)


cdef inline int _phase(const Position* position) noexcept nogil:
    """How much of a middlegame it is, up to FULL_PHASE."""
    cdef int phase = (popcount(position.pieces[KNIGHT] | position.pieces[BISHOP])
                      + 2 * popcount(position.pieces[ROOK]) + 4 * popcount(position.pieces[QUEEN]))
    return min(phase, FULL_PHASE)


cdef inline int64_t _mixed(int64_t total, int phase) noexcept nogil:
    """The middlegame's and the endgame's half of a sum, in shares of the phase."""
    cdef int64_t endgame = <int32_t>total
    cdef int64_t middlegame = (total - endgame) >> 32
    return middlegame * phase + endgame * (FULL_PHASE - phase)


cdef PawnEntry* _pawn_entry(Evaluator* evaluator, const Place* place) noexcept nogil:
    cdef PawnEntry* entry = &evaluator.pawns[place.pawn_key & (PAWN_CACHE - 1)]
    cdef const Position* position = &place.position
    cdef Bitboard own, their
    cdef Sum own_sum, their_sum
    if entry.key == place.pawn_key:
        return entry
    own = position.pieces[PAWN] & position.own
    their = position.pieces[PAWN] & position.their
    own_sum.weights = their_sum.weights = evaluator.weights
    own_sum.total = their_sum.total = 0
    _add_pawns(&own_sum, NULL, own, their)
    _add_pawns(&their_sum, NULL, flipped(their), flipped(own))
    entry.key = place.pawn_key
    entry.sum = own_sum.total - their_sum.total
    entry.white_passed = _passed(own, their)
    entry.black_passed = flipped(_passed(flipped(their), flipped(own)))
    if position.black:
        entry.sum = -entry.sum
        own = flipped(entry.white_passed)
        entry.white_passed = flipped(entry.black_passed)
        entry.black_passed = own
    return entry


cdef int64_t _weigh(Evaluator* evaluator, const Place* place, const MoveSets* sets) noexcept nogil:
    """The evaluation for the side to move in FRACTIONS * FULL_PHASE-ths; exact."""
    cdef PawnEntry* pawns = _pawn_entry(evaluator, place)
    cdef Position other
    cdef MoveSets other_sets
    cdef Reach own_reach, other_reach
    cdef Sum own_sum, other_sum
    own_sum.weights = other_sum.weights = evaluator.weights
    own_sum.total = evaluator.weights[TEMPO] + (-pawns.sum if place.position.black else pawns.sum)
    other_sum.total = 0
    turn_over(&place.position, &other)
    find_moves(&other, &other_sets)
    own_reach = _reach(&place.position, sets)
    other_reach = _reach(&other, &other_sets)
    if place.position.black:
        _add_side(&own_sum, NULL, &place.position, sets, flipped(pawns.black_passed), &other_reach)
        _add_side(&other_sum, NULL, &other, &other_sets, pawns.white_passed, &own_reach)
    else:
        _add_side(&own_sum, NULL, &place.position, sets, pawns.white_passed, &other_reach)
        _add_side(&other_sum, NULL, &other, &other_sets, flipped(pawns.black_passed), &own_reach)
    return _mixed(own_sum.total - other_sum.total, _phase(&place.position))


cdef int evaluate(Evaluator* evaluator, const Place* place, const MoveSets* sets) noexcept nogil:
    """The evaluation for the side to move, which must not be in check, and whose moves are `sets`."""
    return <int>(_weigh(evaluator, place, sets) / (FRACTIONS * FULL_PHASE))


def weigh(PackedPosition position not None, HeatWeights weights not None):
    """The exact evaluation for the side to move, in units of the weights; only without a check."""
    cdef Evaluator evaluator
    cdef PawnEntry[PAWN_CACHE] pawns
    cdef MoveSets sets
    cdef Place place
    memset(pawns, 0xFF, sizeof(pawns))
    evaluator.pawns = pawns
    evaluator.weights = weights.packed
    set_place(&place, &position.c)
    find_moves(&position.c, &sets)
    return _weigh(&evaluator, &place, &sets) / (<double>FRACTIONS * FULL_PHASE)


cdef void _count_side(int16_t* row, int sign, const Position* position, const Position* other) noexcept nogil:
    cdef Bitboard own = position.pieces[PAWN] & position.own
    cdef Bitboard their = position.pieces[PAWN] & position.their
    cdef int64_t[FEATURES] weights
    cdef MoveSets sets, other_sets
    cdef Reach reach
    cdef Sum sum
    memset(weights, 0, sizeof(weights))
    sum.weights = weights
    sum.total = 0
    sum.sign = sign
    find_moves(position, &sets)
    find_moves(other, &other_sets)
    reach = _reach(other, &other_sets)
    _add_pawns(&sum, row, own, their)
    _add_side(&sum, row, position, &sets, _passed(own, their), &reach)


def count_features(list positions not None, int16_t[:, ::1] counts, int16_t[::1] phases):
    """Write each position's features, mover minus other, to its row of `counts`, and its phase to `phases`."""
    cdef Py_ssize_t i
    cdef PackedPosition position
    cdef Position other
    for i in range(len(positions)):
        position = positions[i]
        memset(&counts[i, 0], 0, FEATURES * sizeof(int16_t))
        turn_over(&position.c, &other)
        _count_side(&counts[i, 0], 1, &position.c, &other)
        _count_side(&counts[i, 0], -1, &other, &position.c)
        counts[i, TEMPO] = 1
        phases[i] = _phase(&position.c)


def count_sides(PackedPosition position not None, int16_t[:, ::1] counts not None):
    """Write the features of the mover and of the other side to two rows of `counts`; gives the phase."""
    cdef Position other
    turn_over(&position.c, &other)
    memset(&counts[0, 0], 0, 2 * FEATURES * sizeof(int16_t))
    _count_side(&counts[0, 0], 1, &position.c, &other)
    _count_side(&counts[1, 0], 1, &other, &position.c)
    counts[0, TEMPO] = 1
    return _phase(&position.c)
