"""Draw the folds of one data set and train the classifiers of a job on them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_code, start_job

start_job(snakemake)

from xnbflow.models.classifying import classify

classify(
    files=snakemake.input,
    params=snakemake.params,
    outputs=snakemake.output,
    downloads=snakemake.config["download"],
    check_code=lambda: check_code(snakemake),
)
