"""The rules as the kernel needs them, and single questions to them. See fields.pxd."""

from games.wood_block.board import STRIDE as STRIDE_OF_BOARDS, board_of
from games.wood_block.reference import regions

assert STRIDE_OF_BOARDS == STRIDE

cdef int _fill_block(Block* block, object source, int size, list masks) except -1:
    cdef int i
    cdef Board cells, region
    block.cells = block.low_cells = board_of(source.cells)
    offsets = sorted(STRIDE * row + column for row, column in source.cells)
    block.cells_number = len(offsets)
    for i in range(block.cells_number):
        block.offset[i] = offsets[i]
    inside = [
        STRIDE * row + column
        for row in range(size - source.height + 1)
        for column in range(size - source.width + 1)
    ]
    block.inside = sum(1 << place for place in inside)
    block.places = len(inside)
    for i in range(block.places):
        block.place[i] = inside[i]
        block.index[inside[i]] = i
        block.taken[i] = 0
    for number, mask in enumerate(masks):
        region = mask
        block.touching[number] = 0
        for i in range(block.places):
            cells = block.cells << block.place[i]
            if region & cells:
                block.taken[i] += <Board>count(region & cells) << (4 * <int>number)
                block.touching[number] |= <Board>1 << block.place[i]
    return 0


def _moved(cells, down, right):
    return frozenset((row + down, column + right) for row, column in cells)


def _translations(part, whole):
    """How a part can be moved so that it lies in the whole."""
    height, width = (max(cell[axis] for cell in whole) + 1 for axis in (0, 1))
    for down in range(height):
        for right in range(width):
            if _moved(part, down, right) <= whole:
                yield down, right


def _union(known, whole):
    """Two known parts, and how they are moved, that together are the whole; None where there are none."""
    fitting = [
        (number, down, right, _moved(part, down, right))
        for number, part in enumerate(known)
        for down, right in _translations(part, whole)
    ]
    for first, down, right, cells in fitting:
        for second, other_down, other_right, others in fitting:
            if cells | others == whole:
                return first, STRIDE * down + right, second, STRIDE * other_down + other_right
    return None


def plan(blocks):
    """The steps that find where every block fits: (first, shift, second, shift, number of the block or -1).

    Parts are numbered: 0 is a single cell, n + 1 the result of step n.
    """
    known, steps = [frozenset({(0, 0)})], []

    def add(cells, number):
        found = _union(known, cells)
        if found is None:
            rest = cells - {max(cells)}
            down, right = (min(cell[axis] for cell in rest) for axis in (0, 1))
            add(_moved(rest, -down, -right), -1)
            found = _union(known, cells)
        known.append(cells)
        steps.append((*found, number))

    for number, block in sorted(enumerate(blocks), key=lambda one: len(one[1].cells)):
        add(block.cells, number)
    return steps


cdef class Field:
    """The rules, compiled."""

    def __init__(self, rules):
        cdef int i
        self.source = rules
        self.rules.size = rules.size
        self.rules.field = board_of((row, column) for row in range(rules.size) for column in range(rules.size))
        found = regions(rules)
        masks = [board_of(region) for region in found]
        self.rules.regions = len(masks)
        self.rules.lines = 2 * rules.size
        for i in range(self.rules.regions):
            self.rules.region[i] = masks[i]
            self.rules.region_cells[i] = len(found[i])
        self.rules.ones = sum(1 << 4 * i for i in range(len(masks)))
        self.rules.missing = missing_of(&self.rules, 0)
        self.rules.blocks = len(rules.blocks.blocks)
        for i in range(self.rules.blocks):
            _fill_block(&self.rules.block[i], rules.blocks.blocks[i], rules.size, masks)
        steps = plan(rules.blocks.blocks)
        if len(steps) > 4 * MOST_BLOCKS:
            raise MemoryError("expected blocks with fewer parts")
        self.rules.steps = len(steps)
        for i in range(self.rules.steps):
            step = &self.rules.step[i]
            step.first, step.first_shift, step.second, step.second_shift, step.block = steps[i]

    def places(self, Board board, int block):
        """The row and column of every place where a block of the set fits."""
        cdef Board found = places_of(&self.rules.block[block], self.rules.field & ~board)
        places = []
        while found:
            places.append(divmod(lowest(found), STRIDE))
            found &= found - 1
        return places

    def put(self, Board board, int block, int row, int column):
        """The board after a block was placed, and how many regions vanished; None where it does not fit."""
        cdef int clears = 0
        if not put(&self.rules, block, STRIDE * row + column, &board, &clears):
            return None
        return board, clears
