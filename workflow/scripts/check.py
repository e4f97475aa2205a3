"""Check the classifiers that come first in a study on one data set."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_code, start_job

start_job(snakemake)

from xnbflow.models.checking import check

check(snakemake.input, snakemake.params, snakemake.output, lambda: check_code(snakemake))
