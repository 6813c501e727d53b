"""The deep search: principal variations first, selective only where a match has shown that it pays.

`docs/deep.md` holds the table of techniques with what each has gained. Values are for the side to move, in
units of the weights; a mate is MATE less the plies to it. A draw by repetition is seen once inside the tree,
and after two earlier occurrences if those lie in the game.
"""

from libc.math cimport log
from libc.stdint cimport int16_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from heatmap_engine.kernel.bits cimport bit, popcount
from heatmap_engine.kernel.evaluation cimport PAWN_CACHE, Evaluator, HeatWeights, PawnEntry, evaluate
from heatmap_engine.kernel.exchange cimport wins_exchange
from heatmap_engine.kernel.moves cimport MoveSets, attackers_of_king, count_moves, find_moves
from heatmap_engine.kernel.ordering cimport (
    Histories, Picker, find_stored, next_move, reward, start_picking,
)
from heatmap_engine.kernel.packed cimport PackedPosition
from heatmap_engine.kernel.place cimport Place, piece_on, play, set_place
from heatmap_engine.kernel.position cimport (
    KING, MAX_MOVES, PAWN, Move, Position, is_capture, moved_piece, promotion, to_square, uci_name,
)
from heatmap_engine.kernel.rules cimport has_insufficient_material
from heatmap_engine.kernel.transpositions cimport (
    EXACT, LOWER_BOUND, NO_VALUE, UPPER_BOUND, Memo, TranspositionTable, Transpositions,
    prefetch, recall, remember, stored_move,
)

cdef enum:
    MAX_PLY = 120
    MATE = 31000
    _MATE_BOUND = MATE - 2 * MAX_PLY  # values beyond are mates
    _INFINITE = 32000
    _NODES_BETWEEN_CHECKS = 1024
    _MOST_TRIED = 64

    # What may be switched off, to measure what it gains. The first changes the effort and not the value.
    _HASH = 1 << 0           # values from the transposition table, of exactly the depth asked for; learned ones also deeper
    _FUTILITY = 1 << 1       # late quiet moves that cannot reach alpha are left out
    _REDUCTIONS = 1 << 2     # late quiet moves are searched less deep at first
    _EXCHANGES = 1 << 3      # moves that lose material are left out
    _EVERYTHING = (1 << 4) - 1

DEEPEST = MAX_PLY - 20
LARGEST = _INFINITE
MATE_VALUE = MATE
TECHNIQUES = {"hash": _HASH, "futility": _FUTILITY, "reductions": _REDUCTIONS, "exchanges": _EXCHANGES}

cdef extern from *:
    """
    #include <time.h>
    static inline int64_t heatmap_now_ns(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    }
    #define heatmap_flag(p) __atomic_load_n(p, __ATOMIC_RELAXED)
    #define heatmap_set_flag(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
    """
    int64_t _now_ns "heatmap_now_ns"() noexcept nogil
    int _flag "heatmap_flag"(const int* flag) noexcept nogil
    void _set_flag "heatmap_set_flag"(int* flag, int value) noexcept nogil


cdef struct Frame:
    # One ply of the line that is being searched.
    Place place
    MoveSets sets
    int value  # static evaluation, NO_VALUE in check


cdef struct Worker:
    # All that one thread needs; the table is shared.
    Frame[MAX_PLY + 4] frames
    Move[MAX_PLY + 2][MAX_PLY + 2] lines   # the best line from each ply
    int[MAX_PLY + 2] lengths
    Histories* histories
    Transpositions* table
    Evaluator evaluator
    int[6] worth
    int techniques
    int64_t nodes
    int64_t node_limit
    int64_t deadline_ns                    # 0 for none
    int stop                               # set by another thread
    bint stopped
    int deepest                            # ply reached in this iteration
    uint64_t* game_keys                    # of the game's positions before the root, the oldest first
    int game_count
    Move[MAX_MOVES] excluded               # moves of the root that are not searched, as slots hold them
    int excluded_count
    Move first                             # the root's move to begin with, 0 for the table's
    Move current                           # the root's move that is being searched, and its number
    int current_number


