"""The records of play: PGN archive, opening suites, the journal of what was learned."""
