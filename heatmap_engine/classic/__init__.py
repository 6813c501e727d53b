"""All that only the classic search needs: the score, the search, its settings, and how it learns a game."""
