"""Mutants of the benchmark `mutants`: what is mutated, and that moved code keeps its mutants."""

import ast
import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "benchmarks/faults.py"
SPEC = importlib.util.spec_from_file_location("faults", PATH)
faults = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(faults)

MODULE = '''"""A docstring with 1 number."""
__all__ = ["area"]


def area(width: int, height: int = 2) -> int:
    """Return 3 things."""
    if width < 0:
        raise ValueError(f"{width + 1}")
    return width * height
'''


def write(root, name, text):
    path = root / faults.SOURCE / "library" / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


@pytest.fixture
def drawn(tmp_path):
    write(tmp_path / "before", "shapes/area.py", MODULE)
    return faults.all_mutants(tmp_path / "before")


def test_only_behaviour_is_mutated(drawn):
    mutated = {(m.kind, m.text) for m in drawn}
    assert mutated == {
        ("constant", "(3)"),  # the default
        ("condition", "(not width < 0)"),
        ("comparison", "(width <= 0)"),
        ("constant", "(1)"),
        ("raise", "pass"),
        ("arithmetic", "(width / height)"),
    }


def test_a_mutant_changes_its_own_place_and_the_file_still_parses(drawn):
    for m in drawn:
        text = MODULE[: m.start] + m.text + MODULE[m.end :]
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(MODULE))


def test_mutants_are_found_in_a_renamed_module_and_function_and_gone_with_their_code(
    drawn, tmp_path
):
    moved = MODULE.replace("area", "surface").replace("width * height", "height * width")
    path = write(tmp_path / "after", "geometry/flat.py", "import math\n" + moved)
    here = faults.look_up(tmp_path / "after", drawn)
    gone = [m.kind for m in drawn if m.id not in here]
    assert gone == ["arithmetic"]
    for m in here.values():
        assert m.package == "shapes"  # where it was drawn
        assert tmp_path / "after" / m.path == path


def test_the_same_seed_draws_the_same_mutants_of_different_statements(drawn, tmp_path):
    first, second = (faults.draw(tmp_path / "before", 3, seed=1) for _ in range(2))
    assert first == second
    assert len({m.statement for m in first}) == 3
