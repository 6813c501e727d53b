"""Our engine in deep mode as a side of a match."""

from dataclasses import dataclass, field
from pathlib import Path

from heatmap_engine.errors import InvalidSettings
from heatmap_engine.match.pace import Pace

# What a pick of the deep search looks at where nobody says.
DEPTH = 10


@dataclass(frozen=True, slots=True)
class DeepSide:
    """The deep search, played in the process itself. Its table is only read, unless it `learns`."""

    name: str
    table: Path | None = None
    weights: Path | None = None
    """A file of weights; None is the package's."""
    hash_mib: int = 16
    threads: int = 1
    learns: bool = False
    pace: Pace = field(default_factory=Pace)

    def __post_init__(self) -> None:
        if self.hash_mib < 1 or self.threads < 1:
            raise InvalidSettings(
                f"{self.name}: expected at least 1 MiB and 1 thread, got {self.hash_mib} and {self.threads}"
            )
        if self.learns and self.table is None:
            raise InvalidSettings(f"{self.name}: a side without a table has nowhere to learn into")

    def __str__(self) -> str:
        words = [f"hash={self.hash_mib}", f"threads={self.threads}"]
        return " ".join(["mode=deep", *([f"weights={self.weights}"] if self.weights else []), *words])
