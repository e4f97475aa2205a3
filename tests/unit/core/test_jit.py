"""Compiled kernels follow their sources, and are stored where a folder can be written."""

import os
from pathlib import Path

import pytest
from toys import python

import xnbflow

SOURCES = Path(xnbflow.__file__).parents[1]


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
def test_kernels_that_cannot_be_stored_beside_their_source_are_stored_elsewhere_or_not(tmp_path):
    """In the cache of the user or, where that cannot be written, in none, with a warning."""
    library = tmp_path / "library"
    library.mkdir()
    kernel = "from xnbflow.core.jit import njit\n{0}\n@njit()\ndef {1}(x):\n    return {2}\n"
    (library / "callee.py").write_text(kernel.format("", "callee", "x + 1.0"))
    (library / "caller.py").write_text(
        kernel.format("from callee import callee", "caller", "2.0 * callee(x)")
    )
    (library / "__pycache__").write_text("no folder")
    (tmp_path / "file").write_text("no folder")
    for home, n_warnings in (("home", 0), ("file", 1)):
        variables = {
            "NUMBA_CACHE_DIR": "",
            "XDG_CACHE_HOME": str(tmp_path / home),
            "PYTHONPATH": os.pathsep.join([str(library), str(SOURCES)]),
        }
        done = python("import caller; print(caller.caller(2.0))", env=os.environ | variables)
        assert done.stdout == "6.0\n"
        assert done.stderr.count("Set NUMBA_CACHE_DIR") == n_warnings
    assert len(list((tmp_path / "home").rglob("*.nbc"))) == 2
