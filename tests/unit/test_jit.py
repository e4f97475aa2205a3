"""Compiled code follows its sources, wherever it is kept."""

import os
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

import xnbflow

#: Every classifier's kernels, those written as vectors among them.
PREDICT = """
import numpy as np
from xnbflow.naive_bayes import XNB, ClassSpecificNB, FlexibleNB, GaussianNB
rng = np.random.default_rng(0)
y = np.arange(24) % 3
X = rng.normal(size=(24, 5)) + y[:, None]
for model in (GaussianNB(), FlexibleNB(), XNB(), ClassSpecificNB(n_features=1)):
    print(model.fit(X, y).predict_log_proba(X[:2]).round(6).tolist())
"""

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


def test_a_library_that_cannot_be_written_is_compiled_elsewhere_or_anew(library, tmp_path):
    """Into the cache of the user or, where that cannot be written, into none, with a warning."""
    for folder in {path.parent for path in library.rglob("*.py")}:
        (folder / "__pycache__").write_text("no folder")
    (tmp_path / "file").write_text("no folder")
    for home, warnings in (("home", 0), ("file", 1)):
        place = {"NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": str(tmp_path / home)}
        done = run(library, **place)
        assert np.isfinite(float(done.stdout))
        assert done.stderr.count("Set NUMBA_CACHE_DIR") == warnings
    assert any((tmp_path / "home").rglob("*.nbc"))


def test_without_compilation_the_results_are_the_same():
    source = str(Path(xnbflow.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", PREDICT],
        env=os.environ | {"PYTHONPATH": source, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    with redirect_stdout(StringIO()) as compiled:
        exec(PREDICT, {})
    assert done.stdout == compiled.getvalue()
    assert done.stdout.count("[[") == 4
