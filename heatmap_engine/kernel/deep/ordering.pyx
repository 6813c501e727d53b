"""Which move to try first; see ordering.pxd."""

from libc.stdlib cimport calloc, free
from libc.string cimport memset

from heatmap_engine.kernel.board.bits cimport Square, bit
from heatmap_engine.kernel.board.moves cimport MoveSets, list_captures, list_quiets
from heatmap_engine.kernel.board.position cimport (
    CASTLING_FLAG, DOUBLE_STEP_FLAG, EN_PASSANT_FLAG, KING, MAX_MOVES, PAWN, PIECE_SHIFT, PROMOTION_SHIFT, QUEEN, TO_SHIFT,
    from_square, moved_piece, promotion, to_square,
)
from heatmap_engine.kernel.deep.exchange cimport wins_exchange
from heatmap_engine.kernel.deep.transpositions cimport STORED_PROMOTION_SHIFT

cdef enum:
    # Scores of quiet moves, to which their histories are added: four numbers within MOST_HISTORY.
    _KILLER = 1 << 20               # above every history
    _SECOND_KILLER = _KILLER >> 1   # also the counter move

    # Scores of captures and promotions, to which their history is added.
    _VICTIM = 1 << 15               # for each step of the victim's kind, from pawn to queen; above every history
    _QUEENING = 4 * _VICTIM         # as if it took a queen
    _UNDERPROMOTION = -8 * _VICTIM  # below every capture


cdef enum:
    # The low bits of a score say where its move waits.
    _PLACE_BITS = 9
    _PLACES = 1 << _PLACE_BITS

assert MAX_MOVES <= _PLACES


cdef class MoveHistories:
    """What the threads of a search found out about moves, and share."""

    def __cinit__(self):
        self.c = <Histories*>calloc(1, sizeof(Histories))
        if self.c == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.c)

    def clear(self):
        """Forget everything."""
        memset(self.c, 0, sizeof(Histories))


cdef Move _find_pawn_move(const Position* position, const MoveSets* sets, Move move, Square origin,
                          Square target) noexcept nogil:
    """The pawn's move in full, or 0 if it is not legal."""
    cdef int distance = target - origin
    if (target >= 56) != (promotion(move) != 0):
        return 0
    if distance == 8:
        return move if sets.steps & bit(target) else 0
    if distance == 16:
        return move | DOUBLE_STEP_FLAG if sets.double_steps & bit(target) else 0
    if distance == 7 and sets.left_captures & bit(target) or distance == 9 and sets.right_captures & bit(target):
        return move if position.their & bit(target) else move | EN_PASSANT_FLAG
    return 0


cdef Move find_stored(const Position* position, const MoveSets* sets, Move stored) noexcept nogil:
    """The legal move that a slot's 15 bits mean, or 0: the slot may be another position's."""
    cdef Square origin = from_square(stored)
    cdef Square target = to_square(stored)
    cdef Move move = origin | target << TO_SHIFT | (stored >> STORED_PROMOTION_SHIFT) << PROMOTION_SHIFT
    cdef int king = sets.count - 1
    cdef int i
    if stored == 0:
        return 0
    if promotion(move) == KING:
        if sets.origin[king] != origin or not sets.castling & bit(target):
            return 0
        return KING << PIECE_SHIFT | origin | target << TO_SHIFT | CASTLING_FLAG
    if position.pieces[PAWN] & position.own & bit(origin):
        return _find_pawn_move(position, sets, move, origin, target)
    if promotion(move):
        return 0
    for i in range(sets.count):
        if sets.origin[i] == origin and sets.targets[i] & bit(target):
            if i == king and sets.castling & ~sets.stepped & bit(target):
                return 0
            return move | sets.piece[i] << PIECE_SHIFT
    return 0


cdef void start_picking(Picker* picker, Move first) noexcept nogil:
    """Begin with `first`, a legal move or 0; all other fields but the counters are the caller's."""
    picker.first = first
    picker.stage = FIRST
    picker.skip_quiets = False
    picker.only_checks = False
    picker.passed_over = 0
    picker.losing = 0