cdef int[64][64] _reductions  # [depth][moves tried]


cdef void _fill_reductions() noexcept nogil:
    cdef int depth, count
    for depth in range(1, 64):
        for count in range(1, 64):
            _reductions[depth][count] = <int>(0.8 + log(depth) * log(count) / 2.2)


_fill_reductions()


cdef inline bint _on(const Worker* worker, int technique) noexcept nogil:
    return worker.techniques & technique != 0


cdef inline bint _must_stop(Worker* worker) noexcept nogil:
    """Count a node and say whether it is one too many."""
    worker.nodes += 1
    if worker.nodes >= worker.node_limit:
        worker.stopped = True
    elif worker.nodes % _NODES_BETWEEN_CHECKS == 0:
        if _flag(&worker.stop) or worker.deadline_ns and _now_ns() >= worker.deadline_ns:
            worker.stopped = True
    return worker.stopped


cdef bint _is_repeated(const Worker* worker, int ply) noexcept nogil:
    """Whether the position occurred before in the tree, or twice in the game."""
    cdef const Place* place = &worker.frames[ply].place
    cdef int earlier = ply - 4
    cdef int first = ply - place.reach
    cdef int in_game = 0
    while earlier >= first:
        if earlier >= 0:
            if worker.frames[earlier].place.key == place.key:
                return True
        elif worker.game_count + earlier < 0:
            return False
        elif worker.game_keys[worker.game_count + earlier] == place.key:
            in_game += 1
            if in_game == 2:
                return True
        earlier -= 2
    return False


cdef inline bint _is_drawn(const Worker* worker, int ply) noexcept nogil:
    """Whether the game is drawn here by repetition or lack of men; fifty moves need to know of a mate."""
    return _is_repeated(worker, ply) or has_insufficient_material(&worker.frames[ply].place.position)


cdef inline int _stored_value(int value, int ply) noexcept nogil:
    """A mate counted from here instead of from the root."""
    if value >= _MATE_BOUND:
        return value + ply
    return value - ply if value <= -_MATE_BOUND else value


cdef inline int _recalled_value(int value, int ply) noexcept nogil:
    if value >= _MATE_BOUND:
        return value - ply
    return value + ply if value <= -_MATE_BOUND else value


cdef inline bint _settles(const Worker* worker, const Memo* memo, int depth, int value, int alpha,
                          int beta) noexcept nogil:
    """Whether what is remembered answers the question, so that nothing need be searched."""
    if not _on(worker, _HASH) or memo.depth < depth or memo.depth > depth and not memo.learned:
        return False
    return (memo.bound == EXACT or memo.bound == LOWER_BOUND and value >= beta
            or memo.bound == UPPER_BOUND and value <= alpha)


cdef inline int _evaluate(Worker* worker, Frame* frame, const Memo* memo) noexcept nogil:
    """The evaluation as the weights have it, taken from the table where it is known."""
    if memo.evaluation != NO_VALUE:
        return memo.evaluation
    return max(-_MATE_BOUND + 1, min(_MATE_BOUND - 1, evaluate(&worker.evaluator, &frame.place, &frame.sets)))


cdef inline void _start_picking(Worker* worker, Picker* picker, const Frame* frame, const Memo* memo) noexcept nogil:
    """Begin with the move that is remembered, if it is one here."""
    picker.position = &frame.place.position
    picker.sets = &frame.sets
    picker.histories = worker.histories
    picker.worth = worker.worth
    start_picking(picker, find_stored(picker.position, picker.sets, memo.move))


cdef inline int16_t* _quiet_history(Worker* worker, const Position* position, Move move) noexcept nogil:
    return &worker.histories.quiet[position.black][move & 4095]


cdef inline bint _is_quiet(const Position* position, Move move) noexcept nogil:
    return not is_capture(position, move) and not promotion(move)


cdef inline void _reward_capture(Worker* worker, const Position* position, Move move, int bonus) noexcept nogil:
    cdef int victim = piece_on(position, to_square(move)) if position.their & bit(to_square(move)) else PAWN
    reward(&worker.histories.captures[moved_piece(move)][to_square(move)][victim], bonus)


