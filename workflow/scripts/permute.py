"""Test one classifier on one data set by permutations, its selection of features included."""

from xnbflow.jobs import start_job

start_job(snakemake)

from xnbflow.contract import PERMUTATION_TABLES
from xnbflow.evaluation.permutation import permutation_scores, permutation_table
from xnbflow.series import Series
from xnbflow.tables import write_parquet

scores = permutation_scores(
    Series.read(snakemake.input.series), snakemake.params.entry, **snakemake.params.permutation
)
tables = {"permutation_scores": scores, "permutation": permutation_table(scores)}
for name, table in tables.items():
    write_parquet(table, snakemake.output[name], PERMUTATION_TABLES[name])
