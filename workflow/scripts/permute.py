"""Test one classifier on one data set by permutations, with its selection of features."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import start_job

start_job(snakemake)

from xnbflow.jobs.permute import permute_labels

permute_labels(
    Path(snakemake.input.series),
    snakemake.params.entry,
    n_permutations=snakemake.params.n_permutations,
    table=Path(snakemake.output.permutation),
)