cdef void _reward_refutation(Worker* worker, const Position* position, Move best, int depth, const Move* tried,
                             int count) noexcept nogil:
    """Remember that `best` was good enough, and that the moves tried before it were not."""
    cdef int bonus = min(1800, 140 * depth)
    cdef bint quiet = _is_quiet(position, best)
    cdef int i
    if quiet:
        reward(_quiet_history(worker, position, best), bonus)
    else:
        _reward_capture(worker, position, best, bonus)
    for i in range(count):
        if not _is_quiet(position, tried[i]):
            _reward_capture(worker, position, tried[i], -bonus)
        elif quiet:
            reward(_quiet_history(worker, position, tried[i]), -bonus)


cdef inline void _descend(Worker* worker, int ply, Move move) noexcept nogil:
    """Play a move to the next ply's frame."""
    play(&worker.frames[ply].place, move, &worker.frames[ply + 1].place)
    prefetch(worker.table, worker.frames[ply + 1].place.key)


cdef inline void _set_line(Worker* worker, int ply, Move move) noexcept nogil:
    """The best line from here is `move` and the best line after it."""
    worker.lines[ply][0] = move
    memcpy(&worker.lines[ply][1], worker.lines[ply + 1], worker.lengths[ply + 1] * sizeof(Move))
    worker.lengths[ply] = worker.lengths[ply + 1] + 1


cdef inline void _keep(Worker* worker, int ply, Move best_move, int best, int evaluation, int depth, int alpha,
                       int beta) noexcept nogil:
    """Put what a node came to into the table; the window is the one it was asked with."""
    cdef Memo memo
    memo.move = stored_move(best_move)
    memo.value = _stored_value(best, ply)
    memo.evaluation = evaluation
    memo.depth = depth
    memo.bound = LOWER_BOUND if best >= beta else EXACT if best > alpha else UPPER_BOUND
    remember(worker.table, worker.frames[ply].place.key, &memo)


cdef inline bint _is_excluded(const Worker* worker, Move move) noexcept nogil:
    """Whether this move of the root is not to be searched."""
    cdef int i
    for i in range(worker.excluded_count):
        if worker.excluded[i] == stored_move(move):
            return True
    return False


cdef int _quiesce(Worker* worker, int ply, int alpha, int beta) noexcept nogil:
    """The value once captures and promotions have been played out, and checks have been answered."""
    cdef Frame* frame = &worker.frames[ply]
    cdef const Position* position = &frame.place.position
    cdef Memo memo
    cdef Picker picker
    cdef Move move
    cdef Move best_move = 0
    cdef int evaluation = NO_VALUE
    cdef int best = -MATE + ply
    cdef int old_alpha = alpha
    cdef int value
    cdef bint in_check
    worker.lengths[ply] = 0
    worker.deepest = max(worker.deepest, ply)
    if _is_drawn(worker, ply):
        return 0
    if recall(worker.table, frame.place.key, &memo):
        value = _recalled_value(memo.value, ply)
        if beta - alpha == 1 and _settles(worker, &memo, 0, value, alpha, beta):
            return value
    find_moves(position, &frame.sets)
    in_check = frame.sets.checkers != 0
    if position.clock >= 100 and (not in_check or count_moves(&frame.sets)):
        return 0
    if not in_check:
        best = evaluation = _evaluate(worker, frame, &memo)
        if best >= beta or ply >= MAX_PLY:
            return best
        alpha = max(alpha, best)
    elif ply >= MAX_PLY:
        return 0
    _start_picking(worker, &picker, frame, &memo)
    if not in_check:
        picker.skip_quiets = True
        if picker.first and _is_quiet(position, picker.first):
            picker.first = 0
    while True:
        move = next_move(&picker)
        if move == 0:
            break
        if not in_check and _on(worker, _EXCHANGES) and not wins_exchange(position, move, 0, worker.worth):
            continue
        if _must_stop(worker):
            return 0
        _descend(worker, ply, move)
        value = -_quiesce(worker, ply + 1, -beta, -alpha)
        if worker.stopped:
            return 0
        if value > best:
            best = value
            if value > alpha:
                best_move = move
                alpha = value
                if beta - old_alpha > 1:
                    _set_line(worker, ply, move)
                if value >= beta:
                    break
    _keep(worker, ply, best_move, best, evaluation, 0, old_alpha, beta)
    return best


