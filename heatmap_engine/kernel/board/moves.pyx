"""Legal moves as sets of squares, found once and then counted, listed or heaped up as heat by others."""

from heatmap_engine.kernel.board.attacks cimport (
    between_table, bishop_attacks, king_table, knight_table, line_table, rook_attacks,
)
from heatmap_engine.kernel.board.bits cimport (
    FILE_A, FILE_H, NO_SQUARE, RANK_1, RANK_3, RANK_8, Bitboard, Square, bit, lowest, popcount,
)
from heatmap_engine.kernel.board.position cimport (
    BISHOP, CASTLING_FLAG, DOUBLE_STEP_FLAG, EN_PASSANT_FLAG, KING, KNIGHT, PAWN, PIECE_SHIFT,
    PROMOTION_SHIFT, QUEEN, ROOK, TO_SHIFT, Move, Position,
)

cdef extern from *:
    bint unlikely(bint condition) noexcept nogil  # Cython's own: keeps what is rare out of the way of the rest


cdef inline Bitboard _left(Bitboard pawns) noexcept nogil:
    return (pawns & ~FILE_A) << 7


cdef inline Bitboard _right(Bitboard pawns) noexcept nogil:
    return (pawns & ~FILE_H) << 9


cdef inline Bitboard _sliders_at(const Position* position, Square square, Bitboard occupied, Bitboard whose) noexcept nogil:
    """The sliding pieces among `whose` that attack `square` with pieces on `occupied`."""
    return (rook_attacks(square, occupied) & (position.pieces[ROOK] | position.pieces[QUEEN])
            | bishop_attacks(square, occupied) & (position.pieces[BISHOP] | position.pieces[QUEEN])) & whose


cdef Bitboard attackers_of_king(const Position* position, bint own) noexcept nogil:
    """The pieces that attack the king of the side to move, or with `own` false that of the other side."""
    cdef Bitboard attackers = position.their if own else position.own
    cdef Bitboard king = position.pieces[KING] & (position.own if own else position.their)
    cdef Square square = lowest(king)
    cdef Bitboard pawns = position.pieces[PAWN] & attackers
    cdef Bitboard found = _sliders_at(position, square, position.own | position.their, attackers)
    found |= knight_table[square] & position.pieces[KNIGHT] & attackers
    found |= king_table[square] & position.pieces[KING] & attackers
    if own:
        return found | (_left(king) | _right(king)) & pawns
    return found | ((king & ~FILE_A) >> 9 | (king & ~FILE_H) >> 7) & pawns


cdef inline Bitboard _their_attacks(const Position* position, Bitboard occupied) noexcept nogil:
    """The squares that the other side attacks with pieces on `occupied`."""
    cdef Bitboard their = position.their
    cdef Bitboard pawns = position.pieces[PAWN] & their
    cdef Bitboard attacks = (pawns & ~FILE_A) >> 9 | (pawns & ~FILE_H) >> 7
    cdef Bitboard movers = position.pieces[KNIGHT] & their
    attacks |= king_table[lowest(position.pieces[KING] & their)]
    while movers:
        attacks |= knight_table[lowest(movers)]
        movers &= movers - 1
    movers = (position.pieces[BISHOP] | position.pieces[QUEEN]) & their
    while movers:
        attacks |= bishop_attacks(lowest(movers), occupied)
        movers &= movers - 1
    movers = (position.pieces[ROOK] | position.pieces[QUEEN]) & their
    while movers:
        attacks |= rook_attacks(lowest(movers), occupied)
        movers &= movers - 1
    return attacks


cdef inline void _add(MoveSets* sets, int piece, Square origin, Bitboard targets) noexcept nogil:
    sets.piece[sets.count] = piece
    sets.origin[sets.count] = origin
    sets.targets[sets.count] = targets
    sets.count += 1


cdef inline Bitboard _castling_targets(const Position* position, Bitboard occupied, Bitboard attacked) noexcept nogil:
    """Where a king on e1 may castle to: nobody between king and rook, no square of the king's way attacked."""
    cdef Bitboard targets = 0
    if position.castling & bit(7) and not occupied & 0x60ULL and not attacked & 0x70ULL:
        targets |= bit(6)
    if position.castling & bit(0) and not occupied & 0x0EULL and not attacked & 0x1CULL:
        targets |= bit(2)
    return targets


