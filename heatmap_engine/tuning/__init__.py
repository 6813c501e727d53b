"""Learning the deep search's weights: runs that play, learn and measure, round after round."""
