"""Make the tables of one study from what its data sets and classifiers left behind."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.workflow.jobs import check_sources, start_job

start_job(snakemake)

from xnbflow.data.contract import DESCRIPTION_TABLES, STUDY_TABLES
from xnbflow.data.tables import write_tables
from xnbflow.evaluation.description import description_tables
from xnbflow.evaluation.study import study_tables

files, owners = snakemake.input, snakemake.params.owners
tables = study_tables(
    snakemake.params.about, owners, files, snakemake.params.alpha, snakemake.params.paper
)
descriptions = description_tables(owners, snakemake.params.entries, files)
check_sources(snakemake)
write_tables(tables, Path(snakemake.output[0]).parent, STUDY_TABLES)
write_tables(descriptions, Path(snakemake.output.described[0]).parent, DESCRIPTION_TABLES)
