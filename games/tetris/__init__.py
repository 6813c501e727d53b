"""Tetris for players that are programs: a fast board, features, lookahead, evolution and a Q-network."""