cdef inline bint _has_officers(const Position* position) noexcept nogil:
    return position.own & ~(position.pieces[PAWN] | position.pieces[KING]) != 0


cdef inline int _reduction(Worker* worker, const Position* position, Move move, int depth, int count, bint pv,
                           bint cut_node, bint improving, bint checks) noexcept nogil:
    """How many plies less deep a late move is searched at first."""
    cdef int reduction = _reductions[min(depth, 63)][min(count, 63)]
    reduction += cut_node + (not improving) - pv - checks - _quiet_history(worker, position, move)[0] / 8192
    return max(0, min(reduction, depth - 2))


cdef inline bint _is_left_out(const Worker* worker, const Frame* frame, Picker* picker, Move move, bint quiet, int depth,
                              int count, int alpha, bint improving) noexcept nogil:
    """Whether a move promises too little to be searched at all; for a quiet one, so do all after it."""
    cdef int shallow = max(0, depth - 1 - _reductions[min(depth, 63)][min(count, 63)] + improving)
    # A mate that is known is no reason to overlook a shorter one.
    if (quiet and frame.value != NO_VALUE and _on(worker, _FUTILITY) and shallow <= 6 and alpha < _MATE_BOUND
            and frame.value + 90 + 90 * shallow <= alpha):
        picker.skip_quiets = True
        return True
    if not _on(worker, _EXCHANGES) or depth > 8:
        return False
    return not wins_exchange(&frame.place.position, move, -50 * shallow if quiet else -90 * depth, worker.worth)


cdef inline int _search_first(Worker* worker, int ply, int alpha, int beta, int depth, bint cut_node) noexcept nogil:
    """The value of the move that was played first at `ply`, in the whole window."""
    return -_search(worker, ply + 1, -beta, -alpha, depth, beta - alpha == 1 and not cut_node)


cdef inline int _search_later(Worker* worker, int ply, int alpha, int beta, int depth, int reduction,
                              bint cut_node) noexcept nogil:
    """The value of a later move: it need only be shown to be no better, and is searched again where it is."""
    cdef int value = -_search(worker, ply + 1, -alpha - 1, -alpha, depth - reduction, reduction > 0 or not cut_node)
    if value > alpha and reduction and not worker.stopped:
        value = -_search(worker, ply + 1, -alpha - 1, -alpha, depth, not cut_node)
    if alpha < value < beta and not worker.stopped:
        value = -_search(worker, ply + 1, -beta, -alpha, depth, False)
    return value


