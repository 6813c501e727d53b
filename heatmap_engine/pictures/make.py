"""A picture in one call, for notebooks and scripts."""

from heatmap_engine.board.reading import BoardLike
from heatmap_engine.engines.engine import Engine
from heatmap_engine.pictures.picture import Arrows, Picture, Side, Style, picture_of
from heatmap_engine.reports.report import Report


def picture(
    asked: Report | BoardLike,
    *,
    side: Side = "both",
    arrows: Arrows = "candidates",
    flip: bool = False,
    colours: str = "orange-blue",
    width: int = 640,
    limit: float | None = None,
) -> Picture:
    """The picture of a report, or of a position about which no table is asked.

    Arrows look ahead where the report has candidates. `limit` is the heat at the end of the
    scale; pictures that are to be compared need the same one.
    """
    style = Style(side, arrows, flip, colours, width, limit)
    if isinstance(asked, Report):
        return picture_of(asked, style)
    with Engine(record="off") as engine:
        return picture_of(engine.report(asked, candidates=True), style)
