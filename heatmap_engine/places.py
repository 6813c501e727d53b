"""Where the user's own files are, by the rules of the system."""

from pathlib import Path

from platformdirs import user_data_path


def default_table_path() -> Path:
    """The table of everyone who names no other; neither it nor its folder need be there yet."""
    return user_data_path("heatmap-engine") / "default.table"


def runs_path() -> Path:
    """Where runs of self-play are kept unless the user says otherwise; it need not be there yet."""
    return user_data_path("heatmap-engine") / "runs"
