"""The deep search of a session: made when deep mode is first wanted, and made anew for another size."""

from collections.abc import Callable

from heatmap_engine.deep import DeepSearch
from heatmap_engine.heat_weights import learned_weights

_SMALLEST_HASH_MIB = 1


class DeepMode:
    """Belongs to the searching thread, but for `stop`."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._made: DeepSearch | None = None
        self._size = (0, 0)

    @property
    def search(self) -> DeepSearch:
        """The search, which `prepare` has made."""
        assert self._made is not None  # setting an option prepares it before anybody can ask
        return self._made

    def prepare(self, hash_mib: int, threads: int) -> None:
        """Have a search of this size; what an earlier one of another size remembered is lost."""
        if self._made is not None and self._size == (hash_mib, threads):
            return
        self._made = None  # gives its memory back before more is asked for
        try:
            self._made = DeepSearch(learned_weights(), hash_mib=hash_mib, threads=threads)
        except MemoryError:
            self._tell(
                f"there is no memory for a Hash of {hash_mib} MiB; it has {_SMALLEST_HASH_MIB} MiB now"
            )
            self._made = DeepSearch(learned_weights(), hash_mib=_SMALLEST_HASH_MIB, threads=threads)
        self._size = (hash_mib, threads)

    def clear(self) -> None:
        """Forget what earlier searches found."""
        if self._made is not None:
            self._made.clear()

    def stop(self) -> None:
        """End a running search, from any thread."""
        made = self._made
        if made is not None:
            made.stop()
