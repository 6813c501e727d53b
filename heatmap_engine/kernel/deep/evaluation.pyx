"""Heat times weights; see evaluation.pxd for what is counted."""

from itertools import product

from libc.stdint cimport int16_t, int32_t, int64_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from heatmap_engine.kernel.board.attacks cimport bishop_attacks, king_table, knight_table, rook_attacks
from heatmap_engine.kernel.board.bits cimport (
    FILE_A, FILE_H, RANK_1, RANK_8, Bitboard, Square, bit, flipped, lowest, popcount,
)
from heatmap_engine.kernel.board.moves cimport MoveSets, find_moves
from heatmap_engine.kernel.board.pawns cimport filled_down as _filled_down
from heatmap_engine.kernel.board.pawns cimport filled_up as _filled_up
from heatmap_engine.kernel.board.pawns cimport passed as _passed
from heatmap_engine.kernel.board.pawns cimport sideways as _sideways
from heatmap_engine.kernel.board.packed cimport PackedPosition
from heatmap_engine.kernel.board.position cimport BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, Position
from heatmap_engine.kernel.deep.keyed_position cimport KeyedPosition, piece_on, set_keyed_position, turn_over, zobrist_pieces
from heatmap_engine.kernel.deep.memory cimport aligned_memory, fetch_ahead
from heatmap_engine.kernel.deep.net cimport (
    HEAT_INPUTS, HEAT_WORDS, NET_UNITS, OUTPUT_ONE, PACKED_INPUTS, RARE_INPUTS, STILL_INPUTS, SUM_ONE, Heat, HeatNet,
    NetSums, NetWeights, add_columns, net_output,
)

cdef extern from *:
    """
    #define HEATMAP_FAR_HALF 0xFFFFFFFF00000000ULL
    #define HEATMAP_CENTRE 0x00003C3C3C3C0000ULL
    #define HEATMAP_LIGHT 0x55AA55AA55AA55AAULL
    #define HEATMAP_OUTPOST_RANKS 0x0000FFFFFF000000ULL
    #define HEATMAP_MATERIAL_HASH 0x9E3779B97F4A7C15ULL  /* 2^64 divided by the golden ratio: spreads every bit */
    """
    const Bitboard _FAR_HALF "HEATMAP_FAR_HALF"
    const Bitboard _CENTRE "HEATMAP_CENTRE"
    const Bitboard _OUTPOST_RANKS "HEATMAP_OUTPOST_RANKS"
    const Bitboard _LIGHT "HEATMAP_LIGHT"
    const uint64_t _MATERIAL_HASH "HEATMAP_MATERIAL_HASH"

_PIECES = ("pawn", "knight", "bishop", "rook", "queen", "king")

cdef enum:
    # How many features a group tells apart; where it counts something, more count as the last.
    HALF_BOARD = 32          # squares of the files a to d; e to h count as their mirror images
    MOVE_COUNTS = 28         # a queen has 27 moves at the most
    PRESSURES = 24
    PRESSER_COUNTS = 8
    SHELTERS = 6
    ATTACKERS = 6
    ATTACKS = 16
    RANKS = 8
    DISTANCES = 8            # moves of a king
    RINGS = 4                # of the board, from the edge to the centre
    BISHOP_PAWN_COUNTS = 9

    # Where a piece stands from a king: files 0 to 4 by eight ranks, the first of which is behind the king.
    FILES_FROM_KING = 5
    RANKS_FROM_KING = 8
    FROM_KING = FILES_FROM_KING * RANKS_FROM_KING
    RANK_FROM_OWN_KING = -3
    RANK_FROM_THEIR_KING = -4

cdef enum:
    # What a move may land on; it may be several things at once. In the order of _LANDINGS.
    ON_FAR_HALF
    ON_CENTRE                # c3 to f6
    ON_OWN_BOX
    ON_THEIR_BOX
    ON_GUARDED               # a square that a pawn of the other side guards
    ON_PIECE                 # a pawn, knight, bishop, rook or queen
    ON_SAFE = ON_PIECE + 5   # a square that no move of the other side lands on, nor a pawn guards
    ON_WEAK_BOX              # a square of the other king's box that only the king guards
    LANDINGS

_LANDINGS = ("far half", "centre", "own box", "their box", "guarded", *_PIECES[:5], "safe", "weak box")
assert len(_LANDINGS) == LANDINGS

cdef enum:
    # Endings, where a pawn ahead is worth more or less than elsewhere. In the order of _ENDINGS.
    NO_ENDING = -1
    OF_PAWNS
    OF_MINORS                # a minor piece each
    OF_OPPOSITE_BISHOPS      # a bishop each, on squares of both colours
    OF_ROOKS                 # a rook each
    OF_ROOKS_AND_MINORS      # both each
    OF_QUEENS                # a queen each
    WITH_OPPOSITE_BISHOPS    # a bishop each, on squares of both colours, and other pieces
    ENDINGS

_ENDINGS = ("pawns", "minors", "opposite bishops", "rooks", "rooks and minors", "queens", "with opposite bishops")
assert len(_ENDINGS) == ENDINGS

cdef enum:
    # What is tuned beside the weights.
    _MOST_IN_ENDINGS = 22    # pieces on the board, pawns and kings included, above which no ending is looked for
    _CORNER_REACH = 2        # moves of a king, from which the corner before the wrong pawn is reached in time
    _PASSED_FROM = 24        # a4: of passed pawns lower down, kings are too far away to matter

    # What a piece is worth as every player counts it.
    _POINTS_OF_MINOR = 3
    _POINTS_OF_ROOK = 5
    _POINTS_OF_QUEEN = 9

# The index of a feature, as wide as a pointer: with 32 bits the search takes 3 % more instructions.
ctypedef Py_ssize_t Feature

cdef struct TurnGroup:
    # A group that counts once more for the side to move.
    int first
    int of                   # the first index of what it counts again
    int count

cdef enum:
    _MOST_TURN_GROUPS = 8

cdef int _turn_count = 0
cdef TurnGroup[_MOST_TURN_GROUPS] _turn_groups

_names = []
_counts = {}                 # of features in a group, by its first index


def _group(name, *axes):
    """Append a group of features, one for each combination of the axes, the last running fastest; its first index."""
    first = len(_names)
    for labels in product(*axes):
        _names.append(" ".join(str(label) for label in (name, *labels) if label != ""))
    _counts[first] = len(_names) - first
    return first


def _turn_group(int of):
    """Append a group that counts for the side to move what another one counts for both."""
    global _turn_count
    assert _turn_count < _MOST_TURN_GROUPS
    _turn_groups[_turn_count] = TurnGroup(len(_names), of, _counts[of])
    _turn_count += 1
    _names.extend(f"turn {name}" for name in _names[of:of + _counts[of]])


def _from_king_axes(first):
    return _BUT_KING, range(FILES_FROM_KING), [f"{rank:+d}" for rank in range(first, first + RANKS_FROM_KING)]