cdef inline void _add_king(const Position* position, Square king, Bitboard occupied, MoveSets* sets) noexcept nogil:
    cdef Bitboard targets = king_table[king] & ~position.own
    cdef Bitboard attacked
    # A king shut in by its own pieces is common, and their attacks are the dearest part: 1.3 times the
    # speed in the start position. Castling from e1 needs an empty square beside the king, so it is not missed.
    if targets:
        attacked = _their_attacks(position, occupied ^ bit(king))
        targets &= ~attacked
        if position.castling & RANK_1 and not position.chess960:
            sets.castling = _castling_targets(position, occupied, attacked)
            targets |= sets.castling
    _add(sets, KING, king, targets)


cdef inline void _add_castling960(const Position* position, MoveSets* sets) noexcept nogil:
    """Add castling from any squares to the king's moves; _castling_targets is the quick case of it.

    King and rook need their ways and the squares they land on free but for each other. A rook that leaves may
    lay the king open to a piece beyond it on the first rank.
    """
    cdef Bitboard rooks = position.castling & RANK_1
    cdef Bitboard occupied = position.own | position.their
    cdef Square king = sets.origin[sets.count - 1]
    cdef Bitboard attacked, way, rest
    cdef Square rook, king_lands, rook_lands
    if rooks == 0 or sets.checkers:
        return
    attacked = _their_attacks(position, occupied ^ bit(king))
    while rooks:
        rook = lowest(rooks)
        king_lands = 6 if rook > king else 2
        rook_lands = 5 if rook > king else 3
        way = between_table[king][king_lands] | bit(king_lands)
        rest = occupied & ~(bit(king) | bit(rook))
        if (not rest & (way | between_table[rook][rook_lands] | bit(rook_lands)) and not attacked & way
                and not _sliders_at(position, king_lands, rest | bit(rook_lands), position.their)):
            sets.castling |= bit(king_lands)
        rooks &= rooks - 1
    sets.stepped = sets.castling & sets.targets[sets.count - 1]
    sets.targets[sets.count - 1] |= sets.castling


cdef inline bint _en_passant_is_legal(const Position* position, Square king, Square origin,
                                      Bitboard checkers) noexcept nogil:
    """Whether the king is safe once both pawns have left; the only move that empties two squares."""
    cdef Bitboard target = bit(position.en_passant)
    cdef Bitboard taken = target >> 8
    cdef Bitboard occupied = (position.own | position.their) ^ bit(origin) ^ taken | target
    if checkers & ~taken & (position.pieces[KNIGHT] | position.pieces[PAWN]):
        return False
    return _sliders_at(position, king, occupied, position.their) == 0


cdef inline void _add_pawns(const Position* position, Square king, Bitboard occupied, Bitboard pinned,
                            Bitboard allowed, MoveSets* sets) noexcept nogil:
    cdef Bitboard pawns = position.pieces[PAWN] & position.own
    cdef Bitboard free = pawns & ~pinned
    cdef Bitboard held = pawns & pinned
    cdef Bitboard pawn, line, steps
    steps = free << 8 & ~occupied
    sets.steps = steps & allowed
    sets.double_steps = (steps & RANK_3) << 8 & ~occupied & allowed
    sets.left_captures = _left(free) & position.their & allowed
    sets.right_captures = _right(free) & position.their & allowed
    while held:
        pawn = held & (0 - held)
        line = line_table[king][lowest(pawn)] & allowed
        steps = pawn << 8 & ~occupied
        sets.steps |= steps & line
        sets.double_steps |= (steps & RANK_3) << 8 & ~occupied & line
        sets.left_captures |= _left(pawn) & position.their & line
        sets.right_captures |= _right(pawn) & position.their & line
        held &= held - 1
    if position.en_passant != NO_SQUARE:
        _add_en_passant(position, king, pawns, sets)


cdef inline void _add_en_passant(const Position* position, Square king, Bitboard pawns, MoveSets* sets) noexcept nogil:
    cdef Bitboard target = bit(position.en_passant)
    if _left(pawns) & target and _en_passant_is_legal(position, king, position.en_passant - 7, sets.checkers):
        sets.left_captures |= target
    if _right(pawns) & target and _en_passant_is_legal(position, king, position.en_passant - 9, sets.checkers):
        sets.right_captures |= target


