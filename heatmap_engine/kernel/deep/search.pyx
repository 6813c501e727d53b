"""The deep search: principal variations first, and selective.

`docs/design/deep-search.md` says what each technique has gained, `benchmarks/records/deep-trials.md` what else was tried.
Values are for the side to move, in units of the weights; a mate is MATE less the plies to it. A draw by
repetition is seen once inside the tree, and after two earlier occurrences if those lie in the game.
"""

from libc.math cimport log
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF

from heatmap_engine.kernel.board.attacks cimport bishop_attacks, knight_table, rook_attacks
from heatmap_engine.kernel.board.bits cimport FILE_A, FILE_H, Bitboard, Square, bit, lowest
from heatmap_engine.kernel.board.moves cimport MoveSets, attackers_of_king, count_moves, find_moves, list_moves
from heatmap_engine.kernel.board.packed cimport PackedPosition
from heatmap_engine.kernel.board.position cimport (
    BISHOP, KING, KNIGHT, MAX_MOVES, PAWN, QUEEN, ROOK, Move, Position,
    from_square, is_capture, moved_piece, promotion, to_square, uci_name,
)
from heatmap_engine.kernel.board.rules cimport FIFTY_MOVES_CLOCK, has_insufficient_material
from heatmap_engine.kernel.deep.atomic cimport load_flag, store_flag
from heatmap_engine.kernel.deep.constants cimport Constants
from heatmap_engine.kernel.deep.corrections cimport CorrectionNumbers, correction, find_corrections, learn_correction
from heatmap_engine.kernel.deep.evaluation cimport Evaluator, HeatWeights, close_evaluator, evaluate, open_evaluator
from heatmap_engine.kernel.deep.exchange cimport wins_exchange
from heatmap_engine.kernel.deep.in_search cimport IN_SEARCH_DEPTH, InSearch, enter_search, is_in_search, leave_search
from heatmap_engine.kernel.deep.keyed_position cimport (
    KeyedPosition, key_after, make_keyed_move, make_keyed_null_move, set_keyed_position,
)
from heatmap_engine.kernel.deep.ordering cimport (
    CAPTURES, LOSING_CAPTURES, Histories, MoveHistories, Picker,
    find_stored, from_to, history_of, next_move, piece_square, reward, start_picking, victim_of,
)
from heatmap_engine.kernel.deep.transpositions cimport (
    EXACT, LOWER_BOUND, NO_BOUND, NO_VALUE, UPPER_BOUND, TableEntry, TranspositionTable, Transpositions,
    prefetch, probe, store, stored_move,
)

cdef enum:
    MAX_PLY = 120
    _DEEPEST_ITERATION = MAX_PLY - 20   # checks that are answered and extensions go beyond it
    _FRAMES = MAX_PLY + 4               # a ply clears what the next one remembers
    _LINES = MAX_PLY + 2
    _MOST_TRIED = 64                    # moves of a node whose histories are lowered when another one refutes
    _MOST_PUT_OFF = 16                  # moves of a node that wait for another thread

    MATE = 31000
    _MATE_BOUND = MATE - 2 * MAX_PLY    # values beyond are mates
    _INFINITE = 32000

    _NODES_BETWEEN_CHECKS = 1024        # of the clock and of what other threads say: some 0.5 ms
    _NODES_BETWEEN_SIGNALS = 1 << 17    # a multiple of those: Ctrl-C is heard after some 50 ms

# What follows is tuned as well, by the matches in benchmarks/records/deep-trials.md. What can be varied by small
# steps, and is tuned all together, is in constants.pxd.

cdef enum:
    # Depths, in plies.
    _ASPIRATION_FROM = 5                # shallower iterations have a full window
    _REDUCTIONS_FROM = 3
    _UNREMEMBERED_FROM = 4
    _SINGULAR_SHALLOWER = 3             # the table's entry may be so much shallower than the node

    # How much less deep, in plies.
    _NULL_MOVE_MOST_STEPS = 3           # at most so many for steps above beta
    _LEAST_REDUCED = 1                  # what a reduction leaves at least

    # Numbers of moves.
    _UNREDUCED = 1                      # moves of a node that are never reduced; one more in a principal variation
    _MOST_DOUBLE = 6                    # of a line that are searched two plies deeper
    _UNREDUCED_CAPTURES = 3             # the same before losing captures

    # Half moves without a capture or pawn move, from which on the table, which does not know them, is not asked.
    _TABLE_CLOCK = 90

    _ASPIRATION_GROWTH = 2              # the window's width is multiplied by this where the search fails

# How hard moves are to see for a player who is held back; 1,024 is as hard as can be.
cdef enum:
    _ALWAYS = 1024
    _HIDDEN_PLAN = 1000                 # an own quiet move later on
    _HIDDEN_DEFENCE = 120               # a quiet reply; who overlooks these hopes for too much
    _HIDDEN_CHECK = 700
    _HIDDEN_CAPTURE = 700
    _HIDDEN_ANSWER = 300                # to take the piece that has just moved is what everybody sees first
    _HIDDEN_BACKWARD = 200              # moves back and long moves are seen less
    _HIDDEN_SQUARE = 40                 # ... for each square beyond the second
    _HIDDEN_PLY = 200                   # and so is all that lies farther ahead, for each ply
    _HIDDEN_PLIES = 4                   # ... up to this one

cdef enum:
    _PLY = 256                          # reductions count in parts of a ply, as constants.pxd has them
    _HUNDRED = 100                      # of what counts in hundredths or percent there
    _REDUCTION_ROWS = 64                # greater depths and numbers of moves count as the last row

    # The techniques, which may be switched off to measure what they gain.
    _HASH = 1 << 0                      # values from the transposition table
    _REMEMBERED = 1 << 1                # ... also instead of the evaluation, where they say more
    _NULL_MOVE = 1 << 2
    _REVERSE_FUTILITY = 1 << 3
    _FUTILITY = 1 << 4                  # late quiet moves that cannot reach alpha are pruned
    _LATE_MOVE_PRUNING = 1 << 5         # quiet moves after many others are pruned
    _EXCHANGES = 1 << 6                 # moves that lose material are pruned
    _REDUCTIONS = 1 << 7                # late moves are searched less deep at first
    _SINGULAR = 1 << 8                  # the only good move is searched deeper
    _CORRECTION = 1 << 9                # the evaluation is corrected by what searches found it to be off
    _BAD_HISTORIES = 1 << 10            # quiet moves with bad histories are pruned
    _OLDER_MOVES = 1 << 11              # histories also by the move four plies back
    _SURPRISES = 1 << 12                # what surprised in a reduced search is searched deeper, or less deep
    _UNREMEMBERED = 1 << 13             # where the table has no move the depth is less
    _MULTI_CUT = 1 << 14                # two moves that are good enough refute at once
    _DOUBLY_SINGULAR = 1 << 15          # a move that is the only good one by far is searched two plies deeper
    _EVERYTHING = (1 << 16) - 1

