"""The deep search's evaluation: heat of both sides without further plies, times a vector of weights.

Each side's moves are those it would have if it were on the move: legal ones, pins, castling and squares that
a king must not enter included. What a move is worth depends on the piece, on how many moves the piece has,
and on what it lands on. Beside heat stand a few things that heat cannot see: men, where they stand, pawns.

A *feature* is a number counted on the board, White minus Black or mover minus other; each has two weights, for
the middlegame and for the endgame, and the officers left on the board mix them. This file is the list of the
features; the names are in evaluation.pyx, in the same order.
"""

from libc.stdint cimport int16_t, int64_t, uint64_t

from heatmap_engine.kernel.board.bits cimport Bitboard
from heatmap_engine.kernel.board.moves cimport MoveSets
from heatmap_engine.kernel.deep.keyed_position cimport KeyedPosition
from heatmap_engine.kernel.board.position cimport KING

cdef enum:
    MOST_MOVES_COUNTED = 28  # a queen has 27 at the most
    STANDING_SQUARES = 32    # the files e to h count as their mirror images
    LANDINGS = 12            # what a move may land on, see below
    MOST_PRESSURE = 24
    MOST_PRESSERS = 8
    MOST_SHELTER = 6
    ENDINGS = 7
    MOST_ATTACKERS = 6
    MOST_ATTACKS = 16
    BESIDE_KING = 40         # where a man stands from a king: files 0 to 4 by ranks -3 to 4
    PAIRS = 14               # two kinds of men, the same or not, but not both pawns
    PAIRS_AGAINST = 10       # two kinds of men, not the same
    MOST_IN_ENDINGS = 22     # men on the board, above which no ending is looked for

    # Where each group of features begins.
    MAN = 0                                         # [piece]: a man
    STANDING = MAN + 6                              # [piece][square]: a man on a square
    PAWN_MOVE = STANDING + 6 * STANDING_SQUARES     # a pawn's move
    MOVES = PAWN_MOVE + 1                           # [knight to king][n]: a piece that has n moves
    LANDING = MOVES + 5 * MOST_MOVES_COUNTED        # [piece][what]: a move that lands there
    PRESSURE = LANDING + 6 * LANDINGS               # [n]: n moves into the other king's box
    PRESSERS = PRESSURE + MOST_PRESSURE             # [n]: n pieces with such a move
    SHELTER = PRESSERS + MOST_PRESSERS              # [n]: n own pawns in and before the own king's box
    PASSED = SHELTER + MOST_SHELTER                 # [rank]: a passed pawn
    PASSED_BLOCKED = PASSED + 8                     # [rank]: a passed pawn with a man before it
    PASSED_OWN_KING = PASSED_BLOCKED + 8            # [distance]: own king to the square before it
    PASSED_THEIR_KING = PASSED_OWN_KING + 8         # [distance]: their king to the square before it
    SUPPORTED = PASSED_THEIR_KING + 8               # [rank]: a pawn guarded by a pawn
    PHALANX = SUPPORTED + 8                         # [rank]: a pawn beside a pawn
    ISOLATED = PHALANX + 8                          # a pawn without pawns on the next files
    DOUBLED = ISOLATED + 1                          # a pawn behind a pawn
    OUTPOST = DOUBLED + 1                           # [knight, bishop]: guarded by a pawn, out of pawns' reach
    BISHOP_PAIR = OUTPOST + 2
    ROOK_OPEN = BISHOP_PAIR + 1                     # a rook on a file without pawns
    ROOK_HALF_OPEN = ROOK_OPEN + 1                  # a rook on a file without own pawns
    CHECKS = ROOK_HALF_OPEN + 1                     # [knight to queen][safe]: a move that gives check
    COVER = CHECKS + 8                              # [on the king's file][rank]: the hindmost own pawn before it
    STORM = COVER + 16                              # [on the king's file][rank]: their foremost pawn before it
    PASSED_FREE = STORM + 16                        # [rank]: a passed pawn whose next square they cannot enter
    PASSED_OPEN = PASSED_FREE + 8                   # [rank]: the same of all squares before it
    ROOK_BEHIND = PASSED_OPEN + 8                   # a rook behind an own passed pawn
    ENDING_PAWN = ROOK_BEHIND + 1                   # [ending]: a pawn in such an ending, see below
    BARE_LEAD = ENDING_PAWN + ENDINGS               # points ahead, no more than a minor piece's, without a pawn
    BARE_KNIGHTS = BARE_LEAD + 1                    # two knights and nothing else
    LAST_PAWN = BARE_KNIGHTS + 1                    # the only pawn of a side that is no more than a minor piece ahead
    WRONG_CORNER = LAST_PAWN + 1                    # bishop and pawns of a file whose last square it never guards
    WRONG_PAWN = WRONG_CORNER + 1                   # each of these pawns
    LONE_RING = WRONG_PAWN + 1                      # [ring]: a king alone against a rook or more, the edge being ring 0
    LONE_NEAR = LONE_RING + 4                       # [distance]: the other king from such a one
    LONE_CORNER = LONE_NEAR + 8                     # [distance]: such a one from the corner where bishop and knight mate
    FROM_OWN_KING = LONE_CORNER + 8                 # [pawn to queen][where]: a man, seen from the own king
    FROM_THEIR_KING = FROM_OWN_KING + 5 * BESIDE_KING    # [pawn to queen][where]: the same from the other king
    ATTACK = FROM_THEIR_KING + 5 * BESIDE_KING      # [pieces][moves]: so many pieces have so many moves into the box
    HANGING = ATTACK + MOST_ATTACKERS * MOST_ATTACKS     # [pawn to queen]: a man that they attack and nobody guards
    LOOSE = HANGING + 5                             # [pawn to queen]: a man that nobody guards
    PASSED_GUARDED = LOOSE + 5                      # [rank]: a passed pawn guarded by a pawn
    PASSED_BESIDE = PASSED_GUARDED + 8              # [rank]: a passed pawn beside a pawn
    BACKWARD = PASSED_BESIDE + 8                    # [on a file without theirs]: a pawn that nothing can follow, and that a pawn stops
    BISHOP_PAWNS = BACKWARD + 2                     # [n]: a bishop with n own pawns on squares of its colour
    WITH = BISHOP_PAWNS + 9                         # [pair]: one kind of own men times another
    AGAINST = WITH + PAIRS                          # [pair]: one kind of own men times another of theirs
    ON_LOOSE = AGAINST + PAIRS_AGAINST              # [piece][kind]: a move onto a man that nobody guards
    MAY_CASTLE = ON_LOOSE + 30                      # [short, long]
    TEMPO = MAY_CASTLE + 2                          # being on the move
    TURN = TEMPO + 1                                # what the mover alone counts once more, see below
    FEATURES = TURN + 6 * LANDINGS + 8 + 10 + 30

    # A move, a check, a man that is attacked and not guarded are worth more or less to the side that is on
    # the move: it can take or go away now.
    TURN_LANDING = TURN                             # as LANDING
    TURN_CHECKS = TURN_LANDING + 6 * LANDINGS       # as CHECKS
    TURN_HANGING = TURN_CHECKS + 8                  # as HANGING and LOOSE
    TURN_ON_LOOSE = TURN_HANGING + 10               # as ON_LOOSE

    # What a move may land on; it may be several things at once.
    ON_FAR_HALF = 0
    ON_CENTRE = 1      # c3 to f6
    ON_OWN_BOX = 2
    ON_THEIR_BOX = 3
    ON_GUARDED = 4     # a square that a pawn of the other side guards
    ON_MAN = 5         # a pawn, knight, bishop, rook or queen: 5 to 9
    ON_SAFE = 10       # a square that no move of the other side lands on, nor a pawn guards
    ON_WEAK_BOX = 11   # a square of the other king's box that only the king guards

    # Endings, where a pawn ahead is worth more or less than elsewhere.
    NO_ENDING = -1
    OF_PAWNS = 0
    OF_MINORS = 1               # a minor piece each
    OF_OPPOSITE_BISHOPS = 2     # a bishop each, on squares of both colours
    OF_ROOKS = 3                # a rook each
    OF_ROOKS_AND_MINORS = 4     # both each
    OF_QUEENS = 5               # a queen each
    WITH_OPPOSITE_BISHOPS = 6   # a bishop each, on squares of both colours, and other officers

    FULL_PHASE = 24    # all officers are there: 1 for a knight or bishop, 2 for a rook, 4 for a queen
    FRACTIONS = 256    # a weight of 1 as a whole number
    PAWN_CACHE = 1 << 13
    MATERIAL_BITS = 10

