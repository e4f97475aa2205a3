"""Put together what the training jobs of one classifier wrote."""

from xnbflow.workflow.jobs import start_job

start_job(snakemake)

from xnbflow.evaluation.gathering import gather

gather(snakemake.params.batches, snakemake.input, snakemake.output)