_BUT_KING = _PIECES[:5]
_BUT_PAWN = _PIECES[1:]
_SQUARES = ["abcd"[square % 4] + "12345678"[square // 4] for square in range(HALF_BOARD)]
_PAIRS = [f"{one} {other}" for i, one in enumerate(_BUT_KING) for other in _BUT_KING[max(i, 1):]]  # but two pawns
_PAIRS_AGAINST = [f"{one} {other}" for i, one in enumerate(_BUT_KING) for other in _BUT_KING[i + 1:]]

# The list of features, and the only one: a line gives a group its place behind the lines before it, and its names.
# Files of weights go by the names. A line that is added, moved or taken away needs no other change but where it counts.
# Constants of the compiler, which would need a second list for the names, are no faster than these variables.
cdef Feature MATERIAL = _group("man", _PIECES)                          # a piece
cdef Feature STANDING = _group("standing", _PIECES, _SQUARES)           # a piece on a square
cdef Feature PAWN_MOVE = _group("move pawn")                            # a pawn's move
cdef Feature MOVES = _group("moves", _BUT_PAWN, range(MOVE_COUNTS))     # a piece that has n moves
cdef Feature LANDING = _group("landing", _PIECES, _LANDINGS)            # a move that lands there
cdef Feature PRESSURE = _group("pressure", range(PRESSURES))            # n moves into the other king's box
cdef Feature PRESSERS = _group("pressers", range(PRESSER_COUNTS))       # n pieces with such a move
cdef Feature SHELTER = _group("shelter", range(SHELTERS))               # n own pawns in and before the own king's box
cdef Feature PASSED = _group("passed rank", range(RANKS))               # a passed pawn
cdef Feature PASSED_BLOCKED = _group("passed blocked rank", range(RANKS))  # ... with a piece before it
cdef Feature PASSED_OWN_KING = _group("passed own king", range(DISTANCES))  # own king to the square before it
cdef Feature PASSED_THEIR_KING = _group("passed their king", range(DISTANCES))  # their king to the square before it
cdef Feature SUPPORTED = _group("supported rank", range(RANKS))         # a pawn guarded by a pawn
cdef Feature PHALANX = _group("phalanx rank", range(RANKS))             # a pawn beside a pawn
cdef Feature ISOLATED = _group("isolated")                              # a pawn without pawns on the next files
cdef Feature DOUBLED = _group("doubled")                                # a pawn behind a pawn
cdef Feature OUTPOST = _group("outpost", ("knight", "bishop"))          # guarded by a pawn, out of pawns' reach
cdef Feature BISHOP_PAIR = _group("bishop pair")
cdef Feature ROOK_OPEN = _group("rook open")                            # a rook on a file without pawns
cdef Feature ROOK_HALF_OPEN = _group("rook half open")                  # a rook on a file without own pawns
cdef Feature CHECKS = _group("check", _PIECES[1:5], ("any", "safe"))    # a move that gives check
cdef Feature COVER = _group("cover", ("beside", ""), range(RANKS))      # the hindmost own pawn before the king
cdef Feature STORM = _group("storm", ("beside", ""), range(RANKS))      # their foremost pawn before it
cdef Feature PASSED_FREE = _group("passed free rank", range(RANKS))     # a passed pawn whose next square they cannot enter
cdef Feature PASSED_OPEN = _group("passed open rank", range(RANKS))     # the same of all squares before it
cdef Feature ROOK_BEHIND = _group("rook behind passed")                 # a rook behind an own passed pawn
cdef Feature ENDING_PAWN = _group("ending pawn", _ENDINGS)              # a pawn in such an ending
cdef Feature BARE_LEAD = _group("bare lead")                            # points ahead, up to 3, without a pawn
cdef Feature BARE_KNIGHTS = _group("bare knights")                      # two knights and nothing else
cdef Feature LAST_PAWN = _group("last pawn")                            # the only pawn of a side up to 3 points ahead
cdef Feature WRONG_CORNER = _group("wrong corner")                      # bishop and pawns whose last square it never guards
cdef Feature WRONG_PAWN = _group("wrong pawn")                          # each of these pawns
cdef Feature LONE_RING = _group("lone ring", range(RINGS))              # a bare king against a rook or more; ring 0: the edge
cdef Feature LONE_NEAR = _group("lone near", range(DISTANCES))          # the other king from such a one
cdef Feature LONE_CORNER = _group("lone corner", range(DISTANCES))      # such a one from a corner of the bishop's colour
cdef Feature FROM_OWN_KING = _group("own-king", *_from_king_axes(RANK_FROM_OWN_KING))  # a piece, seen from the own king
cdef Feature FROM_THEIR_KING = _group("their-king", *_from_king_axes(RANK_FROM_THEIR_KING))  # the same from the other king
cdef Feature ATTACK = _group("attack", range(ATTACKERS), range(ATTACKS))  # so many pieces with so many moves into the box
cdef Feature HANGING = _group("hanging", _BUT_KING)                     # a piece that they attack and nobody guards
cdef Feature LOOSE = _group("loose", _BUT_KING)                         # a piece that nobody guards
cdef Feature PASSED_GUARDED = _group("passed guarded rank", range(RANKS))  # a passed pawn guarded by a pawn
cdef Feature PASSED_BESIDE = _group("passed beside rank", range(RANKS))  # a passed pawn beside a pawn
cdef Feature BACKWARD = _group("backward")                              # a pawn without support, and stopped by a pawn
cdef Feature BACKWARD_OPEN = _group("backward open")                    # ... on a file without theirs
cdef Feature BISHOP_PAWNS = _group("bishop pawns", range(BISHOP_PAWN_COUNTS))  # a bishop with n own pawns on its colour
cdef Feature WITH = _group("with", _PAIRS)                              # one kind of own pieces times another
cdef Feature AGAINST = _group("against", _PAIRS_AGAINST)                # one kind of own pieces times another of theirs
cdef Feature ON_LOOSE = _group("on-loose", _PIECES, _BUT_KING)          # a move onto a piece that nobody guards
cdef Feature MAY_CASTLE = _group("castle", ("short", "long"))
cdef Feature TEMPO = _group("tempo")                                    # being on the move

# A move, a check, a piece that is attacked and not guarded are worth more or less to the side that is on the
# move: it can take or go away now.
_turn_group(LANDING)
_turn_group(CHECKS)
_turn_group(HANGING)
_turn_group(LOOSE)
_turn_group(ON_LOOSE)

NAMES = tuple(_names)

cdef enum:
    # The inputs of the net. The first are bytes of the words of Heat: the landings of a piece, without those on pieces,
    # have the word of its number, and then the others follow. What is mostly nothing has counts of its own.
    PIECES_WORD = 5
    HANGING_WORD
    LOOSE_WORD
    KING_WORD                  # is no input
    CAPTURE_INPUTS = 0
    CHECK_INPUTS = CAPTURE_INPUTS + 5 * 5
    ON_LOOSE_INPUTS = CHECK_INPUTS + 2 * 4
    FIRST_WORD_INPUTS = ON_LOOSE_INPUTS + 5 * 5
    # Of passed pawns, in the second word.
    PASSED_BLOCKED_INPUTS = 64
    PASSED_FREE_INPUTS = PASSED_BLOCKED_INPUTS + RANKS
    PASSED_OPEN_INPUTS = PASSED_FREE_INPUTS + RANKS
    PASSED_OWN_KING_INPUTS = PASSED_OPEN_INPUTS + RANKS
    PASSED_THEIR_KING_INPUTS = PASSED_OWN_KING_INPUTS + DISTANCES
    SECOND_WORD_INPUTS = PASSED_THEIR_KING_INPUTS + DISTANCES

cdef enum:
    # The bytes of a piece's word.
    FAR_HALF_SHIFT = 0
    CENTRE_SHIFT = 8
    OWN_BOX_SHIFT = 16
    THEIR_BOX_SHIFT = 24
    GUARDED_SHIFT = 32
    SAFE_SHIFT = 40
    WEAK_BOX_SHIFT = 48

_PACKED_LANDINGS = (ON_FAR_HALF, ON_CENTRE, ON_OWN_BOX, ON_THEIR_BOX, ON_GUARDED, ON_SAFE, ON_WEAK_BOX)


def _net_inputs():
    """Which feature an input is, by its number."""
    inputs = {8 * kind + place: LANDING + LANDINGS * kind + landing
              for kind in range(5) for place, landing in enumerate(_PACKED_LANDINGS)}
    for word, feature in ((PIECES_WORD, MATERIAL), (HANGING_WORD, HANGING), (LOOSE_WORD, LOOSE)):
        inputs |= {8 * word + kind: feature + kind for kind in range(5)}
    for kind, victim in product(range(5), range(5)):
        inputs[PACKED_INPUTS + CAPTURE_INPUTS + 5 * kind + victim] = LANDING + LANDINGS * kind + ON_PIECE + victim
        inputs[PACKED_INPUTS + ON_LOOSE_INPUTS + 5 * kind + victim] = ON_LOOSE + 5 * kind + victim
    for number, feature, count in (
        (CHECK_INPUTS, CHECKS, 2 * 4),
        (PASSED_BLOCKED_INPUTS, PASSED_BLOCKED, RANKS),
        (PASSED_FREE_INPUTS, PASSED_FREE, RANKS),
        (PASSED_OPEN_INPUTS, PASSED_OPEN, RANKS),
        (PASSED_OWN_KING_INPUTS, PASSED_OWN_KING, DISTANCES),
        (PASSED_THEIR_KING_INPUTS, PASSED_THEIR_KING, DISTANCES),
    ):
        inputs |= {PACKED_INPUTS + number + i: feature + i for i in range(count)}
    still = [feature + i for feature, count in _STILL_GROUPS for i in range(count)]
    assert len(still) <= STILL_INPUTS
    return inputs | {HEAT_INPUTS + i: feature for i, feature in enumerate(still)}


# What pawns and kings alone decide.
_STILL_GROUPS = (
    (STANDING + HALF_BOARD * PAWN, HALF_BOARD),
    (STANDING + HALF_BOARD * KING, HALF_BOARD),
    (SHELTER, SHELTERS),
    (COVER, 2 * RANKS),
    (STORM, 2 * RANKS),
    (PASSED, RANKS),
    (PASSED_GUARDED, RANKS),
    (PASSED_BESIDE, RANKS),
    (SUPPORTED, RANKS),
    (PHALANX, RANKS),
    (ISOLATED, 1),
    (DOUBLED, 1),
    (BACKWARD, 1),
    (BACKWARD_OPEN, 1),
    (FROM_OWN_KING + FROM_KING * PAWN, FROM_KING),
    (FROM_THEIR_KING + FROM_KING * PAWN, FROM_KING),
)
NET_INPUTS = _net_inputs()
assert FIRST_WORD_INPUTS <= PASSED_BLOCKED_INPUTS
assert SECOND_WORD_INPUTS <= RARE_INPUTS
assert KING_WORD == HEAT_WORDS - 1
MOST_PHASE = FULL_PHASE
PER_UNIT = FRACTIONS * FULL_PHASE  # the parts of a unit in which a position's evaluation is a whole number

cdef Feature FEATURES = len(NAMES)

cdef int16_t* _still_inputs = <int16_t*>calloc(FEATURES, sizeof(int16_t))  # which input a feature is; 0 for none
if _still_inputs == NULL:
    raise MemoryError
for _number, _feature in NET_INPUTS.items():
    if _number >= HEAT_INPUTS:
        _still_inputs[<Feature>_feature] = _number


cdef void _add_turn_weights(const int64_t* weights, int64_t* mover) noexcept nogil:
    """Add what counts once more for the mover to the weights of what it counts again."""
    cdef int i, k
    for i in range(_turn_count):
        for k in range(_turn_groups[i].count):
            mover[_turn_groups[i].of + k] += weights[_turn_groups[i].first + k]


cdef void _copy_turn_counts(int16_t* counts) noexcept nogil:
    """Copy the mover's counts to the features that count once more for it."""
    cdef int i
    for i in range(_turn_count):
        memcpy(&counts[_turn_groups[i].first], &counts[_turn_groups[i].of], _turn_groups[i].count * sizeof(int16_t))


cdef unsigned char[64][64] _from_own_king    # [king][square]: the index into a row of FROM_KING
cdef unsigned char[64][64] _from_their_king


cdef int _index_from_king(int files, int ranks, int first) noexcept nogil:
    """The index of a piece so many files and ranks from a king; `first` is the lowest rank told apart."""
    files = min(files if files > 0 else -files, FILES_FROM_KING - 1)
    return RANKS_FROM_KING * files + min(max(ranks - first, 0), RANKS_FROM_KING - 1)


cdef void _fill_from_kings() noexcept nogil:
    cdef int king, square, files, ranks
    for king in range(64):
        for square in range(64):
            files = (square & 7) - (king & 7)
            ranks = (square >> 3) - (king >> 3)
            _from_own_king[king][square] = _index_from_king(files, ranks, RANK_FROM_OWN_KING)
            _from_their_king[king][square] = _index_from_king(files, ranks, RANK_FROM_THEIR_KING)


_fill_from_kings()


cdef inline Feature _standing(int kind, Square square) noexcept nogil:
    cdef int file = square & 7
    return STANDING + HALF_BOARD * kind + (square >> 3) * 4 + (file if file < 4 else 7 - file)


cdef void _fill_piece_tables(const int64_t* weights, PieceTables* tables) noexcept nogil:
    cdef Feature from_own, from_their
    cdef int kind, king, square
    for kind in range(PAWN, KING):
        from_own = FROM_OWN_KING + FROM_KING * kind
        from_their = FROM_THEIR_KING + FROM_KING * kind
        for king in range(64):
            for square in range(64):
                tables.own[kind][king][square] = weights[from_own + _from_own_king[king][square]]
                if kind != PAWN:
                    tables.own[kind][king][square] += weights[_standing(kind, square)]
                tables.their[kind][king][square] = weights[from_their + _from_their_king[king][square]]


cdef class HeatWeights:
    """Weights laid out for C: a row of two for each feature, middlegame and endgame."""

    def __cinit__(self, rows, worth, HeatNet net=None):
        cdef int i
        if len(rows) != FEATURES or len(worth) != 6:
            raise ValueError(f"expected {FEATURES} rows of weights and 6 worths, got {len(rows)} and {len(worth)}")
        self.c = <Weights*>calloc(1, sizeof(Weights))
        if self.c == NULL:
            raise MemoryError
        self.c.both = <int64_t*>malloc(FEATURES * sizeof(int64_t))
        self.c.mover = <int64_t*>malloc(FEATURES * sizeof(int64_t))
        if self.c.both == NULL or self.c.mover == NULL:
            raise MemoryError
        for i in range(FEATURES):
            middlegame, endgame = rows[i]
            self.c.both[i] = <int64_t>round(middlegame * FRACTIONS) * (1LL << 32) + <int64_t>round(endgame * FRACTIONS)
        memcpy(self.c.mover, self.c.both, FEATURES * sizeof(int64_t))
        _add_turn_weights(self.c.both, self.c.mover)
        _fill_piece_tables(self.c.both, &self.c.tables)
        for i in range(6):
            self.worth[i] = round(worth[i])
        self.net = net
        self.c.net = NULL if net is None else &net.c

    def __dealloc__(self):
        close_evaluator(&self.evaluator)
        if self.c != NULL:
            free(self.c.both)
            free(self.c.mover)
        free(self.c)

    @property
    def rows(self):
        """The rows as they are kept, in whole fractions of a weight."""
        cdef int i
        halves = [((self.c.both[i] - <int32_t>self.c.both[i]) >> 32, <int32_t>self.c.both[i]) for i in range(FEATURES)]
        return [(middlegame / FRACTIONS, endgame / FRACTIONS) for middlegame, endgame in halves]


cdef struct Reach:
    # Where the moves of the other side land and what it guards, as this side sees the board.
    Bitboard any
    Bitboard without_king
    Bitboard guards


cdef enum:
    _MOST_STILL = 128        # a side with eight pawns has some fifty

cdef struct StillSeen:
    # Inputs of the net by their numbers, each as often as it is there, on their way to the sums.
    int count
    int16_t[_MOST_STILL] numbers
    const NetWeights* net
    uint16_t* own_sums
    uint16_t* their_sums

cdef struct Sum:
    # One side's features, weighed as they are counted.
    const int64_t* weights
    PieceTables* tables        # the same weights, of pieces by where they stand
    int64_t total
    int sign                # with which the counts go to a trace
    Heat* heat              # where the inputs of the net go, if there is no trace
    StillSeen* still        # where those of the net go that only pawns and kings decide, or NULL


# A trace, if given, takes the counts themselves. It is handed down by itself, not in a Sum: the compiler
# then makes a second body for the search, which has none. Asking at each feature took 12 % of its time.
cdef inline void _add(Sum* sum, int16_t* trace, Feature feature, int count) noexcept nogil:
    if trace == NULL:
        sum.total += sum.weights[feature] * count
    else:
        trace[feature] += sum.sign * count


cdef void _add_seen(StillSeen* still) noexcept nogil:
    """Add what has been seen to the sums of the net."""
    add_columns(still.net, still.numbers, still.count, still.own_sums, still.their_sums)
    still.count = 0


cdef inline void _see_still(Sum* sum, int16_t* trace, Feature feature, int count) noexcept nogil:
    """Count what only pawns and kings decide, if it is an input of the net."""
    if trace != NULL or sum.still == NULL or _still_inputs[feature] == 0:
        return
    while count > 0:
        if sum.still.count == _MOST_STILL:
            _add_seen(sum.still)
        sum.still.numbers[sum.still.count] = _still_inputs[feature]
        sum.still.count += 1
        count -= 1


cdef inline void _add_still(Sum* sum, int16_t* trace, Feature feature, int count) noexcept nogil:
    _add(sum, trace, feature, count)
    _see_still(sum, trace, feature, count)


cdef inline void _see(Sum* sum, int16_t* trace, int number, int count) noexcept nogil:
    """Count what is an input of the net, and mostly nothing."""
    if trace == NULL:
        sum.heat.counts[number] += count
        sum.heat.seen[number >> 6] |= <uint64_t>(count != 0) << (number & 63)


cdef inline void _see_word(Sum* sum, int16_t* trace, int word, uint64_t counts) noexcept nogil:
    """Count inputs of the net, one in each byte."""
    if trace == NULL:
        sum.heat.words[word] += counts


cdef inline uint64_t _piece_counts(const Position* position, Bitboard side) noexcept nogil:
    """How many pieces of each kind but the king are on these squares, a byte each."""
    cdef uint64_t counts = 0
    cdef int kind
    for kind in range(KING):
        counts |= <uint64_t>popcount(position.pieces[kind] & side) << (8 * kind)
    return counts


cdef inline void _add_piece(Sum* sum, int16_t* trace, int kind, Square own_king, Square their_king,
                            Square square) noexcept nogil:
    """A piece on its square, seen from both kings; of pawns, _add_pawns says what the square is worth."""
    if trace == NULL:
        sum.total += sum.tables.own[kind][own_king][square] + sum.tables.their[kind][their_king][square]
        return
    if kind != PAWN:
        trace[_standing(kind, square)] += sum.sign
    trace[FROM_OWN_KING + FROM_KING * kind + _from_own_king[own_king][square]] += sum.sign
    trace[FROM_THEIR_KING + FROM_KING * kind + _from_their_king[their_king][square]] += sum.sign


cdef void _add_pawns(Sum* sum, int16_t* trace, Bitboard own, Bitboard their) noexcept nogil:
    """What the pawns of one side are worth by themselves."""
    cdef Bitboard files = _filled_up(_filled_down(own))
    cdef Bitboard beside = _sideways(own)
    cdef Bitboard pawns = own
    cdef Square square
    _add(sum, trace, MATERIAL + PAWN, popcount(own))
    _add_still(sum, trace, DOUBLED, popcount(own & _filled_down(own >> 8)))
    _add_still(sum, trace, ISOLATED, popcount(own & ~_sideways(files)))
    while pawns:
        square = lowest(pawns)
        _add_still(sum, trace, _standing(PAWN, square), 1)
        if beside << 8 & bit(square):
            _add_still(sum, trace, SUPPORTED + (square >> 3), 1)
        if beside & bit(square):
            _add_still(sum, trace, PHALANX + (square >> 3), 1)
        pawns &= pawns - 1
    pawns = _passed(own, their)
    while pawns:
        square = lowest(pawns)
        _add_still(sum, trace, PASSED + (square >> 3), 1)
        if beside << 8 & bit(square):
            _add_still(sum, trace, PASSED_GUARDED + (square >> 3), 1)
        if beside & bit(square):
            _add_still(sum, trace, PASSED_BESIDE + (square >> 3), 1)
        pawns &= pawns - 1
    pawns = own & ~_sideways(_filled_up(own)) & (_sideways(their) >> 16)
    _add_still(sum, trace, BACKWARD, popcount(pawns))
    _add_still(sum, trace, BACKWARD_OPEN, popcount(pawns & ~_filled_down(their)))


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
    reach.without_king = flipped(squares)  # the king comes last
    reach.any = flipped(squares | sets.targets[last])
    reach.guards = flipped(sets.guards)
    return reach


cdef inline void _add_passed(Sum* sum, int16_t* trace, const Position* position,
                             Bitboard passed, const Reach* reach) noexcept nogil:
    """What stands around the passed pawns."""
    cdef Square own_king, their_king, square
    cdef int rank, distance
    cdef Bitboard path
    cdef Bitboard rooks = position.pieces[ROOK] & position.own
    if passed == 0:
        return
    own_king = lowest(position.pieces[KING] & position.own)
    their_king = lowest(position.pieces[KING] & position.their)
    while passed:
        square = lowest(passed)
        if square >= _PASSED_FROM:
            distance = _distance(own_king, square + 8)
            _add(sum, trace, PASSED_OWN_KING + distance, 1)
            _see(sum, trace, PASSED_OWN_KING_INPUTS + distance, 1)
            distance = _distance(their_king, square + 8)
            _add(sum, trace, PASSED_THEIR_KING + distance, 1)
            _see(sum, trace, PASSED_THEIR_KING_INPUTS + distance, 1)
        rank = square >> 3
        if (position.own | position.their) & bit(square + 8):
            _add(sum, trace, PASSED_BLOCKED + rank, 1)
            _see(sum, trace, PASSED_BLOCKED_INPUTS + rank, 1)
        path = FILE_A << (square + 8)
        if (reach.any | position.own | position.their) & bit(square + 8) == 0:
            _add(sum, trace, PASSED_FREE + rank, 1)
            _see(sum, trace, PASSED_FREE_INPUTS + rank, 1)
            if (reach.any | position.own | position.their) & path == 0:
                _add(sum, trace, PASSED_OPEN + rank, 1)
                _see(sum, trace, PASSED_OPEN_INPUTS + rank, 1)
        if rooks & (FILE_A << (square & 7)) & (bit(square) - 1):
            _add(sum, trace, ROOK_BEHIND, 1)
        passed &= passed - 1


cdef inline void _add_non_pawns(Sum* sum, int16_t* trace, const Position* position, Bitboard guarded) noexcept nogil:
    """The pieces that are not pawns, and where they stand from the kings; `guarded` are squares the other pawns guard."""
    cdef Bitboard own_pawns = position.pieces[PAWN] & position.own
    cdef Bitboard reach, pieces, file
    cdef int kind
    cdef Square own_king = lowest(position.pieces[KING] & position.own)
    cdef Square their_king = lowest(position.pieces[KING] & position.their)
    for kind in range(KNIGHT, KING):
        pieces = position.pieces[kind] & position.own
        while pieces:
            _add_piece(sum, trace, kind, own_king, their_king, lowest(pieces))
            pieces &= pieces - 1
    pieces = position.pieces[ROOK] & position.own
    while pieces:
        file = FILE_A << (lowest(pieces) & 7)
        if file & own_pawns == 0:
            _add(sum, trace, ROOK_HALF_OPEN if file & position.pieces[PAWN] else ROOK_OPEN, 1)
        pieces &= pieces - 1
    pieces = position.pieces[BISHOP] & position.own
    if pieces & _LIGHT:
        _add(sum, trace, BISHOP_PAWNS + popcount(own_pawns & _LIGHT), popcount(pieces & _LIGHT))
    if pieces & ~_LIGHT:
        _add(sum, trace, BISHOP_PAWNS + popcount(own_pawns & ~_LIGHT), popcount(pieces & ~_LIGHT))
    reach = _sideways(own_pawns) << 8 & _OUTPOST_RANKS & ~_filled_down(guarded)
    if reach & (position.pieces[KNIGHT] | position.pieces[BISHOP]) & position.own:
        _add(sum, trace, OUTPOST, popcount(reach & position.pieces[KNIGHT] & position.own))
        _add(sum, trace, OUTPOST + 1, popcount(reach & pieces))


cdef inline void _add_material(Sum* sum, int16_t* trace, const int* own, const int* their) noexcept nogil:
    """The pieces themselves, and which go together and against which.

    An exchange of unlike pieces is no matter of their sums. The pawns themselves are in _add_pawns.
    """
    cdef int one, other
    cdef Feature feature = WITH
    for one in range(KNIGHT, KING):
        _add(sum, trace, MATERIAL + one, own[one])
    if own[BISHOP] > 1:
        _add(sum, trace, BISHOP_PAIR, 1)
    for one in range(5):
        for other in range(max(one, 1), 5):
            _add(sum, trace, feature, own[one] * own[other])
            feature += 1
    for one in range(5):
        for other in range(one + 1, 5):
            _add(sum, trace, feature, own[one] * their[other])
            feature += 1


cdef inline void _add_unguarded(Sum* sum, int16_t* trace, const Position* position,
                                Bitboard guards, const Reach* reach) noexcept nogil:
    """The pieces that nobody guards; `guards` are all squares that own pieces guard."""
    cdef Bitboard pieces = position.own & ~guards
    cdef uint64_t loose, hanging
    cdef int kind
    if pieces & ~position.pieces[KING] == 0:
        return
    loose = _piece_counts(position, pieces)
    hanging = _piece_counts(position, pieces & reach.any)
    _see_word(sum, trace, LOOSE_WORD, loose)
    _see_word(sum, trace, HANGING_WORD, hanging)
    for kind in range(KING):
        _add(sum, trace, LOOSE + kind, loose >> (8 * kind) & 0xFF)
        _add(sum, trace, HANGING + kind, hanging >> (8 * kind) & 0xFF)


cdef inline int _ending(const Position* position) noexcept nogil:
    """Which ending it is, the same for both sides."""
    cdef Bitboard non_pawns = (position.own | position.their) & ~(position.pieces[PAWN] | position.pieces[KING])
    cdef Bitboard own = non_pawns & position.own
    cdef Bitboard their = non_pawns & position.their
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
        if non_pawns & ~position.pieces[QUEEN] == 0:
            return OF_QUEENS
        if non_pawns & ~position.pieces[ROOK] == 0:
            return OF_ROOKS
        return OF_MINORS if non_pawns & ~minors == 0 else NO_ENDING
    if popcount(minors & own) == 1 and non_pawns & position.pieces[QUEEN] == 0:
        return OF_ROOKS_AND_MINORS
    return NO_ENDING


cdef inline int _points(const Position* position, Bitboard side) noexcept nogil:
    """The worth of all but pawns, as every player counts it; it only tells endings apart."""
    return (_POINTS_OF_MINOR * popcount((position.pieces[KNIGHT] | position.pieces[BISHOP]) & side)
            + _POINTS_OF_ROOK * popcount(position.pieces[ROOK] & side)
            + _POINTS_OF_QUEEN * popcount(position.pieces[QUEEN] & side))


cdef inline bint _is_wrong_corner(const Position* position, Bitboard pawns) noexcept nogil:
    """Whether bishops and these own pawns of one outer file cannot drive the king from the corner before them."""
    cdef Bitboard bishops = position.pieces[BISHOP] & position.own
    cdef Square corner = 63 if pawns & FILE_H else 56
    if bishops == 0 or pawns & ~FILE_A and pawns & ~FILE_H:
        return False
    if position.own & ~(pawns | bishops | position.pieces[KING]):
        return False
    return (bishops & (_LIGHT if bit(corner) & _LIGHT else ~_LIGHT) == 0
            and _distance(lowest(position.pieces[KING] & position.their), corner) <= _CORNER_REACH)


cdef inline void _add_lone_king(Sum* sum, int16_t* trace, const Position* position, Bitboard pawns) noexcept nogil:
    """How near to being mated their king is, which has no other piece, by rook, queen or two minor pieces."""
    cdef Square lone = lowest(position.their)
    cdef Square king = lowest(position.pieces[KING] & position.own)
    cdef Bitboard bishops = position.pieces[BISHOP] & position.own
    cdef int file = lone & 7
    cdef int rank = lone >> 3
    _add(sum, trace, LONE_RING + min(min(file, 7 - file), min(rank, 7 - rank)), 1)
    _add(sum, trace, LONE_NEAR + _distance(lone, king), 1)
    if pawns == 0 and bishops and popcount(position.own) == 3 and position.pieces[KNIGHT] & position.own:
        if bishops & _LIGHT:
            _add(sum, trace, LONE_CORNER + min(_distance(lone, 7), _distance(lone, 56)), 1)
        else:
            _add(sum, trace, LONE_CORNER + min(_distance(lone, 0), _distance(lone, 63)), 1)


cdef inline void _add_ending(Sum* sum, int16_t* trace, const Position* position) noexcept nogil:
    """What makes a lead worth more or less when few pieces are left."""
    cdef Bitboard pawns = position.pieces[PAWN] & position.own
    cdef int ending = _ending(position)
    cdef int lead
    if ending != NO_ENDING and pawns:
        _add(sum, trace, ENDING_PAWN + ending, popcount(pawns))
    if position.their & ~position.pieces[KING] == 0 and _points(position, position.own) >= _POINTS_OF_ROOK:
        _add_lone_king(sum, trace, position, pawns)
    if pawns & (pawns - 1):
        if _is_wrong_corner(position, pawns):
            _add(sum, trace, WRONG_CORNER, 1)
            _add(sum, trace, WRONG_PAWN, popcount(pawns))
        return
    lead = _points(position, position.own) - _points(position, position.their)
    if pawns == 0:
        if 0 < lead <= _POINTS_OF_MINOR:
            _add(sum, trace, BARE_LEAD, lead)
        elif (lead == 2 * _POINTS_OF_MINOR and popcount(position.own) == 3
                and popcount(position.pieces[KNIGHT] & position.own) == 2):
            _add(sum, trace, BARE_KNIGHTS, 1)
    elif _is_wrong_corner(position, pawns):
        _add(sum, trace, WRONG_CORNER, 1)
        _add(sum, trace, WRONG_PAWN, 1)
    elif 0 <= lead <= _POINTS_OF_MINOR and _points(position, position.their) >= _POINTS_OF_MINOR:
        _add(sum, trace, LAST_PAWN, 1)


cdef void _add_by_kings(Sum* sum, int16_t* trace, const Position* position) noexcept nogil:
    """What kings and pawns alone are worth: where they stand from each other, and the pawns before the own king."""
    cdef Bitboard own_pawns = position.pieces[PAWN] & position.own
    cdef Bitboard pawns = own_pawns
    cdef Square own_king = lowest(position.pieces[KING] & position.own)
    cdef Square their_king = lowest(position.pieces[KING] & position.their)
    cdef Bitboard box = bit(own_king) | king_table[own_king]
    cdef Bitboard before = ~<Bitboard>0 << (own_king & 56)
    cdef Bitboard own, their
    cdef int middle = min(max(own_king & 7, 1), 6)
    cdef int number
    cdef Square square
    _add_still(sum, trace, _standing(KING, own_king), 1)
    _add_still(sum, trace, SHELTER + min(popcount((box | box << 8) & own_pawns), SHELTERS - 1), 1)
    while pawns:
        square = lowest(pawns)
        _add_piece(sum, trace, PAWN, own_king, their_king, square)
        _see_still(sum, trace, FROM_OWN_KING + FROM_KING * PAWN + _from_own_king[own_king][square], 1)
        _see_still(sum, trace, FROM_THEIR_KING + FROM_KING * PAWN + _from_their_king[their_king][square], 1)
        pawns &= pawns - 1
    for number in range(middle - 1, middle + 2):
        own = own_pawns & before & FILE_A << number
        their = position.pieces[PAWN] & position.their & before & FILE_A << number
        _add_still(sum, trace, COVER + 8 * (number == (own_king & 7)) + (lowest(own) >> 3 if own else 0), 1)
        _add_still(sum, trace, STORM + 8 * (number == (own_king & 7)) + (lowest(their) >> 3 if their else 0), 1)


cdef struct PawnHeat:
    # Where pawns' moves land. Only captures towards both sides can land on one square.
    Bitboard landings
    Bitboard twice
    bint promotes


cdef inline int _pawn_moves(const PawnHeat* pawns, Bitboard where) noexcept nogil:
    """As count_pawn_moves, with what it adds up again for each `where` added up once: a promotion is four moves."""
    cdef int count = popcount(pawns.landings & where) + popcount(pawns.twice & where)
    if pawns.promotes:
        count += 3 * (popcount(pawns.landings & where & RANK_8) + popcount(pawns.twice & where & RANK_8))
    return count


cdef inline void _add_heat(Sum* sum, int16_t* trace, const Position* position, const MoveSets* sets,
                           Bitboard guarded, const Reach* reach) noexcept nogil:
    """The moves of one side, by what they land on; `guarded` are squares the other pawns guard.

    In Chess960 a king may step and castle to one square. That counts once here.
    """
    cdef Bitboard own_king = position.pieces[KING] & position.own
    cdef Bitboard their_king = position.pieces[KING] & position.their
    cdef Bitboard own_box = own_king | king_table[lowest(own_king)]
    cdef Bitboard their_box = their_king | king_table[lowest(their_king)]
    cdef Bitboard board = position.own | position.their
    cdef Bitboard victims
    cdef Square their_square = lowest(their_king)
    cdef Bitboard safe = ~reach.any
    cdef Bitboard weak_box = their_box & ~reach.without_king
    cdef Bitboard[KING] checking
    cdef Bitboard targets
    cdef Feature landing
    cdef int kind, victim, i, boxed
    cdef uint64_t far, central, homely, risky, quiet, weak, seen
    cdef int pressure = 0
    cdef PawnHeat pawns
    cdef int pressers = 0
    cdef int idle_knights = popcount(position.pieces[KNIGHT] & position.own)
    checking[KNIGHT] = knight_table[their_square]
    checking[BISHOP] = bishop_attacks(their_square, board)
    checking[ROOK] = rook_attacks(their_square, board)
    checking[QUEEN] = checking[BISHOP] | checking[ROOK]
    pawns.landings = sets.steps | sets.double_steps | sets.left_captures
    pawns.twice = sets.right_captures
    pawns.promotes = (pawns.landings | pawns.twice) & RANK_8 != 0
    if pawns.landings | pawns.twice:
        pressure = _pawn_moves(&pawns, their_box)
        _add(sum, trace, PAWN_MOVE, _pawn_moves(&pawns, ~<Bitboard>0))
        far = _pawn_moves(&pawns, _FAR_HALF)
        central = _pawn_moves(&pawns, _CENTRE)
        homely = _pawn_moves(&pawns, own_box)
        risky = _pawn_moves(&pawns, guarded)
        _add(sum, trace, LANDING + ON_FAR_HALF, far)
        _add(sum, trace, LANDING + ON_CENTRE, central)
        _add(sum, trace, LANDING + ON_OWN_BOX, homely)
        _add(sum, trace, LANDING + ON_THEIR_BOX, pressure)
        _add(sum, trace, LANDING + ON_GUARDED, risky)
        _see_word(sum, trace, PAWN, far << FAR_HALF_SHIFT | central << CENTRE_SHIFT | homely << OWN_BOX_SHIFT
                  | <uint64_t>pressure << THEIR_BOX_SHIFT | risky << GUARDED_SHIFT)
        if (pawns.landings | pawns.twice) & position.their:
            for victim in range(5):
                victims = position.pieces[victim] & position.their
                boxed = _pawn_moves(&pawns, victims)
                _add(sum, trace, LANDING + ON_PIECE + victim, boxed)
                _see(sum, trace, CAPTURE_INPUTS + victim, boxed)
                boxed = _pawn_moves(&pawns, victims & ~reach.guards)
                _add(sum, trace, ON_LOOSE + victim, boxed)
                _see(sum, trace, ON_LOOSE_INPUTS + victim, boxed)
    for i in range(sets.count):
        kind = sets.piece[i]
        targets = sets.targets[i]
        landing = LANDING + LANDINGS * kind
        idle_knights -= kind == KNIGHT
        boxed = popcount(targets & their_box)
        pressure += boxed
        pressers += boxed != 0
        _add(sum, trace, MOVES + MOVE_COUNTS * (kind - 1) + popcount(targets), 1)
        far = popcount(targets & _FAR_HALF)
        central = popcount(targets & _CENTRE)
        homely = popcount(targets & own_box)
        risky = popcount(targets & guarded)
        quiet = popcount(targets & safe)
        seen = (far << FAR_HALF_SHIFT | central << CENTRE_SHIFT | homely << OWN_BOX_SHIFT
                | <uint64_t>boxed << THEIR_BOX_SHIFT | risky << GUARDED_SHIFT | quiet << SAFE_SHIFT)
        _add(sum, trace, landing + ON_FAR_HALF, far)
        _add(sum, trace, landing + ON_CENTRE, central)
        _add(sum, trace, landing + ON_OWN_BOX, homely)
        _add(sum, trace, landing + ON_THEIR_BOX, boxed)
        _add(sum, trace, landing + ON_GUARDED, risky)
        _add(sum, trace, landing + ON_SAFE, quiet)
        if boxed:
            weak = popcount(targets & weak_box)
            _add(sum, trace, landing + ON_WEAK_BOX, weak)
            seen |= weak << WEAK_BOX_SHIFT
        _see_word(sum, trace, kind if kind != KING else KING_WORD, seen)
        if kind != KING and targets & checking[kind]:
            _add(sum, trace, CHECKS + 2 * (kind - 1), popcount(targets & checking[kind]))
            _add(sum, trace, CHECKS + 2 * (kind - 1) + 1, popcount(targets & checking[kind] & safe))
            _see(sum, trace, CHECK_INPUTS + 2 * (kind - 1), popcount(targets & checking[kind]))
            _see(sum, trace, CHECK_INPUTS + 2 * (kind - 1) + 1, popcount(targets & checking[kind] & safe))
        targets &= position.their
        while targets:
            victim = piece_on(position, lowest(targets))
            _add(sum, trace, landing + ON_PIECE + victim, 1)
            if kind != KING:
                _see(sum, trace, CAPTURE_INPUTS + 5 * kind + victim, 1)
            if not reach.guards & bit(lowest(targets)):
                _add(sum, trace, ON_LOOSE + 5 * kind + victim, 1)
                if kind != KING:
                    _see(sum, trace, ON_LOOSE_INPUTS + 5 * kind + victim, 1)
            targets &= targets - 1
    _add(sum, trace, MOVES, idle_knights)  # a pinned knight is not among the sets
    _add(sum, trace, PRESSURE + min(pressure, PRESSURES - 1), 1)
    _add(sum, trace, PRESSERS + min(pressers, PRESSER_COUNTS - 1), 1)
    if position.castling & RANK_1 & (0 - own_king):
        _add(sum, trace, MAY_CASTLE, 1)
    if position.castling & RANK_1 & (own_king - 1):
        _add(sum, trace, MAY_CASTLE + 1, 1)
    _add(sum, trace, ATTACK + ATTACKS * min(pressers, ATTACKERS - 1) + min(pressure, ATTACKS - 1), 1)


cdef inline void _add_side(Sum* sum, int16_t* trace, const Position* position, const MoveSets* sets,
                           Bitboard passed, const Reach* reach) noexcept nogil:
    """All but what pawns and kings, or the mere numbers of pieces, are worth; for the side to move."""
    cdef Bitboard guarded = _sideways(position.pieces[PAWN] & position.their) >> 8
    cdef Sum held  # in registers: for all that a compiler knows, what is written to the heat might be the sum itself
    _add_passed(sum, trace, position, passed, reach)
    if popcount(position.own | position.their) <= _MOST_IN_ENDINGS:
        _add_ending(sum, trace, position)
    held = sum[0]
    _add_non_pawns(&held, trace, position, guarded)
    _add_unguarded(&held, trace, position, sets.guards, reach)
    _add_heat(&held, trace, position, sets, guarded, reach)
    sum.total = held.total


cdef inline void _count_pieces(const Position* position, int* own, int* their) noexcept nogil:
    cdef int kind
    for kind in range(PAWN, KING):
        own[kind] = popcount(position.pieces[kind] & position.own)
        their[kind] = popcount(position.pieces[kind] & position.their)


cdef inline int _phase(const int* own, const int* their) noexcept nogil:
    """How much of a middlegame it is, up to FULL_PHASE."""
    cdef int phase = (PHASE_OF_MINOR * (own[KNIGHT] + their[KNIGHT] + own[BISHOP] + their[BISHOP])
                      + PHASE_OF_ROOK * (own[ROOK] + their[ROOK]) + PHASE_OF_QUEEN * (own[QUEEN] + their[QUEEN]))
    return min(phase, FULL_PHASE)


cdef inline int64_t _mixed(int64_t total, int phase) noexcept nogil:
    """The middlegame's and the endgame's half of a sum, in shares of the phase."""
    cdef int64_t endgame = <int32_t>total
    cdef int64_t middlegame = (total - endgame) >> 32
    return middlegame * phase + endgame * (FULL_PHASE - phase)


cdef inline void _begin(Sum* sum, Weights* weights) noexcept nogil:
    sum.weights = weights.both
    sum.tables = &weights.tables
    sum.total = 0
    sum.still = NULL


cdef inline void _see_for_net(Sum* sum, StillSeen* still, const NetWeights* net, NetEntry* sums, int black) noexcept nogil:
    """Have a side's inputs noted for the sums of the net."""
    sum.still = still
    still.count = 0
    still.net = net
    still.own_sums = &sums.of[black][0]
    still.their_sums = &sums.of[black ^ 1][0]


cdef PawnEntry* _pawn_entry(Evaluator* evaluator, const KeyedPosition* keyed) noexcept nogil:
    cdef uint64_t place = keyed.pawn_key & (PAWN_CACHE - 1)
    cdef PawnEntry* entry = &evaluator.pawns[place]
    cdef const NetWeights* net = evaluator.weights.net
    cdef NetEntry* sums
    cdef const Position* position = &keyed.position
    cdef Bitboard own, their
    cdef Sum own_sum, their_sum
    cdef StillSeen own_still, their_still
    if entry.key == keyed.pawn_key:
        return entry
    own = position.pieces[PAWN] & position.own
    their = position.pieces[PAWN] & position.their
    _begin(&own_sum, evaluator.weights)
    _begin(&their_sum, evaluator.weights)
    if net != NULL:
        sums = &evaluator.pawn_sums[place]
        memcpy(&sums.of[0][0], net.biases, sizeof(NetSums))
        memcpy(&sums.of[1][0], net.biases, sizeof(NetSums))
        _see_for_net(&own_sum, &own_still, net, sums, position.black)
        _see_for_net(&their_sum, &their_still, net, sums, position.black ^ 1)
    _add_pawns(&own_sum, NULL, own, their)
    _add_pawns(&their_sum, NULL, flipped(their), flipped(own))
    if net != NULL:
        _add_seen(&own_still)
        _add_seen(&their_still)
    entry.key = keyed.pawn_key
    entry.sum = own_sum.total - their_sum.total
    entry.white_passed = _passed(own, their)
    entry.black_passed = flipped(_passed(flipped(their), flipped(own)))
    if position.black:
        entry.sum = -entry.sum
        own = flipped(entry.white_passed)
        entry.white_passed = flipped(entry.black_passed)
        entry.black_passed = own
    return entry


cdef inline uint64_t _king_key(const KeyedPosition* keyed) noexcept nogil:
    """The key of the pawns and both kings."""
    cdef const Position* position = &keyed.position
    cdef Square turn = 56 if position.black else 0
    cdef Square own_king = lowest(position.pieces[KING] & position.own)
    cdef Square their_king = lowest(position.pieces[KING] & position.their)
    return (keyed.pawn_key ^ zobrist_pieces[position.black][KING][own_king ^ turn]
            ^ zobrist_pieces[position.black ^ 1][KING][their_king ^ turn])


cdef PawnEntry* _king_entry(Evaluator* evaluator, const KeyedPosition* keyed, uint64_t key) noexcept nogil:
    """What pawns and kings are worth, with the pawns' own entry in it."""
    cdef uint64_t place = key & (PAWN_CACHE - 1)
    cdef PawnEntry* entry = &evaluator.kings[place]
    cdef const NetWeights* net = evaluator.weights.net
    cdef const Position* position = &keyed.position
    cdef Position other
    cdef Sum own_sum, their_sum
    cdef StillSeen own_still, their_still
    if entry.key == key:
        return entry
    entry[0] = _pawn_entry(evaluator, keyed)[0]
    _begin(&own_sum, evaluator.weights)
    _begin(&their_sum, evaluator.weights)
    if net != NULL:
        evaluator.king_sums[place] = evaluator.pawn_sums[keyed.pawn_key & (PAWN_CACHE - 1)]
        _see_for_net(&own_sum, &own_still, net, &evaluator.king_sums[place], position.black)
        _see_for_net(&their_sum, &their_still, net, &evaluator.king_sums[place], position.black ^ 1)
    _add_by_kings(&own_sum, NULL, position)
    turn_over(position, &other)
    _add_by_kings(&their_sum, NULL, &other)
    if net != NULL:
        _add_seen(&own_still)
        _add_seen(&their_still)
    entry.key = key
    entry.sum += their_sum.total - own_sum.total if position.black else own_sum.total - their_sum.total
    return entry


cdef inline MaterialEntry* _material_entry(Evaluator* evaluator, const Position* position) noexcept nogil:
    cdef int[KING] own, their
    cdef Sum own_sum, their_sum
    cdef MaterialEntry* entry
    cdef uint64_t key = 0
    cdef int kind
    _count_pieces(position, own, their)
    for kind in range(KING):
        key = key << 8 | own[kind] << 4 | their[kind]
    entry = &evaluator.materials[key * _MATERIAL_HASH >> (64 - MATERIAL_BITS)]
    if entry.key == key:
        return entry
    _begin(&own_sum, evaluator.weights)
    _begin(&their_sum, evaluator.weights)
    _add_material(&own_sum, NULL, own, their)
    _add_material(&their_sum, NULL, their, own)
    entry.key = key
    entry.sum = own_sum.total - their_sum.total
    entry.phase = _phase(own, their)
    return entry


cdef inline int64_t _weigh_by_net(const NetWeights* net, const Position* position, const NetEntry* sums, Heat* own,
                                  Heat* other) noexcept nogil:
    """The net's part; it has no say about a bare king, whose mate the features know."""
    if net == NULL or position.own & (position.own - 1) == 0 or position.their & (position.their - 1) == 0:
        return 0
    own.words[PIECES_WORD] = _piece_counts(position, position.own)
    other.words[PIECES_WORD] = _piece_counts(position, position.their)
    return (net_output(net, &sums.of[position.black][0], &sums.of[position.black ^ 1][0], own, other,
                       popcount(position.own | position.their)) * (NET_UNITS * FRACTIONS * FULL_PHASE)
            / (SUM_ONE * SUM_ONE * OUTPUT_ONE))


cdef int64_t _weigh(Evaluator* evaluator, const KeyedPosition* keyed, const MoveSets* sets) noexcept nogil:
    """The evaluation for the side to move in FRACTIONS * FULL_PHASE-ths; exact."""
    cdef bint black = keyed.position.black
    cdef uint64_t king_key = _king_key(keyed)
    cdef uint64_t king_place = king_key & (PAWN_CACHE - 1)
    cdef MaterialEntry* material
    cdef PawnEntry* pawns
    cdef Position other
    cdef MoveSets other_sets
    cdef Reach own_reach, other_reach
    cdef Sum own_sum, other_sum
    cdef Heat own_heat, other_heat
    fetch_ahead(&evaluator.kings[king_place])
    fetch_ahead(&evaluator.king_sums[king_place])
    turn_over(&keyed.position, &other)
    find_moves(&other, &other_sets)
    own_reach = _reach(&keyed.position, sets)
    other_reach = _reach(&other, &other_sets)
    material = _material_entry(evaluator, &keyed.position)
    pawns = _king_entry(evaluator, keyed, king_key)
    _begin(&own_sum, evaluator.weights)
    _begin(&other_sum, evaluator.weights)
    memset(&own_heat, 0, sizeof(Heat))
    memset(&other_heat, 0, sizeof(Heat))
    own_sum.heat = &own_heat
    other_sum.heat = &other_heat
    own_sum.weights = evaluator.weights.mover
    own_sum.total = evaluator.weights.both[TEMPO] + material.sum + (-pawns.sum if black else pawns.sum)
    _add_side(&own_sum, NULL, &keyed.position, sets,
              flipped(pawns.black_passed) if black else pawns.white_passed, &other_reach)
    _add_side(&other_sum, NULL, &other, &other_sets,
              pawns.white_passed if black else flipped(pawns.black_passed), &own_reach)
    return (_mixed(own_sum.total - other_sum.total, material.phase)
            + _weigh_by_net(evaluator.weights.net, &keyed.position, &evaluator.king_sums[king_place], &own_heat,
                            &other_heat))


cdef int evaluate(Evaluator* evaluator, const KeyedPosition* keyed, const MoveSets* sets) noexcept nogil:
    """The evaluation for the side to move, which must not be in check, and whose moves are `sets`."""
    return <int>(_weigh(evaluator, keyed, sets) / (FRACTIONS * FULL_PHASE))


cdef int open_evaluator(Evaluator* evaluator, HeatWeights weights) except -1:
    """Give an evaluator its memory; it holds no reference to the weights, which must outlive it."""
    evaluator.weights = weights.c
    evaluator.pawns = <PawnEntry*>malloc(PAWN_CACHE * sizeof(PawnEntry))
    evaluator.kings = <PawnEntry*>malloc(PAWN_CACHE * sizeof(PawnEntry))
    evaluator.materials = <MaterialEntry*>malloc((1 << MATERIAL_BITS) * sizeof(MaterialEntry))
    # Without a net nobody reads them, but they have a place all the same, for it is fetched ahead.
    evaluator.pawn_sums = <NetEntry*>aligned_memory(sizeof(NetEntry), PAWN_CACHE * sizeof(NetEntry))
    evaluator.king_sums = <NetEntry*>aligned_memory(sizeof(NetEntry), PAWN_CACHE * sizeof(NetEntry))
    if (evaluator.pawns == NULL or evaluator.kings == NULL or evaluator.materials == NULL
            or evaluator.pawn_sums == NULL or evaluator.king_sums == NULL):
        close_evaluator(evaluator)
        raise MemoryError
    # A board without pawns, or with bare kings, has the key 0: an empty entry must have another one.
    memset(evaluator.pawns, 0xFF, PAWN_CACHE * sizeof(PawnEntry))
    memset(evaluator.kings, 0xFF, PAWN_CACHE * sizeof(PawnEntry))
    memset(evaluator.materials, 0xFF, (1 << MATERIAL_BITS) * sizeof(MaterialEntry))
    return 0


cdef void close_evaluator(Evaluator* evaluator) noexcept:
    free(evaluator.pawns)
    free(evaluator.kings)
    free(evaluator.materials)
    free(evaluator.pawn_sums)
    free(evaluator.king_sums)
    evaluator.pawns = evaluator.kings = NULL
    evaluator.materials = NULL
    evaluator.pawn_sums = evaluator.king_sums = NULL


def weigh(PackedPosition position not None, HeatWeights weights not None):
    """The exact evaluation for the side to move, in units of the weights; only without a check."""
    cdef MoveSets sets
    cdef KeyedPosition keyed
    if weights.evaluator.pawns == NULL:
        open_evaluator(&weights.evaluator, weights)
    set_keyed_position(&keyed, &position.c)
    find_moves(&position.c, &sets)
    return _weigh(&weights.evaluator, &keyed, &sets) / (<double>FRACTIONS * FULL_PHASE)


cdef void _count_side(int16_t* row, int sign, const Position* position, const Position* other) noexcept nogil:
    cdef Bitboard own = position.pieces[PAWN] & position.own
    cdef Bitboard their = position.pieces[PAWN] & position.their
    cdef int[KING] own_count, their_count
    cdef MoveSets sets, other_sets
    cdef Reach reach
    cdef Sum sum
    sum.weights = NULL  # a trace takes the counts
    sum.tables = NULL
    sum.heat = NULL
    sum.still = NULL
    sum.total = 0
    sum.sign = sign
    find_moves(position, &sets)
    find_moves(other, &other_sets)
    reach = _reach(other, &other_sets)
    _count_pieces(position, own_count, their_count)
    _add_material(&sum, row, own_count, their_count)
    _add_pawns(&sum, row, own, their)
    _add_by_kings(&sum, row, position)
    _add_side(&sum, row, position, &sets, _passed(own, their), &reach)


cdef int _phase_of(const Position* position) noexcept nogil:
    cdef int[KING] own, their
    _count_pieces(position, own, their)
    return _phase(own, their)


def count_sides(list positions not None, int16_t[:, :, ::1] counts not None, int16_t[::1] phases not None):
    """Write each position's features, of the mover and then of the other side, to its two rows of `counts`."""
    cdef Py_ssize_t i
    cdef PackedPosition position
    cdef Position other
    for i in range(len(positions)):
        position = positions[i]
        turn_over(&position.c, &other)
        memset(&counts[i, 0, 0], 0, 2 * FEATURES * sizeof(int16_t))
        _count_side(&counts[i, 0, 0], 1, &position.c, &other)
        _count_side(&counts[i, 1, 0], 1, &other, &position.c)
        _copy_turn_counts(&counts[i, 0, 0])
        counts[i, 0, TEMPO] = 1
        phases[i] = _phase_of(&position.c)
