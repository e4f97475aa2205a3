"""A job that is forked from the server does what it would do alone, and ends when it should."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="jobs are forked on Linux alone")

#: A process as Snakemake's: it starts the server and goes on until its input ends.
PARENT = """
import os
from xnbflow.forkserver import start
start()
print(os.environ["XNBFLOW_FORKSERVER"], flush=True)
input()
"""
HANDED_OVER = """
import sys
before = "sklearn" in sys.modules
from xnbflow.forkserver import run_job
run_job({threads})
"""


def alive(process):
    """Whether a process lives, given by its number."""
    return Path(f"/proc/{process}").exists()


def wait_until(holds):
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture(scope="module")
def server():
    """The address of a server."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    yield parent.stdout.readline().strip()
    parent.communicate("\n")


@pytest.fixture
def start(server, tmp_path):
    """Start a script that hands itself over to the server."""

    def start(work, threads=1, address=server, **environ):
        script = tmp_path / "script.py"
        script.write_text(HANDED_OVER.format(threads=threads) + work)
        return subprocess.Popen(
            [sys.executable, script, "an argument"],
            cwd=tmp_path,
            env=os.environ | {"XNBFLOW_FORKSERVER": address} | environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


SEEN = """
import json, os
names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MINE", "XNBFLOW_FORKSERVER")
environ = {name: os.environ.get(name) for name in names}
import numba, numpy
print(json.dumps({
    "forked": before, "cwd": os.getcwd(), "argv": sys.argv[1:], "path": sys.path,
    "environ": environ, "threads": numba.get_num_threads(), "pid": os.getpid(),
    "drawn": numpy.random.random(), "name": __name__, "file": __file__,
}))
"""


def seen(process):
    out, err = process.communicate()
    assert process.returncode == 0, err
    return json.loads(out)


@pytest.mark.slow
def test_a_forked_job_sees_what_it_would_see_alone(start):
    forked = seen(start(SEEN, MINE="here"))
    alone = seen(start(SEEN, address="", MINE="here", OMP_NUM_THREADS="1", NUMBA_NUM_THREADS="1"))
    assert forked["forked"]
    assert not alone["forked"]
    for key in ("cwd", "argv", "path", "name", "file", "threads"):
        assert forked[key] == alone[key]
    assert forked["environ"]["MINE"] == "here"
    assert forked["environ"]["XNBFLOW_FORKSERVER"] is None


@pytest.mark.slow
def test_jobs_of_other_threads_are_forked_from_another_process(start):
    for threads in (1, 2, 1):
        assert seen(start(SEEN, threads))["threads"] == threads


@pytest.mark.slow
def test_a_job_with_processes_of_its_own_ends_when_they_have_done_their_work(start):
    work = """
from joblib import Parallel, delayed
print(sum(Parallel(n_jobs=2)(delayed(abs)(-1) for _ in range(4))))
"""
    out, err = start(work, threads=2).communicate(timeout=120)  # idle, they would stay for 300 s
    assert out.strip() == "4", err


def test_no_two_jobs_draw_the_same_random_numbers(start):
    first, second = (seen(start(SEEN)) for _ in range(2))
    assert first["pid"] != second["pid"]
    assert first["drawn"] != second["drawn"]


@pytest.mark.parametrize(
    ("work", "code", "told"),
    [
        ("sys.exit(3)", 3, ""),
        ("sys.exit('no such thing')", 1, "no such thing"),
        ("1 / 0", 1, "ZeroDivisionError"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 137, "too little memory"),
    ],
)
def test_how_a_job_ends_is_handed_back(start, work, code, told):
    process = start(work)
    _, err = process.communicate()
    assert process.returncode == code
    assert told in err


def test_what_a_job_registers_for_its_end_is_run(start):
    out, _ = start("import atexit; atexit.register(print, 'the end')").communicate()
    assert out == "the end\n"


def test_a_job_ends_with_the_process_that_asked_for_it(start):
    process = start("import os, time; print(os.getpid(), flush=True); time.sleep(600)")
    job = int(process.stdout.readline())
    assert job != process.pid
    process.send_signal(signal.SIGKILL)
    process.communicate()
    wait_until(lambda: not alive(job))


@pytest.mark.parametrize("address", ["", "/elsewhere:{path}", "{prefix}:/nobody/listens"])
def test_without_a_server_of_this_environment_a_job_runs_alone(start, server, address):
    address = address.format(path=server.rpartition(":")[2], prefix=sys.prefix)
    assert seen(start("import json; print(json.dumps(before))", address=address)) is False


def test_the_server_ends_with_the_process_that_started_it_however_that_ends():
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    socket = Path(parent.stdout.readline().strip().rpartition(":")[2])
    assert socket.exists()
    parent.kill()
    parent.communicate()
    wait_until(lambda: not socket.parent.exists())
