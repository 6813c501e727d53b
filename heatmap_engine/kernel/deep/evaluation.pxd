"""The deep search's evaluation: heat of both sides without further plies, times a vector of weights.

Each side's moves are those it would have if it were on the move: legal ones, pins, castling and squares that
a king must not enter included. What a move is worth depends on the piece, on how many moves the piece has,
and on what it lands on. Beside heat stand a few things that heat cannot see: pieces, where they stand, pawns.

A *feature* is a number counted on the board, White minus Black or mover minus other; each has two weights, for
the middlegame and for the endgame, and the pieces left on the board mix them. The list of the features stands
in evaluation.pyx, once: each line of it gives a group its place in the weights and its names.
"""

from libc.stdint cimport int16_t, int64_t, uint64_t

from heatmap_engine.kernel.board.bits cimport Bitboard
from heatmap_engine.kernel.board.moves cimport MoveSets
from heatmap_engine.kernel.board.position cimport KING
from heatmap_engine.kernel.deep.keyed_position cimport KeyedPosition
from heatmap_engine.kernel.deep.net cimport HeatNet, NetSums, NetWeights

cdef enum:
    # How much of a middlegame it is: what each piece on the board adds.
    PHASE_OF_MINOR = 1
    PHASE_OF_ROOK = 2
    PHASE_OF_QUEEN = 4
    FULL_PHASE = 8 * PHASE_OF_MINOR + 4 * PHASE_OF_ROOK + 2 * PHASE_OF_QUEEN

    FRACTIONS = 256        # a weight of 1 as a whole number
    PAWN_CACHE = 1 << 13   # entries
    MATERIAL_BITS = 10     # the entries are two to the power of this

cdef struct PawnEntry:
    # What the pawns alone are worth, or pawns and kings, kept by their key.
    uint64_t key
    int64_t sum        # White minus Black
    Bitboard white_passed
    Bitboard black_passed

cdef struct MaterialEntry:
    # What the numbers of pieces are worth, kept by these numbers: 8 bits for each kind, own pieces before theirs.
    uint64_t key
    int64_t sum        # own minus theirs
    int phase

cdef struct PieceTables:
    # What a piece is worth for where it stands, by [piece][king's square][its square]; two looks instead
    # of six make an evaluation a tenth faster.
    int64_t[KING][64][64] own     # seen from the own king, and its square itself
    int64_t[KING][64][64] their   # seen from the other king

cdef struct Weights:
    # A weight is that of the middlegame times 2^32 plus that of the endgame.
    int64_t* both              # a weight for each feature
    int64_t* mover             # for the side to move, with what counts for it alone
    PieceTables tables
    const NetWeights* net      # NULL for none

cdef struct NetEntry:
    # What the same pawns, or pawns and kings, make of the sums of the net, White's and Black's. It has a cache line.
    NetSums[2] of

cdef struct Evaluator:
    Weights* weights
    PawnEntry* pawns
    PawnEntry* kings           # with what the pawns alone are worth
    NetEntry* pawn_sums        # beside `pawns` and `kings`
    NetEntry* king_sums
    MaterialEntry* materials

cdef int evaluate(Evaluator* evaluator, const KeyedPosition* keyed, const MoveSets* sets) noexcept nogil

cdef class HeatWeights:
    cdef Weights* c
    cdef int[6] worth          # what a piece of each kind is worth in an exchange, in units of the evaluation
    cdef Evaluator evaluator   # of weigh()
    cdef readonly HeatNet net  # or None

cdef int open_evaluator(Evaluator* evaluator, HeatWeights weights) except -1
cdef void close_evaluator(Evaluator* evaluator) noexcept
