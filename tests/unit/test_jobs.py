"""The start of a job, its errors, what it asks for, and what is said without room."""

import errno
import json
import logging
import os
import re
import resource
import signal
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from snakemake_interface_logger_plugins.common import LogEvent
from toys import PROGRAMS, put, python, refused

import snakemake_logger_plugin_xnbflow
from xnbflow.core.atomic import atomic, write_atomically
from xnbflow.running.run_events import RunEvents
from xnbflow.tables.contract import JOBS

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(tmp_path):
    """Run a script that begins as a job does, in a folder; returns its exit code and errors."""

    def run(work, before="", params=None, **options):
        script = before + PROGRAMS["start_job"].format(params=json.dumps(params or {})) + work
        done = python(script, cwd=tmp_path, check=False, **options)
        return done.returncode, done.stderr

    return run


def test_what_is_raised_is_logged_and_a_persons_mistake_is_told_in_a_sentence(run, tmp_path):
    code, said = run("from xnbflow.core.errors import InputError; raise InputError('name it')")
    assert (code, said) == (1, "Error: name it\n")
    assert "Traceback" in (tmp_path / "logs/a.log").read_text()


BUSY = """
import subprocess, time
def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
"""


def test_a_job_records_its_whole_processor_time_and_that_of_its_children(run, tmp_path):
    """Also one that is shorter than a sample of Snakemake's, and one that fails."""
    child = json.dumps(f"{BUSY}work(0.4)")
    program = f"{BUSY}work(0.3); subprocess.run([sys.executable, '-c', {child}], check=True)"
    for work in (program, f"{program}; sys.exit(1)"):
        run(work)
        (row,) = pd.read_csv(tmp_path / "usage/a.tsv", sep="\t").to_dict("records")
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert 0.7 < row["processor_seconds"] < used.ru_utime + used.ru_stime
        assert row["seconds"] > 0.7
        assert 10 < row["max_memory_mb"] < 200  # what started it may have more
        (tmp_path / "usage/a.tsv").unlink()


def test_numba_with_another_number_of_threads_than_the_job_s_is_refused(run):
    code, said = run("", "import os; os.environ['NUMBA_NUM_THREADS'] = '2'; import numba\n")
    assert code == 1
    assert "numba was imported for 2 threads in a job that may use 1" in said


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"code": "computing code 01234567"}, "the computing code of xnbflow was edited"),
        ({"page_code": "page code 01234567"}, "the page code of xnbflow was edited"),
        ({"methods": {"toys": "code 01234567"}}, "the sources of toys were edited"),
        ({"sections": {"toys": "page code 01234567"}}, "the sources of toys were edited"),
    ],
)
def test_a_job_of_other_code_than_the_plan_s_does_not_begin(run, params, message):
    code, errors = run("print('work')", params=params)
    assert code == 1
    assert errors.startswith(f"Error: {message} after this run was planned")


def test_a_job_begins_with_another_version_of_a_package_than_the_plan_s(run):
    assert run("", params={"methods": {"sklearn": "version 0.0.1"}}) == (0, "")


#: What takes a tenth of a second or more to import. `scipy.stats` has been imported if its
#: distributions have been; the entry of its name in `sys.modules` may be a deferred import.
SLOW = {
    "matplotlib",
    "numba",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats.distributions",
    "skops",
    "sklearn.base",
    "sklearn.feature_selection",
    "sklearn.linear_model",
    "sklearn.model_selection",
    "sklearn.pipeline",
}


@pytest.mark.parametrize(
    ("stage", "needed"),
    [
        ("acquire", set()),
        ("diagnose", {"numba", "scipy.special"}),
        ("classify", {"numba", "scipy.special", "sklearn.base"}),
        ("check", {"numba", "scipy.special", "sklearn.base"}),
        ("models", {"numba", "scipy.special", "sklearn.base"}),
        ("permute", {"numba", "scipy.special", "sklearn.base"}),
        ("validate", {"numba", "scipy.special", "sklearn.base"}),
        ("combine", {"numba", "scipy.special", "sklearn.base"}),
        ("compare", {"numba", "scipy.special", "sklearn.base"}),
        ("report", {"matplotlib"}),
    ],
)
def test_a_stage_imports_only_what_it_needs(run, stage, needed):
    text = (ROOT / f"workflow/scripts/{stage}.py").read_text()
    imports = "\n".join(re.findall(r"^from xnbflow\..*", text, re.MULTILINE))
    asked = f"\nimport sys; sys.exit(' '.join({SLOW} & set(sys.modules)))"
    assert set(run(imports + asked)[1].split()) == needed