cdef int _search(Worker* worker, int ply, int alpha, int beta, int depth, bint cut_node) noexcept nogil:
    """The value of a position `depth` plies deep, within the window alpha < beta.

    Promised: with v the value of plain minimax over the same tree, whose leaves are valued by _quiesce, and
    without a selective technique, the result r obeys
        r <= alpha      implies  v <= r
        alpha < r < beta implies v == r, and lines[ply] is a line that leads to it
        r >= beta       implies  v >= r
    where a repetition or the count of fifty moves has not come into play: the table knows no history.
    (tests/heatmap_engine/kernel/test_deep.py holds it against minimax, with and without the table.)
    With selective techniques nothing is promised of v, but: a mate that is announced is there, unless the
    game's history prevents it; the same position, depth, table and histories give the same result; and
    after `stopped` the result means nothing.
    """
    cdef Frame* frame = &worker.frames[ply]
    cdef const Position* position = &frame.place.position
    cdef bint pv = beta - alpha > 1
    cdef Memo memo
    cdef Picker picker
    cdef Move[_MOST_TRIED] tried
    cdef Move move
    cdef Move best_move = 0
    cdef int best = -_INFINITE
    cdef int old_alpha = alpha
    cdef int count = 0
    cdef int tried_count = 0
    cdef int value, reduction
    cdef bint in_check, improving, quiet, checks
    if depth <= 0 or ply >= MAX_PLY:
        return _quiesce(worker, ply, alpha, beta)
    worker.lengths[ply] = 0
    if ply:
        if _is_drawn(worker, ply):
            return 0
        alpha = max(alpha, -MATE + ply)
        beta = min(beta, MATE - ply - 1)
        if alpha >= beta:
            return alpha
    if recall(worker.table, frame.place.key, &memo) and (not pv or memo.learned and ply):
        value = _recalled_value(memo.value, ply)
        if _settles(worker, &memo, depth, value, alpha, beta) and position.clock < 90:
            return value
    find_moves(position, &frame.sets)
    in_check = frame.sets.checkers != 0
    if position.clock >= 100 and ply and (not in_check or count_moves(&frame.sets)):
        return 0
    frame.value = NO_VALUE if in_check else _evaluate(worker, frame, &memo)
    if ply == 0 and worker.first:
        memo.move = worker.first
    improving = not in_check and ply >= 2 and (worker.frames[ply - 2].value == NO_VALUE
                                               or frame.value > worker.frames[ply - 2].value)
    _start_picking(worker, &picker, frame, &memo)
    while True:
        move = next_move(&picker)
        if move == 0:
            break
        if ply == 0 and _is_excluded(worker, move):
            continue
        count += 1
        if ply == 0:
            worker.current = move
            worker.current_number = count
        quiet = _is_quiet(position, move)
        if (best > -_MATE_BOUND and ply and _has_officers(position)
                and _is_left_out(worker, frame, &picker, move, quiet, depth, count, alpha, improving)):
            continue
        if _must_stop(worker):
            return 0
        _descend(worker, ply, move)
        checks = attackers_of_king(&worker.frames[ply + 1].place.position, True) != 0
        reduction = 0
        if _on(worker, _REDUCTIONS) and depth >= 3 and count > 1 + pv and quiet and not in_check:
            reduction = _reduction(worker, position, move, depth, count, pv, cut_node, improving, checks)
        if count == 1:
            value = _search_first(worker, ply, alpha, beta, depth - 1, cut_node)
        else:
            value = _search_later(worker, ply, alpha, beta, depth - 1, reduction, cut_node)
        if worker.stopped:
            return 0
        if value > best:
            best = value
            if value > alpha:
                best_move = move
                alpha = value
                if pv:
                    _set_line(worker, ply, move)
                if value >= beta:
                    _reward_refutation(worker, position, move, depth, tried, tried_count)
                    break
        if tried_count < _MOST_TRIED:
            tried[tried_count] = move
            tried_count += 1
    if count == 0:
        return -MATE + ply if in_check else 0
    if ply or worker.excluded_count == 0:  # without some of its moves, a root's value is not the position's
        _keep(worker, ply, best_move, best, frame.value, depth, old_alpha, beta)
    return best


cdef Move _stored_name(const Position* position, str name):
    """A UCI name as a slot holds the move."""
    cdef int turn = 56 if position.black else 0
    cdef int origin = (ord(name[0]) - ord('a') + 8 * (ord(name[1]) - ord('1'))) ^ turn
    cdef int target = (ord(name[2]) - ord('a') + 8 * (ord(name[3]) - ord('1'))) ^ turn
    return origin | target << 6 | (" nbrq".index(name[4:]) if name[4:] else 0) << 12