cdef struct PawnEntry:
    # What the pawns alone are worth, or pawns and kings, kept by their key.
    uint64_t key
    int64_t sum        # White minus Black
    Bitboard white_passed
    Bitboard black_passed

cdef struct MaterialEntry:
    # What the numbers of men are worth, kept by these numbers: 8 bits for each kind, own men before theirs.
    uint64_t key
    int64_t sum        # own minus theirs
    int phase

cdef struct ManTables:
    # What a man is worth for where it stands, by [piece][king's square][its square]; two looks instead
    # of six make an evaluation a tenth faster.
    int64_t[KING][64][64] own     # seen from the own king, and its square itself
    int64_t[KING][64][64] their   # seen from the other king

cdef struct Weights:
    # A weight is that of the middlegame times 2^32 plus that of the endgame.
    int64_t[FEATURES] both
    int64_t[FEATURES] mover    # for the side to move, with what counts for it alone
    ManTables men

cdef struct Evaluator:
    Weights* weights
    PawnEntry* pawns
    PawnEntry* kings           # with what the pawns alone are worth
    MaterialEntry* materials

cdef int evaluate(Evaluator* evaluator, const KeyedPosition* place, const MoveSets* sets) noexcept nogil

cdef class HeatWeights:
    cdef Weights* c
    cdef int[6] worth          # what a man of each kind is worth in an exchange, in units of the evaluation
    cdef Evaluator evaluator   # of weigh()

cdef int open_evaluator(Evaluator* evaluator, HeatWeights weights) except -1
cdef void close_evaluator(Evaluator* evaluator) noexcept
