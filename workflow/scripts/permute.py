"""Test one classifier on one data set by permutations, its selection of features included."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.workflow.jobs import check_sources, start_job

start_job(snakemake)

from xnbflow.data.contract import PERMUTATION_TABLES
from xnbflow.data.dataset import DataSet
from xnbflow.data.tables import write_parquet
from xnbflow.evaluation.permutation import permutation_scores, permutation_table

scores = permutation_scores(
    DataSet.read(snakemake.input.series),
    snakemake.params.entry,
    n_permutations=snakemake.params.n_permutations,
)
tables = {"permutation_scores": scores, "permutation": permutation_table(scores)}
check_sources(snakemake)
for name, table in tables.items():
    write_parquet(table, snakemake.output[name], PERMUTATION_TABLES[name])
