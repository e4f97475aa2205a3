"""Write the figures of one study as PNG."""

from xnbflow.workflow.jobs import start_job

start_job(snakemake)

from xnbflow.report.results import StudyResults
from xnbflow.report.study import write_png

results = StudyResults(**snakemake.params.results)
write_png(results, snakemake.output[0], snakemake.threads)
