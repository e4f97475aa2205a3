"""The start of a job, its errors, its log, and its messages on a full disk."""

import os
import platform
import re
import signal
import sys

import pytest
from toys import PROGRAMS

from xnbflow.running import job_process
from xnbflow.running.run_events import _cause_of_failure


def test_what_is_raised_is_logged_and_a_persons_mistake_is_told_in_a_sentence(run, tmp_path):
    code, output = run("from xnbflow.core.errors import InputError; raise InputError('name it')")
    assert (code, output) == (1, "Error: name it\n")
    assert "Traceback" in (tmp_path / "logs/a.log").read_text()


def test_numba_with_another_number_of_threads_than_the_job_s_is_refused(run):
    code, output = run("", "import os; os.environ['NUMBA_NUM_THREADS'] = '2'; import numba\n")
    assert code == 1
    assert "numba was imported for 2 threads in a job that may use 1" in output


def test_a_package_that_is_not_installed_is_told_with_where_to_install_it(run):
    code, output = run("import no_such_package")
    assert code == 1
    assert output.startswith(f"Error: No module named 'no_such_package' in {sys.executable}, which")
    code, output = run("import xnbflow.no_such_module")  # a mistake of ours
    assert "Traceback" in output


def test_a_job_without_memory_is_told_how_to_get_more(run, tmp_path):
    code, output = run("raise MemoryError('Unable to allocate 8 EiB')")
    assert code == 1
    assert output.startswith("Error: The job ran out of memory (Unable to allocate 8 EiB)")
    assert "mem_mb" in output
    assert "Traceback" in (tmp_path / "logs/a.log").read_text()


#: Code that gives the files of a job this many bytes.
LIMIT_FILES = "import file_limits; file_limits.limit_files"

#: Without coverage, which would have no room for its own file either.
UNWATCHED = {name: value for name, value in os.environ.items() if not name.startswith("COV")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "table"), [("write_parquet.py", "part.parquet"), ("write_tsv.py", "part.tsv")]
)
def test_without_room_a_job_says_so_in_one_sentence_with_the_path(run, tmp_path, program, table):
    work = (PROGRAMS / program).read_text()
    code, output = run(work, f"{LIMIT_FILES}(50_000)", env=UNWATCHED)
    assert (code, output) == (
        1,
        (f"Error: {table} cannot be written: no space is left there; make room and run it again\n"),
    )
    assert {path.name for path in tmp_path.rglob("*.*")} == {"a.log"}
    assert run(work)[0] == 0
    assert (tmp_path / table).stat().st_size > 50_000


def test_a_run_that_prints_causes_gets_none_from_the_job_unless_the_log_lacks_it(run):
    """The cause is printed once, at the end of the run, from the log."""
    environment = UNWATCHED | {job_process.PRINTS_CAUSES: "1"}
    raising = "from xnbflow.core.errors import InputError\nraise InputError('name it')"
    assert run(raising, env=environment) == (1, "")
    _, output = run(raising, f"{LIMIT_FILES}(0)", env=environment)
    assert output == "Error: name it\n"


def test_a_refusal_of_another_class_has_a_cause_in_the_log_as_an_input_error(run, tmp_path):
    """Without a network: the run took the last line of the log for an unexpected error."""
    raising = (
        "from xnbflow.sources.places.downloads import UnavailableError\n"
        "raise UnavailableError('cannot get x:\\n  http://a: 404\\nput it there') from KeyError(1)"
    )
    sentence = "cannot get x:\n  http://a: 404\nput it there"
    assert run(raising) == (1, f"Error: {sentence}\n")
    log = (tmp_path / "logs/a.log").read_text()
    assert _cause_of_failure(log).strip() == sentence
    assert "KeyError: 1" in log


def test_without_room_for_its_log_a_job_says_the_same(run):
    raising = 'import errno, os\nraise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "a/b.nbc")'
    _, output = run(raising, f"{LIMIT_FILES}(0)", env=UNWATCHED)
    assert output.startswith("Error: a/b.nbc cannot be written: no space is left there; ")
    assert output.count("\n") == 1


def test_an_interrupted_job_prints_nothing(run):
    """The run reports it once. A shell has its background processes ignore SIGINT."""
    before = "import os, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    assert run("os.kill(os.getpid(), 2)", before) == (-signal.SIGINT, "")


#: The variables that numba, OpenBLAS, MKL, Accelerate and numexpr document.
VARIABLES = (
    "NUMBA_NUM_THREADS OMP_NUM_THREADS GOTO_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS "
    "VECLIB_MAXIMUM_THREADS NUMEXPR_NUM_THREADS"
)


def test_a_job_has_its_threads_whatever_the_environment_has(run):
    environment = os.environ | dict.fromkeys(VARIABLES.split(), "7")
    work = f"import os; sys.exit(' '.join(os.environ[n] for n in {VARIABLES.split()}))"
    assert run(work, env=environment) == (1, "1 1 1 1 1 1 1\n")


def test_the_log_of_a_job_begins_with_what_it_is_and_ends_with_its_time(run, tmp_path):
    """The seconds are those of the process and of its children."""
    busy = "import subprocess, use_processor\nuse_processor.use_processor(0.2)\n"
    busy += "subprocess.run([sys.executable, use_processor.__file__, '0.2'], check=True)"
    params = {"code": "computing 0123abcd", "entries": {"rf": {"params": {"random_state": 7}}}}
    assert run(busy, params=params) == (0, "")
    first, last = (tmp_path / "logs/a.log").read_text().splitlines()
    for part in ("start toy dataset=wine; 1 thread; ", "seeds 7; ", "(computing 0123abcd); "):
        assert part in first
    assert first.endswith(f"host {platform.node()}")
    assert float(re.search(r"([\d.]+) processor seconds$", last)[1]) > 0.4


def test_the_time_of_a_failed_job_is_before_its_error(run, tmp_path):
    run("from xnbflow.core.errors import InputError; raise InputError('name it')")
    log = (tmp_path / "logs/a.log").read_text()
    assert "failed after" in log
    assert _cause_of_failure(log).strip() == "name it"


def test_a_job_finds_a_module_in_the_folder_of_the_run(run, tmp_path):
    (tmp_path / "own_classifier.py").write_text("class Model: ...\n")
    assert run("import own_classifier") == (0, "")
