"""Compiled kernels follow their sources, and are stored where a folder can be written."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from toys import python, run_program

import xnbflow

PACKAGE = Path(xnbflow.__file__).parent


@pytest.fixture
def copy(tmp_path):
    """A copy of the library."""
    ignored = shutil.ignore_patterns("__pycache__")
    return shutil.copytree(PACKAGE, tmp_path / "workflow/src/xnbflow", ignore=ignored)


def compute(copy, **variables):
    variables["PYTHONPATH"] = str(copy.parent)
    return run_program("log_densities.py", env=os.environ | variables)


def test_an_edit_discards_the_kernels_that_depend_on_it_and_no_others(tmp_path):
    kernel = "from xnbflow.core.jit import njit\n{0}\n@njit()\ndef {1}(x):\n    return {2}\n"
    modules = {
        "own": ("LIMIT = 1.0", "own", "x + LIMIT"),
        "caller": ("from own import own", "caller", "own(x)"),
        "user": ("from own import LIMIT", "user", "x * LIMIT"),
        "callers": ("from caller import caller", "callers", "caller(x)"),
        "other": ("", "other", "-x"),
    }
    names = "import caller, callers, other, own, user\nfor module in (caller, callers, other, own, "
    names += "user):\n    print(getattr(module, module.__name__).py_func.__qualname__)"

    def digests(limit):
        for name, (head, *rest) in modules.items():
            (tmp_path / f"{name}.py").write_text(kernel.format(head.replace("1.0", limit), *rest))
        return python(names, cwd=tmp_path).stdout.split()

    before, after = digests("1.0"), digests("2.00")
    changed = [a.partition("-")[0] for b, a in zip(before, after, strict=True) if a != b]
    assert changed == ["caller", "callers", "own", "user"]


@pytest.mark.slow
def test_a_library_that_cannot_be_written_is_compiled_elsewhere_or_anew(copy, tmp_path):
    """Into the cache of the user or, where that cannot be written, into none, with a warning."""
    for folder in {path.parent for path in copy.rglob("*.py")}:
        (folder / "__pycache__").write_text("no folder")
    (tmp_path / "file").write_text("no folder")
    for home, warnings in (("home", 0), ("file", 1)):
        place = {"NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": str(tmp_path / home)}
        done = compute(copy, **place)
        assert np.isfinite(float(done.stdout))
        assert done.stderr.count("Set NUMBA_CACHE_DIR") == warnings
    assert any((tmp_path / "home").rglob("*.nbc"))
