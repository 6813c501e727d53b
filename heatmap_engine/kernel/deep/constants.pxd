"""The numbers of the search that are tuned: their list, with usual values and limits, is deep/constants.py.

The names are the same there and here, and a dictionary of all of them becomes this struct. As numbers
that the compiler knows they are not faster: 30 positions to depth 8 then take 0.6 % more instructions.
"""

cdef struct Constants:
    # Margins, in units of the weights, of which 400 are a tenfold chance.
    int aspiration_margin             # half the root's first window
    int reverse_futility_margin       # a ply; so far above beta no move need be looked at
    int futility_margin               # a ply, and once more; so far below alpha no quiet move helps
    int quiet_exchange_margin         # a ply; a quiet move that loses more in exchanges is pruned
    int capture_exchange_margin       # a ply; the same of other moves
    int null_move_step                # for each such step above beta a null move is searched a ply less deep
    int singular_margin               # hundredths a ply; where all others are worse by that, a move is the only good one
    int double_extension_margin       # ... and so much worse still: it is searched two plies deeper
    int deeper_margin                 # a move that is so much better than the best so far is searched deeper
    int shallower_margin              # ... and less deep if it is better by less than this

    # Depths, in plies, up to or from which a technique is used.
    int reverse_futility_to
    int futility_to                   # of what a reduction leaves
    int late_moves_to
    int exchanges_to
    int bad_histories_to              # of what a reduction leaves
    int null_move_from
    int singular_from

    # How much less deep, in parts of a ply, of which 256 are one.
    int null_move_reduction
    int null_move_reduction_by_depth  # more for each ply of depth
    int reduction_base                # late moves: hundredths of a ply, this + log(depth) * log(moves tried) / divisor
    int reduction_divisor             # ... in hundredths
    int cut_node_reduction            # more where beta is expected to be reached
    int not_improving_reduction       # more for a quiet move where the evaluation is not better than two plies ago
    int tactical_reduction            # more for a quiet move where the table's is none
    int principal_reduction           # less for a quiet move where the exact value is wanted
    int checking_reduction            # less for a quiet move that checks
    int in_check_reduction            # less for an answer to a check
    int exact_reduction               # less where the table has an exact value
    int pruning_reduction             # more for a late move, when it is asked whether it is to be pruned
    int losing_capture_share          # percent of a reduction, for a capture that loses material
    int singular_share                # percent of the depth, for the search of all other moves

    # Numbers of moves, in hundredths: after so many quiet moves all others are pruned.
    int late_moves_base
    int late_moves_by_depth           # more, times the depth squared
    int late_moves_not_improving      # percent of both, where the position does not improve

    # Histories, whose numbers reach up to MOST_HISTORY.
    int history_bonus                 # a ply of depth, for the move that refuted; taken from those tried before
    int most_history_bonus
    int history_of_a_ply              # a move that stands so well is reduced by a ply less
    int bad_history                   # a ply; a quiet move whose histories are below minus that is left out
