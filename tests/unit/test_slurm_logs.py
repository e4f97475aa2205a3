"""The reason why SLURM ended a job is told from the job's own log."""

import os

import pytest

from xnbflow.workflow.slurm_logs import reasons

STEPD = "slurmstepd-n1: error: "
#: As SLURM's step daemon writes them.
ENDS = {
    "more memory": (
        f"{STEPD}StepId=1.batch exceeded memory limit (77770752 > 62914560), being killed\n"
        f"{STEPD}*** JOB 1 ON n1 CANCELLED AT 2026-11-21T15:01:10 ***"
    ),
    "more memory than": f"{STEPD}Detected 1 oom_kill event in StepId=7.0.",
    "took longer": f"{STEPD}*** JOB 3 ON n1 CANCELLED AT 2026-11-21T14:30:30 DUE TO TIME LIMIT ***",
    "its node failed": f"{STEPD}*** JOB 3 ON n1 CANCELLED AT 2026-11-21T14:30 DUE TO NODE FAILURE",
    "was cancelled": f"{STEPD}*** JOB 2 ON n1 CANCELLED AT 2026-11-21T15:01:10 ***",
}


def write(folder, text):
    path = folder / "rule_train" / "wine_nb" / "7.log"
    path.parent.mkdir(parents=True)
    path.write_text(f"Building DAG of jobs...\n{text}\nElapsed time: 3 s\n")
    return path


@pytest.mark.parametrize("told", ENDS)
def test_the_reason_is_told_with_the_job_and_its_log(tmp_path, told):
    path = write(tmp_path, ENDS[told])
    (line,) = reasons(tmp_path)
    assert told in line
    assert line.startswith("SLURM job 7 (train wine_nb) failed: ")
    assert line.endswith(str(path))


def test_a_job_that_failed_by_itself_is_left_to_its_own_words(tmp_path):
    write(tmp_path, "Error: wine.csv: no such file")
    assert not list(reasons(tmp_path))


def test_an_earlier_run_is_not_told_again(tmp_path):
    path = write(tmp_path, ENDS["took longer"])
    os.utime(path, (1000, 1000))
    assert not list(reasons(tmp_path, since=2000))
    assert not list(reasons(tmp_path / "absent"))