TRAINING_WITH_OWN_CLASSIFIERS = """
import sys
import numpy as np
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.training import train
values = np.random.default_rng(0).normal(size=(30, 24))
values[:5, 12:] += 3.0
names = [f"g{i}" for i in range(30)], [f"s{i}" for i in range(24)]
series = DataSet("toy", values, *names, np.repeat(["a", "b"], 12))
folds = draw_folds(series, 3, 1)
for name in ("ClassSpecificNBCV", "GaussianNB", "ShrunkenCentroids"):
    tables = train(series, folds, {"method": f"xnbflow.naive_bayes.{name}"})
    assert len(tables["predictions"]) == 24, name
"""


def test_a_job_that_trains_our_classifiers_imports_no_more_of_scikit_learn(run):
    asked = f"sys.exit(' '.join({SLOW} & set(sys.modules)))"
    _, errors = run(TRAINING_WITH_OWN_CLASSIFIERS + asked)
    assert set(errors.split()) == {"numba", "scipy.special", "sklearn.base"}


def test_every_rule_has_its_three_places():
    """Its group in tables.toml, its rule and its script; with log, usage, memory and time."""
    workflow = ROOT / "workflow"
    text = "".join(path.read_text() for path in sorted((workflow / "rules").glob("*.smk")))
    written = set(re.findall(r"^rule (\w+):", text, re.MULTILINE))
    assert written == {path.stem for path in (workflow / "scripts").glob("*.py")} == set(JOBS)
    for rule in written:
        for words in (f'log_of("{rule}")', f'usage_of("{rule}")', f"scripts/{rule}.py"):
            assert words in text
    for words in ("mem_mb=lambda", "runtime=lambda"):
        assert text.count(words) == len(written), f"a rule lacks {words}"


def test_a_package_that_is_not_installed_is_told_with_where_to_install_it(run):
    code, said = run("import no_such_package")
    assert code == 1
    assert said.startswith(f"Error: No module named 'no_such_package' in {sys.executable}, which")
    code, said = run("import xnbflow.no_such_module")  # a mistake of ours
    assert "Traceback" in said


def test_a_job_without_memory_is_told_how_to_get_more(run, tmp_path):
    code, said = run("raise MemoryError('Unable to allocate 8 EiB')")
    assert code == 1
    assert said.startswith("Error: The job ran out of memory (Unable to allocate 8 EiB)")
    assert "mem_mb" in said
    assert "Traceback" in (tmp_path / "logs/a.log").read_text()


#: Without coverage, which would have no room for its own file either.
UNWATCHED = {name: value for name, value in os.environ.items() if not name.startswith("COV")}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS["writes"])
def test_without_room_a_job_says_so_in_one_sentence_with_the_path(run, tmp_path, name):
    told = f"{name} cannot be written: no space is left there; make room and run it again"
    write, limit = PROGRAMS["writes"][name], PROGRAMS["limit_files"].format(50_000)
    code, said = run(write, limit, env=UNWATCHED)
    assert (code, said) == (1, f"Error: {told}\n")
    assert {path.name for path in tmp_path.rglob("*.*")} == {"a.log", "a.tsv"}
    assert run(write)[0] == 0


def test_without_room_for_its_log_a_job_says_the_same(run):
    raising = 'import errno, os\nraise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "a/b.nbc")'
    _, said = run(raising, PROGRAMS["limit_files"].format(0), env=UNWATCHED)
    assert said.startswith("Error: a/b.nbc cannot be written: no space is left there; ")
    assert said.count("\n") == 1


def test_a_failure_leaves_the_file_as_it_was_and_nothing_beside_it(tmp_path):
    path = tmp_path / "table.tsv"
    path.write_text("before")

    def fail(part):
        part.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, fail)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_of_a_file_do_not_meet(tmp_path):
    path = tmp_path / "series.parquet"
    with atomic(path) as first:
        first.write_text("first")
        with atomic(path) as second:
            assert second != first
            second.write_text("second")
        assert first.read_text() == "first"
    assert path.read_text() == "first"


def test_what_a_killed_writer_left_goes_after_a_day(tmp_path):
    names = ("1.ab12.part.a.tsv", "2.ab12.part.a.tsv", "1.ab12.part.b.tsv")
    old, new, other = (tmp_path / f".elsewhere.{name}" for name in names)
    for part in (old, new, other):
        part.touch()
    for part in (old, other):
        os.utime(part, (time.time() - 90_000,) * 2)
    write_atomically(tmp_path / "a.tsv", lambda part: part.write_text("a"))
    assert [part.exists() for part in (old, new, other)] == [False, True, True]


def logged(level, text, **properties):
    record = logging.LogRecord("snakemake", level, "", 0, text, None, None)
    vars(record).update(properties)
    return record


