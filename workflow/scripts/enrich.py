"""Make the tables on gene sets of one study."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_code, start_job

start_job(snakemake)

from xnbflow.studies.gene_lists import enrich

enrich(
    files=snakemake.input,
    params=snakemake.params,
    outputs=snakemake.output,
    threads=snakemake.threads,
    check=lambda: check_code(snakemake),
)
