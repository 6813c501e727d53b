"""All that only the deep search needs: its search, weights, settings, levels, and thinking over again."""
