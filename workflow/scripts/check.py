"""Check the classifiers that come first in a study on one data set."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import start_job

start_job(snakemake)

from xnbflow.core.study import Design
from xnbflow.jobs.check import check_classifiers

check_classifiers(
    Path(snakemake.input.series),
    entries=snakemake.params.entries,
    label_test_classifiers=snakemake.params.label_test_classifiers,
    halves_classifiers=snakemake.params.halves_classifiers,
    n_pairs=snakemake.params.n_pairs,
    n_permutations=snakemake.params.n_permutations,
    design=Design(**snakemake.params.design),
    folder=Path(snakemake.output.halves).parent,
)