MAX_DEPTH = _DEEPEST_ITERATION
MATE_VALUE = MATE
TECHNIQUES = {
    "hash": _HASH, "remembered": _REMEMBERED, "null move": _NULL_MOVE, "reverse futility": _REVERSE_FUTILITY,
    "futility": _FUTILITY, "late moves": _LATE_MOVE_PRUNING, "exchanges": _EXCHANGES, "reductions": _REDUCTIONS,
    "singular": _SINGULAR, "correction": _CORRECTION,
    "bad histories": _BAD_HISTORIES, "older moves": _OLDER_MOVES, "surprises": _SURPRISES,
    "unremembered": _UNREMEMBERED, "multi-cut": _MULTI_CUT, "doubly singular": _DOUBLY_SINGULAR,
}

cdef extern from *:
    """
    #include <time.h>
    static inline int64_t heatmap_now_ns(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    }
    """
    int64_t _now_ns "heatmap_now_ns"() noexcept nogil


cdef struct Frame:
    # One ply of the line that is being searched.
    KeyedPosition keyed
    MoveSets sets
    Move move          # the move that is being searched from here; 0 for a null move
    Move excluded      # left out, to see whether it is the only good one
    Move[2] killers
    int evaluation     # NO_VALUE in check
    int raw            # the evaluation before it was corrected
    int doubled        # double extensions of the line that leads here


cdef struct Worker:
    # All that one thread needs; the table is shared.
    Frame[_FRAMES] frames
    Move[_LINES][_LINES] lines             # the best line from each ply
    int[_LINES] lengths
    int line_value                         # of the root's best line
    Histories* histories
    Transpositions* table
    InSearch* in_search                    # what all threads are searching; NULL where there is one thread
    Evaluator evaluator
    int[6] worth
    int techniques
    Constants constants
    int[_REDUCTION_ROWS][_REDUCTION_ROWS] reductions  # [depth][moves tried], in parts of a ply
    int64_t nodes
    int64_t node_limit
    int64_t deadline_ns                    # 0 for none
    int stop                               # set by another thread
    int overtaken                          # set by another thread: it has finished all depths up to this
    int depth                              # of the iteration that is running
    bint stopped
    bint is_beaten                         # stopped because overtaken
    PyObject* raised                       # what a signal's handler raised, which stopped it, or NULL
    int deepest                            # ply reached in this iteration
    uint64_t* game_keys                    # of the game's positions before the root, the oldest first
    int game_count
    Move[MAX_MOVES] excluded               # moves of the root that are not searched, as slots hold them
    int excluded_count
    Move[MAX_MOVES] favoured               # moves of the root that results speak for or against, as slots hold them
    int[MAX_MOVES] favour                  # how much better they seem for that
    int favoured_count
    Move first                             # the root's move to begin with, 0 for the table's
    Move current                           # the root's move that is being searched, and its number
    int current_number
    int oversight                          # how often a player who is held back overlooks what is hard to see, of _ALWAYS
    uint64_t blind_spots                   # which moves these are


cdef struct Child:
    # A move of a node, and how it is to be searched.
    Move move
    int number       # among the moves of its node, from 1
    int depth
    int reduction    # plies less at first


cdef struct Node:
    # What is asked of a position, and what its moves have come to so far.
    int alpha
    int beta
    int asked_alpha                  # alpha before it rose
    int depth
    bint pv                          # the exact value is wanted, and the line that leads to it
    bint cut_node                    # beta is expected to be reached
    bint in_check
    bint improving                   # the evaluation is better than at the mover's last turn
    bint known                       # the table has it
    bint is_multi_cut                # `best` is a bound that a singular search found
    TableEntry entry
    Picker picker
    int best
    Move best_move
    int count                        # moves so far, with those left out
    int quiets
    int tried_count
    Move[_MOST_TRIED] tried          # moves that were searched and were not good enough
    int put_off_count
    int resumed                      # how many of those put off have been taken up again
    Child[_MOST_PUT_OFF] put_off     # later moves that another thread is searching


cdef void _fill_reductions(Worker* worker) noexcept nogil:
    cdef double base = worker.constants.reduction_base / <double>_HUNDRED
    cdef double divisor = worker.constants.reduction_divisor / <double>_HUNDRED
    cdef int depth, count
    for depth in range(1, _REDUCTION_ROWS):
        for count in range(1, _REDUCTION_ROWS):
            worker.reductions[depth][count] = <int>(_PLY * (base + log(depth) * log(count) / divisor))


cdef inline int _late_reduction(const Worker* worker, int depth, int count) noexcept nogil:
    """Parts of a ply less for a move after so many others, before what else is known of it is asked."""
    return worker.reductions[min(depth, _REDUCTION_ROWS - 1)][min(count, _REDUCTION_ROWS - 1)]


cdef inline bint _on(const Worker* worker, int technique) noexcept nogil:
    return worker.techniques & technique != 0


cdef void _hear_signals(Worker* worker) noexcept with gil:
    """Let Ctrl-C stop the search of the main thread; what its handler raises is raised when that has ended."""
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        Py_INCREF(error)
        worker.raised = <PyObject*>error
        worker.stopped = True


cdef inline bint _must_stop(Worker* worker) noexcept nogil:
    """Count a node and say whether it is one too many."""
    worker.nodes += 1
    if worker.nodes >= worker.node_limit:
        worker.stopped = True
    elif worker.nodes % _NODES_BETWEEN_CHECKS == 0:
        if worker.nodes % _NODES_BETWEEN_SIGNALS == 0:
            _hear_signals(worker)
        if load_flag(&worker.stop) or worker.deadline_ns and _now_ns() >= worker.deadline_ns:
            worker.stopped = True
        elif load_flag(&worker.overtaken) >= worker.depth:
            worker.stopped = worker.is_beaten = True
    return worker.stopped


cdef bint _is_repeated(const Worker* worker, int ply) noexcept nogil:
    """Whether the position occurred before in the tree, or twice in the game."""
    cdef const KeyedPosition* keyed = &worker.frames[ply].keyed
    cdef int earlier = ply - 4  # no position comes back sooner, nor with the other side to move
    cdef int first = ply - keyed.reversible
    cdef int in_game = 0
    while earlier >= first:
        if earlier >= 0:
            if worker.frames[earlier].keyed.key == keyed.key:
                return True
        elif worker.game_count + earlier < 0:
            return False
        elif worker.game_keys[worker.game_count + earlier] == keyed.key:
            in_game += 1
            if in_game == 2:
                return True
        earlier -= 2
    return False


cdef inline bint _is_drawn(const Worker* worker, int ply) noexcept nogil:
    """Whether the game is drawn here by repetition or insufficient material; fifty moves need to know of a mate."""
    return _is_repeated(worker, ply) or has_insufficient_material(&worker.frames[ply].keyed.position)


cdef inline int _value_to_store(int value, int ply) noexcept nogil:
    """A mate counted from here instead of from the root."""
    if value >= _MATE_BOUND:
        return value + ply
    return value - ply if value <= -_MATE_BOUND else value


