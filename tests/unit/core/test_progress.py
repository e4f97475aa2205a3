"""Long loops report how many of their items are done, and when they may end."""

import logging

import pytest

from xnbflow.core import progress
from xnbflow.core.progress import last_progress, track


@pytest.fixture
def seconds(monkeypatch):
    """The clock of the loops: seconds that a test lets pass."""
    clock = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(progress, "_RUNNING", progress._RunningLoops())
    return clock


def lines_of(caplog, items, seconds, each, **settings):
    caplog.set_level(logging.INFO)
    for _ in track(items, "folds", **settings):
        seconds[0] += each
    return [record.getMessage() for record in caplog.records]


def test_a_loop_of_less_than_ten_seconds_reports_nothing(caplog, seconds):
    assert lines_of(caplog, range(9), seconds, 1.1) == []


def test_a_longer_loop_reports_every_ten_seconds_with_an_estimate(caplog, seconds):
    lines = lines_of(caplog, range(8), seconds, 4.0)
    assert lines == [
        "progress: 3 of 8 folds, about 20 s left",
        "progress: 6 of 8 folds, about 8 s left",
    ]


def test_a_loop_that_may_end_early_has_its_most_items(caplog, seconds):
    lines = lines_of(caplog, iter(range(3)), seconds, 10.0, total=20, may_end_early=True)
    assert lines[0] == "progress: 1 of at most 20 folds, at most 3 min left"
    assert len(lines) == 3


def test_a_loop_of_unknown_length_reports_what_is_done(caplog, seconds):
    assert lines_of(caplog, iter("ab"), seconds, 10.0)[1] == "progress: 2 folds"


def test_loops_in_loops_report_both_and_the_time_of_the_outer_one(caplog, seconds):
    caplog.set_level(logging.INFO)
    for _ in track("ab", "classifiers"):
        for _ in track(range(4), "folds"):
            seconds[0] += 6.0
    messages = [record.getMessage() for record in caplog.records]
    assert messages[0] == "progress: 0 of 2 classifiers, 2 of 4 folds, about 36 s left"
    assert messages[-1] == "progress: 1 of 2 classifiers, 4 of 4 folds"
    assert len(messages) == 4


def test_a_loop_that_is_left_is_forgotten(caplog, seconds):
    for _ in track(range(5), "folds"):
        break
    assert lines_of(caplog, range(2), seconds, 10.0)[0].startswith("progress: 1 of 2 folds")


def test_the_last_line_of_progress_of_a_log_is_found():
    assert last_progress("INFO begun\n") == ""
    assert last_progress("x progress: 1 of 2\ny progress: 2 of 2 folds\nWARNING z") == (
        "2 of 2 folds"
    )
