"""Perfect clears: how a queue of pieces empties the board, or a proof that it cannot.

A perfect clear leaves no cell filled. `solver` answers for a known queue, `chances` for one that ends in
pieces nobody knows yet, and `reference` is the slow and obvious specification of both.
"""
