"""A small net beside the sum of features: what heat is worth in company of other heat.

Its inputs are heat and what is near to it, of each side: where its moves land, by piece, its checks, its pieces that
nobody guards, its passed pawns, and how many pieces it has; and where its pawns and its king stand. Each side sees its
own inputs and the other's. What it sees adds columns of weights to the side's *sums*; these are clipped and squared, and
weighed by how many pieces are on the board. Both sides' together are the net's part of the evaluation, for the side to
move. What pawns and kings add to the sums stays the same from move to move, and is kept beside what they are worth.

    inputs of both sides      sums            clipped, squared       weighed by the number of pieces
    own, other's          ->  HIDDEN, mover   ->  HIDDEN         \\
    own, other's          ->  HIDDEN, other   ->  HIDDEN         ->  one of NET_STAGES rows  ->  value

Most inputs are zero, and only the others' columns are added. Sums are whole numbers of 16 bits, which wrap around:
no position of a game comes near, and whatever the sums are, the output is no larger than its weights allow.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint64_t

cdef enum:
    PACKED_INPUTS = 64           # of a side, in eight words
    RARE_WORDS = 2
    RARE_INPUTS = 64 * RARE_WORDS     # those that are mostly nothing
    HEAT_INPUTS = PACKED_INPUTS + RARE_INPUTS
    STILL_INPUTS = 256           # of pawns and kings
    INPUTS = HEAT_INPUTS + STILL_INPUTS  # evaluation.pyx says what they all are
    HEAT_WORDS = 9               # the last is none of the net's
    HIDDEN = 16
    NET_STAGES = 8       # of a game, by how many pieces are left
    SUM_ONE = 181        # a sum of 1 as a whole number; sums are clipped to it, and its square has 15 bits
    OUTPUT_ONE = 256     # a weight of 1 of the second layer
    NET_UNITS = 250      # units of the evaluation that an output of 1 is worth
    MOST_OUTPUT_WEIGHT = 2000    # 2 * HIDDEN of them, times SUM_ONE * SUM_ONE, stay within 32 bits

cdef struct Heat:
    # A side's inputs. To fill in eight numbers at once, and no bits for them, is what makes the net cheap.
    uint64_t[HEAT_WORDS] words   # a byte each
    uint64_t[RARE_WORDS] seen    # a bit for each of the following that is not zero
    uint8_t[RARE_INPUTS] counts

cdef struct NetWeights:
    int16_t[INPUTS][2][HIDDEN] columns       # what an input adds to the own side's sums, and to the other's
    int16_t[HIDDEN] biases
    int16_t[NET_STAGES][2][HIDDEN] outputs   # of the mover's sums, and of the other's
    int32_t[NET_STAGES] output_biases        # in SUM_ONE * SUM_ONE * OUTPUT_ONE-ths

ctypedef uint16_t[HIDDEN] NetSums  # they wrap around, and are read with a sign

cdef void add_columns(const NetWeights* net, const int16_t* numbers, int count, uint16_t* own, uint16_t* their) noexcept nogil
cdef int64_t net_output(const NetWeights* net, const uint16_t* mover_sums, const uint16_t* other_sums, const Heat* mover,
                        const Heat* other, int pieces) noexcept nogil

cdef class HeatNet:
    cdef NetWeights c
