"""Make the tables of one study from the files of its data sets and classifiers."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import start_job, working_directory

start_job(snakemake)

from xnbflow.core.study import study_of
from xnbflow.jobs.compare import compare_classifiers
from xnbflow.studies.study_reader import StudyChecks, StudyReader

inputs = StudyReader(
    study=study_of(snakemake.params.study),
    checks=StudyChecks(**snakemake.params.checks),
    root=working_directory(snakemake),
)
compare_classifiers(
    inputs,
    entries=snakemake.params.entries,
    alpha=snakemake.params.alpha,
)
