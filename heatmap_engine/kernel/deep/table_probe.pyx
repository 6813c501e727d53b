"""The positions a few plies from a root: their keys for one read of the Q-table, and the way back from it."""

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc, realloc

from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject

from heatmap_engine.kernel.board.keys cimport key_of_position
from heatmap_engine.kernel.board.moves cimport MoveSets, find_moves, list_moves
from heatmap_engine.kernel.board.packed cimport PackedPosition
from heatmap_engine.kernel.board.position cimport MAX_MOVES, Move, uci_name
from heatmap_engine.kernel.deep.keyed_position cimport KeyedPosition, make_keyed_move, set_keyed_position
from heatmap_engine.kernel.deep.transpositions cimport (
    EXACT, NO_VALUE, TableEntry, TranspositionTable, store_learned, stored_move,
)


cdef struct Neighbour:
    KeyedPosition keyed
    int32_t parent   # index; -1 for the root
    Move move        # the move that led here
    Move reply       # the best move known here, or 0
    int value        # for the side to move
    int depth        # -1: nothing is known


cdef class TableProbe:
    """The root and what is reached from it in up to `plies` moves, transpositions each time."""

    cdef Neighbour* _all
    cdef int32_t _count
    cdef int32_t _room
    cdef list _keys

    def __cinit__(self, PackedPosition root not None, int plies):
        cdef int32_t first = 0
        cdef int32_t last, i
        self._make_room(1)
        set_keyed_position(&self._all[0].keyed, &root.c)
        self._all[0].parent = -1
        self._all[0].move = 0
        self._count = 1
        for _ in range(plies):
            last = self._count
            for i in range(first, last):
                self._add_children(i)
            first = last
        self._keys = [key_of_position(&self._all[i].keyed.position) for i in range(self._count)]

    def __dealloc__(self):
        free(self._all)

    cdef int _make_room(self, int32_t more) except -1:
        cdef void* moved
        if self._count + more > self._room:
            self._room = 2 * self._room + more
            moved = realloc(self._all, self._room * sizeof(Neighbour))
            if moved == NULL:
                raise MemoryError
            self._all = <Neighbour*>moved
        return 0

    cdef int _add_children(self, int32_t index) except -1:
        cdef MoveSets sets
        cdef Move[MAX_MOVES] moves
        cdef Neighbour* child
        cdef int i
        cdef int count
        find_moves(&self._all[index].keyed.position, &sets)
        count = list_moves(&self._all[index].keyed.position, &sets, moves)
        self._make_room(count)
        for i in range(count):
            child = &self._all[self._count + i]
            make_keyed_move(&self._all[index].keyed, moves[i], &child.keyed)
            child.parent = index
            child.move = moves[i]
        self._count += count
        return 0

    @property
    def keys(self):
        """The Q-table's key of each position, the root's first, then its children's."""
        return self._keys

    def put(self, TranspositionTable table not None, dict known not None):
        """Put what is known into a table, for the search to come; says of how many positions.

        `known` is (value for the side to move, depth) by key. The best reply goes along where replies are
        known. The root is left out: it is what will be searched.
        """
        cdef int32_t i
        cdef int32_t found = 0
        cdef PyObject* value_and_depth
        cdef TableEntry entry
        for i in range(self._count):
            self._all[i].reply = 0
            self._all[i].depth = -1
            value_and_depth = PyDict_GetItem(known, self._keys[i])
            if value_and_depth != NULL:
                self._all[i].value, self._all[i].depth = <object>value_and_depth
        self._find_replies()
        entry.evaluation = NO_VALUE
        entry.bound = EXACT
        for i in range(1, self._count):
            if self._all[i].depth >= 0:
                entry.move = stored_move(self._all[i].reply)
                entry.value = self._all[i].value
                entry.depth = self._all[i].depth
                store_learned(&table.c, self._all[i].keyed.key, &entry)
                found += 1
        return found

    cdef void _find_replies(self) noexcept nogil:
        """The reply to each position that leaves the other side worst off, of those that are known."""
        cdef int32_t* best = <int32_t*>malloc(self._count * sizeof(int32_t))
        cdef int32_t i, parent
        if best == NULL:
            return  # replies only help to order moves
        for i in range(self._count):
            best[i] = -1
        for i in range(1, self._count):
            parent = self._all[i].parent
            if self._all[i].depth >= 0 and (best[parent] < 0 or self._all[i].value < self._all[best[parent]].value):
                best[parent] = i
                self._all[parent].reply = self._all[i].move
        free(best)

    def reply_to(self, str move not None):
        """The best known reply to a move of the root, by UCI names, after `put`; None if there is none."""
        cdef int32_t i
        for i in range(1, self._count):
            if self._all[i].parent:
                break
            if uci_name(&self._all[0].keyed.position, self._all[i].move) == move:
                if self._all[i].reply == 0:
                    return None
                return uci_name(&self._all[i].keyed.position, self._all[i].reply)
        return None
