"""How deep heat may be counted; the face of landings.pyx for the rest of the kernel."""

cpdef enum:
    # Plies. Far beyond what can be counted in a lifetime; it bounds stacks and tables of weights.
    MAX_HEAT_DEPTH = 32
