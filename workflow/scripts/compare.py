"""Make the tables of one study from the files of its data sets and classifiers."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_code, start_job

start_job(snakemake)

from xnbflow.studies.study_tables import compare

compare(
    files=snakemake.input,
    params=snakemake.params,
    outputs=snakemake.output,
    check=lambda: check_code(snakemake),
)