cdef inline void _add_slider(int piece, Square square, Bitboard targets, Bitboard allowed, Square king,
                             Bitboard pinned, MoveSets* sets) noexcept nogil:
    """Add a sliding piece; one that is pinned moves along the line to its king only."""
    sets.guards |= targets
    targets &= allowed
    if pinned & bit(square):
        targets &= line_table[king][square]
    _add(sets, piece, square, targets)


cdef inline void _add_pieces(const Position* position, Square king, Bitboard occupied, Bitboard pinned,
                             Bitboard allowed, MoveSets* sets) noexcept nogil:
    cdef Bitboard own = position.own
    cdef Bitboard movers = position.pieces[KNIGHT] & own
    cdef Square square
    while movers:
        square = lowest(movers)
        sets.guards |= knight_table[square]
        if not pinned & bit(square):  # a pinned knight never moves
            _add(sets, KNIGHT, square, knight_table[square] & allowed)
        movers &= movers - 1
    movers = position.pieces[BISHOP] & own
    while movers:
        square = lowest(movers)
        _add_slider(BISHOP, square, bishop_attacks(square, occupied), allowed, king, pinned, sets)
        movers &= movers - 1
    movers = position.pieces[ROOK] & own
    while movers:
        square = lowest(movers)
        _add_slider(ROOK, square, rook_attacks(square, occupied), allowed, king, pinned, sets)
        movers &= movers - 1
    movers = position.pieces[QUEEN] & own
    while movers:
        square = lowest(movers)
        _add_slider(QUEEN, square, bishop_attacks(square, occupied) | rook_attacks(square, occupied), allowed, king, pinned, sets)
        movers &= movers - 1


cdef void _find_moves(const Position* position, MoveSets* sets) noexcept nogil:
    """The legal moves, but for castling in Chess960."""
    cdef Bitboard own = position.own
    cdef Bitboard their = position.their
    cdef Bitboard occupied = own | their
    cdef Bitboard king_bit = position.pieces[KING] & own
    cdef Square king = lowest(king_bit)
    cdef Bitboard checkers = (knight_table[king] & position.pieces[KNIGHT]
                              | (_left(king_bit) | _right(king_bit)) & position.pieces[PAWN]) & their
    cdef Bitboard snipers = _sliders_at(position, king, their, their)
    cdef Bitboard pinned = 0
    cdef Bitboard allowed = ~own
    cdef Bitboard between
    while snipers:
        between = between_table[king][lowest(snipers)] & own
        if between == 0:
            checkers |= snipers & (0 - snipers)
        elif between & (between - 1) == 0:
            pinned |= between
        snipers &= snipers - 1
    sets.count = 0
    sets.castling = sets.stepped = 0
    sets.checkers = checkers
    sets.guards = king_table[king] | _left(position.pieces[PAWN] & own) | _right(position.pieces[PAWN] & own)
    if checkers:
        if checkers & (checkers - 1):
            sets.steps = sets.double_steps = sets.left_captures = sets.right_captures = 0
            sets.guards = 0
            _add_king(position, king, occupied, sets)
            return
        allowed = between_table[king][lowest(checkers)] | checkers
    _add_pawns(position, king, occupied, pinned, allowed, sets)
    _add_pieces(position, king, occupied, pinned, allowed, sets)
    _add_king(position, king, occupied, sets)


cdef void _find_moves960(const Position* position, MoveSets* sets) noexcept nogil:
    _find_moves(position, sets)
    _add_castling960(position, sets)


# By a pointer, so that the compiler does not put all of it into find_moves: that, and asking for Chess960 among the
# king's moves as well, cost every position 2 to 3 % more instructions.
cdef void (*_castling_from_anywhere)(const Position*, MoveSets*) noexcept nogil
_castling_from_anywhere = _find_moves960


cdef void find_moves(const Position* position, MoveSets* sets) noexcept nogil:
    """Fill `sets` with the legal moves of the side to move."""
    if unlikely(position.chess960):
        _castling_from_anywhere(position, sets)
    else:
        _find_moves(position, sets)