cdef inline int _value_at_ply(int value, int ply) noexcept nogil:
    if value >= _MATE_BOUND:
        return value - ply
    return value + ply if value <= -_MATE_BOUND else value


cdef inline bint _settles(const Worker* worker, int ply, const TableEntry* entry, int depth, int value, int alpha,
                          int beta) noexcept nogil:
    """Whether the table's entry answers the question, so that nothing need be searched."""
    if not _on(worker, _HASH) or entry.depth < depth or worker.frames[ply].keyed.position.clock >= _TABLE_CLOCK:
        return False
    return (entry.bound == EXACT or entry.bound == LOWER_BOUND and value >= beta
            or entry.bound == UPPER_BOUND and value <= alpha)


cdef inline int _below_mates(int value) noexcept nogil:
    """The value, if it is no mate, or the one next to it that is none."""
    return max(-_MATE_BOUND + 1, min(_MATE_BOUND - 1, value))


cdef inline CorrectionNumbers _corrections(Worker* worker, int ply) noexcept nogil:
    """The numbers that correct the evaluation at a ply; no move counts as that of a pawn to the first rank."""
    cdef Move reply = worker.frames[ply - 1].move if ply >= 1 else 0
    cdef Move own_move = worker.frames[ply - 2].move if ply >= 2 else 0
    return find_corrections(&worker.histories.corrections, &worker.frames[ply].keyed, piece_square(own_move),
                            piece_square(reply))


cdef inline void _evaluate(Worker* worker, int ply, int remembered) noexcept nogil:
    """Evaluate as the weights have it, or as the table remembers that if not NO_VALUE, and correct it."""
    cdef Frame* frame = &worker.frames[ply]
    cdef CorrectionNumbers numbers
    frame.raw = remembered
    if frame.raw == NO_VALUE:
        frame.raw = _below_mates(evaluate(&worker.evaluator, &frame.keyed, &frame.sets))
    frame.evaluation = frame.raw
    if _on(worker, _CORRECTION):
        numbers = _corrections(worker, ply)
        frame.evaluation = _below_mates(frame.raw + correction(&numbers))


cdef inline void _prepare(Worker* worker, Picker* picker, int ply) noexcept nogil:
    """Fill in what a picker must know at a ply; a line begins with two frames that hold no move."""
    cdef Frame* frame = &worker.frames[ply]
    cdef int before
    picker.position = &frame.keyed.position
    picker.sets = &frame.sets
    picker.histories = worker.histories
    picker.worth = worker.worth
    picker.killers[0] = frame.killers[0]
    picker.killers[1] = frame.killers[1]
    picker.killers[2] = 0
    picker.reply_history = NULL
    picker.plan_history = NULL
    picker.older_history = NULL
    if ply >= 1 and worker.frames[ply - 1].move:
        before = piece_square(worker.frames[ply - 1].move)
        picker.reply_history = worker.histories.continuations[0][before]
        picker.killers[2] = worker.histories.counter_moves[frame.keyed.position.black][before]
    if ply >= 2 and worker.frames[ply - 2].move:
        picker.plan_history = worker.histories.continuations[1][piece_square(worker.frames[ply - 2].move)]
    if ply >= 4 and worker.frames[ply - 4].move and _on(worker, _OLDER_MOVES):
        picker.older_history = worker.histories.continuations[1][piece_square(worker.frames[ply - 4].move)]


cdef inline bint _is_quiet(const Position* position, Move move) noexcept nogil:
    return not is_capture(position, move) and not promotion(move)


cdef inline int _bonus(const Worker* worker, int depth) noexcept nogil:
    return min(worker.constants.most_history_bonus, worker.constants.history_bonus * depth)


cdef inline void _reward_continuations(Worker* worker, int ply, Move move, int bonus) noexcept nogil:
    cdef Histories* histories = worker.histories
    if ply >= 1 and worker.frames[ply - 1].move:
        reward(&histories.continuations[0][piece_square(worker.frames[ply - 1].move)][piece_square(move)], bonus)
    if ply >= 2 and worker.frames[ply - 2].move:
        reward(&histories.continuations[1][piece_square(worker.frames[ply - 2].move)][piece_square(move)], bonus)
    if ply >= 4 and worker.frames[ply - 4].move and _on(worker, _OLDER_MOVES):
        reward(&histories.continuations[1][piece_square(worker.frames[ply - 4].move)][piece_square(move)], bonus)


cdef inline void _reward_quiet(Worker* worker, int ply, Move move, int bonus) noexcept nogil:
    reward(&worker.histories.quiet[worker.frames[ply].keyed.position.black][from_to(move)], bonus)
    _reward_continuations(worker, ply, move, bonus)


cdef inline void _reward_capture(Worker* worker, const Position* position, Move move, int bonus) noexcept nogil:
    reward(&worker.histories.captures[moved_piece(move)][to_square(move)][victim_of(position, move)], bonus)


cdef void _reward_refutation(Worker* worker, int ply, const Node* node) noexcept nogil:
    """Remember that the best move was good enough, and that those tried before it were not."""
    cdef Frame* frame = &worker.frames[ply]
    cdef const Position* position = &frame.keyed.position
    cdef Move best = node.best_move
    cdef int bonus = _bonus(worker, node.depth)
    cdef bint quiet = _is_quiet(position, best)
    cdef int i
    if quiet:
        if frame.killers[0] != best:
            frame.killers[1] = frame.killers[0]
            frame.killers[0] = best
        if ply >= 1 and worker.frames[ply - 1].move:
            worker.histories.counter_moves[position.black][piece_square(worker.frames[ply - 1].move)] = best
        _reward_quiet(worker, ply, best, bonus)
    else:
        _reward_capture(worker, position, best, bonus)
    for i in range(node.tried_count):
        if not _is_quiet(position, node.tried[i]):
            _reward_capture(worker, position, node.tried[i], -bonus)
        elif quiet:
            _reward_quiet(worker, ply, node.tried[i], -bonus)


cdef inline void _descend(Worker* worker, int ply, Move move) noexcept nogil:
    """Play a move to the next ply's frame."""
    cdef Frame* frame = &worker.frames[ply]
    frame.move = move
    worker.frames[ply + 1].doubled = frame.doubled
    make_keyed_move(&frame.keyed, move, &worker.frames[ply + 1].keyed)
    prefetch(worker.table, worker.frames[ply + 1].keyed.key)


cdef inline void _set_line(Worker* worker, int ply, Move move) noexcept nogil:
    """The best line from here is `move` and the best line after it."""
    worker.lines[ply][0] = move
    memcpy(&worker.lines[ply][1], worker.lines[ply + 1], worker.lengths[ply + 1] * sizeof(Move))
    worker.lengths[ply] = worker.lengths[ply + 1] + 1


cdef inline void _store(Worker* worker, int ply, Move best_move, int best, int raw, int depth, int alpha,
                       int beta) noexcept nogil:
    """Put what a node came to into the table; the window is the one it was asked with."""
    cdef TableEntry entry
    entry.move = stored_move(best_move)
    entry.value = _value_to_store(best, ply)
    entry.evaluation = raw
    entry.depth = depth
    entry.bound = LOWER_BOUND if best >= beta else EXACT if best > alpha else UPPER_BOUND
    store(worker.table, worker.frames[ply].keyed.key, &entry)


