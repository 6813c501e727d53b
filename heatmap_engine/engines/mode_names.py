"""The two ways to think, by name. This module loads next to nothing: the options of UCI need it."""

from typing import Literal, get_args

Mode = Literal["deep", "classic"]
MODES: tuple[Mode, ...] = get_args(Mode)
