"""What both searches know of positions: reading them, their keys, how games end, what came before."""
