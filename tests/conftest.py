"""Fixtures shared by all tests: the folder of real data, which is never part of the repository."""

import gc
import os
import signal
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg  # noqa: F401  (its BLAS has threads of its own, which are limited below)
from threadpoolctl import threadpool_limits

from xnbflow.running.job_process import THREAD_VARIABLES

# A shell ignores this signal for a command in the background, and so would the processes that tests
# start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Snakemake's plugin for SLURM asks the cluster when it is imported, and waits ten seconds where
# none answers. The tests that have a cluster drop this.
os.environ.setdefault("SLURM_CONF", os.devnull)

# trio, which selenium needs, has a plugin of hypothesis: it takes a second of each process.
os.environ.setdefault("HYPOTHESIS_NO_PLUGINS", "1")

# Several processes of tests share the processors, and the threads of BLAS wait for each other in
# loops: with two threads an eigenvalue problem took ten times the processor seconds of one. The
# processes that a test starts have the numbers of threads of users.
if not os.environ.keys() & set(THREAD_VARIABLES):
    threadpool_limits(limits=1, user_api="blas")

#: Run in environments of their own (by `make package`, and by that of the peers) or in processes
#: of their own; files of a package that a test installs.
collect_ignore = ["package/use.py", "xnb_program.py", "programs", "integration/plugin"]


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage while tests are collected, nor later in what is there by then.

    Modules and tests stay until the end. The garbage collector would visit them again and again,
    for half of the time of the collection. Later it looks for garbage after 10,000 new objects, not
    after 700.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path):
    """Search the docstrings of a file of tests for examples only where it has one."""
    nodes = yield
    if file_path.suffix == ".py" and ">>>" not in file_path.read_text():
        return [node for node in nodes if type(node) is pytest.Module]
    return nodes


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Leave out the tests of minutes that no option -m names; begin with the files of slow tests.

    So the last file to be begun is short.
    """
    asked = config.getoption("markexpr")
    markers = [name for name in ("core", "nightly") if name not in asked]
    left_out = {item for item in items if any(map(item.get_closest_marker, markers))}
    if left_out:
        config.hook.pytest_deselected(items=[*left_out])
        items[:] = [item for item in items if item not in left_out]
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    folders = ("acceptance", "integration")
    slow |= {item.path for item in items if item.path.parent.name in folders}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture
def rng():
    """A generator of random numbers, the same for every test."""
    return np.random.default_rng(3)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data; the test skips where it is absent."""
    folder = Path(os.environ.get("XNBFLOW_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not (folder / "microarray").is_dir():
        pytest.skip(f"real data not found in {folder}; set XNBFLOW_DATA to its folder")
    return folder
