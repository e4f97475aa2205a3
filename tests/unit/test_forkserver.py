"""A job that is forked from the server does what it would do alone, and ends when it should."""

import contextlib
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

import xnbflow

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="jobs are forked on Linux alone")

PROJECT = Path(xnbflow.__file__).parents[3]

#: A process as Snakemake's: it starts the server and goes on until its input ends.
PARENT = """
import json, os, sys
from xnbflow.forkserver import start
start()
print(json.dumps(dict(os.environ)), flush=True)
input()
"""
#: As Snakemake writes a script; one that is forked has what the server has imported.
SCRIPT = """
import os, sys
from types import SimpleNamespace
forked = "sklearn" in sys.modules
log, output = ["log.txt"], SimpleNamespace(record="record.tsv")
snakemake = SimpleNamespace(threads=int(os.environ["OMP_NUM_THREADS"]), log=log, output=output)
from xnbflow.jobs import start_job

start_job(snakemake)

"""
FORKED = "print(forked)"


def alive(process):
    """Whether a process lives, given by its number."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    return False


def wait_until(holds):
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


class Run:
    """A folder with a server, and jobs that are started there as Snakemake does."""

    def __init__(self, folder, library=PROJECT / "workflow/src", **variables):
        self.folder, self.numbers = folder, itertools.count()
        (folder / ".snakemake/scripts").mkdir(parents=True)
        self.given = {**os.environ, "PYTHONPATH": str(library), **variables}
        self.given.pop("PYTEST_CURRENT_TEST", None)
        self.parent = subprocess.Popen(
            [sys.executable, "-c", PARENT],
            cwd=folder, env=self.given, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self.environ = json.loads(self.parent.stdout.readline())

    def end(self):
        self.parent.communicate("\n")

    @property
    def socket(self):
        return Path(self.environ["XNBFLOW_FORKSERVER"].rpartition(":")[2])

    @property
    def server(self):
        (server,) = psutil.Process(self.parent.pid).children()
        return server

    def script(self, work, begin=SCRIPT):
        path = self.folder / f".snakemake/scripts/tmp{next(self.numbers)}.work.py"
        path.write_text(begin + work)
        return path

    def start(self, work, threads=1, environ=None, shell="", begin=SCRIPT, **variables):
        """Start a job by a shell, which may do something before."""
        environ = (self.environ if environ is None else environ) | variables
        return subprocess.Popen(
            ["bash", "-c", f"{shell} exec {sys.executable} {self.script(work, begin)}"],
            cwd=self.folder,
            env=environ | {"OMP_NUM_THREADS": str(threads)},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def told(self, work, **how):
        """What a job prints."""
        process = self.start(work, **how)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        return out.strip()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    run = Run(tmp_path_factory.mktemp("run"))
    yield run
    run.end()


@pytest.fixture
def own_run(tmp_path):
    """A run that a test may end as it likes."""
    run = Run(tmp_path)
    yield run
    with contextlib.suppress(ValueError, BrokenPipeError):  # it has ended it
        run.end()


SEEN = """
import json, resource, tempfile
import numba, numpy
mask = os.umask(0)
print(json.dumps({
    "forked": forked, "cwd": os.getcwd(), "argv": sys.argv, "orig_argv": sys.orig_argv,
    "path": sys.path, "environ": dict(os.environ), "threads": numba.get_num_threads(),
    "name": __name__, "file": __file__, "umask": mask, "tmp": tempfile.gettempdir(),
    "custom": "sitecustomize" in sys.modules, "files": resource.getrlimit(resource.RLIMIT_NOFILE),
    "nice": os.nice(0), "cores": len(os.sched_getaffinity(0)), "pid": os.getpid(),
    "drawn": numpy.random.random(), "buffered": sys.stdout.line_buffering,
}))
"""
ITS_OWN = {"forked", "pid", "drawn"}


def seen(run, **how):
    told = json.loads(re.sub(r"tmp\d+\.work", "script", run.told(SEEN, **how)))
    told["environ"].pop("_", None)  # the shell's own
    return told


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shell", ["", "umask 027; ulimit -S -n 500; renice -n 3 $$ > /dev/null;"])
def test_a_forked_job_sees_what_it_would_see_alone(run, tmp_path, shell, threads):
    for_both = {"shell": shell, "threads": threads, "TMPDIR": str(tmp_path)}
    forked = seen(run, **for_both)
    alone = seen(run, environ=run.given, **for_both)
    assert forked["forked"]
    assert not alone["forked"]
    for key in forked.keys() - ITS_OWN:
        assert forked[key] == alone[key], key
    assert forked["tmp"] == str(tmp_path)


@pytest.mark.parametrize(
    "how",
    [
        {"XNBFLOW_FORKSERVER": ""},
        {"XNBFLOW_FORKSERVER": "/elsewhere:{path}"},
        {"XNBFLOW_FORKSERVER": "{whom}:/nobody/listens"},
        {"PYTHONPATH": "/another/library:{PYTHONPATH}"},
        {"MKL_VERBOSE": "what may be read at an import"},
        {"threads": "unknown"},
        {"shell": "export PYTHONNOUSERSITE=1;"},
    ],
)
def test_a_job_that_would_see_something_else_runs_alone(run, how):
    whom, _, path = run.environ["XNBFLOW_FORKSERVER"].rpartition(":")
    filled = {
        key: value.format(whom=whom, path=path, PYTHONPATH=run.environ["PYTHONPATH"])
        for key, value in how.items()
    }
    begin = SCRIPT.replace('int(os.environ["OMP_NUM_THREADS"])', "1")
    assert run.told(FORKED, begin=begin, **filled) == "False"
    assert run.told(FORKED) == "True"


def test_a_users_own_script_is_no_job_of_the_workflow(run):
    begin = SCRIPT.replace("\nstart_job(snakemake)\n", "\n")
    assert run.told(FORKED, begin=begin) == "False"


LEFT_ALONE = """
import json, os, sys
print(json.dumps({
    "environ": dict(os.environ), "path": sys.path, "custom": "sitecustomize" in sys.modules
}))
"""


def test_any_other_python_of_a_run_is_left_alone(run, tmp_path):
    script = tmp_path / "own.py"
    script.write_text(LEFT_ALONE)
    for command in ([sys.executable, "-c", LEFT_ALONE], [sys.executable, script]):
        told = [
            json.loads(subprocess.check_output(command, cwd=run.folder, env=environ))
            for environ in (run.environ, run.given)
        ]
        del told[0]["environ"]["XNBFLOW_FORKSERVER"]
        assert told[0] == told[1]


@pytest.mark.slow
def test_what_every_python_runs_first_no_python_stumbles_over():
    names = ["python2", "python2.7", *(f"python3.{minor}" for minor in range(3, 16))]
    pythons = [sys.executable, *filter(None, map(shutil.which, [*names, "/usr/bin/python3"]))]
    folder = PROJECT / "workflow/startup"
    for python in pythons:
        plain, ours = (
            subprocess.run(
                [python, "-c", "import sys; print(sys.path)"],
                env={"PATH": os.environ["PATH"], "HOME": "/nowhere", **path},
                capture_output=True, check=False,
            )
            for path in ({}, {"PYTHONPATH": str(folder), "XNBFLOW_FORKSERVER": "none"})
        )  # fmt: skip
        assert (ours.returncode, ours.stdout, ours.stderr) == (
            plain.returncode, plain.stdout, plain.stderr,
        )  # fmt: skip


@pytest.fixture
def site(tmp_path):
    """A folder of an environment that has a ``sitecustomize`` and a plugin of its own."""
    site = tmp_path / "site"
    (site / "toy-1.0.dist-info").mkdir(parents=True)
    (site / "toy-1.0.dist-info/METADATA").write_text("Name: toy\nVersion: 1.0\n")
    points = "[xnbflow.methods]\ntoy = toy:TOY\n[xnbflow.analyses]\ntoy = toy:TOY\n"
    (site / "toy-1.0.dist-info/entry_points.txt").write_text(points)
    (site / "toy.py").write_text("TOY = 1")
    (site / "sitecustomize.py").write_text(
        "import os, sys\nsys.path.append('/added')\nos.environ.setdefault('SET', str(os.getpid()))"
    )
    return site


@pytest.mark.slow
def test_the_sitecustomize_of_an_environment_is_run_and_plugins_stay_in_the_job(tmp_path, site):
    library = PROJECT / "workflow/src"
    run = Run(tmp_path / "run", f"{library}{os.pathsep}{site}", SET="by the shell")
    work = "print(forked, '/added' in sys.path, os.environ['SET'], 'toy' in sys.modules)"
    assert run.told(work) == "True True by the shell False"
    assert run.told(work, environ=run.given) == "False True by the shell False"
    other = [
        sys.executable,
        "-c",
        "import sys, sitecustomize as s; print(s.__file__, sys.path[-1])",
    ]
    out = subprocess.check_output(other, cwd=run.folder, env=run.environ, text=True)
    assert out == f"{site}/sitecustomize.py /added\n"
    (site / "sitecustomize.py").write_text("1 / 0")
    process = run.start(FORKED)
    out, err = process.communicate()
    assert out == "False\n"  # it says so, as it would alone
    assert err.startswith("Error in sitecustomize; set PYTHONVERBOSE for traceback:\nZeroDivision")
    run.end()


@pytest.fixture
def copied(tmp_path):
    """A copy of the library that a test may edit."""
    for folder in ("src", "scripts", "startup"):
        shutil.copytree(
            PROJECT / "workflow" / folder, tmp_path / "workflow" / folder,
            ignore=shutil.ignore_patterns("__pycache__"),
        )  # fmt: skip
    return tmp_path / "workflow/src"


EDITED = """
from xnbflow import errors, reference
from xnbflow.jit import cache_folder
print(getattr(errors, "edited", 0), getattr(reference, "edited", 0), cache_folder())
"""


@pytest.mark.slow
def test_the_code_of_a_run_is_that_of_its_beginning(tmp_path, copied):
    run = Run(tmp_path / "run", copied)
    before = run.told(EDITED)
    *edited, folder = before.split()
    assert edited == ["0", "0"]
    for module in ("errors.py", "reference.py", "jit.py"):  # the second is imported in the job
        with (copied / "xnbflow" / module).open("a") as file:
            file.write("\nedited = 1\n")
    (copied / "xnbflow/contract.py").unlink()
    assert run.told(EDITED) == before
    assert run.told(EDITED, threads=2) == before  # of a server that imports only now
    alone = run.told(EDITED, environ=run.given).split()
    assert alone[:2] == ["1", "1"]
    assert alone[2] != folder
    run.end()


@pytest.mark.slow
def test_where_kernels_cannot_be_kept_every_job_says_so_in_its_log(tmp_path, copied):
    for place in (copied / "xnbflow/__pycache__", tmp_path / "home"):
        place.write_text("no folder")
    nowhere = {"NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": str(tmp_path / "home")}
    run = Run(tmp_path / "run", copied, **nowhere)
    for _ in range(2):
        assert run.told(f"import xnbflow.density.kernels\n{FORKED}") == "True"
        log = (run.folder / "log.txt").read_text()
        assert log.count("every process compiles them anew") == 1
    run.end()


@pytest.mark.slow
def test_jobs_of_other_threads_are_forked_from_another_process(run):
    work = "import numba\nprint(forked, numba.get_num_threads())"
    for threads in (1, 2, 1):
        assert run.told(work, threads=threads) == f"True {threads}"


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_neither_the_server_nor_a_job_has_threads_that_a_fork_would_lose(run, threads):
    work = "import warnings; warnings.simplefilter('error')\n"
    work += "for process in ('self', os.getppid()):\n"
    work += "    print(len(os.listdir(f'/proc/{process}/task')), flush=True)\n"
    work += "print('child') if os.fork() == 0 else os.wait()\n"
    assert run.told(work, threads=threads).split() == ["1", "1", "child"]


@pytest.mark.slow
def test_a_job_with_processes_of_its_own_ends_when_they_have_done_their_work(run):
    work = """
