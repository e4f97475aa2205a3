"""Jobs as forks of a prepared process: equal to jobs of their own, and ended as they are."""

import errno
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pandas as pd
import pytest
from toys import python

from xnbflow.running import prepared_server
from xnbflow.running.prepared_process import ADDRESS, LEAST_JOBS, SWITCH, PreparedProcess
from xnbflow.running.provenance import computing_code

#: The beginning of a script, as Snakemake and the scripts of the workflow write it.
BEGINNING = """
import sys
from types import SimpleNamespace
snakemake = SimpleNamespace(
    threads={threads},
    log=["logs/a.log"],
    output=SimpleNamespace(usage="usage/a.tsv"),
    params=SimpleNamespace(**{params}),
)
from xnbflow.running.job_process import start_job
start_job(snakemake)
"""
#: The end of a job that works until it is killed; its process is in the file `process`.
ENDLESS = """
import os, subprocess, time
child = subprocess.Popen(["sleep", "1000"])
open("process.part", "w").write(f"{os.getpid()} {child.pid}")
os.rename("process.part", "process")
time.sleep(1000)
"""


def wait_until(holds, seconds=60.0):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def is_running(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def processes_of(folder):
    """Wait until an endless job works; return its process and its child."""
    wait_until((folder / "process").exists)
    return [int(number) for number in (folder / "process").read_text().split()]


class Run:
    """A run with a prepared process, whose jobs are scripts in a folder."""

    def __init__(self):
        self.prepared = PreparedProcess()
        self.prepared.start([computing_code()], n_jobs=LEAST_JOBS)
        self.environment = dict(os.environ)  # without what pytest changes later
        self.server = self.prepared.process.pid
        self.folder = Path(self.environment[ADDRESS].partition(" ")[2]).parent

    def start(self, folder, work, threads=1, params=None, changes=None, *, alone=False):
        """Start a job in a folder; ``alone`` without the prepared process."""
        folder.mkdir(parents=True, exist_ok=True)
        script = folder.parent / "job.py"
        script.write_text(BEGINNING.format(threads=threads, params=params or {}) + work)
        environment = self.environment | (changes or {})
        if alone:
            del environment[ADDRESS]
        return subprocess.Popen(
            [sys.executable, script, "an argument"],
            cwd=folder,
            env=environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def outcome(self, folder, work, **options):
        """Run a job to its end; return its exit code, output, errors and log without times."""
        job = self.start(folder, work, **options)
        output, errors = job.communicate()
        log = (folder / "logs/a.log").read_text() if (folder / "logs/a.log").exists() else ""
        return job.returncode, output, errors, re.sub(r"(?m)^[-\d]+ [\d:,]+ ", "", log)

    def parent(self, folder, **options):
        """Return the process that started the process of a job."""
        _, output, errors, _ = self.outcome(folder, "import os; print(os.getppid())", **options)
        assert errors == ""
        return int(output)


@pytest.fixture(scope="module")
def running():
    """A run that has prepared its process to the last step."""
    run = Run()
    wait_until(lambda: not is_working(run.server))
    yield run
    run.prepared.stop()


def is_working(process):
    """Return whether a process has used the processor lately."""
    before = used(process)
    time.sleep(0.3)
    return used(process) > before or before < 20


def used(process):
    """Ticks of the processor that a process has used."""
    return sum(
        map(int, Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13])
    )


@pytest.fixture
def run():
    """A run that a test may harm."""
    run = Run()
    yield run
    run.prepared.stop()


ERROR = "from xnbflow.core.errors import InputError; raise InputError('name it')"


@pytest.mark.parametrize(
    ("work", "code"),
    [
        ("print('out'); print('error', file=sys.stderr)", 0),
        ("sys.exit(3)", 3),
        ("sys.exit('a text')", 1),
        ("import os; os._exit(5)", 5),
        (ERROR, 1),
        ("def f():\n    raise ValueError('of a function')\nf()", 1),
        ("raise MemoryError('8 EiB')", 1),
        ("import no_such_package", 1),
        ("import warnings; warnings.warn('careful'); import logging; logging.info('done')", 0),
        ("import os; os.kill(os.getpid(), 9)", -signal.SIGKILL),
        ("import os; os.kill(os.getpid(), 15)", -signal.SIGTERM),
        ("raise KeyboardInterrupt", -signal.SIGINT),
        ("import atexit; atexit.register(print, 'at the end')", 0),
        ("import threading; threading.Timer(0.2, lambda: print('a thread')).start()", 0),
        ("import subprocess; subprocess.run(['echo', 'of a program'])", 0),
        ("assert __name__ == '__main__'; print(sys.modules['__main__'].snakemake.threads)", 0),
    ],
)
def test_a_fork_ends_and_writes_as_a_job_of_its_own(running, tmp_path, work, code):
    outcome = running.outcome(tmp_path / "job", work)
    assert outcome[0] == code
    assert outcome == running.outcome(tmp_path / "job", work, alone=True)


@pytest.mark.parametrize(
    "params", [{"code": "computing code 01234567"}, {"page_code": "page code 01234567"}]
)
def test_a_fork_of_other_code_than_the_plan_s_does_not_begin(running, tmp_path, params):
    outcome = running.outcome(tmp_path / "job", "print('work')", params=params)
    assert outcome == running.outcome(tmp_path / "job", "print('work')", params=params, alone=True)
    assert "was edited after this run was planned" in outcome[2]


def test_a_fork_reads_the_code_again_to_compare_it_with_the_plan(running, tmp_path):
    work = "from xnbflow.running import provenance as p; print(p.computing_code.cache_info())"
    assert "currsize=0" in running.outcome(tmp_path / "job", work)[1]


#: Prints what the process of a job has, and is not of its number.
STATE = """
import gc, json, os, resource, signal, tempfile, threading
limits = [resource.getrlimit(i) for i in range(16)]
open_files = {int(i) for i in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{i}")}
umask = os.umask(0)
ignored = {"XNBFLOW_PREPARED_PROCESS"}
handlers = {str(i): str(signal.getsignal(i)).partition(" at ")[0] for i in signal.valid_signals()}
handlers.pop(str(int(signal.SIGINT)))
print(json.dumps({
    "arguments": sys.argv,
    "paths": sys.path,
    "folder": os.getcwd(),
    "environment": {name: os.environ[name] for name in sorted({*os.environ} - ignored)},
    "umask": umask,
    "limits": limits,
    "nice": os.getpriority(os.PRIO_PROCESS, 0),
    "processors": sorted(os.sched_getaffinity(0)),
    "handlers": handlers,
    "interrupts": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "files": len(open_files),
    "temporary": tempfile.gettempdir(),
    "threads": [thread.name for thread in threading.enumerate()],
    "file": __file__,
    "terminal": [sys.stdout.line_buffering, sys.stdout.encoding, sys.stderr.errors],
    "flags": list(sys.flags),
    "collector": [gc.isenabled(), gc.get_threshold()],
    "input": sys.stdin.read(),
}))
"""


def test_a_fork_has_the_state_of_the_process_of_its_job(running, tmp_path):
    (tmp_path / "temporary").mkdir()
    changes = {"TMPDIR": str(tmp_path / "temporary"), "OMP_NUM_THREADS": "1", "OLDPWD": "/"}
    folder = tmp_path / "job"
    states = []
    for alone in (False, True):
        previous = os.umask(0o027)
        _, output, errors, _ = running.outcome(folder, STATE, changes=changes, alone=alone)
        os.umask(previous)
        assert errors == ""
        states.append(json.loads(output))
    assert states[0] == states[1]
    assert states[0]["umask"] == 0o027
    assert states[0]["temporary"] == str(tmp_path / "temporary")


def test_jobs_are_forks_and_several_work_at_once(running, tmp_path):
    work = "import os, time; time.sleep(1); print(os.getppid(), os.getpid())"
    folders = [tmp_path / f"{i}/job" for i in range(4)]
    jobs = [running.start(folder, work) for folder in folders]
    outputs = [job.communicate()[0].split() for job in jobs]
    assert {parent for parent, _ in outputs} == {str(running.server)}
    assert len({process for _, process in outputs}) == 4
    starts = [float((folder / "usage/a.tsv").stat().st_mtime) for folder in folders]
    assert max(starts) - min(starts) < 3


def test_the_prepared_process_has_one_thread_and_what_jobs_import(running, tmp_path):
    assert len(list(Path(f"/proc/{running.server}/task").iterdir())) == 1
    work = "print('numba' in sys.modules, 'xnbflow.jobs.classify' in sys.modules)"
    assert running.outcome(tmp_path / "job", work)[1] == "True True\n"
    assert running.outcome(tmp_path / "job", work, alone=True)[1] == "False False\n"


def test_forks_share_no_state_of_random_numbers(running, tmp_path):
    work = "import random; import numpy as np; print(random.random(), np.random.random())"
    drawn = [running.outcome(tmp_path / "job", work)[1].split() for _ in range(2)]
    assert not {*drawn[0]} & {*drawn[1]}


def test_the_usage_of_a_fork_is_that_of_its_whole_job(running, tmp_path):
    """Seconds before the fork count, those of other jobs do not; the memory is that of the fork."""
    work = "import time\nend = time.process_time() + 0.5\nwhile time.process_time() < end: pass\n"
    before = "import time\nend = time.process_time() + 0.4\nwhile time.process_time() < end: pass\n"
    folder = tmp_path / "job"
    folder.mkdir()
    script = tmp_path / "busy.py"
    text = BEGINNING.format(threads=1, params={}).replace(
        "start_job(snakemake)", before + "start_job(snakemake)"
    )
    script.write_text(text + work)
    subprocess.run([sys.executable, script], cwd=folder, env=running.environment, check=True)
    (row,) = pd.read_csv(folder / "usage/a.tsv", sep="\t").to_dict("records")
    # the fork runs the lines before the start of the job again
    assert 1.3 < row["processor_seconds"] < 2.3
    assert row["seconds"] > 1.3
    assert 50 < row["max_memory_mb"] < 500


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_a_killed_job_ends_its_fork_and_the_children_of_that(running, tmp_path, number):
    job = running.start(tmp_path / "job", ENDLESS)
    processes = processes_of(tmp_path / "job")
    job.send_signal(number)
    job.communicate()
    assert job.returncode == -number
    wait_until(lambda: not any(map(is_running, processes)))
    assert running.parent(tmp_path / "next") == running.server


def test_a_stopped_job_stops_its_fork_until_it_is_continued(running, tmp_path):
    job = running.start(tmp_path / "job", ENDLESS)
    process, _ = processes_of(tmp_path / "job")
    state = Path(f"/proc/{process}/stat")
    job.send_signal(signal.SIGTSTP)
    wait_until(lambda: " T " in state.read_text())
    job.send_signal(signal.SIGCONT)
    wait_until(lambda: " T " not in state.read_text())
    job.kill()
    job.communicate()


def test_without_its_prepared_process_a_job_fails_and_the_next_ones_do_their_work(run, tmp_path):
    job = run.start(tmp_path / "job", ENDLESS)
    processes = processes_of(tmp_path / "job")
    os.kill(run.server, signal.SIGKILL)
    _, errors = job.communicate()
    assert job.returncode == 1
    for text in (errors, (tmp_path / "job/logs/a.log").read_text()):
        assert "was killed, perhaps because memory ran out" in text
        assert "XNBFLOW_PREPARE=no" in text
    wait_until(lambda: not any(map(is_running, processes)))
    assert run.parent(tmp_path / "next") == os.getpid()


#: A run that starts a prepared process and a job, prints both, and waits.
RUNNING = """
import os, subprocess, sys, time
from xnbflow.running.prepared_process import PreparedProcess, ADDRESS
prepared = PreparedProcess()
prepared.start([], n_jobs=9)
subprocess.Popen([sys.executable, "../job.py"])
print(prepared.process.pid, os.environ[ADDRESS].split()[1], flush=True)
time.sleep(1000)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_run_leaves_no_process_and_no_file(tmp_path, number):
    folder = tmp_path / "job"
    folder.mkdir()
    (tmp_path / "job.py").write_text(BEGINNING.format(threads=1, params={}) + ENDLESS)
    run = subprocess.Popen(
        [sys.executable, "-c", RUNNING], cwd=folder, stdout=subprocess.PIPE, text=True
    )
    server, socket = run.stdout.readline().split()
    processes = [int(server), *processes_of(folder)]
    assert Path(socket).parent.stat().st_mode & 0o777 == 0o700
    run.send_signal(number)
    run.communicate()
    wait_until(lambda: not any(map(is_running, processes)))
    wait_until(lambda: not Path(socket).parent.exists())


def test_two_runs_have_two_processes_and_their_ends_leave_nothing(run, tmp_path):
    other = Run()
    assert {run.parent(tmp_path / "a"), other.parent(tmp_path / "b")} == {run.server, other.server}
    other.prepared.stop()
    assert not is_running(other.server)
    assert not other.folder.exists()
    assert ADDRESS not in os.environ
    assert run.parent(tmp_path / "a") == run.server


@pytest.mark.parametrize(
    "options",
    [
        {"threads": 2},
        {"changes": {"NUMBA_CPU_NAME": "generic"}},
        {"changes": {"PYTHONHASHSEED": "1"}},
    ],
)
def test_a_job_that_would_differ_from_a_fork_does_its_work_itself(running, tmp_path, options):
    assert running.parent(tmp_path / "job", **options) == os.getpid()


def test_a_job_with_other_limits_does_its_work_itself(running, tmp_path):
    running.outcome(tmp_path / "job", "import os; print(os.getppid())")
    command = f'ulimit -n 200; "{sys.executable}" ../job.py'
    done = subprocess.run(
        ["bash", "-c", f"{command}; true"],
        cwd=tmp_path / "job",
        env=running.environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert int(done.stdout) != running.server


def test_code_that_is_not_that_of_the_plan_is_not_served(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "computing_code", lambda: "computing code 01234567")
    run = Run()
    assert run.parent(tmp_path / "job") == os.getpid()
    run.prepared.stop()


def test_no_process_is_prepared_where_it_is_switched_off_useless_or_impossible(monkeypatch):
    prepared = PreparedProcess()
    prepared.start([], n_jobs=LEAST_JOBS - 1)
    assert ADDRESS not in os.environ
    monkeypatch.setenv(SWITCH, "no")
    prepared.start([], n_jobs=LEAST_JOBS)
    assert ADDRESS not in os.environ
    monkeypatch.delenv(SWITCH)
    monkeypatch.setattr(sys, "platform", "darwin")
    prepared.start([], n_jobs=LEAST_JOBS)
    assert ADDRESS not in os.environ


def test_a_temporary_folder_with_a_long_path_needs_no_prepared_process(monkeypatch, tmp_path):
    """The path of a Unix socket has at most 107 bytes."""
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    prepared = PreparedProcess()
    prepared.start([], n_jobs=LEAST_JOBS)
    assert ADDRESS not in os.environ
    assert list(folder.iterdir()) == []
    folder.rmdir()  # nor does one that is missing
    prepared.start([], n_jobs=LEAST_JOBS)
    assert ADDRESS not in os.environ


def test_an_import_that_warns_is_left_to_jobs_which_log_it(recwarn):
    code = "from xnbflow.running.prepared_server import warns\nimport warnings\n"
    assert prepared_server.warns(lambda: None) is False
    done = python(f"{code}print(warns(lambda: warnings.warn('old')), warns(lambda: None))")
    assert (done.stdout, done.stderr) == ("True False\n", "")


class WithoutFiles(socket.socket):
    """A socket of a process that can open no further file."""

    def accept(self):
        raise OSError(errno.EMFILE, "Too many open files")


@pytest.fixture
def server(tmp_path):
    """Return a function that returns a server in this process, and a job that is connected."""
    with ExitStack() as opened:

        def start(kind):
            listener = opened.enter_context(kind(socket.AF_UNIX))
            listener.bind(str(tmp_path / "s"))
            listener.listen()
            end_of_run, run = os.pipe()
            opened.callback(os.close, run)
            opened.callback(os.close, end_of_run)
            job = opened.enter_context(socket.socket(socket.AF_UNIX))
            job.connect(str(tmp_path / "s"))
            return prepared_server.Server(listener, end_of_run), listener, job

        yield start


@pytest.mark.parametrize("call", ["dup", "fork"])
def test_where_no_process_or_file_is_left_a_job_does_its_work_itself(server, monkeypatch, call):
    def fail(*_):
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    prepared, listener, job = server(socket.socket)
    monkeypatch.setattr(os, "listdir", lambda path: ["one thread"])
    monkeypatch.setattr(os, call, fail)
    assert prepared.serve(wait=False) is None
    assert job.recv(1) == b""
    assert listener.fileno() >= 0  # later jobs are served


def test_a_server_that_can_open_no_file_serves_no_further_jobs(server):
    prepared, listener, _ = server(WithoutFiles)
    assert prepared.serve(wait=False) is None
    assert listener.fileno() == -1


def test_a_fork_that_is_interrupted_before_its_script_prints_nothing(capsys):
    prepared_server.show_all_but_interrupts(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert capsys.readouterr().err == ""
    prepared_server.show_all_but_interrupts(ValueError, ValueError("a reason"), None)
    assert capsys.readouterr().err == "ValueError: a reason\n"