cdef inline int _best_guess(const TableEntry* entry, int evaluation, int ply) noexcept nogil:
    """The evaluation, or the table's value where that says more."""
    cdef int value = _value_at_ply(entry.value, ply)
    if entry.bound == NO_BOUND or not -_MATE_BOUND < value < _MATE_BOUND:
        return evaluation
    if entry.bound == EXACT or (value > evaluation) == (entry.bound == LOWER_BOUND):
        return value
    return evaluation


cdef inline bint _is_excluded(const Worker* worker, Move move) noexcept nogil:
    """Whether this move of the root is not to be searched."""
    cdef int i
    for i in range(worker.excluded_count):
        if worker.excluded[i] == stored_move(move):
            return True
    return False


cdef inline int _favour(const Worker* worker, int ply, Move move) noexcept nogil:
    """How much better a move of the root seems than its search says."""
    cdef int i
    for i in range(worker.favoured_count if ply == 0 else 0):
        if worker.favoured[i] == stored_move(move):
            return worker.favour[i]
    return 0


cdef inline bint _gives_check(const Position* position, Move move) noexcept nogil:
    """Whether the moved piece itself gives check from where it lands."""
    cdef Square king = lowest(position.pieces[KING] & position.their)
    cdef Bitboard target = bit(to_square(move))
    cdef Bitboard occupied = position.own | position.their
    cdef int piece = moved_piece(move)
    if piece == PAWN:
        return _pawns_checking(king) & target != 0
    if piece == KNIGHT:
        return knight_table[king] & target != 0
    if (piece == BISHOP or piece == QUEEN) and bishop_attacks(king, occupied) & target:
        return True
    return (piece == ROOK or piece == QUEEN) and rook_attacks(king, occupied) & target != 0


cdef inline Bitboard _pawns_checking(Square king) noexcept nogil:
    return (bit(king) & ~FILE_H) >> 7 | (bit(king) & ~FILE_A) >> 9


cdef void _want_only_checks(Picker* picker) noexcept nogil:
    """Of the quiet moves left, have only those handed out that give check, as _gives_check has it."""
    cdef const Position* position = picker.position
    cdef Square king = lowest(position.pieces[KING] & position.their)
    cdef Bitboard occupied = position.own | position.their
    picker.only_checks = True
    picker.checking[PAWN] = _pawns_checking(king)
    picker.checking[KNIGHT] = knight_table[king]
    picker.checking[BISHOP] = bishop_attacks(king, occupied)
    picker.checking[ROOK] = rook_attacks(king, occupied)
    picker.checking[QUEEN] = picker.checking[BISHOP] | picker.checking[ROOK]
    picker.checking[KING] = 0


cdef int _hidden(const Worker* worker, int ply, Move move) noexcept nogil:
    """How hard a move is to see, of _ALWAYS and more."""
    cdef const Position* position = &worker.frames[ply].keyed.position
    cdef int origin = from_square(move)
    cdef int target = to_square(move)
    cdef int ranks = (target >> 3) - (origin >> 3)
    cdef int files = (target & 7) - (origin & 7)
    cdef int length = max(ranks if ranks > 0 else -ranks, files if files > 0 else -files)
    cdef int hidden = _HIDDEN_DEFENCE if ply & 1 else _HIDDEN_PLAN
    if is_capture(position, move):
        hidden = _HIDDEN_CAPTURE
        if worker.frames[ply - 1].move and target == to_square(worker.frames[ply - 1].move) ^ 56:
            return _HIDDEN_ANSWER
    elif _gives_check(position, move):
        hidden = _HIDDEN_CHECK
    hidden += (_HIDDEN_BACKWARD if ranks < 0 else 0) + _HIDDEN_SQUARE * max(length - 2, 0)
    return hidden * (_ALWAYS + _HIDDEN_PLY * (min(ply, _HIDDEN_PLIES) - 1)) / _ALWAYS


cdef inline bint _is_overlooked(const Worker* worker, int ply, bint in_check, Move move) noexcept nogil:
    """Whether a player who is held back does not see a move: the same one then stays unseen in the whole search.

    The root's moves, those of kings and answers to checks are seen, and who is not held back sees all.
    """
    cdef uint64_t dice
    if worker.oversight == 0 or ply == 0 or in_check or moved_piece(move) == KING:
        return False
    dice = (worker.blind_spots + (move << 1 | worker.frames[ply].keyed.position.black)) * <uint64_t>0x9E3779B97F4A7C15ULL
    dice = (dice ^ dice >> 31) * <uint64_t>0xBF58476D1CE4E5B9ULL
    return <int>(dice >> 54) < worker.oversight * _hidden(worker, ply, move) / _ALWAYS


cdef inline bint _stands_pat(Worker* worker, int ply, Node* node) noexcept nogil:
    """Find the moves and evaluate; whether the value, `node.best`, is known without playing one.

    The table, which knows one such position in thirteen, is asked last: its memory takes longer to come than the
    evaluation takes, so that this costs nothing.
    """
    cdef Frame* frame = &worker.frames[ply]
    worker.lengths[ply] = 0
    worker.deepest = max(worker.deepest, ply)
    node.best = 0
    if _is_drawn(worker, ply):
        return True
    find_moves(&frame.keyed.position, &frame.sets)
    node.in_check = frame.sets.checkers != 0
    if not node.in_check:
        _evaluate(worker, ply, NO_VALUE)
    if probe(worker.table, frame.keyed.key, &node.entry) and not node.pv:
        node.best = _value_at_ply(node.entry.value, ply)
        if _settles(worker, ply, &node.entry, 0, node.best, node.alpha, node.beta):
            return True
    node.best = 0
    if frame.keyed.position.clock >= FIFTY_MOVES_CLOCK and (not node.in_check or count_moves(&frame.sets)):
        return True
    if node.in_check:
        frame.evaluation = frame.raw = NO_VALUE
        if ply < MAX_PLY:
            node.best = -MATE + ply
        return ply >= MAX_PLY
    node.best = frame.evaluation
    if _on(worker, _REMEMBERED):
        node.best = _best_guess(&node.entry, node.best, ply)
    node.alpha = max(node.alpha, node.best)
    return node.best >= node.beta or ply >= MAX_PLY


cdef inline void _begin_captures(Worker* worker, int ply, Node* node) noexcept nogil:
    """Get ready to hand out the captures and promotions, or in check all moves."""
    cdef Frame* frame = &worker.frames[ply]
    cdef Picker* picker = &node.picker
    node.best_move = 0
    _prepare(worker, picker, ply)
    start_picking(picker, find_stored(&frame.keyed.position, &frame.sets, node.entry.move))
    if not node.in_check:
        picker.skip_quiets = True
        if picker.first and _is_quiet(&frame.keyed.position, picker.first):
            picker.first = 0