from joblib import Parallel, delayed
print(sum(Parallel(n_jobs=2)(delayed(abs)(-1) for _ in range(4))))
"""
    assert run.told(work, threads=2) == "4"  # idle, they would stay for 300 s


def test_no_two_jobs_draw_the_same_random_numbers(run):
    first, second = (seen(run) for _ in range(2))
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
def test_how_a_job_ends_is_handed_back(run, work, code, told):
    process = run.start(work)
    _, err = process.communicate()
    assert process.returncode == code
    assert told in err


def test_what_a_job_registers_for_its_end_is_run(run):
    assert run.told("import atexit; atexit.register(print, 'the end')") == "the end"


ENDLESS = """
import subprocess, time
child = subprocess.Popen(["sleep", "600"])
print(os.getpid(), os.getppid(), child.pid, flush=True)
time.sleep(600)
"""


def started(process):
    return [int(each) for each in process.stdout.readline().split()]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_job_ends_with_the_process_that_asked_for_it(run, how):
    process = run.start(ENDLESS)
    job, _, child = started(process)
    assert job != process.pid
    process.send_signal(how)
    _, err = process.communicate(timeout=60)  # nor does anything hold its streams
    assert (process.returncode, err) == (-how, "")
    wait_until(lambda: not alive(job) and not alive(child))


def test_a_job_that_is_killed_leaves_no_process_that_would_be_waited_for(run):
    work = "child = os.fork()\nif child == 0:\n    import time; time.sleep(600)\n"
    work += "print(child, flush=True)\nos.kill(os.getpid(), 9)\n"
    process = run.start(work)
    (child,) = started(process)
    process.communicate(timeout=60)
    assert process.returncode == 137
    wait_until(lambda: not alive(child))


@pytest.mark.slow
def test_the_end_of_the_servers_is_nothing_to_a_job_that_runs(own_run):
    process = own_run.start(f"print(os.getpid(), os.getppid(), flush=True)\ninput()\n{FORKED}")
    other = own_run.start(ENDLESS)
    (_, server), (job, _, child) = started(process), started(other)
    own_run.server.kill()
    os.kill(server, signal.SIGKILL)
    wait_until(lambda: not alive(server))
    other.kill()
    other.communicate()
    wait_until(lambda: not alive(job) and not alive(child))
    assert own_run.told(FORKED) == "False"  # there is none any more
    process.kill()
    process.communicate()


@pytest.mark.slow
def test_a_server_that_dies_while_a_job_asks_lets_it_run_alone(own_run):
    own_run.server.suspend()
    process = own_run.start(FORKED)
    time.sleep(0.3)  # it has asked by then, or is refused
    own_run.server.kill()
    assert process.communicate(timeout=60)[0] == "False\n"


@pytest.mark.slow
def test_the_servers_end_with_the_process_that_started_them_however_that_ends(own_run):
    job = own_run.start("print(os.getppid(), flush=True)\nimport time; time.sleep(1); print('end')")
    (server,) = started(job)
    master = own_run.server.pid
    assert own_run.socket.exists()
    own_run.parent.kill()
    own_run.parent.wait()
    assert job.communicate()[0] == "end\n"  # as a job that runs alone does
    wait_until(lambda: not own_run.socket.parent.exists())
    wait_until(lambda: not alive(server) and not alive(master))


SNAKEFILE = """
from xnbflow import forkserver
from xnbflow.jobs import import_from

