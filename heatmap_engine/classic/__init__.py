"""All that only the classic search needs: the score, the tree that is searched, and thinking over again."""
