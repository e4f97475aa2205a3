"""Make the tables on gene sets of one study."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import start_job, working_directory

start_job(snakemake)

from xnbflow.core.study import study_of
from xnbflow.jobs.enrich import find_gene_sets
from xnbflow.studies.study_inputs import StudyInputs

find_gene_sets(
    StudyInputs(study=study_of(snakemake.params.study), root=working_directory(snakemake)),
    gene_set_files=snakemake.input.gene_sets,
    gene_set_urls=snakemake.params.gene_set_urls,
    downloads=snakemake.config["download"],
    threads=snakemake.threads,
)
