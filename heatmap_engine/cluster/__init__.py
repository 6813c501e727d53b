"""A pool on the machines of a Ray cluster; Ray is optional, so this is imported only when asked for."""
