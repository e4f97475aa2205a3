"""Figures are drawn by forked processes in a process without threads, and their ends are told."""

import os
import signal
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone"),
]

#: Numerical libraries start no threads with these.
SINGLE = {"OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
DRAW = """
import os, signal, sys
from pathlib import Path
from xnbflow.report.page import page
from xnbflow.report.page.blocks import Figure, Section
from xnbflow.report.drawings.histograms import draw_class_sizes

parent = os.getpid()
def draw(classes, sizes):
    {how}
    who = "parent" if os.getpid() == parent else "child" if os.getppid() == parent else "other"
    os.write(1, (who + "\\n").encode())  # whole lines, though several draw
    return draw_class_sizes(classes, sizes)

classes = dict(classes=["a", "b"], sizes=[3, 4])
figures = [Figure(f"f{{i}}", draw, classes, "", "") for i in range(3)]
sections = [Section("one", "One", "", figures)]
page.{write}
"""
PAGE = 'write_page(Path("page.html"), "t", "l", sections, Path("figures"), {threads})'
PNG = 'write_pictures(sections, Path("pictures"), {threads})'


def start(folder, write, how="pass", threads=2):
    folder.mkdir(exist_ok=True)
    code = DRAW.format(how=how, write=write.format(threads=threads))
    return subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:multiprocessing.popen_fork", "-c", code],
        cwd=folder, env={**os.environ, **SINGLE}, timeout=120,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_page_is_the_same_whoever_draws(tmp_path):
    forked = start(tmp_path / "forked", PAGE)
    assert forked.stdout == "child\n" * 3, forked.stderr
    alone = start(tmp_path / "alone", PAGE, threads=1)
    assert alone.stdout == "parent\n" * 3, alone.stderr
    one, other = ((tmp_path / each / "page.html").read_text() for each in ("forked", "alone"))
    assert one == other
    assert forked.stderr == alone.stderr == ""


def test_pictures_are_drawn_by_forked_processes_too(tmp_path):
    done = start(tmp_path, PNG)
    assert done.stdout == "child\n" * 3, done.stderr
    assert len(list((tmp_path / "pictures/one").glob("*.png"))) == 3


@pytest.mark.parametrize("write", [PAGE, PNG])
@pytest.mark.parametrize(
    ("how", "told"),
    [
        (f"os.kill(os.getpid(), {int(signal.SIGKILL)})", "terminated abruptly"),
        ("1 / 0", "ZeroDivisionError"),
        ("sys.exit('no figure')", "no figure"),
    ],
)
def test_a_figure_that_fails_ends_the_job_and_is_told(tmp_path, write, how, told):
    done = start(tmp_path, write, how)
    assert done.returncode == 1
    assert told in done.stderr
    assert not (tmp_path / "page.html").exists()


def test_a_process_with_threads_is_not_forked(tmp_path):
    code = (
        "import threading, time; from xnbflow.report.page import page\n"
        "threading.Thread(target=time.sleep, args=[600], daemon=True).start()\n"
        "with page._processes(2) as executor: print(type(executor).__module__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **SINGLE}, timeout=120,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "loky" in done.stdout
