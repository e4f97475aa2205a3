"""Draw the figures of one study."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_code, start_job

start_job(snakemake)

from xnbflow.report.study_figures import draw_study
from xnbflow.running.config import read_studies

study = read_studies(snakemake.config)[snakemake.wildcards.study]
draw_study(
    study,
    configured=snakemake.params.results,
    folder=snakemake.output.figures,
    threads=snakemake.threads,
    check=lambda: check_code(snakemake),
)