cdef inline Move _next_capture(Worker* worker, int ply, Node* node) noexcept nogil:
    """The next of these moves, or 0; out of check, none that loses material."""
    cdef Picker* picker = &node.picker
    cdef Move move = next_move(picker)
    if node.in_check or not _on(worker, _EXCHANGES):
        return move
    if move and move == picker.first and not wins_exchange(picker.position, move, 0, worker.worth):
        move = next_move(picker)
    return 0 if picker.stage == LOSING_CAPTURES else move


cdef int _quiesce(Worker* worker, int ply, int alpha, int beta) noexcept nogil:
    """The value once captures and promotions have been played out, and checks have been answered."""
    cdef Node node
    cdef Move move
    cdef int value
    node.alpha = node.asked_alpha = alpha
    node.beta = beta
    node.pv = beta - alpha > 1
    if _stands_pat(worker, ply, &node):
        return node.best
    _begin_captures(worker, ply, &node)
    while True:
        move = _next_capture(worker, ply, &node)
        if move == 0:
            break
        if _is_overlooked(worker, ply, node.in_check, move):
            continue
        if _must_stop(worker):
            return 0
        _descend(worker, ply, move)
        value = -_quiesce(worker, ply + 1, -beta, -node.alpha)
        if worker.stopped:
            return 0
        if value > node.best:
            node.best = value
            if value > node.alpha:
                node.best_move = move
                node.alpha = value
                if node.pv:
                    _set_line(worker, ply, move)
                if value >= beta:
                    break
    _store(worker, ply, node.best_move, node.best, worker.frames[ply].raw, 0, alpha, beta)
    return node.best


cdef inline bint _has_non_pawn_material(const Position* position) noexcept nogil:
    return position.own & ~(position.pieces[PAWN] | position.pieces[KING]) != 0


cdef int _try_null_move(Worker* worker, int ply, int beta, int depth, bint cut_node, int guess) noexcept nogil:
    """The value if the turn is passed and the rest searched less deep; who is still ahead then, is far ahead."""
    cdef Frame* frame = &worker.frames[ply]
    cdef const Constants* constants = &worker.constants
    cdef int reduction = ((constants.null_move_reduction + constants.null_move_reduction_by_depth * depth) / _PLY
                          + min((guess - beta) / constants.null_move_step, _NULL_MOVE_MOST_STEPS))
    cdef int value
    if _must_stop(worker):
        return 0
    frame.move = 0
    worker.frames[ply + 1].doubled = frame.doubled
    make_keyed_null_move(&frame.keyed, &worker.frames[ply + 1].keyed)
    prefetch(worker.table, worker.frames[ply + 1].keyed.key)
    value = -_search(worker, ply + 1, -beta, -beta + 1, depth - reduction, not cut_node)
    return beta if value >= _MATE_BOUND else value


cdef int _cut_early(Worker* worker, int ply, const Node* node) noexcept nogil:
    """A value of beta and more if none of the moves need be looked at, or less."""
    cdef Frame* frame = &worker.frames[ply]
    cdef int beta = node.beta
    cdef int depth = node.depth
    cdef int guess = _best_guess(&node.entry, frame.evaluation, ply) if _on(worker, _REMEMBERED) else frame.evaluation
    if guess < beta:
        return guess
    if (_on(worker, _REVERSE_FUTILITY) and depth <= worker.constants.reverse_futility_to
            and guess - worker.constants.reverse_futility_margin * (depth - node.improving) >= beta):
        return (guess + beta) / 2
    if (_on(worker, _NULL_MOVE) and depth >= worker.constants.null_move_from and worker.frames[ply - 1].move
            and _has_non_pawn_material(&frame.keyed.position)):
        return _try_null_move(worker, ply, beta, depth, node.cut_node, guess)
    return beta - 1


cdef inline int _reduction(Worker* worker, int ply, const Node* node, Move move, bint quiet) noexcept nogil:
    """How many plies less deep a late move, which has been played, is searched at first."""
    cdef const Constants* constants = &worker.constants
    cdef int reduction  # in parts of a ply
    cdef bint checks, is_tactical  # the move, and the table's
    if not _on(worker, _REDUCTIONS) or node.depth < _REDUCTIONS_FROM or node.count <= _UNREDUCED + node.pv:
        return 0
    checks = attackers_of_king(&worker.frames[ply + 1].keyed.position, True) != 0
    reduction = _late_reduction(worker, node.depth, node.count) - constants.in_check_reduction * node.in_check
    if quiet:
        is_tactical = node.picker.first and not _is_quiet(&worker.frames[ply].keyed.position, node.picker.first)
        reduction += (constants.cut_node_reduction * node.cut_node
                      + constants.not_improving_reduction * (not node.improving and not node.in_check)
                      + constants.tactical_reduction * is_tactical
                      - constants.principal_reduction * node.pv - constants.checking_reduction * checks)
        reduction -= _PLY * history_of(&node.picker, move) / constants.history_of_a_ply
    elif node.picker.stage == LOSING_CAPTURES and not checks and node.count > _UNREDUCED_CAPTURES + node.pv:
        reduction = reduction * constants.losing_capture_share / _HUNDRED + constants.cut_node_reduction * node.cut_node
    else:
        return 0
    reduction -= constants.exact_reduction * (node.entry.bound == EXACT)
    return max(0, min((reduction + _PLY / 2) / _PLY, node.depth - 1 - _LEAST_REDUCED))


cdef inline int _most_quiets(const Worker* worker, int depth, bint improving) noexcept nogil:
    """After how many quiet moves the late ones begin, which are pruned."""
    cdef const Constants* constants = &worker.constants
    cdef int hundredths = constants.late_moves_base + constants.late_moves_by_depth * depth * depth
    return hundredths * (_HUNDRED if improving else constants.late_moves_not_improving) / (_HUNDRED * _HUNDRED)


cdef inline bint _is_pruned(Worker* worker, int ply, Node* node, Move move, bint quiet) noexcept nogil:
    """Whether a move promises too little to be searched at all; for a quiet one, so may all after it."""
    cdef const Frame* frame = &worker.frames[ply]
    cdef const Position* position = &frame.keyed.position
    cdef const Constants* constants = &worker.constants
    cdef int depth = node.depth
    cdef int reduction, shallow
    if node.best <= -_MATE_BOUND or node.alpha >= _MATE_BOUND:
        return False  # a mate that is known is no reason to overlook a shorter one
    if ply == 0 or not _has_non_pawn_material(position):
        return False
    reduction = _late_reduction(worker, depth, node.count) + constants.pruning_reduction
    shallow = max(0, depth - 1 - reduction / _PLY + node.improving)
    if quiet and frame.evaluation != NO_VALUE:
        if (_on(worker, _FUTILITY) and shallow <= constants.futility_to
                and frame.evaluation + constants.futility_margin * (1 + shallow) <= node.alpha
                or _on(worker, _LATE_MOVE_PRUNING) and depth <= constants.late_moves_to
                and node.quiets >= _most_quiets(worker, depth, node.improving)):
            if not node.picker.only_checks:
                _want_only_checks(&node.picker)  # all others that follow would be pruned as well
            return not _gives_check(position, move)
        if (_on(worker, _BAD_HISTORIES) and shallow <= constants.bad_histories_to
                and history_of(&node.picker, move) < -constants.bad_history * (1 + shallow)
                and not _gives_check(position, move)):
            return True  # of what follows nothing is known: a killer, which comes early, may have such a history
    if not _on(worker, _EXCHANGES) or depth > constants.exchanges_to or node.picker.stage == CAPTURES:
        return False  # captures of that stage win
    return not wins_exchange(position, move, -constants.quiet_exchange_margin * shallow if quiet
                             else -constants.capture_exchange_margin * depth, worker.worth)


