"""The board in the browser: this room translates between a page and the engine, and does nothing else."""