@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        (
            "ERROR Traceback\n  a.py\nxnbflow.core.errors.InputError: mine: too few. Add some.",
            "Failed: Training nb on mine. mine: too few. Add some. Log: ",
        ),
        ("ERROR Traceback\n  a.py\nKeyError: 'x'", "Unexpected error: KeyError: 'x'. Report it"),
        ("INFO begun", "probably because it ran out of memory. Raise mem_mb"),
    ],
)
def test_a_failed_job_is_one_sentence_with_its_log(tmp_path, log, sentence):
    path, events = put(tmp_path, log, "a.log"), RunEvents()
    job = {"rule_msg": "Training nb on mine", "rule_name": "classify"}
    events.note(logged(20, "", event=LogEvent.JOB_INFO, jobid=3, **job))
    events.note(logged(40, "CalledProcessError: ... returned non-zero exit status 1."))
    events.note(logged(40, "Error in rule", event=LogEvent.JOB_ERROR, jobid=3, log=[str(path)]))
    events.note(logged(30, "Shutting down"))
    (failure,) = events.failures()
    assert sentence in failure
    assert failure.endswith(f"Log: {path}")


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_folder_that_must_not_be_written_is_told_with_the_path(tmp_path, number):
    path, elsewhere = tmp_path / "t.tsv", PermissionError(number, "", "/elsewhere")

    def fail(part):
        raise OSError(number, os.strerror(number), str(part))

    with refused(f"t.tsv cannot be written .{os.strerror(number)}.; obtain the right", file=path):
        write_atomically(path, fail)
    with pytest.raises(OSError, match="elsewhere"), atomic(path):
        raise elsewhere


def test_an_interrupted_run_is_one_sentence_and_no_job_complains(run):
    events = RunEvents()
    events.note(logged(40, "CalledProcessError: Command '...' died with <Signals.SIGINT: 2>."))
    events.note(logged(40, "", event=LogEvent.JOB_ERROR, jobid=3, log=[]))
    (sentence,) = events.failures()
    assert sentence.startswith("Interrupted. ")
    # A shell has its background processes ignore SIGINT.
    first = "import os, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    assert run("os.kill(os.getpid(), 2)", first) == (-signal.SIGINT, "")


def test_the_foot_of_a_terminal_shows_what_runs_and_the_steps_left(monkeypatch):
    monkeypatch.setattr("xnbflow.running.run_events.time.monotonic", lambda: 10.0)
    events, lines = RunEvents(), []
    for event, properties in (
        (LogEvent.RUN_INFO, {"stats": {"total": 3}}),
        (LogEvent.JOB_INFO, {"jobid": 1, "rule_msg": "Training nb", "rule_name": "classify"}),
        (LogEvent.JOB_INFO, {"jobid": 2, "rule_msg": "", "rule_name": "diagnose"}),
        (LogEvent.JOB_STARTED, {"jobs": [1, 2]}),
        (LogEvent.JOB_FINISHED, {"job_id": 2}),
        (LogEvent.PROGRESS, {"done": 1, "total": 3}),
        (LogEvent.JOB_ERROR, {"jobid": 1, "log": []}),
    ):
        events.note(logged(20, "", event=event, **properties))
        lines.append(events.running_line(now=14.2))
    assert lines[2:] == [
        "",
        "3 steps left; running: Training nb (4 s), diagnose (4 s)",
        "3 steps left; running: Training nb (4 s)",
        "2 steps left; running: Training nb (4 s)",
        "",
    ]


@pytest.fixture
def handler():
    """The plugin that words the events of a run for a terminal."""
    common_settings = SimpleNamespace()
    return snakemake_logger_plugin_xnbflow.LogHandler(common_settings, None)


def test_a_run_is_a_line_for_each_job_and_step(handler, capsys):
    for level, text, properties in (
        (20, "Building DAG of jobs...", {}),
        (20, "", {"event": LogEvent.RUN_INFO, "stats": {"total": 3}}),
        (
            20,
            "",
            {"event": LogEvent.JOB_INFO, "jobid": 1, "rule_msg": "Reading a", "rule_name": "x"},
        ),
        (20, "", {"event": LogEvent.PROGRESS, "done": 1, "total": 3}),
        (30, "The disk is slow", {}),
        (40, "CalledProcessError: ... returned non-zero exit status 1.", {}),
        (40, "Error in rule", {"event": LogEvent.JOB_ERROR, "jobid": 1, "log": []}),
        (40, "A wrong Snakefile", {"event": LogEvent.ERROR}),
    ):
        handler.emit(logged(level, text, **properties))
    lines = ["Reading a", "1 of 3 steps done", "The disk is slow", "A wrong Snakefile"]
    assert capsys.readouterr().err.splitlines() == lines


def test_snakemake_finds_the_plugin_by_its_name_and_leaves_out_its_own_lines(handler):
    from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry

    assert "xnbflow" in LoggerPluginRegistry().plugins
    assert handler.writes_to_stream
    assert not handler.writes_to_file