cdef inline int32_t _placed(int score, int place) noexcept nogil:
    """A score that says where its move waits; of equal ones the first is the greatest."""
    return score * (1 << _PLACE_BITS) + (_PLACES - 1 - place)


cdef inline int _place(int32_t score) noexcept nogil:
    return _PLACES - 1 - (score & _PLACES - 1)


cdef void _score_captures(Picker* picker) noexcept nogil:
    cdef const Position* position = picker.position
    cdef Move move
    cdef int i, victim, score
    for i in range(picker.next, picker.count):
        move = picker.moves[i]
        victim = victim_of(position, move)
        score = _VICTIM * victim + picker.histories.captures[moved_piece(move)][to_square(move)][victim]
        if promotion(move):
            score += _QUEENING if promotion(move) == QUEEN else _UNDERPROMOTION
        picker.scores[i] = _placed(score, i)


cdef void _score_quiets(Picker* picker) noexcept nogil:
    cdef Move move
    cdef int i, score
    for i in range(picker.next, picker.count):
        move = picker.moves[i]
        score = history_of(picker, move)
        if move == picker.killers[0]:
            score += _KILLER
        elif move == picker.killers[1] or move == picker.killers[2]:
            score += _SECOND_KILLER
        picker.scores[i] = _placed(score, i)


cdef Move _best_left(Picker* picker) noexcept nogil:
    """The move with the best score among those that wait, or 0; of several the first."""
    cdef int best = picker.next
    cdef int i
    cdef int32_t top
    cdef Move move
    if picker.next == picker.count:
        return 0
    # Where it stands is in the score's low bits, so that a compiler can compare several at once.
    top = picker.scores[best]
    for i in range(picker.next + 1, picker.count):
        top = picker.scores[i] if picker.scores[i] > top else top
    best = _place(top)
    move = picker.moves[best]
    picker.moves[best] = picker.moves[picker.next]
    picker.scores[best] = _placed(picker.scores[picker.next] >> _PLACE_BITS, best)
    picker.next += 1
    return move


cdef inline Move _any_check(Picker* picker) noexcept nogil:
    """One of the moves that wait and give check, or 0."""
    cdef Move move
    while picker.next < picker.count:
        move = picker.moves[picker.next]
        picker.next += 1
        if picker.checking[moved_piece(move)] & bit(to_square(move)):
            return move
        picker.passed_over += move != picker.first
    return 0


cdef Move _next_capture(Picker* picker) noexcept nogil:
    """The next capture that does not lose material; those that do are put back."""
    cdef Move move
    while True:
        move = _best_left(picker)
        if move == 0:
            return 0
        if move == picker.first:
            continue
        if wins_exchange(picker.position, move, 0, picker.worth):
            return move
        picker.moves[picker.losing] = move
        picker.losing += 1


cdef Move next_move(Picker* picker) noexcept nogil:
    """The next legal move, each once, or 0 when there is none left."""
    cdef Move move
    if picker.stage == FIRST:
        picker.stage = LIST_CAPTURES
        if picker.first:
            return picker.first
    if picker.stage == LIST_CAPTURES:
        picker.next = 0
        picker.count = list_captures(picker.position, picker.sets, picker.moves)
        _score_captures(picker)
        picker.stage = CAPTURES
    if picker.stage == CAPTURES:
        move = _next_capture(picker)
        if move:
            return move
        picker.stage = LIST_QUIETS
    if picker.stage == LIST_QUIETS:
        picker.next = picker.losing
        picker.count = picker.losing
        if not picker.skip_quiets:
            picker.count += list_quiets(picker.position, picker.sets, picker.moves + picker.losing)
            _score_quiets(picker)
        picker.stage = QUIETS
    if picker.stage == QUIETS:
        while not picker.skip_quiets:
            move = _any_check(picker) if picker.only_checks else _best_left(picker)
            if move == 0:
                break
            if move != picker.first:
                return move
        picker.next = 0
        picker.stage = LOSING_CAPTURES
    if picker.next < picker.losing:
        picker.next += 1
        return picker.moves[picker.next - 1]
    return 0
