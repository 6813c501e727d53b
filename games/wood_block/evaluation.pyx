"""What a board costs, stage by stage, the cheap counts first. See evaluation.pxd."""

from games.wood_block.board import board_of
from games.wood_block.fields cimport STRIDE, Board, Field, Rules, count

NAMES = (
    "cells", "edges", "box_edges", "wall_cells", "corners", "diagonals", "holes", "dead_ends", "squeezed",
    "no_squares", "no_bars", "lines", "boxes", "line_halves", "box_halves", "misfits", "only_places",
    "short_of_room",
)
# A weight below zero is possible for these: they are counted before anything is left out.
SIGNED = NAMES[:4]
SCALE = UNIT

assert len(NAMES) == FEATURES

cdef inline void _count_edges(const Weights* weights, Board board, Board open, int* counts) noexcept nogil:
    cdef Board right = (board ^ (board >> 1))
    cdef Board down = (board ^ (board >> STRIDE))
    counts[CELLS] = count(board)
    counts[EDGES] = count(right & weights.right_inner) + count(down & weights.down_inner)
    counts[BOX_EDGES] = count(right & weights.right_border) + count(down & weights.down_border)
    counts[WALL_CELLS] = (
        count(board & weights.wall[0]) + count(board & weights.wall[1])
        + count(board & weights.wall[2]) + count(board & weights.wall[3])
    )

cdef inline void _count_shapes(const Weights* weights, Board board, Board open, int* counts) noexcept nogil:
    cdef Board right = board >> 1, down = board >> STRIDE, across = board >> (STRIDE + 1)
    cdef Board shut_left = open & ~(open << 1), shut_right = open & ~(open >> 1)
    cdef Board shut_up = open & ~(open << STRIDE), shut_down = open & ~(open >> STRIDE)
    cdef Board wide = shut_left & shut_right, tall = shut_up & shut_down
    cdef Board three = open & (open >> 1) & (open >> 2)
    cdef Board high = open & (open >> STRIDE) & (open >> (2 * STRIDE))
    counts[CORNERS] = count((board ^ right ^ down ^ across) & weights.windows)
    counts[DIAGONALS] = count(
        ((board & across & ~right & ~down) | (~board & ~across & right & down)) & weights.windows
    )
    counts[HOLES] = count(wide & tall)
    counts[DEAD_ENDS] = count((wide & (shut_up ^ shut_down)) | (tall & (shut_left ^ shut_right)))
    counts[SQUEEZED] = count(wide) + count(tall)
    counts[NO_SQUARES] = weights.all_squares - count(
        three & (three >> STRIDE) & (three >> (2 * STRIDE)) & weights.squares
    )
    counts[NO_BARS] = weights.all_bars - (
        count(three & (three >> 2) & weights.wide_bars)
        + count(high & (high >> (2 * STRIDE)) & weights.tall_bars)
    )

cdef inline void _count_regions(const Rules* rules, Board board, int* counts) noexcept nogil:
    cdef int i, number, lines = 0, boxes = 0, line_halves = 0, box_halves = 0
    for i in range(rules.lines):
        number = count(board & rules.region[i])
        lines += number > 0
        line_halves += number * (rules.size - number)
    for i in range(rules.lines, rules.regions):
        number = count(board & rules.region[i])
        boxes += number > 0
        box_halves += number * (9 - number)
    counts[LINES], counts[BOXES] = lines, boxes
    counts[LINE_HALVES], counts[BOX_HALVES] = line_halves, box_halves

cdef inline void _count_room(const Rules* rules, Board open, int* counts) noexcept nogil:
    cdef Board[4 * 64 + 1] known
    cdef int i, number, misfits = 0, only = 0, short_of = 0
    known[0] = open
    for i in range(rules.steps):
        known[i + 1] = (
            (known[rules.step[i].first] >> rules.step[i].first_shift)
            & (known[rules.step[i].second] >> rules.step[i].second_shift)
        )
        if rules.step[i].block < 0:
            continue
        number = count(known[i + 1] & rules.block[rules.step[i].block].inside)
        if number < 8:
            misfits += number == 0
            only += number == 1
            short_of += 8 - number
    counts[MISFITS], counts[ONLY_PLACES], counts[SHORT_OF_ROOM] = misfits, only, short_of

