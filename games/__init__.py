"""What several games share, and a package for each of them."""
