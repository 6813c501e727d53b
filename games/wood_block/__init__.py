"""The wood block puzzle: three blocks at a time on a grid, where full rows, columns and boxes vanish.

`rules` are the rules as data, `reference` is the slow and obvious specification of the game and of the
evaluation, and `players` are those who play it: at random, by Monte Carlo tree search, or by searching the
whole hand with a learned evaluation.
"""
