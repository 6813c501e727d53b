"""The table stands alone: it knows no chess, and its errors can be named for nothing."""

import pkgutil

from table_processes import run_python

import qtable


def test_no_module_of_the_table_imports_chess_or_the_engine() -> None:
    modules = [f"qtable.{module.name}" for module in pkgutil.iter_modules(qtable.__path__)]
    assert "qtable.table" in modules
    script = (
        f"import importlib, sys; [importlib.import_module(name) for name in {modules}]\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'chess', 'heatmap_engine'}))"
    )
    assert run_python(script) == "[]\n"


def test_errors_are_imported_without_the_table() -> None:
    script = "import sys, qtable.errors; print({'sqlite3', 'qtable.table'} & set(sys.modules))"
    assert run_python(script) == "set()\n"


def test_every_public_name_is_there() -> None:
    assert all(getattr(qtable, name) is not None for name in qtable.__all__)
    assert set(qtable.__all__) <= set(dir(qtable))