cdef bint has_legal_en_passant(const Position* position) noexcept nogil:
    """Whether a pawn can be taken en passant; without it the square is no part of what the position is."""
    cdef MoveSets sets
    cdef Bitboard passed
    if position.en_passant == NO_SQUARE:
        return False
    passed = bit(position.en_passant)
    if not (_left(position.pieces[PAWN] & position.own) | _right(position.pieces[PAWN] & position.own)) & passed:
        return False
    find_moves(position, &sets)
    return (sets.left_captures | sets.right_captures) & passed != 0


cdef inline Move* _list_pawns(Bitboard landings, int distance, Move flags, Move* moves) noexcept nogil:
    """Write the moves of pawns that land on `landings`, coming from `distance` squares below."""
    cdef Square square
    cdef Move move
    cdef int piece
    while landings:
        square = lowest(landings)
        move = (square - distance) | square << TO_SHIFT | flags
        if square < 56:
            moves[0] = move
            moves += 1
        else:
            for piece in range(KNIGHT, KING):
                moves[0] = move | <Move>piece << PROMOTION_SHIFT
                moves += 1
        landings &= landings - 1
    return moves


cdef inline Move* _list_pawn_captures(const Position* position, const MoveSets* sets, Move* moves) noexcept nogil:
    cdef Bitboard passed = 0
    if position.en_passant != NO_SQUARE:
        passed = bit(position.en_passant)
        moves = _list_pawns(sets.left_captures & passed, 7, EN_PASSANT_FLAG, moves)
        moves = _list_pawns(sets.right_captures & passed, 9, EN_PASSANT_FLAG, moves)
    moves = _list_pawns(sets.left_captures & ~passed, 7, 0, moves)
    return _list_pawns(sets.right_captures & ~passed, 9, 0, moves)


cdef inline Move* _list_piece(int piece, Square origin, Bitboard targets, Move* moves) noexcept nogil:
    cdef Move move = <Move>piece << PIECE_SHIFT | origin
    while targets:
        moves[0] = move | lowest(targets) << TO_SHIFT
        moves += 1
        targets &= targets - 1
    return moves


cdef inline Move* _list_castling(Square king, Bitboard targets, Move* moves) noexcept nogil:
    while targets:
        moves[0] = KING << PIECE_SHIFT | king | lowest(targets) << TO_SHIFT | CASTLING_FLAG
        moves += 1
        targets &= targets - 1
    return moves


cdef int list_moves(const Position* position, const MoveSets* sets, Move* moves) noexcept nogil:
    """Write the moves out to `moves`, which has room for MAX_MOVES, and say how many they are."""
    cdef Move* end = _list_pawn_captures(position, sets, moves)
    cdef int i
    end = _list_pawns(sets.steps, 8, 0, end)
    end = _list_pawns(sets.double_steps, 16, DOUBLE_STEP_FLAG, end)
    for i in range(sets.count - 1):
        end = _list_piece(sets.piece[i], sets.origin[i], sets.targets[i], end)
    i = sets.count - 1  # the king is always there, and last
    end = _list_piece(KING, sets.origin[i], sets.targets[i] & ~sets.castling | sets.stepped, end)
    return <int>(_list_castling(sets.origin[i], sets.castling, end) - moves)


cdef int list_captures(const Position* position, const MoveSets* sets, Move* moves) noexcept nogil:
    """As list_moves, but only captures and promotions."""
    cdef Move* end = _list_pawn_captures(position, sets, moves)
    cdef Bitboard their = position.their
    cdef int i
    end = _list_pawns(sets.steps & RANK_8, 8, 0, end)
    for i in range(sets.count):
        end = _list_piece(sets.piece[i], sets.origin[i], sets.targets[i] & their, end)
    return <int>(end - moves)


cdef int list_quiets(const Position* position, const MoveSets* sets, Move* moves) noexcept nogil:
    """The rest of list_moves: neither captures nor promotions."""
    cdef Move* end = moves
    cdef Bitboard empty = ~position.their
    cdef int i
    end = _list_pawns(sets.steps & ~RANK_8, 8, 0, end)
    end = _list_pawns(sets.double_steps, 16, DOUBLE_STEP_FLAG, end)
    for i in range(sets.count - 1):
        end = _list_piece(sets.piece[i], sets.origin[i], sets.targets[i] & empty, end)
    i = sets.count - 1  # the king
    end = _list_castling(sets.origin[i], sets.castling, end)
    return <int>(_list_piece(KING, sets.origin[i], sets.targets[i] & empty & ~sets.castling | sets.stepped, end) - moves)
