"""The table of docs/performance.md is the one that the tool writes."""

import importlib.util
import re
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[2]


def module(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"benchmarks/{name}.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


page, rows = module("performance_page"), module("rows")


def table(*measured):
    return pd.DataFrame(measured).assign(benchmark="xnb", measured="2026-01-02")


FIT = rows.row("XNB fit", "xnb 0.5.1", 0.5, 600.0, shown=True)
HIDDEN = rows.row("XNB fit, C-ordered", "ours", 0.5, 0.5)
WITHOUT_PEER = rows.row("XNB fit, wine", "xnb 0.5.1", 0.5, None, shown=True)


def test_rows_with_both_times_are_shown_with_their_ratio():
    text = page.block(table(FIT, HIDDEN, WITHOUT_PEER))
    assert "| XNB fit | xnb 0.5.1 | 500 ms | 600 s | 1,200 |" in text
    assert "C-ordered" not in text
    assert "wine" not in text
    assert "Measured 2026-01-02 on " in text


def test_the_block_of_the_page_is_of_the_form_that_the_tool_writes():
    text = page.PAGE.read_text()
    lines = text[text.index(page.BEGIN) : text.index(page.END)].splitlines()[1:]
    assert lines[: page.HEADER.count("\n") + 1] == page.HEADER.splitlines()
    time, number = r"[\d.,]+ m?s", r"[\d.,]+"
    *figures, blank, where = lines[2:] or ["", ""]  # before anything was measured
    for line in figures:
        assert re.fullmatch(rf"\| [^|]+ \| [^|]+ \| {time} \| {time} \| {number} \|", line)
    assert blank == ""
    assert re.fullmatch(r"(Measured .* on .*; Python [\d.]+\.)?", where)


def test_writing_changes_nothing_but_the_block(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(f"before\n{page.BEGIN}\nold\n{page.END}\nafter\n")
    page.write_block(table(FIT), path)
    first = path.read_text()
    assert first.startswith(f"before\n{page.BEGIN}\n{page.HEADER}\n")
    assert first.endswith(f"{page.END}\nafter\n")
    assert "old" not in first
    page.write_block(table(FIT), path)
    assert path.read_text() == first
