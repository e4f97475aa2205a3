"""Make the tables of one study from the files of its data sets and classifiers."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_sources, start_job

start_job(snakemake)

from xnbflow.studies.description import description_tables
from xnbflow.studies.study_tables import study_tables
from xnbflow.tables.contract import COHORT_TABLES, DESCRIPTION_TABLES, STUDY_TABLES, TRAINING_TABLES
from xnbflow.tables.storage import refuse_other_series, write_tables

files, owners = snakemake.input, snakemake.params.owners
for dataset, series in zip(owners["datasets"], files.series, strict=True):
    mine = [i for i, (name, *_) in enumerate(owners["trained"]) if name == dataset]
    refuse_other_series([files[table][i] for table in TRAINING_TABLES for i in mine], series)
params = snakemake.params
asked = (params.about, owners, files, params.alpha, params.paper, params.entries)
tables = study_tables(*asked, threads=snakemake.threads)
descriptions = description_tables(owners, params.entries, files)
check_sources(snakemake)
write_tables(tables, Path(snakemake.output[0]).parent, STUDY_TABLES, others=COHORT_TABLES)
write_tables(descriptions, Path(snakemake.output.described[0]).parent, DESCRIPTION_TABLES)
