"""All that only the deep search needs: the search, weights, settings, levels, and how it learns a game."""
