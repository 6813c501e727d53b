"""Which move to try first: what has refuted much before, by piece, squares and the moves that led here."""

from libc.stdint cimport int16_t, int32_t

from heatmap_engine.kernel.board.bits cimport Bitboard, bit
from heatmap_engine.kernel.board.moves cimport MoveSets
from heatmap_engine.kernel.board.position cimport MAX_MOVES, PAWN, Move, Position, moved_piece, to_square
from heatmap_engine.kernel.deep.corrections cimport Corrections
from heatmap_engine.kernel.deep.keyed_position cimport piece_on

cdef enum:
    FROM_TO = 1 << 12         # the low bits of a move: where it comes from and where it goes
    PIECE_SQUARES = 6 * 64    # [piece][square it lands on]
    MOST_HISTORY = 16384      # a history's numbers stay within plus and minus this

cdef enum:
    # What a picker is about to do, or hands out.
    FIRST
    LIST_CAPTURES
    CAPTURES
    LIST_QUIETS
    QUIETS
    LOSING_CAPTURES

cdef struct Histories:
    # All squares as the mover sees them. The threads of a search write to the same numbers without a lock; of
    # two writes at once one is lost. With histories of their own two threads reach a depth 1.4 times as fast as
    # one, with these 1.6 times: what one finds out about moves, the other need not find out.
    int16_t[2][FROM_TO] quiet                        # [black][from, to]
    int16_t[6][64][6] captures                       # [piece][to][victim]
    Move[2][PIECE_SQUARES] counter_moves             # [black][piece and square of the move before]
    # [one ply later, or two and four][piece and square before][piece and square]
    int16_t[2][PIECE_SQUARES][PIECE_SQUARES] continuations
    Corrections corrections                          # of the evaluation

cdef class MoveHistories:
    cdef Histories* c

cdef struct Picker:
    # The legal moves of a node, handed out one by one.
    const Position* position
    const MoveSets* sets
    const Histories* histories
    const int16_t* reply_history    # the row of `continuations` for the move before, or NULL
    const int16_t* plan_history     # the row for the mover's own move before that, or NULL
    const int16_t* older_history    # ... and for the one before that, or NULL
    const int* worth
    Move first                      # the move to try first, or 0
    Move[3] killers                 # two killers of this ply, and the counter move
    int stage
    bint skip_quiets                # set it, and no more quiet moves come
    bint only_checks                # set it with `checking`: of the quiet moves left come those into it, in any order
    Bitboard[6] checking            # [piece]: from where it gives check
    int passed_over                 # quiet moves that did not come for that; the caller takes them away
    int count
    int next
    int losing                      # captures that lose material wait at the front of `moves`
    Move[MAX_MOVES] moves
    int32_t[MAX_MOVES] scores

cdef void start_picking(Picker* picker, Move first) noexcept nogil
cdef Move next_move(Picker* picker) noexcept nogil
cdef Move find_stored(const Position* position, const MoveSets* sets, Move stored) noexcept nogil


cdef inline int from_to(Move move) noexcept nogil:
    return move & (FROM_TO - 1)


cdef inline int piece_square(Move move) noexcept nogil:
    return 64 * moved_piece(move) + to_square(move)


cdef inline int victim_of(const Position* position, Move move) noexcept nogil:
    """What a capture or promotion takes; a pawn where nothing stands."""
    return piece_on(position, to_square(move)) if position.their & bit(to_square(move)) else PAWN


cdef inline int history_of(const Picker* picker, Move move) noexcept nogil:
    """How well a quiet move has done, by itself and after the moves before."""
    cdef int history = picker.histories.quiet[picker.position.black][from_to(move)]
    if picker.reply_history != NULL:
        history += picker.reply_history[piece_square(move)]
    if picker.plan_history != NULL:
        history += picker.plan_history[piece_square(move)]
    if picker.older_history != NULL:
        history += picker.older_history[piece_square(move)]
    return history


cdef inline void reward(int16_t* number, int bonus) noexcept nogil:
    """Move a number of a history towards MOST_HISTORY, or away from it if `bonus` is negative."""
    number[0] += <int16_t>(bonus - number[0] * (bonus if bonus > 0 else -bonus) / MOST_HISTORY)
