"""What players count of a placement and of the board that it leaves, by name.

| feature            | counts                                                                       |
|--------------------|------------------------------------------------------------------------------|
| landing_height     | how high the middle of the piece's cells lies, the lowest row being 1        |
| eroded_cells       | cleared lines times the piece's own cells in them                            |
| row_transitions    | changes between filled and empty along all rows; walls are filled            |
| column_transitions | the same along columns; the floor is filled, and so is a ceiling             |
| holes              | empty cells below a filled one of their column                               |
| wells              | 1 + 2 + ... + d for each d cells, one above the other, between filled ones   |
| deep_wells         | the same, but a well goes on down through empty cells open to a side         |
| hole_depth         | for each hole the filled cells above it in its column                        |
| rows_with_holes    | rows with at least one hole                                                  |
| pattern_diversity  | how many of the steps -2, -1, 0, 1, 2 there are between neighbouring columns |
| height             | the columns' heights, added up                                               |
| lines              | lines that the placement clears                                              |
| bumpiness          | the differences between neighbouring columns' heights, added up              |

All but the first two are counted after full rows are gone. `wells` are the document's. With `deep_wells`, in
their place, the published weights survive as long as was published. For columns the ceiling lies an empty row
above the board: without that row a column that reaches the top would have fewer transitions than others, and
weights that fear transitions would build towers.
"""

NAMES = (
    "landing_height",
    "eroded_cells",
    "row_transitions",
    "column_transitions",
    "holes",
    "wells",
    "hole_depth",
    "rows_with_holes",
    "pattern_diversity",
    "height",
    "lines",
    "bumpiness",
)
"""All features in the order of the compiled code, which counts one kind of wells at a time."""

DEEP_WELLS = "deep_wells"

OF_THE_PLACEMENT = ("landing_height", "eroded_cells", "lines")
"""With lookahead these are added up over all placements. The rest is the last board's."""

FEATURE_SETS = {
    "basic": ("height", "lines", "holes", "bumpiness"),
    "dellacherie": NAMES[:6],
    "dellacherie_thiery": NAMES[:8],
    "outline": ("holes", "wells", "pattern_diversity", "height", "bumpiness"),
    "published": tuple(DEEP_WELLS if name == "wells" else name for name in NAMES[:9]),
}
"""Four that come to mind first, Dellacherie's six, Dellacherie and Thiéry's eight, and what the
columns' heights tell (the network's rewards are made of it), and the nine of papers."""
