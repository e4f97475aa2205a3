"""Compiled code follows its sources, wherever it is kept."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import xnbflow

pytestmark = pytest.mark.slow  # every test compiles anew

PACKAGE = Path(xnbflow.__file__).parent
CALL = """
import numpy as np
from xnbflow.density.kernels import apply_kernel, kernel_code
values = np.zeros(1)
apply_kernel(kernel_code("gaussian"), values)
print(values[0])
"""


def start(root, call=CALL, **variables):
    return subprocess.run(
        [sys.executable, "-c", call],
        env={**os.environ, "PYTHONPATH": str(root), **variables},
        check=True,
        capture_output=True,
        text=True,
    )


def run(root, **variables):
    return float(start(root, **variables).stdout)


def test_an_edited_kernel_changes_those_that_call_it(tmp_path):
    copy = tmp_path / "xnbflow"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    cache = tmp_path / "cache"
    before = run(tmp_path, NUMBA_CACHE_DIR=str(cache))
    exponential = copy / "density" / "exponential.py"
    text, last = exponential.read_text(), "        values[i] = p * r + 1.0\n"
    assert last in text
    exponential.write_text(text.replace(last, "        values[i] = 2.0 * (p * r + 1.0)\n"))
    assert run(tmp_path, NUMBA_CACHE_DIR=str(cache)) == 2 * before > 0
    assert len(list(cache.iterdir())) == 2


def test_compiled_code_is_kept_beside_the_library_unless_a_place_is_asked_for(tmp_path):
    copy = tmp_path / "xnbflow"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    run(tmp_path, NUMBA_CACHE_DIR="")
    (folder,) = (copy / "__pycache__").glob("kernels-*")
    assert any(folder.rglob("*.nbc"))


def test_without_a_place_to_write_kernels_are_compiled_anew_and_that_is_said_once(tmp_path):
    copy = tmp_path / "xnbflow"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "__pycache__").write_text("no folder")
    (tmp_path / "home").write_text("no folder")
    nowhere = {"NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": str(tmp_path / "home")}
    done = start(tmp_path, **nowhere)
    assert float(done.stdout) > 0
    assert done.stderr.count("every process compiles them anew") == 1
    assert "Set NUMBA_CACHE_DIR to a folder that can be written" in done.stderr


#: As in a container: the account has no entry, and nothing tells a home.
NO_ACCOUNT = """
import os, pwd
def absent(uid):
    raise KeyError(uid)
pwd.getpwuid = absent
os.environ.pop("HOME", None)
from xnbflow.density.jit import njit
print(njit()(lambda: 1.0)())
"""


def test_without_a_home_kernels_are_compiled_all_the_same(tmp_path):
    copy = tmp_path / "xnbflow"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "__pycache__").write_text("no folder")
    done = start(tmp_path, NO_ACCOUNT, NUMBA_CACHE_DIR="", XDG_CACHE_HOME="")
    assert float(done.stdout) > 0
    assert done.stderr.count("every process compiles them anew") == 1


def test_where_compiled_code_is_kept_there_is_nothing_to_say(tmp_path):
    assert not start(PACKAGE.parent, NUMBA_CACHE_DIR=str(tmp_path)).stderr


def test_an_installed_library_keeps_compiled_code_out_of_the_environment(tmp_path):
    site = tmp_path / "site-packages"
    copy = site / "xnbflow"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    run(site, NUMBA_CACHE_DIR="", XDG_CACHE_HOME=str(tmp_path / "home"))
    (folder,) = (tmp_path / "home/xnbflow").glob("kernels-*")
    assert any(folder.rglob("*.nbc"))
    assert not list((copy / "__pycache__").glob("kernels-*"))
