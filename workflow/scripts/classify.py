"""Draw the folds of one data set and train the classifiers of a job on them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import end_job, start_job

start_job(snakemake)

from xnbflow.jobs.classify import train_classifiers

train_classifiers(
    Path(snakemake.input.series),
    **snakemake.params.arguments,
    folds_file=next(map(Path, snakemake.input.folds_file), None),
    downloads=snakemake.config["download"],
    folder=Path(snakemake.output.predictions).parent,
)

end_job()
