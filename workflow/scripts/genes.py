"""Compare the features of one series between its classes, by the design of a study."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import check_code, start_job

start_job(snakemake)

from xnbflow.core.study import Design
from xnbflow.jobs.genes import compare_features

compare_features(
    Path(snakemake.input.series),
    Design(**snakemake.params.design),
    gene_set_files=snakemake.input.gene_sets,
    gene_set_urls=snakemake.params.gene_set_urls,
    downloads=snakemake.config["download"],
    folder=Path(snakemake.output.genes).parent,
    check_code=lambda: check_code(snakemake),
)
