"""How far searches found the evaluation to be off, by what positions have in common; it is corrected by that.

A number is looked up by the pawns, by the pieces of each side, and by the last two moves. Each node of the search
whose value says that its corrected evaluation is too low or too high moves its numbers towards that. Together they
take out what the evaluation gets wrong in all positions of a kind, a blocked centre or a shut-in bishop.
"""

from libc.stdint cimport int16_t, uint64_t

from heatmap_engine.kernel.deep.keyed_position cimport KeyedPosition

cdef enum:
    CORRECTION_SLOTS = 1 << 14   # positions with other pawns or pieces share a number where their keys meet
    CORRECTED_MOVES = 6 * 64     # [piece][square it lands on]
    MOST_CORRECTION = 1024       # the numbers stay within plus and minus this

    _MOST_STEP = MOST_CORRECTION / 4
    _STEP_EIGHTHS = 3            # a step is so many eighths of the error times the depth

    # Units of the evaluation at MOST_CORRECTION.
    _BY_PAWNS = 36
    _BY_PIECES = 40              # of each side
    _BY_MOVES = 70

cdef struct Corrections:
    # Shared by the threads of a search without a lock, as histories are.
    int16_t[2][CORRECTION_SLOTS] pawns                     # [black to move][key of the pawns]
    int16_t[2][2][CORRECTION_SLOTS] pieces                 # [black to move][black's pieces][their key]
    int16_t[CORRECTED_MOVES][CORRECTED_MOVES] moves        # [the mover's last move][the move after it]

cdef struct CorrectionNumbers:
    # Those of one position.
    int16_t* pawns
    int16_t* white
    int16_t* black
    int16_t* moves


cdef inline CorrectionNumbers find_corrections(Corrections* corrections, const KeyedPosition* keyed, int own_move,
                                               int reply) noexcept nogil:
    """The numbers of a position; its last two moves by piece and square, 0 for none."""
    cdef CorrectionNumbers found
    cdef int mover = keyed.position.black
    found.pawns = &corrections.pawns[mover][keyed.pawn_key & (CORRECTION_SLOTS - 1)]
    found.white = &corrections.pieces[mover][0][keyed.piece_keys[0] & (CORRECTION_SLOTS - 1)]
    found.black = &corrections.pieces[mover][1][keyed.piece_keys[1] & (CORRECTION_SLOTS - 1)]
    found.moves = &corrections.moves[own_move][reply]
    return found


cdef inline int correction(const CorrectionNumbers* numbers) noexcept nogil:
    """What is to be added to the evaluation, in its units."""
    return (_BY_PAWNS * numbers.pawns[0] + _BY_PIECES * (numbers.white[0] + numbers.black[0])
            + _BY_MOVES * numbers.moves[0]) / MOST_CORRECTION


cdef inline void _step(int16_t* number, int step) noexcept nogil:
    number[0] += <int16_t>(step - number[0] * (step if step > 0 else -step) / MOST_CORRECTION)


cdef inline void learn_correction(const CorrectionNumbers* numbers, int error, int depth) noexcept nogil:
    """Move a position's numbers towards what its corrected evaluation lacked in a search of so many plies."""
    cdef int step = max(-_MOST_STEP, min(_MOST_STEP, _STEP_EIGHTHS * error * depth / 8))
    _step(numbers.pawns, step)
    _step(numbers.white, step)
    _step(numbers.black, step)
    _step(numbers.moves, step)
