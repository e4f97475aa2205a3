"""The events of a run: what runs, what failed and why, and an interrupted run."""

import logging

import pytest
from snakemake_interface_logger_plugins.common import LogEvent
from toys import put

from xnbflow.running.run_events import PlanNotice, RunEvents


def logged(level, text, **properties):
    record = logging.LogRecord("snakemake", level, "", 0, text, None, None)
    vars(record).update(properties)
    return record


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        pytest.param(
            "ERROR Traceback\n  a.py\nxnbflow.core.errors.InputError: mine: too few. Add some.",
            "Failed: Fitting nb to all samples of mine. mine: too few. Add some. Log: ",
            id="a refusal",
        ),
        pytest.param(
            "ERROR Traceback\n  a.py\nKeyError: 'x'",
            "Unexpected error: KeyError: 'x'. Report it",
            id="a bug",
        ),
        pytest.param(
            "INFO begun",
            "probably because it ran out of memory. Raise mem_mb",
            id="a killed process",
        ),
    ],
)
def test_a_failed_job_is_one_sentence_with_its_log(tmp_path, log, expected):
    path, events = put(tmp_path, log, "a.log"), RunEvents()
    job = {"rule_msg": "", "rule_name": "models"}
    job["wildcards"] = {"study": "s", "dataset": "mine", "classifier": "nb"}
    events.note(logged(20, "", event=LogEvent.JOB_INFO, jobid=3, **job))
    events.note(logged(40, "CalledProcessError: ... returned non-zero exit status 1."))
    events.note(logged(40, "Error in rule", event=LogEvent.JOB_ERROR, jobid=3, log=[str(path)]))
    events.note(logged(30, "Shutting down"))
    (failure,) = events.failures()
    assert expected in failure
    assert failure.endswith(f"Log: {path}")


def test_an_interrupted_run_is_one_sentence():
    events = RunEvents()
    events.note(logged(40, "CalledProcessError: Command '...' died with <Signals.SIGINT: 2>."))
    events.note(logged(40, "", event=LogEvent.JOB_ERROR, jobid=3, log=[]))
    (sentence,) = events.failures()
    assert sentence.startswith("Interrupted. ")


def job_info(job, rule, **wildcards):
    return {"jobid": job, "rule_msg": "", "rule_name": rule, "wildcards": wildcards}


def test_the_foot_of_a_terminal_shows_what_runs_and_the_steps_left(monkeypatch):
    monkeypatch.setattr("xnbflow.running.run_events.time.monotonic", lambda: 10.0)
    events, lines = RunEvents(), []
    for event, properties in (
        (LogEvent.RUN_INFO, {"stats": {"total": 3}}),
        (LogEvent.JOB_INFO, job_info(1, "report", study="demo")),
        (LogEvent.JOB_INFO, job_info(2, "xnbflow_diagnose", dataset="mine")),
        (LogEvent.JOB_STARTED, {"jobs": [1, 2]}),
        (LogEvent.JOB_FINISHED, {"job_id": 2}),
        (LogEvent.PROGRESS, {"done": 1, "total": 3}),
        (LogEvent.JOB_ERROR, {"jobid": 1, "log": []}),
    ):
        events.note(logged(20, "", event=event, **properties))
        lines.append(events.running_line(now=14.2))
    assert lines[2:] == [
        "",
        "3 steps left; running: Writing the page of demo (4 s), xnbflow_diagnose mine (4 s)",
        "3 steps left; running: Writing the page of demo (4 s)",
        "2 steps left; running: Writing the page of demo (4 s)",
        "",
    ]


def test_the_last_step_is_one_step(monkeypatch):
    monkeypatch.setattr("xnbflow.running.run_events.time.monotonic", lambda: 0.0)
    events = RunEvents()
    events.note(logged(20, "", event=LogEvent.PROGRESS, done=2, total=3))
    events.note(logged(20, "", event=LogEvent.JOB_STARTED, jobs=[1]))
    assert events.running_line(now=2.0) == "1 step left; running: job 1 (2 s)"


def test_a_job_without_a_log_is_named():
    events = RunEvents()
    events.note(logged(40, "", event=LogEvent.JOB_ERROR, jobid=3, log=[]))
    (failure,) = events.failures()
    assert failure.endswith("Log: none was written")


def running(tmp_path, log):
    path = put(tmp_path, log, "a.log")
    events = RunEvents()
    job = job_info(3, "acquire", dataset="mine") | {"log": [str(path)]}
    events.note(logged(20, "", event=LogEvent.JOB_INFO, **job))
    events.note(logged(20, "", event=LogEvent.JOB_STARTED, jobs=[3]))
    return events, path


def test_a_long_job_has_the_progress_of_its_log(tmp_path):
    events, path = running(tmp_path, "INFO begun\n")
    assert list(events.new_progress()) == []
    path.write_text("x" * 9_000 + "\n12:00 INFO progress: 6 of 20 pairs, about 80 s left\n")
    assert "; 6 of 20 pairs, about 80 s left)" in events.running_line(now=0.0)
    lines = ["Reading mine: 6 of 20 pairs, about 80 s left"]
    assert list(events.new_progress()) == lines
    assert list(events.new_progress()) == []  # until it changes
    path.unlink()
    assert events.progress(3) == ""


def test_sentences_on_a_plan_follow_its_counts_of_jobs_or_that_nothing_is_to_be_done():
    sentences = []
    notice = PlanNotice(lambda: ["To download: x"], sentences.append)
    notice.emit(logged(20, "Building DAG of jobs..."))
    assert sentences == []
    notice.emit(logged(20, "Job stats", event=LogEvent.RUN_INFO))
    notice.emit(logged(20, "Nothing to be done (all requested files are present)."))
    assert sentences == ["To download: x", "To download: x"]
