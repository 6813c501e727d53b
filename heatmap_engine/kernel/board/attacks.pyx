"""Where each piece can go on a board with given pieces: tables made once when the module is imported.

A sliding piece looks its attacks up by multiplying the pieces that matter with a magic number
(`benchmarks/find_magics.py` found them); 0.8 MiB of tables, filled in about 2 ms.
"""

from heatmap_engine.kernel.board.bits cimport Bitboard, Square, bit, popcount

cdef Bitboard[64] _ROOK_MAGICS = [
    0x01800020c00080d8ULL, 0x8040001000200048ULL, 0x0100104104082000ULL, 0x0100081001000420ULL,
    0x0280028018003400ULL, 0x0280018004000200ULL, 0x0080008002000100ULL, 0x46000c0040220085ULL,
    0x0400802040008000ULL, 0x000a004020890200ULL, 0x0001001100482000ULL, 0x0801000900100024ULL,
    0x00218008001c0081ULL, 0x0000808004000200ULL, 0x8015000200040100ULL, 0x0801002051000882ULL,
    0x008000c000402000ULL, 0x0010004000200048ULL, 0x0808110020010040ULL, 0x0138048009801000ULL,
    0x4842050010080100ULL, 0x1020808004000201ULL, 0x8800040028018250ULL, 0x00002a0024450084ULL,
    0x4000400080008028ULL, 0x0000810100204000ULL, 0x0000200100104101ULL, 0x2038210100100008ULL,
    0x03a8020040040041ULL, 0x0102000404002010ULL, 0x00a0211400120810ULL, 0x1400008200004401ULL,
    0x009081c00c8002a0ULL, 0xc020004021401000ULL, 0x1010080260600400ULL, 0x24000a0022004010ULL,
    0x0480800400800800ULL, 0x0082000401010008ULL, 0x0001000409001200ULL, 0x004d004082002c01ULL,
    0x8020218140018000ULL, 0x2000201005444000ULL, 0x2080200041090010ULL, 0x8040100a00420020ULL,
    0x0461000800110006ULL, 0x02240010a0440108ULL, 0x0200129011040008ULL, 0x0110088051020004ULL,
    0x0000304100800100ULL, 0x0110982002400580ULL, 0x1800200010008080ULL, 0x0200082040120200ULL,
    0x9030800800040080ULL, 0x0710800400020080ULL, 0x0080081002c10400ULL, 0x404000a444050200ULL,
    0x000411822200c102ULL, 0x0000102100804202ULL, 0x4500200a40120082ULL, 0x4908100100080421ULL,
    0x0202000420081002ULL, 0x000a001008010402ULL, 0x0000500102008824ULL, 0x0410030c204c0282ULL,
]

cdef Bitboard[64] _BISHOP_MAGICS = [
    0x0004c10408048300ULL, 0x0004144804410020ULL, 0x0010140044400800ULL, 0x00c806004a070000ULL,
    0x01b9104000410540ULL, 0x8102010422000018ULL, 0x0005080a10850005ULL, 0x2002020222020202ULL,
    0x0410116082088210ULL, 0x20042850008a0248ULL, 0x4e4b112c040a4401ULL, 0x0400022082000000ULL,
    0x0005011040000040ULL, 0x82021d0460240001ULL, 0x2044020082201040ULL, 0x0400008448088408ULL,
    0x0084001170101901ULL, 0x04a0000404408210ULL, 0x0010000801889290ULL, 0x001880980e014008ULL,
    0x180a10940104040aULL, 0x620608a100a00400ULL, 0x2101010a00900410ULL, 0x40120a0110820120ULL,
    0x0002600040441420ULL, 0x0802600402980210ULL, 0x2014020241080304ULL, 0x0a08080014202060ULL,
    0x2201010020104002ULL, 0x000041000a01010bULL, 0x0100841005040220ULL, 0x2000404001150800ULL,
    0x000124908a202088ULL, 0x00748808a0200288ULL, 0x0002082200100080ULL, 0x200b010800410041ULL,
    0x0740078020020020ULL, 0x201a4a020080c800ULL, 0x94820805090600a4ULL, 0x0001010024160208ULL,
    0x9040880440009100ULL, 0x0400421004101056ULL, 0x008200140406e200ULL, 0x9142102038020300ULL,
    0x0420400102100100ULL, 0x0002408102000900ULL, 0x00110a0084000b08ULL, 0x8010044100402024ULL,
    0x0000580404208800ULL, 0x0100804808040100ULL, 0x0c20210049108008ULL, 0x0041000042020000ULL,
    0x2842144411440080ULL, 0x4002220401020408ULL, 0x0c0810a1020c04c1ULL, 0x4202024404088c40ULL,
    0x1001010042024031ULL, 0x8010120221040200ULL, 0x5019000024020840ULL, 0x0004000004840440ULL,
    0x9000002020020c81ULL, 0x000a084084080080ULL, 0x0000401004808882ULL, 0x1082200200860480ULL,
]

