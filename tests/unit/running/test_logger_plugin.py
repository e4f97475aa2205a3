"""The logger plugin: a line for each job and step of a run."""

import logging
from types import SimpleNamespace

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

import snakemake_logger_plugin_xnbflow


def logged(level, text, **properties):
    record = logging.LogRecord("snakemake", level, "", 0, text, None, None)
    vars(record).update(properties)
    return record


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
            {
                "event": LogEvent.JOB_INFO,
                "jobid": 1,
                "rule_msg": "",
                "rule_name": "acquire",
                "wildcards": {"dataset": "a"},
            },
        ),
        (20, "", {"event": LogEvent.PROGRESS, "done": 1, "total": 3}),
        (30, "The disk is slow", {}),
        (40, "CalledProcessError: ... returned non-zero exit status 1.", {}),
        (40, "Error in rule", {"event": LogEvent.JOB_ERROR, "jobid": 1, "log": []}),
        (
            40,
            "RuleException:\nCalledProcessError ... returned non-zero exit status 1.",
            {"event": LogEvent.ERROR},
        ),
        (40, "At least one job did not complete successfully.", {"event": LogEvent.ERROR}),
        (30, "Cannot restore a.sha256: no backup found.", {}),
        (40, "A wrong Snakefile", {"event": LogEvent.ERROR}),
    ):
        handler.emit(logged(level, text, **properties))
    lines = ["Reading a", "1 of 3 steps done", "The disk is slow", "A wrong Snakefile"]
    assert capsys.readouterr().err.splitlines() == lines


#: What Snakemake prints of an error of an input function, and of one while it reads the rules.
OF_INPUT_FUNCTION = """\
InputFunctionException in rule acquire in file "/a/acquire.smk", line 4:
Error:
  WorkflowError:
    the study s has no data set: all of them are left out
      mine: there is no file mine.csv
Wildcards:
  dataset=mine
Traceback:
  File "/a/plan.py", line 134, in local_file (rule acquire, line 4, /a/acquire.smk)"""
OF_RULES = """\
WorkflowError in file "/a/common.smk", line 38:
configuration, datasets.mine: unknown key 'labl'
  File "/a/common.smk", line 38, in <module>"""


#: What the terminal shows of the first.
WITHOUT_DATA = """\
Error: the study s has no data set: all of them are left out
  mine: there is no file mine.csv"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (OF_INPUT_FUNCTION, WITHOUT_DATA),
        (OF_RULES, "Error: configuration, datasets.mine: unknown key 'labl'"),
        ("MissingRuleException:\nNo rule", "MissingRuleException:\nNo rule"),
    ],
)
def test_an_error_of_the_user_is_its_sentence_without_places_in_the_code(handler, text, expected):
    assert handler.line(logged(40, text, event=LogEvent.ERROR)) == expected


def test_a_study_that_has_run_is_answered(handler):
    expected = "Nothing to be done (all requested files are present and up to date)."
    assert handler.line(logged(20, expected)) == expected


def test_snakemake_finds_the_plugin_by_its_name_and_leaves_out_its_own_lines(handler):
    from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry

    assert "xnbflow" in LoggerPluginRegistry().plugins
    assert handler.writes_to_stream
    assert not handler.writes_to_file
