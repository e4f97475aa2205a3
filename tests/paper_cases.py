"""What the papers that are installed add to the tests of all estimators.

Each has a module ``cases`` in its folder of tests: ``REFUSED``, rows of an estimator, samples,
labels and a part of the message; ``CALLS``, what raises an error by a part of its message;
``VARIANTS``, estimators whose arithmetic differs; ``FAMILIES`` of densities; ``SUMMED``, families
that are fitted to 60 features; ``WITHOUT_DENSITY``, families with a row that they refuse and a part
of the message. A paper that is removed adds nothing.
"""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from xnbflow.core.plugins import PAPERS


def _cases() -> list[ModuleType]:
    modules = []
    for path in sorted(Path(__file__).parent.glob("papers/*/cases.py")):
        if (PAPERS / path.parent.name / "entries.py").exists():
            spec = importlib.util.spec_from_file_location(f"cases_{path.parent.name}", path)
            modules.append(importlib.util.module_from_spec(spec))
            spec.loader.exec_module(modules[-1])
    return modules


_MODULES = _cases()


def _rows(name: str) -> list:
    return [row for module in _MODULES for row in getattr(module, name, ())]


REFUSED = _rows("REFUSED")
VARIANTS = _rows("VARIANTS")
FAMILIES = _rows("FAMILIES")
SUMMED = _rows("SUMMED")
WITHOUT_DENSITY = _rows("WITHOUT_DENSITY")
CALLS = {}
for _module in _MODULES:
    CALLS |= getattr(_module, "CALLS", {})


def needs(paper: str) -> pytest.MarkDecorator:
    """Return the mark of a test that is about a paper; it skips where the paper was removed."""
    return pytest.mark.skipif(
        not (PAPERS / paper / "entries.py").exists(), reason=f"the paper {paper} was removed"
    )
