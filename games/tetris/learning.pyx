"""Q-learning for the network, a round at a time: play, remember, and learn from what is remembered.

A transition is a placement, its reward, and the best placement of the piece that came next, as the network saw
it then. Its value should be the reward and `discount` times what the network of today thinks of that next
placement. Errors, targets and gradients are cut off, and the steps are Adam's.
"""

from libc.math cimport fabsf, sqrt, sqrtf
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from games.tetris.board cimport PIECE_KINDS, Board, Shape
from games.tetris.game cimport AHEAD, Game, GameState, draw_piece, next_random, put, random_below, random_share
from games.tetris.measuring cimport FEATURES, Surface, count_placement, survey, value_of
from games.tetris.network cimport (
    HIDDEN,
    MOST_INPUTS,
    NUMBERS,
    Counts,
    Limits,
    Move,
    Net,
    Network,
    best_move,
    fill_inputs,
    legal_move,
    value_of_inputs,
)

import numpy as np

cdef struct Transition:
    float[MOST_INPUTS] inputs
    float[MOST_INPUTS] next_inputs
    float reward
    bint is_end

cdef struct Rates:
    double discount
    double step
    double l2
    float most_error
    float most_target
    double most_gradient
    double recent_share
    int batch
    int64_t recent
    double[FEATURES] reward
    double reward_base
    double death
    uint64_t deep


