"""Compiled code follows its sources, wherever it is kept."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import xnbflow

pytestmark = pytest.mark.slow  # every test compiles anew

#: A kernel of one module that calls kernels of another.
CALL = """
import numpy as np
from xnbflow.density.bandwidth import leave_one_out_likelihood
from xnbflow.density.kernels import kernel_code
print(leave_one_out_likelihood(np.arange(3.0), 1.0, kernel_code("gaussian")))
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
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    before = float(run(library, **cache).stdout)
    callee = library / "density" / "kernels.py"
    text, last = callee.read_text(), "        values[i] = p * r + 1.0\n"
    assert last in text
    callee.write_text(text.replace(last, "        values[i] = 2.0 * (p * r + 1.0)\n"))
    doubled = run(library, **cache)
    assert float(doubled.stdout) == pytest.approx(before + 3 * np.log(2.0))
    assert not doubled.stderr


def test_a_library_that_cannot_be_written_is_compiled_into_the_cache_of_its_user(library, tmp_path):
    home = {"NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": str(tmp_path / "home")}
    for folder in {path.parent for path in library.rglob("*.py")}:
        (folder / "__pycache__").write_text("no folder")
    assert np.isfinite(float(run(library, **home).stdout))
    assert any((tmp_path / "home").rglob("*.nbc"))


def test_without_a_place_to_write_kernels_are_compiled_anew_and_that_is_said_once(
    library, tmp_path
):
    for folder in {path.parent for path in library.rglob("*.py")}:
        (folder / "__pycache__").write_text("no folder")
    (tmp_path / "home").write_text("no folder")
    done = run(library, NUMBA_CACHE_DIR="", XDG_CACHE_HOME=str(tmp_path / "home"))
    assert np.isfinite(float(done.stdout))
    assert done.stderr.count("Set NUMBA_CACHE_DIR") == 1
