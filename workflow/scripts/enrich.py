"""Make the tables on gene sets of one study."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import start_job, working_directory

start_job(snakemake)

from xnbflow.core.study import study_of
from xnbflow.jobs.enrich import find_gene_sets
from xnbflow.running.project import ROOT
from xnbflow.studies.study_inputs import StudyInputs

files = {path: Path(path) for path in snakemake.input.gene_sets}
files |= {path: ROOT / path for path in snakemake.params.shipped_gene_sets}

find_gene_sets(
    StudyInputs(study=study_of(snakemake.params.study), root=working_directory(snakemake)),
    gene_set_files=files,
    gene_set_urls=snakemake.params.gene_set_urls,
    downloads=snakemake.config["download"],
    threads=snakemake.threads,
)
