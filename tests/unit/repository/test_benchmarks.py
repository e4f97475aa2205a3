"""`python -m benchmarks` computes what it is asked for, or fails."""

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def program():
    """The program of the benchmarks, which is no part of the package."""
    path = ROOT / "benchmarks/__main__.py"
    spec = importlib.util.spec_from_file_location("benchmarks_program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bench(rows, **tables):
    frames = {name: pd.DataFrame(values) for name, values in tables.items()}
    return SimpleNamespace(rows=lambda: rows, details=lambda: frames)


def test_a_benchmark_without_times_computes_its_tables(program):
    rows, tables = program.computed(bench([], differences={"x": [1.0]}), details=False)
    assert rows == []
    assert list(tables) == ["differences"]


def test_the_details_of_a_benchmark_with_times_are_computed_on_request_only(program):
    module = bench([{"work": "fit"}], sizes={"x": [1.0]})
    assert program.computed(module, details=False)[1] == {}
    assert list(program.computed(module, details=True)[1]) == ["sizes"]


@pytest.mark.parametrize("tables", [{}, {"differences": []}])
def test_a_benchmark_that_computes_nothing_fails(program, tables):
    with pytest.raises(ValueError, match="computed nothing"):
        program.computed(bench([], **tables), details=False)


def test_documents_cite_benchmarks_with_small_settings(program):
    """The nightly job runs these; the others are measured by hand."""
    pytest.importorskip("xnbflow.papers.xnb_paper", reason="they measure this paper")
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        without = {name for name in program.cited_names() if not program.has_small(name)}
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))
    assert without == set(program.WITHOUT_SMALL_SETTINGS)


def test_the_nightly_job_runs_the_cited_benchmarks():
    assert "python -m benchmarks --small --cited" in (ROOT / "Makefile").read_text()


def test_the_programs_that_documents_cite_run_small_or_have_a_reason(program):
    """A program that no test ran had been broken by a new argument of a function."""
    texts = program.texts_of_documents(r"`python -m benchmarks\.(\w+)")
    assert set(program.WITHOUT_SMALL) <= texts  # no reason without a program
    for name in program.cited_programs():
        source = (ROOT / f"benchmarks/{name}.py").read_text(encoding="utf-8")
        for required in ("SMALL", "SMALL_WORDS", "def main(words"):
            assert required in source.replace("_words", "words"), name


@pytest.mark.parametrize("text", ["", "no number"])
def test_a_program_that_prints_no_number_fails(program, monkeypatch, text):
    module = SimpleNamespace(SMALL={"N": 1}, SMALL_WORDS=("1",), main=lambda _: print(text))
    monkeypatch.setattr(program.importlib, "import_module", lambda _: module)
    assert not program.program_runs_small("x")
    module.main = lambda words: print(module.N, words)
    assert program.program_runs_small("x")
