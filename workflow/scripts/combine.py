"""Combine several series of one question."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_code, start_job

start_job(snakemake)

from xnbflow.core.study import Design
from xnbflow.data.dataset import DataSet
from xnbflow.models.cohorts import combine
from xnbflow.models.final import write_final
from xnbflow.tables.contract import COHORT_TABLES
from xnbflow.tables.storage import digest_of_file, write_parquet, write_tsv

series = [DataSet.read(path) for path in snakemake.input.series]
designs = {name: Design(**design) for name, design in snakemake.params.designs.items()}
tables, model, merged = combine(
    series, snakemake.params.entry, designs=designs, **snakemake.params.settings
)
check_code(snakemake)
digest = " ".join(map(digest_of_file, snakemake.input.series))
write_final(model, merged, snakemake.output, digest)
files = zip(COHORT_TABLES, snakemake.output.tables, snakemake.output.text, strict=True)
for name, path, text in files:
    write_parquet(tables[name], path, COHORT_TABLES[name], digest)
    write_tsv(tables[name], text, COHORT_TABLES[name])