cdef enum:
    _ROOK_ENTRIES = 102400  # the sum over the squares of two to the power of the relevant squares
    _BISHOP_ENTRIES = 5248

cdef Bitboard[_ROOK_ENTRIES] _rook_entries
cdef Bitboard[_BISHOP_ENTRIES] _bishop_entries


cdef Bitboard _ray(Square square, Bitboard occupied, int file_step, int rank_step) noexcept nogil:
    """The squares from `square` in one direction, up to and including the first piece."""
    cdef Bitboard squares = 0
    cdef int file = square % 8 + file_step
    cdef int rank = square // 8 + rank_step
    while 0 <= file < 8 and 0 <= rank < 8:
        squares |= bit(8 * rank + file)
        if occupied & bit(8 * rank + file):
            break
        file += file_step
        rank += rank_step
    return squares


cdef Bitboard _slide(Square square, Bitboard occupied, bint diagonal) noexcept nogil:
    if diagonal:
        return (_ray(square, occupied, 1, 1) | _ray(square, occupied, 1, -1)
                | _ray(square, occupied, -1, 1) | _ray(square, occupied, -1, -1))
    return (_ray(square, occupied, 1, 0) | _ray(square, occupied, -1, 0)
            | _ray(square, occupied, 0, 1) | _ray(square, occupied, 0, -1))


cdef Bitboard _without_end(Square square, int file_step, int rank_step) noexcept nogil:
    """A ray on the empty board without its last square: a piece there cuts nothing off."""
    cdef Bitboard ray = _ray(square, 0, file_step, rank_step)
    cdef Bitboard squares = ray
    cdef int steps = popcount(ray)
    if steps:
        squares &= ~bit(square + steps * (8 * rank_step + file_step))
    return squares


cdef Bitboard _relevant(Square square, bint diagonal) noexcept nogil:
    if diagonal:
        return (_without_end(square, 1, 1) | _without_end(square, 1, -1)
                | _without_end(square, -1, 1) | _without_end(square, -1, -1))
    return (_without_end(square, 1, 0) | _without_end(square, -1, 0)
            | _without_end(square, 0, 1) | _without_end(square, 0, -1))


cdef Bitboard* _fill_magic(Magic* magic, Square square, Bitboard multiplier, bint diagonal,
                           Bitboard* entries) noexcept nogil:
    """Fill one square's table at `entries` and give the address behind it."""
    cdef Bitboard occupied = 0
    magic.mask = _relevant(square, diagonal)
    magic.multiplier = multiplier
    magic.shift = 64 - popcount(magic.mask)
    magic.entries = entries
    while True:
        entries[(occupied * multiplier) >> magic.shift] = _slide(square, occupied, diagonal)
        occupied = (occupied - magic.mask) & magic.mask
        if occupied == 0:
            return entries + (<Bitboard>1 << popcount(magic.mask))


cdef Bitboard _leap(Square square, int file_step, int rank_step) noexcept nogil:
    cdef int file = square % 8 + file_step
    cdef int rank = square // 8 + rank_step
    return bit(8 * rank + file) if 0 <= file < 8 and 0 <= rank < 8 else 0


cdef void _fill_leapers(Square square) noexcept nogil:
    cdef int one, two
    knight_table[square] = 0
    king_table[square] = _leap(square, 1, 0) | _leap(square, -1, 0)
    for one in range(-1, 2):
        king_table[square] |= _leap(square, one, 1) | _leap(square, one, -1)
    for one in range(-1, 2, 2):
        for two in range(-2, 3, 4):
            knight_table[square] |= _leap(square, one, two) | _leap(square, two, one)


cdef void _fill_lines(Square square) noexcept nogil:
    cdef Square other
    cdef bint diagonal
    for other in range(64):
        between_table[square][other] = 0
        line_table[square][other] = 0
        for diagonal in range(2):
            if other != square and _slide(square, 0, diagonal) & bit(other):
                between_table[square][other] = _slide(square, bit(other), diagonal) & _slide(other, bit(square), diagonal)
                line_table[square][other] = (_slide(square, 0, diagonal) & _slide(other, 0, diagonal)
                                             | bit(square) | bit(other))


cdef void _fill_all() noexcept nogil:
    cdef Square square
    cdef Bitboard* rook_entries = &_rook_entries[0]
    cdef Bitboard* bishop_entries = &_bishop_entries[0]
    for square in range(64):
        _fill_leapers(square)
        _fill_lines(square)
        rook_entries = _fill_magic(&rook_magics[square], square, _ROOK_MAGICS[square], False, rook_entries)
        bishop_entries = _fill_magic(&bishop_magics[square], square, _BISHOP_MAGICS[square], True, bishop_entries)


_fill_all()


def rook_attacks_of(int square, Bitboard occupied):
    """The squares a rook attacks; for tests against python-chess."""
    return rook_attacks(square, occupied)


def bishop_attacks_of(int square, Bitboard occupied):
    """The squares a bishop attacks; for tests against python-chess."""
    return bishop_attacks(square, occupied)
