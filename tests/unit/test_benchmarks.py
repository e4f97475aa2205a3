"""The tools beside the library: blocks of pages, and the drawer of mutants."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULE = """
def least(values, limit=0):
    if not values:
        raise ValueError("none")
    return [value + limit for value in values if value > limit][:3]
"""


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return lambda name: importlib.import_module(f"benchmarks.{name}")


def test_writing_a_block_changes_nothing_else_of_a_page(tool, tmp_path):
    page, path = tool("performance_page"), tmp_path / "page.md"
    path.write_text(f"before\n{page.BEGIN}\nold\n{page.END}\nafter\n")
    block = f"{page.BEGIN}\nnew\n{page.END}"
    for _ in range(2):
        page.write_block(block, path)
        assert path.read_text() == f"before\n{block}\nafter\n"
    path.write_text(f"{page.END}\n{page.BEGIN}\n")
    with pytest.raises(SystemExit):
        page.write_block(block, path)
    assert path.read_text() == f"{page.END}\n{page.BEGIN}\n"


def test_mutants_are_drawn_again_and_found_where_a_module_was_moved(tool, tmp_path):
    faults = tool("faults")
    package = tmp_path / faults.SOURCE / "toy"
    package.mkdir(parents=True)
    (package / "first.py").write_text(MODULE)
    drawn = faults.draw(tmp_path, 4, seed=1)
    assert drawn == faults.draw(tmp_path, 4, seed=1)
    assert len({mutant.statement for mutant in drawn}) == 4
    for mutant in drawn:
        changed = MODULE[: mutant.start] + mutant.text + MODULE[mutant.end :]
        compile(changed, "first.py", "exec")
        assert changed != MODULE
    (package / "first.py").rename(package / "second.py")
    (package / "second.py").write_text('"""Moved."""\n' + MODULE.replace("[:3]", "[:4]"))
    found = faults.look_up(tmp_path, drawn)
    kept = {mutant.id for mutant in drawn if "[:3]" not in mutant.statement}
    assert found.keys() == kept
    assert {Path(mutant.path).name for mutant in found.values()} == {"second.py"}
    (package / "second.py").write_text(MODULE.replace("least", "most"))
    assert faults.look_up(tmp_path, drawn).keys() == {mutant.id for mutant in drawn}
