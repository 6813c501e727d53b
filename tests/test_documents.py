"""Links between documents lead somewhere, and so do the pages that code and tests name."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    path
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").rglob("*.md"))
)
SOURCES = sorted(
    path
    for folder in ("heatmap_engine", "qtable", "games", "tests", "benchmarks", "docs")
    for ending in ("py", "pyx", "pxd", "json", "sh", "yaml", "html")
    for path in (ROOT / folder).rglob(f"*.{ending}")
)

_LINK = re.compile(r'\]\(([^)\s]+)\)|src="([^"]+)"')
_PAGE = re.compile(r"\b(?:docs|benchmarks/records)/[\w/.-]*\.(?:md|yaml|svg)\b")
_CODE = re.compile(r"```.*?```", re.DOTALL)


def anchors_of(document: Path) -> set[str]:
    """The headings of a page as links name them: in small letters, without marks, hyphens for spaces."""
    headings = re.findall(r"^#+ (.*)$", _CODE.sub("", document.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.lower())) for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(document: Path) -> None:
    wrong = []
    for found in _LINK.finditer(_CODE.sub("", document.read_text(encoding="utf-8"))):
        link = found[1] or found[2]
        name, _, anchor = link.partition("#")
        target = document.parent / name if name else document
        is_right = link.startswith("http") or (
            target.exists() and (not anchor or anchor in anchors_of(target))
        )
        if not is_right:
            wrong.append(link)
    assert wrong == []


def test_pages_that_the_code_names_are_there() -> None:
    named = {
        f"{path.relative_to(ROOT)} names {page}"
        for path in SOURCES
        for page in _PAGE.findall(path.read_text(encoding="utf-8"))
        if not (ROOT / page).exists()
    }
    assert named == set()


def test_advice_to_install_works_without_a_package_index() -> None:
    """Nothing is published: `pip install "heatmap-engine[plot]"` fails, `".[plot]"` in the folder works."""
    published = re.compile(r"pip install (-\S+ )*[\"']?heatmap[-_]engine\b")
    wrong = [
        str(path.relative_to(ROOT))
        for path in (*SOURCES, *DOCUMENTS, ROOT / "conftest.py")
        if path != Path(__file__) and published.search(path.read_text(encoding="utf-8"))
    ]
    assert wrong == []


def test_every_page_is_reached_from_the_readme() -> None:
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop().resolve()
        if page in reached or page.suffix != ".md" or not page.exists():
            continue
        reached.add(page)
        links = (found[1] or found[2] for found in _LINK.finditer(page.read_text(encoding="utf-8")))
        ahead += [page.parent / link.partition("#")[0] for link in links if not link.startswith("http")]
    assert [path.relative_to(ROOT).as_posix() for path in DOCUMENTS if path not in reached] == []