cdef inline int _sum(const Weights* weights, const int* counts, int first, int end) noexcept nogil:
    cdef int i, total = 0
    for i in range(first, end):
        total += weights.weight[i] * counts[i]
    return total

cdef int cost_of(const Rules* rules, const Weights* weights, Board board, int limit) noexcept nogil:
    """The cost of a board; a part of it that is `limit` or more where the whole would be, too."""
    cdef int[FEATURES] counts
    cdef Board open = rules.field & ~board
    cdef int cost
    _count_edges(weights, board, open, counts)
    cost = _sum(weights, counts, CELLS, CORNERS)
    if cost >= limit:
        return cost
    _count_shapes(weights, board, open, counts)
    cost += _sum(weights, counts, CORNERS, LINES)
    if cost >= limit:
        return cost
    _count_regions(rules, board, counts)
    cost += _sum(weights, counts, LINES, MISFITS)
    if cost >= limit:
        return cost
    _count_room(rules, open, counts)
    return cost + _sum(weights, counts, MISFITS, FEATURES)

cdef int rough_cost_of(const Rules* rules, const Weights* weights, Board board) noexcept nogil:
    """The part of a board's cost that is counted fastest: enough to say which boards to follow first.

    It leaves out the regions and the room that blocks have, which take most of the time of a whole cost.
    """
    cdef int[FEATURES] counts
    cdef Board open = rules.field & ~board
    _count_edges(weights, board, open, counts)
    _count_shapes(weights, board, open, counts)
    return _sum(weights, counts, CELLS, LINES)


def _windows(size, height, width):
    return board_of((row, column) for row in range(size - height + 1) for column in range(size - width + 1))


cdef class Evaluation:
    """An evaluation of boards: the rules, compiled, and a weight for each feature."""

    def __init__(self, Field field, weights, per_point=0.0):
        cdef int i
        size, boxes = field.source.size, field.source.has_boxes
        grid = [(row, column) for row in range(size) for column in range(size)]
        self.field = field
        self.weights.per_point = round(UNIT * per_point)
        for i in range(FEATURES):
            self.weights.weight[i] = round(UNIT * weights[i])
        right = [cell for cell in grid if cell[1] + 1 < size]
        down = [cell for cell in grid if cell[0] + 1 < size]
        self.weights.right_border = board_of(cell for cell in right if boxes and cell[1] % 3 == 2)
        self.weights.down_border = board_of(cell for cell in down if boxes and cell[0] % 3 == 2)
        self.weights.right_inner = board_of(right) & ~self.weights.right_border
        self.weights.down_inner = board_of(down) & ~self.weights.down_border
        for i in range(4):
            self.weights.wall[i] = board_of(
                cell for cell in grid if cell[i // 2] == (0 if i % 2 else size - 1)
            )
        self.weights.windows = _windows(size, 2, 2)
        self.weights.squares = _windows(size, 3, 3)
        self.weights.wide_bars = _windows(size, 1, 5)
        self.weights.tall_bars = _windows(size, 5, 1)
        self.weights.all_squares = count(self.weights.squares)
        self.weights.all_bars = count(self.weights.wide_bars) + count(self.weights.tall_bars)

    def cost(self, Board board, int limit=NO_COST):
        """The cost of a board in thousandths."""
        return cost_of(&self.field.rules, &self.weights, board, limit)

    def features(self, Board board):
        """What is counted on a board, in the order of NAMES."""
        cdef int[FEATURES] counts
        cdef Board open = self.field.rules.field & ~board
        cdef int i
        _count_edges(&self.weights, board, open, counts)
        _count_shapes(&self.weights, board, open, counts)
        _count_regions(&self.field.rules, board, counts)
        _count_room(&self.field.rules, open, counts)
        return tuple(counts[i] for i in range(FEATURES))

    def cost_many(self, Board board, int times):
        """The sum of the whole costs of that many boards that differ from one in a cell: to measure speed."""
        cdef int i
        cdef long long total = 0
        cdef Board field = self.field.rules.field
        with nogil:
            for i in range(times):
                total += cost_of(&self.field.rules, &self.weights, (board ^ (<Board>1 << (i % 97))) & field, NO_COST)
        return total