cdef int _extension(Worker* worker, int ply, Node* node, Move move) noexcept nogil:
    """Plies more for the table's move if it is the only good one, by a search of all others; less if it is not.

    If that search finds another one that is good enough, `node.is_multi_cut`.
    """
    cdef Frame* frame = &worker.frames[ply]
    cdef const TableEntry* entry = &node.entry
    cdef const Constants* constants = &worker.constants
    cdef int target = entry.value - constants.singular_margin * node.depth / _HUNDRED
    cdef int depth, value
    if not _on(worker, _SINGULAR) or not node.known or move != node.picker.first or ply == 0:
        return 0
    if node.depth < constants.singular_from:
        return 0
    if frame.excluded or entry.depth < node.depth - _SINGULAR_SHALLOWER or not entry.bound & LOWER_BOUND:
        return 0
    if not -_MATE_BOUND < entry.value < _MATE_BOUND:
        return 0
    frame.excluded = move
    # At depth 0 quiescence would answer, which does not know of moves that are left out.
    depth = max(1, (node.depth - 1) * constants.singular_share / _HUNDRED)
    value = _search(worker, ply, target - 1, target, depth, node.cut_node)
    frame.excluded = 0
    if value < target:
        return 1 + (_on(worker, _DOUBLY_SINGULAR) and not node.pv and value < target - constants.double_extension_margin
                    and frame.doubled < _MOST_DOUBLE)
    if not _on(worker, _MULTI_CUT):
        return -1 if target >= node.beta else 0
    if node.beta <= value < _MATE_BOUND and not node.pv:
        node.best = value
        node.is_multi_cut = True
        return 0
    return -2 if entry.value >= node.beta else -1 if node.cut_node else 0


cdef inline bint _is_settled(Worker* worker, int ply, Node* node) noexcept nogil:
    """Find the moves; whether the value, `node.best`, is known at once: by a draw, a nearer mate or the table."""
    cdef Frame* frame = &worker.frames[ply]
    node.best = 0
    if ply:
        worker.lengths[ply] = 0
        if _is_drawn(worker, ply):
            return True
        node.alpha = max(node.alpha, -MATE + ply)
        node.beta = min(node.beta, MATE - ply - 1)
        if node.alpha >= node.beta:
            node.best = node.alpha
            return True
    # Of no use to what the table settles, but its memory is on the way meanwhile.
    find_moves(&frame.keyed.position, &frame.sets)
    node.known = probe(worker.table, frame.keyed.key, &node.entry)
    if not node.known or frame.excluded or node.pv and not (node.entry.learned and ply):
        return False
    node.best = _value_at_ply(node.entry.value, ply)
    return _settles(worker, ply, &node.entry, node.depth, node.best, node.alpha, node.beta)


cdef inline bint _is_cut(Worker* worker, int ply, Node* node) noexcept nogil:
    """Evaluate; whether the value, `node.best`, is known by that or by a null move."""
    cdef Frame* frame = &worker.frames[ply]
    cdef const Position* position = &frame.keyed.position
    node.in_check = frame.sets.checkers != 0
    if position.clock >= FIFTY_MOVES_CLOCK and ply and (not node.in_check or count_moves(&frame.sets)):
        node.best = 0
        return True
    frame.evaluation = frame.raw = NO_VALUE
    if not node.in_check:
        _evaluate(worker, ply, node.entry.evaluation)
    node.improving = not node.in_check and ply >= 2 and (worker.frames[ply - 2].evaluation == NO_VALUE
                                                         or frame.evaluation > worker.frames[ply - 2].evaluation)
    worker.frames[ply + 1].killers[0] = worker.frames[ply + 1].killers[1] = 0
    if (_on(worker, _UNREMEMBERED) and node.entry.move == 0 and node.depth >= _UNREMEMBERED_FROM and ply
            and (node.pv or node.cut_node) and not node.in_check and not frame.excluded):
        node.depth -= 1
    if ply == 0 or node.pv or node.in_check or frame.excluded or not -_MATE_BOUND < node.beta < _MATE_BOUND:
        return False
    node.best = _cut_early(worker, ply, node)
    return node.best >= node.beta or worker.stopped


cdef inline void _begin_moves(Worker* worker, int ply, Node* node) noexcept nogil:
    """Get ready to hand out the moves, the table's first."""
    cdef Frame* frame = &worker.frames[ply]
    if ply == 0 and worker.first:
        node.entry.move = worker.first
    node.best = -_INFINITE
    node.best_move = 0
    node.count = node.quiets = node.tried_count = node.put_off_count = node.resumed = 0
    _prepare(worker, &node.picker, ply)
    start_picking(&node.picker, find_stored(&frame.keyed.position, &frame.sets, node.entry.move))


cdef inline bint _is_put_off(Worker* worker, int ply, Node* node, const Child* child) noexcept nogil:
    """Put a later move, which has been played, aside if another thread is searching it."""
    cdef const KeyedPosition* keyed = &worker.frames[ply + 1].keyed
    if worker.in_search == NULL or child.number == 1 or child.depth < IN_SEARCH_DEPTH or node.put_off_count == _MOST_PUT_OFF:
        return False
    if not is_in_search(worker.in_search, keyed.key) or _is_repeated(worker, ply + 1):
        return False
    node.put_off[node.put_off_count] = child[0]
    node.put_off_count += 1
    return True


cdef bint _next_child(Worker* worker, int ply, Node* node, Child* child) noexcept nogil:
    """Play the next move that is to be searched, those put off last; whether there is one."""
    cdef Frame* frame = &worker.frames[ply]
    cdef Move move
    cdef bint quiet
    while True:
        move = next_move(&node.picker)
        node.count += node.picker.passed_over
        node.picker.passed_over = 0
        if move == 0:
            break
        if move == frame.excluded or ply == 0 and _is_excluded(worker, move):
            continue
        prefetch(worker.table, key_after(&frame.keyed, move))  # a wrong key costs time and nothing else
        node.count += 1
        if _is_overlooked(worker, ply, node.in_check, move):
            continue
        quiet = _is_quiet(&frame.keyed.position, move)
        if _is_pruned(worker, ply, node, move, quiet):
            continue
        child.move = move
        child.number = node.count
        child.depth = node.depth - 1 + _extension(worker, ply, node, move)
        if worker.stopped or node.is_multi_cut:
            return False
        node.quiets += quiet
        _descend(worker, ply, move)
        worker.frames[ply + 1].doubled += child.depth > node.depth
        child.reduction = _reduction(worker, ply, node, move, quiet)
        if not _is_put_off(worker, ply, node, child):
            return True
    if node.resumed == node.put_off_count:
        return False
    child[0] = node.put_off[node.resumed]
    node.resumed += 1
    _descend(worker, ply, child.move)
    return True


