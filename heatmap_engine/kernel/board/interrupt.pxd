"""Long work gives way to Ctrl-C: the kernel asks for it every few milliseconds."""

from cpython.exc cimport PyErr_CheckSignals

cdef inline int check_interrupt() except -1 nogil:
    """Raise what a signal handler raised; call it without the GIL and not more often than every 100 µs."""
    with gil:
        PyErr_CheckSignals()
    return 0
