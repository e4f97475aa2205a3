"""`python -m benchmarks` computes what it is asked for, or fails."""

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def program():
    """The program of the benchmarks, which is no part of the package."""
    sys.path.insert(0, str(ROOT))
    try:
        yield importlib.import_module("benchmarks.__main__")
    finally:
        sys.path.remove(str(ROOT))


def bench(rows, **tables):
    frames = {name: pd.DataFrame(values) for name, values in tables.items()}
    return SimpleNamespace(rows=lambda: rows, details=lambda: frames)


def test_a_benchmark_without_times_computes_its_tables(program):
    rows, tables = program.computed(bench([], differences={"x": [1.0]}))
    assert rows == []
    assert list(tables) == ["differences"]


@pytest.mark.parametrize("tables", [{}, {"differences": []}])
def test_a_benchmark_that_computes_nothing_fails(program, tables):
    with pytest.raises(ValueError, match="computed nothing"):
        program.computed(bench([], **tables))


@pytest.mark.parametrize("text", ["", "no number"])
def test_a_program_that_prints_no_number_fails(program, monkeypatch, text):
    module = SimpleNamespace(SMALL={"N": 1}, SMALL_WORDS=("1",), main=lambda _: print(text))
    monkeypatch.setattr(program.importlib, "import_module", lambda _: module)
    assert not program.runs_small("verdicts")
    module.main = lambda words: print(module.N, words)
    assert program.runs_small("verdicts")


def test_a_small_run_writes_to_a_folder_that_goes(program, monkeypatch):
    module = bench([{"work": "fit"}])
    module.SMALL = {}
    module.RESULTS = Path("kept")
    folders = []
    module.details = lambda: folders.append(module.RESULTS) or {"sizes": pd.DataFrame({"x": [1]})}
    monkeypatch.setattr(program.importlib, "import_module", lambda _: module)
    assert program.runs_small("growth")
    assert folders != [Path("kept")]
    assert not folders[0].exists()