cdef int _search_child(Worker* worker, int ply, const Node* node, const Child* child) noexcept nogil:
    """The value of a move that has been played, for who played it; a later one need only be shown to be no better."""
    cdef int favour = _favour(worker, ply, child.move)
    cdef int value = _search_within(worker, ply, node, child, node.alpha - favour, node.beta - favour)
    # A mate is worth what it is, whatever results say.
    return value + favour if -_MATE_BOUND < value < _MATE_BOUND else value


cdef inline int _depth_of_surprise(const Worker* worker, int ply, const Node* node, int depth, int value) noexcept nogil:
    """How deep to search again what was better in a reduced search than all moves before."""
    if not _on(worker, _SURPRISES) or ply == 0:
        return depth
    return (depth + (value > node.best + worker.constants.deeper_margin + depth)
            - (value < node.best + worker.constants.shallower_margin))


cdef int _search_within(Worker* worker, int ply, const Node* node, const Child* child, int alpha, int beta) noexcept nogil:
    cdef int depth = child.depth
    cdef int value, bonus
    if child.number == 1:
        return -_search(worker, ply + 1, -beta, -alpha, depth, not node.pv and not node.cut_node)
    value = -_search(worker, ply + 1, -alpha - 1, -alpha, depth - child.reduction, child.reduction > 0 or not node.cut_node)
    if value > alpha and child.reduction and not worker.stopped:
        depth = _depth_of_surprise(worker, ply, node, depth, value)
        if depth > child.depth - child.reduction:
            value = -_search(worker, ply + 1, -alpha - 1, -alpha, depth, not node.cut_node)
        if _on(worker, _SURPRISES) and _is_quiet(&worker.frames[ply].keyed.position, child.move):
            bonus = _bonus(worker, depth)
            _reward_continuations(worker, ply, child.move, bonus if value > alpha else -bonus)
    if alpha < value < beta and not worker.stopped:
        value = -_search(worker, ply + 1, -beta, -alpha, depth, False)
    return value


cdef inline int _visit_child(Worker* worker, int ply, const Node* node, const Child* child) noexcept nogil:
    """The same, while all threads and whoever asks for the root's current move can see it."""
    cdef bint shown = worker.in_search != NULL and child.depth >= IN_SEARCH_DEPTH
    cdef int value
    if ply == 0:
        worker.current = child.move
        worker.current_number = child.number
    if _must_stop(worker):
        return 0
    if shown:
        enter_search(worker.in_search, worker.frames[ply + 1].keyed.key)
    value = _search_child(worker, ply, node, child)
    if shown:
        leave_search(worker.in_search, worker.frames[ply + 1].keyed.key)
    return value


cdef inline bint _refutes(Worker* worker, int ply, Node* node, Move move, int value) noexcept nogil:
    """Take a move's value into account; whether it is so good that the others do not matter."""
    if value > node.best:
        node.best = value
        if value > node.alpha:
            node.best_move = move
            node.alpha = value
            if value >= _MATE_BOUND:
                node.picker.only_checks = False  # there may be a shorter mate; what was passed over stays so
            if node.pv:
                _set_line(worker, ply, move)
            if ply == 0:
                worker.line_value = value
            if value >= node.beta:
                _reward_refutation(worker, ply, node)
                return True
    if node.tried_count < _MOST_TRIED:
        node.tried[node.tried_count] = move
        node.tried_count += 1
    return False


cdef inline void _correct(Worker* worker, int ply, const Node* node) noexcept nogil:
    """Learn from how far the evaluation was off, if the node's value says that and no capture is the reason."""
    cdef const Frame* frame = &worker.frames[ply]
    cdef int error = node.best - frame.evaluation
    cdef CorrectionNumbers numbers
    if not _on(worker, _CORRECTION) or node.in_check or not -_MATE_BOUND < node.best < _MATE_BOUND:
        return
    if node.best_move and not _is_quiet(&frame.keyed.position, node.best_move):
        return
    if node.best >= node.beta and error <= 0 or node.best <= node.asked_alpha and error >= 0:
        return  # the true value may be the evaluation
    numbers = _corrections(worker, ply)
    learn_correction(&numbers, error, node.depth)


cdef int _conclude(Worker* worker, int ply, const Node* node) noexcept nogil:
    """The value that all moves together came to, which the table remembers."""
    cdef const Frame* frame = &worker.frames[ply]
    if node.count == 0:
        return node.alpha if frame.excluded else -MATE + ply if node.in_check else 0
    if node.best == -_INFINITE:
        return frame.evaluation  # all moves were overlooked: it looks as if nothing happened
    if frame.excluded or ply == 0 and (worker.excluded_count or worker.favoured_count):
        return node.best  # without some of its moves, or with favours, a node's value is not the position's
    _store(worker, ply, node.best_move, node.best, frame.raw, node.depth, node.asked_alpha, node.beta)
    _correct(worker, ply, node)
    return node.best


cdef int _search(Worker* worker, int ply, int alpha, int beta, int depth, bint cut_node) noexcept nogil:
    """The value of a position `depth` plies deep, within the window alpha < beta.

    Promised: with v the value of plain minimax over the same tree, whose leaves are valued by _quiesce, and
    without any technique, the result r obeys
        r <= alpha      implies  v <= r
        alpha < r < beta implies v == r, and lines[ply] is a line that leads to it
        r >= beta       implies  v >= r
    (tests/heatmap_engine/kernel/deep/test_search.py holds it against minimax.) Values from the table may be deeper
    than was asked for, know no repetition nor count of fifty moves (the table has no history), and cut the
    line short. With selective techniques nothing is promised of v, but: a mate that is announced is there,
    unless the game's history prevents it; on one thread the same position, depth, table and histories give
    the same result; and after `stopped` the result means nothing.
    """
    cdef Node node
    cdef Child child
    cdef int value
    if depth <= 0 or ply >= MAX_PLY:
        return _quiesce(worker, ply, alpha, beta)
    node.alpha = node.asked_alpha = alpha
    node.beta = beta
    node.depth = depth
    node.pv = beta - alpha > 1
    node.cut_node = cut_node
    node.is_multi_cut = False
    if _is_settled(worker, ply, &node) or _is_cut(worker, ply, &node):
        return node.best
    _begin_moves(worker, ply, &node)
    while _next_child(worker, ply, &node, &child):
        value = _visit_child(worker, ply, &node, &child)
        if worker.stopped or _refutes(worker, ply, &node, child.move, value):
            break
    if node.is_multi_cut:
        return node.best
    return 0 if worker.stopped else _conclude(worker, ply, &node)


