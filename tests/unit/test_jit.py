"""Compiled code follows its sources, wherever it is kept."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import xnbflow

pytestmark = pytest.mark.slow  # every test compiles anew

CALL = """
import numpy as np
from xnbflow.density.kernels import apply_kernel, kernel_code
from xnbflow.density.tiles import sort_rows
values = np.zeros(1)
apply_kernel(kernel_code("gaussian"), values)
print(values[0])
"""


@pytest.fixture
def library(tmp_path):
    """A copy of the library without compiled code, in a folder of its own."""
    copy = tmp_path / "site-packages" / "xnbflow"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(xnbflow.__file__).parent, copy, ignore=ignored)
    return copy


def run(library, **variables):
    return subprocess.run(
        [sys.executable, "-c", CALL],
        env={**os.environ, "PYTHONPATH": str(library.parent), **variables},
        check=True,
        capture_output=True,
        text=True,
    )


def test_an_edited_kernel_changes_those_in_other_files_that_call_it(library, tmp_path):
    callers = library / "density" / "kernels.py"
    text = callers.read_text()
    start = text.index("@njit(nogil=True, fastmath")
    end = text.index("_PER_SQRT_2PI = ")
    (library / "density" / "exponential.py").write_text(
        "import numpy as np\nfrom xnbflow.density.jit import njit\n"
        "EXP_LOWEST, _LOG2_E = -708.0, 1.4426950408889634\n"
        "_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10\n"
        + text[start:end]
    )
    imported = "from xnbflow.density.exponential import exponentiate\n\n"
    callers.write_text(text[:start] + imported + text[end:])
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    before = float(run(library, **cache).stdout)
    callee = library / "density" / "exponential.py"
    last = "        values[i] = p * r + 1.0\n"
    assert last in callee.read_text()
    callee.write_text(callee.read_text().replace(last, "        values[i] = 2.0 * (p * r + 1.0)\n"))
    assert float(run(library, **cache).stdout) == 2 * before > 0
    assert not run(library, **cache).stderr


def test_a_library_that_cannot_be_written_is_compiled_into_the_cache_of_its_user(library, tmp_path):
    home = {"NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": str(tmp_path / "home")}
    for folder in {path.parent for path in library.rglob("*.py")}:
        (folder / "__pycache__").write_text("no folder")
    assert float(run(library, **home).stdout) > 0
    assert any((tmp_path / "home").rglob("*.nbc"))


def test_without_a_place_to_write_kernels_are_compiled_anew_and_that_is_said_once(
    library, tmp_path
):
    for folder in {path.parent for path in library.rglob("*.py")}:
        (folder / "__pycache__").write_text("no folder")
    (tmp_path / "home").write_text("no folder")
    done = run(library, NUMBA_CACHE_DIR="", XDG_CACHE_HOME=str(tmp_path / "home"))
    assert float(done.stdout) > 0
    assert done.stderr.count("Set NUMBA_CACHE_DIR") == 1
