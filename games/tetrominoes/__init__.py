"""The seven pieces, how they turn, and in which order they come: what the games with tetrominoes share."""
