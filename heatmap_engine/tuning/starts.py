"""The weights that a tuning run begins with, by the words of the command line."""

from dataclasses import replace

from heatmap_engine.deep.adopted import PACKAGE, weights_in_use
from heatmap_engine.deep.weights import CMHM2, DeepWeights, learned_weights, load_weights

# In a fit's eyes a pawn's move is worth about eight units where cmhm2 says one.
_CMHM2_UNIT = 8.0
ZEROS = DeepWeights("zeros", {}, worth=(1.0, 1.0, 1.0, 1.0, 1.0, 0.0))
"""Nothing counts anything; in an exchange all pieces are alike."""

# The word for the weights in use.
OWN = "own"
# Starts that no game has taught anything.
UNLEARNED = ("cmhm2", "zeros")


def starting_weights(start: str) -> DeepWeights:
    """cmhm2, zeros, package, own (those in use), or the file of that name; raises InvalidWeights."""
    if start == "zeros":
        return ZEROS
    if start == "cmhm2":
        return replace(CMHM2.scaled(_CMHM2_UNIT), name="cmhm2")
    if start == OWN:
        return weights_in_use()
    return learned_weights() if start == PACKAGE else load_weights(start)
