"""Write the report of one study."""

from xnbflow.workflow.jobs import start_job

start_job(snakemake)

from xnbflow.report.results import StudyResults
from xnbflow.report.study import write_report

results = StudyResults(**snakemake.params.results)
write_report(results, snakemake.output.page, snakemake.output.figures, snakemake.threads)