cdef class Learner:
    """Learns a network in place; a round begins with an empty memory, so that it depends on what it is given."""

    cdef Network _network
    cdef Net _gradient
    cdef Net _mean
    cdef Net _square
    cdef Net _target
    cdef readonly int64_t steps
    cdef Rates _rates
    cdef Limits _limits
    cdef Counts _counts
    cdef Transition* _memory
    cdef int64_t _size
    cdef int64_t _remembered
    cdef uint64_t _random

    def __cinit__(self, Network network, *, int64_t memory, **_):
        self._memory = <Transition*> calloc(memory, sizeof(Transition))
        if self._memory == NULL:
            raise MemoryError
        self._size = memory

    def __dealloc__(self):
        free(self._memory)

    def __init__(self, Network network, *, int64_t memory, reward, bint deep, double reward_base, double death,
                 double discount, double step, double l2, int batch, double recent_share, int64_t recent,
                 double most_error, double most_target, double most_gradient):
        self._network = network
        for number in range(FEATURES):
            self._rates.reward[number] = reward[number]
        self._rates.reward[0] /= 4
        self._rates.deep = ~<uint64_t> 0 if deep else 0
        self._rates.reward_base, self._rates.death = reward_base, death
        self._rates.discount, self._rates.step, self._rates.l2 = discount, step, l2
        self._rates.batch, self._rates.recent_share, self._rates.recent = batch, recent_share, recent
        self._rates.most_error, self._rates.most_target = most_error, most_target
        self._rates.most_gradient = most_gradient
        self._limits.evaluations, self._limits.stop_positions, self._limits.stop_rotations = 300, 10, 20
        self._limits.excellent, self._limits.holes, self._limits.lines = 100.0, 15, 50

    @property
    def moments(self):
        """Adam's memory: mean and square of the gradients, as arrays."""
        mean, square = np.empty(NUMBERS, dtype=np.float32), np.empty(NUMBERS, dtype=np.float32)
        cdef float[::1] mean_view = mean
        cdef float[::1] square_view = square
        memcpy(&mean_view[0], &self._mean, NUMBERS * sizeof(float))
        memcpy(&square_view[0], &self._square, NUMBERS * sizeof(float))
        return mean, square

    def set_moments(self, mean, square, int64_t steps):
        cdef float[::1] mean_view = np.ascontiguousarray(mean, dtype=np.float32)
        cdef float[::1] square_view = np.ascontiguousarray(square, dtype=np.float32)
        if mean_view.shape[0] != NUMBERS or square_view.shape[0] != NUMBERS:
            raise ValueError(f"expected {NUMBERS} numbers, got {mean_view.shape[0]}")
        memcpy(&self._mean, &mean_view[0], NUMBERS * sizeof(float))
        memcpy(&self._square, &square_view[0], NUMBERS * sizeof(float))
        self.steps = steps

    def learn(self, transitions):
        """A step from one batch of inputs, inputs of what came next, reward, and whether the game ended."""
        cdef float[::1] inputs, next_inputs
        cdef int i, size = self._network.width + 19
        cdef double error = 0.0
        memcpy(&self._target, &self._network.net, sizeof(Net))
        memset(&self._gradient, 0, sizeof(Net))
        for one, following, reward, is_end in transitions:
            inputs = np.ascontiguousarray(one, dtype=np.float32)
            next_inputs = np.ascontiguousarray(following, dtype=np.float32)
            if inputs.shape[0] != size or next_inputs.shape[0] != size:
                raise ValueError(f"expected {size} inputs, got {inputs.shape[0]}")
            for i in range(size):
                self._memory[0].inputs[i] = inputs[i]
                self._memory[0].next_inputs[i] = next_inputs[i]
            self._memory[0].reward, self._memory[0].is_end = reward, is_end
            error += fabsf(self._learn_one(&self._memory[0]))
        self._adam()
        return error / len(transitions)

    def play_round(self, Game game, uint64_t seed, int64_t pieces, double epsilon, int64_t most_lines,
                   int64_t target_every, int learn_every):
        """So many pieces, from an empty memory; the counts of the games that ended, their lines and the error.

        The game is only the model of all games: each begins anew.
        """
        cdef int64_t number
        cdef int64_t[3] ended = [0, 0, 0]
        cdef double error = 0.0
        cdef int64_t learned = 0
        cdef GameState start = game.state
        cdef GameState state
        cdef Transition pending
        cdef bint has_pending = False
        self._random = seed
        self._remembered = 0
        with nogil:
            memcpy(&self._target, &self._network.net, sizeof(Net))
            self._renew(&state, &start)
            for number in range(pieces):
                if not self._step(&state, &pending, &has_pending, epsilon) or state.lines >= most_lines:
                    ended[0] += 1
                    ended[1] += state.lines
                    ended[2] += state.is_over
                    self._renew(&state, &start)
                    has_pending = False
                if number % target_every == 0:
                    memcpy(&self._target, &self._network.net, sizeof(Net))
                if number % learn_every == 0 and self._remembered >= 8 * self._rates.batch:
                    error += self._learn()
                    learned += 1
        return {"games": ended[0], "lines": ended[1], "deaths": ended[2],
                "error": error / max(learned, 1), "explored": self._counts.explored}

    cdef void _renew(self, GameState* state, const GameState* start) noexcept nogil:
        cdef int i
        state[0] = start[0]
        state.stream.random = next_random(&self._random)
        for i in range(AHEAD + 1):
            draw_piece(state)

    cdef bint _step(
        self, GameState* state, Transition* pending, bint* has_pending, double epsilon
    ) noexcept nogil:
        """Place a piece, and remember what the one before came to; False where the game is over."""
        cdef Move move, chosen
        cdef int inputs = self._network.width + 19
        best_move(&self._network.net, &self._limits, state, &self._counts, &move)
        if has_pending[0]:
            pending.is_end = move.shape == NULL
            if pending.is_end:
                memset(pending.next_inputs, 0, sizeof(pending.next_inputs))
            else:
                fill_inputs(state, &move.outline, pending.next_inputs)
            self._memory[self._remembered % self._size] = pending[0]
            self._remembered += 1
        if move.shape == NULL:
            state.is_over = True
            return False
        if random_share(&self._random) < epsilon:
            self._counts.explored += 1
            if legal_move(
                state, random_below(&self._random, 4), random_below(&self._random, state.board.width), &chosen
            ):
                move = chosen
        fill_inputs(state, &move.outline, pending.inputs)
        pending.reward = self._reward(&state.board, &move)
        has_pending[0] = True
        put(state, move.shape, move.column, move.y)
        return True

    cdef float _reward(self, const Board* board, const Move* move) noexcept nogil:
        cdef Surface surface
        cdef int32_t[FEATURES] found
        survey(board, &surface, self._rates.deep, True)
        count_placement(board, &surface, move.shape, move.column, move.y, found)
        return self._rates.reward_base + value_of(found, self._rates.reward)

    cdef double _learn(self) noexcept nogil:
        """A step from one batch; the mean size of its errors."""
        cdef int i
        cdef double error = 0.0
        memset(&self._gradient, 0, sizeof(Net))
        for i in range(self._rates.batch):
            error += fabsf(self._learn_one(&self._memory[self._drawn()]))
        self._adam()
        return error / self._rates.batch

    cdef int64_t _drawn(self) noexcept nogil:
        """A place in the memory: mostly of recent play, else any."""
        cdef int64_t stored = min(self._remembered, self._size)
        cdef int64_t recent = min(stored, self._rates.recent)
        if random_share(&self._random) < self._rates.recent_share:
            return (self._remembered - 1 - <int64_t> (random_share(&self._random) * recent)) % self._size
        return <int64_t> (random_share(&self._random) * stored)

    cdef float _learn_one(self, const Transition* transition) noexcept nogil:
        """Add a transition's gradient; its error before it is cut off."""
        cdef Net* net = &self._network.net
        cdef Net* gradient = &self._gradient
        cdef float[HIDDEN] sums
        cdef float target, value = net.second_bias, error, cut
        cdef int i, j, inputs = self._network.width + 19
        target = transition.reward
        if transition.is_end:
            target += self._rates.death
        elif self._rates.discount > 0:
            target += self._rates.discount * value_of_inputs(&self._target, transition.next_inputs, inputs)
        target = max(-self._rates.most_target, min(self._rates.most_target, target))
        memcpy(sums, net.first_bias, sizeof(sums))
        for i in range(inputs):
            if transition.inputs[i] != 0:
                for j in range(HIDDEN):
                    sums[j] += transition.inputs[i] * net.first[i][j]
        for j in range(HIDDEN):
            sums[j] = sums[j] if sums[j] > 0 else 0
            value += sums[j] * net.second[j]
        error = value - target
        cut = max(-self._rates.most_error, min(self._rates.most_error, error)) / self._rates.batch
        gradient.second_bias += cut
        for j in range(HIDDEN):
            gradient.second[j] += cut * sums[j]
            sums[j] = cut * net.second[j] if sums[j] > 0 else 0
            gradient.first_bias[j] += sums[j]
        for i in range(inputs):
            if transition.inputs[i] != 0:
                for j in range(HIDDEN):
                    gradient.first[i][j] += transition.inputs[i] * sums[j]
        return error

    cdef void _adam(self) noexcept nogil:
        """A step of Adam along the gradient, which is shortened where it is too long."""
        cdef float* numbers = <float*> &self._network.net
        cdef float* gradient = <float*> &self._gradient
        cdef float* mean = <float*> &self._mean
        cdef float* square = <float*> &self._square
        cdef double length = 0.0
        cdef float scale = 1.0, l2 = self._rates.l2, step, one, two
        cdef int64_t i
        for i in range(NUMBERS):
            length += gradient[i] * gradient[i]
        if length > self._rates.most_gradient * self._rates.most_gradient:
            scale = self._rates.most_gradient / sqrt(length)
        self.steps += 1
        one = 1.0 - 0.9 ** min(self.steps, 10000)
        two = 1.0 - 0.999 ** min(self.steps, 100000)
        step = self._rates.step * sqrtf(two) / one
        for i in range(NUMBERS):
            gradient[i] = scale * gradient[i] + l2 * numbers[i]
            mean[i] += <float> 0.1 * (gradient[i] - mean[i])
            square[i] += <float> 0.001 * (gradient[i] * gradient[i] - square[i])
            numbers[i] -= step * mean[i] / (sqrtf(square[i]) + <float> 1e-8)
