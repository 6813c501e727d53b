import numpy as np
import numpy.typing as npt

MOST_INPUTS: int
NET_HIDDEN: int
STAGES: int
ONE_SUM: int
ONE_WEIGHT: int
UNITS: int
MOST_WEIGHT: int

class HeatNet:
    def __init__(
        self,
        columns: npt.NDArray[np.int16],
        biases: npt.NDArray[np.int16],
        outputs: npt.NDArray[np.int16],
        output_biases: npt.NDArray[np.int32],
    ) -> None: ...
