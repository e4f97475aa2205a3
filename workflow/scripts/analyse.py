"""Run one analysis of a study and write its tables."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import end_job, start_job

start_job(snakemake)

from xnbflow.jobs.analyse import run_analysis

run_analysis(
    snakemake.wildcards.analysis,
    **snakemake.params.arguments,
    series=[Path(path) for path in snakemake.input.series],
    folds_file=next(map(Path, snakemake.input.folds_file), None),
    downloads=snakemake.config["download"],
    tables_of_study=[Path(path) for path in snakemake.input.study],
    folder=Path(snakemake.output.tables),
    threads=snakemake.threads,
)

end_job()
