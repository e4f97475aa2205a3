"""The README's table of benchmarks is the one that the tool writes."""

import importlib.util
import re
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def module(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"benchmarks/{name}.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


readme, rows = module("readme"), module("rows")


def table(*measured):
    return pd.DataFrame(measured).assign(benchmark="xnb", measured="2026-01-02")


FIT = rows.row("XNB fit", "xnb 0.5.1", 0.5, 600.0, shown=True)
HIDDEN = rows.row("XNB fit, C-ordered", "ours", 0.5, 0.5)
WITHOUT_PEER = rows.row("XNB fit, wine", "xnb 0.5.1", 0.5, None, shown=True)


def test_rows_with_both_times_are_shown_with_their_ratio():
    text = readme.block(table(FIT, HIDDEN, WITHOUT_PEER))
    assert "| XNB fit | xnb 0.5.1 | 500 ms | 600 s | 1,200 |" in text
    assert "C-ordered" not in text
    assert "wine" not in text
    assert "Measured 2026-01-02 on " in text


def test_the_block_of_the_readme_is_of_the_form_that_the_tool_writes():
    start, end = README.index(readme.BEGIN), README.index(readme.END)
    lines = README[start:end].splitlines()[1:]
    assert lines[: readme.HEADER.count("\n") + 1] == readme.HEADER.splitlines()
    time, number = r"[\d.,]+ m?s", r"[\d.,]+"
    *figures, blank, where = lines[2:] or ["", ""]  # before anything was measured
    for line in figures:
        assert re.fullmatch(rf"\| [^|]+ \| [^|]+ \| {time} \| {time} \| {number} \|", line)
    assert blank == ""
    assert re.fullmatch(r"(Measured .* on .*; Python [\d.]+\.)?", where)


def test_writing_changes_nothing_but_the_block(tmp_path):
    path = tmp_path / "README.md"
    path.write_text(f"before\n{readme.BEGIN}\nold\n{readme.END}\nafter\n")
    readme.write_block(table(FIT), path)
    first = path.read_text()
    assert first.startswith(f"before\n{readme.BEGIN}\n{readme.HEADER}\n")
    assert first.endswith(f"{readme.END}\nafter\n")
    assert "old" not in first
    readme.write_block(table(FIT), path)
    assert path.read_text() == first


def test_a_readme_without_markers_is_left_alone(tmp_path):
    path = tmp_path / "README.md"
    path.write_text(f"{readme.END}\n{readme.BEGIN}\n")
    with pytest.raises(SystemExit, match="in this order"):
        readme.write_block(table(FIT), path)


def test_the_readme_stays_short():
    assert len(README.splitlines()) < 120