import_from({library!r})

onstart:
    forkserver.start()

rule all:
    input: expand("{{kind}}.txt", kind=["one", "two", "own"])

rule one:
    output: "one.txt", record="one.tsv"
    log: "one.log"
    script: "job.py"

rule two:
    output: "two.txt", record="two.tsv"
    log: "two.log"
    threads: 2
    script: "job.py"

rule own:
    output: "own.txt"
    script: "own.py"
"""
JOB = """
from xnbflow.jobs import start_job

start_job(snakemake)
"""
WORK = """
import os, sys
parents = open(f"/proc/{os.getppid()}/cmdline").read()
numba = sys.modules.get("numba")
with open(snakemake.output[0], "w") as file:
    print("forkserver" in parents, numba and numba.config.NUMBA_NUM_THREADS, file=file)
"""


@pytest.mark.slow
def test_snakemake_s_jobs_are_forked_and_a_users_own_are_not(tmp_path):
    library = str(PROJECT / "workflow/src")
    (tmp_path / "Snakefile").write_text(SNAKEFILE.format(library=library))
    (tmp_path / "job.py").write_text(JOB + WORK)
    (tmp_path / "own.py").write_text(WORK)
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2", "--directory", tmp_path / "work"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = {name: (tmp_path / f"work/{name}.txt").read_text().split() for name in ("one", "two")}
    assert told == {"one": ["True", "1"], "two": ["True", "2"]}
    assert (tmp_path / "work/own.txt").read_text() == "False None\n"
    assert "Warning" not in done.stderr
