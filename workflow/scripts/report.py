"""Write the report of one study."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_code, start_job

start_job(snakemake)

from xnbflow.report.study_page import write_study
from xnbflow.running.config import read_studies

study = read_studies(snakemake.config)[snakemake.wildcards.study]
write_study(
    study,
    configured=snakemake.params.results,
    outputs=snakemake.output,
    check=lambda: check_code(snakemake),
)
