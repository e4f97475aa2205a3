"""Draw the figures of one study for print."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import end_job, start_job, working_directory

start_job(snakemake)

from xnbflow.core.plugins import known_analyses
from xnbflow.report.figure_files import print_figures
from xnbflow.report.study_page import read_record

root = working_directory(snakemake)
print_figures(
    read_record(snakemake.wildcards.study, known_analyses(), root),
    folder=Path(snakemake.output.figures),
    width=85.0,
    threads=snakemake.threads,
)

end_job()
