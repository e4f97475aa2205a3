"""Check the classifiers that come first in a study on one data set."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import end_job, start_job

start_job(snakemake)

from xnbflow.jobs.check import check_classifiers

check_classifiers(
    Path(snakemake.input.series),
    **snakemake.params.arguments,
    folder=Path(snakemake.output.halves).parent,
)

end_job()
