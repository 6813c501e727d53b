"""What the searches of both modes have in common that know the engine's table."""

from collections.abc import Callable

from heatmap_engine.engines.observer import AnyPick, Observer
from heatmap_engine.uci.go_job import AnyEngine, Asked, GoJob

# Takes what is to be recorded, and has another thread do so.
Write = Callable[[Callable[[], None]], None]


class RecordingJob(GoJob[AnyEngine], Observer[AnyPick]):
    """Searches with the engine and its table."""

    def __init__(self, asked: Asked, write: Write) -> None:
        super().__init__(asked)
        self._write = write
        self._lines = asked.options.number("MultiPV")
        self._epsilon = asked.options.epsilon if asked.go.plays else 0.0

    def on_found(self, record: Callable[[], None]) -> None:
        self._write(record)
