"""The net's part of the evaluation; see net.pxd."""

from libc.string cimport memcpy

# Vectors of the compiler's own kind: any machine can do them, sixteen numbers, eight or one at a time. Where gcc can
# choose among versions of a function when it is loaded, one is for processors that have 256 bits (all since 2013).
cdef extern from *:
    """
    #include <stdint.h>
    /* Sums are added without a sign, as those with one may not wrap around; they are read with it. */
    typedef uint16_t heatmap_sums __attribute__((vector_size(2 * 16), aligned(2), may_alias));
    typedef int16_t heatmap_signed __attribute__((vector_size(2 * 16), aligned(2), may_alias));
    #if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__gnu_linux__)
    #define HEATMAP_CLONES __attribute__((target_clones("avx2", "default")))
    #else
    #define HEATMAP_CLONES
    #endif

    static inline int32_t heatmap_weigh(const heatmap_sums *found, const int16_t *weights, int16_t one) {
        const heatmap_signed most = one - (heatmap_signed){0};
        heatmap_signed sums = (heatmap_signed)*found;
        int32_t total = 0;
        sums &= sums > 0;
        sums = (sums & (sums <= most)) | (most & (sums > most));
        sums *= sums;
        for (int i = 0; i < 16; i++) total += sums[i] * weights[i];
        return total;
    }

    /* A bit for each byte that is not zero. */
    static inline uint64_t heatmap_nonzero(const uint64_t *words) {
        const uint64_t low = 0x7F7F7F7F7F7F7F7FULL;
        uint64_t bits = 0;
        for (int i = 0; i < 8; i++) {
            uint64_t high = (((words[i] & low) + low) | words[i]) & ~low;
            bits |= (high >> 7) * 0x0102040810204080ULL >> 56 << 8 * i;
        }
        return bits;
    }

    #define HEATMAP_ADD(count, input)                                               \\
        do {                                                                        \\
            const heatmap_sums *column = (const heatmap_sums *)columns + 2 * (input); \\
            uint16_t times = (uint16_t)(count);                                     \\
            own += times * column[0];                                               \\
            their += times * column[1];                                             \\
        } while (0)

    HEATMAP_CLONES
    static void heatmap_add_columns(const int16_t *columns, const int16_t *numbers, int count, uint16_t *own_sums,
                                    uint16_t *their_sums) {
        heatmap_sums own = *(const heatmap_sums *)own_sums, their = *(const heatmap_sums *)their_sums;
        for (int i = 0; i < count; i++) {
            const heatmap_sums *column = (const heatmap_sums *)columns + 2 * numbers[i];
            own += column[0];
            their += column[1];
        }
        *(heatmap_sums *)own_sums = own;
        *(heatmap_sums *)their_sums = their;
    }

    HEATMAP_CLONES
    static int32_t heatmap_net(const int16_t *columns, const uint16_t *mover_sums, const uint16_t *other_sums,
                               const int16_t *outputs,
                               const uint64_t *mover_words, const uint64_t *mover_seen, const uint8_t *mover_counts,
                               const uint64_t *other_words, const uint64_t *other_seen, const uint8_t *other_counts,
                               int rare_words, int16_t one) {
        heatmap_sums mover = *(const heatmap_sums *)mover_sums, other = *(const heatmap_sums *)other_sums;
        for (int side = 0; side < 2; side++) {
            const uint64_t *words = side ? other_words : mover_words;
            const uint64_t *rare = side ? other_seen : mover_seen;
            const uint8_t *counts = side ? other_counts : mover_counts;
            heatmap_sums own = side ? other : mover, their = side ? mover : other;
            for (uint64_t packed = heatmap_nonzero(words); packed; packed &= packed - 1) {
                int input = __builtin_ctzll(packed);
                HEATMAP_ADD(words[input >> 3] >> 8 * (input & 7) & 0xFF, input);
            }
            for (int word = 0; word < rare_words; word++)
                for (uint64_t seen = rare[word]; seen; seen &= seen - 1) {
                    int input = 64 * word + __builtin_ctzll(seen);
                    HEATMAP_ADD(counts[input], 64 + input);
                }
            mover = side ? their : own;
            other = side ? own : their;
        }
        return heatmap_weigh(&mover, outputs, one) + heatmap_weigh(&other, outputs + 16, one);
    }
    """
    void _add_columns "heatmap_add_columns"(const int16_t* columns, const int16_t* numbers, int count, uint16_t* own_sums,
                                            uint16_t* their_sums) noexcept nogil
    int32_t _net "heatmap_net"(const int16_t* columns, const uint16_t* mover_sums, const uint16_t* other_sums,
                               const int16_t* outputs,
                               const uint64_t* mover_words, const uint64_t* mover_seen, const uint8_t* mover_counts,
                               const uint64_t* other_words, const uint64_t* other_seen, const uint8_t* other_counts,
                               int rare_words, int16_t one) noexcept nogil

assert HIDDEN == 16  # as in the vectors above

MOST_INPUTS = INPUTS
NET_HIDDEN = HIDDEN
STAGES = NET_STAGES
ONE_SUM = SUM_ONE
ONE_WEIGHT = OUTPUT_ONE
UNITS = NET_UNITS
MOST_WEIGHT = MOST_OUTPUT_WEIGHT


cdef inline int _stage(int pieces) noexcept nogil:
    # A board that was set up may hold more than 32 pieces.
    return min((pieces - 1) * NET_STAGES / 32, NET_STAGES - 1)


cdef void add_columns(const NetWeights* net, const int16_t* numbers, int count, uint16_t* own, uint16_t* their) noexcept nogil:
    """Add inputs, each as often as its number is there, to the sums of the side that has them, and of the other one."""
    _add_columns(&net.columns[0][0][0], numbers, count, own, their)


cdef int64_t net_output(const NetWeights* net, const uint16_t* mover_sums, const uint16_t* other_sums, const Heat* mover,
                        const Heat* other, int pieces) noexcept nogil:
    """The output in SUM_ONE * SUM_ONE * OUTPUT_ONE-ths; the sums given are biases and what pawns and kings add."""
    cdef int stage = _stage(pieces)
    return <int64_t>net.output_biases[stage] + _net(
        &net.columns[0][0][0], mover_sums, other_sums, &net.outputs[stage][0][0],
        mover.words, mover.seen, mover.counts, other.words, other.seen, other.counts, RARE_WORDS, SUM_ONE)


cdef class HeatNet:
    """A net laid out for C, from arrays of whole numbers; their ranges are the caller's to check."""

    def __cinit__(self, const int16_t[:, :, ::1] columns not None, const int16_t[::1] biases not None,
                  const int16_t[:, :, ::1] outputs not None, const int32_t[::1] output_biases not None):
        if (columns.shape[0], columns.shape[1], columns.shape[2], biases.shape[0]) != (INPUTS, 2, HIDDEN, HIDDEN):
            raise ValueError(f"expected {INPUTS} columns of 2 x {HIDDEN}")
        if ((outputs.shape[0], outputs.shape[1], outputs.shape[2], output_biases.shape[0])
                != (NET_STAGES, 2, HIDDEN, NET_STAGES)):
            raise ValueError(f"expected {NET_STAGES} rows of 2 x {HIDDEN}")
        memcpy(self.c.columns, &columns[0, 0, 0], sizeof(self.c.columns))
        memcpy(self.c.biases, &biases[0], sizeof(self.c.biases))
        memcpy(self.c.outputs, &outputs[0, 0, 0], sizeof(self.c.outputs))
        memcpy(self.c.output_biases, &output_biases[0], sizeof(self.c.output_biases))
