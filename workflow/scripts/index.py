"""Write the page over all studies."""

from xnbflow.workflow.jobs import start_job

start_job(snakemake)

from xnbflow.report.index import write_index
from xnbflow.report.results import StudyResults

studies = [StudyResults(**study) for study in snakemake.params.studies]
write_index(studies, snakemake.output[0], snakemake.params.options)