cdef class Searcher:
    """One thread's search: its histories, and the line it is looking at; the table may be shared."""

    cdef Worker* _worker
    cdef TranspositionTable _table
    cdef HeatWeights _weights

    def __cinit__(self, TranspositionTable table not None, HeatWeights weights not None, int techniques=_EVERYTHING):
        cdef Worker* worker = <Worker*>calloc(1, sizeof(Worker))
        if worker == NULL:
            raise MemoryError
        self._worker = worker
        self._table = table
        self._weights = weights
        worker.table = &table.c
        worker.techniques = techniques
        worker.evaluator.weights = weights.packed
        worker.worth = weights.worth
        worker.histories = <Histories*>calloc(1, sizeof(Histories))
        worker.evaluator.pawns = <PawnEntry*>calloc(PAWN_CACHE, sizeof(PawnEntry))
        if worker.histories == NULL or worker.evaluator.pawns == NULL:
            raise MemoryError

    def __dealloc__(self):
        if self._worker != NULL:
            free(self._worker.histories)
            free(self._worker.evaluator.pawns)
            free(self._worker.game_keys)
            free(self._worker)

    def clear(self):
        """Forget what earlier searches found out about moves; the table has its own clear()."""
        memset(self._worker.histories, 0, sizeof(Histories))

    def begin(self, PackedPosition root not None, list history not None, int64_t node_limit, int64_t deadline_ns):
        """Set the root, the game's positions before it (oldest first) and the limits of all iterations to come.

        `deadline_ns` is on time.monotonic_ns()'s clock, 0 for none.
        """
        cdef Worker* worker = self._worker
        cdef Place place
        cdef int i
        cdef int count = <int>len(history)
        free(worker.game_keys)
        worker.game_count = 0
        worker.game_keys = <uint64_t*>malloc((count + 1) * sizeof(uint64_t))
        if worker.game_keys == NULL:
            raise MemoryError
        for i in range(count):
            set_place(&place, &(<PackedPosition?>history[i]).c)
            worker.game_keys[i] = place.key
        worker.game_count = count
        set_place(&worker.frames[0].place, &root.c)
        worker.nodes = 0
        worker.node_limit = node_limit
        worker.deadline_ns = deadline_ns
        worker.stopped = False
        worker.current_number = 0
        _set_flag(&worker.stop, 0)

    def iterate(self, int depth, excluded=(), str first=""):
        """Search the root `depth` plies deep and give its value for the side to move.

        Moves that are `excluded`, by UCI name, are left out; at least one must be left. `first` is searched first.
        If the search was stopped before the end, None; line() is then the best that it had found, if anything.
        """
        cdef Worker* worker = self._worker
        cdef const Position* root = &worker.frames[0].place.position
        cdef int value
        if not 1 <= depth <= MAX_PLY - 20:
            raise ValueError(f"expected a depth from 1 to {MAX_PLY - 20}, got {depth}")
        if len(excluded) > MAX_MOVES:
            raise ValueError(f"expected at most {MAX_MOVES} moves to leave out, got {len(excluded)}")
        worker.excluded_count = 0
        for name in excluded:
            worker.excluded[worker.excluded_count] = _stored_name(root, name)
            worker.excluded_count += 1
        worker.first = _stored_name(root, first) if first else 0
        worker.deepest = 0
        with nogil:
            value = _search(self._worker, 0, -_INFINITE, _INFINITE, depth, False)
        return None if self._worker.stopped else value

    def stop(self):
        """Make a running iteration, in another thread, end as soon as it hears of it."""
        _set_flag(&self._worker.stop, 1)

    @property
    def stopped(self):
        """Whether a limit or stop() has ended the search that begin() set up."""
        return bool(self._worker.stopped)

    @property
    def nodes(self):
        """How many moves were played since begin()."""
        return self._worker.nodes

    @property
    def deepest(self):
        """The deepest ply of the last iteration."""
        return self._worker.deepest

    @property
    def current(self):
        """The root's move that is being searched, by its UCI name, and its number; any thread may ask."""
        cdef Move move = self._worker.current
        return uci_name(&self._worker.frames[0].place.position, move), self._worker.current_number

    def line(self):
        """The best line from the root, by UCI names."""
        cdef Place[2] places
        cdef int i
        names = []
        places[0] = self._worker.frames[0].place
        for i in range(self._worker.lengths[0]):
            names.append(uci_name(&places[i & 1].position, self._worker.lines[0][i]))
            play(&places[i & 1], self._worker.lines[0][i], &places[i + 1 & 1])
        return names