cdef int _search_root(Worker* worker, int depth, int guess) noexcept nogil:
    """The root's value, from a narrow window around `guess` that is widened where it fails."""
    cdef int width = worker.constants.aspiration_margin
    cdef int alpha = -_INFINITE
    cdef int beta = _INFINITE
    cdef int value
    if depth >= _ASPIRATION_FROM and -_MATE_BOUND < guess < _MATE_BOUND:
        alpha = guess - width
        beta = guess + width
    worker.lengths[0] = 0
    while True:
        value = _search(worker, 0, alpha, beta, depth, False)
        if worker.stopped:
            return value
        if value <= alpha:
            worker.lengths[0] = 0
            beta = (alpha + beta) / 2
            alpha = max(-_INFINITE, value - width)
        elif value >= beta:
            # What was so good stays the line: if time runs out it is the move to play.
            beta = min(_INFINITE, value + width)
        else:
            return value
        width *= _ASPIRATION_GROWTH


cdef dict _stored_by_name(const Position* position):
    """The legal moves as a slot holds them, by their UCI names."""
    cdef MoveSets sets
    cdef Move[MAX_MOVES] moves
    cdef int i
    find_moves(position, &sets)
    return {uci_name(position, moves[i]): stored_move(moves[i]) for i in range(list_moves(position, &sets, moves))}


cdef class Searcher:
    """One thread's search: the line it is looking at. Threads of one search share the table and the histories."""

    cdef Worker* _worker
    cdef TranspositionTable _table
    cdef MoveHistories _histories
    cdef HeatWeights _weights

    def __cinit__(self, TranspositionTable table not None, MoveHistories histories not None, HeatWeights weights not None,
                  dict constants not None, int techniques=_EVERYTHING, bint is_alone=True):
        cdef Worker* worker = <Worker*>calloc(1, sizeof(Worker))
        if worker == NULL:
            raise MemoryError
        self._worker = worker
        self._table = table
        self._histories = histories
        self._weights = weights
        worker.table = &table.c
        worker.in_search = NULL if is_alone else &table.in_search
        worker.techniques = techniques
        worker.constants = constants
        _fill_reductions(worker)
        open_evaluator(&worker.evaluator, weights)
        worker.worth = weights.worth
        worker.histories = histories.c

    def __dealloc__(self):
        if self._worker != NULL:
            close_evaluator(&self._worker.evaluator)
            free(self._worker.game_keys)
            free(self._worker)

    def begin(self, PackedPosition root not None, list history not None, int64_t node_limit, int64_t deadline_ns,
              int oversight=0, uint64_t blind_spots=0, dict favours=None):
        """Set the root, the game's positions before it (oldest first) and the limits of all iterations to come.

        `deadline_ns` is on time.monotonic_ns()'s clock, 0 for none. `oversight`, of 1,024, is how often replies are
        overlooked, and `blind_spots` says which: a number like any other. `favours` are added to the values of the
        root's moves, by their UCI names, when they are compared.
        """
        cdef Worker* worker = self._worker
        cdef KeyedPosition keyed
        cdef int i
        cdef int count = <int>len(history)
        free(worker.game_keys)
        worker.game_count = 0
        worker.game_keys = <uint64_t*>malloc((count + 1) * sizeof(uint64_t))
        if worker.game_keys == NULL:
            raise MemoryError
        for i in range(count):
            set_keyed_position(&keyed, &(<PackedPosition?>history[i]).c)
            worker.game_keys[i] = keyed.key
        worker.game_count = count
        set_keyed_position(&worker.frames[0].keyed, &root.c)
        for i in range(_FRAMES):
            worker.frames[i].killers[0] = worker.frames[i].killers[1] = 0
        worker.nodes = 0
        worker.node_limit = node_limit
        worker.deadline_ns = deadline_ns
        worker.stopped = False
        worker.current_number = 0
        worker.oversight = oversight
        worker.blind_spots = blind_spots
        worker.favoured_count = 0
        stored = _stored_by_name(&root.c) if favours else {}
        for name, favour in (favours or {}).items():
            worker.favoured[worker.favoured_count] = stored[name]
            worker.favour[worker.favoured_count] = favour
            worker.favoured_count += 1
        store_flag(&worker.stop, 0)
        store_flag(&worker.overtaken, 0)

    def iterate(self, int depth, int guess, excluded=(), str first=""):
        """Search the root `depth` plies deep and give its value for the side to move.

        `guess` is the value that is expected. Moves that are `excluded`, by UCI name, are left out; at least one
        must be left. `first` is searched first. If the search was stopped before the end, None; line() is then
        the best that it had found, if anything. It is also None if the iteration was overtaken.
        """
        cdef Worker* worker = self._worker
        cdef const Position* root = &worker.frames[0].keyed.position
        cdef int value
        if not 1 <= depth <= _DEEPEST_ITERATION:
            raise ValueError(f"expected a depth from 1 to {_DEEPEST_ITERATION}, got {depth}")
        if len(excluded) > MAX_MOVES:
            raise ValueError(f"expected at most {MAX_MOVES} moves to leave out, got {len(excluded)}")
        worker.excluded_count = 0
        worker.first = 0
        if excluded or first:
            stored = _stored_by_name(root)
            for name in excluded:
                worker.excluded[worker.excluded_count] = stored[name]
                worker.excluded_count += 1
            worker.first = stored[first] if first else 0
        worker.deepest = 0
        worker.depth = depth
        if worker.is_beaten:
            worker.stopped = worker.is_beaten = False
        with nogil:
            value = _search_root(worker, depth, guess)
        if worker.raised != NULL:
            error = <object>worker.raised
            worker.raised = NULL
            Py_DECREF(error)
            raise error
        return None if worker.stopped else value

    def stop(self):
        """Make a running iteration, in another thread, end as soon as it hears of it."""
        store_flag(&self._worker.stop, 1)

    def overtake(self, int depth):
        """Make an iteration end that is no deeper than this, for another thread has finished it; of any thread."""
        store_flag(&self._worker.overtaken, depth)

    @property
    def is_beaten(self):
        """Whether the last iteration was overtaken."""
        return bool(self._worker.is_beaten)

    @property
    def stopped(self):
        """Whether a limit or stop() has ended the search that begin() set up."""
        return bool(self._worker.stopped and not self._worker.is_beaten)

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
        return uci_name(&self._worker.frames[0].keyed.position, move), self._worker.current_number

    @property
    def line_value(self):
        """What line() is worth, or at least, for the side to move; of use where an iteration was broken off."""
        return self._worker.line_value

    def line(self):
        """The best line from the root, by UCI names."""
        cdef KeyedPosition[2] positions
        cdef int i
        names = []
        positions[0] = self._worker.frames[0].keyed
        for i in range(self._worker.lengths[0]):
            names.append(uci_name(&positions[i & 1].position, self._worker.lines[0][i]))
            make_keyed_move(&positions[i & 1], self._worker.lines[0][i], &positions[i + 1 & 1])
        return names
