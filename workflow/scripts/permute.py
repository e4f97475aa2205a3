"""Test one classifier on one data set by permutations, its selection of features included."""

from xnbflow.workflow.jobs import start_job

start_job(snakemake)

from xnbflow.data.contract import PERMUTATION_TABLES
from xnbflow.data.dataset import DataSet
from xnbflow.data.tables import write_parquet
from xnbflow.evaluation.permutation import permutation_scores, permutation_table

scores = permutation_scores(
    DataSet.read(snakemake.input.series), snakemake.params.entry, **snakemake.params.permutation
)
tables = {"permutation_scores": scores, "permutation": permutation_table(scores)}
for name, table in tables.items():
    write_parquet(table, snakemake.output[name], PERMUTATION_TABLES[name])
